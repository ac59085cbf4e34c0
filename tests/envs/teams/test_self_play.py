"""The example that trains both roles of PlannerExecutorGrid-v0 runs from end to end; it needs an extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.train
def test_the_self_play_example_runs_from_end_to_end() -> None:
    pytest.importorskip("sb3_contrib")
    example = Path(__file__).parents[3] / "examples" / "train_self_play.py"
    arguments = ["--rounds", "2", "--steps", "128", "--tasks", "4", "--episodes", "4"]
    done = subprocess.run([sys.executable, str(example), *arguments], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()][:2] == ["random valid actions", "before"]
    assert done.stdout.count("round ") == 2 and "after: " in done.stdout
