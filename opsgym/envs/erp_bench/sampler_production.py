"""Production: bills of materials, component offers and work centers of a finished product that can be made.

Making costs about as much as buying, shared out over labour and components on all levels; windows of need follow from
the lead times of what is above, so that component deliveries can be late.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.domains import ComponentTemplate
from opsgym.envs.erp_bench.lanes import COMPONENT_LANES
from opsgym.envs.erp_bench.sampler_stream import Stream, Window
from opsgym.envs.erp_bench.spec import Bom, BomLine, Offer, Operation, Product, WorkCenter
from opsgym.envs.erp_bench.topology import FINISHED, LAYOUTS, SUB_ASSEMBLIES, TOPOLOGIES, Route, Topology

TRIES = 8
"""Sets of components of which the one with the most plausible prices is taken."""
OWN_SHARE = 0.5
"""Share of the labour of a finished unit that goes into its own assembly, where there are sub-assemblies."""


SHARED_SHARE = 0.5
"""Share of the components of a further finished product that earlier ones take too."""
PLAUSIBLE = 1.6
"""Largest ratio of a component's price to the usual one for which components are shared."""


class Target(NamedTuple):
    """A finished product to be made: what a unit usually costs to buy, in cents, and when units are needed."""

    product: Product
    anchor: int
    window: Window


class Production(NamedTuple):
    """What making the finished products adds to a problem."""

    inputs: tuple[Product, ...] = ()
    offers: tuple[Offer, ...] = ()
    stock: Mapping[str, int] = MappingProxyType({})
    boms: tuple[Bom, ...] = ()
    centers: tuple[WorkCenter, ...] = ()
    operations: tuple[Operation, ...] = ()
    bucket_days: int | None = None


@dataclass(slots=True)
class Role:
    """A manufactured product in the making.

    Attributes:
        code: Its product code.
        name: Its name.
        per_unit: Units that go into one finished unit, over all paths.
        lead: Days from start to completion.
        window: When its production starts; units are its own.
        subs: Sub-assemblies that go into it, with units.
        labour: Usual cost of its own assembly in cents, for one unit.
        target: Number of the finished product that it serves.
    """

    code: str
    name: str
    per_unit: int
    lead: int
    window: Window
    subs: dict[str, int]
    labour: float = 0.0
    target: int = 0


@dataclass(frozen=True, slots=True)
class Component:
    """A bought input: its template and the units that go into one unit of each role."""

    template: ComponentTemplate
    uses: Mapping[str, int]

    def per_unit(self, roles: Mapping[str, Role]) -> int:
        """Units that go into one finished unit."""
        return self.needed(roles, [1] * len(roles))

    def needed(self, roles: Mapping[str, Role], units: Sequence[int]) -> int:
        """Units that go into so many units of each finished product."""
        return sum(quantity * roles[role].per_unit * units[roles[role].target] for role, quantity in self.uses.items())


