"""Reservoirs: two-stage releases of water under uncertain inflow.

A water board decides how much water each reservoir lets through its turbines and over its gate, week by week, for several
inflow scenarios.  In the first weeks nobody knows the scenario yet, so the releases are the same in all of them.  Turbined water
earns by the week's price.  With more coupling there are reservoirs in a row, of which one feeds the next, and a river that must
not flood; with more formulation turbines run not at all or above a minimum, change slowly, and stand still for service.  With
more dynamics there are more weeks and scenarios, a level to reach at the end, and water promised to farms.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.reservoir_release import brief
from opsgym.envs.or_agent_bench.problems.reservoir_release.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.reservoir_release.mutants import mutants
from opsgym.envs.or_agent_bench.problems.reservoir_release.validator import validate

PROBLEM = Problem(
    name="reservoir_release",
    title="Water of the coming weeks",
    scenario="environment",
    structure="two-stage stochastic reservoir operation",
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
