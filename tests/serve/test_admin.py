"""The operator's port makes, resets, judges and deletes databases, and nobody else does."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import gymnasium as gym
import httpx
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.core.errors import BackendError, TaskError
from opsgym.core.task import JsonDict, Task
from opsgym.data.packs import write_pack
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.envs.erp_bench.raw_calls import raw_calls
from opsgym.serve import Admin, ErpServer, erp_server
from opsgym.serve.task_names import find_task
from tests.serve.conftest import fixed
from tests.serve.doors import database, headers

NAMES: list[Any] = ["split=test,index=3", {"split": "test", "index": 3}, "index=3, split=test"]


def write_partner(server: ErpServer, made: JsonDict) -> None:
    body = {"vals_list": {"name": "Somebody new"}}
    assert httpx.post(f"{server.url}/json/2/res.partner/create", headers=headers(made), json=body).status_code == 200


def test_a_database_lives_from_create_to_delete(server: ErpServer, task: Task) -> None:
    made = server.admin.create(task, "life", key="k" * 16)
    assert made == server.admin.show("life") and made in server.admin.databases()
    assert (made["database"], made["key"], made["url"]) == ("life", "k" * 16, server.url)
    assert made["instruction"] == task.instruction and made["task_id"] == task.id
    seeded = server.admin.verdict("life")
    write_partner(server, made)
    assert server.admin.verdict("life")["digest"] != seeded["digest"]
    assert server.admin.reset("life") == made
    assert server.admin.verdict("life") == seeded
    server.admin.delete("life")
    with pytest.raises(TaskError, match="no database 'life'"):
        server.admin.show("life")
    assert httpx.post(f"{server.url}/json/2/res.users/context_get", headers=headers(made)).status_code == 404


def test_the_verdict_is_that_of_the_environment(server: ErpServer, task: Task) -> None:
    with database(server, task) as made, httpx.Client(base_url=server.url, headers=headers(made)) as client:
        for call in raw_calls(task)[:-1]:
            arguments = call.arguments
            body = {**arguments.get("kwargs", {}), "ids": arguments.get("ids", [])}
            client.post(f"/json/2/{arguments['model']}/{arguments['method']}", json=body)
        found = server.admin.verdict(made["database"])
    env = gym.make("ERPBench-v0", tasks=task)
    env.reset()
    for oracle_call in task.oracle:
        *_, info = env.step(oracle_call)
    assert (found["reward"], found["is_success"]) == (1.0, True)
    assert found["verdict"] == json.loads(json.dumps(info["verdict"]))


@pytest.mark.parametrize("name", NAMES)
def test_a_place_in_the_fixed_set_names_a_task(name: Any) -> None:
    assert find_task(name) == fixed(3)


def test_a_seed_names_what_the_environment_plays() -> None:
    env = gym.make("ERPBench-v0", tier="easy")
    _, info = env.reset(seed=7)
    assert find_task("seed=7,tier=easy").id == info["task_id"]


def test_a_file_names_a_task(tmp_path: Path, task: Task) -> None:
    (tmp_path / "task.json").write_text(task.to_json())
    write_pack(tmp_path / "two.jsonl", [fixed(0), task])
    assert find_task(f"file={tmp_path / 'task.json'}") == task
    assert find_task(f"file={tmp_path / 'two.jsonl'},index=1") == task
    with pytest.raises(TaskError, match="holds one task"):
        find_task(f"file={tmp_path / 'task.json'},index=1")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({}, 422, "task"),
        ({"task": "seed=7", "nope": 1}, 422, "nope"),
        ({"task": "seed"}, 422, "name=value"),
        ({"task": "seed=x"}, 422, "whole number"),
        ({"task": "seed=1,seed=2"}, 422, "once"),
        ({"task": "tear=easy"}, 422, "unknown way to name a task 'tear'.*did you mean 'tier'"),
        ({"task": "tier=hardest"}, 422, "easy, expert, hard, medium"),
        ({"task": "file=/etc/hostname"}, 422, "unknown way"),
        ({"task": {"file": "x.jsonl"}}, 422, "unknown way"),
        ({"task": {"seed": True}}, 422, "whole number"),
        ({"task": 3}, 422, "text such as"),
        ({"task": {"schema_version": 1}}, 422, "family"),
        ({"task": "split=test,index=300"}, 422, "below 300"),
        ({"task": "split=test,index=0", "database": "../x"}, 422, "letters, digits"),
        ({"task": "split=test,index=0", "key": "short"}, 422, "16 to 256"),
        ({"task": "split=test,index=0", "disclosure": "nope"}, 422, "policy"),
    ],
)
def test_what_cannot_be_made_is_refused(server: ErpServer, body: JsonDict, status: int, message: str) -> None:
    known = list(server.databases)
    answer = httpx.post(f"{server.admin_url}/databases", headers={"Authorization": f"Bearer {server.admin_key}"}, json=body)
    assert answer.status_code == status
    with pytest.raises(TaskError, match=message):
        raise TaskError(answer.json()["error"])
    assert list(server.databases) == known


def test_names_are_taken_once_and_given_in_turn() -> None:
    with erp_server(fixed(0), fixed(1)) as server:
        assert list(server.databases) == ["bench", "bench2"] and server.database == "bench"
        with pytest.raises(TaskError, match="'bench' already"):
            server.admin.create(fixed(0), "bench")
        assert server.admin.create(fixed(0))["database"] == "bench3"


def test_the_agent_s_key_opens_nothing_of_the_operator(server: ErpServer, task: Task) -> None:
    with database(server, task) as made:
        for key in (made["key"], "wrong", "\u00e9"):
            stranger = httpx.Client(
                base_url=server.admin_url, headers=httpx.Headers({"Authorization": f"Bearer {key}"}, encoding="latin-1")
            )
            for method, path in (
                ("GET", "/databases"),
                ("POST", "/databases"),
                ("GET", f"/databases/{made['database']}"),
                ("GET", f"/databases/{made['database']}/verdict"),
                ("GET", f"/databases/{made['database']}/snapshot"),
                ("POST", f"/databases/{made['database']}/reset"),
                ("DELETE", f"/databases/{made['database']}"),
            ):
                answer = stranger.request(method, path)
                assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
                assert answer.json().keys() == {"error"}
            stranger.close()
        with Admin(server.admin_url, made["key"]) as admin, pytest.raises(BackendError, match="401"):
            admin.databases()
        assert made["database"] in server.databases


def test_a_snapshot_is_the_image_of_the_present_world(server: ErpServer, task: Task) -> None:
    with database(server, task) as made:
        write_partner(server, made)
        path = f"{server.admin_url}/databases/{made['database']}/snapshot"
        answer = httpx.get(path, headers={"Authorization": f"Bearer {server.admin_key}"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/octet-stream")
        assert answer.content == server.databases[made["database"]].snapshot()
        assert sqlite_names(answer.content) >= {"Somebody new"}
        assert httpx.get(path, headers={"Authorization": f"Bearer {made['key']}"}).status_code == 401


def sqlite_names(image: bytes) -> set[str]:
    """Names of partners in an image of a database."""
    with contextlib.closing(sqlite3.connect(":memory:")) as opened:
        opened.deserialize(image)
        return {name for (name,) in opened.execute("SELECT name FROM res_partner")}


def test_the_operator_s_key_is_no_agent_s(server: ErpServer, task: Task) -> None:
    with pytest.raises(TaskError, match="not the operator's"):
        server.admin.create(task, key=server.admin_key)
    with database(server, task) as made:
        sent = {**headers(made), "Authorization": f"Bearer {server.admin_key}"}
        assert httpx.post(f"{server.url}/json/2/res.users/context_get", headers=sent).status_code == 401


def test_nothing_that_an_agent_can_read_tells_of_the_solution(server: ErpServer, task: Task) -> None:
    with database(server, task) as made, httpx.Client(base_url=server.url, headers=headers(made)) as client:
        texts = [client.post(f"/json/2/{model}/search_read", json={}).text for model in MODELS]
        texts += [client.get("/doc-bearer/index.json").text, client.get("/web/version").text]
    text = "\n".join(texts)
    rules = {check.rule for check in task.checks} - {"list_price"}  # a field of products too
    assert not [secret for secret in (server.admin_key, made["key"], task.id, "certificate", *rules) if secret in text]
