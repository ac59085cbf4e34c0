"""ToolFailureInjection: tool calls that fail now and then, seeded and recorded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import gymnasium as gym

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall, canonical_json
from opsgym.core.tools import ToolResult
from opsgym.envs.middleware import Proceed, Reply, answer
from opsgym.wrappers.base import Step, ToolWrapper, known_tools
from opsgym.wrappers.faults import KINDS, REJECTIONS, FaultModel, FaultState, Planned, Rate

__all__ = ["LedgerEntry", "ToolFailureInjection"]

CUT = "…[response cut off]"
"""Mark at the end of a line that a fault cut."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One injected fault.

    Attributes:
        call: Number of the call in the episode, from 1.
        turn: Number of the turn, from 1.
        tool: The tool called.
        kind: A name of :data:`~opsgym.wrappers.faults.KINDS`.
        surfaced: Whether the agent was shown anything else than without the fault.
        seconds: Virtual time that the fault cost.
    """

    call: int
    turn: int
    tool: str
    kind: str
    surfaced: bool
    seconds: float


@dataclass(slots=True)
class _State:
    """What the wrapper keeps of an episode, the options of its reset, and which episode it is."""

    faults: FaultState
    options: dict[str, Any] = field(default_factory=dict)
    episodes: int = 0
    ledger: list[LedgerEntry] = field(default_factory=list)
    reads: dict[str, Reply] = field(default_factory=dict)
    waits: dict[str, float] = field(default_factory=dict)

    def copy(self) -> _State:
        return replace(self, faults=self.faults.copy(), ledger=list(self.ledger), reads=dict(self.reads), waits=dict(self.waits))


class ToolFailureInjection(ToolWrapper):
    """Lets tool calls fail with a probability, as the ACE-Bench paper does (section 4.3), and records each fault.

    - ``timeout``, ``unavailable``, ``connection_reset``: the tool does not run; an error ``unavailable``.
    - ``rate_limited``: the tool does not run; an error with a time to wait, which the tool's next call spends.
    - ``forbidden``: the tool does not run; an error ``not_allowed``, for this call only.
    - ``outage``: the tool does not run, nor for its next calls, ``outage_calls`` in all; an error ``unavailable``.
    - ``response_lost``: the tool runs; an error ``unavailable``, so that the agent must check whether it did.
    - ``truncated``: the tool runs; the first ``keep_chars`` characters of the line.
    - ``stale``: the tool runs; the line that the same read gave the last time it was made.
    - ``slow``: the tool runs and costs 5 to 60 s of virtual time; nothing else is seen.

    A read that was not made before cannot be stale, and a short line is not truncated: such faults are injected but do
    not surface.  Calls that cannot be read or name no tool are the agent's own errors and meet no fault.

    **Determinism.**  A call's fault is a hash of (``seed``, the option ``fault_seed``, the task's id, index of the call, name
    of the tool), apart from every other random stream: equal histories meet equal faults on any worker, and every member
    of a group of rollouts of one task meets the same faults for as long as it acts the same.

    **Why the optimum stays reachable.**  The reference solution takes ``len(task.oracle)`` turns at one call a turn, which
    leaves ``max_steps - len(task.oracle)`` spare turns.  Each fault is charged the turns that it costs an agent that handles
    it well: a rejected call is repeated (1); a lost response is checked by up to two reads, and the call is not repeated when
    it was carried out (2); a cut-off or suspect read is made again (1).  Two reads are enough, because a stale read lags by
    one reading: the second of two in a row shows what was true at the first, or later.  No fault is injected that would bring
    the charges above ``allowance`` times the spare turns, which is at most 1, so that such an agent books the whole reference
    solution within the budget.  Faults never change a tool's effect, and so they close no path.  Beside that, a terminal tool
    is rejected at most ``max_blocked_submits`` times in a row.  A budget of time or calls is not part of this promise.

    At the end ``info["faults"]`` holds the ``outcome`` (``"clean"``: no fault surfaced; else ``"recovered"`` on success or
    ``"faulted"``), the numbers ``injected`` and ``surfaced``, counts by ``kinds``, and the ``ledger``.
    ``info["verdict"]["faults"]`` repeats the outcome.  Nothing of it is shown before.

    Args:
        env: A ToolEnv, wrapped or not.
        rate: Probability that a call meets a fault: a number, one by tool name (``"*"`` for the others), or points
            (progress of training, probability) between which it is interpolated.
        kinds: Names of the kinds, or weights by name; by default the rejections of the paper.
        mean_burst: Mean number of calls in a row that meet faults, at the same rate; by default faults are independent.
        outage_calls: Least and greatest number of calls that an outage rejects.
        max_blocked_submits: How many times in a row a terminal tool may be rejected.
        allowance: Share of the spare turns that faults may cost, in [0, 1]; ``None`` gives up the guarantee.
        keep_chars: Length that a truncated line keeps.
        episodes: Number of episodes in which a schedule is run through; the option ``progress`` of ``reset`` overrides it.
        seed: Names the stream of faults.

    The options ``fault_seed`` (an integer: another draw of faults for the same task) and ``progress`` (in [0, 1]) of ``reset``
    are taken here.

    Raises:
        RegistryError: Unknown kind or tool.
        TaskError: A value is out of range.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = gym.make("ERPBench-v0", tier="easy", cache=None)
        >>> env = ToolFailureInjection(env, rate=1.0, kinds=["timeout"], max_blocked_submits=1)
        >>> brief, info = env.reset(seed=7)
        >>> print(env.step('{"name": "submit"}')[0])
        {"tool":"submit","ok":false,"error":{"code":"unavailable","message":"submit: the request timed out before it was
        processed.","hint":"Nothing was changed; try again."}}
        >>> observation, reward, terminated, truncated, info = env.step('{"name": "submit"}')
        >>> terminated, info["faults"]["outcome"], info["faults"]["kinds"]
        (True, 'faulted', {'timeout': 1})
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        rate: Rate = 0.1,
        kinds: Mapping[str, float] | Sequence[str] = REJECTIONS,
        mean_burst: float | None = None,
        outage_calls: tuple[int, int] = (2, 5),
        max_blocked_submits: int = 2,
        allowance: float | None = 0.5,
        keep_chars: int = 200,
        episodes: int | None = None,
        seed: int = 0,
    ) -> None:
        weights = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(kinds, 1.0)
        self.model = FaultModel(
            rate=rate,
            kinds=weights,
            mean_burst=mean_burst,
            outage_calls=(outage_calls[0], outage_calls[1]),
            max_blocked_submits=max_blocked_submits,
        )
        if allowance is not None and not 0 <= allowance <= 1:
            raise TaskError(f"expected a share in [0, 1] or None, got {allowance!r}", field="allowance")
        if keep_chars < 1:
            raise TaskError(f"expected at least 1, got {keep_chars!r}", field="keep_chars")
        if episodes is not None and episodes < 1:
            raise TaskError(f"expected at least 1, got {episodes!r}", field="episodes")
        known_tools(env, rate if isinstance(rate, Mapping) else ())
        super().__init__(
            env,
            rate=rate,
            kinds=weights,
            mean_burst=mean_burst,
            outage_calls=outage_calls,
            max_blocked_submits=max_blocked_submits,
            allowance=allowance,
            keep_chars=keep_chars,
            episodes=episodes,
            seed=seed,
        )
        self._allowance, self._keep, self._horizon, self._seed = allowance, keep_chars, episodes, seed
        self._state = _State(FaultState())

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; takes the options `fault_seed` and `progress`."""
        left = dict(options or {})
        fault_seed, progress = left.pop("fault_seed", 0), left.pop("progress", None)
        if progress is None:
            progress = min(1.0, self._state.episodes / self._horizon) if self._horizon else 0.0
        if not 0 <= progress <= 1:
            raise TaskError(f"expected a number in [0, 1], got {progress!r}", field="options.progress")
        observation, info = super().reset(seed=seed, options=left if options is not None else None)
        task = self.base.task
        spare = max(0, self.base.max_steps - len(task.oracle))
        allowance = math.inf if self._allowance is None else self._allowance * spare
        key = canonical_json([self._seed, fault_seed, task.id])
        taken = {"fault_seed": fault_seed, "progress": progress}
        faults = FaultState(key=key, progress=progress, allowance=allowance)
        self._state = _State(faults, taken, self._state.episodes + 1)
        return observation, info

    def reset_options(self) -> dict[str, Any]:
        """The seed of faults and the progress of training."""
        return dict(self._state.options)

    def step(self, action: Any) -> Step:
        """As inside; at the end the info holds the faults."""
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            info["faults"] = self._report(is_success=info.get("is_success", False))
            if "verdict" in info:
                info["verdict"]["faults"] = info["faults"]["outcome"]
        return observation, reward, terminated, truncated, info

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer a call, or let it fail."""
        tool, state, episode = self.base.tools.get(call.name), self._state, self.base.episode
        if tool is None:
            return proceed(call)
        if state.waits:
            episode.seconds += state.waits.pop(call.name, 0.0)
        planned = self.model.draw(state.faults, tool)
        reads = "stale" in self.model.kinds and not tool.mutates and not tool.terminal
        key = canonical_json([call.name, call.arguments]) if reads else ""
        if planned is None:
            reply = proceed(call)
            if reads:
                state.reads[key] = reply
            return reply
        if planned.kind == "rate_limited":
            state.waits[call.name] = planned.seconds
        else:
            episode.seconds += planned.seconds
        true = proceed(call) if KINDS[planned.kind].executes else None
        shown = self._shown(planned, call.name, true, state.reads.get(key))
        if reads and true is not None:
            state.reads[key] = true
        surfaced = true is None or shown.line != true.line
        turn = len(episode.turns) + 1
        state.ledger.append(LedgerEntry(state.faults.index, turn, call.name, planned.kind, surfaced, planned.seconds))
        return shown

    def _shown(self, planned: Planned, name: str, true: Reply | None, last: Reply | None) -> Reply:
        """What the agent sees in place of the true reply (``None`` when the tool did not run)."""
        kind = KINDS[planned.kind]
        if kind.message or true is None:
            return answer(ToolResult(name, error=kind.error(name, planned.seconds)))
        if planned.kind == "stale":
            return last or true
        if planned.kind == "truncated" and len(true.line) > self._keep + len(CUT):
            return Reply(true.result, true.line[: self._keep] + CUT)
        return true

    def _report(self, *, is_success: bool) -> dict[str, Any]:
        """The faults of the episode, for ``info``: fresh objects."""
        ledger = self._state.ledger
        surfaced = sum(entry.surfaced for entry in ledger)
        outcome = "clean" if not surfaced else "recovered" if is_success else "faulted"
        kinds = dict(sorted(Counter(entry.kind for entry in ledger).items()))
        entries = [asdict(entry) for entry in ledger]
        return {"outcome": outcome, "injected": len(ledger), "surfaced": surfaced, "kinds": kinds, "ledger": entries}

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return self._state.copy()

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._state = state.copy()
