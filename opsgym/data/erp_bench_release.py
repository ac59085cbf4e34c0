"""Reader for tasks of the ERP-Bench release: a task directory becomes a :class:`Scenario` and its certified :class:`Plan`.

The release keeps the acceptance rules, the demands and the deadlines in prose only.  They are parsed here and
checked against the certified plan, so a text that is read wrongly is an error and never a wrong task.
Source: Anchor / ERP-Bench, public release.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.spec import (
    Bom,
    BomLine,
    Decoys,
    Invoicing,
    Offer,
    Operation,
    Order,
    Partner,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    Problem,
    Product,
    Repair,
    Scenario,
    Screening,
    SeededProduction,
    SeededPurchase,
    WorkCenter,
)

RELEASE_TODAY = dt.date(2026, 1, 5)
"""Day 0 of every released task: the release counts days from the container's start, so any fixed Monday will do."""

T = TypeVar("T")
Record = Mapping[str, Any]

_REQUEST = re.compile(
    r"^- (?P<name>.+): (?P<quantity>\d+) units? due in (?P<due>\d+) days? \(pretax budget cap \$(?P<cap>[\d,]+)\)$", re.M
)
_BUDGET_RULE = re.compile(r"only accept orders whose budgets cover the full list-price total", re.I)
_WINDOW_RULE = re.compile(r"between (\d+) and (\d+) units?\b", re.I)
_LEAD_RULE = re.compile(r"at least (\d+) days? of lead time", re.I)
_MAKE_ONLY = re.compile(r"purchase orders are only for components", re.I)
_DIRECTORY = re.compile(r"^(\d+)_(easy|medium|hard)_(.+)$")


@dataclass(frozen=True, kw_only=True)
class ReleasedTask:
    """A released task in OpsGym's terms.

    Attributes:
        scenario: The task, with style ``"release"`` and :data:`RELEASE_TODAY` as day 0.
        plan: The certified plan.
        objective_value: Certified optimum in natural units (dollars, vendors, minutes, units).
        optimal_new_spend: New spend of the certified plan in dollars.
        secondary: The spend in dollars where the objective breaks ties by it, else ``None``.
        scenario_number: Number of the released task.
        pattern: Structural pattern, for example ``"08_single_bom_single_workcenter"``.
        tier: Difficulty as labelled in the release.
        seed: Seed that the release's generator used.
        introduction: First block of the brief: requests, stock, margin, invoicing.
        policy: Second block of the brief: rules and limits.
        instruction: The whole brief when ``instruction.md`` is present, else the two blocks.
    """

    scenario: Scenario
    plan: Plan
    objective_value: float
    optimal_new_spend: float
    secondary: float | None
    scenario_number: int
    pattern: str
    tier: str
    seed: int
    introduction: str
    policy: str
    instruction: str


def find_releases(root: Path | str) -> list[Path]:
    """Task directories at or below ``root``, sorted by name; both released layouts count.

    Raises:
        TaskError: ``root`` is no directory.
    """
    base = Path(root)
    if not base.is_dir():
        raise TaskError(f"expected a directory of released tasks, got {str(root)!r}")
    parents = [path.parent for path in base.rglob("scenario_data.json")]
    return sorted({parent.parent if parent.name == "environment" else parent for parent in parents})


def read_release(directory: Path | str) -> ReleasedTask:
    """Read one released task.

    Args:
        directory: Holds ``scenario_data.json`` and ``optimal_plan.json``, or these under ``environment/`` and
            ``solution/``; ``task.toml`` and ``instruction.md`` are used when present.

    Raises:
        TaskError: A file is missing or damaged, or the brief and the plan disagree; names the file and the field.
    """
    base = Path(directory)
    data = _Source(_locate(base, "scenario_data.json", "environment"))
    plan = _Source(_locate(base, "optimal_plan.json", "solution"))
    number, tier, pattern = _identity(base, data)
    instruction = base / "instruction.md"
    blocks = f"{data.get('instruction', str)}\n\n{data.get('background_and_policy', str)}"
    with _Blame(base.name):
        problem = _Builder(data, plan).problem()
        scenario = Scenario(
            name=data.get("name", str),
            today=RELEASE_TODAY,
            style="release",
            domain=problem.finished[0].category or "unknown",
            problem=problem,
            decoys=_decoys(data),
            parameters={row["key"]: row["value"] for row in data.rows("system_parameters")},
        )
        certified = _plan(plan, problem)
    spend = float(plan.get("optimal_new_spend", Decimal, int))
    return ReleasedTask(
        scenario=scenario,
        plan=certified,
        objective_value=float(plan.get("objective_value", Decimal, int)),
        optimal_new_spend=spend,
        secondary=spend if problem.objective in ("vendor_consolidation", "capacity_preservation", "repair_plan") else None,
        scenario_number=number,
        pattern=pattern,
        tier=tier,
        seed=data.get("seed", int),
        introduction=data.get("instruction", str),
        policy=data.get("background_and_policy", str),
        instruction=_text(instruction) if instruction.is_file() else blocks,
    )


