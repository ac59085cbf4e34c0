"""What the exhaustive searches of solver tests demand of a solution."""

from __future__ import annotations

import pytest

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.plan import build_plan
from opsgym.envs.erp_bench.simulate import check_lineage, check_plan
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.spec import Problem, Style


def assert_is_optimal(problem: Problem, expected: tuple[int, int] | None, style: Style = "coverage") -> None:
    """The solver finds (primary, spend) as an exhaustive search did, or says that there is no plan."""
    if expected is None:
        with pytest.raises(TaskError, match=r"deadline coverage|total supply|margin|no plan exists"):
            solve(problem, style=style)
        return
    solution = solve(problem, style=style)
    assert (solution.values.primary(problem.objective), solution.values.spend) == expected
    assert solution.bound == expected[0]
    try:
        plan = build_plan(problem, solution)
    except TaskError as error:  # a surplus that nothing wants: only the margin or a booked plan can ask for one
        refusal = str(error)
    else:
        assert check_plan(problem, plan) == solution.values
        check_lineage(problem, plan)
        return
    assert "serve no open need" in refusal
    assert problem.margin_bps > 0 or problem.repair
