"""Backbone design: where to lay fibre, and how demands are routed so that a cut does not stop them.

An operator chooses links and line cards between its sites and routes each demand on one path; protected demands have a second
path that
shares no link.  Demands grow over the years and capacity may be added later.  What is not routed is leased.  With more coupling
paths
must not share a duct and sites have few ports; with more formulation paths have few hops, are short, and share no site.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.backbone_design import brief
from opsgym.envs.or_agent_bench.problems.backbone_design.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.backbone_design.mutants import mutants
from opsgym.envs.or_agent_bench.problems.backbone_design.validator import validate

PROBLEM = Problem(
    name="backbone_design",
    title="Backbone design",
    scenario="software",
    structure="survivable network design with unsplit routing over several years",
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
