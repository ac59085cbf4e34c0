"""Validator of the bus blocks: drives every block from depot to depot, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.bus_blocks.brief import rules
from opsgym.envs.or_agent_bench.problems.bus_blocks.instance import Depot, Instance, Plan, Trip


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.plan = plan
        self.findings = Findings(rules(instance))
        self.trips = {trip.name: trip for trip in instance.trips}
        self.depots = {depot.name: depot for depot in instance.depots}
        self.ways = {(row.origin, row.to): (row.minutes, row.metres) for row in instance.deadheads}
        self.long: Counter[str] = Counter()
        self.leaving: Counter[tuple[str, int]] = Counter()
        self.cents = 0

    def report(self) -> Report:
        """All rules, one after the other."""
        self._coverage()
        for number, block in enumerate(self.plan.blocks, start=1):
            depot = self.depots.get(block.depot)
            trips = [self.trips[name] for name in block.trips if name in self.trips]
            self.findings.require("form", depot is not None and bool(block.trips), f"block {number} of {block.depot}")
            if depot and trips:
                self._drive(f"block {number}", depot, trips)
        self._depots()
        self._links()
        return self.findings.report(self.cents)

    def _way(self, origin: str, to: str) -> tuple[int, int]:
        return (0, 0) if origin == to else self.ways[origin, to]

    def _coverage(self) -> None:
        times = Counter(name for block in self.plan.blocks for name in block.trips)
        for name in {**self.trips, **times}:
            due = int(name in self.trips)
            self.findings.require("coverage", times[name] == due, f"{name} is driven {times[name]} times, expected {due}")

    def _drive(self, label: str, depot: Depot, trips: list[Trip]) -> None:
        """One block, from the depot to the depot."""
        instance, find = self.instance, self.findings
        out, metres = self._way(depot.name, trips[0].origin)
        home, back = self._way(trips[-1].to, depot.name)
        empty, standing, changes = out + home, 0, 0
        metres += back + sum(trip.metres for trip in trips)
        for before, trip in pairwise(trips):
            way, far = self._way(before.to, trip.origin)
            ready = before.arrives + instance.turn_minutes + way
            find.require("chain", ready <= trip.departs, f"{label} is ready for {trip.name} at {ready}, not {trip.departs}")
            empty, metres = empty + way, metres + far
            standing += trip.departs - before.arrives - way
            changes += trip.line != before.line
        if instance.limits_range:
            find.require("range", metres <= depot.metres, f"{label} is {metres} m long, the range is {depot.metres} m")
        if instance.longest:
            under_way = trips[-1].arrives + home - trips[0].departs + out
            find.require("longest", under_way <= instance.longest, f"{label} is under way for {under_way} minutes")
        if instance.most_changes >= 0:
            find.require("lines", changes <= instance.most_changes, f"{label} changes lines {changes} times")
        for trip in trips if instance.binds_low_floor else ():
            fits = depot.has_low_floor or not trip.needs_low_floor
            find.require("low_floor", fits, f"{label} of {depot.name} drives {trip.name}")
        self.long[depot.name] += metres > instance.charge_metres
        self.leaving[depot.name, (trips[0].departs - out) // 60] += 1
        self.cents += depot.bus_cents + empty * instance.deadhead_cents + standing * instance.wait_cents

    def _depots(self) -> None:
        instance, find = self.instance, self.findings
        blocks = Counter(block.depot for block in self.plan.blocks)
        for name, depot in self.depots.items():
            find.require("buses", blocks[name] <= depot.buses, f"{name} has {blocks[name]} blocks for {depot.buses} buses")
            if instance.charge_metres:
                count = self.long[name]
                find.require("chargers", count <= depot.chargers, f"{name} has {count} long blocks for {depot.chargers} chargers")
        for (name, hour), count in self.leaving.items() if instance.limits_gate else ():
            find.require("gate", count <= self.depots[name].gate, f"{count} buses leave {name} in hour {hour}")

    def _links(self) -> None:
        instance, find = self.instance, self.findings
        driven = {pair for block in self.plan.blocks for pair in pairwise(block.trips)}
        broken = [link for link in instance.links if (link.first, link.second) not in driven]
        self.cents += len(broken) * instance.break_cents
        if instance.most_broken >= 0:
            find.require("broken", len(broken) <= instance.most_broken, f"{len(broken)} links are broken")
        for link in broken:
            if link.is_fixed:
                find.add("fixed", f"{link.first} is not followed by {link.second}")
