"""Template: a kind of task, as a function that writes tasks on a :class:`~opsgym.envs.enterprise_ops.draft.Draft`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opsgym.core.errors import OpsGymError
from opsgym.core.records.outcome import Reason

if TYPE_CHECKING:
    from opsgym.envs.enterprise_ops.draft import Draft

Build = Callable[["Draft"], None]


class Unfit(OpsGymError):
    """A draw from which the template can make no task; the next one is tried."""


@dataclass(frozen=True)
class Template:
    """A kind of task.

    Attributes:
        name: Its name, which starts with the domain's.
        domain: Its domain.
        summary: What is asked for, in a sentence.
        roles: Roles that can do it, by system.
        build: Writes a task.
        rules: Rules that bind the work and that the request need not mention.
        traps: Kinds of traps that it can set.
        blocked: Reasons for which its infeasible twin is to be refused.
    """

    name: str
    domain: str
    summary: str
    roles: Mapping[str, tuple[str, ...]]
    build: Build
    rules: tuple[str, ...] = ()
    traps: tuple[str, ...] = ()
    blocked: tuple[Reason, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in which it plays."""
        return tuple(self.roles)


def template(
    domain: str,
    *,
    roles: Sequence[str] | Mapping[str, Sequence[str]],
    rules: Sequence[str] = (),
    traps: Sequence[str] = (),
    blocked: Sequence[Reason] = ("policy_conflict",),
) -> Callable[[Build], Template]:
    """Make a :class:`Template` of a function: named after the domain and it, summed up by its docstring's first paragraph.

    Args:
        domain: The domain.
        roles: Roles that can do the work, from the one with most rights; in hybrid tasks by system.
        rules: Ids of rules that the template may leave unsaid.
        traps: Kinds of traps that it can set.
        blocked: Reasons for which its infeasible twin is to be refused.
    """
    by_system = roles if isinstance(roles, Mapping) else {domain: roles}

    def decorate(build: Build) -> Template:
        summary = inspect.cleandoc(build.__doc__ or "").split("\n\n", 1)[0].replace("\n", " ")
        return Template(
            f"{domain}_{build.__name__}",
            domain,
            summary,
            {name: tuple(some) for name, some in by_system.items()},
            build,
            tuple(rules),
            tuple(traps),
            tuple(blocked),
        )

    return decorate


@dataclass(frozen=True)
class Heed:
    """Arguments of a call that only a rule asks for.

    Attributes:
        rule: Id of the rule.
        told: What the request says where the rule is not to be a hidden one.
        arguments: The arguments; who does not know the rule leaves them out.
        blindly: What they would give in their place.
    """

    rule: str
    told: str
    arguments: Mapping[str, Any]
    blindly: Mapping[str, Any]


def heed(rule: str, told: str, *, blindly: Mapping[str, Any] | None = None, **arguments: Any) -> Heed:
    """Arguments of a call that only a rule asks for; see :class:`Heed`."""
    return Heed(rule, told, arguments, blindly or {})
