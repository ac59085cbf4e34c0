"""CurriculumWrapper and its vector form: what is played is what was asked for, and every episode is told once."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AutoresetMode

from opsgym.core.errors import BackendError, TaskError
from opsgym.curricula import (
    FAILURE_SCHEDULE,
    CurriculumVectorEnv,
    CurriculumWrapper,
    Desk,
    Fixed,
    Ladder,
    Sampler,
    TaskSpace,
    Ticket,
    Uniform,
    replay,
)
from opsgym.wrappers import DenseReward, DiscreteToolActions, ToolFailureInjection
from tests.curricula.support import saved

SPACE = TaskSpace({"counters": (1, 5)})
SUBMIT = '{"name": "submit"}'
LOOK = '{"name": "look"}'


def oracle(env: Any) -> tuple[float, dict[str, Any]]:
    """Play the reference solution; the return and the last info."""
    total = 0.0
    for call in [*env.unwrapped.task.oracle, SUBMIT]:
        _, reward, terminated, _, info = env.step(call)
        total += reward
        if terminated:
            break
    return total, info


def test_an_episode_is_the_tickets_task_and_its_end_is_told(toy_id: str) -> None:
    sampler = Uniform(SPACE, seed=2)
    env = CurriculumWrapper(gym.make(toy_id), sampler)
    heard: list[Any] = []
    env.source.tell = lambda outcome: heard.append(outcome)  # type: ignore[method-assign]  # a spy
    for number in range(3):
        brief, info = env.reset(seed=123)
        ticket = env.ticket
        assert isinstance(ticket, Ticket)
        assert info["ticket_id"] == ticket.id == number and "seed" not in info
        plain = gym.make(toy_id)
        assert plain.reset(seed=ticket.seed, options=ticket.options())[0] == brief
        total, last = oracle(env)
        assert last["ticket_id"] == number and last["is_success"]
        assert heard[-1] == ticket.outcome(success=True, score=total, turns=last["elapsed_turns"])
    assert len(heard) == 3


def test_a_shaped_return_is_the_score_and_the_verdict_the_success(toy_id: str) -> None:
    env = CurriculumWrapper(DenseReward(gym.make(toy_id), potential="checks", scale=0.5), Uniform(SPACE))
    heard: list[Any] = []
    env.source.tell = lambda outcome: heard.append(outcome)  # type: ignore[method-assign]  # a spy
    env.reset()
    env.step(SUBMIT)
    assert heard[0].success is False and heard[0].status == "done"


def test_a_broken_off_episode_is_lost(toy_id: str) -> None:
    sampler = Uniform(SPACE)
    env = CurriculumWrapper(gym.make(toy_id), sampler)
    env.reset()
    env.step(LOOK)
    env.reset()
    env.step(SUBMIT)
    env.reset()
    env.close()
    metrics = sampler.metrics()
    assert (metrics["lost"], metrics["done"], metrics["open"]) == (2, 1, 0)


def test_a_broken_system_is_no_failure_of_the_agent(toy_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = Uniform(SPACE)
    env = CurriculumWrapper(gym.make(toy_id), sampler)
    env.reset()

    def broken(action: Any) -> Any:
        raise BackendError("gone")

    monkeypatch.setattr(env.unwrapped, "_act", broken)
    env.step(LOOK)
    assert (sampler.metrics()["error"], sampler.metrics()["done"]) == (1, 0)


def test_tickets_that_are_no_tasks_are_passed_over_group_and_all(toy_id: str) -> None:
    beyond = TaskSpace({"counters": (8, 11)})  # the toy has nine counters at most
    sampler = Uniform(beyond, seed=1)
    env = CurriculumWrapper(gym.make(toy_id), Desk(sampler, group=3), tries=50)
    for _ in range(30):
        env.reset()
        assert env.unwrapped.task.params["counters"] <= 9  # type: ignore[attr-defined]  # a ToolEnv
        env.step(SUBMIT)
    assert sampler.metrics()["infeasible"] % 3 == 0 < sampler.metrics()["infeasible"]
    assert sampler.metrics()["done"] == 30
    never = CurriculumWrapper(gym.make(toy_id), Fixed(beyond, {"counters": 11}), tries=3)
    with pytest.raises(TaskError, match="no task"):
        never.reset()


def test_a_ticket_may_be_given(toy_id: str) -> None:
    sampler = Uniform(SPACE)
    first, second = sampler.ask(2)
    env = CurriculumWrapper(gym.make(toy_id), sampler)
    env.reset(options={"ticket": first})
    env.step(SUBMIT)
    _, info = env.reset(options={"ticket": second.as_dict()})
    env.step(SUBMIT)
    assert info["ticket_id"] == second.id
    assert sampler.metrics()["done"] == 2 == sampler.metrics()["asked"]


def test_the_failure_rate_of_a_ticket_is_the_one_in_force(toy_id: str) -> None:
    space = TaskSpace({"counters": (1, 3)}, fixed={"failure_rate": 1.0})
    faults = partial(ToolFailureInjection, kinds=["timeout"], allowance=None, max_blocked_submits=1)
    env = CurriculumWrapper(faults(gym.make(toy_id), rate=FAILURE_SCHEDULE), Uniform(space))
    env.reset()
    assert all("timed out" in env.step(LOOK)[0] for _ in range(5))
    for other in (gym.make(toy_id), faults(gym.make(toy_id), rate=0.5)):
        with pytest.raises(TaskError, match="need ToolFailureInjection"):
            CurriculumWrapper(other, Uniform(space)).reset()


def test_it_records_its_arguments_without_copying_the_sampler(toy_id: str) -> None:
    sampler = Uniform(SPACE)
    env = CurriculumWrapper(gym.make(toy_id), sampler, tries=4)
    assert env.spec is not None
    again = gym.make(env.spec)
    again.reset()
    env.reset()
    assert sampler.metrics()["asked"] == 2
    assert again.get_wrapper_attr("_tries") == 4


def test_a_desk_is_not_copied() -> None:
    with pytest.raises(TaskError, match="cannot be sent to another process"):
        copy.deepcopy(Desk(Uniform(SPACE)))


def test_masks_are_seen_through_the_wrapper(toy_id: str) -> None:
    env = CurriculumWrapper(DiscreteToolActions(gym.make(toy_id), size=40), Uniform(SPACE))
    env.reset()
    assert env.get_wrapper_attr("action_masks")().any()


# -- batches ----------------------------------------------------------------------------------------------


def played(envs: CurriculumVectorEnv, steps: int) -> list[Any]:
    """Ids of tickets as the infos show them."""
    seen = [envs.reset()[1]["ticket_id"].tolist()]
    for step in range(steps):
        actions = tuple(SUBMIT if (step + env) % 3 == 0 else LOOK for env in range(envs.num_envs))
        infos = envs.step(actions)[4]
        seen.append([infos.get(name, {}) for name in ("ticket_id", "_ticket_id")])
    return seen


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("autoreset", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_every_episode_of_a_batch_is_told_once(toy_id: str, mode: Any, autoreset: AutoresetMode) -> None:
    log: list[dict[str, Any]] = []
    sampler = Ladder(SPACE, levels=4, window=2, seed=3)
    envs = CurriculumVectorEnv(
        toy_id,
        Desk(sampler, log=log),
        num_envs=3,
        vectorization_mode=mode,
        autoreset_mode=autoreset,
        context="spawn" if mode == "async" else None,
        wrappers=[partial(ToolFailureInjection, rate=0.0)],
    )
    ended = 0
    envs.reset()
    for step in range(20):
        actions = tuple(SUBMIT if (step + env) % 4 == 0 else LOOK for env in range(3))
        _, _, terminated, truncated, infos = envs.step(actions)
        ended += int((terminated | truncated).sum())
        shown = infos.get("final_info", infos)
        if terminated.any():
            assert (shown["ticket_id"][terminated] >= 0).all()
    envs.close()
    metrics = sampler.metrics()
    assert ended > 8
    assert metrics["done"] == ended
    assert metrics["open"] == metrics["duplicate"] == metrics["unknown"] == 0
    assert metrics["done"] + metrics["lost"] == metrics["asked"]
    again = Ladder(SPACE, levels=4, window=2, seed=3)
    replay(again, log)
    assert saved(again) == saved(sampler)


def test_a_batch_in_one_process_is_deterministic(toy_id: str) -> None:
    def states() -> tuple[Any, Any]:
        sampler = Uniform(SPACE, seed=1)
        envs = CurriculumVectorEnv(toy_id, Desk(sampler, group=2), num_envs=4)
        seen = str(played(envs, 15))
        envs.close()
        return seen, saved(sampler)

    assert states() == states()


def test_without_autoreset_only_the_masked_environments_draw(toy_id: str) -> None:
    sampler: Sampler = Uniform(SPACE)
    envs = CurriculumVectorEnv(toy_id, sampler, num_envs=2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset()
    _, _, terminated, _, _ = envs.step((SUBMIT, LOOK))
    envs.reset(options={"reset_mask": terminated})
    assert sampler.metrics()["asked"] == 3
    assert sampler.metrics()["done"] == 1
    envs.close()
