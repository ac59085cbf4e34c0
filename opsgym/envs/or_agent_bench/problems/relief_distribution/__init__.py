"""Relief distribution: which depot sends what to which camp on which day.

A relief agency supplies camps from depots over some days.  Goods arrive over time, trucks are few, roads may be blocked, and
people who
wait cost points for every day.  With more coupling camps can store only so much and medicine needs cold room on the trucks;
with more
formulation goods travel in whole pallets, long queues weigh double, and a convoy must be worth its way.  In the rolling form
needs grow
and roads are blocked while the days before are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.relief_distribution import brief, rolling
from opsgym.envs.or_agent_bench.problems.relief_distribution.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.relief_distribution.mutants import mutants
from opsgym.envs.or_agent_bench.problems.relief_distribution.validator import validate

PROBLEM = Problem(
    name="relief_distribution",
    title="Relief distribution",
    scenario="public",
    structure="multi-period multi-commodity distribution with deprivation costs",
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
