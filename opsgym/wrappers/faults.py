"""Faults: what kinds of tool failure there are, and the sampler that says which call meets which."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from opsgym.core.errors import InjectedFault, RegistryError, TaskError, ToolErrorCode
from opsgym.core.tools import Tool

__all__ = ["KINDS", "REJECTIONS", "FaultKind", "FaultModel", "FaultState", "Planned", "Rate"]

Rate = float | Mapping[str, float] | Sequence[Sequence[float]]
"""A probability; one by tool name (``"*"`` for the others); or points (progress, probability) of a schedule."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of failure.

    Attributes:
        executes: Whether the tool is called at all.
        turns: How many turns the failure costs an agent that handles it well.
        seconds: Least and greatest virtual time that it costs.
        reads: Only tools that change nothing can fail so.
        ends: Whether a terminal tool can fail so.
        message: What the agent is told; empty when the reply is not an error.
        hint: What it may do.
        code: Error code that it sees.
    """

    executes: bool
    turns: int
    seconds: tuple[float, float]
    reads: bool = False
    ends: bool = True
    message: str = ""
    hint: str = ""
    code: ToolErrorCode = "unavailable"

    def error(self, tool: str, wait: float) -> InjectedFault:
        """The error that the agent sees.

        Args:
            tool: Name of the tool.
            wait: Seconds to wait, for kinds that say so.
        """
        return InjectedFault(self.code, self.message.format(tool=tool, wait=round(wait)), self.hint)


_AGAIN = "Nothing was changed; try again."
KINDS: dict[str, FaultKind] = {
    "timeout": FaultKind(False, 1, (30, 30), message="{tool}: the request timed out before it was processed.", hint=_AGAIN),
    "unavailable": FaultKind(False, 1, (0.1, 1), message="{tool}: 503 service unavailable.", hint=_AGAIN),
    "connection_reset": FaultKind(
        False, 1, (0.1, 1), message="{tool}: the connection was reset before the request was sent.", hint=_AGAIN
    ),
    "response_lost": FaultKind(
        True,
        2,
        (30, 30),
        ends=False,
        message="{tool}: the connection broke while waiting for the response.",
        hint="The request may have been carried out: check before you repeat it.",
    ),
    "rate_limited": FaultKind(
        False, 1, (1, 10), message="{tool}: 429 too many requests; retry after {wait} s.", hint="Nothing was changed."
    ),
    "truncated": FaultKind(True, 1, (0, 0), ends=False),
    "stale": FaultKind(True, 1, (0, 0), reads=True, ends=False),
    "slow": FaultKind(True, 0, (5, 60)),
    "forbidden": FaultKind(
        False, 1, (0.1, 0.1), message="{tool}: access was denied for the moment.", hint=_AGAIN, code="not_allowed"
    ),
    "outage": FaultKind(False, 1, (0.1, 1), message="{tool}: 503 service unavailable, the service is down.", hint=_AGAIN),
}
"""Every kind by name."""

REJECTIONS: tuple[str, ...] = ("timeout", "unavailable", "connection_reset")
"""What the ACE-Bench paper injects (section 4.3): calls rejected at random, as by timeouts and service errors."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The failure that a call meets.

    Attributes:
        kind: A name of :data:`KINDS`.
        share: Uniform in [0, 1): whatever else the kind needs to be drawn.
    """

    kind: str
    share: float

    @property
    def seconds(self) -> float:
        """Virtual time that it costs."""
        low, high = KINDS[self.kind].seconds
        return low + (high - low) * self.share


@dataclass(slots=True)
class FaultState:
    """What the sampler keeps of an episode.

    Attributes:
        key: Names the episode's stream.
        progress: Progress of training in [0, 1], for schedules.
        allowance: How many turns failures may still cost.
        index: Calls so far.
        bursting: Whether the last call fell into a burst.
        outages: Calls that each tool in an outage will still reject.
        blocked: How many times in a row terminal tools were rejected.
    """

    key: str = ""
    progress: float = 0.0
    allowance: float = math.inf
    index: int = 0
    bursting: bool = False
    outages: dict[str, int] = field(default_factory=dict)
    blocked: int = 0

    def copy(self) -> FaultState:
        """A copy that shares nothing that changes."""
        return replace(self, outages=dict(self.outages))


@dataclass(frozen=True, kw_only=True)
class FaultModel:
    """Draws failures: a pure function of its configuration, the episode's key and the history of calls.

    Each draw hashes (key, index of the call, name of the tool), so that equal histories meet equal faults in any
    process; without bursts, a higher rate faults every call that a lower one would fault after the same history.

    Args:
        rate: Probability that a call meets a new fault; see :data:`Rate`.
        kinds: Weights of the kinds; those that cannot befall a tool are left out for it.
        mean_burst: Mean number of calls in a row that meet faults (Gilbert's two-state chain); ``None`` for independent
            faults.  The rate is kept: it is the chain's stationary probability.
        outage_calls: Least and greatest number of calls that an outage of a tool rejects, its first included.
        max_blocked_submits: How many times in a row a terminal tool may be rejected.

    Raises:
        RegistryError: Unknown kind.
        TaskError: A value is out of range.

    Example:
        >>> from opsgym.core.tools import tool
        >>> @tool()
        ... def look(world: object) -> None:
        ...     '''Look.'''
        >>> model, state = FaultModel(rate=0.5, kinds={"timeout": 1}), FaultState(key="1")
        >>> [planned.kind if (planned := model.draw(state, look)) else "-" for _ in range(6)]
        ['-', '-', 'timeout', '-', 'timeout', 'timeout']
    """

    rate: Rate
    kinds: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(REJECTIONS, 1.0))
    mean_burst: float | None = None
    outage_calls: tuple[int, int] = (2, 5)
    max_blocked_submits: int = 2

    def __post_init__(self) -> None:
        for name, weight in self.kinds.items():
            if name not in KINDS:
                raise RegistryError("fault kind", name, KINDS)
            if not 0 <= weight < math.inf:
                raise TaskError(f"expected a finite weight of at least 0, got {weight!r}", field=f"kinds.{name}")
        if not sum(self.kinds.values()) > 0:
            raise TaskError("expected at least one kind with a positive weight", field="kinds")
        rates = _rates(self.rate)
        for rate in rates:
            if not 0 <= rate <= 1:
                raise TaskError(f"expected a probability in [0, 1], got {rate!r}", field="rate")
        if self.mean_burst is not None and any(rate >= 1 or rate / (1 - rate) > self.mean_burst for rate in rates):
            raise TaskError(f"bursts of mean {self.mean_burst} cannot reach the rate {max(rates)}", field="mean_burst")
        if not 1 <= self.outage_calls[0] <= self.outage_calls[1]:
            raise TaskError(f"expected 1 <= least <= greatest, got {self.outage_calls}", field="outage_calls")
        if self.max_blocked_submits < 0:
            raise TaskError(f"expected at least 0, got {self.max_blocked_submits}", field="max_blocked_submits")

    def draw(self, state: FaultState, tool: Tool) -> Planned | None:
        """The failure that the next call, of ``tool``, meets; updates ``state``."""
        state.index += 1
        first, second, third = _uniforms(state.key, state.index, tool.name)
        if state.outages.get(tool.name):
            planned: Planned | None = Planned("outage", third)
            state.outages[tool.name] -= 1
        else:
            planned = self._begin(state, tool, first, second, third)
        return self._guarded(state, tool, planned)

    def rate_of(self, tool: str, progress: float) -> float:
        """Probability that a call of ``tool`` meets a new fault."""
        if isinstance(self.rate, Mapping):
            return self.rate.get(tool, self.rate.get("*", 0.0))
        return self.rate if isinstance(self.rate, int | float) else _interpolate(self.rate, progress)

    def _begin(self, state: FaultState, tool: Tool, first: float, second: float, third: float) -> Planned | None:
        rate = self.rate_of(tool.name, state.progress)
        if self.mean_burst is not None:
            leave = 1 / self.mean_burst
            rate = 1 - leave if state.bursting and rate else leave * rate / (1 - rate)
        state.bursting = first < rate
        if not state.bursting:
            return None
        kind = _pick({name: weight for name, weight in self.kinds.items() if _applies(KINDS[name], tool)}, second)
        return None if kind is None else Planned(kind, third)

    def _guarded(self, state: FaultState, tool: Tool, planned: Planned | None) -> Planned | None:
        """The failure, unless it would break a guarantee."""
        if planned is None:
            state.blocked = 0 if tool.terminal else state.blocked
            return None
        kind = KINDS[planned.kind]
        rejects_end = tool.terminal and not kind.executes
        if kind.turns > state.allowance or (rejects_end and state.blocked >= self.max_blocked_submits):
            state.outages.pop(tool.name, None)
            state.blocked = 0
            return None
        state.allowance -= kind.turns
        state.blocked = state.blocked + 1 if rejects_end else state.blocked
        if planned.kind == "outage" and tool.name not in state.outages:
            low, high = self.outage_calls
            state.outages[tool.name] = low + int((high - low + 1) * planned.share) - 1
        if not state.outages.get(tool.name):
            state.outages.pop(tool.name, None)
        return planned


def _applies(kind: FaultKind, tool: Tool) -> bool:
    return not (kind.reads and tool.mutates) and (kind.ends or not tool.terminal)


def _uniforms(key: str, index: int, tool: str) -> tuple[float, float, float]:
    digest = hashlib.blake2b(f"{key}\x1f{index}\x1f{tool}".encode(), digest_size=24).digest()
    first, second, third = (int.from_bytes(digest[start : start + 8]) >> 11 for start in (0, 8, 16))
    return first / 2**53, second / 2**53, third / 2**53


def _pick(weights: Mapping[str, float], share: float) -> str | None:
    """The name at ``share`` of the cumulative weights; ``None`` when there is nothing to pick from."""
    target = share * sum(weights.values())
    last = None
    for name, weight in weights.items():
        if weight > 0:
            last, target = name, target - weight
            if target < 0:
                break
    return last


def _rates(rate: Rate) -> list[float]:
    """Every probability that stands in a rate."""
    if isinstance(rate, Mapping):
        return list(rate.values())
    if isinstance(rate, int | float):
        return [float(rate)]
    points = [tuple(point) for point in rate]
    ascending = all(first[0] < second[0] for first, second in pairwise(points))
    if not points or any(len(point) != 2 or not 0 <= point[0] <= 1 for point in points) or not ascending:
        raise TaskError(f"expected points (progress, probability) by ascending progress in [0, 1], got {rate!r}", field="rate")
    return [point[1] for point in points]


def _interpolate(points: Sequence[Sequence[Any]], progress: float) -> float:
    """Piecewise linear between the points, constant beyond them."""
    before, rate = points[0], float(points[0][1])
    for point in points:
        if progress < point[0]:
            span = point[0] - before[0]
            return rate if not span else before[1] + (point[1] - before[1]) * (progress - before[0]) / span
        before, rate = point, float(point[1])
    return rate
