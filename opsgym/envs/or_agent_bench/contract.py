"""The contract of a problem class: what its folder declares, and the records that pass between its parts.

A class lives in ``problems/<name>/`` with the same file names in each:

- ``__init__.py``: the story as docstring, which is its documentation page, and ``PROBLEM``, a :class:`Problem`.
- ``instance.py``: ``Instance`` and ``Plan``, frozen dataclasses of plain values, and ``draw(params, stream)``.
- ``brief.py``: ``story``, ``objective``, ``rules`` and ``files``: all that an agent can read.
- ``model.py``: the reference program: ``read``, ``solve``, ``greedy`` and ``check``; it sees the files only, and of this
  package it imports nothing but :mod:`~opsgym.envs.or_agent_bench.kit`.
- ``validator.py``: ``validate``: sees the instance and the plan only, and imports nothing of the model.
- ``mutants.py``: ``mutants``: for each rule a plan that breaks it.
- ``rolling.py``, where the class has a rolling form: ``EPOCHS``, ``view`` and ``notice``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

from opsgym.envs.or_agent_bench.kit import Plan, Solved

if TYPE_CHECKING:
    from opsgym.core.stream import Stream
    from opsgym.envs.or_agent_bench.params import OrParams
    from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

Sense = Literal["min", "max"]

Scenario = Literal["manufacturing", "transportation", "healthcare", "energy", "retail", "software", "environment", "public"]


@dataclass(frozen=True, slots=True)
class Report:
    """What a validator says of one plan.

    Attributes:
        violations: The violated items of each rule, one sentence each; a rule that holds has none.
        objective: The plan's objective, recomputed from the instance; of use only where nothing is violated.
        charge: The part of it that is charged for changes against the plan of the epoch before.
    """

    violations: Mapping[str, tuple[str, ...]]
    objective: float
    charge: float = 0.0

    @property
    def is_feasible(self) -> bool:
        """Whether every rule holds."""
        return not any(self.violations.values())


class Findings:
    """Collects violated items while a validator looks.

    Args:
        rules: The rules that will be looked at.

    Example:
        >>> findings = Findings(["capacity", "coverage"])
        >>> findings.require("capacity", 5 <= 4, "truck T1 carries 5 of 4")
        >>> findings.report(12.5).violations
        {'capacity': ('truck T1 carries 5 of 4',), 'coverage': ()}
    """

    def __init__(self, rules: Iterable[str]) -> None:
        self._items: dict[str, list[str]] = {rule: [] for rule in rules}

    def add(self, rule: str, item: str) -> None:
        """Note a violated item."""
        self._items[rule].append(item)

    def require(self, rule: str, holds: bool, item: str) -> None:
        """Note a violated item unless it holds."""
        if not holds:
            self.add(rule, item)

    def __bool__(self) -> bool:
        return any(self._items.values())

    def report(self, objective: float, charge: float = 0.0) -> Report:
        """The report, with the plan's objective and the charge for changes in it."""
        return Report({rule: tuple(items) for rule, items in self._items.items()}, objective, charge)


@dataclass(frozen=True, slots=True)
class Rolling:
    """The rolling form of a class.

    Attributes:
        epochs: Number of decisions, at least 3.
        view: ``view(instance, epoch)``: the instance as it is known in an epoch, counted from 0.
        notice: ``notice(instance, epoch)``: what the agent is told when the epoch opens, Markdown.
    """

    epochs: int
    view: Callable[[Any, int], Any]
    notice: Callable[[Any, int], str]


class Model(Protocol):
    """The reference program of a class."""

    OMITTABLE: tuple[str, ...]
    """Rules that :meth:`solve` can leave out, as a careless modeller would."""

    def read(self, files: Mapping[str, str]) -> Any:
        """The data, from the text of each file by path; ``state/accepted.json`` is among them after the first epoch."""

    def solve(self, data: Any, omit: frozenset[str] = frozenset(), effort: float = 1.0) -> Solved:
        """The best plan within the model's deterministic time limit times ``effort``, and a bound."""

    def greedy(self, data: Any) -> Plan:
        """What a planner would do by hand, with all rules in mind; it may fail to be feasible."""

    def check(self, data: Any, plan: Plan) -> float | None:
        """The model's objective of a plan, or ``None`` when one of the model's own constraints is broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem class.

    Attributes:
        name: Name of its folder, and the pattern of its tasks.
        title: Its name in words.
        scenario: One of the eight scenario families.
        structure: The optimisation problem behind it, in the field's words.
        sense: Whether the objective is minimised or maximised.
        unit: Unit of the objective.
        instance: The dataclass of instances.
        plan: The dataclass of submissions; its JSON Schema is what agents are given.
        draw: ``draw(params, stream)``: an instance.
        story: ``story(instance)``: the situation, Markdown.
        objective: ``objective(instance)``: what is to be made small or large, Markdown.
        rules: ``rules(instance)``: every rule that the validator enforces, by id, as the brief says it.
        files: ``files(instance, wrinkles)``: the data files by path, all under ``data/``.
        dictionary: What each file holds and each column means: path -> {column: meaning}.
        validate: ``validate(instance, plan, previous)``: a :class:`Report`; ``previous`` is the plan of the epoch before.
        mutants: ``mutants(instance, plan, previous)``: pairs of a rule and a plan (as JSON) that breaks it.
        rolling: Its rolling form, if it has one.
    """

    name: str
    title: str
    scenario: Scenario
    structure: str
    sense: Sense
    unit: str
    instance: type
    plan: type
    draw: Callable[[OrParams, Stream], Any]
    story: Callable[[Any], str]
    objective: Callable[[Any], str]
    rules: Callable[[Any], Mapping[str, str]]
    files: Callable[[Any, Wrinkles], Mapping[str, str]]
    dictionary: Mapping[str, Mapping[str, str]]
    validate: Callable[[Any, Any, Any], Report]
    mutants: Callable[[Any, Plan, Plan | None], Iterator[tuple[str, Plan]]]
    rolling: Rolling | None = None
    tags: tuple[str, ...] = field(default=())

    @property
    def model(self) -> Model:
        """The reference program."""
        module: Any = import_module(f"opsgym.envs.or_agent_bench.problems.{self.name}.model")
        found: Model = module
        return found
