"""Registry: policies by name, with checked options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import lru_cache, partial
from typing import Any, get_type_hints, overload

from pydantic import TypeAdapter, ValidationError

from opsgym.baselines.agents import (
    ChatAgent,
    Constrained,
    PlanConditioned,
    PlanDecomposeExecute,
    PlanExecute,
    ReAct,
    ToolCalling,
)
from opsgym.baselines.chat import ChatModel
from opsgym.baselines.policy import AsyncPolicy, Policy
from opsgym.baselines.scripted import (
    DoNothing,
    Echo,
    Garbage,
    Greedy,
    NoisyOracle,
    Oracle,
    RandomValid,
    RuleBlindOracle,
    SubmitAtOnce,
)
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family

__all__ = ["AGENTS", "SCRIPTED", "make_policy", "policy_names", "policy_options", "policy_prompts"]

SCRIPTED: dict[str, Callable[..., Policy]] = {
    "do-nothing": DoNothing,
    "submit-at-once": SubmitAtOnce,
    "echo": Echo,
    "garbage": Garbage,
    "random-valid": RandomValid,
    "oracle": Oracle,
    "noisy-oracle": NoisyOracle,
    "rule-blind-oracle": RuleBlindOracle,
}
"""Policies without a model, for every family, by name."""

AGENTS: dict[str, type[ChatAgent]] = {
    "react": ReAct,
    "tool-calling": ToolCalling,
    "plan-execute": PlanExecute,
    "plan-decompose-execute": PlanDecomposeExecute,
    "plan-conditioned": PlanConditioned,
    "constrained": Constrained,
}
"""Agents that ask a language model, for every family, by name."""


NO_OPTIONS = ("seed", "model", "planner")
"""Arguments of constructors that are objects or that the runner gives."""


def policy_names(family: Family[Any]) -> tuple[str, ...]:
    """Names of the policies that can play a family: the scripted ones, its own planners, the agents."""
    return (*SCRIPTED, *_planners(family), *AGENTS)


def policy_options(name: str, family: Family[Any]) -> dict[str, Any]:
    """Options of a policy and their types, as annotated in its constructor; models and the seed are not among them.

    Raises:
        RegistryError: There is no such policy.
    """
    factory = _find(name, family)
    if not isinstance(factory, type):  # a planner of the family
        return {}
    hints = get_type_hints(factory if is_dataclass(factory) else vars(factory).get("__init__", object.__init__))
    return {key: hints[key] for key in _parameters(factory) if key in hints and key not in NO_OPTIONS}


@overload
def make_policy(name: str, family: Family[Any], *, model: None = None, seed: int = 0, **options: Any) -> Policy: ...


@overload
def make_policy(
    name: str, family: Family[Any], *, model: ChatModel | None, seed: int = 0, **options: Any
) -> Policy | AsyncPolicy: ...


def make_policy(
    name: str, family: Family[Any], *, model: ChatModel | None = None, seed: int = 0, **options: Any
) -> Policy | AsyncPolicy:
    """A policy by name, made anew for each trial.

    Args:
        name: The name, see :func:`policy_names`; hyphens and underscores are the same.
        family: The family that is played.
        model: The model that an agent asks.
        seed: Seed of the policy's random streams, at least 0; each stream also depends on the task, on nothing else.
        **options: Options of the policy, see :func:`policy_options`; text is read as the type that is asked for.

    Raises:
        RegistryError: There is no such policy, or it has no such option.
        TaskError: An option's value does not fit, or is missing; an agent has no model.
    """
    factory = _find(name, family)
    given = _checked(name, policy_options(name, family), options)
    named = _parameters(factory)
    if "model" in named and model is None:
        raise TaskError(f"the policy {name!r} asks a language model, expected one, got none", field="model")
    offered = {"model": model, "seed": seed}
    missing = [key for key, each in named.items() if each.default is each.empty and key not in offered | given]
    if missing:
        raise TaskError(f"the policy {name!r} needs this option", field=missing[0])
    return factory(**{key: value for key, value in offered.items() if key in named}, **given)


def policy_prompts(name: str, family: Family[Any]) -> dict[str, dict[str, Any]]:
    """Version and hash of each prompt that a policy uses, by name, for the record of a run; empty for one without a model.

    Raises:
        RegistryError: There is no such policy.
    """
    factory = _find(name, family)
    used = factory.used_prompts() if isinstance(factory, type) and issubclass(factory, ChatAgent) else ()
    return {prompt.name: {"version": prompt.version, "sha256": prompt.sha256} for prompt in used}


def _planners(family: Family[Any]) -> dict[str, Callable[[], Policy]]:
    """The family's fixed planners."""
    return {key.replace("_", "-"): partial(Greedy, planner) for key, planner in family.policies().items()}


def _find(name: str, family: Family[Any]) -> Callable[..., Policy | AsyncPolicy]:
    known: dict[str, Callable[..., Policy | AsyncPolicy]] = {**SCRIPTED, **_planners(family), **AGENTS}
    wanted = name.replace("_", "-")
    if wanted not in known:
        raise RegistryError("policy", name, known)
    return known[wanted]


@lru_cache(64)  # a policy is made for every trial
def _parameters(factory: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(factory).parameters


def _checked(name: str, types: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    checked = {}
    for key, value in options.items():
        if key not in types:
            raise RegistryError(f"option of {name}", key, types)
        try:
            checked[key] = TypeAdapter(types[key]).validate_python(value)
        except ValidationError as error:
            raise TaskError(f"{error.errors()[0]['msg']}, got {value!r}", field=key) from None
    return checked
