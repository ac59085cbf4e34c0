"""Prompts: files with a version and a hash, all of them used, none of them with a place that nobody fills."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import pytest

from opsgym.baselines.prompt import load_prompt, prompt_names
from opsgym.baselines.registry import AGENTS, policy_prompts
from opsgym.core.errors import RegistryError
from tests.envs.toy_family import ToyFamily


@pytest.mark.parametrize("name", prompt_names())
def test_every_file_has_a_version_and_its_hash_is_the_files(name: str) -> None:
    content = (files("opsgym.baselines") / "prompts" / f"{name}.md").read_bytes()
    prompt = load_prompt(name)
    assert prompt.version >= 1 and prompt.text.strip()
    assert prompt.sha256 == hashlib.sha256(content).hexdigest()
    assert "version:" not in prompt.text


def test_every_prompt_belongs_to_an_agent_and_every_agent_names_its_own() -> None:
    used = {prompt.name for agent in AGENTS.values() for prompt in agent.used_prompts()}
    assert used == set(prompt_names())


def test_the_record_of_a_run_names_the_versions_and_hashes() -> None:
    recorded = policy_prompts("plan_execute", ToyFamily())
    assert set(recorded) == {"tool_calling", "plan", "planned", "replan", "self_check", "no_call"}
    assert recorded["plan"] == {"version": load_prompt("plan").version, "sha256": load_prompt("plan").sha256}
    assert policy_prompts("oracle", ToyFamily()) == {}


def test_a_place_without_a_value_is_an_error_and_empty_values_leave_no_gap() -> None:
    with pytest.raises(KeyError, match="problem"):
        load_prompt("no_call").fill()
    filled = load_prompt("tool_calling").fill(policy="", finish="submit")
    assert "\n\n\n" not in filled and "$" not in filled and "submit" in filled


def test_unknown_prompts_are_refused() -> None:
    with pytest.raises(RegistryError, match="react"):
        load_prompt("reakt")
