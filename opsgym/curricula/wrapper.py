"""CurriculumWrapper: asks for a task at every reset and tells how the episode went."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import PassiveEnvChecker

from opsgym.core.errors import TaskError
from opsgym.curricula.desk import Desk, Source
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.ticket import Outcome, Status, Ticket
from opsgym.wrappers.base import stack
from opsgym.wrappers.tool_failure_injection import ToolFailureInjection

__all__ = ["FAILURE_SCHEDULE", "CurriculumWrapper"]

Env = gym.Env[Any, Any]

FAILURE_SCHEDULE = ((0.0, 0.0), (1.0, 1.0))
"""Rate to give to :class:`~opsgym.wrappers.ToolFailureInjection`, so that a ticket's failure rate is the one in force."""


class CurriculumWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Plays what a curriculum asks for.

    ``reset`` draws a ticket and resets the environment with its seed and options; the seed given to ``reset`` is not used,
    because the ticket's names the task.  The end of the episode is told: the success bit from ``info["is_success"]``, the
    score as the sum of rewards, the turns, and the status ``error`` where ``info`` has a ``backend_error``.  An episode that
    is broken off by ``reset`` or ``close`` is told as lost; a ticket whose task the family refuses as infeasible, and another
    is drawn.  ``reset(options={"ticket": ticket})`` plays that ticket (its ``trial`` is 0, or ``options["trial"]``).

    It needs nothing of its caller, so it works under every autoreset of Gymnasium's vector environments, which give no
    options; see :class:`~opsgym.curricula.vector.CurriculumVectorEnv`.  Put it outermost, around ``ToolFailureInjection(env,
    rate=FAILURE_SCHEDULE)`` where the tickets have failure rates.

    ``info`` of reset and of the last step holds ``ticket_id``, ``trial`` and ``ticket_train``; never the seed.

    Args:
        env: Any environment that takes the options of :class:`~opsgym.envs.tool_env.ToolEnv`.
        source: A sampler of this process, a :class:`~opsgym.curricula.desk.Desk` (for groups), or a stand-in for one of
            another process.
        success_key: Where ``info`` says whether the episode succeeded.
        tries: How many infeasible tickets in a row are passed over.

    Raises:
        TaskError: On reset: too many tickets were infeasible, or a ticket has a failure rate and the faults do not follow it.

    Example:
        >>> import gymnasium as gym, opsgym
        >>> from opsgym.curricula import Ladder, TaskSpace
        >>> space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 3)}, fixed={"tier": "easy", "rows": 3, "cols": 3})
        >>> sampler = Ladder(space, levels=3, seed=1)
        >>> env = CurriculumWrapper(gym.make("ACEBench-v0", cache=None), sampler)
        >>> brief, info = env.reset()
        >>> observation, reward, terminated, truncated, info = env.step('{"name": "done"}')
        >>> terminated, info["ticket_id"], sampler.metrics()["done"]
        (True, 0, 1.0)
    """

    def __init__(self, env: Env, source: Sampler | Source, *, success_key: str = "is_success", tries: int = 16) -> None:
        # A copy of the source would be another curriculum.
        RecordConstructorArgs.__init__(self, _disable_deepcopy=True, source=source, success_key=success_key, tries=tries)
        gym.Wrapper.__init__(self, env)
        if tries < 1:
            raise TaskError(f"expected at least 1, got {tries!r}", field="tries")
        self.source: Source = Desk(source) if isinstance(source, Sampler) else source
        self.ticket: Ticket | None = None
        """The ticket of the running episode, or ``None``."""
        self.trial = 0
        self._success_key, self._tries = success_key, tries
        self._score, self._turns = 0.0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the episode of a ticket."""
        self._give_up()
        given = dict(options or {})
        ticket, trial = given.pop("ticket", None), given.pop("trial", 0)
        if ticket is not None:
            return self._start(ticket if isinstance(ticket, Ticket) else Ticket.from_dict(ticket), trial, given)
        for left in reversed(range(self._tries)):
            try:
                return self._start(*self.source.draw(), given)
            except TaskError as error:
                if not left or not isinstance(error, _Refused):
                    raise
        raise AssertionError("the last try raises")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As inside; the end of the episode is told."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._score += float(reward)
        self._turns += 1
        if (terminated or truncated) and self.ticket is not None:
            info = {**info, **self._named(self.ticket)}
            broken = "backend_error" in info
            success = None if broken else bool(info.get(self._success_key, False))
            self._report(success, "error" if broken else "done")
        return observation, float(reward), terminated, truncated, info

    def close(self) -> None:
        """Give up the running episode and close the environment."""
        self._give_up()
        super().close()

    def _start(self, ticket: Ticket, trial: int, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if ticket.failure_rate is not None:
            _check_faults(self.env)
        self.ticket, self.trial = ticket, trial
        self._score, self._turns = 0.0, 0
        try:
            observation, info = self.env.reset(seed=ticket.seed, options={**options, **ticket.options()})
        except TaskError as error:
            self._report(None, "infeasible")
            _reset_checks(self.env)
            raise _Refused(f"ticket {ticket.id} with {dict(ticket.params)} is no task: {error}") from error
        return observation, {**info, **self._named(ticket)}

    def _give_up(self) -> None:
        if self.ticket is not None:
            self._report(None, "lost")

    def _report(self, success: bool | None, status: Status) -> None:
        assert self.ticket is not None
        ticket, self.ticket = self.ticket, None
        outcome: Outcome = ticket.outcome(success=success, score=self._score, turns=self._turns, trial=self.trial, status=status)
        self.source.tell(outcome)

    def _named(self, ticket: Ticket) -> dict[str, Any]:
        return {"ticket_id": ticket.id, "trial": self.trial, "ticket_train": ticket.train}


class _Refused(TaskError):
    """The family refuses a ticket."""


def _reset_checks(env: Env) -> None:
    """Let Gymnasium's checker see the next reset as its first: one that raised leaves it without the data that it compares."""
    for wrapper in stack(env):
        if isinstance(wrapper, PassiveEnvChecker):
            wrapper.checked_reset = False


def _check_faults(env: Env) -> None:
    """Refuse a failure rate that nothing carries out."""
    faults = next((wrapper for wrapper in stack(env) if isinstance(wrapper, ToolFailureInjection)), None)
    rate = None if faults is None else faults.model.rate
    if not isinstance(rate, list | tuple) or tuple(map(tuple, rate)) != FAILURE_SCHEDULE:
        message = "tickets with a failure rate need ToolFailureInjection(env, rate=FAILURE_SCHEDULE) inside"
        raise TaskError(message, field="env")
