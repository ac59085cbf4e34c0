"""Crop rotation: assignment of crops to fields over seasons.

A farm says what grows on each field in each season.  Crops earn by the area, fit some soils only, and a family never follows
itself on a field.  With more coupling the farm's water and hands are shared by all fields; with more formulation contracts ask
for some area of a crop, every field rests once, and neighbours grow different crops.  With more dynamics there are more seasons,
what follows a nitrogen-fixing crop earns more, and some crops need years between.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.crop_rotation import brief
from opsgym.envs.or_agent_bench.problems.crop_rotation.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.crop_rotation.mutants import mutants
from opsgym.envs.or_agent_bench.problems.crop_rotation.validator import validate

PROBLEM = Problem(
    name="crop_rotation",
    title="Crops of the coming seasons",
    scenario="environment",
    structure="multi-period assignment with sequence rules and shared resources",
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
