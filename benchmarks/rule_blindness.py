"""What one rule is worth: the reference solution without what a rule asks for, as the table of docs/baselines/scripted.md.

    python benchmarks/rule_blindness.py [--env ERPBench-v0] [--tier easy] [--seed 5] [--write FILE]

One row a tool, an optional argument and a rule that the plan serves.  The same command gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from opsgym.baselines.blindness import blinded, keys_of
from opsgym.baselines.scripted import RuleBlindOracle
from opsgym.core.task import Task, ToolCall
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.rollout import run_episode


def rows(env: ToolEnv, task: Task) -> Iterator[str]:
    """A row for each thing that the plan of a task serves."""
    tools = dict.fromkeys(call.name for call in task.oracle[:-1])
    rules = dict.fromkeys(check.rule for check in task.checks)
    for blind in [*(f"tool:{name}" for name in tools), *(f"rule:{name}" for name in rules)]:
        env.reset(seed=0, options={"task": task})
        plan = blinded(env, "tool" if blind.startswith("tool") else "rule", blind.partition(":")[2])
        if plan != task.oracle:
            rollout = run_episode(env, RuleBlindOracle(blind=blind), task=task)
            failed, applicable = rollout.checks_passed[1] - rollout.checks_passed[0], rollout.checks_passed[1]
            yield f"| `{blind}` | {left_out(task.oracle, plan)} | {rollout.reward:.3f} | {failed} of {applicable} |"


def left_out(before: tuple[ToolCall, ...], after: tuple[ToolCall, ...]) -> str:
    """What a plan has lost, in words."""
    if len(after) < len(before):
        kept = list(after)
        names = [call.name for call in before if call not in kept]
        return f"{len(names)} calls of `{names[0]}`" if len(names) > 1 else f"one call of `{names[0]}`"
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    old, new = changed[0]
    argument = next(name for name in keys_of(old.arguments) if name not in set(keys_of(new.arguments)))
    return f"`{argument}` of {len(changed)} calls of `{'`, `'.join(dict.fromkeys(call.name for call, _ in changed))}`"


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="ERPBench-v0")
    parser.add_argument("--tier", default="easy")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--write", type=Path, help="file for the table")
    options = parser.parse_args()
    env = load_env(entry_point_of(options.env), cache=None, tier=options.tier)
    env.reset(seed=options.seed)
    head = ["| `blind` | what is left out | reward | checks that fail |", "|---|---|---:|---:|"]
    table = "\n".join([*head, *rows(env, env.task)]) + "\n"
    print(table, end="")
    if options.write is not None:
        options.write.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
