"""Validator of the blood supply: counts bags by lot, request and hospital, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.blood_supply.brief import rules
from opsgym.envs.or_agent_bench.problems.blood_supply.instance import FITS, RARE, Instance, Lot, Plan, Request, Send


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan).report()


class _Look:
    """One plan, bag by bag."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.findings = Findings(rules(instance))
        self.lots = {lot.name: lot for lot in instance.lots}
        self.requests = {request.name: request for request in instance.requests}
        self.sent: Counter[str] = Counter()
        self.got: Counter[str] = Counter()
        self.packed: Counter[tuple[str, int]] = Counter()
        self.courier: Counter[int] = Counter()
        self.rare: Counter[int] = Counter()
        self.substituted = 0
        seen: set[tuple[str, str]] = set()
        for row in plan.sends:
            pair = row.lot, row.request
            well = row.lot in self.lots and row.request in self.requests and row.bags >= 1 and pair not in seen
            self.findings.require("form", well, f"{row.bags} bags of {row.lot} for {row.request}")
            if well:
                seen.add(pair)
                self._send(row, self.lots[row.lot], self.requests[row.request])

    def _send(self, row: Send, lot: Lot, request: Request) -> None:
        label = f"{row.bags} bags of {lot.name} ({lot.group}) for {request.name} ({request.group})"
        self.findings.require("group", request.group in FITS[lot.group], f"{label} do not fit")
        self.findings.require("age", lot.arrives <= request.day <= lot.last, f"{label} on day {request.day}")
        if self.instance.fresh_days and request.needs_fresh:
            fresh = lot.last - request.day >= self.instance.fresh_days
            self.findings.require("fresh", fresh, f"{label} are not fresh on day {request.day}")
        self.sent[lot.name] += row.bags
        self.got[request.name] += row.bags
        self.packed[request.hospital, request.day] += row.bags
        self.courier[request.day] += row.bags
        if lot.group != request.group:
            self.substituted += row.bags
            self.rare[request.day] += row.bags if lot.group == RARE else 0

    def report(self) -> Report:
        """All rules, one after the other."""
        instance = self.instance
        for name, lot in self.lots.items():
            self.findings.require(
                "stock", self.sent[name] <= lot.bags, f"{self.sent[name]} bags of {name} are sent, it has {lot.bags}"
            )
        for name, request in self.requests.items():
            within = self.got[name] <= request.bags
            self.findings.require("request", within, f"{name} gets {self.got[name]} bags, it needs {request.bags}")
        for day in range(1, instance.days + 1):
            if instance.courier_bags:
                within = self.courier[day] <= instance.courier_bags
                self.findings.require("courier", within, f"{self.courier[day]} bags are sent on day {day}")
            if instance.rare_bags:
                within = self.rare[day] <= instance.rare_bags
                self.findings.require("rare", within, f"{self.rare[day]} bags of {RARE} go to other groups on day {day}")
        for hospital in instance.hospitals if instance.fair_percent else ():
            own = [request for request in instance.requests if request.hospital == hospital.name]
            needed, got = sum(request.bags for request in own), sum(self.got[request.name] for request in own)
            fair = 100 * got >= instance.fair_percent * needed
            self.findings.require("fair", fair, f"{hospital.name} gets {got} of {needed} bags from the bank")
        return self.findings.report(self._cents())

    def _cents(self) -> int:
        instance = self.instance
        flown = sum(request.flown_cents * max(0, request.bags - self.got[request.name]) for request in instance.requests)
        waste = sum(max(0, lot.bags - self.sent[lot.name]) for lot in instance.lots if lot.last <= instance.days)
        price = {hospital.name: hospital.box_cents for hospital in instance.hospitals}
        boxes = sum(price[hospital] * -(-bags // instance.box_bags) for (hospital, _), bags in self.packed.items())
        return flown + instance.waste_cents * waste + boxes + instance.substitute_cents * self.substituted
