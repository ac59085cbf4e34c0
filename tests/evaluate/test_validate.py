"""Validation passes for a sound family and names each promise that a faulty one breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox, tool
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.data.packs import write_pack
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.evaluate.entry_points import entry_point_of
from opsgym.evaluate.promises import PROMISES, examine, solution_texts
from opsgym.evaluate.selection import GENERATED, default_count, regions, spread
from opsgym.evaluate.validate import Report, validate
from tests.envs.toy_family import TOOLBOX, ToyEnv, ToyFamily, look

HERE = "tests.evaluate.test_validate"


@pytest.fixture(autouse=True)
def ids() -> Iterator[None]:
    """Registers the sound family and the faulty ones below."""
    points = {"Toy-v0": "tests.envs.toy_family:ToyEnv"}
    points |= {f"{fault.__name__}-v0": f"{HERE}:{fault.__name__}" for fault in FAULTS.values()}
    for env_id, point in points.items():
        gym.register(env_id, entry_point=point)
    yield
    for env_id in points:
        del gym.registry[env_id]


@pytest.fixture(scope="module")
def sound() -> Report:
    """The report on the sound family."""
    gym.register("Sound-v0", entry_point="tests.envs.toy_family:ToyEnv")
    report = validate("Sound-v0", 6)
    del gym.registry["Sound-v0"]
    return report


def test_a_sound_family_keeps_every_promise(sound: Report) -> None:
    assert sound.passed, "\n".join(map(str, sound.lines))
    assert [line.promise for line in sound.lines] == list(PROMISES)
    assert sound.tasks == 6


def test_the_report_is_json_and_text(sound: Report) -> None:
    data = sound.as_dict()
    assert data["passed"] is True
    assert {row["promise"] for row in data["promises"]} == set(PROMISES)
    assert all(str(line).startswith("ok") for line in sound.lines)


def test_two_workers_find_the_same_and_progress_is_told(sound: Report) -> None:
    steps: list[tuple[str, int, int]] = []
    report = validate("Toy-v0", 6, workers=2, progress=lambda *step: steps.append(step))
    assert report.lines == sound.lines
    assert [step for step in steps if step[0] != "compiling again elsewhere"] == [
        (phase, n, 6) for phase in ("generating", "examining", "playing again elsewhere") for n in range(1, 7)
    ]
    assert steps[-1] == ("compiling again elsewhere", 4, 4)


def test_packs_and_splits_are_examined(tmp_path: Path) -> None:
    family = ToyFamily()
    write_pack(tmp_path / "p.jsonl", [family.compile(family.draw(seed), seed) for seed in range(10)])
    report = validate("Toy-v0", tmp_path / "p.jsonl", split="test")
    assert (report.tasks, report.passed) == (1, True)
    assert not {"coverage", "identity"} & {line.promise for line in report.lines}
    assert validate("Toy-v0", 4, split="validation").passed


def test_too_few_tasks_do_not_count_as_coverage() -> None:
    report = validate("Toy-v0", 1)
    assert not report.passed
    assert [line.promise for line in report.lines if not line.passed] == ["coverage"]


def test_regions_are_all_tiers_with_their_patterns() -> None:
    assert regions(ToyFamily()) == [(tier, pattern) for tier in ("easy", "medium") for pattern in ("colours", "metals")]


def test_unknown_ids_and_empty_orders_are_refused() -> None:
    with pytest.raises(RegistryError, match="ERPBench-v0"):
        entry_point_of("ErpBench-v9")
    with pytest.raises(TaskError, match="at least one"):
        validate("Toy-v0", 0)


class OffByOne(ToyEnv):
    """Its oracle forgets the last counter."""

    class Family(ToyFamily):
        def compile(self, params: Any, seed: int) -> Task:
            data = super().compile(params, seed).model_dump(mode="json", exclude={"id"})
            return Task.from_dict({**data, "oracle": data["oracle"][1:]})

    family = Family()


class Generous(ToyEnv):
    """Rewards those who do nothing."""

    class Family(ToyFamily):
        def verify(self, before: World, after: World, task: Task) -> Verdict:
            verdict = super().verify(before, after, task)
            return replace(verdict, reward=max(0.5, verdict.reward))

    family = Family()


class Blind(ToyEnv):
    """Its audit finds a mutant that no check notices, and leaves the other rules alone."""

    class Family(ToyFamily):
        def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
            return [("value", False)]

    family = Family()


class Hackable(ToyEnv):
    """Has an exploit that works."""

    class Family(ToyFamily):
        def exploits(self, task: Task) -> Mapping[str, Sequence[ToolCall]]:
            return {"read_the_answer": task.oracle[:-1]}

    family = Family()


class Leaky(ToyEnv):
    """Has a tool that reads out the verifier."""

    class Family(ToyFamily):
        def session(self, world: World, task: Task) -> World:
            world.checks = [check.args for check in task.checks]  # type: ignore[attr-defined]  # the leak
            return world

        def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
            @tool()
            def debug(world: World) -> Any:
                """Show internals."""
                return world.checks  # type: ignore[attr-defined]  # the leak

            return Toolbox([*TOOLBOX.values(), debug])

    family = Family()


class Beaten(ToyEnv):
    """Its certificate is wrong."""

    class Family(ToyFamily):
        def verify(self, before: World, after: World, task: Task) -> Verdict:
            verdict = super().verify(before, after, task)
            return replace(verdict, canary=verdict.is_success)

    family = Family()


class Untidy(ToyEnv):
    """Its worlds break an invariant."""

    class Family(ToyFamily):
        def invariants(self, world: World, task: Task) -> Sequence[str]:
            return [f"{name} is above 0" for name, value in look.function(world).items() if value]

    family = Family()


class Meddling(ToyEnv):
    """A reading tool writes."""

    class Family(ToyFamily):
        def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
            @tool()
            def peek(world: World) -> int:
                """Count looks, in the wrong place."""
                world.execute("UPDATE counter SET value = value + 1")
                return 1

            return Toolbox([*TOOLBOX.values(), peek])

    family = Family()


class Global(ToyEnv):
    """Draws from the process-wide stream."""

    class Family(ToyFamily):
        def verify(self, before: World, after: World, task: Task) -> Verdict:
            np.random.random()  # the fault
            return super().verify(before, after, task)

    family = Family()


class Hashed(ToyEnv):
    """Depends on the hash seed, in what it says and in what it compiles."""

    class Family(ToyFamily):
        def compile(self, params: Any, seed: int) -> Task:
            data = super().compile(params, seed).model_dump(mode="json", exclude={"id"})
            return Task.from_dict({**data, "metadata": {"hash": hash("opsgym") % 2**31}})

        def brief(self, task: Task, disclosure: str) -> str:
            return f"{task.instruction} {hash('opsgym')}"

    family = Family()


FAULTS: dict[str, type[ToyEnv]] = {
    "oracle": OffByOne,
    "nothing": Generous,
    "mutants": Blind,
    "exploits": Hackable,
    "secrecy": Leaky,
    "canary": Beaten,
    "worlds": Untidy,
    "atomicity": Meddling,
    "randomness": Global,
    "replay": Hashed,
}


@pytest.mark.parametrize("promise", FAULTS)
def test_a_fault_fails_its_promise(promise: str) -> None:
    report = validate(f"{FAULTS[promise].__name__}-v0", 4)
    failed = {line.promise: line for line in report.lines if not line.passed}
    assert promise in failed
    assert failed[promise].problems
    also = {
        "oracle": {"mutants", "floor"},
        "nothing": {"floor", "exploits"},
        "replay": {"identity"},
        "atomicity": {"floor", "worlds"},
    }
    assert set(failed) <= {promise, *also.get(promise, set())}


class Charitable(Generous):
    """Rewards those who do nothing, and takes their last call for a lucky one."""

    class Family(Generous.Family):
        def is_lucky(self, task: Task, call: ToolCall) -> bool:
            return True

    family = Family()


def test_only_a_lucky_last_call_excuses_random_policies_and_no_others() -> None:
    for entry, promise in ((Generous, {"Echo", "Garbage", "RandomValid"}), (Charitable, {"Echo", "Garbage"})):
        family = entry.family
        task = family.compile(family.draw(3), 3)
        found = examine(f"{HERE}:{entry.__name__}", task.to_json()).findings
        assert {item.problem.split()[0] for item in found if item.promise == "floor" and item.problem} == promise


def test_solution_texts_are_long_enough_not_to_occur_by_chance() -> None:
    family = ToyFamily()
    task = family.compile(family.draw(1, tier="medium"), 1)
    data = task.model_dump(mode="json", exclude={"id"})
    costly = Task.from_dict({**data, "certificate": {**data["certificate"], "value": 12345.5}})
    needles = solution_texts(costly)
    assert {"12345.50", "12,345.50", "12345.5"} <= needles
    assert all(len(needle) >= 7 for needle in needles)
    call = task.oracle[0].model_dump_json()
    assert any(needle in call for needle in needles)
    assert not any(needle in task.instruction for needle in needles)


def test_fewer_tasks_than_regions_are_spread_over_all_of_them() -> None:
    every = [(tier, pattern) for tier in ("easy", "hard") for pattern in "abc"]
    assert [tier for tier, _ in spread(every, 2)] == ["easy", "hard"]
    assert Counter(spread(every, 12)) == dict.fromkeys(every, 2)


def test_by_default_there_is_a_task_of_every_region() -> None:
    family = ErpBenchFamily()
    assert len(regions(family)) > GENERATED and default_count(family) == len(regions(family))
    assert default_count(ToyFamily()) == GENERATED
