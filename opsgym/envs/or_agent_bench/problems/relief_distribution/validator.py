"""Validator of the relief distribution: follows stocks and queues from day to day, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.relief_distribution.brief import rules
from opsgym.envs.or_agent_bench.problems.relief_distribution.instance import COLD, Camp, Depot, Instance, Plan, Shipment

Key = tuple[int, str, str, str]


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, day by day."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.goods = {good.name: good for good in instance.goods}
        self.roads = {(road.depot, road.camp): road for road in instance.roads}
        self.units: dict[Key, int] = {}
        for row in plan.shipments:
            self._read(row)
        self.points = 0

    def report(self) -> Report:
        """All rules, one after the other."""
        for day in range(1, self.instance.days + 1):
            for depot in self.instance.depots:
                self._depot(depot, day)
        for block in self.instance.blocks:
            sent = [key for key in self.units if key[:3] == (block.day, block.depot, block.camp)]
            self.findings.require("road", not sent, f"the road from {block.depot} to {block.camp} is blocked on day {block.day}")
        for camp in self.instance.camps:
            self._camp(camp)
        charge = self._against_accepted()
        return self.findings.report(self.points + charge, charge)

    def _read(self, row: Shipment) -> None:
        known = 1 <= row.day <= self.instance.days and (row.depot, row.camp) in self.roads and row.good in self.goods
        key = row.day, row.depot, row.camp, row.good
        well = known and row.units >= 1 and key not in self.units
        self.findings.require("form", well, f"{row.units} {row.good} from {row.depot} to {row.camp} on day {row.day}")
        if not well:
            return
        self.units[key] = row.units
        if self.instance.in_pallets:
            whole = row.units % self.goods[row.good].pallet == 0
            self.findings.require("pallet", whole, f"{row.units} {row.good} to {row.camp} on day {row.day} are no whole pallets")

    def _depot(self, depot: Depot, day: int) -> None:
        for good in self.instance.goods:
            sent = sum(
                units for key, units in self.units.items() if key[0] <= day and (key[1], key[3]) == (depot.name, good.name)
            )
            arrived = sum(
                a.units for a in self.instance.arrivals if (a.depot, a.good) == (depot.name, good.name) and a.day <= day
            )
            self.findings.require(
                "stock", sent <= arrived, f"{depot.name} sends {sent} {good.name} by day {day}, {arrived} arrived"
            )
        trips = 0
        for camp in self.instance.camps:
            kg = sum(n * self.goods[key[3]].kg for key, n in self.units.items() if key[:3] == (day, depot.name, camp.name))
            own = -(-kg // self.instance.truck_kg)
            trips += own
            self.points += own * self.roads[depot.name, camp.name].points
            if self.instance.least_kg:
                enough = kg == 0 or kg >= self.instance.least_kg
                self.findings.require("least", enough, f"{kg} kg from {depot.name} to {camp.name} on day {day}")
        self.findings.require("fleet", trips <= depot.trips, f"{depot.name} makes {trips} trips on day {day} of {depot.trips}")
        if self.instance.needs_cold:
            cold = sum(
                n * self.goods[COLD].kg for key, n in self.units.items() if (key[0], key[1], key[3]) == (day, depot.name, COLD)
            )
            self.findings.require("cold", cold <= depot.cold_kg, f"{cold} kg of {COLD} leave {depot.name} on day {day}")

    def _camp(self, camp: Camp) -> None:
        net: Counter[str] = Counter()
        for day in range(1, self.instance.days + 1):
            for name, good in self.goods.items():
                net[name] += sum(n for key, n in self.units.items() if (key[0], key[2], key[3]) == (day, camp.name, name))
                net[name] -= sum(n.units for n in self.instance.needs if (n.camp, n.good, n.day) == (camp.name, name, day))
                waiting = max(0, -net[name])
                twice = max(0, waiting - camp.queue) if self.instance.has_queues else 0
                self.points += good.points * (waiting + twice)
            if self.instance.limits_store:
                kg = sum(max(0, net[name]) * good.kg for name, good in self.goods.items())
                self.findings.require("store", kg <= camp.store_kg, f"{camp.name} stores {kg} kg at the end of day {day}")

    def _against_accepted(self) -> int:
        if self.previous is None:
            return 0
        before = {(row.day, row.depot, row.camp, row.good): row.units for row in self.previous.shipments}
        changed = sorted(key for key in before.keys() | self.units.keys() if before.get(key) != self.units.get(key))
        for day, depot, camp, good in changed:
            if day < self.instance.first_open:
                self.findings.add("freeze", f"{good} from {depot} to {camp} on day {day} was changed")
        return self.instance.change_points * len(changed)
