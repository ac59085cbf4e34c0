"""Published tasks become tasks that play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.data.enterprise_ops_import import import_task
from tests.envs.enterprise_ops.published import needed

SEED = """
INSERT INTO organization (org_id, name, active) VALUES ('ORG_001', 'North', 1);
INSERT INTO role (role_id, name) VALUES ('ROLE_001', 'admin');
INSERT INTO users (user_id, user_name, first_name, last_name, email, phone, role, active, static_token, org_id)
VALUES ('USER_001', 'ana', 'Ana', 'Hale', 'ana@north.example', '+1-415-555-0101', 'admin', 1, 'secret', 'ORG_001');
"""


def content(**changed: Any) -> dict[str, Any]:
    """A task file in the published form, of our own making."""
    server = {"mcp_server_name": "gym-itsm-mcp", "seed_database_file": "a.sql", "context": {"x-itsm-user-token": "secret "}}
    query = "SELECT COUNT(*) FROM user_group WHERE name = 'Night Desk'"
    verifier = {
        "verifier_type": "database_state",
        "name": "group",
        "gym_name": "gym-itsm-mcp",
        "validation_config": {"query": query, "expected_value": 1, "comparison_type": "equals"},
    }
    return {
        "gym_servers_config": [server],
        "system_prompt": "Policy.",
        "user_prompt": "Create the group.",
        "selected_tools": ["add_new_user_group", "list_user_groups"],
        "restricted_tools": ["list_user_groups"],
        "verifiers": [verifier, {**verifier, "validation_config": {"query": "SELECT 1 FROM users WHERE 0", "expected_value": 0}}],
        **changed,
    }


def imported(folder: Path, **changed: Any) -> Task:
    task, seed = folder / "task_20260105_1.json", folder / "a.sql"
    task.write_text(json.dumps(content(**changed)))
    seed.write_text(SEED)
    return import_task(task, {"itsm": seed})


def test_it_plays_and_is_graded_by_its_verifiers_alone(tmp_path: Path) -> None:
    env = gym.make("EnterpriseOps-v0", cache=None, tasks=imported(tmp_path))
    _, info = env.reset(seed=0)
    assert [tool["function"]["name"] for tool in info["tools"]] == ["add_new_user_group", "whoami", "submit", "refuse"]
    arguments = {"name": "Night Desk", "type": "Service Desk"}
    env.step(json.dumps({"name": "add_new_user_group", "arguments": arguments}))
    *_, info = env.step('{"name": "submit"}')
    statuses = {check["group"]: check["status"] for check in info["verdict"]["checks"]}
    assert statuses == {"group #1": "pass", "group #2": "fail"}  # the release never finds 0 in an empty result
    assert info["verdict"]["metrics"] == {"collapsed": 0.0}
    assert info["verdict"]["reward"] == 0.5
    env.close()


def test_a_verifier_that_writes_fails_and_writes_nothing(tmp_path: Path) -> None:
    config = {"query": "DELETE FROM users", "expected_value": []}
    verifier = {"verifier_type": "database_state", "name": "x", "gym_name": "", "validation_config": config}
    env = gym.make("EnterpriseOps-v0", cache=None, tasks=imported(tmp_path, verifiers=[verifier]))
    env.reset(seed=0)
    *_, info = env.step('{"name": "submit"}')
    assert "not authorized" in info["verdict"]["checks"][0]["message"]
    assert len(env.unwrapped.world.rows("users")) == 1  # type: ignore[attr-defined]  # our own environment
    env.close()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"selected_tools": ["fly"]}, TaskError, "fly"),
        ({"verifiers": [{"verifier_type": "response_check"}]}, TaskError, "response_check"),
        ({"gym_servers_config": [{"mcp_server_name": "gym-moon"}]}, RegistryError, "gym-moon"),
        ({"gym_servers_config": [{"mcp_server_name": "gym-itsm-mcp", "context": {"a": "b"}}]}, TaskError, "nobody"),
        ({"gym_servers_config": [{"mcp_server_name": "sn-csm-server"}]}, RegistryError, "csm"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changed: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        imported(tmp_path, **changed)


def test_the_published_itsm_task_plays() -> None:
    seed = needed("seeds/itsm.sql")
    path = next((seed.parent.parent / "tasks" / "itsm").glob("*.json"))
    task = import_task(path, {"itsm": seed})
    assert Task.from_json(task.to_json()) == task
    env = gym.make("EnterpriseOps-v0", cache=None, tasks=task)
    env.reset(seed=0)
    arguments = {"incident_id": "INC_003", "impact": "high", "priority": "high"}
    observation, *_ = env.step(json.dumps({"name": "update_incident", "arguments": arguments}))
    assert '"ok":true' in observation
    *_, info = env.step('{"name": "submit"}')
    assert info["verdict"]["checks"][0]["status"] == "pass"
    env.close()
