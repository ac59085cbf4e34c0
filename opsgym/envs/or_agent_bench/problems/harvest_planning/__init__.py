"""Beet harvest: which field is harvested when, and which mill takes the crop.

A growers' union harvests fields over some days with a few harvesters and delivers to mills with daily quotas.  A field gains
and then
loses value with its day of harvest; mills pay different prices and are at different distances.  With more coupling harvesters
work for
whole days in one district and trucks are few; with more formulation a mill opens only for a least amount and neighbouring
fields must
not be harvested on the same day.  In the rolling form rain closes fields while the days before are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.harvest_planning import brief, rolling
from opsgym.envs.or_agent_bench.problems.harvest_planning.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.harvest_planning.mutants import mutants
from opsgym.envs.or_agent_bench.problems.harvest_planning.validator import validate

PROBLEM = Problem(
    name="harvest_planning",
    title="Beet harvest",
    scenario="environment",
    structure="multi-period harvest and delivery planning with ripening and fields open or closed",
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
    rolling=Rolling(rolling.EPOCHS, rolling.view, rolling.notice),
)
