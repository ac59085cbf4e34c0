"""Shelf assortment: a multiple knapsack with substitution, families and brands.

A shop chooses which products to list, on which shelf each stands and how wide.  A listed product earns; part of what a product
that is not listed would have earned goes to its substitutes.  With more coupling shelves carry limited weight and no brand may
crowd the range; with more formulation each family keeps a few products, some products stand beside a partner only, and a house
brand stays on one shelf.  With more dynamics there is a range of today: new products cost, only some may be new, others stay.
"""

from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.problems.shelf_assortment import brief
from opsgym.envs.or_agent_bench.problems.shelf_assortment.instance import Instance, Plan, draw
from opsgym.envs.or_agent_bench.problems.shelf_assortment.mutants import mutants
from opsgym.envs.or_agent_bench.problems.shelf_assortment.validator import validate

PROBLEM = Problem(
    name="shelf_assortment",
    title="Range and shelves",
    scenario="retail",
    structure="multiple knapsack with substitution and cardinality rules",
    sense="max",
    unit="cents a week",
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
