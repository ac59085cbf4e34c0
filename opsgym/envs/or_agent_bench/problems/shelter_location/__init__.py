"""Flood shelters: facility location with scenarios.

A district prepares shelters before the season and says, for each flood scenario, to which of them the people of each zone go.  A
prepared shelter costs once; every scenario weighs with its days in a century.  With more coupling few shelters can be prepared
and those of one supply base share its rations; with more formulation some shelters are under water in a scenario, a zone goes to
few different shelters, and care homes need an accessible one.  With more dynamics there are shelters of last season: new ones
cost, only some may be new, and some must be kept.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.shelter_location import brief
from opsgym.envs.or_agent_bench.problems.shelter_location.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.shelter_location.mutants import mutants
from opsgym.envs.or_agent_bench.problems.shelter_location.validator import validate

PROBLEM = Problem(
    name="shelter_location",
    title="Shelters for the flood season",
    scenario="public",
    structure="capacitated facility location over scenarios",
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
