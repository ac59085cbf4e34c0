"""Gates: which groups of rollouts a group-based trainer should learn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from opsgym.core.errors import TaskError
from opsgym.curricula.sampler import positive, share
from opsgym.curricula.ticket import Outcome

__all__ = ["Admission", "BudgetGate", "Gate", "RangeGate", "ZeroVarianceGate"]


class Admission(NamedTuple):
    """Whether a group is admitted, and why: ``admitted``, ``too_hard``, ``too_easy``, ``empty`` or ``budget``."""

    admitted: bool
    reason: str


class Gate(ABC):
    """Decides after scoring, by the number of successes alone: counts are exact, and shaped scores do not matter.

    A group is told to the sampler whether it is admitted or not.  Trials that are not ``done`` do not count.
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def admit(self, group: Sequence[Outcome]) -> Admission:
        """Decide on the outcomes of one ticket.

        Raises:
            TaskError: They are of several tickets.
        """
        tickets = sorted({outcome.ticket_id for outcome in group})
        if len(tickets) > 1:
            raise TaskError(f"expected the outcomes of one ticket, got those of {tickets}", field="group")
        done = [outcome for outcome in group if outcome.status == "done"]
        admission = self._decide(sum(bool(outcome.success) for outcome in done), len(done)) if done else Admission(False, "empty")
        self.counts[admission.reason] = self.counts.get(admission.reason, 0) + 1
        return admission

    @abstractmethod
    def _decide(self, successes: int, trials: int) -> Admission: ...

    def metrics(self) -> dict[str, float]:
        """How many groups met each reason."""
        return {reason: float(count) for reason, count in sorted(self.counts.items())}

    def state_dict(self) -> dict[str, Any]:
        """The counts, as JSON."""
        return {"counts": dict(self.counts)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state_dict` gave."""
        self.counts = dict(state["counts"])


class ZeroVarianceGate(Gate):
    """Rejects groups in which every trial succeeded or every one failed: their advantages are all zero.

    **Source.**  Dynamic sampling of DAPO (Yu et al. 2025, arXiv 2503.14476), on the success bit.

    Example:
        >>> gate = ZeroVarianceGate()
        >>> gate.admit([Outcome(0, 7, trial, success=True) for trial in range(4)])
        Admission(admitted=False, reason='too_easy')
        >>> gate.admit([Outcome(1, 8, trial, success=trial == 0) for trial in range(4)])
        Admission(admitted=True, reason='admitted')
    """

    def _decide(self, successes: int, trials: int) -> Admission:
        if successes == 0:
            return Admission(False, "too_hard")
        return Admission(False, "too_easy") if successes == trials else Admission(True, "admitted")


class RangeGate(Gate):
    """Admits groups whose rate of success lies in a range, ends included.

    **Source.**  Online difficulty filtering, as in prime-rl and NeMo-RL (Apache-2.0).

    Args:
        low: Least rate.
        high: Greatest rate.

    Raises:
        TaskError: The range is empty or leaves [0, 1].
    """

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        if share("low", low) > share("high", high):
            raise TaskError(f"expected low <= high, got {low} > {high}", field="low")
        self._low, self._high = low, high

    def _decide(self, successes: int, trials: int) -> Admission:
        rate = successes / trials
        if rate < self._low:
            return Admission(False, "too_hard")
        return Admission(False, "too_easy") if rate > self._high else Admission(True, "admitted")


class BudgetGate(Gate):
    """Another gate, which after ``rejections`` in a batch admits whatever comes: a batch always fills.

    **Source.**  ``max_num_gen_batches`` of DAPO's recipe, counted in groups.

    Args:
        gate: The gate that is asked first.
        rejections: How many groups it may reject per batch; call :meth:`new_batch` between batches.  Empty groups are never
            admitted.

    Raises:
        TaskError: The number is not positive.
    """

    def __init__(self, gate: Gate, rejections: int) -> None:
        super().__init__()
        self.gate, self._most, self._rejected = gate, int(positive("rejections", rejections)), 0

    def new_batch(self) -> None:
        """Start counting rejections anew."""
        self._rejected = 0

    def _decide(self, successes: int, trials: int) -> Admission:
        admission = self.gate._decide(successes, trials)
        if admission.admitted:
            return admission
        if self._rejected >= self._most:
            return Admission(True, "budget")
        self._rejected += 1
        return admission

    def state_dict(self) -> dict[str, Any]:
        """The counts and the rejections of the batch, as JSON."""
        return {**super().state_dict(), "rejected": self._rejected, "gate": self.gate.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state_dict` gave."""
        super().load_state_dict(state)
        self._rejected = state["rejected"]
        self.gate.load_state_dict(state["gate"])
