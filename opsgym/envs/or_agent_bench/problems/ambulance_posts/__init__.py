"""Ambulance posts: maximal coverage with backups over the shifts of a day.

A county places its ambulances at posts, shift by shift.  A zone is covered when an ambulance stands within the response time, and
better covered when a second one does.  With more coupling districts keep a reserve and posts share crews' quarters; with more
formulation some zones must be covered, only a few ambulances change place from shift to shift, and some posts stand empty at
night.  With more dynamics there is a plan in force: changes cost, are limited, and some posts keep their ambulances.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.ambulance_posts import brief
from opsgym.envs.or_agent_bench.problems.ambulance_posts.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.ambulance_posts.mutants import mutants
from opsgym.envs.or_agent_bench.problems.ambulance_posts.validator import validate

PROBLEM = Problem(
    name="ambulance_posts",
    title="Ambulances at their posts",
    scenario="public",
    structure="maximal covering location with backup coverage and relocation",
    sense="max",
    unit="points a day",
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
