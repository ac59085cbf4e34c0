"""TeamMaker: the policies of a team's roles, read from a text or a mapping, and made anew for every trial."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.baselines.chat import ChatModel
from opsgym.baselines.registry import policy_names
from opsgym.baselines.team import ROLE_POLICIES
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.evaluate.run_policy import AnyPolicy, PolicyArgument, PolicyMaker

OTHERS = "others"
"""Stands for every role that is not named."""

TeamArgument = str | Mapping[str, PolicyArgument]
"""A policy for all roles, or one by role; a name may be followed by ``@`` and the model that it asks."""


def read_team(team: TeamArgument, roles: Sequence[str]) -> dict[str, tuple[PolicyArgument, str | None]]:
    """The policy of every role, and the name of its own model where it is given.

    Args:
        team: ``"NAME"`` for all roles, ``"ROLE=NAME,ROLE=NAME,others=NAME"``, or a mapping; each name may go on with ``@MODEL``.
        roles: The roles that there are.

    Raises:
        RegistryError: There is no such role.
        TaskError: A role has no policy or more than one.

    Example:
        >>> read_team("planner_0=react@openai:big,others=do-nothing", ["planner_0", "executor_0"])
        {'planner_0': ('react', 'openai:big'), 'executor_0': ('do-nothing', None)}
    """
    given = _assigned(team) if isinstance(team, str) else dict(team)
    for role in given:
        if role not in (*roles, OTHERS):
            raise RegistryError("role", role, (*roles, OTHERS))
    seats = {}
    for role in roles:
        policy = given.get(role, given.get(OTHERS))
        if policy is None:
            raise TaskError(f"{role} has no policy: add {role}=POLICY or {OTHERS}=POLICY", field="team")
        name, _, model = policy.partition("@") if isinstance(policy, str) else (policy, "", "")
        seats[role] = (name, model or None)
    return seats


def _assigned(text: str) -> dict[str, PolicyArgument]:
    found: dict[str, PolicyArgument] = {}
    for part in text.split(","):
        role, equals, policy = part.strip().partition("=")
        role, policy = (role, policy) if equals else (OTHERS, role)
        if not role or not policy or role in found:
            raise TaskError(f"expected POLICY or ROLE=POLICY,..., each role once, got {text!r}", field="team")
        found[role] = policy
    return found


def options_of(options: Mapping[str, Any], roles: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Options by role: ``ROLE.NAME`` is for one role, ``NAME`` for every one.

    Example:
        >>> options_of({"rate": 0.1, "sales_0.rate": 0.2}, ["sales_0", "finance_0"])
        {'sales_0': {'rate': 0.2}, 'finance_0': {'rate': 0.1}}
    """
    found: dict[str, dict[str, Any]] = {role: {} for role in roles}
    for name in sorted(options, key=lambda name: "." in name):
        role, dot, option = name.rpartition(".")
        if dot and role not in found:
            raise RegistryError("role", role, roles)
        for one in [role] if dot else roles:
            found[one][option] = options[name]
    return found


@dataclass(frozen=True, kw_only=True)
class TeamMaker:
    """Makes the policies of a trial.

    Attributes:
        makers: Makes the policy, by role.
        models: Name of the role's own model, where it has one.
    """

    makers: Mapping[str, PolicyMaker]
    models: Mapping[str, str]

    @classmethod
    def of(cls, team: TeamArgument, roles: Sequence[str], family: Family[Any], options: Mapping[str, Any]) -> TeamMaker:
        """Read a team.

        Args:
            team: The policies of the roles.
            roles: The roles that there are.
            family: The family of the tasks.
            options: Options of the policies, see :func:`options_of`.

        Raises:
            RegistryError: There is no such role or policy.
            TaskError: A role has no policy.
        """
        seats = read_team(team, roles)
        known = (*ROLE_POLICIES, *policy_names(family))
        for policy, _ in seats.values():
            if isinstance(policy, str) and ":" not in policy and policy.replace("_", "-") not in known:
                raise RegistryError("policy of a role", policy, known)
        given = options_of(options, roles)
        makers = {role: PolicyMaker(policy=policy, options=given[role]) for role, (policy, _) in seats.items()}
        if any(maker.is_instance for maker in makers.values()):
            raise TaskError("expected a name, class or function for each role, got a policy", field="team")
        return cls(makers=makers, models={role: model for role, (_, model) in seats.items() if model})

    @property
    def name(self) -> str:
        """How the team is called in a plan: one policy, or one by role."""
        names = {role: f"{maker.name}@{self.models[role]}" if role in self.models else maker.name for role, maker in self._all()}
        if len(set(names.values())) == 1:
            return next(iter(names.values()))
        return ",".join(f"{role}={name}" for role, name in names.items())

    def make(self, role: str, family: Family[Any], *, model: ChatModel | None = None, seed: int = 0) -> AnyPolicy:
        """The policy of a role.

        Args:
            role: The role.
            family: The family of the tasks.
            model: The model that it asks.
            seed: Seed of the trial; every role gets one of its own.

        Raises:
            RegistryError: The policy has no such option.
            TaskError: It cannot be made; names the role.
        """
        maker = self.makers[role]
        if isinstance(maker.policy, str) and maker.name in ROLE_POLICIES:
            if maker.options:
                raise RegistryError(f"option of {maker.name}", next(iter(maker.options)), ())
            return ROLE_POLICIES[maker.name]()
        return maker.make(family, model=model, seed=role_seed(seed, role))

    def _all(self) -> list[tuple[str, PolicyMaker]]:
        return list(self.makers.items())


def role_seed(seed: int, role: str) -> int:
    """Seed of a role's random streams, below 2**53."""
    return int.from_bytes(hashlib.blake2b(f"{seed}/{role}".encode(), digest_size=8).digest()) >> 11
