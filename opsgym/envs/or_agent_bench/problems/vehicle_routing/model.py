"""Reference program of the collection tours: one circuit a vehicle in CP-SAT.

Source: P. Toth and D. Vigo, Vehicle Routing (2014), chapter 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, amount, objective, settings, solved, state, table

OMITTABLE = ("windows", "capacity", "lift", "apart", "ramp", "shift")
SECONDS = 0.8
"""Deterministic time limit."""

DEPOT = "DEPOT"
Data = dict[str, Any]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    orders = {}
    for row in table(files["data/orders.csv"], ["order"]):
        numbers = {name: int(row[name]) for name in ("service", "opens", "closes", "carrier_cents")}
        texts = {"site": row["site"], "goods": row["goods"], "cage": row["cage"] == "yes"}
        orders[row["order"]] = numbers | texts | {"kg": amount(row, "kg")}
    legs = {(row["from"], row["to"]): (amount(row, "metres"), int(row["minutes"])) for row in table(files["data/legs.csv"])}
    depot = settings(files["data/depot.yaml"])
    accepted = state(files)
    return {
        "orders": orders,
        "vehicles": {vehicle["vehicle"]: vehicle for vehicle in json.loads(files["data/fleet.json"])},
        "legs": legs,
        "depot": depot,
        "frozen_until": depot.get("frozen_until", 0) if accepted else 0,
        "accepted": accepted,
    }


def _way(data: Data, origin: str, to: str) -> tuple[int, int]:
    a, b = (DEPOT if name == DEPOT else data["orders"][name]["site"] for name in (origin, to))
    found: tuple[int, int] = (0, 0) if a == b else data["legs"][a, b]
    return found


class _Fleet:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        orders, vehicles = data["orders"], data["vehicles"]
        self.latest = 2 * max([vehicle["ends"] for vehicle in vehicles.values()] + [order["closes"] for order in orders.values()])
        self.start = {name: model.new_int_var(0, self.latest, f"start {name}") for name in orders}
        self.carrier = {name: model.new_bool_var(f"carrier {name}") for name in orders}
        self.on = {(name, vehicle): model.new_bool_var(f"{name} on {vehicle}") for name in orders for vehicle in vehicles}
        self.used = {vehicle: model.new_bool_var(f"{vehicle} is used") for vehicle in vehicles}
        self.leave = {vehicle: model.new_int_var(0, self.latest, f"leave {vehicle}") for vehicle in vehicles}
        self.arc: dict[tuple[str, str, str], Any] = {}
        self.cost: list[Any] = []
        for vehicle in vehicles:
            self._circuit(vehicle)
            self._load(vehicle)
        self._orders()
        self._ramp()
        if data["accepted"]:
            self._frozen()
            self._moves()
        model.minimize(sum(self.cost))

    def _circuit(self, vehicle: str) -> None:
        data, model = self.data, self.model
        of, names = data["vehicles"][vehicle], list(data["orders"])
        place = {DEPOT: 0} | {name: number for number, name in enumerate(names, start=1)}
        arcs: list[Any] = [(0, 0, ~self.used[vehicle])] + [(place[name], place[name], ~self.on[name, vehicle]) for name in names]
        over = model.new_int_var(0, self.latest, "")
        for a in place:
            for b in place:
                if a == b:
                    continue
                literal = self.arc[vehicle, a, b] = model.new_bool_var("")
                arcs.append((place[a], place[b], literal))
                metres, minutes = _way(data, a, b)
                self.cost.append(literal * (metres * of["km_cents"] // 1000))
                free = self.leave[vehicle] if a == DEPOT else self.start[a] + data["orders"][a]["service"]
                if b != DEPOT:
                    model.add(self.start[b] >= free + minutes).only_enforce_if(literal)
                    continue
                if "shift" not in self.omit:
                    model.add(free + minutes <= of["ends"]).only_enforce_if(literal)
                if data["depot"]["regular_minutes"]:
                    regular = data["depot"]["regular_minutes"]
                    model.add(over >= free + minutes - self.leave[vehicle] - regular).only_enforce_if(literal)
        model.add_circuit(arcs)
        if "shift" not in self.omit:
            model.add(self.leave[vehicle] >= of["begins"]).only_enforce_if(self.used[vehicle])
        self.cost += [self.used[vehicle] * of["tour_cents"], over * data["depot"]["overtime_cents"]]

    def _load(self, vehicle: str) -> None:
        data, model = self.data, self.model
        of, orders = data["vehicles"][vehicle], data["orders"]
        if "capacity" not in self.omit:
            model.add(sum(orders[name]["kg"] * self.on[name, vehicle] for name in orders) <= of["kg"])
        if data["depot"]["cages_need_lift"] and not of["lift"] and "lift" not in self.omit:
            model.add(sum(self.on[name, vehicle] for name in orders if orders[name]["cage"]) == 0)
        if data["depot"]["kept_apart"] and "apart" not in self.omit:
            one, other = data["depot"]["kept_apart"]
            has_one = model.new_bool_var("")
            for name, order in orders.items():
                if order["goods"] == one:
                    model.add_implication(self.on[name, vehicle], has_one)
                if order["goods"] == other:
                    model.add_implication(self.on[name, vehicle], ~has_one)

    def _orders(self) -> None:
        for name, order in self.data["orders"].items():
            vehicles = self.data["vehicles"]
            self.model.add_exactly_one([self.carrier[name], *(self.on[name, vehicle] for vehicle in vehicles)])
            if "windows" not in self.omit:
                self.model.add_linear_constraint(self.start[name], order["opens"], order["closes"])
            self.cost.append(self.carrier[name] * order["carrier_cents"])

    def _ramp(self) -> None:
        gap, model = self.data["depot"]["ramp_gap"], self.model
        for a, b in combinations(self.used, 2) if gap and "ramp" not in self.omit else ():
            first, both = model.new_bool_var(""), [self.used[a], self.used[b]]
            model.add(self.leave[b] >= self.leave[a] + gap).only_enforce_if([first, *both])
            model.add(self.leave[a] >= self.leave[b] + gap).only_enforce_if([~first, *both])

    def _frozen(self) -> None:
        data, model, limit = self.data, self.model, self.data["frozen_until"]
        kept, left = _kept(data)
        for vehicle in data["vehicles"]:
            if vehicle in left:
                leave, first = left[vehicle]
                model.add(self.leave[vehicle] == leave)
                model.add(self.arc[vehicle, DEPOT, first] == 1)
            else:
                model.add(self.leave[vehicle] >= limit).only_enforce_if(self.used[vehicle])
        for name in data["orders"]:
            if name in kept:
                model.add(self.on[name, kept[name][0]] == 1)
                model.add(self.start[name] == kept[name][1])
            else:
                model.add(self.start[name] >= limit).only_enforce_if(~self.carrier[name])

    def _moves(self) -> None:
        cents, accepted = self.data["depot"]["move_cents"], self.data["accepted"]
        for tour in accepted["tours"]:
            self.cost += [(1 - self.on[stop["order"], tour["vehicle"]]) * cents for stop in tour["stops"]]
        self.cost += [(1 - self.carrier[name]) * cents for name in accepted["carrier"]]

    def plan(self, solver: Any) -> Plan:
        """The tours that the solver found."""
        tours = []
        for vehicle in self.data["vehicles"]:
            stops, place = [], DEPOT
            while True:
                arcs = (b for b in (DEPOT, *self.data["orders"]) if b != place and solver.value(self.arc[vehicle, place, b]))
                place = next(arcs, DEPOT)
                if place == DEPOT:
                    break
                stops.append({"order": place, "start": solver.value(self.start[place])})
            if stops:
                tours.append({"vehicle": vehicle, "leave": solver.value(self.leave[vehicle]), "stops": stops})
        return {"tours": tours, "carrier": [name for name in self.data["orders"] if solver.value(self.carrier[name])]}

    def values(self, plan: Plan) -> list[tuple[Any, int]]:
        """The decisions of a plan, variable by variable."""
        taker = {stop["order"]: tour["vehicle"] for tour in plan["tours"] for stop in tour["stops"]}
        found = [(self.carrier[name], int(name not in taker)) for name in self.data["orders"]]
        found += [(literal, int(taker.get(name) == vehicle)) for (name, vehicle), literal in self.on.items()]
        for tour in plan["tours"]:
            way = [DEPOT, *(stop["order"] for stop in tour["stops"]), DEPOT]
            found.append((self.leave[tour["vehicle"]], tour["leave"]))
            found += [(self.start[stop["order"]], stop["start"]) for stop in tour["stops"]]
            found += [(self.arc[tour["vehicle"], a, b], 1) for a, b in pairwise(way)]
        return found


def _kept(data: Data) -> tuple[dict[str, tuple[str, int]], dict[str, tuple[int, str]]]:
    """The frozen stops with vehicle and start, and the vehicles that have left with departure and first stop."""
    limit = data["frozen_until"]
    kept: dict[str, tuple[str, int]] = {}
    left = {}
    for tour in data["accepted"]["tours"] if data["accepted"] else ():
        if tour["leave"] < limit:
            left[tour["vehicle"]] = tour["leave"], tour["stops"][0]["order"]
        for number, stop in enumerate(tour["stops"]):
            if stop["start"] < limit or (number == 0 and tour["leave"] < limit):
                kept[stop["order"]] = tour["vehicle"], stop["start"]
    return kept, left


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best tours within the limit, started from the greedy ones."""
    fleet = _Fleet(data, omit)
    solver, bound = solved(fleet.model, SECONDS, effort, fleet.values(greedy(data)))
    return Solved(fleet.plan(solver) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    planned = [stop["order"] for tour in plan["tours"] for stop in tour["stops"]] + plan["carrier"]
    used = [tour["vehicle"] for tour in plan["tours"]]
    if sorted(planned) != sorted(data["orders"]) or len(set(used)) < len(used) or not set(used) <= set(data["vehicles"]):
        return None
    if not all(tour["stops"] for tour in plan["tours"]):
        return None
    fleet = _Fleet(data)
    for variable, value in fleet.values(plan):
        fleet.model.add(variable == value)
    return objective(fleet.model)


def greedy(data: Data) -> Plan:
    """Orders by the end of their window, each behind a tour where it adds least cost, else to the carrier."""
    limit, gap = data["frozen_until"], data["depot"]["ramp_gap"]
    kept, _ = _kept(data)
    tours: dict[str, Any] = {}
    for tour in data["accepted"]["tours"] if data["accepted"] else ():
        stops = [stop for stop in tour["stops"] if stop["order"] in kept]
        if stops:
            tours[tour["vehicle"]] = {"vehicle": tour["vehicle"], "leave": tour["leave"], "stops": stops}
    carrier = []
    for name in sorted((name for name in data["orders"] if name not in kept), key=lambda name: data["orders"][name]["closes"]):
        options = [option for vehicle in data["vehicles"] if (option := _behind(data, tours, vehicle, name, limit, gap))]
        best = min(options, key=lambda option: option[0], default=None)
        if best is None or best[0] > data["orders"][name]["carrier_cents"]:
            carrier.append(name)
        else:
            tours[best[1]["vehicle"]] = best[1]
    return {"tours": list(tours.values()), "carrier": carrier}


def _behind(data: Data, tours: dict[str, Any], vehicle: str, name: str, limit: int, gap: int) -> tuple[int, Any] | None:
    """What it costs to put an order behind a vehicle's tour, and that tour; ``None`` where a rule forbids it."""
    orders, of, order = data["orders"], data["vehicles"][vehicle], data["orders"][name]
    tour = tours.get(vehicle)
    stops = tour["stops"] if tour else []
    carried = [orders[stop["order"]] for stop in stops] + [order]
    kinds = {one["goods"] for one in carried}
    if sum(one["kg"] for one in carried) > of["kg"] or (
        data["depot"]["kept_apart"] and set(data["depot"]["kept_apart"]) <= kinds
    ):
        return None
    if order["cage"] and data["depot"]["cages_need_lift"] and not of["lift"]:
        return None
    last = stops[-1]["order"] if stops else DEPOT
    leave = tour["leave"] if tour else max(of["begins"], limit, order["opens"] - _way(data, DEPOT, name)[1])
    while not tour and any(abs(leave - other["leave"]) < gap for other in tours.values()):
        leave += 1
    free = stops[-1]["start"] + orders[last]["service"] if stops else leave
    start = max(free + _way(data, last, name)[1], order["opens"], limit)
    back = start + order["service"] + _way(data, name, DEPOT)[1]
    if start > order["closes"] or back > of["ends"]:
        return None
    metres = _way(data, last, name)[0] + _way(data, name, DEPOT)[0] - (_way(data, last, DEPOT)[0] if stops else 0)
    cost = metres * of["km_cents"] // 1000 + (0 if tour else of["tour_cents"])
    regular = data["depot"]["regular_minutes"]
    if regular:
        before = free + _way(data, last, DEPOT)[1] - leave if stops else 0
        cost += data["depot"]["overtime_cents"] * (max(0, back - leave - regular) - max(0, before - regular))
    return cost, {"vehicle": vehicle, "leave": leave, "stops": [*stops, {"order": name, "start": start}]}
