"""DistractorTools offers what it says, and no distractor changes the world."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.spaces import ToolCallText
from opsgym.wrappers import DistractorTools
from opsgym.wrappers.distractors import FORBIDDEN, UNRELATED
from tests.envs.toy_family import TOOLBOX
from tests.wrappers.support import SUBMIT, base_of, play_oracle, toy

ALL = {"unrelated": 8, "near_duplicate": 3, "deprecated": 3, "forbidden": 6}


def offered(env: DistractorTools) -> list[str]:
    return [schema["function"]["name"] for schema in env.reset(seed=1)[1]["tools"]]


def test_every_kind_is_on_offer_beside_the_real_tools() -> None:
    env = DistractorTools(toy(), **ALL)
    names = offered(env)
    assert len(names) == len(set(names)) == len(TOOLBOX) + 20
    assert [name for name in names if name in TOOLBOX] == list(TOOLBOX)
    assert {"add_sandbox", "add_v1", "run_sql", "get_weather"} <= set(names)
    assert isinstance(env.action_space, ToolCallText)
    assert env.action_space.tool_names == tuple(names)
    assert "submit_v1" not in names


def test_the_offer_follows_from_the_seed() -> None:
    def make(seed: int) -> list[str]:
        return offered(DistractorTools(toy(), unrelated=3, forbidden=2, seed=seed))

    assert make(1) == make(1)
    assert len({tuple(make(seed)) for seed in range(5)}) > 1


def test_a_near_duplicate_and_a_retired_tool_take_the_same_arguments() -> None:
    env = DistractorTools(toy(), **ALL)
    env.reset(seed=1)
    tools = base_of(env).tools
    for name in ("look", "add", "move"):
        assert tools[f"{name}_sandbox"].parameters == tools[f"{name}_v1"].parameters == tools[name].parameters
        assert "sandbox" in tools[f"{name}_sandbox"].description and "Deprecated" in tools[f"{name}_v1"].description
    assert all("must not" in tool.description for tool in FORBIDDEN)


def test_every_distractor_has_its_effect_and_changes_nothing() -> None:
    env = DistractorTools(toy(pattern="colours"), **ALL)
    env.reset(seed=1)
    space, digest = env.action_space, base_of(env).world.digest()
    assert isinstance(space, ToolCallText)
    space.seed(1)
    expected: dict[str, Any] = {
        **{tool.name: None for tool in UNRELATED},
        **{tool.name: "not_allowed" for tool in FORBIDDEN},
        **{f"{name}_sandbox": None for name in ("look", "add", "move")},
        **{f"{name}_v1": "unsupported" for name in ("look", "add", "move")},
    }
    env.reset(seed=1)
    lines = [json.loads(line) for line in env.step([space.sample_call(name) for name in expected])[0].splitlines()]
    assert {line["tool"]: line.get("error", {}).get("code") for line in lines} == expected
    assert all("Use " in line["error"]["hint"] for line in lines if not line["ok"])
    assert base_of(env).world.digest() == digest and base_of(env).episode.changes == 0
    assert "distractors" not in env.step("nothing")[4]
    report = env.step(SUBMIT)[4]["distractors"]
    assert report["kinds"] == {"unrelated": 8, "near_duplicate": 3, "deprecated": 3, "forbidden": 6}
    assert report["tools"] == dict.fromkeys(sorted(expected), 1)
    env.reset(seed=1)
    assert env.step(SUBMIT)[4]["distractors"] == {"kinds": {}, "tools": {}}


def test_wrong_arguments_of_a_distractor_are_refused_like_any() -> None:
    env = DistractorTools(toy(), unrelated=8)
    env.reset(seed=1)
    assert json.loads(env.step('{"name": "get_weather"}')[0])["error"]["code"] == "invalid_arguments"


def test_the_oracle_is_not_disturbed() -> None:
    env = DistractorTools(toy(), **ALL)
    assert all(play_oracle(env, retry=False, seed=seed)[0] == 1.0 for seed in range(20))


def test_no_distractors_leave_the_toolbox_itself() -> None:
    env = DistractorTools(toy(), unrelated=0)
    assert base_of(env).tools is TOOLBOX


def test_more_than_there_are_is_refused() -> None:
    for kind, most in (("unrelated", 8), ("near_duplicate", 3), ("deprecated", 3), ("forbidden", 6)):
        with pytest.raises(TaskError, match=f"{kind}.*{most}"):
            DistractorTools(toy(), **{"unrelated": 0, kind: most + 1})
        with pytest.raises(TaskError, match=kind):
            DistractorTools(toy(), **{"unrelated": 0, kind: -1})
