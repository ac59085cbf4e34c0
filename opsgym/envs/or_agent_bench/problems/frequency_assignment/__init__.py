"""Radio channels: frequency assignment with separation, interference and retuning.

A rural radio operator gives channels of its band to transmitter sites.  Channels of one site lie apart, so do those of sites
that hear each other; where sites hear each other faintly, a shared channel is allowed and costs.  Every channel that is used
anywhere costs a licence.  With more coupling sites share masts and the number of licences is limited; with more formulation
there are channels blocked at the border, repeaters that follow a donor, and sites that stay within one half of the band.  With
more dynamics there is a plan in use from which changes cost, which limits how many sites are retuned, and which keeps some
sites as they are.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.frequency_assignment import brief
from opsgym.envs.or_agent_bench.problems.frequency_assignment.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.frequency_assignment.mutants import mutants
from opsgym.envs.or_agent_bench.problems.frequency_assignment.validator import validate

PROBLEM = Problem(
    name="frequency_assignment",
    title="Radio channel plan",
    scenario="software",
    structure="frequency assignment: list T-colouring with soft interference and licence costs",
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
