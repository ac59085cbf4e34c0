"""Judge: what ``tests/test.sh`` runs in the verifier's container, where the certificate is and the agent never was."""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import Task
from opsgym.core.verify import Verdict
from opsgym.core.world import Snapshot, World
from opsgym.data.packs import atomic_file
from opsgym.envs.erp_bench.family import ErpBenchFamily


def judge_state(task: Task, image: bytes) -> Verdict:
    """What the task's verifier says of an end state.

    Args:
        task: The whole task.
        image: The end state as an image of the world's database, as ``World.snapshot().data``.

    Raises:
        TaskError: The image is damaged, or of another kind of world.
    """
    family = ErpBenchFamily()
    before = family.open(task)
    try:
        after = _opened(before, image)
        try:
            return family.verify(before, after, task)
        finally:
            after.close()
    finally:
        before.close()


def _opened(before: World, image: bytes) -> World:
    try:
        after = World.from_snapshot(Snapshot(before.schema, image, before.now))
        faults = after.check()
        expected, found = _layout(before), _layout(after)
    except (sqlite3.Error, OpsGymError) as error:
        raise TaskError(f"expected the image of a world's database: {error}", field="state") from error
    if faults or found != expected:
        after.close()
        odd = sorted(expected.items() ^ found.items())
        raise TaskError(f"expected a sound world of the task's tables, got {faults[:1] or odd[:1]}", field="state")
    return after


def _layout(world: World) -> dict[str, tuple[str, ...]]:
    return {table: world.columns(table) for table in world.tables()}


def rewards(verdict: Verdict) -> dict[str, float]:
    """A verdict as Harbor's ``reward.json``: flat, finite numbers; ``reward`` is the one that counts."""
    return {"reward": verdict.reward, "success": float(verdict.is_success), **verdict.scores}


def write_rewards(out: Path, verdict: Verdict) -> None:
    """Write ``reward.json``, ``reward.txt`` and, with every check, ``verdict.json``; each whole or not at all."""
    for name, text in (
        ("verdict.json", json.dumps(verdict.as_dict(), indent=1)),
        ("reward.txt", str(verdict.reward)),
        ("reward.json", json.dumps(rewards(verdict), allow_nan=False)),
    ):
        with atomic_file(out / name) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge a state; what cannot be judged has no reward, so that Harbor counts an error and not a failure of the agent.

    Args:
        arguments: The command line; by default the process's own.
    """
    parser = argparse.ArgumentParser(prog="python -m opsgym.data.harbor.judge", description="Judge an end state for Harbor.")
    for option, meaning in (("--task", "the whole task"), ("--state", "the end state"), ("--out", "directory of the rewards")):
        parser.add_argument(option, type=Path, required=True, help=meaning)
    given = parser.parse_args(arguments)
    try:
        task = Task.from_json(given.task.read_bytes(), family=ErpBenchFamily.id)
        verdict = judge_state(task, given.state.read_bytes())
        write_rewards(given.out, verdict)
    except (OpsGymError, OSError) as error:
        parser.exit(2, f"error: {error}\n")
    print(json.dumps(rewards(verdict)))


if __name__ == "__main__":
    main()
