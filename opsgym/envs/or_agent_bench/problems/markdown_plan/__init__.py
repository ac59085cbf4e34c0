"""Markdowns: price ladders of seasonal goods over weeks.

A shop sells what is left of a season.  In every week each article stands on a step of its price ladder; fewer customers buy at
a higher price, the stock is what it is, and what is left at the end goes to an outlet.  Prices never rise again.  With more
coupling few labels can be changed in a week and a family keeps together; with more formulation steps are small, pauses lie
between markdowns, and some articles keep a floor.  With more dynamics there are more weeks, goods that arrive late, limits on
what is left, and prices that are already printed.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.markdown_plan import brief
from opsgym.envs.or_agent_bench.problems.markdown_plan.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.markdown_plan.mutants import mutants
from opsgym.envs.or_agent_bench.problems.markdown_plan.validator import validate

PROBLEM = Problem(
    name="markdown_plan",
    title="Prices of the end of season",
    scenario="retail",
    structure="multi-period markdown pricing with stock",
    sense="max",
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
