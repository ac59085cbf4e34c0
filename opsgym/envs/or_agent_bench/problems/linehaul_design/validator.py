"""Validator of the night linehaul: follows every freight from night to night, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.linehaul_design.brief import rules
from opsgym.envs.or_agent_bench.problems.linehaul_design.instance import Freight, Instance, Move, Plan

Ride = tuple[int, str, str]


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.plan = plan
        self.findings = Findings(rules(instance))
        self.legs = {(leg.origin, leg.to): leg for leg in instance.legs}
        self.freights = {freight.name: freight for freight in instance.freights}
        self.terminals = {terminal.name: terminal for terminal in instance.terminals}
        self.trucks: Counter[Ride] = Counter()
        self.loads: Counter[Ride] = Counter()
        self.handled: Counter[tuple[int, str]] = Counter()

    def report(self) -> Report:
        """All rules, one after the other."""
        self._trucks()
        self._coverage()
        for freight in self.instance.freights:
            self._follow(freight, sorted((m for m in self.plan.moves if m.freight == freight.name), key=lambda m: m.night))
        for (night, origin, to), pallets in sorted(self.loads.items()):
            room = self.instance.truck_pallets * self.trucks[night, origin, to]
            self.findings.require("capacity", pallets <= room, f"{pallets} pallets from {origin} to {to} in night {night}")
        for (night, name), pallets in sorted(self.handled.items()) if self.instance.limits_handling else ():
            within = pallets <= self.terminals[name].handling
            self.findings.require("handling", within, f"{name} handles {pallets} pallets in night {night}")
        cents = sum(count * self.legs[origin, to].truck_cents for (_, origin, to), count in self.trucks.items())
        cents += self.instance.handling_cents * sum(self.handled.values())
        cents += sum(self.freights[name].courier_cents for name in self.plan.courier if name in self.freights)
        return self.findings.report(cents)

    def _trucks(self) -> None:
        for row in self.plan.trucks:
            ride = row.night, row.origin, row.to
            known = (row.origin, row.to) in self.legs and 1 <= row.night <= self.instance.nights and row.count >= 1
            self.findings.require(
                "form", known and ride not in self.trucks, f"trucks {row.origin} to {row.to} in night {row.night}"
            )
            if known and ride not in self.trucks:
                self.trucks[ride] = row.count
        for name, terminal in self.terminals.items():
            if self.instance.limits_docks:
                for night in range(1, self.instance.nights + 1):
                    out = sum(count for (when, origin, _), count in self.trucks.items() if (when, origin) == (night, name))
                    self.findings.require("docks", out <= terminal.docks, f"{out} trucks leave {name} in night {night}")
            if self.instance.balances:
                out = sum(count for (_, origin, _), count in self.trucks.items() if origin == name)
                back = sum(count for (_, _, to), count in self.trucks.items() if to == name)
                self.findings.require("balance", out == back, f"{out} trucks leave {name}, {back} arrive")

    def _coverage(self) -> None:
        moved = {move.freight for move in self.plan.moves}
        courier = Counter(self.plan.courier)
        for name in sorted(self.freights.keys() | moved | courier.keys()):
            once = name in self.freights and (name in moved) + courier[name] == 1
            self.findings.require("coverage", once, f"{name} moves: {name in moved}, by courier {courier[name]} times")

    def _follow(self, freight: Freight, moves: list[Move]) -> None:
        place, night = freight.origin, freight.ready - 1
        for move in moves:
            good = move.origin == place and (move.origin, move.to) in self.legs and move.night > night
            self.findings.require(
                "path", good, f"{freight.name} cannot ride from {move.origin} to {move.to} in night {move.night}"
            )
            place, night = move.to, move.night
            self.loads[move.night, move.origin, move.to] += freight.pallets
            if move.to != freight.to and move.to in self.terminals:
                self.handled[move.night, move.to] += freight.pallets
                if self.instance.avoids and freight.is_dangerous:
                    passes = self.terminals[move.to].takes_dangerous
                    self.findings.require("dangerous", passes, f"{freight.name} arrives at {move.to}")
        if moves:
            there = place == freight.to and night <= freight.due
            self.findings.require("path", there, f"{freight.name} is at {place} after night {night}")
