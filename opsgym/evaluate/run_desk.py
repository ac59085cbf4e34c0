"""Desk: hands out the trials of a run, takes them back, and knows when to stop."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.run_directory import RunDirectory, RunWriter
from opsgym.evaluate.run_plan import Pair
from opsgym.evaluate.run_trial import OutOfBudget, Trial

Ending = Literal["complete", "limit", "interrupted", "outage"]
"""Why no more trials are handed out; ``"outage"``: every trial was masked, lately."""

MASKED_IN_A_ROW = 20
"""After so many masked trials without a scored one between them a run stops: the external system is down."""


class TrialError(OpsGymError):
    """A bug ended a run: a policy or an environment raised what no agent's failure raises; names the trial."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a run may spend; when a limit is reached no more trials are handed out, and those in play are finished.

    Attributes:
        cost: Dollars, earlier starts of the run included.
        tokens: Tokens read and written, earlier starts included.
        seconds: Wall time of this start.

    Raises:
        TaskError: A limit is not positive.
    """

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise TaskError(f"expected a positive number, got {value}", field=f"max_{name}")


@dataclass(slots=True)
class Standing:
    """How a run stands.

    Attributes:
        total: Trials of the plan.
        done: Trials with a result.
        scored: Those that were scored.
        tasks: Tasks with a scored trial.
        solved: Those that were solved.
        masked: Those that were masked.
        cost: Dollars spent, masked and repeated trials included.
        tokens: Tokens, likewise.
        played: Trials played by this start.
        seconds: Wall time of this start.
    """

    total: int
    done: int = 0
    scored: int = 0
    tasks: int = 0
    solved: int = 0
    masked: int = 0
    cost: float = 0.0
    tokens: int = 0
    played: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Trials a second of this start."""
        return self.played / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Time that the rest will take at the present rate; ``None`` before the first trial."""
        return (self.total - self.done) / self.rate if self.rate else None


Observer = Callable[[Standing], None]
"""Told how a run stands, at its start and after every trial."""


class Desk:
    """Hands out trials and takes them back; used by one thread.

    Args:
        directory: The run.
        writer: Writes to it.
        pending: The trials to be played.
        limits: What may be spent.
        observer: Told of every trial.
    """

    def __init__(
        self,
        directory: RunDirectory,
        writer: RunWriter,
        pending: Sequence[Pair],
        limits: Limits,
        observer: Observer | None = None,
    ) -> None:
        self.limits = limits
        self.ending: Ending = "complete"
        self.message = ""
        self.bug: tuple[Pair, Exception] | None = None
        self._writer = writer
        self._pending: Iterator[Pair] = iter(pending)
        self._observer = observer
        self._masked_in_a_row = 0
        self._seen: set[str] = set()
        self._clock = time.monotonic()
        self.standing = Standing(sum(1 for _ in directory.plan.pairs()))
        again = {(pair.task_id, pair.trial) for pair in pending}
        for result in directory.results():
            if (result.task_id, result.trial) not in again:
                self._count(result)
        self.standing.cost, self.standing.tokens = directory.spent()
        self._tell()

    @property
    def stopped(self) -> bool:
        """Whether no more trials are handed out although some are left."""
        return self.ending != "complete" or self.bug is not None

    def next(self) -> Pair | None:
        """The next trial to play, or ``None`` when there is none or the run is to stop."""
        if self.stopped:
            return None
        pair = next(self._pending, None)
        if pair is not None and (reached := self._limit_reached()):
            self.stop("limit", reached)
            return None
        return pair

    def settle(self, pair: Pair, played: Callable[[], Trial]) -> None:
        """Take back a trial.

        Args:
            pair: Which one.
            played: Gives the trial, or raises what ended it.
        """
        try:
            trial = played()
        except OutOfBudget as error:
            self.stop("limit", str(error))
        except Exception as error:
            self.bug = self.bug or (pair, error)
        else:
            self._take(trial)

    def stop(self, ending: Ending, message: str) -> None:
        """Hand out no more trials; the first reason counts."""
        if self.ending == "complete":
            self.ending, self.message = ending, message

    def raise_bug(self) -> None:
        """Raise the bug that ended the run, where one did.

        Raises:
            TrialError: Names the trial; caused by the bug.
        """
        if self.bug is not None:
            pair, error = self.bug
            where = f"trial {pair.trial} of task {pair.task_id} (number {pair.place})"
            raise TrialError(f"{where} raised {type(error).__name__}: {error}") from error

    def _take(self, trial: Trial) -> None:
        result, standing = trial.result, self.standing
        self._writer.add(result, trial.trajectory)
        self._count(result)
        standing.played += 1
        standing.cost += result.cost
        standing.tokens += result.prompt_tokens + result.completion_tokens
        self._masked_in_a_row = self._masked_in_a_row + 1 if result.status == "masked" else 0
        if self._masked_in_a_row >= MASKED_IN_A_ROW:
            self.stop("outage", f"the last {self._masked_in_a_row} trials were masked; the last one: {result.reason}")
        if trial.unpriced and self.limits.cost is not None:
            self.stop("limit", "a limit of money needs a price, and none is known for the model: give a price file")
        self._tell()

    def _count(self, result: TrialResult) -> None:
        standing = self.standing
        standing.done += 1
        if result.status == "masked":
            standing.masked += 1
            return
        standing.scored += 1
        standing.solved += result.is_success
        self._seen.add(result.task_id)
        standing.tasks = len(self._seen)

    def _tell(self) -> None:
        self.standing.seconds = time.monotonic() - self._clock
        if self._observer is not None:
            self._observer(self.standing)

    def _limit_reached(self) -> str:
        limits, standing = self.limits, self.standing
        if limits.cost is not None and standing.cost >= limits.cost:
            return f"{standing.cost:.4f} dollars are spent, the limit is {limits.cost:g}"
        if limits.tokens is not None and standing.tokens >= limits.tokens:
            return f"{standing.tokens} tokens are used, the limit is {limits.tokens}"
        if limits.seconds is not None and time.monotonic() - self._clock >= limits.seconds:
            return f"the time limit of {limits.seconds:g} s is reached"
        return ""


@contextmanager
def interruptible(desk: Desk) -> Iterator[None]:
    """Let the first Ctrl-C stop the desk and the second end everything at once; in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        if desk.ending == "interrupted":
            raise KeyboardInterrupt
        desk.stop("interrupted", "interrupted")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
