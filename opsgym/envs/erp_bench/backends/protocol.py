"""ErpBackend: what an ERP must do so that a task can be played and judged on it, whoever wrote it.

Verbs are the business tools, as :class:`~opsgym.core.task.ToolCall`; answers are :class:`~opsgym.core.tools.ToolResult`,
refusals among them; the state is an :class:`~opsgym.envs.erp_bench.state.ErpState`, which names records by business keys.
So generator, reference solution and verifier never see a database id or a wire format.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict
from datetime import date
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall, canonical_json
from opsgym.core.tools import Toolbox, ToolResult
from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.spec import Scenario
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.tools import HARNESSES
from opsgym.envs.erp_bench.verifier import judge

TOOLS = Toolbox({tool.name: tool for tools in HARNESSES.values() for tool in tools}.values())
"""The verbs: the tools of every harness."""

Capability = Literal[
    "purchasing", "manufacturing", "alternative_centers", "invoicing", "down_payments", "change_confirmed", "dated_offers"
]
"""What a task may need of an ERP.

``alternative_centers``: a product can be made on one of several work centers, each with its minutes and cost;
``down_payments``: before the final invoice, and not yet paid; ``change_confirmed``: confirmed orders are changed and cancelled;
``dated_offers``: vendors' prices with validity dates.
"""

ALL: frozenset[Capability] = frozenset(get_args(Capability))
"""Every capability."""


@runtime_checkable
class ErpBackend(Protocol):
    """An ERP on which tasks are played.

    Every method may raise :class:`~opsgym.core.errors.BackendError`: the ERP broke, and what was played on it counts for nothing.

    Attributes:
        name: What it is called in messages.
        capabilities: What it can do; a task that needs more is refused by :func:`require`.
    """

    name: str
    capabilities: frozenset[Capability]

    def adapt(self, task: Task) -> Task:
        """The task as this ERP can play it: the same, or moved to the day on which the ERP lives."""

    def reset(self, task: Task) -> None:
        """Seed the world of an adapted task; the same task gives the same :meth:`snapshot`, whatever was before.

        Raises:
            TaskError: The task is invalid, or needs what this ERP lacks.
        """

    def apply(self, call: ToolCall) -> ToolResult:
        """Carry out one call, whole or not at all; what is refused is a result too, and changes nothing."""

    def snapshot(self) -> ErpState:
        """The present state against the seeded one, as the verifier reads it."""

    def close(self) -> None:
        """Free what the backend holds; it cannot be used afterwards."""


def needs(scenario: Scenario) -> frozenset[Capability]:
    """What playing a scenario takes."""
    problem, decoys = scenario.problem, scenario.decoys
    products = [operation.product for operation in (*problem.operations, *decoys.operations)]
    found: dict[Capability, bool] = {
        "purchasing": problem.buying or bool(problem.offers),
        "manufacturing": problem.making,
        "alternative_centers": len(products) > len(set(products)),
        "invoicing": problem.invoicing is not None,
        "down_payments": problem.invoicing is not None and problem.invoicing.downpayment_threshold is not None,
        "change_confirmed": problem.repair is not None,
        "dated_offers": any(offer.valid_from or offer.valid_to for offer in (*problem.offers, *decoys.offers)),
    }
    return frozenset(name for name, needed in found.items() if needed)


def require(backend: ErpBackend, task: Task) -> None:
    """Refuse a task that needs what a backend lacks.

    Raises:
        TaskError: Names what is lacking.
    """
    lacking = sorted(needs(scenario_of(task)) - backend.capabilities)
    if lacking:
        raise TaskError(f"the task needs {', '.join(lacking)}, which the backend {backend.name!r} lacks", field="backend")


def verdict_of(backend: ErpBackend, task: Task) -> Verdict:
    """The verifier's judgement of a backend's present state; ``task`` is the adapted one."""
    return judged(backend.snapshot(), task)


def judged(state: ErpState, task: Task) -> Verdict:
    """The verifier's judgement of a state of an adapted task."""
    return judge(state, scenario_of(task), task.checks, task.certificate)


_NUMBERED = re.compile(r"(?<![\w#])#\d+\b")


def neutral(state: ErpState) -> Any:
    """A state as plain JSON that two backends can share.

    Records without a key of their own, such as draft invoices, are named by their database id (``#17``); here they are
    numbered in the order in which they stand.
    """
    places: dict[str, str] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return _NUMBERED.sub(lambda match: places.setdefault(match.group(), f"#{len(places) + 1}"), value)
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    return plain(asdict(state))


def fingerprint(state: ErpState) -> str:
    """SHA-256 of :func:`neutral`: equal when nothing that a verifier can see differs."""
    return hashlib.sha256(canonical_json(neutral(state)).encode()).hexdigest()
