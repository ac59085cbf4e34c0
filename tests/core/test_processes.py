"""No process outlives the one that started it, even if that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

SCRIPT = """
import multiprocessing, os, time
from opsgym.envs.prefetch import Prefetch
from opsgym.evaluate.parallel import Workers
from opsgym.vector import ToolVectorEnv
from tests.envs.toy_family import ToyEnv

def pool():
    workers = Workers(2)
    set(workers.map("waiting", time.sleep, [(0.1,)] * 2))
    return workers

def prefetch():
    env = ToyEnv(cache=None)
    found = Prefetch(env, workers=2)
    env.reset(seed=1)
    while not found._crew._pool._processes:
        time.sleep(0.01)
    return found

def vector(context):
    envs = ToolVectorEnv("ACEBench-v0", num_envs=2, vectorization_mode="async", context=context, tier="easy", cache=None)
    envs.reset(seed=1)
    return envs

if __name__ == "__main__":
    held = {make}
    print(*(process.pid for process in multiprocessing.active_children()), flush=True)
    time.sleep(60)
"""


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize("make", ["pool()", "prefetch()", "vector('fork')", "vector('spawn')"])
def test_workers_end_with_a_parent_that_is_killed(make: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT).replace("{make}", make))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    assert len(children) >= (1 if make == "prefetch()" else 2)
    deadline = time.monotonic() + 30
    while any(map(is_running, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [child for child in children if is_running(child)]
    for child in left:
        os.kill(child, signal.SIGKILL)
    assert not left
