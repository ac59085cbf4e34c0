"""Ward roster: nurses on early, late and night shifts.

A ward needs a number of nurses on every shift, some of them with a certificate.  Nurses have contracts, days off that they were
granted and wishes.  Gaps in the cover, overtime and wishes not met cost.  With more coupling the night shifts need a certificate
and seniority must be spread; with more formulation there are limits on runs of working days and on weekends.  In the rolling form
nurses fall ill from one day to the next, and the days before are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.nurse_rostering import brief, rolling
from opsgym.envs.or_agent_bench.problems.nurse_rostering.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.nurse_rostering.mutants import mutants
from opsgym.envs.or_agent_bench.problems.nurse_rostering.validator import validate

PROBLEM = Problem(
    name="nurse_rostering",
    title="Ward roster",
    scenario="healthcare",
    structure="nurse rostering with soft cover, contracts and succession rules",
    sense="min",
    unit="points",
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
