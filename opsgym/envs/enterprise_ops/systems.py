"""Systems: what each domain brings to the family; loaded when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from opsgym.core.errors import RegistryError
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import RuleBook
from opsgym.envs.enterprise_ops.worlds import Generator

if TYPE_CHECKING:
    from opsgym.envs.enterprise_ops.template import Template

SYSTEMS = ("teams", "csm", "email", "itsm", "calendar", "hr", "drive")
"""Names of the systems, in the paper's order."""

HYBRID = "hybrid"
"""Name of the domain whose tasks play in two systems."""

DOMAINS = (*SYSTEMS, HYBRID)
"""Names of the domains."""


@dataclass(frozen=True)
class System:
    """One system: its declarations and its worlds.

    Attributes:
        domain: The declarations.
        generate: Makes its worlds.
        actors: SQL that lists who may be signed in: key, role, tenant (or an empty text), name and e-mail address, of active
            users of the home organization, in a fixed order.
    """

    domain: Domain
    generate: Generator
    actors: str

    @cached_property
    def book(self) -> RuleBook:
        """The compiled rules."""
        return RuleBook(self.domain)


@cache
def system(name: str) -> System:
    """The system of that name.

    Raises:
        RegistryError: There is none.
    """
    if name not in SYSTEMS:
        raise RegistryError("system", name, SYSTEMS)
    found: System = import_module(f"opsgym.envs.enterprise_ops.{name}.system").SYSTEM
    return found


@cache
def templates(domain: str) -> tuple[Template, ...]:
    """The task templates of a domain, of :data:`HYBRID` too.

    Raises:
        RegistryError: There is no such domain.
    """
    if domain not in DOMAINS:
        raise RegistryError("domain", domain, DOMAINS)
    try:
        found: tuple[Template, ...] = getattr(import_module(f"opsgym.envs.enterprise_ops.{domain}.templates"), "TEMPLATES", ())
    except ModuleNotFoundError as error:  # until every domain is there
        if not (error.name or "").startswith(f"opsgym.envs.enterprise_ops.{domain}"):
            raise
        return ()
    return found


@cache
def template_by_name() -> dict[str, Template]:
    """All templates by name; share it, do not change it."""
    return {item.name: item for domain in DOMAINS for item in templates(domain)}


FIXED = {"teams": 108, "csm": 183, "email": 119, "itsm": 182, "calendar": 108, "hr": 181, "drive": 113, "hybrid": 156}
"""Tasks of the fixed set by domain: 1,150 in the proportions of the published split."""


def fixed_counts() -> dict[str, int]:
    """Tasks of the fixed set by template: those of a domain evenly spread."""
    counts: dict[str, int] = {}
    for domain in DOMAINS:
        names = [item.name for item in templates(domain)]
        counts |= {name: len(range(number, FIXED[domain], len(names))) for number, name in enumerate(names)}
    return counts
