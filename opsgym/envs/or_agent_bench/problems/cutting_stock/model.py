"""Reference program of the bar cutting: all patterns are listed, and CP-SAT says how often each is used.

Source: P. C. Gilmore and R. E. Gomory, A linear programming approach to the cutting-stock problem, Operations Research 9 (1961).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan, Solved, objective, settings, solved, table

OMITTABLE = ("length", "stock", "saw", "bins", "grade", "orders")
SECONDS = 0.5
"""Deterministic time limit."""

GRADES = ("S235", "S275", "S355")
Data = dict[str, Any]
Pattern = tuple[tuple[str, int], ...]


def read(files: Mapping[str, str]) -> Data:
    """The data of the files."""
    pieces = {
        row["piece"]: {"length": int(row["length"]), "grade": GRADES.index(row["grade"])}
        for row in table(files["data/pieces.csv"], ["piece"])
    }
    bars = {bar["bar"]: bar | {"grade": GRADES.index(bar["grade"])} for bar in json.loads(files["data/bars.json"])}
    saw = settings(files["data/saw.yaml"])
    due = {(piece, day): 0 for piece in pieces for day in range(1, saw["days"] + 1)}
    for row in table(files["data/orders.csv"], ["order"]):
        due[row["piece"], int(row["day"])] += int(row["count"])
    return {"pieces": pieces, "bars": bars, "saw": saw, "due": due}


def _patterns(data: Data, bar: str, omit: frozenset[str]) -> list[Pattern]:
    """Every pattern of a kind of bar that keeps length, bins and grade."""
    saw, of = data["saw"], data["bars"][bar]
    weak = not saw["grades_bind"] or "grade" in omit
    names = [name for name, piece in data["pieces"].items() if weak or piece["grade"] <= of["grade"]]
    bins = saw["bins"] if saw["bins"] and "bins" not in omit else len(names)

    def extend(first: int, room: int, kinds: int) -> Iterator[Pattern]:
        yield ()
        for number in range(first, len(names) if kinds else 0):
            length = data["pieces"][names[number]]["length"] + saw["kerf"]
            for count in range(1, room // length + 1):
                for rest in extend(number + 1, room - count * length, kinds - 1):
                    yield ((names[number], count), *rest)

    return [pattern for pattern in extend(0, of["length"], bins) if pattern]


def _cents(data: Data, bar: str, pattern: Pattern) -> int:
    """Price of a bar less the credit for its offcut."""
    saw, of = data["saw"], data["bars"][bar]
    offcut = of["length"] - sum(count * (data["pieces"][name]["length"] + saw["kerf"]) for name, count in pattern)
    return int(of["cents"] - (offcut // 100 * saw["credit_cents"] if offcut >= saw["usable"] else 0))


class _Saw:
    """The model and its variables."""

    def __init__(self, data: Data, omit: frozenset[str] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.data, self.omit = data, omit
        self.model = model = cp_model.CpModel()
        self.days = range(1, data["saw"]["days"] + 1)
        most = sum(data["due"].values())
        self.times = {
            (day, bar, pattern): model.new_int_var(0, most, "")
            for bar in data["bars"]
            for pattern in _patterns(data, bar, omit)
            for day in self.days
        }
        cost: list[Any] = [times * _cents(data, bar, pattern) for (_, bar, pattern), times in self.times.items()]
        if data["saw"]["setup_cents"]:
            for times in self.times.values():
                used = model.new_bool_var("")
                model.add(times <= most * used)
                cost.append(used * data["saw"]["setup_cents"])
        self._orders()
        self._limits()
        model.minimize(sum(cost))

    def _orders(self) -> None:
        due = self.data["due"]
        for piece in self.data["pieces"]:
            for day in self.days:
                made = sum(
                    times * dict(pattern).get(piece, 0)
                    for (when, _, pattern), times in self.times.items()
                    if when <= day and piece in dict(pattern)
                )
                ordered = sum(due[piece, earlier] for earlier in self.days if earlier <= day)
                if day == self.days[-1]:
                    self.model.add(made == ordered)
                elif "orders" not in self.omit:
                    self.model.add(made >= ordered)

    def _limits(self) -> None:
        for day in self.days:
            for bar, of in self.data["bars"].items() if "stock" not in self.omit else ():
                used = sum(times for (when, kind, _), times in self.times.items() if when <= day and kind == bar)
                self.model.add(used <= sum(of["arrivals"][:day]))
            if "saw" not in self.omit:
                sawn = sum(
                    times * sum(count for _, count in pattern) for (when, _, pattern), times in self.times.items() if when == day
                )
                self.model.add(sawn <= self.data["saw"]["saw_cuts"])


def _plan(times: Mapping[tuple[int, str, Pattern], int]) -> Plan:
    cuts = [
        {"day": day, "bar": bar, "times": count, "pattern": [{"piece": name, "count": n} for name, n in pattern]}
        for (day, bar, pattern), count in times.items()
        if count
    ]
    return {"cuts": cuts}


def _times(data: Data, plan: Plan) -> dict[tuple[int, str, Pattern], int]:
    """How often each pattern is used, with its pieces in the order of the data."""
    order = list(data["pieces"])
    found: dict[tuple[int, str, Pattern], int] = {}
    for cut in plan["cuts"]:
        parts = sorted(((part["piece"], part["count"]) for part in cut["pattern"]), key=lambda part: order.index(part[0]))
        found[cut["day"], cut["bar"], tuple(parts)] = cut["times"]
    return found


def solve(data: Data, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
    """The best cuts within the limit, started from the greedy ones."""
    if "length" in omit:  # the cut itself is forgotten
        data = {**data, "saw": {**data["saw"], "kerf": 0}}
    saw = _Saw(data, omit)
    known = _times(data, greedy(data))
    solver, bound = solved(saw.model, SECONDS, effort, [(times, known.get(key, 0)) for key, times in saw.times.items()])
    return Solved(_plan({key: solver.value(times) for key, times in saw.times.items()}) if solver else None, bound)


def check(data: Data, plan: Plan) -> float | None:
    """The model's cost of a plan."""
    if any(part["piece"] not in data["pieces"] for cut in plan["cuts"] for part in cut["pattern"]):
        return None
    times = _times(data, plan)
    saw = _Saw(data)
    if len(times) < len(plan["cuts"]) or not set(times) <= set(saw.times) or any(count < 1 for count in times.values()):
        return None
    for key, variable in saw.times.items():
        saw.model.add(variable == times.get(key, 0))
    return objective(saw.model)


