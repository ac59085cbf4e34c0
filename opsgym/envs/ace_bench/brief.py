"""The brief: what the agent reads at reset.  Everything in it comes from the instance; nothing of the truth does."""

from __future__ import annotations

import json
from collections.abc import Callable

from opsgym.envs.ace_bench.domains import Domain, find_domain
from opsgym.envs.ace_bench.spec import EMPTY, Feedback, Instance, Rule, SlotRule

_FEEDBACK: dict[Feedback, str] = {
    "boolean": "Checks answer yes or no.",
    "rules": "Checks name the rules that are broken.",
    "slack": "Checks give every rule's slack: how far inside its bounds it is, negative when broken.",
}


def write_brief(instance: Instance) -> str:
    """The instruction for an instance."""
    domain = find_domain(instance.domain)
    parts = [
        f"Complete this {domain.title}: {instance.rows} rows (one per {domain.row_noun}) by {instance.cols} columns "
        f"(one per {domain.col_noun}), one {domain.noun} per cell. Rows and columns are counted from 0. "
        f"The {len(instance.slots)} null cells are yours to fill; the others are fixed.",
        "Grid:\n" + _grid(instance),
        "Attributes: " + "; ".join(_attributes(instance)) + ".",
        "Rules for single slots:\n" + "\n".join(_slot_lines(instance)),
        "Rules over several cells:\n" + "\n".join(f"- [{rule.name}] {describe(rule, instance)}" for rule in instance.rules),
        "Each empty slot has its own list of candidates, found only with the query tool. "
        "Exactly one way to fill all slots keeps every rule.",
        " ".join([*_budgets(instance), _FEEDBACK[instance.feedback]]),
        "Fill the slots with set_slot, then call done.",
    ]
    return "\n\n".join(parts)


def _grid(instance: Instance) -> str:
    names = [None if item == EMPTY else instance.ids[item] for item in instance.fixed]
    rows = [names[start : start + instance.cols] for start in range(0, len(names), instance.cols)]
    return "\n".join(json.dumps(row) for row in rows)


def _attributes(instance: Instance) -> list[str]:
    return [
        f"{attribute.name} ({attribute.low} to {attribute.high})"
        if attribute.numeric
        else f"{attribute.name} (one of {', '.join(attribute.values)})"
        for attribute in instance.attributes
        if attribute.numeric or len(attribute.values) <= 20
    ]


def _slot_lines(instance: Instance) -> list[str]:
    return [
        f"- ({slot.cell // instance.cols}, {slot.cell % instance.cols}): {' and '.join(map(describe_slot_rule, slot.rules))}"
        for slot in instance.slots
    ]


def describe_slot_rule(rule: SlotRule) -> str:
    """A slot rule in words."""
    return f"{rule.attribute} at {'most' if rule.sense == '<=' else 'least'} {rule.bound}"


def _budgets(instance: Instance) -> list[str]:
    lines = []
    if instance.query_budget is not None:
        lines.append(
            f"Every slot allows {instance.query_budget} readings: a query costs one for each candidate it returns and at "
            "least one, a slot check costs one; limit a query to ids you know with `among`."
        )
    if instance.check_budget is not None:
        lines.append(f"There are {instance.check_budget} global checks.")
    return lines


def _bounds(rule: Rule) -> str:
    if rule.low is None:
        return f"at most {rule.high}"
    if rule.high is None:
        return f"at least {rule.low}"
    return f"exactly {rule.low}" if rule.low == rule.high else f"between {rule.low} and {rule.high}"


def _where(rule: Rule) -> str:
    places = {"grid": "in the whole grid", "each_row": "in every single row"}
    return places.get(rule.scope) or f"in {rule.scope} {rule.index}"


def describe(rule: Rule, instance: Instance) -> str:
    """A global rule in words."""
    domain: Domain = find_domain(instance.domain)
    attribute = instance.attributes[instance.attribute_index[rule.attribute]]
    nouns = f"{domain.noun}s"

    def cell(number: int) -> str:
        return f"({rule.cells[number] // instance.cols}, {rule.cells[number] % instance.cols})"

    def word(number: int) -> str:
        return attribute.values[rule.values[number]]

    sentences: dict[str, Callable[[], str]] = {
        "sum": lambda: f"the sum of {rule.attribute} {_where(rule)} is {_bounds(rule)}",
        "count": lambda: f"the number of {nouns} with {rule.attribute} {word(0)} {_where(rule)} is {_bounds(rule)}",
        "count_at_least": lambda: (
            f"the number of {nouns} with {rule.attribute} of at least {rule.values[0]} {_where(rule)} is {_bounds(rule)}"
        ),
        "repeat": lambda: f"no {rule.attribute} occurs more than {rule.high} times {_where(rule)}",
        "adjacent": lambda: f"no two neighbouring cells {_where(rule)} have the same {rule.attribute}",
        "precede": lambda: f"{rule.attribute} at {cell(0)} is not greater than at {cell(1)}",
        "exclude": lambda: f"not both {rule.attribute} {word(0)} at {cell(0)} and {rule.attribute} {word(1)} at {cell(1)}",
    }
    return sentences[rule.kind]()
