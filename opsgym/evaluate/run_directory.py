"""RunDirectory: the files of a run, written so that no crash loses, doubles or halves a trial."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.data.lines import LineWriter, last_line, read_lines, recover
from opsgym.data.packs import Pack, atomic_file, open_pack
from opsgym.data.trajectories import Trajectory, read_trajectories
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.run_plan import FORMAT, Pair, RunPlan

__all__ = ["RunDirectory"]


class RunDirectory:
    """A run on disk; see :mod:`opsgym.evaluate.results` for its files.

    A trial's trajectory is appended before its result, and counts only once its result is there: what a crash leaves between the
    two is passed over by :meth:`trajectories` and removed by :meth:`recover`.  A trial that was masked may be played again: the
    last result of a trial counts.

    Args:
        path: The directory.

    Raises:
        TaskError: There is no run, or one of a newer format.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.plan = RunPlan.model_validate_json((self.path / "run.json").read_bytes())
        except FileNotFoundError as error:
            raise TaskError(f"no run at {str(self.path)!r}: it has no run.json", field="run") from error
        except ValidationError as error:
            raise TaskError(f"{self.path / 'run.json'} is no plan: {_first(error)}", field="run") from error
        if self.plan.format > FORMAT:
            raise TaskError(f"the run has format version {self.plan.format}, this OpsGym reads up to {FORMAT}", field="run")

    def __repr__(self) -> str:
        return f"RunDirectory({str(self.path)!r})"

    @classmethod
    def create(cls, path: str | os.PathLike[str], plan: RunPlan) -> RunDirectory:
        """Write the plan, which makes the directory a run; the pack of tasks is there already."""
        with atomic_file(Path(path) / "run.json") as temporary:
            temporary.write_text(plan.model_dump_json(indent=2) + "\n", encoding="utf-8")
        return cls(path)

    @staticmethod
    def exists(path: str | os.PathLike[str]) -> bool:
        """Whether a run was started there."""
        return (Path(path) / "run.json").is_file()

    # -- reading ------------------------------------------------------------------------------------------

    @property
    def tasks(self) -> Pack:
        """The tasks."""
        return open_pack(tasks_file(self.path))

    def results(self) -> list[TrialResult]:
        """The last result of every trial that has one, in the order of the plan.

        Raises:
            TaskError: A line is damaged or of a trial that is not in the plan; says which.
        """
        found = {(result.task_id, result.trial): result for result in self._lines()}
        return [found[pair.task_id, pair.trial] for pair in self.plan.pairs() if (pair.task_id, pair.trial) in found]

    def spent(self) -> tuple[float, int]:
        """Dollars and tokens of all trials, those included that were masked and played again."""
        results = list(self._lines())
        tokens = sum(result.prompt_tokens + result.completion_tokens for result in results)
        return sum(result.cost for result in results), tokens

    def trajectories(self) -> Iterator[tuple[TrialResult, Trajectory]]:
        """Every scored trial that was recorded, with its trajectory, in the order of the file.

        Raises:
            TaskError: A line is damaged; says which.
        """
        file = self.path / "trajectories.jsonl"
        scored = self._scored()
        for trajectory in read_trajectories(file) if file.exists() else ():
            result = scored.get((trajectory.task_id, trajectory.seed))
            if result is not None:
                yield result, trajectory

    def pending(self, *, retry_masked: bool = False) -> list[Pair]:
        """The trials that have no result yet, in the order of the plan.

        Args:
            retry_masked: Whether masked trials are to be played again.
        """
        done = {(result.task_id, result.trial) for result in self.results() if not (retry_masked and result.status == "masked")}
        return [pair for pair in self.plan.pairs() if (pair.task_id, pair.trial) not in done]

    def _lines(self) -> Iterator[TrialResult]:
        file = self.path / "results.jsonl"
        known, trials = set(self.plan.task_ids), self.plan.trials
        for number, line in read_lines(file) if file.exists() else ():
            try:
                result = TrialResult.model_validate_json(line)
            except ValidationError as error:
                raise TaskError(f"{file}, line {number}: not a result: {_first(error)}") from error
            if result.task_id not in known or not 0 <= result.trial < trials:
                raise TaskError(f"{file}, line {number}: trial {result.trial} of {result.task_id} is not in the plan")
            yield result

    def _scored(self) -> dict[tuple[str, int | None], TrialResult]:
        """Scored results by what their trajectories are known by."""
        return {(result.task_id, result.episode_seed): result for result in self.results() if result.status == "scored"}

    # -- writing ------------------------------------------------------------------------------------------

    def recover(self) -> None:
        """Remove what a crash left: unfinished lines, and a trajectory whose result was not written.

        Raises:
            TaskError: The last trajectory is damaged.
        """
        recover(self.path / "results.jsonl")
        file = self.path / "trajectories.jsonl"
        if not file.exists():
            return
        recover(file)
        last = last_line(file)
        if last is not None:
            try:
                trajectory = Trajectory.from_line(last[1])
            except TaskError as error:
                raise TaskError(f"{file}, last line: {error}") from error
            if (trajectory.task_id, trajectory.seed) not in self._scored():
                os.truncate(file, last[0])


class RunWriter:
    """Adds trials to a run; the two files stay open, which nobody else writes to meanwhile.

    Args:
        directory: The run.
    """

    def __init__(self, directory: RunDirectory) -> None:
        with ExitStack() as opened:
            results = opened.enter_context(LineWriter(directory.path / "results.jsonl"))
            recorded = directory.plan.trajectories
            self._trajectories = opened.enter_context(LineWriter(directory.path / "trajectories.jsonl")) if recorded else None
            self._results, self.close = results, opened.pop_all().close

    def add(self, result: TrialResult, trajectory: str | None = None) -> None:
        """Add a trial: first its trajectory as a line, where it has one, then its result.

        Raises:
            OSError: It cannot be written, as on a full disk.
        """
        if trajectory is not None and self._trajectories is not None:
            self._trajectories.add(trajectory.encode())
        self._results.add(result.model_dump_json().encode())


def tasks_file(path: str | os.PathLike[str]) -> Path:
    """The pack of a run."""
    return Path(path) / "tasks.jsonl"


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a directory, made where there is none, against other runners; the lock ends with the process at the latest.

    Raises:
        TaskError: Another process runs there.
    """
    Path(path).mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TaskError(f"another process runs in {str(path)!r}", field="out") from error
        yield
    finally:
        os.close(descriptor)


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, found['loc'])) or 'line'}: {found['msg']}"
