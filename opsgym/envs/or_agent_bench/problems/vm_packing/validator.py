"""Validator of the virtual machines: fills the hosts one by one, and knows nothing of the model."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.or_agent_bench.contract import Findings, Report
from opsgym.envs.or_agent_bench.problems.vm_packing.brief import rules
from opsgym.envs.or_agent_bench.problems.vm_packing.instance import Host, Instance, Machine, Plan

CLOUD = ""


def validate(instance: Instance, plan: Plan, previous: Plan | None = None) -> Report:
    """Judge a plan."""
    return _Look(instance, plan, previous).report()


class _Look:
    """One plan, host by host."""

    def __init__(self, instance: Instance, plan: Plan, previous: Plan | None) -> None:
        self.instance = instance
        self.plan = plan
        self.previous = previous
        self.findings = Findings(rules(instance))
        self.machines = {machine.name: machine for machine in instance.machines}
        self.inside: dict[str, list[Machine]] = {host.name: [] for host in instance.hosts}
        for place in plan.places:
            known = place.machine in self.machines and place.host in self.inside
            self.findings.require("coverage", known, f"there is no {place.machine} or no {place.host}")
            if known:
                self.inside[place.host].append(self.machines[place.machine])
        self.where = _where(plan)

    def report(self) -> Report:
        """All rules, one after the other."""
        times = Counter(place.machine for place in self.plan.places) + Counter(self.plan.cloud)
        for name in sorted(times.keys() | self.machines.keys()):
            known = name in self.machines and times[name] == 1
            self.findings.require("coverage", known, f"{name} is placed {times[name]} times")
        cents = sum(self.machines[name].cloud_cents for name in self.plan.cloud if name in self.machines)
        cents += sum(self._host(host, self.inside[host.name]) for host in self.instance.hosts)
        self._racks()
        self._mates()
        charge = self._moves()
        return self.findings.report(cents + charge, charge)

    def _host(self, host: Host, inside: list[Machine]) -> int:
        if not inside:
            return 0
        for part in range(len(inside[0].millicores)):
            load = sum(machine.millicores[part] for machine in inside)
            label = f"{host.name} in part {part + 1}"
            self.findings.require("cores", load <= host.millicores, f"{label} has a load of {load} of {host.millicores}")
            if self.instance.has_bursts:
                peak = load + max(machine.burst for machine in inside)
                self.findings.require("burst", peak <= host.millicores, f"{label} may peak at {peak} of {host.millicores}")
        memory = sum(machine.megabytes for machine in inside)
        self.findings.require("memory", memory <= host.megabytes, f"{host.name} needs {memory} MB of {host.megabytes}")
        if self.instance.keeps_apart:
            for service, count in Counter(machine.service for machine in inside).items():
                self.findings.require("apart", count == 1, f"{host.name} has {count} replicas of {service}")
        licences = {machine.licence for machine in inside if machine.licence}
        return host.cents + self.instance.licence_cents * len(licences)

    def _racks(self) -> None:
        watts: Counter[str] = Counter()
        for host in self.instance.hosts:
            watts[host.rack] += host.watts if self.inside[host.name] else 0
        for rack, drawn in sorted(watts.items()) if self.instance.rack_watts else ():
            self.findings.require("power", drawn <= self.instance.rack_watts, f"{rack} draws {drawn} watts")

    def _mates(self) -> None:
        for machine in self.instance.machines:
            if machine.mate:
                together = self.where.get(machine.name) == self.where.get(machine.mate)
                self.findings.require("mates", together, f"{machine.name} is not with {machine.mate}")

    def _moves(self) -> int:
        before = _where(self.previous) if self.previous else {}
        moved = [m for m in self.instance.machines if m.name in before and self.where.get(m.name) != before[m.name]]
        for machine in moved:
            if machine.has_state:
                self.findings.add("freeze", f"{machine.name} has state and was moved")
        return self.instance.move_cents * len(moved)


def _where(plan: Plan) -> dict[str, str]:
    """The host of each machine; the cloud has no name."""
    return dict.fromkeys(plan.cloud, CLOUD) | {place.machine: place.host for place in plan.places}
