"""Store depots: capacitated facility location with single sourcing and backups.

A chain chooses from which depots its stores are delivered.  A depot costs by the week when it is open; every store is served by
one depot, with as many van trips as its goods need.  With more coupling the number of open depots is limited and every region
keeps one; with more formulation some goods need a cold depot, priority stores name a backup, and some sites exclude each other.
With more dynamics there are depots in use, whose closing costs, of which only some may close, and to which some stores are tied.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.warehouse_location import brief
from opsgym.envs.or_agent_bench.problems.warehouse_location.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.warehouse_location.mutants import mutants
from opsgym.envs.or_agent_bench.problems.warehouse_location.validator import validate

PROBLEM = Problem(
    name="warehouse_location",
    title="Depots for the stores",
    scenario="retail",
    structure="capacitated facility location with single sourcing",
    sense="min",
    unit="cents a week",
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
