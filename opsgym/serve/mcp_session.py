"""Sessions: what one client of an MCP server plays, without the protocol around it.

:class:`Sessions` knows what its operator offers and opens a :class:`Session` a client; each has its own world.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import gymnasium as gym
from pydantic import Field

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import JsonDict
from opsgym.core.tools import Tool, ToolResult, tool
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.wrappers import RecordTrajectories
from opsgym.wrappers.base import tool_env

__all__ = ["Answer", "Offer", "Session", "Sessions"]


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What an operator offers to every session.

    Attributes:
        env_id: Environment id, for example ``"ERPBench-v0"``.
        env_options: Arguments of the environment, such as ``tier``, ``split`` or ``max_steps``; JSON values, so that
            recordings can be replayed.
        number: Which task a session gets: the seed, as in ``env.reset(seed=number)``.
        by_index: Whether numbers are not seeds but places in the pack or in the fixed set of the split.
        task_per_session: Whether the second session gets the task of ``number + 1`` and so on, or all the same.
        next_task: Whether a session may leave its task for another one, by a tool ``next_task``.
        reveal_score: Whether the answer to the call that ends an episode says what it earned.
        record: File to which every finished episode is written, or ``None``.
    """

    env_id: str
    env_options: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0
    by_index: bool = False
    task_per_session: bool = False
    next_task: bool = False
    reveal_score: bool = False
    record: str | os.PathLike[str] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call is answered with.

    Attributes:
        line: One line of JSON, the same as in the observation of the environment.
        is_error: Whether the call was refused.
        ending: What there is to say of the episode that this call ended; ``None`` for any other call.
    """

    line: str
    is_error: bool
    ending: JsonDict | None = None


@tool()
def next_task(session: Session, number: Annotated[int, Field(ge=0)] | None = None) -> str:  # noqa: D417  # the session is not for agents
    """Leave the present task as it is and start another one; the answer is its brief.

    Args:
        number: Which task; the same number gives the same task. By default the next one.
    """
    try:
        return session.begin(number)
    except TaskError as error:
        raise ToolError("invalid_value", str(error), "Choose another number; the present task goes on.") from error


class Sessions:
    """Opens sessions and knows which are open.

    Args:
        offer: What each of them plays.

    Attributes:
        open_sessions: The sessions that are open now.
        terminal: Names of the tools that end an episode.

    Raises:
        RegistryError: Unknown environment, or an unknown name among its options.
        TaskError: The options do not fit, or the file of recordings cannot be added to.
    """

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self.open_sessions: set[Session] = set()
        self._numbers = itertools.count(offer.number)
        load_env(entry_point_of(offer.env_id))  # names an environment that is none of OpsGym's
        env = self.make_env()  # what cannot be played is refused here, not in the middle of a session
        if offer.by_index:
            env.reset(options={"index": offer.number})
        self.terminal = tuple(each.name for each in tool_env(env).tools.values() if each.terminal)
        env.close()

    def make_env(self) -> gym.Env[str, Any]:
        """An environment for a session, with a recorder where one is asked for."""
        offer = self.offer
        env: gym.Env[str, Any] = gym.make(offer.env_id, disable_env_checker=True, **offer.env_options)
        return env if offer.record is None else RecordTrajectories(env, path=offer.record)

    def open(self) -> Session:
        """A new session; its world is made when it is first asked for."""
        session = Session(self, self.next_number() if self.offer.task_per_session else self.offer.number)
        self.open_sessions.add(session)
        return session

    def next_number(self) -> int:
        """The lowest number that was not given by this method before."""
        return next(self._numbers)


class Session:
    """One client's episodes, one after another, in a world of its own.

    Its methods are not to be called at the same time; ``close`` may be called again.

    Args:
        sessions: Where it was opened.
        number: Number of its first task.

    Attributes:
        number: Number of the present task.
    """

    def __init__(self, sessions: Sessions, number: int) -> None:
        self._sessions, self._offer = sessions, sessions.offer
        self.number = number
        self._env: gym.Env[str, Any] | None = None
        self._closed = False

    @property
    def env(self) -> ToolEnv:
        """The environment of the session; for programmers, never for clients."""
        return tool_env(self._running)

    @property
    def brief(self) -> str:
        """The brief of the present task, with its policy."""
        return self.env.episode.full_brief

    @property
    def tools(self) -> list[Tool]:
        """The tools on offer."""
        return [*self.env.tools.values(), *([next_task] if self._offer.next_task else [])]

    def begin(self, number: int | None = None) -> str:
        """Leave the present task for another one, by default the next; returns its brief.

        Raises:
            TaskError: There is no task of that number; the present one goes on.
        """
        if number is None:
            number = self._sessions.next_number() if self._offer.task_per_session else self.number + 1
        self._reset(self._running, number)
        return self.brief

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Carry out one call, whole or not at all.

        Args:
            name: Name of a tool, checked here.
            arguments: Its arguments, checked here.
        """
        if name == next_task.name and self._offer.next_task:
            return self._call_next_task(arguments)
        episode = self.env.episode
        if episode.over:
            return _refusal(name, _over(offers_next=self._offer.next_task))
        refused = episode.errors.total()
        action = json.dumps(
            {"name": name, "arguments": arguments}, ensure_ascii=False
        )  # text, as agents write it and files keep it
        line, reward, terminated, truncated, info = self._running.step(action)
        is_error = episode.errors.total() > refused or "backend_error" in info
        ending = self._ending(float(reward), info, truncated=truncated) if terminated or truncated else None
        return Answer(line, is_error, ending)

    def close(self) -> None:
        """Free the world; an episode that has not ended is not recorded."""
        self._closed = True
        self._sessions.open_sessions.discard(self)
        if self._env is not None:
            self._env.close()
            self._env = None

    @property
    def _running(self) -> gym.Env[str, Any]:
        if self._env is None:
            assert not self._closed, "the session was closed"
            env = self._sessions.make_env()
            self._reset(env, self.number)
            self._env = env
        return self._env

    def _reset(self, env: gym.Env[str, Any], number: int) -> None:
        env.reset(seed=number, options={"index": number} if self._offer.by_index else {})
        self.number = number

    def _call_next_task(self, arguments: Mapping[str, Any]) -> Answer:
        try:
            brief = next_task.function(self, **next_task.validate(arguments))
        except ToolError as error:
            return _refusal(next_task.name, error)
        return Answer(ToolResult(next_task.name, brief).to_json(), is_error=False)

    def _ending(self, reward: float, info: Mapping[str, Any], *, truncated: bool) -> JsonDict:
        if "backend_error" in info:
            why = "an external system failed; the episode is not scored"
        else:
            why = "the budget of calls is used up" if truncated else "handed in"
        ending: JsonDict = {"episode": "over", "why": why}
        if self._offer.reveal_score and "backend_error" not in info:
            ending["score"] = {"reward": reward, "is_success": info["is_success"]}
        return ending


def _over(*, offers_next: bool) -> ToolError:
    hint = f"Call {next_task.name} for another task." if offers_next else "There is nothing left to do."
    return ToolError("bad_state", "The episode is over; the call was not carried out.", hint)


def _refusal(name: str, error: ToolError) -> Answer:
    return Answer(ToolResult(name, error=error).to_json(), is_error=True)