class _Source:
    """A JSON object read from a file; every complaint about it names the file and the field."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            data = json.loads(_text(path), parse_float=Decimal)
        except json.JSONDecodeError as error:
            raise TaskError(f"not valid JSON ({error})", field=self.name) from error
        if not isinstance(data, dict):
            raise TaskError(f"expected a JSON object, got {type(data).__name__}", field=self.name)
        self.data: dict[str, Any] = data

    def get(self, key: str, *types: type) -> Any:
        """The value at ``key``, which must be of one of ``types``."""
        if key not in self.data:
            raise TaskError("the field is missing", field=f"{self.name}.{key}")
        value = self.data[key]
        if types and not isinstance(value, types):
            raise TaskError(f"expected {' or '.join(kind.__name__ for kind in types)}, got {value!r}", field=f"{self.name}.{key}")
        return value

    def rows(self, key: str) -> list[dict[str, Any]]:
        """The list of records at ``key``."""
        rows = self.get(key, list)
        for position, row in enumerate(rows):
            if not isinstance(row, dict):
                raise TaskError(f"expected an object, got {row!r}", field=f"{self.name}.{key}.{position}")
        return list(rows)

    def each(self, key: str, make: Callable[[dict[str, Any]], T]) -> list[T]:
        """``make`` applied to every record at ``key``; a failure names the record."""
        found: list[T] = []
        for position, row in enumerate(self.rows(key)):
            with _Blame(f"{self.name}.{key}.{position}"):
                found.append(make(row))
        return found


class _Blame:
    """Turn a malformed record into a :class:`TaskError` that names where it stands."""

    def __init__(self, field: str) -> None:
        self.field = field

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TaskError) or error is None:
            return
        if isinstance(error, KeyError):
            raise TaskError("the field is missing", field=f"{self.field}.{error.args[0]}") from error
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise TaskError(f"{first['msg']}, got {first['input']!r}", field=f"{self.field}.{place}") from error
        if isinstance(error, (TypeError, ValueError, AttributeError, ArithmeticError)):  # Decimal's errors are arithmetic
            raise TaskError(f"malformed record ({error})", field=self.field) from error


class _Builder:
    """Assembles the :class:`Problem`: core records of the scenario file, requests from the prose and the plan."""

    def __init__(self, data: _Source, plan: _Source) -> None:
        self.data = data
        self.plan = plan
        products = data.rows("products")
        if not products:
            raise TaskError("expected at least the finished product", field=f"{data.name}.products")
        self.core = _namespace(products[0]["code"])
        self.finished: str = products[0]["code"]
        self.policy: str = data.get("background_and_policy", str)

    def problem(self) -> Problem:
        """The planning problem, with the parsed acceptance rules confirmed by the plan."""
        products = self.data.each("products", _product)
        core = tuple(product for product in products if self._is_core(product.code))
        offers = tuple(offer for offer in _offers(self.data) if self._is_core(offer.product))
        leads = {row["product_code"]: row["lead_days"] for row in self.data.rows("workcenters")}
        boms = tuple(bom for bom in self.data.each("boms", lambda row: _bom(row, leads)) if self._is_core(bom.product))
        stock = {row["product_code"]: _whole(row["quantity"]) for row in self.data.rows("stock_levels")}
        make_only = self._make_only(core[0], offers)
        result = Problem(
            product=self.finished,
            products=core,
            customers=tuple(partner for partner in self.data.each("customers", _customer) if self._is_core(partner.ref)),
            vendors=tuple(partner for partner in self.data.each("vendors", _vendor) if self._is_core(partner.ref)),
            orders=self._orders(),
            stock={product.code: stock.get(product.code, 0) for product in core},
            offers=offers,
            boms=boms,
            centers=self._centers(),
            operations=tuple(self.data.each("workcenters", _operation)),
            margin_bps=self._margin(),
            objective=self.plan.get("objective_kind", str),
            screening=self._screening(),
            invoicing=_invoicing(self.data.get("invoicing_policy", dict)),
            repair=self._repair(),
            buying=make_only is None,
            making=any(bom.product == self.finished for bom in boms),
            make_only=make_only,
        )
        self._confirm_screening(result)
        return result

    def _is_core(self, key: str) -> bool:
        return _namespace(key) == self.core

    def _margin(self) -> int:
        for row in self.data.rows("system_parameters"):
            if row["key"] == "erp_bench.min_margin_percent":
                return _scaled(Decimal(row["value"]), 100)
        raise TaskError("expected a row erp_bench.min_margin_percent", field=f"{self.data.name}.system_parameters")

    def _orders(self) -> tuple[Order, ...]:
        """One order per core customer: from the prose, confirmed by the plan and by seeded sales orders."""
        requests = [match.groupdict() for match in _REQUEST.finditer(self.data.get("instruction", str))]
        customers = [row for row in self.data.rows("customers") if self._is_core(row["ref"])]
        allocations = self.plan.rows("allocations")
        if not len(requests) == len(customers) == len(allocations):
            raise TaskError(
                f"{len(requests)} requests in the brief, {len(customers)} customers, {len(allocations)} planned allocations",
                field=f"{self.data.name}.instruction",
            )
        return tuple(
            self._order(request, customer, allocation)
            for request, customer, allocation in zip(requests, customers, allocations, strict=True)
        )

    def _order(self, request: Record, customer: Record, allocation: Record) -> Order:
        brief = (request["name"], int(request["quantity"]), int(request["due"]))
        planned = (customer["name"], _whole(allocation["demand"]), _whole(allocation["deadline"]))
        if brief != planned or customer["ref"] != allocation["ref"]:
            raise TaskError(f"the brief asks for {brief}, the plan serves {planned}", field=f"{self.plan.name}.allocations")
        seeded = next((row for row in self.data.rows("existing_sales_orders") if row["customer_ref"] == customer["ref"]), None)
        if seeded and (_whole(seeded["quantity"]), _whole(seeded["commitment_days"])) != brief[1:]:
            field = f"{self.data.name}.existing_sales_orders"
            raise TaskError(f"order {seeded['ref']} differs from the brief {brief}", field=field)
        return Order(
            ref=seeded["ref"] if seeded else allocation["task_order_ref"],
            customer=customer["ref"],
            quantity=brief[1],
            due=brief[2],
            budget=_optional(customer["budget_dollars"], 100),
            seeded=seeded["state"] if seeded else None,
            note=(seeded["note"] or "") if seeded else "",
        )

    def _screening(self) -> Screening | None:
        window, lead = _WINDOW_RULE.search(self.policy), _LEAD_RULE.search(self.policy)
        rules = Screening(
            budget=bool(_BUDGET_RULE.search(self.policy)),
            min_qty=int(window[1]) if window else None,
            max_qty=int(window[2]) if window else None,
            min_lead=int(lead[1]) if lead else None,
        )
        return None if rules == Screening() else rules

    def _confirm_screening(self, problem: Problem) -> None:
        for order, allocation in zip(problem.orders, self.plan.rows("allocations"), strict=True):
            parsed, planned = problem.rejections.get(order.ref, ()), tuple(allocation["reject_reasons"])
            if sorted(parsed) != sorted(planned) or allocation["accepted"] != (not parsed):
                raise TaskError(
                    f"order {order.ref}: the acceptance rules as read give {parsed or 'accepted'}, "
                    f"the plan says {planned or 'accepted'}",
                    field=f"{self.data.name}.background_and_policy",
                )

    def _make_only(self, finished: Product, offers: tuple[Offer, ...]) -> Any:
        """Why finished units may not be bought: the route, the lack of offers, or a bullet of the brief."""
        if "buy" not in finished.routes:
            return "no_buy_route"
        if not any(offer.product == finished.code for offer in offers):
            return "no_available_vendors"
        return "policy_forbidden" if _MAKE_ONLY.search(self.policy) else None

    def _centers(self) -> tuple[WorkCenter, ...]:
        """Work centers by code; the first row of a code is the one that the release writes to the ERP."""
        found: dict[str, WorkCenter] = {}
        for center in self.data.each("workcenters", _center):
            known = found.setdefault(center.code, center)
            if known.capacity != center.capacity:
                raise TaskError(
                    f"{center.code} has two capacities, {known.capacity} and {center.capacity}",
                    field=f"{self.data.name}.workcenters",
                )
        return tuple(found.values())

    def _repair(self) -> Repair | None:
        context = self.data.get("repair_context")
        if context is None:
            return None
        order_of = {row["customer_ref"]: row["ref"] for row in self.data.rows("existing_sales_orders")}
        return Repair(
            kind=context["kind"],
            broken_offer=context["broken_supplier_offer_key"],
            broken_center=context["broken_workcenter_code"],
            impacted=tuple(context["impacted_customer_refs"]),
            broken_purchases=tuple(context["broken_purchase_order_refs"]),
            broken_productions=tuple(context["broken_manufacturing_order_refs"]),
            purchases=tuple(self.data.each("existing_purchase_orders", lambda row: _seeded_purchase(row, order_of))),
            productions=tuple(self.data.each("existing_manufacturing_orders", lambda row: _seeded_production(row, order_of))),
        )


def _decoys(data: _Source) -> Decoys:
    """The adjacent records: those whose hex prefix is not the finished product's."""
    core = _namespace(data.rows("products")[0]["code"])

    def far(key: str) -> bool:
        return _namespace(key) != core

    return Decoys(
        customers=tuple(partner for partner in data.each("customers", _customer) if far(partner.ref)),
        vendors=tuple(partner for partner in data.each("vendors", _vendor) if far(partner.ref)),
        products=tuple(product for product in data.each("products", _product) if far(product.code)),
        offers=tuple(offer for offer in _offers(data) if far(offer.product)),
        boms=tuple(bom for bom in data.each("boms", lambda row: _bom(row, {})) if far(bom.product)),
        stock={row["product_code"]: _whole(row["quantity"]) for row in data.rows("stock_levels") if far(row["product_code"])},
    )


