"""What the runner costs beside bare episodes, both timed in the same run.

Run with ``python benchmarks/evaluate.py [--tasks 40] [--trials 5] [--repeat 5]``.  Bare episodes are played by ``run_episode``
in a loop over a pack, task by task, with a new policy each; the runner plays the same trials in the same process.  Rounds
alternate, and the figures are medians of CPU time, so that a busy machine does not blur them.  Set-up (imports, writing the
tasks, making the environment) is left out of both.  "recorded" also writes the episodes, as is the default.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

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

CASES = (
    ("ERPBench-v0", "oracle"),
    ("ERPBench-v0", "do-nothing"),
    ("ACEBench-v0", "oracle"),
    ("ACEBench-v0", "do-nothing"),
    ("ACEBench-v0", "random-valid"),
)


def bare_ms(env_id: str, policy: str, tasks: list[Task], trials: int) -> float:
    """CPU time of a bare episode in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        pack = Path(directory) / "tasks.jsonl"
        write_pack(pack, tasks)
        env = gym.make(env_id, tasks=pack, cache=None)
        base = env.unwrapped
        assert isinstance(base, ToolEnv)
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
    table = Table(title=f"CPU ms an episode, {arguments.tasks} tasks, {arguments.trials} trials", title_justify="left")
    for name in ("environment", "policy", "bare", "run", "overhead", "run, recorded", "overhead"):
        table.add_column(name, justify="left" if name in ("environment", "policy") else "right")
    sets = {env_id: some_tasks(env_id, arguments.tasks) for env_id in dict.fromkeys(env_id for env_id, _ in CASES)}
    for env_id, policy in CASES:
        times: dict[str, list[float]] = {"bare": [], "run": [], "recorded": []}
        for _ in range(arguments.repeat):
            times["bare"].append(bare_ms(env_id, policy, sets[env_id], arguments.trials))
            times["run"].append(run_ms(env_id, policy, sets[env_id], arguments.trials, trajectories=False))
            times["recorded"].append(run_ms(env_id, policy, sets[env_id], arguments.trials, trajectories=True))
        bare, run, recorded = (statistics.median(values) for values in times.values())
        shares = [f"{100 * (value / bare - 1):.0f} %" for value in (run, recorded)]
        table.add_row(env_id, policy, f"{bare:.2f}", f"{run:.2f}", shares[0], f"{recorded:.2f}", shares[1])
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
