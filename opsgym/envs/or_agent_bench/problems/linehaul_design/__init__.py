"""Night linehaul: trucks between terminals, and the freight that rides on them.

A parcel network runs trucks between its terminals at night.  Each freight goes as a whole from terminal to terminal, a leg a
night, and
must arrive in time, or goes by courier.  Trucks cost by the leg, whatever they carry.  With more coupling terminals handle only
so
many pallets and have few docks; with more formulation trucks must balance and dangerous freight avoids some terminals.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.linehaul_design import brief
from opsgym.envs.or_agent_bench.problems.linehaul_design.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.linehaul_design.mutants import mutants
from opsgym.envs.or_agent_bench.problems.linehaul_design.validator import validate

PROBLEM = Problem(
    name="linehaul_design",
    title="Night linehaul",
    scenario="transportation",
    structure="time-expanded service network design with unsplit freight",
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
