"""Compiler: (parameters, seed) to a :class:`~opsgym.core.task.Task`, byte-identical in every process."""

from __future__ import annotations

from opsgym.core.task import Certificate, Task
from opsgym.envs.or_agent_bench.documents import instruction
from opsgym.envs.or_agent_bench.params import OrParams
from opsgym.envs.or_agent_bench.programs import Method, calls
from opsgym.envs.or_agent_bench.sampler import VERSION, Drawn, pack, sample, seen, total
from opsgym.envs.or_agent_bench.scoring import CLOSE
from opsgym.envs.or_agent_bench.tools import toolbox
from opsgym.envs.or_agent_bench.verifier import build_checks

FAMILY = "ORAgentBench-v0"
"""Environment id."""


def compile_params(params: OrParams, seed: int, *, tier: str = "custom") -> Task:
    """The task of ``(params, seed)``.

    Raises:
        TaskError: No draw made a good task.
    """
    return compile_drawn(sample(params, seed), params, seed, tier=tier)


def compile_drawn(drawn: Drawn, params: OrParams, seed: int, *, tier: str = "custom") -> Task:
    """The task of what was drawn for ``(params, seed)``."""
    problem, stages = drawn.problem, drawn.stages
    epochs = len(stages)
    value = total([stage.objective for stage in stages], [stage.charge for stage in stages])
    bound = value if drawn.bound is None else drawn.bound
    is_optimal = drawn.bound is not None and abs(value - bound) <= CLOSE * max(1.0, abs(value))
    rules = {rule: None for epoch in range(epochs) for rule in problem.rules(seen(problem, drawn.instance, epoch, epochs))}
    return Task(
        family=FAMILY,
        version=VERSION,
        seed=seed,
        tier=tier,
        pattern=problem.name,
        params=params.model_dump(mode="json"),
        instruction=instruction(problem, seconds=params.solve_seconds, epochs=epochs),
        tools=tuple(toolbox(epochs > 1)),
        world={
            "problem": problem.name,
            "instance": pack(drawn.instance),
            "files": [dict(stage.files) for stage in stages],
            "gates": [stage.objective for stage in stages],
            "gap": params.tolerance,
            "has_bound": drawn.bound is not None,
            "solve_seconds": params.solve_seconds,
        },
        oracle=calls(problem, Method(), epochs=epochs),
        checks=build_checks(rules),
        certificate=Certificate(
            status="optimal" if is_optimal else "feasible",
            objective=f"{problem.sense}_{problem.unit}",
            value=value,
            bound=bound,
            statistics={"attempts": float(drawn.attempt + 1)},
        ),
        metadata={"blind": drawn.blind, "epochs": epochs, "scenario": problem.scenario},
    )
