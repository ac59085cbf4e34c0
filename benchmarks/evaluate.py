"""What the runner costs beside bare episodes, timed in the same run.

Run with ``python benchmarks/evaluate.py [--tasks 40] [--trials 5] [--repeat 5]``.  Bare episodes are played by ``run_episode``
in a loop over a pack, task by task, with a new policy each; the runner plays the same trials in the same process.  Both are
timed without and with recording of the episodes: in the loop by ``RecordTrajectories`` with the same arguments.  Rounds
alternate, and the figures are medians of CPU time, so that a busy machine does not blur them.  Set-up (imports, writing the
tasks, making the environment) is left out of both.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

from opsgym.baselines.registry import make_policy
from opsgym.core.task import Task
from opsgym.data.packs import write_pack
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.rollout import run_episode
from opsgym.evaluate.run_desk import Standing
from opsgym.evaluate.runner import evaluate
from opsgym.wrappers import RecordTrajectories

CASES = (
    ("ERPBench-v0", "oracle"),
    ("ERPBench-v0", "do-nothing"),
    ("ACEBench-v0", "oracle"),
    ("ACEBench-v0", "do-nothing"),
    ("ACEBench-v0", "random-valid"),
)


def bare_ms(env_id: str, policy: str, tasks: list[Task], trials: int, *, trajectories: bool) -> float:
    """CPU time of a bare episode in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        pack = Path(directory) / "tasks.jsonl"
        write_pack(pack, tasks)
        env: gym.Env[Any, Any] = gym.make(env_id, tasks=pack, cache=None)
        base = env.unwrapped
        assert isinstance(base, ToolEnv)
        if trajectories:
            env = RecordTrajectories(env, path=Path(directory) / "trajectories.jsonl", digests="none")
        start = time.process_time()
        for index in range(len(tasks)):
            for trial in range(trials):
                run_episode(env, make_policy(policy, base.family, seed=trial), seed=trial, options={"index": index})
        return 1000 * (time.process_time() - start) / (len(tasks) * trials)


def run_ms(env_id: str, policy: str, tasks: list[Task], trials: int, *, trajectories: bool) -> float:
    """CPU time of a trial of the runner in milliseconds."""
    clock: list[float] = []

    def tick(standing: Standing) -> None:
        clock.append(time.process_time())

    with tempfile.TemporaryDirectory() as out:
        evaluate(env_id, policy, out=out, tasks=tasks, trials=trials, trajectories=trajectories, observer=tick)
    return 1000 * (clock[-1] - clock[0]) / (len(tasks) * trials)


def some_tasks(env_id: str, count: int) -> list[Task]:
    """Tasks of the fixed set, or generated ones where there is none."""
    with tempfile.TemporaryDirectory() as out:
        split = "test" if env_id == "ERPBench-v0" else None
        return list(evaluate(env_id, "submit-at-once", out=Path(out) / "run", tasks=count, split=split).directory.tasks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    title = f"CPU ms an episode, {arguments.tasks} tasks, {arguments.trials} trials; more than bare, and than bare with recording"
    table = Table(title=title, title_justify="left")
    for name in ("environment", "policy", "bare", "run", "more", "bare, rec.", "run, rec.", "more", "than bare"):
        table.add_column(name, justify="left" if name in ("environment", "policy") else "right")
    sets = {env_id: some_tasks(env_id, arguments.tasks) for env_id in dict.fromkeys(env_id for env_id, _ in CASES)}
    for env_id, policy in CASES:
        rounds: list[list[float]] = []
        for _ in range(arguments.repeat):
            given = (env_id, policy, sets[env_id], arguments.trials)
            rounds.append([ms(*given, trajectories=recorded) for recorded in (False, True) for ms in (bare_ms, run_ms)])
        bare, run, bare_recorded, recorded = map(statistics.median, zip(*rounds, strict=True))
        plain = (f"{bare:.2f}", f"{run:.2f}", _more(run, bare))
        with_recording = (f"{bare_recorded:.2f}", f"{recorded:.2f}", _more(recorded, bare_recorded), _more(recorded, bare))
        table.add_row(env_id, policy, *plain, *with_recording)
    Console(width=130).print(table)


def _more(value: float, than: float) -> str:
    return f"{100 * (value / than - 1):.0f} %"


if __name__ == "__main__":
    main()
