"""Session: what the tools act on: the desk of a coding agent, and the final runs of its program."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from opsgym.core.errors import ToolError
from opsgym.core.task import Task, content_hash
from opsgym.envs.cache import Lru
from opsgym.envs.or_agent_bench.documents import ACCEPTED, PROGRAM
from opsgym.envs.or_agent_bench.judging import Judged, Play, judge_text, opens_next, parse
from opsgym.envs.or_agent_bench.kit import SUBMISSION
from opsgym.envs.or_agent_bench.world import Handed, OrWorld
from opsgym.sandbox.desk import Desk
from opsgym.sandbox.folder import is_too_much
from opsgym.sandbox.limits import MIB, Limits
from opsgym.sandbox.sandbox import default_sandbox

STATE = "state/"
"""Folder whose files are kept from period to period."""

LARGEST = 128 * 1024
"""Bytes that a submission may have."""

PATIENCE = 4.0
"""Wall-clock limit of a final run, in times of the task's limit.  The latter is in CPU seconds, all processes together: whether a
plan arrives in time must not depend on what else the machine does."""

TRIAL_SECONDS = 120.0
"""Wall-clock limit of a command that the agent runs by itself."""

TRIAL_CPU = 600.0
"""CPU seconds of such a command."""

_RUNS: Lru[tuple[Handed, Mapping[str, bytes]]] = Lru(64)
"""Final runs by their files and limit: a program that was run on the same files is not run again."""

_REMEMBERED = MIB  # bytes in the folder for state up to which a run is kept there


@dataclass(slots=True)
class Session(Desk):
    """The desk of one episode.

    Attributes:
        world: The world whose ledger the final runs fill.
        play: The task, unpacked.
        seconds: Limit of a final run in CPU seconds.
    """

    world: OrWorld = field(kw_only=True)
    play: Play = field(kw_only=True)
    seconds: int = field(kw_only=True)

    @property
    def epoch(self) -> int:
        """Number of the present period."""
        return len(self.world.ledger)

    def close_period(self) -> int:
        """Run the program for the present period; open the next one if its plan is accepted.

        Returns:
            The number of the period that was opened, counted from 0; the present one when the plan was not accepted.

        Raises:
            ToolError: It is the last period, a plan was not accepted before, or there is no program.
        """
        self._may_go_on()
        if self.epoch == self.play.epochs - 1:
            raise ToolError("bad_state", "This is the last period.", "Call submit.")
        handed, left = self._final_run()
        judged = self._judge(handed)
        accepted = not handed.problem and opens_next(self.play, self.epoch, judged)
        self.world.ledger += (Handed(handed.problem, handed.text, is_accepted=accepted),)
        if not accepted:
            return self.epoch - 1
        given = {path: text.encode() for path, text in self.play.files[self.epoch].items()}
        self.workspace.replace(overlaid({**self._own(), **left}, {**given, ACCEPTED: handed.text.encode()}))
        return self.epoch

    def submit(self) -> str:
        """Run the program for the last period, unless a plan was not accepted before.

        Returns:
            What is wrong with the run, or empty.

        Raises:
            ToolError: Periods are left.
        """
        if self.world.ledger and not self.world.ledger[-1].is_accepted:
            return "a plan was not accepted in an earlier period"
        if self.epoch < self.play.epochs - 1:
            raise ToolError("bad_state", f"Period {self.epoch + 1} of {self.play.epochs} is open.", "Call close_period first.")
        handed = self._final_run()[0] if PROGRAM in self.workspace.files else Handed(f"there is no {PROGRAM}", "")
        self.world.ledger += (handed,)
        return handed.problem

    def faults(self) -> list[str]:
        """What is wrong with the form of the submission that lies in the working folder.

        Raises:
            ToolError: There is none.
        """
        content = self.workspace.files.get(SUBMISSION)
        if content is None:
            raise ToolError("not_found", f"There is no {SUBMISSION}.", f"Run {PROGRAM} first.")
        if len(content) > LARGEST:
            return [_too_large(content)]
        return list(parse(self.play.problem, content.decode("utf-8", "replace"))[1])

    def _may_go_on(self) -> None:
        if self.world.ledger and not self.world.ledger[-1].is_accepted:
            raise ToolError("bad_state", "The plan of the period before was not accepted.", "Call submit to end the task.")
        if PROGRAM not in self.workspace.files:
            raise ToolError("bad_state", f"There is no {PROGRAM}.", f"Write {PROGRAM} first.")

    def _judge(self, handed: Handed) -> Judged:
        previous = parse(self.play.problem, self.world.ledger[-1].text)[0] if self.world.ledger else None
        return judge_text(self.play, self.epoch, handed.text, previous)

    def _own(self) -> dict[str, bytes]:
        return {path: content for path, content in self.workspace.files.items() if path != SUBMISSION}

    def _final_run(self) -> tuple[Handed, Mapping[str, bytes]]:
        """Run the program on the files as they were given, with the agent's own beside them."""
        tree = overlaid(self._own(), {path: text.encode() for path, text in self.play.files[self.epoch].items()})
        if is_too_much(tree, self.limits):
            return Handed(f"the working folder holds more than {self.limits.files} files or {self.limits.disk} bytes", ""), {}
        digest = content_hash([[path, hashlib.sha256(content).hexdigest()] for path, content in sorted(tree.items())])
        return _RUNS.get((digest, self.seconds), lambda: self._run(tree), keep=_is_small)

    def _run(self, tree: Mapping[str, bytes]) -> tuple[Handed, Mapping[str, bytes]]:
        sandbox = self.sandbox or default_sandbox()
        limits = Limits(wall=PATIENCE * self.seconds, cpu=self.seconds)
        done = sandbox.run(["python", PROGRAM], files=tree, limits=limits)
        content = done.files.get(SUBMISSION)
        problem = ""
        if done.stopped:
            problem = f"the program was stopped at its {done.stopped} limit"
        elif done.exit_code:
            last = (done.stderr.strip().splitlines() or [""])[-1][:300]
            problem = f"the program ended with exit code {done.exit_code}: {last}"
        elif content is None:
            problem = f"the program left no {SUBMISSION}"
        elif len(content) > LARGEST:
            problem = _too_large(content)
        text = content.decode("utf-8", "replace") if content is not None and not problem else ""
        return Handed(problem, text), {path: content for path, content in done.files.items() if path.startswith(STATE)}


