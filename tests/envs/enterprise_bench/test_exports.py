"""Episodes become training data in the paper's formats, and plans are told as subtasks with what each needs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from opsgym.baselines.registry import make_policy
from opsgym.core.task import JsonDict, Task
from opsgym.data.plain_chat import plain_preferences, plain_sft
from opsgym.data.trajectories import Trajectory, preference_pairs, read_trajectories, replay_file, sft_example
from opsgym.envs.enterprise_bench.env import EnterpriseBenchEnv
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.evaluate.promises import solution_texts
from opsgym.evaluate.rollout import run_episode
from opsgym.wrappers import PlanHint, RecordTrajectories
from opsgym.wrappers.plan_hint import Level

FAMILY = EnterpriseBenchEnv.family
PATTERNS = ("swe_owner_boss", "swe_close_issue", "hr_team", "unanswerable")
WORSE = ("access_denied", "looking", "constant")


def task_of(pattern: str, seed: int = 1) -> Task:
    return FAMILY.compile(FAMILY.draw(seed, tier="easy", pattern=pattern), seed)


TASKS = {pattern: task_of(pattern) for pattern in PATTERNS}


@pytest.fixture(scope="module", params=["full", "request"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Episodes of the oracle and of worse policies on each task."""
    path = tmp_path_factory.mktemp("episodes") / "episodes.jsonl"
    env = RecordTrajectories(gym.make("EnterpriseBench-v0", cache=None, disclosure=request.param), path=path)
    for task in TASKS.values():
        for name in ("oracle", *WORSE):
            run_episode(env, make_policy(name, FAMILY), task=task)
    return path


@pytest.fixture
def episodes(file: Path) -> list[Trajectory]:
    return list(read_trajectories(file))


def shape(messages: list[JsonDict]) -> list[str]:
    """The roles, of messages that have the listings' two keys in their order, and text."""
    assert all(list(message) == ["role", "content"] and isinstance(message["content"], str) for message in messages)
    assert all(message["content"] for message in messages)
    return [message["role"] for message in messages]


# -- listing 1


def test_fine_tuning_examples_have_the_form_of_listing_1(episodes: list[Trajectory]) -> None:
    for episode in episodes:
        example = plain_sft(episode)
        assert list(example) == ["messages"]
        turns = ["user", "assistant"] * len(episode.steps)
        assert shape(example["messages"]) == ["system", *turns]
        assert json.loads(json.dumps(example)) == example


def test_an_example_says_rules_tools_request_calls_and_results_once(episodes: list[Trajectory]) -> None:
    task = TASKS["swe_owner_boss"]
    episode = next(each for each in episodes if each.is_success and each.task_id == task.id)
    system, request, *turns = plain_sft(episode)["messages"]
    assert system["content"].startswith(task.policy.strip()[:200])
    assert task.instruction in request["content"] and task.policy[:60] not in request["content"]
    tools = [json.loads(line) for line in system["content"].split("# Tools\n")[1].splitlines()]
    assert tools == episode.tools
    assert [json.loads(turn["content"])["name"] for turn in turns[::2]] == [call.name for call in task.oracle]
    assert [turn["content"] for turn in turns[1::2]] == [step.observation for step in episode.steps[:-1]]


def test_the_assistants_words_in_an_example_solve_the_task(episodes: list[Trajectory]) -> None:
    for episode in filter(lambda each: each.is_success, episodes):
        env = gym.make("EnterpriseBench-v0", cache=None)
        env.reset(options={"task": episode.task})
        words = [message["content"] for message in plain_sft(episode)["messages"] if message["role"] == "assistant"]
        assert [env.step(said)[1] for said in words][-1] == 1.0


def test_without_a_system_message_the_request_holds_everything(episodes: list[Trajectory]) -> None:
    for episode in episodes:
        system, request, *turns = plain_sft(episode)["messages"]
        first, *others = plain_sft(episode, system=False)["messages"]
        assert first == {"role": "user", "content": f"{system['content']}\n\n{request['content']}"}
        assert others == turns


def test_chat_data_says_the_policy_once(episodes: list[Trajectory]) -> None:
    for episode in episodes:
        example = sft_example(episode)
        assert [message["role"] for message in example["messages"][:4]] == ["system", "user", "assistant", "tool"]
        assert "".join(message["content"] for message in example["messages"][:2]).count(episode.task["policy"].strip()) == 1


# -- listing 2


def test_preferences_have_the_form_of_listing_2(episodes: list[Trajectory]) -> None:
    pairs = list(plain_preferences(episodes))
    assert len(pairs) >= len(TASKS)
    for pair in pairs:
        assert list(pair) == ["prompt", "chosen", "rejected"]
        roles = shape(pair["prompt"])
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        assert shape(pair["chosen"]) == shape(pair["rejected"]) == ["assistant"]
        assert pair["chosen"] != pair["rejected"]
        assert json.loads(json.dumps(pair)) == pair


