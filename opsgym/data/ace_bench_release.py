"""Reader of ACE-Bench's released instances.

A release file holds one instance, or a list under ``instances``.  Items keep their ids, attributes and even their
names, which give the answer away (see :mod:`opsgym.envs.ace_bench.leaks`); what is secret stays out of the
:class:`~opsgym.envs.ace_bench.spec.Instance`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.ace_bench.compiler import compile_solved
from opsgym.envs.ace_bench.counter import count_instance
from opsgym.envs.ace_bench.spec import EMPTY, Attribute, Instance, Rule, RuleKind, Scope, Slot, SlotRule, Solved

# Global rules of the release, by their key: kind, attribute, side, scope, and the category or threshold that is counted.
_Global = tuple[RuleKind, str, str, Scope, str | int | None]

GLOBAL_RULES: dict[str, dict[str, _Global]] = {
    "course": {
        "total_credits_min": ("sum", "credits", "low", "grid", None),
        "total_price_max": ("sum", "price", "high", "grid", None),
        "same_teacher_week_max": ("repeat", "teacher", "high", "grid", None),
        "same_category_week_max": ("repeat", "category", "high", "grid", None),
        "total_workload_max": ("sum", "workload", "high", "grid", None),
    },
    "meal": {
        "weekly_calories_max": ("sum", "calories", "high", "grid", None),
        "weekly_protein_min": ("sum", "protein", "low", "grid", None),
        "same_cuisine_max": ("repeat", "cuisine", "high", "grid", None),
        "same_chef_max": ("repeat", "chef", "high", "grid", None),
        "weekly_price_max": ("sum", "price", "high", "grid", None),
        "weekly_spiciness_max": ("sum", "spiciness", "high", "grid", None),
    },
    "pc_build": {
        "total_budget_max": ("sum", "price", "high", "grid", None),
        "total_power_max": ("sum", "power", "high", "grid", None),
        "same_brand_max": ("repeat", "brand", "high", "grid", None),
        "same_category_max": ("repeat", "category", "high", "grid", None),
        "high_performance_min": ("count_at_least", "performance", "low", "grid", 75),
        "total_compatibility_min": ("sum", "compatibility", "low", "grid", None),
    },
    "shopping": {
        "weekly_budget_max": ("sum", "price", "high", "grid", None),
        "weekly_calories_min": ("sum", "calories", "low", "grid", None),
        "weekly_protein_min": ("sum", "protein", "low", "grid", None),
        "same_brand_max": ("repeat", "brand", "high", "grid", None),
        "weekly_weight_max": ("sum", "weight", "high", "grid", None),
        "same_category_max": ("repeat", "category", "high", "grid", None),
    },
    "travel": {
        "total_budget_max": ("sum", "cost", "high", "grid", None),
        "museum_min": ("count", "category", "low", "grid", "museum"),
        "outdoor_min": ("count", "category", "low", "grid", "outdoor"),
        "location_repeat_max": ("repeat", "location", "high", "grid", None),
        "daily_duration_max": ("sum", "duration", "high", "each_row", None),
        "rating_total_min": ("sum", "rating", "low", "grid", None),
    },
    "workforce": {
        "total_cost_max": ("sum", "hourly_cost", "high", "grid", None),
        "total_skill_min": ("sum", "skill", "low", "grid", None),
        "senior_shift_min": ("count_at_least", "experience", "low", "grid", 12),
        "same_department_week_max": ("repeat", "department", "high", "grid", None),
        "total_reliability_min": ("sum", "reliability", "low", "grid", None),
        "total_overtime_min": ("sum", "overtime_capacity", "low", "grid", None),
    },
}
"""Meaning of the release's global rules, by domain and key."""

LONG_NAMES = {"crowd": "crowd_level"}
"""Attributes that the release's slot rules abbreviate; ``cost`` is ``hourly_cost`` where items have that."""


@dataclass(frozen=True)
class ReleasedInstance:
    """A released instance.

    Attributes:
        name: Its id in the release.
        solved: The instance with the truth as released.
        instruction: The instruction as released.
    """

    name: str
    solved: Solved
    instruction: str

    def task(self) -> Task:
        """The instance as a task, proven to have exactly one completion: the released truth.

        Raises:
            TaskError: It has none, several, or another one.
        """
        found = count_instance(self.solved.instance, limit=2)
        if found.solutions.tolist() != [list(self.solved.truth)]:
            raise TaskError(f"{self.name}: expected the truth as the only completion, found {found.completions}", field="slots")
        solved = self.solved.model_copy(update={"metadata": {"solver_states": found.states, "source": "release"}})
        return compile_solved(solved, seed=0, tier="custom", pattern="release", params={"release": self.name})


