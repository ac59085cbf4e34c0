"""Collection tours: vehicle routing with time windows, a mixed fleet and a carrier.

A recycler collects used goods from shops within their opening windows and brings them to its depot.  Vehicles differ in capacity,
cost and shift; what they do not take is handed to a carrier at a price.  With more coupling some orders need a tail lift and
tours
leave over one ramp; with more formulation some goods may not share a tour and long tours cost overtime.  In the rolling form
orders
arrive during the day while vehicles are under way, and a relief vehicle joins.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.vehicle_routing import brief, rolling
from opsgym.envs.or_agent_bench.problems.vehicle_routing.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.vehicle_routing.mutants import mutants
from opsgym.envs.or_agent_bench.problems.vehicle_routing.validator import validate

PROBLEM = Problem(
    name="vehicle_routing",
    title="Collection tours",
    scenario="transportation",
    structure="heterogeneous capacitated vehicle routing with time windows and outsourcing",
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
    rolling=Rolling(rolling.EPOCHS, rolling.view, rolling.notice),
)
