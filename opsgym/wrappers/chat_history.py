"""ChatHistory: the whole conversation as the observation, with strategies for long episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict, get_args

import gymnasium as gym
from gymnasium import spaces

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.wrappers.base import Step, ToolWrapper, text_limit
from opsgym.wrappers.observation_limit import shorten

__all__ = ["ChatHistory", "DropToolResults", "Message", "Strategy", "Summarise", "Window"]

Format = Literal["messages", "transcript"]
LEFT_OUT = "[result left out]"
"""What stands in place of a dropped tool result."""


class Message(TypedDict):
    """One message of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: what the agent said and what it was told."""

    action: str
    result: str


class Strategy(Protocol):
    """Shortens a history; sees all turns and returns notes on what is gone, and the turns to show."""

    def __call__(self, turns: Sequence[Exchange], memory: dict[str, Any]) -> tuple[str, Sequence[Exchange]]:
        """Shorten.

        Args:
            turns: All turns of the episode.
            memory: What the strategy wants to keep through the episode; JSON values only.
        """


@dataclass(frozen=True)
class Window:
    """Shows the last turns.

    Args:
        turns: How many.
    """

    turns: int = 10

    def __call__(self, turns: Sequence[Exchange], memory: dict[str, Any]) -> tuple[str, Sequence[Exchange]]:
        """See :class:`Strategy`."""
        gone = max(0, len(turns) - self.turns)
        return f"[{gone} earlier turns left out]" if gone else "", turns[gone:]


@dataclass(frozen=True)
class DropToolResults:
    """Shows every action, but only the last results.

    Args:
        keep: How many results are shown.
    """

    keep: int = 5

    def __call__(self, turns: Sequence[Exchange], memory: dict[str, Any]) -> tuple[str, Sequence[Exchange]]:
        """See :class:`Strategy`."""
        old = max(0, len(turns) - self.keep)
        return "", [*(Exchange(turn.action, LEFT_OUT) for turn in turns[:old]), *turns[old:]]


@dataclass(frozen=True)
class Summarise:
    """Puts a summary in place of the oldest turns; made once for every ``every`` turns and then kept.

    Args:
        function: Given the summary so far (empty at first) and the turns to add, as messages, returns the new summary.  It
            must be a function that can be imported if the environment is to be sent to other processes.
        keep: How many of the last turns stay whole at least.
        every: How many turns are summarised at a time.
    """

    function: Callable[[str, Sequence[Message]], str]
    keep: int = 6
    every: int = 6

    def __call__(self, turns: Sequence[Exchange], memory: dict[str, Any]) -> tuple[str, Sequence[Exchange]]:
        """See :class:`Strategy`."""
        done = memory.get("done", 0)
        while len(turns) - done >= self.keep + self.every:
            chunk = turns[done : done + self.every]
            messages = [message for turn in chunk for message in _messages(turn, "tool")]
            memory["summary"] = self.function(memory.get("summary", ""), messages)
            done = memory["done"] = done + self.every
        return memory.get("summary", ""), turns[done:]


class ChatHistory(ToolWrapper):
    """Makes the observation the whole conversation so far, so that an agent needs no memory of its own.

    As messages it is a tuple of ``{"role", "content"}``: the system message (if any), the brief from the user, then for each
    turn the action from the assistant and the observation.  As a transcript it is one text with the same parts.  A new
    episode starts with an empty history.

    Args:
        env: A ToolEnv with observations of text, wrapped or not.
        format: ``"messages"`` or ``"transcript"``.
        strategy: What shortens long histories: :class:`Window`, :class:`DropToolResults`, :class:`Summarise` or any callable
            of :class:`Strategy`; by default everything is shown.
        max_chars: Greatest length of all contents together: after the strategy, the oldest turns are left out until the
            rest fits.  The system message, the brief and the last turn always stay; the last result is cut where it must be.
        system: System message; the family's policy text of the task stands after it.
        result_role: Role of observations: ``"tool"``, or ``"user"`` for chat templates without tools.

    Raises:
        RegistryError: Unknown format.
        TaskError: At reset, when the brief alone is longer than ``max_chars``.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = ChatHistory(gym.make("ERPBench-v0", tier="easy", cache=None), strategy=Window(1))
        >>> messages, info = env.reset(seed=7)
        >>> for _ in range(3):
        ...     messages, *_ = env.step('{"name": "get_current_date"}')
        >>> [message["role"] for message in messages]
        ['user', 'assistant', 'tool']
        >>> messages[0]["content"].splitlines()[-1]
        '[2 earlier turns left out]'
    """

    reads_text = True

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        format: Format = "messages",
        strategy: Strategy | None = None,
        max_chars: int | None = None,
        system: str = "",
        result_role: Literal["tool", "user"] = "tool",
    ) -> None:
        if format not in get_args(Format):
            raise RegistryError("format", format, get_args(Format))
        if result_role not in ("tool", "user"):
            raise RegistryError("role", result_role, ("tool", "user"))
        super().__init__(env, format=format, strategy=strategy, max_chars=max_chars, system=system, result_role=result_role)
        self._format, self._strategy, self._system, self._role = format, strategy, system, result_role
        self._action_limit = self.base.max_action_chars
        whole = (text_limit(env) + self._action_limit + 64) * (self.base.max_steps + 2) + len(system)
        self._limit = whole if max_chars is None else max_chars
        self._whole = strategy is None and max_chars is None
        text = UnicodeText(max(whole, self._limit))
        self.observation_space = (
            text
            if format == "transcript"
            else spaces.Sequence(spaces.Dict({"role": UnicodeText(16, min_length=1), "content": text}))
        )
        self._head: list[Message] = []
        self._turns: list[Exchange] = []
        self._memory: dict[str, Any] = {}
        self._written = 0, ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode with an empty history."""
        observation, info = super().reset(seed=seed, options=options)
        system = "\n\n".join(part for part in (self._system, info["policy"]) if part)
        self._head = [{"role": "system", "content": system}] if system else []
        self._head.append({"role": "user", "content": observation})
        self._turns, self._memory, self._written = [], {}, (0, "")
        length = sum(len(message["content"]) for message in self._head)
        if length > self._limit:
            raise TaskError(f"the brief has {length} characters, expected at most {self._limit}", field="max_chars")
        return self._view(), info

    def step(self, action: Any) -> Step:
        """As inside; the observation is the history."""
        observation, reward, terminated, truncated, info = super().step(action)
        said = shorten(self.base.episode.turns[-1].action, self._action_limit)
        self._turns.append(Exchange(said, observation))
        return self._view(), reward, terminated, truncated, info

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return [message.copy() for message in self._head], list(self._turns), dict(self._memory)

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        head, turns, memory = state
        self._head, self._turns, self._memory = [message.copy() for message in head], list(turns), dict(memory)
        self._written = 0, ""

    def _view(self) -> Any:
        if self._whole:
            return self._transcript() if self._format == "transcript" else self._conversation()
        note, turns = self._strategy(self._turns, self._memory) if self._strategy else ("", self._turns)
        room = self._limit - sum(len(message["content"]) for message in self._head)
        note = shorten(note, max(0, room - 2)) if note else ""
        shown = _fitting(turns, room - len(note) - 2 * bool(note))
        messages: list[Message] = [message.copy() for message in self._head]
        if note:
            messages[-1]["content"] += f"\n\n{note}"
        for turn in shown:
            messages += _messages(turn, self._role)
        return tuple(messages) if self._format == "messages" else "\n\n".join(map(_paragraph, messages))

    def _conversation(self) -> tuple[Message, ...]:
        """All messages, as fresh objects."""
        turns = [message for turn in self._turns for message in _messages(turn, self._role)]
        return (*[message.copy() for message in self._head], *turns)

    def _transcript(self) -> str:
        """All messages as text: what was written is kept, and the last turns are added."""
        count, text = self._written
        if not text:
            text = "\n\n".join(map(_paragraph, self._head))
        for turn in self._turns[count:]:
            text = "\n\n".join([text, *map(_paragraph, _messages(turn, self._role))])
        self._written = len(self._turns), text
        return text


def _paragraph(message: Message) -> str:
    return f"[{message['role']}]\n{message['content']}"


def _messages(turn: Exchange, role: str) -> tuple[Message, Message]:
    return {"role": "assistant", "content": turn.action}, {"role": role, "content": turn.result}


def _fitting(turns: Sequence[Exchange], room: int) -> Sequence[Exchange]:
    """The last turns that fit; of the very last at least a part."""
    first = len(turns)
    while first and (room := room - len(turns[first - 1].action) - len(turns[first - 1].result)) >= 0:
        first -= 1
    if first < len(turns) or not turns:
        return turns[first:]
    last = turns[-1]
    action = shorten(last.action, max(0, room + len(last.action) + len(last.result)))
    return [Exchange(action, shorten(last.result, max(0, room + len(last.result) + len(last.action) - len(action))))]
