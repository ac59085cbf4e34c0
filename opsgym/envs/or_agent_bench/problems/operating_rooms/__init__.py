"""Operating rooms: surgeries into blocks when durations are uncertain.

A hospital assigns surgeries to blocks, each a room on a day, before it knows how long they will take.  Scenarios say how long
they
may take together; the expected overtime counts.  Surgeries may be postponed at a cost.  With more coupling equipment, surgeons
and
ward beds are shared between rooms; with more formulation there is cleaning between surgeries, a limit on the risk of long
overtime, and
infectious patients are kept apart.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.operating_rooms import brief
from opsgym.envs.or_agent_bench.problems.operating_rooms.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.operating_rooms.mutants import mutants
from opsgym.envs.or_agent_bench.problems.operating_rooms.validator import validate

PROBLEM = Problem(
    name="operating_rooms",
    title="Operating room blocks",
    scenario="healthcare",
    structure="two-stage stochastic assignment of surgeries to blocks",
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
