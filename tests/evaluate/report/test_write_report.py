"""A report is written for any number of runs and trials, with files beside it that hold the same figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opsgym.core.errors import TaskError
from opsgym.evaluate.metrics import summarise
from opsgym.evaluate.report import Report, write_report
from tests.evaluate.report.run_files import EVIL, episode, random_trials, trial, write_run

pytest.importorskip("pandas")


def written(report: Report) -> str:
    return report.path.read_text(encoding="utf-8")


def figures(tmp_path: Path, *runs: Path) -> set[str]:
    return set(write_report(runs, tmp_path / "r.html").figures)


@pytest.mark.parametrize("trials", [0, 1])
def test_few_trials_are_enough(tmp_path: Path, trials: int) -> None:
    report = write_report([write_run(tmp_path / "a", [trial()][:trials])], tmp_path / "out" / "r.html")
    assert report.trials == trials and report.path.exists()
    assert "nan" not in re.sub(r"<(script|style|svg).*?</\1>", "", written(report), flags=re.DOTALL).lower()
    assert (report.assets / "summary.csv").exists() and report.assets == tmp_path / "out" / "r_files"


def test_only_masked_trials_give_a_page_that_says_so(tmp_path: Path) -> None:
    rows = [trial(number=number, status="masked", reason="server gone") for number in range(3)]
    page = written(write_report([write_run(tmp_path / "a", rows)], tmp_path / "r.html"))
    assert "+3 masked" in page and "server gone" in page
    assert 'id="figures"' not in page, "there is nothing to draw"


def test_eight_runs_are_compared_in_pairs(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", random_trials(6, 2, seed=i)) for i in range(8)]
    page = written(write_report(runs, tmp_path / "r.html"))
    assert 'class="scroll tall"' in page, "28 lines scroll, so that the figures are not far away"
    comparison = page[page.index('id="comparison"') : page.index('id="figures"')]
    assert comparison.count('scope="row"') == 28 and "p, Holm" in comparison


def test_a_single_task_has_no_interval_of_its_mean(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, [trial(score=0.4)]) for name in "ab"]
    page = re.sub(r"<(script|style|svg).*?</\1>", "", written(write_report(runs, tmp_path / "r.html")), flags=re.DOTALL)
    assert "40.0</td>" in re.sub(r"\s", "", page) and "–––" not in page and "– to –" not in page  # noqa: RUF001  # as printed


def test_one_run_is_not_compared(tmp_path: Path) -> None:
    page = written(write_report([write_run(tmp_path / "a", random_trials(6, 2))], tmp_path / "r.html"))
    assert 'id="comparison"' not in page


def test_the_page_is_the_same_for_the_same_runs(tmp_path: Path) -> None:
    trials = random_trials(8, 2)
    run = write_run(tmp_path / "a", trials, episodes=[episode(each) for each in trials[:4]])
    pages = [written(write_report([run], tmp_path / name, assets=tmp_path / "files")) for name in ("x.html", "y.html")]
    assert pages[0] == pages[1]
    assert {path.name for path in tmp_path.iterdir()} == {"a", "files", "x.html", "y.html"}


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    page = written(write_report([write_run(tmp_path / "a", random_trials(9, 3))], tmp_path / "r.html"))
    targets = set(re.findall(r"(?:src|href)=\"([^\"]*)\"", page)) | set(re.findall(r"url\(([^)]*)\)", page))
    assert {target for target in targets if not target.startswith(("#", "data:", "r_files/"))} == set()
    assert "@import" not in page


def test_ids_are_unique(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", random_trials(9, 3, seed=i)) for i in range(2)]
    ids = re.findall(r"\bid=\"([^\"]*)\"", written(write_report(runs, tmp_path / "r.html")))
    assert len(ids) == len(set(ids)) > 20


def test_figures_appear_where_there_is_something_to_show(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", random_trials(9, 2), config={"policy": "p"})
    more = write_run(tmp_path / "more", random_trials(9, 2, skill=0.2), config={"policy": "p", "failure_rate": 0.3})
    alone = {"pass_at_k", "feasibility_optimality_gap", "clean_by_tier", "parameter_correlations_f_v0", "horizon_decoys_f_v0"}
    assert figures(tmp_path, one) == alone
    assert figures(tmp_path, one, more) == alone | {"cost_success", "robustness"}
    plain = write_run(tmp_path / "plain", [trial()])
    assert figures(tmp_path, plain) == {"pass_at_k", "feasibility_optimality_gap"}


def test_two_families_have_figures_of_their_own(tmp_path: Path) -> None:
    others = [each.model_copy(update={"task_id": f"b{each.task_id}"}) for each in random_trials(9, 1, family="B-v0")]
    both = write_run(tmp_path / "a", [*random_trials(9, 1, family="A-v0"), *others])
    report = write_report([both], tmp_path / "r.html")
    assert {"pass_at_k_a_v0", "pass_at_k_b_v0"} <= set(report.figures)
    assert "a, A-v0" in written(report)


def test_files_hold_what_the_page_shows(tmp_path: Path) -> None:
    import pandas as pd

    rows = [random_trials(9, 3, seed=seed) for seed in (1, 2)]
    report = write_report([write_run(tmp_path / f"run{i}", each) for i, each in enumerate(rows)], tmp_path / "r.html")
    names = {path.stem for path in report.assets.glob("*.csv")}
    assert names == {path.stem for path in report.assets.glob("*.parquet")}
    assert names == {"summary", "by_tier", "by_pattern", "paired", "correlations", "failures", "trials"}
    assert {path.stem for path in report.assets.glob("*.png")} == set(report.figures)
    summary = pd.read_parquet(report.assets / "summary.parquet")
    assert summary["pass_at_3"].tolist() == pytest.approx([summarise(each, ks=[3]).pass_at[3].value for each in rows])
    numbers = summary.select_dtypes("number")
    pd.testing.assert_frame_equal(numbers, pd.read_csv(report.assets / "summary.csv")[numbers.columns])
    trials = pd.read_csv(report.assets / "trials.csv")
    assert len(trials) == 54 and trials["params"].iloc[0].startswith('{"decoys"')


def test_hostile_text_is_written_as_text_everywhere(tmp_path: Path) -> None:
    rows = [trial("00", pattern=EVIL, tier=EVIL, failed_rules=(EVIL,), failure_families=(EVIL,))]
    rows += [trial("01", status="masked", reason=EVIL)]
    run = write_run(tmp_path / "a", rows, config={"policy": EVIL, "model": EVIL}, episodes=[episode(rows[0], brief=EVIL)])
    page = written(write_report([run], tmp_path / "r.html", title=EVIL))
    assert page.count("</script>") == page.count("<script") == 3
    assert "<img" not in page and "window.hacked = 1</script" not in page


def test_the_number_of_episodes_is_bounded_and_the_rest_is_named(tmp_path: Path) -> None:
    trials = random_trials(9, 2)
    run = write_run(tmp_path / "a", trials, episodes=[episode(each) for each in trials])
    report = write_report([run], tmp_path / "r.html", max_episodes=4)
    assert (report.episodes, report.recorded) == (4, 18)
    assert "4 of 18 recorded episodes can be read here" in written(report)


def test_runs_without_episodes_are_not_named_among_those_that_have_them(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / "a", [trial()], episodes=[episode(trial())]), write_run(tmp_path / "b", [trial()])]
    assert "trajectories.jsonl of a (1)." in " ".join(written(write_report(runs, tmp_path / "r.html")).split())


def test_half_surrogates_become_marks(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a", [])
    (run / "results.jsonl").write_text(
        '{"task_id": "\\ud800", "trial": 0, "pattern": "\\uD83D\\uDE00", "params": {"\\udfff": 1}}\n'
    )
    report = write_report([run], tmp_path / "r.html")
    assert "?" in (report.assets / "trials.csv").read_text() and "😀" in written(report)


def test_without_runs_there_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="at least one run"):
        write_report([], tmp_path / "r.html")


@pytest.mark.slow
def test_thirty_thousand_trials_fit_into_a_page(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", random_trials(3000, 5, seed=i)) for i in range(2)]
    report = write_report(runs, tmp_path / "r.html")
    assert report.trials == 30_000 and report.bytes < 6_000_000
