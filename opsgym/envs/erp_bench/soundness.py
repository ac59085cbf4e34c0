"""Soundness: what a task must hold before a world or a verdict is made of it.

A task may come from a file that a stranger wrote.  Whatever is wrong with its world or its checks is said here, when
the episode starts and with the name of the field, and not by an error in the middle of an episode.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.task import CheckSpec, JsonDict, canonical_json
from opsgym.envs.erp_bench.rules import RULES
from opsgym.envs.erp_bench.spec import Problem, Scenario

MOST = 10**12
"""Greatest size of any number: a float holds it exactly."""
MOST_DAYS = 36_500
"""Greatest distance of any day from today."""

_TYPES = {"str": str, "int": int, "bool": bool}


def read_scenario(world: JsonDict) -> Scenario:
    """The scenario in a task's ``world``.

    Raises:
        TaskError: It is no scenario, or refers to what it does not define; names the field.
    """
    for place, number in _numbers(world, "world"):
        if not abs(number) <= MOST:
            raise TaskError(f"expected a number of at most {MOST} in size, got {number!r}", field=place)
    try:
        scenario = Scenario.model_validate_json(canonical_json(world))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise TaskError(first["msg"], field=".".join(map(str, ("world", *first["loc"])))) from error
    except ValueError as error:  # text that is no Unicode
        raise TaskError(f"expected plain JSON ({error})", field="world") from error
    _check_days(scenario)
    _check_references(scenario)
    return scenario


def _numbers(value: Any, place: str) -> Iterator[tuple[str, int | float]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _numbers(item, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _numbers(item, f"{place}.{number}")
    elif isinstance(value, int | float):
        yield place, value


def _check_days(scenario: Scenario) -> None:
    problem, decoys = scenario.problem, scenario.decoys
    repair = problem.repair
    days: dict[str, Iterable[int | None]] = {
        "problem.orders": (order.due for order in problem.orders),
        "problem.offers": (day for offer in problem.offers for day in (offer.lead, offer.valid_from, offer.valid_to)),
        "problem.boms": (bom.lead for bom in problem.boms),
        "problem.repair.purchases": (seed.arrival for seed in repair.purchases) if repair else (),
        "problem.repair.productions": (day for s in repair.productions for day in (s.start, s.due)) if repair else (),
        "decoys.orders": (order.due for order in decoys.orders),
        "decoys.offers": (day for offer in decoys.offers for day in (offer.lead, offer.valid_from, offer.valid_to)),
        "decoys.boms": (bom.lead for bom in decoys.boms),
    }
    for place, values in days.items():
        far = [day for day in values if day is not None and abs(day) > MOST_DAYS]
        if far:
            raise TaskError(f"expected days within {MOST_DAYS} of today, got {far[0]}", field=f"world.{place}")
    if not 1900 <= scenario.today.year <= 9000:
        raise TaskError(f"expected a year from 1900 to 9000, got {scenario.today}", field="world.today")


def _check_references(scenario: Scenario) -> None:
    problem, decoys = scenario.problem, scenario.decoys
    products, recipes = set(problem.product_by_code), set(problem.bom_by_product)
    _known("problem.product", [problem.product], products)
    _known("problem.orders", (order.product for order in problem.orders if order.product), products)
    _known("problem.orders", (order.customer for order in problem.orders), {partner.ref for partner in problem.customers})
    _known("problem.offers", (offer.vendor for offer in problem.offers), {partner.ref for partner in problem.vendors})
    _known("problem.offers", (offer.product for offer in problem.offers), products)
    _known("problem.boms", recipes, products)
    _known("problem.boms", (line.component for bom in problem.boms for line in bom.lines), products)
    _known("problem.operations", (way.product for way in problem.operations), recipes)
    _known("problem.operations", (way.center for way in problem.operations), {center.code for center in problem.centers})
    _unique("problem.orders", [order.ref for order in problem.orders])
    _unique("problem.offers", [offer.key for offer in problem.offers])
    if len(decoys.orders) != len(decoys.order_products):
        message = f"expected one for each of {len(decoys.orders)} orders, got {len(decoys.order_products)}"
        raise TaskError(message, field="world.decoys.order_products")
    if any(line.quantity < 1 for bom in problem.boms for line in bom.lines):
        raise TaskError("expected at least one of each component", field="world.problem.boms")
    _check_acyclic(problem)
    inputs = {line.component for bom in problem.boms for line in bom.lines}
    if used := [code for code in problem.finished_codes if code in inputs]:
        raise TaskError(f"expected finished products that go into nothing else, got {used[0]!r}", field="world.problem.boms")
    _check_buckets(problem)


def _check_buckets(problem: Problem) -> None:
    """Dated capacity adds up, and has periods to be dated by."""
    if problem.bucket_days is not None and not 1 <= problem.bucket_days <= MOST_DAYS:
        raise TaskError(f"expected 1 to {MOST_DAYS} days, got {problem.bucket_days}", field="world.problem.bucket_days")
    for center in problem.centers:
        if not center.buckets:
            continue
        if problem.bucket_days is None:
            raise TaskError(f"{center.code} has dated capacity, but no period is given", field="world.problem.bucket_days")
        if min(center.buckets) < 0 or sum(center.buckets) != center.capacity:
            message = f"expected buckets of {center.code} that add up to {center.capacity}, got {list(center.buckets)}"
            raise TaskError(message, field="world.problem.centers")


def _known(place: str, names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise TaskError(f"refers to {unknown[0]!r}, which the problem does not define", field=f"world.{place}")


def _unique(place: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise TaskError("expected keys that are different from one another", field=f"world.{place}")


def _check_acyclic(problem: Problem) -> None:
    """Every made product can be made from what is made before it."""
    inputs = {bom.product: {line.component for line in bom.lines} for bom in problem.boms}
    while ready := [product for product, needed in inputs.items() if not needed & inputs.keys()]:
        for product in ready:
            del inputs[product]
    if inputs:
        raise TaskError(f"{', '.join(sorted(inputs))} take part in their own making", field="world.problem.boms")


def check_rules(checks: Iterable[CheckSpec]) -> None:
    """Refuse checks that name no rule, or not the arguments that their rule takes.

    Raises:
        TaskError: Names the check.
    """
    for number, check in enumerate(checks):
        place = f"checks.{number}"
        if check.rule not in RULES:
            raise TaskError(f"unknown rule {check.rule!r}; a newer OpsGym may have it", field=f"{place}.rule")
        _, *wanted = inspect.signature(RULES[check.rule].function).parameters.values()
        types = {parameter.name: _TYPES[parameter.annotation] for parameter in wanted}
        if check.args.keys() != types.keys():
            raise TaskError(f"{check.rule} takes {sorted(types)}, got {sorted(check.args)}", field=f"{place}.args")
        for name, kind in types.items():
            value = check.args[name]
            if type(value) is not kind or (isinstance(value, int) and abs(value) > MOST):
                raise TaskError(f"expected {kind.__name__}, got {value!r}", field=f"{place}.args.{name}")