def test_a_preference_is_where_the_better_episode_parts_from_the_worse(episodes: list[Trajectory]) -> None:
    task = TASKS["swe_close_issue"]
    mine = [each for each in episodes if each.task_id == task.id]
    oracle, looking = mine[0], mine[2]
    (pair,) = plain_preferences([looking, oracle])
    lookups = [item.call for item in plan_of(task).subtasks if not item.writes]
    assert lookups and list(task.oracle[: len(lookups)]) == lookups
    calls = [json.loads(message["content"]) for message in pair["prompt"] if message["role"] == "assistant"]
    assert calls == [call.model_dump() for call in lookups]
    assert pair["prompt"][-1]["content"] == oracle.steps[len(lookups) - 1].observation
    assert json.loads(pair["chosen"][0]["content"]) == task.oracle[len(lookups)].model_dump()
    assert json.loads(pair["rejected"][0]["content"]) == task.oracle[-1].model_dump()


def test_preferences_chain_from_better_to_worse_as_in_chat_data(episodes: list[Trajectory]) -> None:
    chat, plain = list(preference_pairs(episodes)), list(plain_preferences(episodes))
    assert len(chat) == len(plain)
    for pair, short in zip(chat, plain, strict=True):
        assert pair["chosen_return"] > pair["rejected_return"]
        assert short["chosen"][0] in pair["chosen"] and short["rejected"][0] in pair["rejected"]


def test_equal_returns_and_equal_actions_make_no_preference(episodes: list[Trajectory]) -> None:
    task = TASKS["hr_team"]
    denied, constant = [each for each in episodes if each.task_id == task.id][1::2]
    assert list(plain_preferences([denied, constant])) == []
    assert list(plain_preferences([denied, denied])) == []


def test_one_action_that_was_answered_in_two_ways_makes_no_preference(episodes: list[Trajectory]) -> None:
    oracle = next(each for each in episodes if each.is_success)
    first = replace(oracle.steps[0], observation="an injected failure", reward=-1.0)
    worse = replace(oracle, steps=(first, *oracle.steps[1:]))
    assert len(list(preference_pairs([oracle, worse]))) == 1
    assert list(plain_preferences([oracle, worse])) == []


def test_prompts_of_both_formats_are_the_same_where_asked(episodes: list[Trajectory]) -> None:
    for pair, plain in zip(plain_preferences(episodes, system=True), plain_preferences(episodes), strict=True):
        assert shape(pair["prompt"])[:2] == ["system", "user"]
        example = next(each for each in map(plain_sft, episodes) if each["messages"][:2] == pair["prompt"][:2])
        assert example["messages"][0]["content"] in plain["prompt"][0]["content"]


def test_recorded_episodes_replay(file: Path) -> None:
    replayed = replay_file(file)
    assert replayed.episodes == len(TASKS) * (1 + len(WORSE))
    assert replayed.differences == {}


# -- gold planning


def hinted(task: Task, level: Level) -> list[str]:
    env = PlanHint(gym.make("EnterpriseBench-v0", cache=None), level=level)
    brief, _ = env.reset(options={"task": task})
    head, *lines = str(brief).rsplit("\n\n", 1)[1].splitlines()
    assert "each with the earlier ones that it needs" in head
    return lines


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_outline_has_every_subtask_with_what_it_needs_and_no_argument(pattern: str) -> None:
    task = TASKS[pattern]
    plan, lines = plan_of(task), hinted(task, "outline")
    assert len(lines) == len(plan.subtasks) + 1
    for number, (line, item) in enumerate(zip(lines, plan.subtasks, strict=False), start=1):
        needs = f", needs {', '.join(str(before + 1) for before in item.after)}" if item.after else ""
        assert line == f"{number}. {item.goal} [{item.source}: {item.call.name}]{needs}"
        assert all(before + 1 < number for before in item.after)
    assert lines[-1].endswith(f"[{task.oracle[-1].name}]")
    assert not any(text in "\n".join(lines) for text in solution_texts(task))


def test_the_outline_shows_dependencies() -> None:
    assert any(line.endswith(", needs 1") for line in hinted(TASKS["swe_owner_boss"], "outline"))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_full_plan_has_the_outline_and_calls_that_solve_the_task(pattern: str) -> None:
    task = TASKS[pattern]
    lines, outline = hinted(task, "oracle"), hinted(task, "outline")
    env = gym.make("EnterpriseBench-v0", cache=None)
    env.reset(options={"task": task})
    rewards: list[Any] = []
    for line, step, call in zip(lines, outline, task.oracle, strict=True):
        assert line.startswith(f"{step}: ")
        assert json.loads(line.removeprefix(f"{step}: ")) == call.model_dump()
        rewards.append(env.step(line.removeprefix(f"{step}: "))[1])
    assert rewards[-1] == 1.0


def test_a_task_without_a_plan_in_words_is_hinted_by_its_tools() -> None:
    task = TASKS["hr_team"]
    bare = Task.model_validate({**task.model_dump(exclude={"id"}), "metadata": {}})
    assert FAMILY.outline(bare) == ()
    env = PlanHint(gym.make("EnterpriseBench-v0", cache=None), level="outline")
    brief, _ = env.reset(options={"task": bare})
    assert brief.splitlines()[-1] == f"{len({call.name for call in task.oracle})}. submit"
