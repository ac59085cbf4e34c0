"""Bus blocks: which bus drives which trips, from depot to depot.

A bus company of several depots puts the trips of its timetable into blocks, each driven by one bus in a day.  Between two trips a
bus turns, and drives empty if the next one starts elsewhere; buses cost by the block, empty driving and standing by the minute.
With more formulation batteries limit the range, low-floor trips bind depots, blocks get a longest time and few line changes; with
more coupling chargers are few and gates let few buses out in an hour.  With more dynamics pairs of trips are linked today:
breaking one costs, few may be broken, and some are fixed.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.bus_blocks import brief
from opsgym.envs.or_agent_bench.problems.bus_blocks.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.bus_blocks.mutants import mutants
from opsgym.envs.or_agent_bench.problems.bus_blocks.validator import validate

PROBLEM = Problem(
    name="bus_blocks",
    title="Blocks of the buses",
    scenario="transportation",
    structure="multi-depot vehicle scheduling with range limits",
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
