"""Verifier: judges what the slots hold by the rules' plain meaning, apart from the engine's arrays.

Three families of checks: the slot rules, one check per slot; the global rules, one each; and the certified item of
each slot.  The completion is unique, so all rules hold exactly when all slots are right; a state in which the rules
hold and the slots differ would be a bug of ours (``canary``).
Rewards: ``exact`` (1 when all rules hold, the paper's), ``fraction`` (the mean of the shares of rules kept and of
slots right), and both less a charge for readings and checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opsgym.core.errors import RegistryError
from opsgym.core.task import CheckSpec
from opsgym.core.verify import CheckResult, Verdict, grouped_score
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.ace_bench.rules import measure, slack
from opsgym.envs.ace_bench.spec import EMPTY, Instance

COST_WEIGHT = 0.25
"""Greatest share of a reward that a cost-aware mode takes away: all readings and checks spent."""

REWARD_MODES = ("exact", "fraction", "exact_cost", "fraction_cost")
"""Reward rules; the first is the paper's."""


def build_checks(instance: Instance, truth: Sequence[int]) -> tuple[CheckSpec, ...]:
    """The checks of an instance.

    Args:
        instance: The instance.
        truth: Item of every slot in the one completion.
    """
    places = [{"row": slot.cell // instance.cols, "col": slot.cell % instance.cols} for slot in instance.slots]
    local = [CheckSpec(rule="slot_rules", dimension="rules", group="slot_rules", mode="each", args=place) for place in places]
    overall = [
        CheckSpec(rule="global_rule", dimension="rules", group="global_rules", mode="each", args={"name": rule.name})
        for rule in instance.rules
    ]
    right = [
        CheckSpec(rule="right_item", dimension="slots", group="slots", mode="each", args={**place, "id": instance.ids[item]})
        for place, item in zip(places, truth, strict=True)
    ]
    return (*local, *overall, *right)


class _Judge:
    """One state, looked at by every check."""

    def __init__(self, instance: Instance, items: Sequence[int]) -> None:
        self.instance = instance
        self.grid = instance.grid_with(list(items))
        self.slots = {slot.cell: slot for slot in instance.slots}
        self.rules = {rule.name: rule for rule in instance.rules}

    def slot_rules(self, spec: CheckSpec) -> CheckResult:
        """The item in a slot is a candidate and keeps the slot's rules."""
        slot = self.slots[spec.args["row"] * self.instance.cols + spec.args["col"]]
        item = self.grid[slot.cell]
        expected = [f"{rule.attribute} {rule.sense} {rule.bound}" for rule in slot.rules]
        if item == EMPTY:
            return CheckResult(spec, "fail", expected, None, "the slot is empty")
        position = self.instance.attribute_index
        actual = {rule.attribute: self.instance.columns[position[rule.attribute]][item] for rule in slot.rules}
        broken = [text for text, rule in zip(expected, slot.rules, strict=True) if not rule.holds(actual[rule.attribute])]
        if item not in slot.candidates:
            broken.append("be a candidate of the slot")
        message = "broken: " + ", ".join(broken) if broken else ""
        return CheckResult(spec, "fail" if broken else "pass", expected, actual, message)

    def global_rule(self, spec: CheckSpec) -> CheckResult:
        """A global rule holds."""
        rule = self.rules[spec.args["name"]]
        expected = {"low": rule.low, "high": rule.high}
        measured = measure(rule, self.instance, self.grid)
        if measured is None:
            return CheckResult(spec, "fail", expected, None, "cells that the rule looks at are empty")
        margin = slack(rule, measured)
        message = f"outside its bounds by {-margin}" if margin < 0 else ""
        return CheckResult(spec, "pass" if margin >= 0 else "fail", expected, measured, message)

    def right_item(self, spec: CheckSpec) -> CheckResult:
        """The slot holds the item of the one completion."""
        item = self.grid[spec.args["row"] * self.instance.cols + spec.args["col"]]
        actual = None if item == EMPTY else self.instance.ids[item]
        right = actual == spec.args["id"]
        message = "" if right else "another item belongs here"
        return CheckResult(spec, "pass" if right else "fail", spec.args["id"], actual, message)

    def run(self, spec: CheckSpec) -> CheckResult:
        """The result of one check."""
        rules: dict[str, Callable[[CheckSpec], CheckResult]] = {
            "slot_rules": self.slot_rules,
            "global_rule": self.global_rule,
            "right_item": self.right_item,
        }
        return rules[spec.rule](spec)


def judge(world: AceWorld, checks: Sequence[CheckSpec]) -> Verdict:
    """Judge a world; reads what its slots hold and what was spent."""
    instance = world.board.instance
    examiner = _Judge(instance, world.items())
    results = tuple(examiner.run(spec) for spec in checks)
    rules = grouped_score([result for result in results if result.spec.dimension == "rules"])
    slots = grouped_score([result for result in results if result.spec.dimension == "slots"])
    exact = float(rules == 1.0)
    share = spent_share(world)
    return Verdict(
        reward=exact,
        is_success=exact == 1.0,
        scores={"exact": exact, "rules": rules, "slots": slots, "fraction": (rules + slots) / 2, "thrift": 1.0 - share},
        checks=results,
        failure_families=tuple(sorted({result.spec.rule for result in results if result.status == "fail"})),
        metrics={"readings": sum(world.spent), "global_checks": world.checks, "empty_slots": world.empty},
        canary=exact == 1.0 and slots < 1.0,
    )


def spent_share(world: AceWorld) -> float:
    """Share of the readings and global checks that were spent, each counting half, in [0, 1].

    Without a budget the measure is every attribute of every candidate, and one check per slot.
    """
    instance = world.board.instance
    everything = sum(len(slot.candidates) for slot in instance.slots) * len(instance.attributes)
    readings = everything if instance.query_budget is None else instance.query_budget * len(instance.slots)
    checks = len(instance.slots) if instance.check_budget is None else instance.check_budget
    return (min(1.0, sum(world.spent) / max(1, readings)) + min(1.0, world.checks / max(1, checks))) / 2


def reward_of(verdict: Verdict, mode: str) -> float:
    """A verdict's reward under one of :data:`REWARD_MODES`.

    Raises:
        RegistryError: There is no such mode.
    """
    if mode not in REWARD_MODES:
        raise RegistryError("reward mode", mode, REWARD_MODES)
    base, _, cost = mode.partition("_")
    return verdict.scores[base] * (1.0 - COST_WEIGHT * (1.0 - verdict.scores["thrift"]) if cost else 1.0)