def draw_production(stream: Stream, targets: Sequence[Target]) -> Production:
    """Everything that it takes to make the finished products, on the same work centers and partly from the same components.

    Args:
        stream: Stream that is consumed.
        targets: The finished products; making a unit costs about what buying one does.

    Raises:
        TaskError: The products are too different to share components.  Draw again.
    """
    params = stream.params
    topology = TOPOLOGIES[params.topology]
    usual = [target.anchor * (1 + stream.between(-params.closeness, params.closeness)) for target in targets]
    roles: dict[str, Role] = {}
    for number, target in enumerate(targets):
        roles |= _numbered(_roles(stream, topology, target.product, target.window, usual[number]), number)
    routes = [route._replace(role=role_key(route.role, n)) for route in _routes(stream) for n in range(len(targets))]
    centers, operations = draw_centers(stream, roles, routes)
    components: list[Component] = []
    prices: list[int] = []
    for number in range(len(targets)):
        own = [role for role in roles.values() if role.target == number]
        labour = sum(_labour(operations, role) * role.per_unit for role in own)
        components, prices = _components(stream, topology, roles, number, usual[number] - labour, components, prices)
    built = [max(1, round(target.window.units * min(1.0, params.center_capacity))) for target in targets]

    def offers(code: str, price: int, item: Component) -> tuple[Offer, ...]:
        first = min(roles[role].window.first for role in item.uses)
        last = max(roles[role].window.last for role in item.uses)
        need = Window(first, last, item.needed(roles, built))
        return stream.offers(code, price, need, params.component_offers, COMPONENT_LANES, params.component_capacity)

    def on_hand(item: Component) -> int:
        units = round(item.needed(roles, built) * params.component_stock * stream.between(0.5, 1.5))
        return min(units, item.needed(roles, [target.window.units - 1 for target in targets]))

    production = assemble(stream, roles, components, prices, (centers, operations), offers, on_hand)
    if params.capacity_buckets == 1:
        return production
    days = math.ceil(max(target.window.last for target in targets) / params.capacity_buckets)
    return production._replace(
        centers=tuple(_dated(stream, center, params.capacity_buckets) for center in centers), bucket_days=days
    )


def role_key(role: str, number: int) -> str:
    """Name of a role of the finished product with that number: ``"F"``, then ``"F1"`` and so on."""
    return f"{role}{number or ''}"


def _numbered(roles: Mapping[str, Role], number: int) -> dict[str, Role]:
    for role in roles.values():
        role.target = number
    return {
        role_key(name, number): replace(role, subs={role_key(sub, number): units for sub, units in role.subs.items()})
        for name, role in roles.items()
    }


