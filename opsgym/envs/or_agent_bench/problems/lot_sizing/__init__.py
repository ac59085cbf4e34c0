"""Filling line: lot sizing of several items on one machine.

A plant fills several items on one line.  Every lot of a day takes a setup that costs time and money; stock costs, late delivery
costs more, and overtime is limited.  With more coupling the items share a store and the number of changeovers a day is limited;
with
more formulation lots have a least size, come in whole batches, and stock may not outlive the demand of the next days.  In the
rolling
form rush orders come in while the first days are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.lot_sizing import brief, rolling
from opsgym.envs.or_agent_bench.problems.lot_sizing.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.lot_sizing.mutants import mutants
from opsgym.envs.or_agent_bench.problems.lot_sizing.validator import validate

PROBLEM = Problem(
    name="lot_sizing",
    title="Filling line lots",
    scenario="manufacturing",
    structure="multi-item capacitated lot sizing with setup times and backlog",
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
