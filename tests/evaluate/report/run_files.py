"""Directories of runs as a runner leaves them, for the tests of what reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opsgym.data.trajectories import Step, Trajectory, append
from opsgym.evaluate.results import TrialResult

TIERS = ("easy", "medium", "hard")
EVIL = '</script><script>window.hacked = 1</script><!--<script><img src=x onerror="window.hacked=1">&lt;b&gt; \' \u2028 🏭 é 数'
"""What must stay text wherever it stands."""


def trial(task: str = "00aa", number: int = 0, **facts: Any) -> TrialResult:
    """A scored and failed trial of an unknown family, but for the facts given."""
    return TrialResult(**{"task_id": task, "trial": number, "family": "F-v0", "tier": "easy", "pattern": "p", **facts})


def random_trials(tasks: int, trials: int, *, seed: int = 0, family: str = "F-v0", skill: float = 0.6) -> list[TrialResult]:
    """Trials of tasks that get harder."""
    rng = np.random.default_rng(seed)
    return [_random_trial(rng, place, number, family, skill) for place in range(tasks) for number in range(trials)]


def _random_trial(rng: np.random.Generator, place: int, number: int, family: str, skill: float) -> TrialResult:
    size = place % 9
    is_success = bool(rng.random() < skill * (1 - size / 12))
    clean = is_success or bool(rng.random() < 0.3)
    return trial(
        f"{place:016x}",
        number,
        family=family,
        tier=TIERS[size // 3],
        pattern=f"pattern_{place % 4}",
        params={"hidden": 1 + size, "decoys": place % 5, "share": size / 9, "open": size > 4, "fixed": 3, "name": "x"},
        status="masked" if rng.random() < 0.02 else "scored",
        reason="BackendError: down",
        score=1.0 if is_success else round(0.6 * float(rng.random()), 3),
        is_success=is_success,
        clean=clean,
        perfect=is_success and bool(rng.random() < 0.8),
        optimality=float(rng.uniform(0.8, 1.0)),
        failed_rules=() if is_success else tuple(sorted({f"rule_{k}" for k in rng.integers(0, 20, 3)})),
        failure_families=() if is_success else ("timing", "sourcing")[: 1 + int(rng.integers(2))],
        calls=int(rng.integers(5, 60)),
        oracle_calls=12,
        turns=10 + 3 * size + int(rng.integers(4)),
        prompt_tokens=int(rng.integers(1000, 9000)),
        completion_tokens=int(rng.integers(100, 900)),
        cost=float(rng.random()) / 10,
        episode_seed=100 * place + number,
    )


def write_run(
    path: Path, results: Iterable[TrialResult], *, config: dict[str, Any] | None = None, episodes: Sequence[Trajectory] = ()
) -> Path:
    """A directory with ``run.json``, ``results.jsonl`` and, where there are episodes, ``trajectories.jsonl``."""
    path.mkdir(parents=True)
    (path / "run.json").write_text(json.dumps({"policy": "oracle", "failure_rate": 0.0} | (config or {})), encoding="utf-8")
    lines = "".join(f"{result.model_dump_json()}\n" for result in results)
    (path / "results.jsonl").write_text(lines, encoding="utf-8")
    for episode in episodes:
        append(path / "trajectories.jsonl", episode)
    return path


def episode(result: TrialResult, *, brief: str = "Do it.", steps: Sequence[tuple[str, str]] | None = None) -> Trajectory:
    """The recorded episode of a trial."""
    played = steps or [('{"name": "read", "arguments": {"b": 2, "a": 1}}', "ok"), ('{"name": "submit"}', "done")]
    last = len(played) - 1
    check = {"dimension": "constraint", "group": "g", "args": {}}
    return Trajectory(
        task={
            "id": result.task_id,
            "policy": "",
            "seed": 3,
            "oracle": [{"name": "read", "arguments": {"a": 1, "b": 2}}, {"name": "submit", "arguments": {}}],
        },
        options={},
        seed=result.episode_seed,
        spec=None,
        tools=[],
        brief=brief,
        world="",
        steps=tuple(
            Step(action, seen, result.score if place == last else 0.0, place == last, False)
            for place, (action, seen) in enumerate(played)
        ),
        info={
            "task_id": result.task_id,
            "is_success": result.is_success,
            "errors": {},
            "verdict": {
                "scores": {"constraint": 0.5},
                "gates": [],
                "checks": [
                    {**check, "rule": "kept", "status": "pass", "expected": 1, "actual": 1, "message": ""},
                    {**check, "rule": "broken", "status": "fail", "expected": 3, "actual": EVIL, "message": "sold 2 of 3"},
                ],
            },
        },
        version="0",
    )
