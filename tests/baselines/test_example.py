"""The example runs offline, and with a server that two environment variables name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from opsgym.baselines.models import MockServer
from tests.baselines.support import script_of, task_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "react_agent.py"


def run(**variables: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPSGYM_")}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=120, env=environment | variables, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_offline_the_scripted_model_solves_the_grid() -> None:
    assert "reward 1.00 after 5 calls, 0 tokens read" in run()


def test_a_real_server_is_asked_when_the_environment_names_one() -> None:
    with MockServer(script_of("react", task_of("ACEBench-v0").oracle[:1]) * 40) as server:
        printed = run(OPSGYM_MODEL="openai:mine", OPSGYM_BASE_URL=server.openai_url)
    assert len(server.received) == 40 and {received.body["model"] for received in server.received} == {"mine"}
    assert "reward 0.00 after 41 calls" in printed and " 0 tokens read" not in printed
