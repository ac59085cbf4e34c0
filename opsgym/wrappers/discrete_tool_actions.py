"""DiscreteToolActions: tool calls by number, so that classical reinforcement learning runs on any family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.core.tools import Toolbox
from opsgym.wrappers.base import Step, ToolWrapper
from opsgym.wrappers.candidates import Candidate, Facts, candidates

__all__ = ["FEATURES", "STATE", "DiscreteToolActions"]

FEATURES: tuple[str, ...] = (
    "exists",
    "tool",
    "mutates",
    "terminal",
    "arguments",
    "closeness",
    "place",
    "in_order",
    "tried",
    "succeeded",
    "failed",
)
"""What is known of each candidate, each in [0, 1]."""

STATE: tuple[str, ...] = ("turns_used", "last_ok", "last_failed", "calls", "errors", "candidates_tried")
"""What is known of the episode, each in [0, 1]."""

_SUCCEEDED, _FAILED = np.array((1, 1, 0), np.float32), np.array((1, 0, 1), np.float32)
"""The last features of a call that was made."""

Enumerate = Callable[[Toolbox, Facts], Sequence[Candidate]]
"""A family's own way to enumerate calls."""


class DiscreteToolActions(ToolWrapper):
    """Makes the actions numbers: each stands for a tool call that is made of what the agent has read so far.

    The calls of a tool take their required arguments from the results read (values under the argument's name) and from the
    words and numbers of the brief; nothing else is known, nothing of the solution.  Those whose arguments stand close together
    in the brief come first.  A call keeps its number through the episode; new ones are added as results are read, while
    there is room.  Numbers without a call are masked; taking one anyway is answered as an empty action.

    That enumeration is a general one: it can solve families with few arguments as they are.  A family with rich arguments
    enumerates by itself what makes sense in the present state (:meth:`Family.candidates
    <opsgym.core.family.Family.candidates>`), as ERPBench does.  Then only what makes sense now is on offer: other
    calls are masked, and give up their numbers when room is needed.

    The observation is a dict: ``state`` (see :data:`STATE`), ``candidates`` with a row for each number (see :data:`FEATURES`)
    and ``action_mask``.  ``action_masks()`` gives the mask as MaskablePPO asks for it, ``info["text"]`` the text.

    Args:
        env: A ToolEnv with observations of text, wrapped or not.
        size: Number of actions.
        values: How many values each argument may take.
        per_tool: Greatest number of calls of one tool at a time.
        enumerate_calls: Another enumeration instead: given the tools and what has been read, the candidates in order.

    Raises:
        TaskError: A number is not positive.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = DiscreteToolActions(gym.make("ERPBench-v0", tier="easy", cache=None), size=64)
        >>> observation, info = env.reset(seed=7)
        >>> number = int(observation["action_mask"].argmax())
        >>> env.calls[number].name
        'create_sales_order'
        >>> observation, reward, terminated, truncated, info = env.step(number)
        >>> info["text"][:38]
        '{"tool":"create_sales_order","ok":true'
    """

    reads_text = True

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        size: int = 256,
        values: int = 16,
        per_tool: int = 32,
        enumerate_calls: Enumerate | None = None,
    ) -> None:
        for name, number in (("size", size), ("values", values), ("per_tool", per_tool)):
            if number < 1:
                raise TaskError(f"expected at least 1, got {number!r}", field=name)
        super().__init__(env, size=size, values=values, per_tool=per_tool, enumerate_calls=enumerate_calls)
        self._size, self._values, self._per_tool, self._own = size, values, per_tool, enumerate_calls
        self.action_space = spaces.Discrete(size)
        self.observation_space = spaces.Dict(
            {
                "state": spaces.Box(0.0, 1.0, (len(STATE),), np.float32),
                "candidates": spaces.Box(0.0, 1.0, (size, len(FEATURES)), np.float32),
                "action_mask": spaces.MultiBinary(size),
            }
        )
        self._facts = Facts()
        self._numbers: dict[str, int] = {}
        self._errors: dict[str, int] = {}
        self.calls: list[ToolCall] = []
        self._rows: NDArray[np.float32] = np.zeros((size, len(FEATURES)), np.float32)
        self._nearness: NDArray[np.float32] = np.zeros(0, np.float32)
        self._offered: dict[int, tuple[ToolCall, int]] = {}
        self._found: Sequence[Candidate] = ()
        self._changes = self._tried = 0
        self._sensible_now = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode with the calls that the brief suggests."""
        text, info = super().reset(seed=seed, options=options)
        self._facts = Facts.of_brief(text)
        self._numbers, self.calls, self._offered, self._found = {}, [], {}, ()
        self._rows = np.zeros((self._size, len(FEATURES)), np.float32)
        self._changes = self._tried = 0
        self._renew()
        return self._view(last=None), info | {"text": text}

    def step(self, action: Any) -> Step:
        """Make the call of that number."""
        number = int(action)
        known = 0 <= number < self._size and bool(self._rows[number, 0])
        text, reward, terminated, truncated, info = self.env.step(self.calls[number] if known else "")
        ok = info["errors"] == self._errors
        if known:
            self._tried += not self._rows[number, 8]
            self._rows[number, 8:] = _SUCCEEDED if ok else _FAILED
        if (not self._sensible_now and self._facts.read(text)) or self.base.episode.changes != self._changes:
            self._renew()
        return self._view(last=ok), float(reward), terminated, truncated, info | {"text": text}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which numbers stand for a call that is on offer."""
        offered: NDArray[np.bool_] = self._rows[:, 0] == 1.0
        return offered

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        counters = dict(self._errors), self._changes, self._sensible_now
        return self._facts.copy(), dict(self._numbers), list(self.calls), self._rows.copy(), counters

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        facts, numbers, calls, rows, (errors, self._changes, self._sensible_now) = state
        self._facts, self._numbers, self.calls = facts.copy(), dict(numbers), list(calls)
        self._rows, self._errors, self._offered, self._found = rows.copy(), dict(errors), {}, ()
        self._tried = int(np.count_nonzero(rows[:, 8]))

    def _renew(self) -> None:
        """Offer what can be called now."""
        self._changes = self.base.episode.changes
        sensible = self._sensible()
        self._sensible_now = sensible is not None
        if sensible is not None:
            self._found = ()
            self._rows[:, 0] = 0.0
            self._offer(sensible, lambda place: Candidate(sensible[place], 0, place))
            return
        found = (self._own or self._enumerate)(self.base.tools, self._facts)
        if len(found) == len(self._found) and all(map(is_, found, self._found)):
            return  # they stand as they were put
        self._found = tuple(found)
        self._offer([each.call for each in found], found.__getitem__, [each.place for each in found])

    def _sensible(self) -> Sequence[ToolCall] | None:
        """The family's own enumeration, where it has one and no other was given."""
        base = self.base
        if self._own is not None or base.harness != base.family.harnesses[0]:
            return None
        return base.family.candidates(base.family.session(base.world, base.task), base.task)

    def _offer(
        self, calls: Sequence[ToolCall], candidate: Callable[[int], Candidate], places: Sequence[int] | None = None
    ) -> None:
        """Put calls on offer, under the numbers that they have, else under new ones while there is room.

        Args:
            calls: The calls in order.
            candidate: The call at a position with what is known of it; asked for new ones only.
            places: Their places in the brief; their positions where left out.
        """
        known, numbers, fresh, last = list[int](), list[int](), list[int](), self._offered
        keys = dict[int, str]()
        if len(self._nearness) < len(calls):
            self._nearness = (1 / np.arange(1, 2 * len(calls) + 1)).astype(np.float32)
        for position, call in enumerate(calls):
            held = last.get(id(call))  # what is held keeps its id, and what was on offer just before its number
            number = held[1] if held is not None else self._numbers.get(keys.setdefault(position, _key(call)))
            if number is None:
                fresh.append(position)
            else:
                known.append(position)
                numbers.append(number)
        if numbers:
            self._rows[numbers, 0] = 1.0
            if places is None:
                self._rows[numbers, 6] = self._nearness[: len(known)] if known[-1] < len(known) else self._nearness[known]
            else:
                self._rows[numbers, 6] = [1 / (1 + places[position]) for position in known]
        for position in fresh:
            number = self._numbers.get(keys[position])
            if number is None:
                number = self._free_number()
                if number is None:
                    break
                self._numbers[keys[position]] = number
                self.calls[number : number + 1] = [calls[position]]
                self._rows[number] = self._row(candidate(position))
            known.append(position)
            numbers.append(number)
        self._offered = {id(calls[position]): (calls[position], number) for position, number in zip(known, numbers, strict=True)}

    def _free_number(self) -> int | None:
        """A number that was not given, else the first whose call is not on offer, which loses it."""
        if len(self.calls) < self._size:
            return len(self.calls)
        masked = np.flatnonzero(~self.action_masks())
        if not len(masked):
            return None
        number = int(masked[0])
        self._tried -= int(self._rows[number, 8])
        del self._numbers[_key(self.calls[number])]
        return number

    def _row(self, candidate: Candidate) -> tuple[float, ...]:
        """Features of a call that was not tried yet."""
        kinds = list(self.base.tools)
        tool = self.base.tools[candidate.call.name]
        return (
            1.0,
            kinds.index(tool.name) / len(kinds),
            tool.mutates,
            tool.terminal,
            min(1.0, len(candidate.call.arguments) / 8),
            1 / (1 + candidate.span),
            1 / (1 + candidate.place),
            candidate.in_order,
            0.0,
            0.0,
            0.0,
        )

    def _enumerate(self, tools: Toolbox, facts: Facts) -> list[Candidate]:
        """The best call of every tool, then each one's second best and so on."""
        lists = [candidates(tool, facts, values=self._values, most=self._per_tool) for tool in tools.values()]
        rounds = range(max(map(len, lists)))
        return [each[turn] for turn in rounds for each in lists if turn < len(each)]

    def _view(self, *, last: bool | None) -> dict[str, Any]:
        base = self.base
        episode, rows = base.episode, self._rows.copy()
        calls, self._errors = episode.calls, dict(episode.errors)
        failed = sum(self._errors.values()) / calls if self._errors else 0.0
        turns, tried = len(episode.turns) / base.max_steps, self._tried / (len(self.calls) or 1)
        state = np.array((turns, last is True, last is False, calls / (1 + calls), failed, tried), np.float32)
        return {"state": state, "candidates": rows, "action_mask": rows[:, 0].astype(np.int8)}


def _key(call: ToolCall) -> str:
    """Tells calls apart; faster than JSON."""
    return f"{call.name}{call.arguments}"
