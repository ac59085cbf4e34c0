"""DiscreteToolActions numbers calls that are made of what was read, and lets a classical learner solve the toy family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.world import World
from opsgym.wrappers import DiscreteToolActions, DistractorTools, ToolFailureInjection
from opsgym.wrappers.candidates import Candidate, Facts, candidates
from opsgym.wrappers.discrete_tool_actions import FEATURES, STATE
from tests.envs.toy_family import ToyEnv, ToyFamily, add, look
from tests.wrappers.support import base_of, toy


def column(observation: Any, name: str) -> Any:
    return observation["candidates"][:, FEATURES.index(name)]


def test_the_solution_of_a_simple_family_is_among_the_candidates() -> None:
    env = DiscreteToolActions(toy())
    for seed in range(50):
        env.reset(seed=seed)
        assert all(call in env.calls for call in base_of(env).task.oracle)


def test_playing_the_numbers_of_the_oracle_earns_everything() -> None:
    env = DiscreteToolActions(toy())
    for seed in range(20):
        env.reset(seed=seed)
        steps = [env.step(env.calls.index(call)) for call in base_of(env).task.oracle]
        assert steps[-1][1:3] == (1.0, True)


def test_the_mask_says_which_numbers_stand_for_a_call() -> None:
    env = DiscreteToolActions(toy(params={"counters": 1}), size=300)
    observation, _ = env.reset(seed=1)
    assert observation["action_mask"].sum() == len(env.calls) < 300
    assert (env.action_masks() == observation["action_mask"].astype(bool)).all()
    assert (column(observation, "exists") == observation["action_mask"]).all()
    before = base_of(env).world.digest()
    info = env.step(299)[4]
    assert info["malformed"] == {"empty": 1} and base_of(env).world.digest() == before


def test_a_number_keeps_its_call_and_features_say_what_came_of_it() -> None:
    env = DiscreteToolActions(toy(), size=64)
    observation, _ = env.reset(seed=1)
    calls = list(env.calls)
    number = next(at for at, call in enumerate(calls) if call.name == "move")
    observation, *_, info = env.step(number)
    assert env.calls[: len(calls)] == calls
    assert column(observation, "tried").sum() == 1 == column(observation, "tried")[number]
    ok = not info["errors"]
    assert (column(observation, "succeeded")[number], column(observation, "failed")[number]) == (ok, not ok)
    assert observation["state"][STATE.index("last_ok")] == ok
    assert observation in env.observation_space


def test_arguments_that_stand_together_come_first() -> None:
    facts = Facts.of_brief("Set the counters: red to 17, green to 40.")
    pairs = [tuple(each.call.arguments.values()) for each in candidates(add, facts, values=16, most=8)]
    assert {("red", 17), ("green", 40)} <= set(pairs)
    assert [each.call for each in candidates(look, facts, values=4, most=4)] == [ToolCall(name="look")]


def test_values_of_results_stand_before_words_of_the_brief() -> None:
    facts = Facts.of_brief("Do it.")
    assert facts.read('{"ok": true, "result": [{"name": "red", "amount": 3}]}')
    assert not facts.read('{"ok": true, "result": {"name": "red"}}\n{"cut of')
    assert not facts.read('{"ok": false, "result": {"name": "blue"}}')
    assert [each.call.arguments for each in candidates(add, facts, values=4, most=4)] == [{"name": "red", "amount": 3}]


def test_a_family_may_enumerate_by_itself() -> None:
    def own(tools: Toolbox, facts: Facts) -> list[Candidate]:
        return [Candidate(ToolCall(name="submit"), 0, 0)]

    env = DiscreteToolActions(toy(), enumerate_calls=own)
    env.reset(seed=1)
    assert env.calls == [ToolCall(name="submit")]
    assert env.step(0)[2]


class Stepwise(ToyFamily):
    """Offers to raise the first counter to the next three values, and to submit."""

    def candidates(self, session: World, task: Task) -> list[ToolCall]:
        name, value = next(iter(look.function(session).items()))
        adds = [ToolCall(name="add", arguments={"name": name, "amount": value + n}) for n in (1, 2, 3)]
        return [ToolCall(name="submit"), *adds]


class StepwiseEnv(ToyEnv):
    """Counters, a few at a time."""

    family = Stepwise()


def test_what_no_longer_makes_sense_is_masked_and_gives_up_its_number() -> None:
    env = DiscreteToolActions(StepwiseEnv(cache=None), size=6)
    env.reset(seed=1)
    amounts = [call.arguments.get("amount") for call in env.calls]
    assert amounts == [None, 1, 2, 3] and env.action_masks().tolist() == [True] * 4 + [False] * 2
    observation = env.step(1)[0]
    assert [call.arguments.get("amount") for call in env.calls] == [None, 1, 2, 3, 4]
    assert observation["action_mask"].tolist() == [1, 0, 1, 1, 1, 0]
    assert column(observation, "tried").tolist() == [0, 1, 0, 0, 0, 0]
    observation = env.step(4)[0]
    assert [call.arguments.get("amount") for call in env.calls] == [None, 7, 8, 3, 4, 6]
    assert observation["action_mask"].tolist() == [1, 1, 1, 0, 0, 1]
    assert column(observation, "tried").tolist() == [0, 0, 0, 0, 1, 0]
    assert len({call.model_dump_json() for call in env.calls}) == 6


def test_a_function_given_stands_before_the_family() -> None:
    env = DiscreteToolActions(StepwiseEnv(cache=None), enumerate_calls=lambda tools, facts: [])
    env.reset(seed=1)
    assert not env.calls and not env.action_masks().any()


def test_it_stands_around_faults_and_distractors() -> None:
    inner = ToolFailureInjection(DistractorTools(toy(), unrelated=8), rate=0.5, allowance=None)
    env = DiscreteToolActions(inner)
    env.reset(seed=1)
    assert any(call.name == "get_weather" for call in env.calls)


def score(env: DiscreteToolActions, weights: Any, seeds: range) -> float:
    """Mean return of a linear policy: greedy, with each call taken at most once."""
    total = 0.0
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            untried = (observation["action_mask"] == 1) & (column(observation, "tried") == 0)
            values = np.where(untried, observation["candidates"] @ weights, -np.inf)
            observation, reward, terminated, truncated, _ = env.step(int(values.argmax()))
            over, total = terminated or truncated, total + reward
    return total / len(seeds)


def test_the_features_suffice_to_solve_a_simple_family() -> None:
    """By weights that prefer arguments standing together in order, and submit last."""
    weights = {"terminal": -8.0, "arguments": 1.0, "closeness": 2.0, "in_order": 2.0, "mutates": 0.5}
    env = DiscreteToolActions(toy(params={"counters": 2}), size=64)
    assert score(env, np.array([weights.get(name, 0.0) for name in FEATURES]), range(40)) == 1.0


def test_a_linear_learner_improves_on_tasks_it_has_not_seen() -> None:
    """Cross-entropy method over the weights of the features."""
    env, rng = DiscreteToolActions(toy(params={"counters": 2}), size=64), np.random.default_rng(0)
    mean, spread = np.zeros(len(FEATURES)), np.ones(len(FEATURES))
    untrained = score(env, mean, range(1000, 1020))
    for _ in range(4):
        tried = mean + spread * rng.normal(size=(30, len(FEATURES)))
        best = tried[np.argsort([score(env, weights, range(6)) for weights in tried])[-6:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
    assert score(env, mean, range(1000, 1020)) >= untrained + 0.3


@pytest.mark.parametrize("name", ["size", "values", "per_tool"])
def test_numbers_must_be_positive(name: str) -> None:
    with pytest.raises(TaskError, match=name):
        DiscreteToolActions(toy(), **{name: 0})  # type: ignore[arg-type]  # the names are those of integers
