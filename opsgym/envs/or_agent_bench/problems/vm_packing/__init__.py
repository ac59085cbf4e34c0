"""Virtual machines on hosts: vector bin packing.

A platform team places virtual machines on hosts or leaves them in the public cloud.  Hosts cost when they are in use; cores and
memory are limited, in several parts of the day.  With more coupling replicas of a service keep apart and racks have a power
budget;
with more formulation machines go together, licences are paid by the host, and a burst must fit.  In the rolling form machines
come and
go; those with state stay where they are, and migrations cost.
"""

from opsgym.envs.or_agent_bench.contract import Problem, Rolling
from opsgym.envs.or_agent_bench.problems.vm_packing import brief, rolling
from opsgym.envs.or_agent_bench.problems.vm_packing.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.vm_packing.mutants import mutants
from opsgym.envs.or_agent_bench.problems.vm_packing.validator import validate

PROBLEM = Problem(
    name="vm_packing",
    title="Virtual machines on hosts",
    scenario="software",
    structure="vector bin packing with anti-affinity, licences and migrations",
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
