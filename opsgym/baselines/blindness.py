"""Blindness: reference solutions without what one rule asks for, as someone would act who does not know the rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, get_args

from opsgym.core.errors import RegistryError, ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import CheckResult
from opsgym.envs.cache import Lru
from opsgym.envs.tool_env import ToolEnv

__all__ = ["KINDS", "blinded", "keys_of"]

Kind = Literal["tool", "argument", "rule", "dimension"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a policy can be blind to."""

Plan = tuple[ToolCall, ...]

Outcomes = tuple[tuple[Plan, tuple[CheckResult, ...]], ...]

MOST_FINE = 40
"""How many single calls are left out in search of the one that a rule needs: each costs an episode."""

_OUTCOMES: Lru[Outcomes] = Lru(16)
"""What changes of a task's plan lead to: the same for every rule."""

_PLANS: Lru[Plan] = Lru(256)
"""Blinded plans by task and blindness: found once, played in every trial."""


def blinded(env: ToolEnv, kind: Kind, name: str) -> Plan:
    """The reference solution of the running task without what one rule asks for.

    ==============  =============================================================================================
    ``tool``        no calls of that tool
    ``argument``    that argument left out wherever it stands and is not required
    ``rule``        found by trying: the one change of the plan by which a check of that rule fails, and the fewest others
    ``dimension``   the same for a check of that dimension
    ==============  =============================================================================================

    The changes tried are: a tool's calls left out, or an optional argument; if none of them breaks the rule, one of the first 40
    calls.  A change after which no check holds at all does not count.  Where no change breaks the rule,
    the plan does nothing for its sake and is returned as it is; so it is where the task does not ask for what is left out.

    Args:
        env: An environment under the family's default harness, with a task.
        kind: One of :data:`KINDS`.
        name: Name of the tool, argument, rule or dimension.

    Raises:
        RegistryError: No tool has that name, or that argument.
    """
    if kind == "tool" and name not in env.tools:
        raise RegistryError("tool", name, env.tools)
    if kind == "argument" and name not in (known := _argument_names(env.tools)):
        raise RegistryError("argument", name, known)
    return _PLANS.get(f"{env.task.id} {kind}:{name}", lambda: _plan(env, kind, name))


def _plan(env: ToolEnv, kind: Kind, name: str) -> Plan:
    plan = env.task.oracle
    if kind == "tool":
        return _without_tool(plan, name)
    if kind == "argument":
        return _without_argument(plan, name, env.tools)
    for grain, changes in (("coarse", _coarse_changes(plan, env.tools)), ("fine", _fine_changes(plan))):
        outcomes = _OUTCOMES.get(f"{env.task.id} {grain}", partial(_played, env, changes))
        broken = [(others, change) for change, checks in outcomes if (others := _others_failed(checks, kind, name)) is not None]
        if broken:
            return min(broken, key=lambda each: each[0])[1]
    return plan


def _coarse_changes(plan: Plan, tools: Toolbox) -> Iterator[Plan]:
    """The plan without one of its tools, and without one of its arguments."""
    for name in dict.fromkeys(call.name for call in plan[:-1]):
        yield _without_tool(plan, name)
    for name in dict.fromkeys(name for call in plan for name in keys_of(call.arguments)):
        changed = _without_argument(plan, name, tools)
        if changed != plan:
            yield changed


def _fine_changes(plan: Plan) -> Iterator[Plan]:
    """The plan without one of its calls; the last one ends the episode."""
    for place in range(min(len(plan) - 1, MOST_FINE)):
        yield plan[:place] + plan[place + 1 :]


def _without_tool(plan: Plan, name: str) -> Plan:
    return tuple(call for call in plan if call.name != name)


def _without_argument(plan: Plan, name: str, tools: Toolbox) -> Plan:
    return tuple(_stripped_call(call, name, tools) for call in plan)


def _stripped_call(call: ToolCall, name: str, tools: Toolbox) -> ToolCall:
    """The call without an argument; as it is where the tool asks for it."""
    stripped = _stripped(call.arguments, name)
    try:
        tools.find(call.name).validate(stripped)
    except ToolError:
        return call
    return ToolCall(name=call.name, arguments=stripped)


def _stripped(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _stripped(item, name) for key, item in value.items() if key != name}
    return [_stripped(item, name) for item in value] if isinstance(value, list) else value


def keys_of(value: Any) -> Iterator[str]:
    """Names of the arguments in a JSON value, those of parts too."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(item)


def _argument_names(tools: Toolbox) -> dict[str, None]:
    return dict.fromkeys(name for tool in tools.values() for name in _properties(tool.parameters))


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    for item in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _properties(item)


def _played(env: ToolEnv, plans: Iterable[Plan]) -> tuple[tuple[Plan, tuple[CheckResult, ...]], ...]:
    """What the verifier says after each plan, played in a world of its own."""
    outcomes = []
    twin = type(env)(tasks=env.task, cache=None, max_steps=len(env.task.oracle))
    for plan in plans:
        twin.reset(seed=0)
        for call in plan:
            twin.step(call)
        outcomes.append((plan, twin.verdict().checks))
    twin.close()
    return tuple(outcomes)


def _others_failed(checks: Sequence[CheckResult], kind: Kind, name: str) -> int | None:
    """How many checks beside those of the rule or dimension fail; ``None`` when those pass, or nothing does."""
    failed = [check for check in checks if check.status == "fail"]
    others = sum((check.spec.rule if kind == "rule" else check.spec.dimension) != name for check in failed)
    kept = any(check.status == "pass" for check in checks)
    return others if kept and others < len(failed) else None
