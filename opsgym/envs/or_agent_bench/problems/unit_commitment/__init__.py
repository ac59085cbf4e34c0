"""Plant commitment: which power plants run in which hours, and how high.

An island utility commits its plants over a day against demand and wind.  Starts cost, plants have a least output, and once
started or
stopped stay so for some hours.  With more coupling there is spinning reserve, an emission budget and a shared gas pipe; with more
formulation costs rise in blocks and one plant must avoid a range of output.  In the rolling form forecasts are revised while the
hours before are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.unit_commitment import brief, rolling
from opsgym.envs.or_agent_bench.problems.unit_commitment.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.unit_commitment.mutants import mutants
from opsgym.envs.or_agent_bench.problems.unit_commitment.validator import validate

PROBLEM = Problem(
    name="unit_commitment",
    title="Plant commitment",
    scenario="energy",
    structure="unit commitment with minimum up and down times, ramps and reserve",
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
