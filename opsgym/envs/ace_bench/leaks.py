"""Leak test: does anything an agent sees, apart from the rules, tell the truth from the other candidates?

A feature orders the candidates of a slot; the test asks how often its first or last candidate is the truth.  Without a
leak that happens by chance: one in the number of candidates.  Features of position, id and text are tested among all
candidates of a slot.  Features of attribute values are tested among the locally feasible ones, because the slot rules
say openly that a cheap item is likelier where the price is capped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import exp

from opsgym.envs.ace_bench.counter import feasible_items
from opsgym.envs.ace_bench.spec import Instance, Solved

LEVEL = 1e-5
"""A feature leaks if chance would do as well with less than this probability; there are about a hundred features."""


@dataclass(slots=True)
class Finding:
    """How a feature fared.

    Attributes:
        feature: Name of the feature and its end, ``first`` or ``last``.
        slots: Slots on which it was tested.
        hits: How often it pointed at the truth; ties share.
        expected: How often chance would.
        variance: Variance of the hits under chance.
    """

    feature: str
    slots: int = 0
    hits: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    @property
    def chance(self) -> float:
        """Upper bound on the probability of so many hits by chance (Bernstein's inequality)."""
        excess = self.hits - self.expected
        return exp(-(excess**2) / (2 * (self.variance + excess / 3))) if excess > 0 else 1.0

    @property
    def leaks(self) -> bool:
        """Whether the feature predicts the truth above chance."""
        return self.chance < LEVEL


@dataclass(slots=True)
class LeakTest:
    """Collects features over many instances.

    Attributes:
        findings: Findings by feature.
    """

    findings: dict[str, Finding] = field(default_factory=dict)

    def add(self, solved: Solved) -> None:
        """Test one instance's slots."""
        instance = solved.instance
        for slot, truth, feasible in zip(instance.slots, solved.truth, feasible_items(instance), strict=True):
            for name, values in _open_features(instance, slot.candidates):
                self._record(name, values, slot.candidates.index(truth))
            local = feasible.tolist()
            if len(local) > 1:
                for name, values in _value_features(instance, local):
                    self._record(name, values, local.index(truth))

    def _record(self, name: str, values: list[float], truth: int) -> None:
        for end, extreme in (("first", min(values)), ("last", max(values))):
            finding = self.findings.setdefault(f"{name}:{end}", Finding(f"{name}:{end}"))
            chance = 1.0 / len(values)
            ties = values.count(extreme)
            finding.slots += 1
            finding.hits += (values[truth] == extreme) / ties
            finding.expected += chance
            finding.variance += chance * (1.0 / ties - chance)

    def leaks(self) -> list[Finding]:
        """Features that predict the truth above chance, the strongest first."""
        return sorted((finding for finding in self.findings.values() if finding.leaks), key=lambda finding: finding.chance)


def leak_test(instances: Iterable[Solved]) -> LeakTest:
    """The leak test over some instances."""
    test = LeakTest()
    for solved in instances:
        test.add(solved)
    return test


def _number(text: str) -> float:
    digits = re.findall(r"\d+", text)
    return float(digits[-1]) if digits else 0.0


def _open_features(instance: Instance, candidates: Sequence[int]) -> list[tuple[str, list[float]]]:
    """Features that need no rule: position, id, and the texts of categories (a name, if items have one)."""
    ids = [instance.ids[item] for item in candidates]
    found = [
        ("position", [float(i) for i in range(len(ids))]),
        ("id_number", [_number(name) for name in ids]),
        ("id_length", [float(len(name)) for name in ids]),
        ("id_digit_sum", [float(sum(map(int, re.findall(r"\d", name)))) for name in ids]),
    ]
    for attribute, column in zip(instance.attributes, instance.columns, strict=True):
        if not attribute.numeric:
            texts = [attribute.values[column[item]] for item in candidates]
            found.append((f"{attribute.name}_text_number", [_number(text) for text in texts]))
            found.append((f"{attribute.name}_text_length", [float(len(text)) for text in texts]))
            found.append((f"{attribute.name}_commonness", [float(texts.count(text)) for text in texts]))
    return found


def _value_features(instance: Instance, local: Sequence[int]) -> list[tuple[str, list[float]]]:
    """Features of attribute values: the value, its distance from the slot's mean and from the middle of the range."""
    measures: dict[str, Callable[[float, float, float], float]] = {
        "value": lambda value, mean, middle: value,
        "off_mean": lambda value, mean, middle: abs(value - mean),
        "off_middle": lambda value, mean, middle: abs(value - middle),
    }
    found = [("feasible_position", [float(i) for i in range(len(local))])]
    for attribute, column in zip(instance.attributes, instance.columns, strict=True):
        values = [float(column[item]) for item in local]
        mean = sum(values) / len(values)
        middle = (attribute.low + attribute.high) / 2
        for name, measure in measures.items():
            found.append((f"{attribute.name}_{name}", [measure(value, mean, middle) for value in values]))
    return found