def _dated(stream: Stream, center: WorkCenter, count: int) -> WorkCenter:
    """A work center whose minutes are divided over periods, unevenly."""
    shares = np.cumsum(stream.rng.dirichlet(np.full(count, 6.0)))
    ends = [0, *(int(center.capacity // 1000 * share) for share in shares[:-1]), center.capacity // 1000]
    return center.model_copy(update={"buckets": tuple(1000 * (end - start) for start, end in itertools.pairwise(ends))})


def _roles(stream: Stream, topology: Topology, finished: Product, window: Window, usual: float) -> dict[str, Role]:
    """The finished product and its sub-assemblies, parents first, with leads that leave a day for deliveries."""
    depth = topology.below[FINISHED]
    lead = max(1, min(stream.params.production_lead, window.first - 1 - depth))
    slack = window.first - 1 - depth - lead
    start = Window(window.first - lead, window.last - lead, window.units)
    roles = {FINISHED: Role(finished.code, finished.name, 1, lead, start, {})}
    kinds = [SUB_ASSEMBLIES[int(index)] for index in stream.rng.permutation(len(SUB_ASSEMBLIES))]
    for parent, subs in topology.inputs.items():
        for sub in subs:
            above = roles[parent]
            extra = min(slack, stream.integer(0, 1))
            slack -= extra
            quantity = 1 + (stream.rng.random() < 0.25)
            start = Window(above.window.first - 1 - extra, above.window.last - 1 - extra, above.window.units * quantity)
            roles[sub] = Role(
                stream.namer.code(), f"{kinds.pop()}, {finished.name}", above.per_unit * quantity, 1 + extra, start, {}
            )
            above.subs[sub] = quantity
    labour = usual * stream.between(0.08, 0.16)
    for name, role in roles.items():
        share = 1.0 if len(roles) == 1 else OWN_SHARE if name == FINISHED else (1 - OWN_SHARE) / (len(roles) - 1)
        role.labour = labour * share / role.per_unit
    return roles


def _routes(stream: Stream) -> tuple[Route, ...]:
    """The routes of the layout; with a single bill of materials one route for each work center."""
    params = stream.params
    layout = LAYOUTS.get((params.topology, params.capacity_path))
    if layout:
        return layout
    count = params.work_centers
    if params.capacity_path == "split_by_capacity":
        shares = [float(share) for share in stream.rng.dirichlet(np.full(count, 4.0))]
    else:
        shares = [1.0 if count == 1 else 1.4 / count] * count
    costs = [stream.between(0.75, 1.3) if count > 1 else 1.0 for _ in range(count)]
    return tuple(Route(FINISHED, index, cost, share) for index, (cost, share) in enumerate(zip(costs, shares, strict=True)))


def draw_centers(
    stream: Stream, roles: Mapping[str, Role], routes: Sequence[Route]
) -> tuple[tuple[WorkCenter, ...], tuple[Operation, ...]]:
    """Work centers with minutes for the shares of their routes.

    Minutes are multiples of six and hourly rates of ten cents, so that a unit costs whole cents: an agent that
    multiplies gets exactly what the verifier counts.
    """
    centers: dict[int, WorkCenter] = {}
    operations: list[Operation] = []
    for index in sorted({route.center for route in routes}):
        mine = [route for route in routes if route.center == index]
        dearest = max(route.cost * roles[route.role].labour for route in mine)
        sixes = max(1, round(dearest / stream.between(35, 80) / 10))
        rate = max(1, round(dearest / sixes)) * 10
        code, name = stream.namer.code("WC"), stream.namer.center()
        capacity = 0.0
        for route in mine:
            role = roles[route.role]
            minutes = 6 * max(1, round(route.cost * role.labour / (rate / 10)))
            units = max(1, round(stream.params.center_capacity * role.window.units * route.share))
            capacity += units * minutes
            operations.append(
                Operation(
                    product=role.code,
                    center=code,
                    unit_cost=rate * minutes // 60,
                    minutes=minutes * 1000,
                    name=f"Build on {name}",
                    primary=not any(row.product == role.code for row in operations),
                )
            )
        spare = stream.integer(0, min(row.minutes for row in operations if row.center == code) // 1000 - 1)
        centers[index] = WorkCenter(code=code, name=name, capacity=round(capacity + spare) * 1000, stated_costs_hour=rate)
    return tuple(centers.values()), tuple(operations)


def _labour(operations: Sequence[Operation], role: Role) -> float:
    """Mean unit cost over a role's routes."""
    costs = [row.unit_cost for row in operations if row.product == role.code]
    return sum(costs) / len(costs)


def _components(
    stream: Stream,
    topology: Topology,
    roles: Mapping[str, Role],
    number: int,
    target: float,
    known: Sequence[Component],
    known_prices: Sequence[int],
) -> tuple[list[Component], list[int]]:
    """Components with those of one more finished product, and their usual prices, which add up to ``target`` cents a unit.

    Of a few draws the one nearest to the target is scaled to it, so that prices stay plausible.  What earlier products
    take too keeps its price.

    Raises:
        TaskError: What is shared leaves no plausible price for the rest.
    """
    pool = stream.domain.components
    count = min(stream.params.components, len(pool))
    taken = {item.template: price for item, price in zip(known, known_prices, strict=True)}
    draws: list[tuple[float, int, float, list[Component]]] = []
    for attempt in range(TRIES if not known else 8 * TRIES):
        chosen = _chosen(stream, pool, count, list(taken))
        found = []
        for position, template in enumerate(pool[index] for index in chosen):
            users = topology.common if topology.common and not position else topology.deal[position % len(topology.deal)]
            uses = {role_key(role, number): stream.integer(template.low, template.high) for role in users}
            found.append(Component(template, uses))
        cost = sum(item.template.cost * item.per_unit(roles) for item in found if item.template not in taken)
        rest = target - sum(taken.get(item.template, 0) * item.per_unit(roles) for item in found)
        if rest > 0:
            draws.append((abs(math.log(rest / cost)), attempt, rest / cost, found))
    distance, _, scale, components = min(draws, key=lambda draw: draw[:2], default=(math.inf, 0, 0.0, []))
    if known and distance > math.log(PLAUSIBLE):
        raise TaskError("the finished products are too different to share components", field="params.finished_products")
    prices = {item.template: taken.get(item.template) or max(1, round(item.template.cost * scale)) for item in components}
    both = {item.template: item for item in known}
    for item in components:
        earlier = both.get(item.template)
        both[item.template] = Component(item.template, {**(earlier.uses if earlier else {}), **item.uses})
    return list(both.values()), [taken.get(template) or prices[template] for template in both]


def _chosen(stream: Stream, pool: Sequence[ComponentTemplate], count: int, taken: Sequence[ComponentTemplate]) -> list[int]:
    """Components by their place in the pool: any, or some that are taken already and others that are not."""
    if not taken:
        return sorted(int(index) for index in stream.rng.choice(len(pool), count, replace=False))
    old = [place for place, template in enumerate(pool) if template in taken]
    new = [place for place, template in enumerate(pool) if template not in taken]
    shared = max(1, min(round(SHARED_SHARE * count), len(old), count - 1))
    chosen = [old[int(index)] for index in stream.rng.permutation(len(old))[:shared]]
    return sorted([*chosen, *(new[int(index)] for index in stream.rng.permutation(len(new))[: count - shared])])


def assemble(
    stream: Stream,
    roles: Mapping[str, Role],
    components: Sequence[Component],
    prices: Sequence[int],
    plant: tuple[tuple[WorkCenter, ...], tuple[Operation, ...]],
    offers: Callable[[str, int, Component], tuple[Offer, ...]],
    on_hand: Callable[[Component], int],
) -> Production:
    """Products, offers, stock and bills of materials from what was drawn.

    Args:
        stream: Stream that is consumed.
        roles: Manufactured products.
        components: Bought inputs.
        prices: Their usual prices in cents.
        plant: Work centers and operations.
        offers: Draws the offers for a component, from its code and usual price.
        on_hand: Draws the stock of a component.
    """
    bought: list[Product] = []
    found: list[Offer] = []
    stock: dict[str, int] = {}
    lines: dict[str, list[BomLine]] = {
        name: [BomLine(component=roles[sub].code, quantity=units) for sub, units in role.subs.items()]
        for name, role in roles.items()
    }
    for item, price in zip(components, prices, strict=True):
        code = stream.namer.code()
        mine = offers(code, price, item)
        found += mine
        stock[code] = on_hand(item)
        bought.append(
            Product(
                code=code,
                name=item.template.name,
                category=stream.domain.category,
                list_price=round(price * stream.between(1.3, 1.6)),
                standard_price=min(offer.price for offer in mine),
            )
        )
        for role, quantity in item.uses.items():
            lines[role].append(BomLine(component=code, quantity=quantity))
    boms = {name: Bom(product=role.code, lines=tuple(lines[name]), lead=role.lead) for name, role in roles.items()}
    made = _sub_assemblies(stream, roles, boms, {product.code: product.standard_price for product in bought}, plant[1])
    return Production(
        inputs=(*made, *bought),
        offers=tuple(found),
        stock={code: units for code, units in stock.items() if units},
        boms=tuple(boms.values()),
        centers=plant[0],
        operations=plant[1],
    )


def _sub_assemblies(
    stream: Stream, roles: Mapping[str, Role], boms: Mapping[str, Bom], costs: dict[str, int], operations: Sequence[Operation]
) -> list[Product]:
    """Sub-assemblies as products, at the cost of their inputs and labour."""
    made = []
    for name, role in reversed(list(roles.items())):
        if not name.startswith(FINISHED):
            inputs = sum(line.quantity * costs[line.component] for line in boms[name].lines)
            costs[role.code] = round(inputs + _labour(operations, role))
            made.append(
                Product(
                    code=role.code,
                    name=role.name,
                    category=stream.domain.category,
                    list_price=round(costs[role.code] * 1.4),
                    standard_price=costs[role.code],
                    routes=("manufacture",),
                )
            )
    return made[::-1]
