"""Playing: a task's calls on a backend, beside the embedded ERP, whose names of documents they use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import ToolResult
from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.backends.embedded import EmbeddedBackend
from opsgym.envs.erp_bench.backends.protocol import ErpBackend, judged, neutral
from opsgym.envs.erp_bench.state import ErpState


@dataclass(frozen=True, slots=True)
class Played:
    """A task played on a backend and on the embedded ERP.

    Attributes:
        task: The task as it was played.
        verdict: What the verifier says of the backend's end state.
        results: The backend's answers.
        expected: The embedded ERP's answers.
        state: The backend's end state.
        expected_state: The embedded ERP's end state.
    """

    task: Task
    verdict: Verdict
    results: tuple[ToolResult, ...]
    expected: tuple[ToolResult, ...]
    state: ErpState
    expected_state: ErpState

    @property
    def agrees(self) -> bool:
        """Whether both refused the same calls for the same reasons and ended in the same state."""
        same = all(_outcome(one) == _outcome(other) for one, other in zip(self.results, self.expected, strict=True))
        return same and neutral(self.state) == neutral(self.expected_state)


def play(backend: ErpBackend, task: Task, calls: Iterable[ToolCall] | None = None) -> Played:
    """Play calls on a backend from the seeded world on; it is left in the end state.

    The same calls are made on the embedded ERP, and where the backend calls a new document otherwise, its name takes the
    place of the embedded one in the calls that follow.

    Args:
        backend: The backend.
        task: Any ERPBench task.
        calls: Calls under the default harness; the reference solution by default.

    Raises:
        BackendError: The backend broke.
        TaskError: The task is invalid, or needs what the backend lacks.
    """
    task = backend.adapt(task)
    names: dict[str, str] = {}
    results, expected = [], []
    with EmbeddedBackend() as rehearsal:
        rehearsal.reset(task)
        backend.reset(task)
        for call in task.oracle if calls is None else calls:
            expected.append(rehearsal.apply(call))
            results.append(backend.apply(ToolCall(name=call.name, arguments=_renamed(call.arguments, names))))
            names |= _names(expected[-1].value, results[-1].value)
        state = backend.snapshot()
        return Played(task, judged(state, task), tuple(results), tuple(expected), state, rehearsal.snapshot())


def _outcome(result: ToolResult) -> tuple[str, str] | None:
    return None if result.error is None else (result.error.code, result.error.message)


def _names(expected: Any, given: Any) -> dict[str, str]:
    """What the backend calls the document of an answer."""
    if not (isinstance(expected, Mapping) and isinstance(given, Mapping) and "name" in expected and "name" in given):
        return {}
    return {} if expected["name"] == given["name"] else {expected["name"]: given["name"]}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value in which documents are called what the backend calls them, also in lists with commas."""
    if isinstance(value, str):
        return ", ".join(names.get(part, part) for part in value.split(", "))
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value
