"""Compiler: (parameters, seed) to a :class:`~opsgym.core.task.Task`, byte-identical in every process."""

from __future__ import annotations

from opsgym.core.task import Certificate, Task
from opsgym.envs.ace_bench.brief import write_brief
from opsgym.envs.ace_bench.oracle import oracle_calls
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.sampler import VERSION, sample
from opsgym.envs.ace_bench.spec import Instance, Solved
from opsgym.envs.ace_bench.tools import toolbox
from opsgym.envs.ace_bench.verifier import build_checks

FAMILY = "ACEBench-v0"
"""Environment id."""


def compile_params(params: AceParams, seed: int, *, tier: str = "custom") -> Task:
    """The task of ``(params, seed)``.

    Args:
        params: Difficulty parameters.
        seed: Seed of the instance.
        tier: Name of the region from which the parameters came.

    Raises:
        TaskError: No instance was found in a bounded number of draws.
    """
    return compile_solved(
        sample(params, seed), seed=seed, tier=tier, pattern=params.preset, params=params.model_dump(mode="json")
    )


def compile_solved(
    solved: Solved, *, seed: int, tier: str, pattern: str, params: dict[str, object], version: str = VERSION
) -> Task:
    """A task from any solved instance, also a released one.

    Args:
        solved: The instance with its one completion.
        seed: Seed of the task.
        tier: Difficulty region, or ``custom``.
        pattern: Preset, or ``release``.
        params: Parameters as given.
        version: Version of the compiler.
    """
    instance = solved.instance
    states = float(solved.metadata.get("solver_states", 0))
    return Task(
        family=FAMILY,
        version=version,
        seed=seed,
        tier=tier,
        pattern=pattern,
        params=params,
        instruction=write_brief(instance),
        tools=tuple(toolbox(instance.domain)),
        world=instance.model_dump(mode="json"),
        oracle=oracle_calls(instance, solved.truth),
        checks=build_checks(instance, solved.truth),
        certificate=Certificate(
            status="feasible", objective="unique_completion", value=1.0, bound=1.0, statistics={"solver_states": states}
        ),
        metadata=dict(solved.metadata),
    )


def instance_of(task: Task) -> Instance:
    """The instance that a task plays."""
    return Instance.model_validate(task.world)


def truth_of(task: Task) -> tuple[int, ...]:
    """Candidate position of every slot in the one completion, read from the oracle: for programmers only."""
    instance = instance_of(task)
    slots = {slot.cell: slot for slot in instance.slots}
    held = []
    for call in task.oracle[: len(instance.slots)]:
        slot = slots[call.arguments["row"] * instance.cols + call.arguments["col"]]
        held.append(slot.candidates.index(instance.item_index[call.arguments["id"]]))
    return tuple(held)
