"""Bar cutting: cutting stock with several bar lengths.

A steel stockist saws bars into ordered pieces over a few days.  Bars of several lengths arrive over time and cost money; a long
offcut
goes back to stock for a credit, a short one is scrap.  The saw takes a slot with every cut, and in its width.  With more
coupling few
kinds of pieces fit into the sorting bins and new patterns cost a setup; with more formulation pieces ask for a grade of steel.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.cutting_stock import brief
from opsgym.envs.or_agent_bench.problems.cutting_stock.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.cutting_stock.mutants import mutants
from opsgym.envs.or_agent_bench.problems.cutting_stock.validator import validate

PROBLEM = Problem(
    name="cutting_stock",
    title="Bar cutting",
    scenario="manufacturing",
    structure="one-dimensional cutting stock with several bar lengths, usable offcuts and due days",
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
