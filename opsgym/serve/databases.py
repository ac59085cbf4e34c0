"""Databases: the worlds of a server, one task each, under names."""

from __future__ import annotations

import hmac
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import JsonDict, Task
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.tool_env import known_name
from opsgym.serve.task_names import TaskName, find_task

P = ParamSpec("P")
R = TypeVar("R")

FAMILY = ErpBenchFamily()
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_KEY = re.compile(r"[\x21-\x7e]{16,256}")
_STEPS = 1000  # of SQLite's virtual machine between two looks at the clock: some ten microseconds
_VERDICTS = Lock()  # the verifier's caches are made for one thread


class CallTimeout(OpsGymError):
    """A call ran for longer than it may; nothing has changed."""


class Closed(OpsGymError):
    """The database was deleted since it was looked up."""


class Taken(OpsGymError):
    """There is a database of that name already."""


def fresh_key() -> str:
    """A new key: 40 hexadecimal digits, as Odoo's keys have."""
    return secrets.token_hex(20)


def check_key(key: str) -> str:
    """The key itself, when a header can carry it and nobody can guess it.

    Raises:
        TaskError: It is too short or too long, or has other characters than printable ASCII without spaces.
    """
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise TaskError("expected 16 to 256 printable ASCII characters without spaces", field="key")
    return key


