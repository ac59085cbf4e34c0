"""Compiler: from difficulty parameters, or from a given scenario and plan, to a task.

An attempt draws a scenario, solves it to proven optimality, turns the solution into documents and simulates those
independently.  What fails in that is drawn again, from a stream of its own, a bounded number of times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate, JsonDict, Task
from opsgym.envs.erp_bench.brief import brief, policy_documents
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.heuristics import heuristic_scores
from opsgym.envs.erp_bench.oracle import oracle_calls
from opsgym.envs.erp_bench.params import ERPParams, check_structure, labels
from opsgym.envs.erp_bench.plan import build_plan
from opsgym.envs.erp_bench.sampler import sample
from opsgym.envs.erp_bench.simulate import check_lineage, check_plan
from opsgym.envs.erp_bench.solver import is_beaten, solve
from opsgym.envs.erp_bench.spec import Plan, Scenario
from opsgym.envs.erp_bench.tools import toolbox
from opsgym.envs.erp_bench.verifier import build_checks

ATTEMPTS = 150
"""Draws until parameters count as infeasible."""
SOLVES = 60
"""Draws that may pass the arithmetic and then fail in the solver or after it."""
DETERMINISTIC_SECONDS = 5.0
MUST_MATTER = ("vendor_consolidation", "capacity_preservation")
"""Objectives for which the plan of least spend must fall short (as in the release)."""


def compile_params(params: ERPParams, seed: int) -> Task:
    """The task of (version, params, seed): byte-identical in any process.

    Args:
        params: Difficulty parameters.
        seed: Non-negative.

    Raises:
        TaskError: No draw gave a solvable scenario; says what was tried and which constraints conflicted.
    """
    if seed < 0:
        raise TaskError(f"expected a non-negative integer, got {seed}", field="seed")
    check_structure(params)
    scenario, plan, certificate, facts = _draw(params, seed)
    tier, pattern = labels(params)
    values = params.model_dump(mode="json")
    task = compile_scenario(scenario, plan, certificate, seed=seed, tier=tier, pattern=pattern, params=values, metadata=facts)
    accept(task)
    return task


def _draw(params: ERPParams, seed: int) -> tuple[Scenario, Plan, Certificate, JsonDict]:
    """The first draw that can be certified and that no heuristic solves, and what it took to find it.

    After ``greedy_redraws`` draws that a heuristic solves, the next one is taken as it is.
    """
    failures: Counter[str] = Counter()
    examples: dict[str, str] = {}
    solves = discarded = 0
    for attempt in range(ATTEMPTS):
        scenario = None
        try:
            scenario = sample(params, np.random.default_rng([seed, 2, attempt]))
            plan, certificate = certify(scenario)
        except TaskError as error:
            cause = error.field or "problem"
            failures[cause] += 1
            examples.setdefault(cause, str(error))
            solves += scenario is not None
            if solves == SOLVES:
                break
            continue
        scores = heuristic_scores(scenario.problem, certificate, scenario.style)
        if discarded < params.greedy_redraws and max(scores.values()) == 1:
            discarded += 1
            continue
        return scenario, plan, certificate, {"attempts": attempt + 1, "discarded": discarded, "heuristics": scores}
    causes = "; ".join(f"{count} x {examples[cause]}" for cause, count in failures.most_common())
    raise TaskError(f"no solvable task in {sum(failures.values())} draws of seed {seed}: {causes}", field="params")


def certify(scenario: Scenario) -> tuple[Plan, Certificate]:
    """A proven optimal plan that passed an independent simulation, and its certificate.

    Raises:
        TaskError: There is no plan, none was proven optimal in time, it cannot be linked, it is empty, or the plan of
            least spend reaches the objective too, so that the objective does not matter.
    """
    problem = scenario.problem
    limits: Any = {"style": scenario.style, "deterministic_seconds": DETERMINISTIC_SECONDS}
    solution = solve(problem, **limits)
    plan = build_plan(problem, solution)
    values = check_plan(problem, plan)
    check_lineage(problem, plan)
    if values != solution.values:
        raise TaskError(f"the solver measures {solution.values}, the simulation {values}", field="plan")
    if scenario.style == "coverage" and not plan.purchases:
        raise TaskError("the best plan buys nothing", field="plan.purchases")
    if problem.objective in MUST_MATTER and not is_beaten(problem, values.spend, **limits):
        raise TaskError("a plan of least spend reaches the objective too", field="problem.objective")
    return plan, solution.certificate()


def accept(task: Task) -> None:
    """Replay a task through the tools: the reference solution earns everything, doing nothing earns nothing.

    Raises:
        TaskError: It is not so, which is a fault of OpsGym and not of the parameters.
    """
    family = ErpBenchFamily()
    before = family.open(task)
    after = before.fork()
    try:
        idle = family.verify(before, after, task).reward
        session, tools = family.session(after, task), family.toolbox(family.harnesses[0], task)
        for call in task.oracle:
            tool = tools.find(call.name)
            tool.function(session, **tool.validate(call.arguments))
        verdict = family.verify(before, after, task)
    finally:
        before.close()
        after.close()
    if idle != 0 or verdict.reward != 1 or verdict.canary:
        failed = [check.message for check in verdict.checks if check.status == "fail"]
        raise TaskError(f"doing nothing earns {idle}, the reference solution {verdict.reward}: {'; '.join(failed) or 'canary'}")


def compile_scenario(
    scenario: Scenario,
    plan: Plan,
    certificate: Certificate,
    *,
    seed: int,
    tier: str,
    pattern: str,
    params: Mapping[str, Any],
    instruction: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Task:
    """Make the task of a solved scenario.

    Args:
        scenario: The specification; its rules become its documents where it has none.
        plan: A plan that attains the certificate.
        certificate: What was proven.
        seed: Part of the task's identity.
        tier: Name of the difficulty region.
        pattern: Name of the structural pattern.
        params: Difficulty parameters as JSON; empty for imported tasks.
        instruction: The brief; made from the scenario under full disclosure by default.
        metadata: Facts to add to the measured ones.

    Raises:
        TaskError: The plan cannot be booked in the scenario's ERP.
    """
    if not scenario.documents:
        scenario = scenario.model_copy(update={"documents": policy_documents(scenario)})
    return Task(
        family=ErpBenchFamily.id,
        version=ErpBenchFamily.version,
        seed=seed,
        tier=tier,
        pattern=pattern,
        params=dict(params),
        instruction=brief(scenario) if instruction is None else instruction,
        tools=tuple(toolbox(ErpBenchFamily.harnesses[0])),
        world=scenario.model_dump(mode="json"),
        oracle=tuple(oracle_calls(scenario, plan)),
        checks=build_checks(scenario),
        certificate=certificate,
        metadata=_measured(scenario, plan, certificate, metadata or {}),
    )


def _measured(scenario: Scenario, plan: Plan, certificate: Certificate, known: Mapping[str, Any]) -> JsonDict:
    """Heuristic scores and counts, besides what is known already."""
    problem, decoys = scenario.problem, scenario.decoys
    scores = {} if "heuristics" in known else {"heuristics": heuristic_scores(problem, certificate, scenario.style)}
    return {
        "domain": scenario.domain,
        **scores,
        "counts": {
            "orders": len(problem.orders),
            "accepted": len(problem.accepted),
            "offers": len(problem.offers),
            "components": len(problem.products) - len(problem.finished),
            "work_centers": len(problem.centers),
            "decoys": sum(
                len(rows)
                for rows in (decoys.customers, decoys.vendors, decoys.products, decoys.offers, decoys.centers, decoys.orders)
            ),
            "purchases": len(plan.purchases),
            "productions": len(plan.productions),
        },
        **known,
    }
