"""Microgrid with battery: what to buy the day before, and what to do when the sun is known.

A site buys energy for each hour a day ahead and decides when its generator stands by, before it knows which of several
scenarios of sun
comes true.  Then it charges and discharges its battery, runs the generator, and buys at short notice.  With more coupling the
greatest
purchase costs a fee, the battery keeps a reserve and fuel is limited; with more formulation the battery does not charge and
discharge
at once, the generator has a least output, and its starts cost.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.microgrid_battery import brief
from opsgym.envs.or_agent_bench.problems.microgrid_battery.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.microgrid_battery.mutants import mutants
from opsgym.envs.or_agent_bench.problems.microgrid_battery.validator import validate

PROBLEM = Problem(
    name="microgrid_battery",
    title="Microgrid with battery",
    scenario="energy",
    structure="two-stage stochastic storage dispatch with day-ahead purchases",
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
