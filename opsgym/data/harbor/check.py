"""Check: plays exported directories as plain processes, where there is no container engine.

What is run is what the directories hold: ``environment/erp/serve.sh``, ``solution/solve.sh``, the command of
``[[verifier.collect]]`` and ``tests/test.sh``, as Harbor runs them, with places given by environment variables.  There are no
walls between them here: this shows that a task can be solved and is judged right, not that it is sealed off.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from opsgym.core.errors import BackendError, TaskError
from opsgym.data.harbor.layout import CONFIG
from opsgym.data.harbor.schema import read_config

Agent = Literal["oracle", "nothing"]
AGENTS: dict[Agent, float] = {"oracle": 1.0, "nothing": 0.0}
"""Who plays, and the reward that is due."""

STARTUP = 60.0
"""Seconds in which the server must answer."""

Environ = dict[str, str]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one agent on one task.

    Attributes:
        name: Name of the task's directory.
        agent: Who played.
        rewards: What is in ``reward.json``.
    """

    name: str
    agent: Agent
    rewards: Mapping[str, float]

    @property
    def is_due(self) -> bool:
        """Whether the reward is the one that is due to the agent."""
        return self.rewards["reward"] == AGENTS[self.agent]


def play(directory: str | os.PathLike[str], logs: str | os.PathLike[str], agent: Agent = "oracle") -> Played:
    """Play a task directory once.

    Args:
        directory: The task directory.
        logs: Stands for ``/logs``: gets ``verifier/reward.json``, ``verifier/reward.txt``, ``verifier/verdict.json``, and what
            every step printed.
        agent: ``"oracle"`` runs the solution, ``"nothing"`` leaves the ERP as it is.

    Raises:
        TaskError: It is no task directory of OpsGym.
        BackendError: A step fails; names it and the file with its output.
    """
    base, out = Path(directory).resolve(), Path(logs).resolve()
    config = read_config(_config(base))
    (out / "verifier").mkdir(parents=True, exist_ok=True)
    for stale in ("reward.json", "reward.txt"):
        (out / "verifier" / stale).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="opsgym-harbor-") as run:
        port, admin_port = _free_ports()
        behind = _environ(ERP_HOME=base / "environment" / "erp", ERP_RUN=run, ERP_PORT=port, ERP_ADMIN_PORT=admin_port)
        before = _environ(ERP_URL=f"http://127.0.0.1:{port}", ERP_KEY_FILE=base / "environment" / "api_key")
        with _server(base, behind, out / "server.txt", port):
            if agent == "oracle":
                _run(["sh", str(base / "solution" / "solve.sh")], before, out / "oracle.txt")
            for hook in config.verifier.collect:
                _run(["sh", "-c", hook.command], behind, out / "collect.txt", seconds=hook.timeout_sec)
        verifier = _environ(ERP_RUN=run, LOGS_DIR=out)
        _run(
            ["sh", str(base / "tests" / "test.sh")],
            verifier,
            out / "verifier" / "test-stdout.txt",
            seconds=config.verifier.timeout_sec,
        )
    return Played(base.name, agent, json.loads((out / "verifier" / "reward.json").read_text(encoding="utf-8")))


def _config(base: Path) -> str:
    try:
        return (base / CONFIG).read_text(encoding="utf-8")
    except OSError as error:
        raise TaskError(f"expected a task directory, got {str(base)!r} ({error.strerror})", field=CONFIG) from error


def _environ(**places: Any) -> Environ:
    """The environment of a step: this process's, and this interpreter's programs first; nothing of another step's."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ERP_") and name != "LOGS_DIR"}
    path = os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)])
    return {**own, "PATH": path, **{name: str(value) for name, value in places.items()}}


def _run(command: list[str], environ: Environ, log: Path, *, seconds: float = 600.0) -> None:
    with log.open("wb") as output:
        try:
            done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise BackendError(f"{' '.join(command)} took longer than {seconds:g} s; see {log}") from error
    if done.returncode:
        raise BackendError(f"{' '.join(command)} ended with {done.returncode}: {_last_line(log)}; see {log}")


@contextmanager
def _server(base: Path, environ: Environ, log: Path, port: int) -> Iterator[None]:
    """The ERP's server, from its first answer on."""
    command = ["sh", str(base / "environment" / "erp" / "serve.sh")]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        _await(process, port, log)
        yield
    finally:
        _stop(process)


def _await(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + STARTUP
    while time.monotonic() < end:
        if process.poll() is not None:
            raise BackendError(f"the server ended with {process.returncode}: {_last_line(log)}; see {log}")
        try:
            opener.open(f"http://127.0.0.1:{port}/web/version", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise BackendError(f"the server did not answer within {STARTUP:g} s; see {log}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
        try:
            process.wait(10)
            return
        except subprocess.TimeoutExpired:
            continue


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "no output"
