"""Template: a kind of request, as a function that drafts one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from opsgym.envs.enterprise_bench.endings import Reason

if TYPE_CHECKING:
    from opsgym.envs.enterprise_bench.draft import Draft

Domain = Literal["swe", "sales", "hr", "it", "business"]
Kind = Literal["search", "crud"]


class Unfit(Exception):
    """A draw finds no task; the next one is tried."""


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of request.

    Attributes:
        name: Its name, the domain's in front.
        domain: Whose work it is.
        kind: Whether it asks for something or for a change.
        twins: Reasons for which a draft of it can be unanswerable; the same draft without is the permitted twin.
        build: Drafts one.
        summary: What it asks for.
    """

    name: str
    domain: Domain
    kind: Kind
    twins: tuple[Reason, ...]
    build: Callable[[Draft], None]
    summary: str


class Catalogue:
    """Collects the templates of a module.

    Args:
        domain: Their domain.

    Attributes:
        templates: The templates, in the order of the module.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain: Domain = domain
        self.templates: list[Template] = []

    def search(self, *twins: Reason) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
        """Make a template that asks for something."""
        return self._made("search", twins)

    def crud(self, *twins: Reason) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
        """Make a template that asks for a change."""
        return self._made("crud", twins)

    def add(self, kind: Kind, name: str, summary: str, twins: tuple[Reason, ...], build: Callable[[Draft], None]) -> None:
        """Add a template of a family of like ones."""
        self.templates.append(Template(f"{self.domain}_{name}", self.domain, kind, twins, build, summary))

    def _made(self, kind: Kind, twins: tuple[Reason, ...]) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
        def decorate(build: Callable[[Draft], None]) -> Callable[[Draft], None]:
            self.add(kind, build.__name__, (build.__doc__ or "").strip(), twins, build)
            return build

        return decorate
