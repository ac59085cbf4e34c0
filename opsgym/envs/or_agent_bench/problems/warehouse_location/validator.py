"""Validator of the store depots: adds up what each depot is asked for, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.warehouse_location.brief import rules
from opsgym.envs.or_agent_bench.problems.warehouse_location.instance import Instance, Plan, Service


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a choice of depots."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, by store and by depot."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance, self.plan = instance, plan
        self.findings = Findings(rules(instance))
        self.depots = {depot.name: depot for depot in instance.depots}
        self.stores = {store.name: store for store in instance.stores}
        self.open = {name for name in plan.open if name in self.depots}
        self.services = [row for row in plan.services if self._is_known(row)]

    def report(self) -> Report:
        """All rules, one after the other."""
        self._coverage()
        self._opened()
        load: Counter[str] = Counter()
        for row in self.services:
            load[row.depot] += self.stores[row.store].goods
            self._service(row)
        for name, goods in load.items():
            capacity = self.depots[name].capacity
            self.findings.require("capacity", goods <= capacity, f"{name} is asked for {goods} of {capacity} kg")
        self._network()
        return self.findings.report(self._cost())

    def _is_known(self, row: Service) -> bool:
        known = row.store in self.stores and row.depot in self.depots and (not row.backup or row.backup in self.depots)
        self.findings.require("coverage", known, f"there is no store {row.store}, depot {row.depot} or backup {row.backup}")
        return known

    def _coverage(self) -> None:
        times = Counter(row.store for row in self.services)
        for name in self.stores:
            self.findings.require("coverage", times[name] == 1, f"{name} is served {times[name]} times")
        for row in self.services:
            fits = bool(row.backup) == self.stores[row.store].has_priority and row.backup != row.depot
            self.findings.require("coverage", fits, f"{row.store} has the backup {row.backup or 'none'}")

    def _opened(self) -> None:
        for name, count in Counter(self.plan.open).items():
            known = count == 1 and name in self.depots
            self.findings.require("open", known, f"{name} is opened {count} times, or is not in the list")
        for row in self.services:
            shut = {row.depot, row.backup or row.depot} - self.open
            self.findings.require("open", not shut, f"{row.store} counts on {', '.join(sorted(shut))}, which is not open")

    def _service(self, row: Service) -> None:
        store, find = self.stores[row.store], self.findings
        away = self.instance.roads[f"{row.depot}>{row.store}"]
        find.require("reach", away <= self.instance.most_km, f"{row.store} lies {away} km from {row.depot}")
        if row.backup:
            away = self.instance.roads[f"{row.backup}>{row.store}"]
            find.require("reach", away <= self.instance.backup_km, f"{row.store} lies {away} km from its backup {row.backup}")
        if store.is_chilled:
            find.require("cold", self.depots[row.depot].is_cold, f"{row.store} has chilled goods, {row.depot} is not cold")
        if store.tied:
            find.require("ties", row.depot == store.tied, f"{row.store} is tied to {store.tied}, not to {row.depot}")

    def _network(self) -> None:
        instance, find = self.instance, self.findings
        for name in sorted(self.open):
            other = self.depots[name].excludes
            if other:
                find.require("exclusion", other not in self.open, f"{name} and {other} are open")
        if instance.most_open:
            find.require("count", len(self.open) <= instance.most_open, f"{len(self.open)} depots are open")
        if instance.every_region:
            served = {self.depots[name].region for name in self.open}
            for region in sorted({depot.region for depot in instance.depots} - served):
                find.add("regions", f"nothing is open in {region}")
        closed = sorted(depot.name for depot in instance.depots if depot.closing_cents and depot.name not in self.open)
        if instance.most_closed >= 0:
            find.require("closings", len(closed) <= instance.most_closed, f"{', '.join(closed)} close")

    def _cost(self) -> int:
        cost = sum(depot.week_cents if depot.name in self.open else depot.closing_cents for depot in self.instance.depots)
        for row in self.services:
            trips = -(-self.stores[row.store].goods // self.instance.van_kg)
            cost += trips * self.instance.roads[f"{row.depot}>{row.store}"] * self.instance.km_cents
        return cost
