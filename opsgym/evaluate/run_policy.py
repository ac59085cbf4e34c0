"""PolicyMaker: a policy by name, import path, function or instance, made anew for every trial."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from opsgym.baselines.chat import ChatModel
from opsgym.baselines.policy import AsyncPolicy, Policy
from opsgym.baselines.prompt import Prompt
from opsgym.baselines.registry import make_policy
from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.family import Family

AnyPolicy = Policy | AsyncPolicy
PolicyArgument = str | AnyPolicy | Callable[..., AnyPolicy]
"""A name of the registry, an import path ``"package.module:Class"``, a class or function that makes a policy, or a policy."""


@dataclass(frozen=True, kw_only=True)
class PolicyMaker:
    """Makes the policy of a trial.

    A class or function is called with the options and with those keywords of ``family``, ``model`` and ``seed`` that it takes.
    A policy that is given itself is used for all trials of a process, one after another.

    Attributes:
        policy: The policy; see :data:`PolicyArgument`.
        options: Options of its constructor.
    """

    policy: PolicyArgument
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the policy is called in a plan."""
        if isinstance(self.policy, str):
            return self.policy if ":" in self.policy else self.policy.replace("_", "-")
        made = type(self.policy) if self.is_instance else self.policy
        return f"{made.__module__}:{getattr(made, '__qualname__', type(made).__qualname__)}"

    @property
    def is_instance(self) -> bool:
        """Whether a policy itself was given."""
        return hasattr(self.policy, "act") and not isinstance(self.policy, type)

    def make(self, family: Family[Any], *, model: ChatModel | None = None, seed: int = 0) -> AnyPolicy:
        """The policy of a trial.

        Args:
            family: The family that is played.
            model: The model that it asks.
            seed: Seed of its random streams.

        Raises:
            RegistryError: There is no such policy or option.
            TaskError: An import path leads nowhere, or what it leads to makes no policy.
        """
        if isinstance(self.policy, str) and ":" not in self.policy:
            return make_policy(self.policy, family, model=model, seed=seed, **self.options)
        if self.is_instance:
            return self.policy  # type: ignore[return-value]  # it acts
        factory: Any = imported(self.policy) if isinstance(self.policy, str) else self.policy
        given = {"family": family, "model": model, "seed": seed}
        try:
            made = factory(**{name: value for name, value in given.items() if _takes(factory, name)}, **self.options)
        except OpsGymError:
            raise
        except Exception as error:
            message = f"{self.name} cannot be made with the options {dict(self.options)}: {type(error).__name__}: {error}"
            raise TaskError(message, field="policy") from error
        if not (hasattr(made, "begin") and hasattr(made, "act")):
            raise TaskError(f"expected a policy with begin and act, {self.name} made {type(made).__name__}", field="policy")
        return made  # type: ignore[no-any-return]  # just seen to be one


def prompt_versions(policy: AnyPolicy) -> dict[str, str]:
    """Version and start of the hash of every prompt that a policy says it uses, by name."""
    used: tuple[Prompt, ...] = getattr(policy, "used_prompts", tuple)()
    return {prompt.name: f"{prompt.version} {prompt.sha256[:12]}" for prompt in used}


def imported(path: str) -> Any:
    """What an import path ``"package.module:name"`` leads to.

    Raises:
        TaskError: It leads nowhere.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # a module may raise anything while it is imported
        why = f"{type(error).__name__}: {error}"
        raise TaskError(f"expected package.module:Class, cannot import {path!r}: {why}", field="policy") from error
    return found


def _takes(factory: Callable[..., Any], name: str) -> bool:
    parameter = inspect.signature(factory).parameters.get(name)
    return parameter is not None and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