def greedy(data: Data) -> Plan:
    """As early as the saw allows; the longest piece first, then what still fits, from the cheapest bar a millimetre."""
    saw, left = data["saw"], {bar: of["arrivals"][0] for bar, of in data["bars"].items()}
    open_pieces = dict(sorted(data["due"].items(), key=lambda item: item[0][1]))
    found: dict[tuple[int, str, Pattern], int] = {}
    for day in range(1, saw["days"] + 1):
        left = {bar: count + (data["bars"][bar]["arrivals"][day - 1] if day > 1 else 0) for bar, count in left.items()}
        room = saw["saw_cuts"]
        while room and any(open_pieces.values()):
            first = next(key[0] for key, count in open_pieces.items() if count)
            fitting = [bar for bar, of in data["bars"].items() if left[bar] and _fits(data, bar, {first: 1})]
            if not fitting:
                break
            bar = min(fitting, key=lambda bar: data["bars"][bar]["cents"] / data["bars"][bar]["length"])
            pattern: dict[str, int] = {}
            for key in sorted(open_pieces, key=lambda key: (key[0] != first, key[1], -data["pieces"][key[0]]["length"])):
                while open_pieces[key] and room and _fits(data, bar, pattern | {key[0]: pattern.get(key[0], 0) + 1}):
                    pattern[key[0]] = pattern.get(key[0], 0) + 1
                    open_pieces[key] -= 1
                    room -= 1
            left[bar] -= 1
            cut = day, bar, tuple(sorted(pattern.items(), key=lambda part: list(data["pieces"]).index(part[0])))
            found[cut] = found.get(cut, 0) + 1
    return _plan(found)


def _fits(data: Data, bar: str, pattern: Mapping[str, int]) -> bool:
    saw, of = data["saw"], data["bars"][bar]
    strong = not saw["grades_bind"] or all(data["pieces"][name]["grade"] <= of["grade"] for name in pattern)
    long = sum(count * (data["pieces"][name]["length"] + saw["kerf"]) for name, count in pattern.items()) <= of["length"]
    return strong and long and (not saw["bins"] or len(pattern) <= saw["bins"])
