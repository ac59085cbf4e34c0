"""Validator of the collection tours: drives every tour, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.vehicle_routing.brief import rules
from opsgym.envs.or_agent_bench.problems.vehicle_routing.instance import APART, DEPOT, Instance, Plan, Tour, Vehicle


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge the tours."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, driven stop by stop."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.plan = plan
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.orders = {order.name: order for order in instance.orders}
        self.vehicles = {vehicle.name: vehicle for vehicle in instance.vehicles}
        self.legs = {(leg.origin, leg.to): leg for leg in instance.legs}
        self.tours = self._known()
        self.cents = 0

    def report(self) -> Report:
        """All rules, one after the other."""
        self._coverage()
        for tour in self.tours:
            self._drive(tour, self.vehicles[tour.vehicle])
            self._load(tour, self.vehicles[tour.vehicle])
        self._ramp()
        self._freeze()
        charge = self._charge()
        taken = sum(self.orders[name].carrier_cents for name in self.plan.carrier if name in self.orders)
        return self.findings.report(self.cents + taken + charge, charge)

    def _known(self) -> list[Tour]:
        tours = []
        for tour in self.plan.tours:
            if tour.vehicle not in self.vehicles or any(stop.order not in self.orders for stop in tour.stops):
                self.findings.add("coverage", f"the tour of {tour.vehicle} names a vehicle or an order that does not exist")
            else:
                tours.append(tour)
        return tours

    def _coverage(self) -> None:
        times = Counter(stop.order for tour in self.tours for stop in tour.stops) + Counter(self.plan.carrier)
        for name in sorted(self.orders.keys() | times.keys()):
            known = name in self.orders
            self.findings.require("coverage", known and times[name] == 1, f"order {name} is planned {times[name]} times")
        for name, count in Counter(tour.vehicle for tour in self.tours).items():
            self.findings.require("coverage", count == 1, f"{name} makes {count} tours")
        for tour in self.tours:
            self.findings.require("coverage", bool(tour.stops), f"the tour of {tour.vehicle} has no stops")

    def _way(self, origin: str, to: str) -> tuple[int, int]:
        leg = self.legs.get((origin, to))
        return (leg.metres, leg.minutes) if leg else (0, 0)

    def _drive(self, tour: Tour, vehicle: Vehicle) -> None:
        place, free, metres = DEPOT, tour.leave, 0
        self.findings.require("shift", tour.leave >= vehicle.begins, f"{tour.vehicle} leaves at {tour.leave}")
        for stop in tour.stops:
            order = self.orders[stop.order]
            way, minutes = self._way(place, order.site)
            there = free + minutes
            self.findings.require("sequence", stop.start >= there, f"{stop.order} begins at {stop.start}, reached at {there}")
            inside = order.opens <= stop.start <= order.closes
            self.findings.require(
                "windows", inside, f"{stop.order} begins at {stop.start}, window {order.opens} to {order.closes}"
            )
            place, free, metres = order.site, stop.start + order.service, metres + way
        way, minutes = self._way(place, DEPOT)
        back = free + minutes
        self.findings.require(
            "shift", back <= vehicle.ends, f"{tour.vehicle} is back at {back}, its shift ends at {vehicle.ends}"
        )
        self.cents += vehicle.tour_cents + (metres + way) * vehicle.km_cents // 1000
        if self.instance.regular:
            self.cents += self.instance.overtime_cents * max(0, back - tour.leave - self.instance.regular)

    def _load(self, tour: Tour, vehicle: Vehicle) -> None:
        carried = [self.orders[stop.order] for stop in tour.stops]
        weight = sum(order.kg for order in carried)
        self.findings.require("capacity", weight <= vehicle.kg, f"{vehicle.name} carries {weight} kg of {vehicle.kg}")
        if self.instance.needs_lift and not vehicle.has_lift:
            for order in carried:
                self.findings.require("lift", not order.has_cage, f"{order.name} is in a cage, {vehicle.name} has no lift")
        if self.instance.keeps_apart:
            kinds = {order.goods for order in carried}
            self.findings.require("apart", not set(APART) <= kinds, f"{vehicle.name} carries {' and '.join(APART)}")

    def _ramp(self) -> None:
        gap = self.instance.ramp_gap
        tours = {tour.vehicle: tour for tour in self.tours}.values()  # a second tour of a vehicle breaks another rule
        for one, other in combinations(tours, 2) if gap else ():
            apart = abs(one.leave - other.leave) >= gap
            self.findings.require("ramp", apart, f"{one.vehicle} and {other.vehicle} leave at {one.leave} and {other.leave}")

    def _freeze(self) -> None:
        if self.previous is None:
            return
        limit = self.instance.frozen_until
        now = {tour.vehicle: tour for tour in self.tours}
        kept: set[tuple[str, str, int]] = set()
        left: set[str] = set()
        for old in self.previous.tours:
            new = now.get(old.vehicle)
            stops = [] if new is None else [(stop.order, stop.start) for stop in new.stops]
            if old.leave < limit:
                left.add(old.vehicle)
                same = new is not None and new.leave == old.leave and stops[:1] == [(old.stops[0].order, old.stops[0].start)]
                self.findings.require("freeze", same, f"{old.vehicle} has left at {old.leave} for {old.stops[0].order}")
                kept.add((old.vehicle, old.stops[0].order, old.stops[0].start))
            for stop in old.stops:
                if stop.start < limit:
                    kept.add((old.vehicle, stop.order, stop.start))
                    self.findings.require("freeze", (stop.order, stop.start) in stops, f"{stop.order} is frozen at {stop.start}")
        for tour in self.tours:
            late = tour.leave >= limit or tour.vehicle in left
            self.findings.require("freeze", late, f"{tour.vehicle} leaves at {tour.leave}, frozen until {limit}")
            for stop in tour.stops:
                late = stop.start >= limit or (tour.vehicle, stop.order, stop.start) in kept
                self.findings.require("freeze", late, f"{stop.order} begins at {stop.start}, frozen until {limit}")

    def _charge(self) -> int:
        if self.previous is None:
            return 0
        before = _takers(self.previous)
        after = _takers(self.plan)
        return self.instance.move_cents * sum(name in after and after[name] != taker for name, taker in before.items())


def _takers(plan: Plan) -> dict[str, str]:
    """The vehicle that takes each order; the carrier has no name."""
    return dict.fromkeys(plan.carrier, "") | {stop.order: tour.vehicle for tour in plan.tours for stop in tour.stops}
