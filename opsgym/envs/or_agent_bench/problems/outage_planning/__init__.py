"""Plant outages: maintenance windows under a reserve margin.

A generating company gives every plant its yearly outage.  An outage lasts some weeks, lies in the plant's window, and costs what
the lost energy is worth in those weeks; what is left running must meet demand with a reserve.  With more coupling crews are few
and regions keep plants running; with more formulation outages follow each other, exclude each other and share a crane.  With more
dynamics starts have been announced: moving one costs, few may move, and some are fixed.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.outage_planning import brief
from opsgym.envs.or_agent_bench.problems.outage_planning.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.outage_planning.mutants import mutants
from opsgym.envs.or_agent_bench.problems.outage_planning.validator import validate

PROBLEM = Problem(
    name="outage_planning",
    title="Outages of the plants",
    scenario="energy",
    structure="generator maintenance scheduling",
    sense="min",
    unit="cents",
    instance=Instance,
    plan=Plan,
    draw=draw,
    story=brief.story,
    objective=brief.objective,
    rules=brief.rules,
    files=brief.files,
    dictionary=brief.DICTIONARY,
    validate=validate,
    mutants=mutants,
)
