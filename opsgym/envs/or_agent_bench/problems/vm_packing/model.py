"""Reference program of the virtual machines: vector bin packing in CP-SAT.

Source: H. I. Christensen et al., Approximation and online algorithms for multidimensional bin packing, Computer Science Review
24 (2017).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, state, table

OMITTABLE = ("cores", "memory", "burst", "apart", "mates", "power")
SECONDS = 0.4
"""Deterministic time limit."""

CLOUD = ""
Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    machines: dict[str, Any] = {
        row["machine"]: {
            "service": row["service"],
            "memory": amount(row, "memory"),
            "burst": int(row["burst"]),
            "licence": row["licence"],
            "mate": row["mate"],
            "state": row["state"] == "yes",
            "cloud": int(row["cloud_cents"]),
            "load": {},
        }
        for row in table(files["data/machines.csv"], ["machine"])
    }
    for row in table(files["data/loads.csv"], ["machine", "part"]):
        machines[row["machine"]]["load"][int(row["part"])] = int(row["millicores"])
    accepted = state(files)
    return {
        "machines": machines,
        "hosts": {host["host"]: host for host in json.loads(files["data/hosts.json"])},
        "platform": settings(files["data/platform.yaml"]),
        "parts": sorted({part for machine in machines.values() for part in machine["load"]}),
        "accepted": {name: host for name, host in _where(accepted).items() if name in machines} if accepted else {},
    }


def _where(plan: Plan) -> dict[str, str]:
    return dict.fromkeys(plan["cloud"], CLOUD) | {place["machine"]: place["host"] for place in plan["places"]}


class _Platform:
    """The model and its variables; the cloud is a place without limits."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.at = {
            (name, host): model.new_bool_var(f"{name} on {host}") for name in data["machines"] for host in (*data["hosts"], CLOUD)
        }
        self.used = {host: model.new_bool_var(f"{host} is used") for host in data["hosts"]}
        self.cost: list[Any] = []
        for name, machine in data["machines"].items():
            model.add_exactly_one(self.at[name, host] for host in (*data["hosts"], CLOUD))
            self.cost.append(self.at[name, CLOUD] * machine["cloud"])
            if machine["mate"] and "mates" not in omit:
                for host in (*data["hosts"], CLOUD):
                    model.add(self.at[name, host] == self.at[machine["mate"], host])
        for name, host in data["hosts"].items():
            self._host(name, host)
        self._racks()
        for name, host in data["accepted"].items():
            self.cost.append((1 - self.at[name, host]) * data["platform"]["move_cents"])
            if data["machines"][name]["state"]:
                model.add(self.at[name, host] == 1)
        model.minimize(sum(self.cost))

    def _host(self, name: str, host: dict[str, Any]) -> None:
        model, data, used = self.model, self.data, self.used[name]
        machines, platform = data["machines"], data["platform"]
        here = {machine: self.at[machine, name] for machine in machines}
        for literal in here.values():
            model.add_implication(literal, used)
        self.cost.append(used * host["cents"])
        burst = model.new_int_var(0, 10**6, "")
        for machine, literal in here.items() if platform["bursts_fit"] and "burst" not in self.omit else ():
            model.add(burst >= machines[machine]["burst"] * literal)
        for part in data["parts"] if "cores" not in self.omit else ():
            load = sum(machines[machine]["load"][part] * literal for machine, literal in here.items())
            model.add(load + burst <= host["millicores"]).only_enforce_if(used)
            model.add(load <= host["millicores"] * used)
        if "memory" not in self.omit:
            model.add(sum(machines[machine]["memory"] * literal for machine, literal in here.items()) <= host["memory_mb"] * used)
        services = sorted({machine["service"] for machine in machines.values()})
        for service in services if platform["replicas_apart"] and "apart" not in self.omit else ():
            model.add_at_most_one(here[machine] for machine in machines if machines[machine]["service"] == service)
        for licence in sorted({machine["licence"] for machine in machines.values()} - {""}) if platform["licence_cents"] else ():
            paid = model.new_bool_var("")
            for machine, literal in here.items():
                if machines[machine]["licence"] == licence:
                    model.add_implication(literal, paid)
            self.cost.append(paid * platform["licence_cents"])

    def _racks(self) -> None:
        hosts, most = self.data["hosts"], self.data["platform"]["rack_watts"]
        for rack in sorted({host["rack"] for host in hosts.values()}) if most and "power" not in self.omit else ():
            self.model.add(sum(self.used[name] * host["watts"] for name, host in hosts.items() if host["rack"] == rack) <= most)


def _plan(where: Mapping[str, str]) -> Plan:
    return {
        "places": [{"machine": name, "host": host} for name, host in where.items() if host != CLOUD],
        "cloud": [name for name, host in where.items() if host == CLOUD],
    }


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best plan within the limit, started from the greedy one."""
    platform = _Platform(data, omit)
    known = _where(greedy(data))
    solver, bound = solved(
        platform.model, SECONDS, effort, [(at, int(known[key[0]] == key[1])) for key, at in platform.at.items()]
    )
    return Solved(_plan({name: host for (name, host), at in platform.at.items() if solver.value(at)}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    named = [place["machine"] for place in plan["places"]] + plan["cloud"]
    if sorted(named) != sorted(data["machines"]) or any(place["host"] not in data["hosts"] for place in plan["places"]):
        return None
    platform, where = _Platform(data), _where(plan)
    for (name, host), at in platform.at.items():
        platform.model.add(at == int(where[name] == host))
    return objective(platform.model)


def greedy(data: Data) -> Plan:
    """First fit, the machines that are dearest in the cloud first; those without room go there."""
    machines = data["machines"]
    where = {
        name: host
        for name, host in data["accepted"].items()
        if machines[name]["state"] or machines[name]["mate"] in data["accepted"]
    }
    where |= {machines[name]["mate"]: host for name, host in list(where.items()) if machines[name]["mate"]}
    done = set(where)
    for name in sorted(machines, key=lambda name: -machines[name]["cloud"]):
        if name in done:
            continue
        group = {
            name,
            *(other for other, of in machines.items() if name in (other, of["mate"]) or machines[name]["mate"] == other),
        }
        fixed = {where[other] for other in group if other in where}
        hosts = list(fixed) or list(data["hosts"])
        host = next((host for host in hosts if host == CLOUD or _fits(data, where, group - done, host)), CLOUD)
        where |= dict.fromkeys(sorted(group - done), host)
        done |= group
    return _plan(where)


def _fits(data: Data, where: Mapping[str, str], group: set[str], name: str) -> bool:
    machines, host, platform = data["machines"], data["hosts"][name], data["platform"]
    inside = [machines[other] for other, place in where.items() if place == name] + [machines[other] for other in sorted(group)]
    burst = max((one["burst"] for one in inside), default=0) if platform["bursts_fit"] else 0
    used = {place for place in where.values() if place != CLOUD} | {name}
    watts = sum(data["hosts"][other]["watts"] for other in used if data["hosts"][other]["rack"] == host["rack"])
    services = [one["service"] for one in inside]
    return (
        all(sum(one["load"][part] for one in inside) + burst <= host["millicores"] for part in data["parts"])
        and sum(one["memory"] for one in inside) <= host["memory_mb"]
        and (not platform["replicas_apart"] or len(set(services)) == len(services))
        and (not platform["rack_watts"] or watts <= platform["rack_watts"])
    )
