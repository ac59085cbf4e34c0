"""The command serves what it is told to, keeps its keys to itself, and leaves when asked, with running calls finished."""

from __future__ import annotations

import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from opsgym.core.task import JsonDict, Task
from opsgym.serve import ErpServer
from tests.serve.conftest import fixed
from tests.serve.test_faults import PARTNERS

PORTS = ("--port", "0", "--admin-port", "0")


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], JsonDict]]:
    """The command as a process, and the line that it prints when it is ready."""
    running = subprocess.Popen(
        [sys.executable, "-m", "opsgym.cli", "serve", "erp", *PORTS, "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None and running.stderr is not None
    try:
        yield running, json.loads(running.stdout.readline())
    finally:
        running.kill()
        running.communicate()


def test_it_serves_until_sigterm_and_finishes_running_calls(tmp_path: Path, task: Task) -> None:
    (tmp_path / "task.json").write_text(task.to_json())
    key_file, admin_file = tmp_path / "agent.key", tmp_path / "admin.key"
    files = ("--key-file", str(key_file), "--admin-key-file", str(admin_file))
    sources = ("--task", f"file={tmp_path / 'task.json'},database=mine", "--task", "split=test,index=1")
    with served(*files, *sources) as (running, facts), ThreadPoolExecutor() as clients:
        key = key_file.read_text().strip()
        assert [stat.S_IMODE(file.stat().st_mode) for file in (key_file, admin_file)] == [0o600, 0o600]
        assert facts["admin_key"] == admin_file.read_text().strip() != key
        assert facts["databases"] == [
            {"database": "mine", "key": key, "task_id": task.id},
            {"database": "bench", "key": key, "task_id": fixed(1).id},
        ]
        sent = {"Authorization": f"Bearer {key}", "X-Odoo-Database": "mine"}
        assert httpx.post(f"{facts['url']}/json/2/res.users/context_get", headers=sent).json()["uid"] == 2
        long = clients.submit(httpx.post, f"{facts['url']}/json/2/res.partner/create", headers=sent, json=PARTNERS, timeout=60)
        count = {"domain": [["name", "=", "partner 1"]]}
        path = f"{facts['url']}/json/2/res.partner/search_count"
        behind = clients.submit(httpx.post, path, headers=sent, json=count, timeout=60)
        while not (long.running() and behind.running()):
            pass
        httpx.get(f"{facts['url']}/web/version")
        running.send_signal(signal.SIGTERM)
        assert long.result().status_code == 200 and behind.result().status_code == 200
        _, errors = running.communicate(timeout=60)
        assert running.returncode == 0 and errors == ""


def test_keys_are_read_back_from_their_files(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ErpServer, "run", lambda server: None)
    (tmp_path / "key").write_text("a-key-of-the-user\n")
    shown = cli("serve", "erp", *PORTS, "--key-file", str(tmp_path / "key"), "--task", "split=test,index=0")
    assert "a-key-of-the-user" not in shown and "database bench: task " in shown and "operator: http://127.0.0.1:" in shown
    facts = json.loads(cli("serve", "erp", *PORTS, "--json", "--key-file", str(tmp_path / "key"), "--task", "split=test,index=0"))
    assert facts["databases"][0]["key"] == "a-key-of-the-user"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--task", "split=test,index=999"), "below 300"),
        (("--task", "file=/nowhere.json"), "No such file"),
        (("--task", "database=a,database=b,seed=1"), "one database name"),
        (("--disclosure", "nope", "--task", "split=test,index=0"), "unknown disclosure"),
        (("--admin-key-file", "{tmp_path}/key"), "16 to 256"),
        (("--port", "{taken}"), "cannot open port"),
    ],
)
def test_what_cannot_be_served_is_one_line(cli: Any, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "key").write_text("short")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli("serve", "erp", *PORTS, *(one.format(tmp_path=tmp_path, taken=port) for one in arguments), code=2) == ""
    assert message in cli.err and len(cli.err.splitlines()) == 1
