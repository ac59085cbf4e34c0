"""Paint lines: parallel machines with sequence-dependent setups.

A coating shop runs jobs on a few lines.  Changing the colour family between two jobs takes a setup whose length depends on both
families and on their order, and costs money; late jobs cost by the minute.  Jobs fit some lines only.  With more coupling the
lines share fixtures and one setup crew; with more formulation there are maintenance windows and jobs that must follow others.
In the rolling form jobs arrive and a line breaks down while earlier parts of the schedule are frozen.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.machine_setups import brief, rolling
from opsgym.envs.or_agent_bench.problems.machine_setups.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.machine_setups.mutants import mutants
from opsgym.envs.or_agent_bench.problems.machine_setups.validator import validate

PROBLEM = Problem(
    name="machine_setups",
    title="Paint line schedule",
    scenario="manufacturing",
    structure="unrelated parallel machines with sequence-dependent setups, weighted tardiness",
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
