"""Validator of the filling line: walks from day to day, and knows nothing of the model."""

from __future__ import annotations

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.lot_sizing.brief import rules
from opsgym.envs.or_agent_bench.problems.lot_sizing.instance import Instance, Item, Lot, Plan


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, day by day."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.plan = plan
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.items = {item.name: item for item in instance.items}
        self.filled: dict[tuple[str, int], int] = {}
        self.cents = 0

    def report(self) -> Report:
        """All rules, one after the other."""
        for lot in self.plan.lots:
            self._lot(lot)
        for day in range(1, len(self.instance.minutes) + 1):
            self._line(day)
        self._stocks()
        self._freeze()
        charge = self._charge()
        return self.findings.report(self.cents + charge, charge)

    def _lot(self, lot: Lot) -> None:
        label = f"lot of {lot.item} on day {lot.day}"
        exists = lot.item in self.items and 1 <= lot.day <= len(self.instance.minutes) and lot.units >= 1
        if not exists or (lot.item, lot.day) in self.filled:
            self.findings.add("lots", f"{label} with {lot.units} units does not exist or is there twice")
            return
        item = self.items[lot.item]
        if item.least > 1:
            self.findings.require("least", lot.units >= item.least, f"{label} has {lot.units} units, at least {item.least}")
        if item.batch > 1:
            self.findings.require("batch", lot.units % item.batch == 0, f"{label} has {lot.units} units, batches of {item.batch}")
        self.filled[lot.item, lot.day] = lot.units
        self.cents += item.setup_cents

    def _line(self, day: int) -> None:
        today = [(self.items[name], units) for (name, when), units in self.filled.items() if when == day]
        seconds = sum(60 * item.setup_minutes + item.unit_seconds * units for item, units in today)
        over = max(0, -(-seconds // 60) - self.instance.minutes[day - 1])
        self.findings.require("capacity", over <= self.instance.overtime, f"day {day} needs {over} minutes of overtime")
        self.cents += over * self.instance.overtime_cents
        if self.instance.most_items:
            self.findings.require("changeovers", len(today) <= self.instance.most_items, f"{len(today)} items on day {day}")

    def _stocks(self) -> None:
        net = {item.name: item.stock for item in self.instance.items}
        for day in range(1, len(self.instance.minutes) + 1):
            for item in self.instance.items:
                net[item.name] += self.filled.get((item.name, day), 0) - self._due(item, day, day)
                self.cents += item.holding_cents * max(0, net[item.name]) + item.late_cents * max(0, -net[item.name])
                if self.instance.shelf_days:
                    most = self._due(item, day + 1, day + self.instance.shelf_days)
                    held = f"{net[item.name]} of {item.name} in stock at the end of day {day}, orders for {most}"
                    self.findings.require("shelf", net[item.name] <= most, held)
            litres = sum(max(0, net[item.name]) * item.litres for item in self.instance.items)
            if self.instance.store_litres:
                fits = litres <= self.instance.store_litres
                self.findings.require("store", fits, f"{litres} litres at the end of day {day}")

    def _due(self, item: Item, first: int, last: int) -> int:
        return sum(order.units for order in self.instance.orders if order.item == item.name and first <= order.day <= last)

    def _freeze(self) -> None:
        if self.previous is None:
            return
        first = self.instance.first_open
        before, now = ({lot for lot in plan.lots if lot.day < first} for plan in (self.previous, self.plan))
        for lot in sorted(before ^ now, key=lambda lot: (lot.day, lot.item, lot.units)):
            self.findings.add("freeze", f"the lot of {lot.item} on day {lot.day} was changed")

    def _charge(self) -> int:
        if self.previous is None:
            return 0
        return self.instance.change_cents * len({(lot.item, lot.day) for lot in self.previous.lots} ^ self.filled.keys())