def _plan(source: _Source, problem: Problem) -> Plan:
    order_of = {order.customer: order.ref for order in problem.orders}

    def purchase(row: Record) -> PlannedPurchase:
        return PlannedPurchase(
            ref=row["plan_ref"],
            offer=row["offer_key"],
            quantity=_whole(row["quantity"]),
            arrival=_whole(row["planned_arrival_days"]),
            origins=_origins(row, order_of),
        )

    def production(row: Record) -> PlannedProduction:
        due = _whole(row["needed_by_days"])
        return PlannedProduction(
            ref=row["plan_ref"],
            product=row["product_code"],
            center=row["workcenter_code"],
            quantity=_whole(row["quantity"]),
            start=due - _whole(row["lead_time"]),
            due=due,
            origins=_origins(row, order_of),
            level=row["level"],
        )

    plan = Plan(
        purchases=tuple(source.each("purchase_orders", purchase)),
        productions=tuple(source.each("manufacturing_orders", production)),
    )
    for planned in plan.purchases:
        if planned.offer not in problem.offer_by_key:
            raise TaskError(f"no offer has the key {planned.offer!r}", field=f"{source.name}.purchase_orders")
    return plan


def _origins(row: Record, order_of: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(order_of[ref] for ref in row["origin_customer_refs"]) or tuple(row["origin_plan_refs"])


def _seeded_purchase(row: Record, order_of: Mapping[str, str]) -> SeededPurchase:
    return SeededPurchase(
        ref=row["ref"],
        plan_ref=row["plan_ref"],
        offer=row["offer_key"],
        quantity=_whole(row["quantity"]),
        arrival=_whole(row["planned_arrival_days"]),
        origins=_origins(row, order_of),
        note=row["note"] or "",
    )


def _seeded_production(row: Record, order_of: Mapping[str, str]) -> SeededProduction:
    return SeededProduction(
        ref=row["ref"],
        plan_ref=row["plan_ref"],
        product=row["product_code"],
        center=row["workcenter_code"],
        quantity=_whole(row["quantity"]),
        start=_whole(row["start_days"]),
        due=_whole(row["deadline_days"]),
        origins=_origins(row, order_of),
        level=row["level"],
        note=row["note"] or "",
    )


def _customer(row: Record) -> Partner:
    return Partner(
        ref=row["ref"],
        name=row["name"],
        email=row["email"] or "",
        note=row["comment"] or "",
        customer_rank=1,
        tags=tuple(row["tags"]),
    )


def _vendor(row: Record) -> Partner:
    return Partner(ref=row["ref"], name=row["name"], note=row["comment"] or "", supplier_rank=row["supplier_rank"])


def _product(row: Record) -> Product:
    return Product(
        code=row["code"],
        name=row["name"],
        category=row["category"] or "",
        list_price=_scaled(row["list_price"], 100),
        standard_price=_scaled(row["standard_price"], 100),
        routes=tuple(row["routes"]),
    )


def _offers(data: _Source) -> list[Offer]:
    found: list[Offer] = []
    for position, product in enumerate(data.rows("products")):
        for place, info in enumerate(product["vendor_info"]):
            with _Blame(f"{data.name}.products.{position}.vendor_info.{place}"):
                found.append(_offer(product["code"], info))
    return found


def _offer(product: str, info: Record) -> Offer:
    """An offer under the release's key: vendor, product, minimum, price and lead, joined by bars."""
    minimum, lead = _whole(info["min_qty"]), _whole(info["delay"])
    return Offer(
        key=f"{info['partner_ref']}|{product}|{minimum}|{float(info['price'])}|{lead}",
        vendor=info["partner_ref"],
        product=product,
        price=_scaled(info["price"], 100),
        lead=lead,
        min_qty=minimum,
        max_qty=None if info["max_qty"] is None else _whole(info["max_qty"]),
        label=info["name"],
    )


def _bom(row: Record, leads: Mapping[str, Any]) -> Bom:
    if _whole(row["quantity"]) != 1:
        raise ValueError(f"expected a bill of materials of 1 unit, got {row['quantity']}")
    lines = tuple(BomLine(component=line["component_code"], quantity=_whole(line["quantity"])) for line in row["components"])
    return Bom(product=row["product_code"], lines=lines, lead=_whole(leads.get(row["product_code"], 0)))


def _center(row: Record) -> WorkCenter:
    return WorkCenter(
        code=row["code"],
        name=row["name"],
        capacity=_scaled(row["capacity_minutes"], 1000),
        note=row["note"] or "",
        stated_costs_hour=_scaled(row["costs_hour"], 100),
    )


def _operation(row: Record) -> Operation:
    return Operation(
        product=row["product_code"],
        center=row["code"],
        unit_cost=_scaled(row["unit_cost"], 100),
        minutes=_scaled(row["time_per_unit_minutes"], 1000),
        name=row["operation_name"],
        primary=row["is_primary"],
    )


def _invoicing(policy: Record) -> Invoicing | None:
    if not policy["invoice_required"]:
        return None
    if not policy["downpayment_required"]:
        return Invoicing(payment_term=policy["payment_term"])
    modes: dict[str, Any] = {"percentage": "percentage", "fixed_amount": "fixed"}
    return Invoicing(
        payment_term=policy["payment_term"],
        downpayment_threshold=_scaled(policy["downpayment_threshold_amount"], 100),
        downpayment_mode=modes[policy["downpayment_mode"]],
        downpayment_value=_scaled(policy["downpayment_value"], 100),
    )


def _namespace(key: str) -> str:
    """The hex digits that start a code ``P<hex>-...`` or a ref ``r<hex>_...``; core and adjacent records differ in them."""
    return key[1:].replace("_", "-").partition("-")[0]


def _scaled(value: Decimal | int, scale: int) -> int:
    """``value`` times ``scale`` as an exact integer.

    Raises:
        ValueError: It has more decimals than the scale holds.
    """
    exact = Decimal(value) * scale
    if exact != int(exact):
        raise ValueError(f"{value} is not a multiple of 1/{scale}")
    return int(exact)


def _optional(value: Decimal | int | None, scale: int) -> int | None:
    return None if value is None else _scaled(value, scale)


def _whole(value: Decimal | int) -> int:
    return _scaled(value, 1)


def _locate(base: Path, name: str, folder: str) -> Path:
    for path in (base / name, base / folder / name):
        if path.is_file():
            return path
    raise TaskError(f"expected {name} or {folder}/{name} in {base.name!r}", field=name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot be read ({error})", field=path.name) from error


def _identity(base: Path, data: _Source) -> tuple[int, str, str]:
    """Scenario number, tier and pattern: from ``task.toml``, else from the directory's name."""
    number = data.get("scenario_number", int)
    path = base / "task.toml"
    if not path.is_file():
        match = _DIRECTORY.match(base.name)
        return (number, match[2], match[3]) if match else (number, "custom", "unknown")
    try:
        metadata = tomllib.loads(_text(path))["metadata"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise TaskError(f"expected a [metadata] table ({error})", field="task.toml") from error
    with _Blame("task.toml.metadata"):
        if metadata["scenario_number"] != number:
            raise TaskError(f"expected {number}, got {metadata['scenario_number']}", field="task.toml.metadata.scenario_number")
        return number, metadata["difficulty"], metadata["task_pattern"]
