"""The study of curricula resumes, refuses to mix settings, and its statistics are the declared ones."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks import curriculum_study as study
from opsgym.curricula import Uniform

TINY = study.Settings(steps=64, points=1, episodes=1, final_episodes=1, envs=1)


def saved(name: str, seed: int, rate: float) -> dict[str, object]:
    curve = [[32, rate / 2, rate / 2], [64, rate, rate]]
    shared = {"settings": asdict(TINY), "metrics": {"success_rate": rate}, "cpu_seconds": 1.0}
    return {"sampler": name, "seed": seed, "curve": curve, "final": [rate, rate / 2], **shared}


def test_the_interquartile_mean_leaves_out_both_quarters() -> None:
    scores = np.array([0.0, 0.4, 0.6, 1.0])
    middle, low, high = study.interval(scores, resamples=200)
    assert middle == pytest.approx(0.5) and low < 0.5 < high
    assert study.interval(np.full(3, 0.3), resamples=20) == pytest.approx((0.3, 0.3, 0.3))


def test_a_result_that_is_there_is_kept_and_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "Uniform-0.json"
    path.write_text(json.dumps(saved("Uniform", 0, 0.5)))
    before = path.read_bytes()
    assert study.is_there(("Uniform", 0, TINY, tmp_path)) and not study.is_there(("Uniform", 1, TINY, tmp_path))
    with pytest.raises(SystemExit, match="other settings"):
        study.main(["--out", str(tmp_path), "--quick", "--samplers", "Uniform", "--jobs", "2"])
    assert path.read_bytes() == before


def test_the_report_has_a_row_for_every_sampler_that_ran(tmp_path: Path) -> None:
    for name, rate in (("Uniform", 0.25), ("Ladder", 0.75)):
        (tmp_path / f"{name}-0.json").write_text(json.dumps(saved(name, 0, rate)))
    study.main(["--out", str(tmp_path), "--report", str(tmp_path / "report")])
    rows = (tmp_path / "report" / "table.inc").read_text().splitlines()
    assert [row.split("|")[1].strip() for row in rows[3:]] == ["Uniform", "Ladder"]
    assert "| 0.75 (0.75" in rows[4]
    assert (tmp_path / "report" / "curves.png").stat().st_size > 1000


def test_done_is_on_offer_for_a_full_grid_only() -> None:
    envs = study.Examination(study.tasks_of(study.TARGET, 3, 0), "train")
    envs.reset()
    rng = np.random.default_rng(0)
    for _ in range(study.MAX_STEPS - 1):
        masks = envs.action_masks()
        seen, _, terminated, _, _ = envs.step(np.array([rng.choice(np.flatnonzero(mask[:-1])) for mask in masks]))
        masks = envs.action_masks()
        assert np.array_equal(masks[:, -1], seen[:, -6] >= 1) and not masks[:, -2].any() and not terminated.any()
    assert masks[:, -1].all()


def test_a_curriculum_hears_of_its_own_tickets() -> None:
    sampler = Uniform(study.SPACE, seed=1)
    lessons = study.Lessons(sampler, 2)
    lessons.reset()
    choose = study.random_valid(0)
    for _ in range(2 * study.MAX_STEPS):
        lessons.step(choose(np.zeros(0, np.float32), lessons.action_masks()))
    metrics = sampler.metrics()
    assert metrics["done"] >= 4 and metrics["asked"] == metrics["done"] + 2 and metrics["open"] == 2


def test_training_target_and_final_tasks_are_disjoint() -> None:
    options = study.tasks_of(study.TARGET, 1, 0)[0][1]
    drawn: set[int] = set()
    for split in ("train", "validation", "test"):
        supply = study.FullGrids(1, split)._supply
        picked = {supply.pick(np.random.default_rng(seed), options).seed for seed in range(5)}
        assert not drawn & picked
        drawn |= picked


@pytest.mark.slow
def test_a_run_trains_and_is_written(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    study.run(("Uniform", 0, TINY, tmp_path))
    result = json.loads((tmp_path / "Uniform-0.json").read_text())
    assert len(result["final"]) == 2 and result["curve"][0][0] >= 64