class Served:
    """One world, and the thread in which all that concerns it is done, one thing after another.

    Args:
        name: Name of the database that it is to clients.
        key: Key of the agent.
        world: The world; it stays its owner's.

    Raises:
        TaskError: The key is unsuitable.

    Attributes:
        name: That name.
        key: That key.
    """

    def __init__(self, name: str, key: str, world: World) -> None:
        self.name = name
        self.key = check_key(key)
        self._world = world
        self._erp = Erp(world)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"database {name}")
        self._pending: set[Future[Any]] = set()
        self._alarm = _Alarm(0)

    def accepts(self, key: str) -> bool:
        """Whether ``key`` is this database's, compared in constant time."""
        return hmac.compare_digest(self.key.encode(), key.encode("utf-8", "replace"))

    def submit(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have something done in the database's thread, after all that was asked for before.

        Raises:
            Closed: The database is closed.
        """
        try:
            asked = self._thread.submit(function, *args, **kwargs)
        except RuntimeError:
            raise Closed(f"there is no database {self.name!r}") from None
        self._pending.add(asked)
        asked.add_done_callback(self._pending.discard)
        return asked

    @property
    def waiting(self) -> int:
        """How many things are being done or wait to be."""
        return len(self._pending)

    def call(
        self,
        model: str,
        method: str,
        ids: Any = (),
        context: Any = None,
        kwargs: Mapping[str, Any] | None = None,
        *,
        seconds: float,
    ) -> Any:
        """Carry out a call; to be submitted. See :meth:`~opsgym.envs.erp_bench.erp.engine.Erp.call`.

        Raises:
            ErpError: The call is refused; nothing has changed.
            CallTimeout: It ran for longer than ``seconds``; nothing has changed.
        """
        alarm = self._alarm = _Alarm(seconds)
        self._world.conn.set_progress_handler(alarm, _STEPS)
        try:
            return self._erp.call(model, method, ids, context, **(kwargs or {}))
        except sqlite3.OperationalError as error:
            if not alarm.rang:
                raise
            raise CallTimeout(f"the call took longer than {seconds:g} s and was undone") from error
        finally:
            self._world.conn.set_progress_handler(None, 0)

    def close(self, *, wait: bool = True) -> None:
        """End the thread.

        Args:
            wait: Whether to finish what was asked for; if not, a running call is undone, and those behind it are not begun.
        """
        if not wait:
            self._alarm.end = 0
        self._thread.shutdown(wait=True, cancel_futures=not wait)


class Database(Served):
    """One task's world, and the thread in which all that concerns it is done, one thing after another.

    Args:
        name: Name of the database.
        task: The task.
        key: Key of the agent.
        disclosure: How much the brief says; by default the family's first level.

    Raises:
        TaskError: The task is unsound.

    Attributes:
        name: That name.
        task: That task, with its solution; for the operator, never for the agent.
        key: That key.
        brief: The instruction for the agent.
    """

    def __init__(self, name: str, task: Task, key: str, *, disclosure: str | None = None) -> None:
        self.task = task
        self.brief = FAMILY.brief(task, known_name("disclosure", disclosure, FAMILY.disclosures))
        check_key(key)
        super().__init__(name, key, FAMILY.open(task))
        self._start = self._world.snapshot()
        self._today = self._world.today.isoformat()
        self._baseline = FAMILY.baseline(self._world, task)

    def __repr__(self) -> str:
        return f"Database({self.name!r}, task={self.task.id!r})"

    def reset(self) -> None:
        """Return to the start of the task."""
        self.submit(self._world.restore, self._start).result()

    def judge(self) -> tuple[Verdict, str]:
        """What the verifier says of the present state, and the digest of that state."""
        return self.submit(self._judge).result()

    def snapshot(self) -> bytes:
        """Image of the world's database in its present state, for a verifier that stands apart."""
        return self.submit(self._world.snapshot).result().data

    def digest(self) -> str:
        """Digest of the world's present state."""
        return self.submit(self._world.digest).result()

    def close(self, *, wait: bool = True) -> None:
        """Free the memory.

        Args:
            wait: Whether to finish what was asked for; if not, a running call is undone, and those behind it are not begun.
        """
        super().close(wait=wait)
        self._world.close()

    def describe(self) -> JsonDict:
        """What the admin port says of it."""
        return {
            "database": self.name,
            "key": self.key,
            "task_id": self.task.id,
            "tier": self.task.tier,
            "pattern": self.task.pattern,
            "today": self._today,
            "instruction": self.brief,
        }

    def _judge(self) -> tuple[Verdict, str]:
        with _VERDICTS:
            return FAMILY.verify(self._baseline, self._world, self.task), self._world.digest()


class _Alarm:
    """Tells SQLite once that a call has run for too long; not again, so that what it did can be undone."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.rang = False

    def __call__(self) -> int:
        if self.rang or time.monotonic() < self.end:
            return 0
        self.rang = True
        return 1


class Databases(Mapping[str, Database]):
    """The databases of a server by name.

    Args:
        reserved: Keys that no database may have: those of the operator.
    """

    def __init__(self, reserved: tuple[str, ...] = ()) -> None:
        self._reserved = reserved
        self._known: dict[str, Database] = {}
        self._lock = Lock()

    def __getitem__(self, name: str) -> Database:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def create(
        self,
        task: TaskName,
        name: str | None = None,
        *,
        key: str | None = None,
        disclosure: str | None = None,
        files: bool = True,
    ) -> Database:
        """Open the world of a task as a database.

        Args:
            task: The task, or what names it; see :func:`~opsgym.serve.task_names.find_task`.
            name: Name of the database; by default the first free one of ``bench``, ``bench2``, ...
            key: Key of the agent; a fresh one by default.
            disclosure: How much the brief says.
            files: Whether files may be read to find the task.

        Raises:
            Taken: There is a database of that name.
            RegistryError: An unknown name was given.
            TaskError: The task or the key is invalid.
        """
        if name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise TaskError("expected up to 63 letters, digits, '_', '-' and '.', a letter or digit first", field="database")
        if name in self._known:
            raise Taken(f"there is a database {name!r} already")
        if key in self._reserved:
            raise TaskError("expected a key that is not the operator's", field="key")
        made = Database(name or "", find_task(task, files=files), key or fresh_key(), disclosure=disclosure)
        with self._lock:
            made.name = name or self._free_name()
            if made.name in self._known:
                made.close()
                raise Taken(f"there is a database {name!r} already")
            self._known[made.name] = made
        return made

    def delete(self, name: str) -> None:
        """Close a database and forget it.

        Raises:
            Closed: There is none.
        """
        with self._lock:
            found = self._known.pop(name, None)
        if found is None:
            raise Closed(f"there is no database {name!r}")
        found.close()

    def close(self) -> None:
        """Close them all, without waiting for their calls."""
        with self._lock:
            found = list(self._known.values())
            self._known.clear()
        for database in found:
            database.close(wait=False)

    def _free_name(self) -> str:
        number = 1
        while (name := "bench" if number == 1 else f"bench{number}") in self._known:
            number += 1
        return name
