"""Harbor's own trial plays exported tasks, with namespaces in the place of containers.

Needs root, and a Python with Harbor, named by HARBOR_PYTHON: Harbor wants a newer one than OpsGym does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import opsgym
from opsgym.data.harbor.export import export_tasks
from tests.data.harbor_tasks import fixed

CHECKOUT = Path(opsgym.__file__).parents[1]
PRYING = """#!/bin/sh
ls -d /erp /var/erp /tests
find / -xdev \\( -name task.json -o -name admin.key -o -name end.sqlite \\) -not -path "/proc/*"
python3 -c "import opsgym" && echo opsgym
python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8070/databases').read())"
python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8069/web/version').read())"
exit 0
"""
"""A solution that looks for what is not to be seen, and asks the operator's port without its key."""


@pytest.fixture(scope="module")
def harbor_python() -> str:
    python = os.environ.get("HARBOR_PYTHON")
    if python is None or os.geteuid() != 0:
        pytest.skip("needs root, and HARBOR_PYTHON to name a Python that has Harbor")
    if subprocess.run(["unshare", "-m", "-n", "true"]).returncode != 0:
        pytest.skip("needs namespaces")
    return python


def trial(python: str, task: Path, agent: str, trials: Path) -> dict[str, Any]:
    """Have Harbor run a trial, and return its result."""
    config = {
        "task": {"path": str(task)},
        "trials_dir": str(trials),
        "trial_name": agent,
        "agent": {"name": agent},
        "environment": {"import_path": "tests.data.harbor_namespaces:NamespaceEnvironment"},
    }
    (trials / f"{agent}.json").write_text(json.dumps(config))
    places = [sys.prefix, sys.base_prefix, str(CHECKOUT)]
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT), "OPSGYM_PLACES": os.pathsep.join(places)}
    script = "import sys; from harbor.cli.main import app; app(sys.argv[1:])"
    done = subprocess.run(
        [python, "-c", script, "trial", "start", "--config", str(trials / f"{agent}.json")],
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads((trials / agent / "result.json").read_text())
    assert found["exception_info"] is None, found["exception_info"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 60, 150])
def test_harbors_trial_gives_all_to_the_oracle_and_none_to_the_idle(index: int, harbor_python: str, tmp_path: Path) -> None:
    (path,) = export_tasks(tmp_path, fixed(index)).directories
    for agent, due in (("oracle", 1.0), ("nop", 0.0)):
        found = trial(harbor_python, path, agent, tmp_path)
        assert found["verifier_result"]["rewards"]["reward"] == due
        assert (tmp_path / agent / "verifier" / "verdict.json").is_file()


@pytest.mark.slow
def test_an_agent_sees_neither_the_server_nor_the_verifier(harbor_python: str, tmp_path: Path) -> None:
    (path,) = export_tasks(tmp_path, fixed(0)).directories
    (path / "solution" / "solve.sh").write_text(PRYING)
    found = trial(harbor_python, path, "oracle", tmp_path)
    assert found["verifier_result"]["rewards"]["reward"] == 0
    seen = (tmp_path / "oracle" / "agent" / "oracle.txt").read_text()
    for line in ("'/erp': No such file", "'/var/erp': No such file", "'/tests': No such file", "No module named 'opsgym'", "401"):
        assert line in seen
    assert "version_info" in seen  # the ERP itself is there
    assert not [line for line in seen.splitlines() if line.startswith("/") or line == "opsgym"]