def _is_small(run: tuple[Handed, Mapping[str, bytes]]) -> bool:
    return sum(map(len, run[1].values())) <= _REMEMBERED


def _too_large(content: bytes) -> str:
    return f"{SUBMISSION} has {len(content)} bytes, at most {LARGEST} are read"


def overlaid(own: Mapping[str, bytes], given: Mapping[str, bytes]) -> dict[str, bytes]:
    """The given files with the agent's beside them; own files that stand in the way of given ones are left out.

    Example:
        >>> overlaid({"data": b"", "a.py": b"", "b/c/d": b""}, {"data/x": b"1", "b/c": b"2"})
        {'a.py': b'', 'data/x': b'1', 'b/c': b'2'}
    """
    folders = {path[:end] for path in given for end, letter in enumerate(path) if letter == "/"}
    beside = {
        path: content
        for path, content in own.items()
        if path not in folders and not any(path.rstrip("/") == one or path.startswith(f"{one}/") for one in given)
    }
    return beside | dict(given)


def open_session(world: OrWorld, task: Task, play: Play) -> Session:
    """The session of a world."""
    given = tuple(sorted({path for files in play.files for path in files} | {ACCEPTED}))
    seconds = int(task.world["solve_seconds"])
    limits = Limits(wall=TRIAL_SECONDS, cpu=TRIAL_CPU)
    return Session(world.workspace, limits, read_only=given, world=world, play=play, seconds=seconds)


def first_files(play: Play) -> dict[str, bytes]:
    """The working folder at the start."""
    return {path: text.encode() for path, text in play.files[0].items()}
