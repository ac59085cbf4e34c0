"""The study of learning ERPBench resumes, refuses to mix settings, and offers what it says."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks import erp_learning_study as study

TINY = study.Settings(steps=32, points=1, episodes=1, final_episodes=1, envs=1)


def test_a_result_that_is_there_is_kept_and_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "erp-0.json"
    path.write_text(json.dumps({"settings": asdict(TINY)}))
    assert "there already" in study.run(0, TINY, tmp_path)
    with pytest.raises(SystemExit, match="other settings"):
        study.run(0, study.QUICK, tmp_path)


def test_the_interval_holds_the_mean_and_is_a_point_where_nothing_varies() -> None:
    values = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    mean, low, high = study.interval(values, resamples=200)
    assert low < mean == 0.5 < high
    assert study.interval(np.full((2, 3), 0.25), resamples=20) == (0.25, 0.25, 0.25)


def test_submit_waits_for_the_drafts_and_nothing_is_cancelled() -> None:
    env = study.make_env("train")
    env.reset(seed=0, options={"pattern": study.PATTERNS[0]})
    choose = study.random_valid(0)
    info: dict[str, object] = {}
    seen = np.zeros(0, np.float32)
    while "is_success" not in info:
        mask = env.get_wrapper_attr("action_masks")()
        names = {env.get_wrapper_attr("calls")[number].name for number in np.flatnonzero(mask)}
        assert not any(name.startswith("cancel_") for name in names)
        assert "submit" not in names or not any(name.startswith(("confirm_", "create_sales")) for name in names)
        *_, info = env.step(choose(seen, mask))


def test_the_report_has_a_row_for_every_policy(tmp_path: Path) -> None:
    results = [[True, 1.0], [False, 0.5], [True, 1.0]]
    (tmp_path / "erp-0.json").write_text(json.dumps({"settings": asdict(TINY), "final": results}))
    rows = study.report(tmp_path, tmp_path / "report").splitlines()
    assert [row.split("|")[1].strip() for row in rows[2:]] == [
        "random, all that makes sense",
        "random, what is on offer",
        "cheapest_first",
        "earliest_first",
        "build_first",
        "lp_rounding",
        "MaskablePPO, 1 runs",
    ]
    assert "| 0.67 (" in rows[-1] and "| 0.83 (" in rows[-1] and rows[-1].endswith("| 1.00 | 0.00 | 1.00 |")


@pytest.mark.slow
def test_a_run_trains_and_is_written(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    study.run(0, TINY, tmp_path)
    result = json.loads((tmp_path / "erp-0.json").read_text())
    assert len(result["final"]) == len(study.PATTERNS)
