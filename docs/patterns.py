"""Pages about the patterns of ERPBench, a page each, written from an example task of every pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from opsgym.core.task import Task
from opsgym.data.fixed_sets import seeds, shipped, slots
from opsgym.envs.erp_bench.family import ErpBenchFamily, scenario_of
from opsgym.envs.erp_bench.params import PATTERNS, RELEASED_TIERS, region_of
from opsgym.envs.erp_bench.spec import Problem
from opsgym.evaluate.entry_points import entry_point_of
from opsgym.evaluate.generation import Slot, fill

ERP = ErpBenchFamily()

ROUTES = {
    (True, False): (
        "buy",
        "The finished product is bought. Vendors differ in price, lead time and lot size; each offer serves once.",
    ),
    (True, True): (
        "buy or make",
        "A unit can be bought or made. Making takes components, which have vendors of their own, and minutes of work centers.",
    ),
    (False, True): ("make", "Every new unit has to be made, from components that have vendors of their own."),
}
"""By whether the finished product may be bought and made: in a word, and in a sentence."""

MAKE_ONLY = {
    "policy_forbidden": "Vendors offer the finished product, but company policy forbids buying it.",
    "no_buy_route": "The finished product has no purchase route in the ERP.",
    "no_available_vendors": "No vendor offers the finished product.",
}

OBJECTIVES = {
    "constraint_only": ("any feasible plan", "Any plan that keeps every rule is as good as another."),
    "min_new_spend": ("least spend", "Among the plans that keep every rule, the one that spends least is wanted."),
    "vendor_consolidation": ("fewest vendors", "As few vendors as possible are to be used; spend decides between equals."),
    "capacity_preservation": (
        "least minutes",
        "As little work-center time as possible is to be used; spend decides between equals.",
    ),
    "repair_plan": (
        "least change",
        "The plan in the books is to be changed as little as possible; spend decides between equals.",
    ),
}

DISRUPTIONS = {
    "supplier_cancellation": (
        "cancelled purchase",
        "A plan is in the books already, and a vendor has cancelled a confirmed purchase.",
    ),
    "workcenter_outage": ("work center down", "A plan is in the books already, and a work center has broken down."),
}

SCREENING = {
    "budget": "orders beyond the customer's budget are rejected",
    "min_qty": "orders that are too small are rejected",
    "max_qty": "orders that are too large are rejected",
    "min_lead": "orders due too soon are rejected",
}


@cache
def example(pattern: str) -> Task:
    """A task of a pattern: the first of the fixed set, or one compiled from its seed."""
    assert ERP.fixed_set is not None
    pack = shipped(ERP, ERP.fixed_set.split)
    if pack is not None and (found := pack.where(pattern=pattern)):
        return pack[found[0]]
    fixed = dict(reversed(list(slots(ERP.fixed_set))))
    slot = Slot(seeds=fixed.get(pattern) or seeds(ERP.fixed_set.entropy, 0, None), pattern=pattern)
    return Task.from_json(fill(entry_point_of(ERP.id), slot))


def problem_of(pattern: str) -> Problem:
    """The planning problem of the example."""
    return scenario_of(example(pattern)).problem


# -- in a word ------------------------------------------------------------------------------------------------


def structure(problem: Problem) -> str:
    """The bills of materials, in a few words."""
    if not problem.boms:
        return ""
    subs = [bom for bom in problem.boms if bom.product not in problem.finished_codes]
    uses = Counter(line.component for bom in problem.boms for line in bom.lines)
    if not subs:
        return "one level" + (", shared components" if max(uses.values()) > 1 else "")
    made = {bom.product for bom in problem.boms}
    shared = any(count > 1 for code, count in uses.items() if code not in made)
    serial = any(line.component in made for bom in subs for line in bom.lines)
    kind = "serial " if serial else "parallel " if len(subs) > 1 else ""
    noun = "sub-assemblies" if len(subs) > 1 else "sub-assembly"
    return f"{len(subs)} {kind}{noun}{', shared component' if shared else ''}"


def screened(problem: Problem) -> list[str]:
    """Names of the acceptance rules in force."""
    rules = problem.screening.model_dump() if problem.screening else {}
    return [name for name in SCREENING if rules.get(name)]


def invoiced(problem: Problem) -> str:
    """The invoice policy, in a few words."""
    policy = problem.invoicing
    if policy is None:
        return ""
    down = f", {policy.downpayment_mode} down payment" if policy.downpayment_mode else ""
    return {"immediate": "immediate", "net_30": "30 days"}[policy.payment_term] + down


def taxonomy() -> Iterator[tuple[str, ...]]:
    """One row a pattern: name, tier, tasks in the fixed set, and what it is made of."""
    counts = ERP.fixed_set.counts if ERP.fixed_set else {}
    for name, pattern in PATTERNS.items():
        problem = problem_of(name)
        yield (
            f"[`{name}`](erp_patterns/{name}.md)",
            pattern.tier,
            str(counts.get(name, "")),
            ROUTES[problem.buying, problem.making][0],
            structure(problem),
            ", ".join(rule.replace("_", " ") for rule in screened(problem)),
            invoiced(problem),
            OBJECTIVES[problem.objective][0],
            DISRUPTIONS[problem.repair.kind][0] if problem.repair else "",
        )


HEADINGS = ("pattern", "tier", "tasks", "supply", "sub-assemblies", "screening", "invoicing", "objective", "disruption")


# -- a page -----------------------------------------------------------------------------------------------------


def story(problem: Problem) -> str:
    """What the planner is faced with, in sentences."""
    count = len(problem.finished)
    asked = "one finished product" if count == 1 else f"{count} finished products, one each"
    parts = [f"{len(problem.orders)} customers ask for {asked}, {sum(o.quantity for o in problem.orders)} units in all."]
    rules = screened(problem)
    if rules:
        seeded = sum(order.seeded is not None for order in problem.orders)
        parts.append(f"Not every order is taken: {'; '.join(SCREENING[rule] for rule in rules)}.")
        all_seeded = seeded == len(problem.orders)
        parts.append(
            "All stand in the ERP as drafts."
            if all_seeded
            else f"{seeded} stand in the ERP as drafts, the others only in the brief."
        )
    parts.append(ROUTES[problem.buying, problem.making][1])
    if count > 1 and problem.making:
        parts.append("The products share work centers and components, so that more of one is less of another.")
    if problem.bucket_days:
        parts.append(
            f"The minutes of work centers are divided over periods of {problem.bucket_days} days; an order takes all of its "
            "minutes from the period in which it starts."
        )
    if problem.make_only:
        parts.append(MAKE_ONLY[problem.make_only])
    if problem.repair:
        parts.append(DISRUPTIONS[problem.repair.kind][1])
    if problem.invoicing:
        parts.append(f"Accepted orders are invoiced ({invoiced(problem)}).")
    parts.append(OBJECTIVES[problem.objective][1])
    return " ".join(parts)


def tree(problem: Problem) -> str:
    """Bills of materials with their lead times and work centers, as an indented list; empty where nothing is made."""
    names = {product.code: product.name for product in problem.products}
    centers: dict[str, list[str]] = {}
    for row in problem.operations:
        centers.setdefault(row.product, []).append(row.center)

    def lines(code: str, quantity: int, depth: int) -> Iterator[str]:
        bom = problem.bom_by_product.get(code)
        offers = sum(offer.product == code for offer in problem.offers)
        facts = [f"{offers} offers"] if offers else []
        if bom:
            facts += [
                f"{bom.lead} days on one of {len(centers[code])} work centers" if len(centers[code]) > 1 else f"{bom.lead} days"
            ]
        if problem.stock.get(code):
            facts.append(f"{problem.stock[code]} in stock")
        yield f"{'  ' * depth}- {quantity} x {names[code]} ({', '.join(facts) or 'none to be had'})"
        for line in bom.lines if bom else ():
            yield from lines(line.component, line.quantity, depth + 1)

    return "\n".join(line for code in problem.finished_codes for line in lines(code, 1, 0))


def ranges(name: str) -> list[tuple[str, str, str, str]]:
    """Parameter, value or range, unit and meaning, of all that tier and pattern say."""
    region, own = region_of(name, "coverage"), PATTERNS[name].structure
    rows = []
    for row in ERP.params_type.describe():
        if row["name"] in region:
            bounds = region[row["name"]]
            shown = f"{bounds[0]} to {bounds[1]}" if isinstance(bounds, tuple) and bounds[0] != bounds[1] else bounds
            shown = shown[0] if isinstance(shown, tuple) else shown
            fixed = f"**{shown}**" if row["name"] in own else f"{shown}"
            rows.append((f"`{row['name']}`", fixed, row["unit"], row["description"]))
    return rows


def origin(name: str) -> str:
    """Where a pattern comes from."""
    item = PATTERNS[name]
    return f"{item.weight} tasks in the release" if item.tier in RELEASED_TIERS else "a pattern of our own"


def page(name: str) -> str:
    """The page of a pattern, in Markdown."""
    from tables import markdown

    task, problem = example(name), problem_of(name)
    plan = task.metadata["counts"]
    fence = "`" * 6
    return f"""# {name}

Tier `{PATTERNS[name].tier}`, {origin(name)}.

## Story

{story(problem)}

The figures here and below are those of the example.

## Planning structure

{tree(problem)}

The best plan of the example has {plan["purchases"]} purchase orders and {plan["productions"]} manufacturing orders.
It is booked with {len(task.oracle)} calls and judged by {len(task.checks)} checks.

## Parameters

Ranges from which the parameters are drawn; bold where the pattern itself sets them.

{markdown(("parameter", "range", "unit", "what it is"), ranges(name))}

## Example brief

Task `{task.id}`, seed {task.seed}.

{fence}text
{task.instruction}
{fence}
"""


def write_pages(folder: Path) -> None:
    """Write all pages that changed, and remove those of patterns that are no more."""
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in PATTERNS:
            path.unlink()
    for name in PATTERNS:
        path, text = folder / f"{name}.md", page(name)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
