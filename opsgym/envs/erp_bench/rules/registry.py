"""The registry of verifier rules and what a rule answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from opsgym.core.errors import RegistryError
from opsgym.core.verify import Status

Family = Literal["demand", "timing", "sourcing", "manufacturing", "hygiene"]
"""Families of failure; Anchor / ERP-Bench, table 13."""

FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule says of a state; see :class:`~opsgym.core.verify.CheckResult` for the fields."""

    status: Status
    expected: Any = None
    actual: Any = None
    message: str = ""


NOT_APPLICABLE = Outcome("na")
"""The rule has nothing to look at; it leaves both sides of the score."""

RuleFunction = Callable[..., Outcome]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue.

    Attributes:
        name: Its name, the function's own.
        family: Family of failure that a failed check belongs to.
        function: Called as ``function(context, **args)``.
        applies: Says, called in the same way, whether the rule has anything to look at; always, where left out.
    """

    name: str
    family: Family
    function: RuleFunction
    applies: Callable[..., bool] | None = None


RULES: dict[str, Rule] = {}
"""Every rule by name, filled by :func:`rule`."""


def rule(*, family: Family, applies: Callable[..., bool] | None = None) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule under its function's name.

    Args:
        family: Family of failure that it belongs to.
        applies: When the rule has anything to look at, see :class:`Rule`; in step with its function.
    """

    def register(function: RuleFunction) -> RuleFunction:
        name = function.__name__
        if name in RULES:
            raise ValueError(f"rule {name!r} is defined twice")
        RULES[name] = Rule(name, family, function, applies)
        return function

    return register


def find_rule(name: str) -> Rule:
    """The rule of that name.

    Raises:
        RegistryError: There is none.
    """
    found = RULES.get(name)
    if found is None:
        raise RegistryError("verifier rule", name, RULES)
    return found


def expect(holds: bool, expected: Any, actual: Any, message: str) -> Outcome:
    """Pass when ``holds``, else fail with ``message``."""
    return Outcome("pass", expected, actual) if holds else Outcome("fail", expected, actual, message)


SHOWN = 5
"""Offences that a message lists at most."""


def expect_none(offences: Sequence[str], expected: str) -> Outcome:
    """Pass when there are no ``offences``, else fail and list the first few.

    Args:
        offences: One sentence for each record that breaks the rule.
        expected: What the rule wants, in words.
    """
    if not offences:
        return Outcome("pass", expected)
    shown = list(offences[:SHOWN])
    more = f"; and {len(offences) - SHOWN} more" if len(offences) > SHOWN else ""
    return Outcome("fail", expected, shown, "; ".join(shown) + more)