def find_releases(root: Path | str) -> list[Path]:
    """Release files under a directory, sorted by name."""
    return sorted(Path(root).glob("*.json"))


def read_release(path: Path | str) -> list[ReleasedInstance]:
    """The instances of a release file.

    Raises:
        TaskError: The file is no release file; the message names the field.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise TaskError(f"{Path(path).name}: not a release file: invalid JSON ({error})") from error
    if not isinstance(data, Mapping):
        raise TaskError(f"{Path(path).name}: expected a JSON object, got {type(data).__name__}")
    try:
        return [_read(entry) for entry in data.get("instances", [data])]
    except KeyError as error:
        raise TaskError(f"{Path(path).name}: not a release file: it lacks {error}", field=str(error.args[0])) from error


def _read(entry: Mapping[str, Any]) -> ReleasedInstance:
    domain = entry["domain"]
    if domain not in GLOBAL_RULES:
        raise TaskError(f"expected one of {', '.join(GLOBAL_RULES)}, got {domain!r}", field="domain")
    ids = tuple(entry["item_pool"])
    number = {name: i for i, name in enumerate(ids)}
    items = list(entry["item_pool"].values())
    attributes = tuple(_attribute(key, [item[key] for item in items]) for key in items[0] if not key.endswith("_id"))
    columns = tuple(tuple(_value(attribute, item[attribute.name]) for item in items) for attribute in attributes)
    cols = entry["meta"]["cols"]
    slots = sorted((_slot(slot, number, attributes, cols) for slot in entry["slots"]), key=lambda slot: slot.cell)
    truth = [number[name] for row in entry["truth_solution"] for name in row]
    instance = Instance(
        domain=domain,
        rows=entry["meta"]["rows"],
        cols=cols,
        attributes=attributes,
        ids=ids,
        columns=columns,
        fixed=tuple(EMPTY if name is None else number[name] for row in entry["partial_solution"] for name in row),
        slots=tuple(slots),
        rules=tuple(_rules(domain, entry["global_constraints"], attributes)),
    )
    solved = Solved(instance=instance, truth=tuple(truth[slot.cell] for slot in slots), metadata={"source": "release"})
    return ReleasedInstance(entry["instance_id"], solved, entry["task_instruction"])


def _attribute(name: str, values: list[Any]) -> Attribute:
    if isinstance(values[0], str):
        known = tuple(sorted(set(values)))
        return Attribute(name=name, high=len(known) - 1, values=known)
    return Attribute(name=name, low=min(values), high=max(values))


def _value(attribute: Attribute, value: int | str) -> int:
    return attribute.values.index(value) if isinstance(value, str) else value


def _slot(entry: Mapping[str, Any], number: Mapping[str, int], attributes: tuple[Attribute, ...], cols: int) -> Slot:
    names = {attribute.name for attribute in attributes}
    rules = []
    for key in entry["slot_constraints"]["active_rule_names"]:
        side, _, short = key.partition("_")
        long = short if short in names else LONG_NAMES.get(short, f"hourly_{short}")
        rules.append(SlotRule(attribute=long, sense=">=" if side == "min" else "<=", bound=entry["slot_constraints"][key]))
    return Slot(
        cell=entry["row"] * cols + entry["col"],
        candidates=tuple(number[name] for name in entry["candidate_ids"]),
        rules=tuple(rules),
    )


def _rules(domain: str, bounds: Mapping[str, Any], attributes: tuple[Attribute, ...]) -> list[Rule]:
    values_of = {attribute.name: attribute.values for attribute in attributes}
    rules = []
    for key, (kind, attribute, side, scope, counted) in GLOBAL_RULES[domain].items():
        if key not in bounds:
            continue
        value = values_of[attribute].index(counted) if isinstance(counted, str) else counted
        values = () if value is None else (value,)
        rules.append(Rule(name=key, kind=kind, attribute=attribute, scope=scope, values=values, **{side: bounds[key]}))
    return rules
