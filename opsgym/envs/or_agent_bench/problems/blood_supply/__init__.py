"""Blood supply: which bags go to which hospital, by group and age.

A blood bank sends bags to hospitals over some days.  Bags outdate, groups substitute for one another in one direction, and what
is
missing is flown in at a price.  With more coupling the courier carries only so much and hospitals share rare bags fairly; with
more
formulation some patients need fresh bags, substitution costs, and boxes are paid by the piece.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.blood_supply import brief
from opsgym.envs.or_agent_bench.problems.blood_supply.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.blood_supply.mutants import mutants
from opsgym.envs.or_agent_bench.problems.blood_supply.validator import validate

PROBLEM = Problem(
    name="blood_supply",
    title="Blood supply",
    scenario="healthcare",
    structure="perishable inventory distribution with ages and substitution",
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
