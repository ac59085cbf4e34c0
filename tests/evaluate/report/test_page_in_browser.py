"""The page works in a browser: it sorts, filters, opens episodes, runs nothing foreign and is accessible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from opsgym.evaluate.report import write_report
from tests.evaluate.report.run_files import EVIL, episode, random_trials, trial, write_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("pandas")
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of 40 tasks; the first has an episode of every trial."""
    path = tmp_path_factory.mktemp("report")
    first, second = random_trials(40, 2), random_trials(40, 2, seed=1, skill=0.9)
    first.append(trial("ffff", pattern="evil", failed_rules=(EVIL,), episode_seed=9))
    episodes = [
        episode(each, steps=[(f"wait {n}", "…") for n in range(60)] if place % 2 else None)
        for place, each in enumerate(first[:-1])
    ]
    episodes.append(episode(first[-1], brief=EVIL, steps=[(EVIL, EVIL), ('{"name": "submit"}', "end")]))
    runs = [write_run(path / "first", first, episodes=episodes), write_run(path / "second", second)]
    return write_report(runs, path / "r.html").path


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The page, opened without a network; an error in its script fails the test."""
    yield from _open(browser, report)


def _open(browser: Browser, path: Path, **options: Any) -> Iterator[Page]:
    context = browser.new_context(offline=True, **{"viewport": DESKTOP, **options})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(path.as_uri())
    yield page
    context.close()
    assert errors == []


def _column(page: Page, name: str) -> list[str]:
    place = page.locator("#task-table thead th").evaluate_all(
        "(all, name) => all.findIndex(e => e.dataset.column === name)", name
    )
    return [row.locator("th, td").nth(place).inner_text() for row in page.locator("#task-table tbody tr").all()]


def test_tasks_are_paged_sorted_and_filtered(page: Page) -> None:
    assert page.inner_text("#count") == "81 of 81 lines" and page.inner_text("#page") == "1–25"  # noqa: RUF001  # as printed
    page.click("#next")
    assert page.inner_text("#page") == "26–50"  # noqa: RUF001  # as printed
    page.click("[data-column=score] button")
    scores = [int(text) for text in _column(page, "score") if text.isdigit()]
    assert scores == sorted(scores) and page.get_attribute("[data-column=score]", "aria-sort") == "ascending"
    page.click("[data-column=score] button")
    scores = [int(text) for text in _column(page, "score") if text.isdigit()]
    assert scores == sorted(scores, reverse=True) and scores[0] == 100
    page.select_option("#by-run", "second")
    page.select_option("#by-tier", "hard")
    assert set(_column(page, "run")) == {"second"} and set(_column(page, "tier")) == {"hard"}
    page.select_option("#by-outcome", "always")
    assert all(text.split("/")[0] == text.split("/")[1] for text in _column(page, "rate"))
    page.fill("#search", "no such thing")
    assert page.inner_text("#count") == "No task fits." and page.locator("#task-table tbody tr").count() == 0


def test_tiers_are_sorted_by_difficulty(browser: Browser, tmp_path: Path) -> None:
    rows = [trial(tier, family="ERPBench-v0", tier=tier) for tier in ("hard", "easy", "medium")]
    path = write_report([write_run(tmp_path / "a", rows)], tmp_path / "r.html").path
    for page in _open(browser, path):
        page.click("[data-column=tier] button")
        assert _column(page, "tier") == ["easy", "medium", "hard"]
        assert page.locator("#by-tier option").all_inner_texts() == ["any", "easy", "medium", "hard"]


def test_an_episode_is_read_beside_its_verdict_and_the_oracle(page: Page) -> None:
    page.select_option("#by-run", "first")
    page.fill("#search", "pattern_1")
    page.locator("#task-table .open").first.click()
    page.locator("text=Read episode").first.click()
    while page.locator("#viewer-steps > li").count() != 2:
        page.click("#viewer-next")
    assert page.inner_text("#viewer-steps .call >> nth=0") == "read"
    assert page.locator("#viewer-steps > li").count() == 2
    assert "broken" in page.inner_text("#viewer-verdict") and "expected 3" in page.inner_text("#viewer-verdict")
    assert page.locator("#viewer-oracle > li.made").count() == 2, "order of arguments does not matter"
    assert "#episode=" in page.url
    page.keyboard.press("Escape")
    page.wait_for_function("!location.hash.includes('episode=')")  # the dialog tells that it was closed a moment later
    assert not page.locator("#viewer").is_visible()


def test_episodes_follow_each_other_and_have_an_address(page: Page) -> None:
    page.goto(page.url + "#episode=0")
    page.reload()
    title = page.inner_text("#viewer-facts")
    assert page.locator("#viewer").is_visible()
    page.click("#viewer-next")
    assert page.inner_text("#viewer-facts") != title
    page.click("#viewer-previous")
    assert page.inner_text("#viewer-facts") == title and page.locator("#viewer-previous").is_disabled()
    page.evaluate("location.hash = '#episode=1'")  # as an address that is pasted into an open page
    page.wait_for_function("!document.querySelector('#viewer-previous').disabled")
    assert page.inner_text("#viewer-facts") != title


def test_hostile_text_is_shown_and_never_run(page: Page) -> None:
    page.fill("#search", "evil")
    page.locator("#task-table .open").click()
    page.locator("text=Read episode").click()
    for place in ("#viewer-brief", "#viewer-steps", "#viewer-verdict"):
        assert "window.hacked = 1" in page.inner_text(place) and "🏭" in page.inner_text(place)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#viewer img, #task-table img").count() == 0


def test_everything_can_be_done_with_the_keyboard(page: Page) -> None:
    page.focus("#task-table .open >> nth=0")
    page.keyboard.press("Enter")
    assert page.get_attribute("#task-table .open >> nth=0", "aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Read episode"
    page.keyboard.press("Enter")
    assert page.locator("#viewer").is_visible()
    assert page.evaluate("document.activeElement.closest('dialog') !== null")


def test_the_theme_follows_the_system_and_can_be_switched(browser: Browser, report: Path) -> None:
    for page in _open(browser, report, color_scheme="dark"):
        ground = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(ground)
        page.click("#theme")
        assert page.evaluate(ground) != dark and page.inner_text("#theme") == "Dark"


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_is_wider_than_the_window(browser: Browser, report: Path, viewport: dict[str, int]) -> None:
    for page in _open(browser, report, viewport=viewport):
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize("place", ["#summary", "#tasks"])
def test_a_wide_table_keeps_its_first_column_in_sight(browser: Browser, report: Path, place: str) -> None:
    for page in _open(browser, report, viewport=PHONE):
        table = page.locator(f"{place} .scroll")
        first = table.locator("tbody th").first
        before = first.evaluate("cell => cell.getBoundingClientRect().left")
        assert table.evaluate("table => (table.scrollLeft = 200)") and table.evaluate("table => table.scrollLeft") == 200
        assert first.evaluate("cell => cell.getBoundingClientRect().left") == pytest.approx(before, abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Browser, report: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed").Axe()
    for page in _open(browser, report, color_scheme=scheme):
        page.locator("#task-table .open").first.click()
        found = list(axe.run(page).response["violations"])
        page.evaluate("location.hash = '#episode=0'")
        page.reload()
        while page.locator("#viewer-next").is_enabled() and page.locator("#viewer-steps > li").count() < 60:
            page.click("#viewer-next")
        found += axe.run(page).response["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], [node["html"] for node in each["nodes"][:3]]) for each in serious] == []


def test_a_page_without_trials_says_so(browser: Browser, tmp_path: Path) -> None:
    path = write_report([write_run(tmp_path / "a", [])], tmp_path / "r.html").path
    for page in _open(browser, path):
        assert page.inner_text("#count") == "There are no trials."


@pytest.mark.slow
def test_thirty_thousand_trials_stay_usable(browser: Browser, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", random_trials(3000, 5, seed=i)) for i in range(2)]
    path = write_report(runs, tmp_path / "r.html").path
    for page in _open(browser, path):
        page.select_option("#by-run", "run1")
        assert page.inner_text("#count") == "3,000 of 6,000 lines"
        assert page.locator("#task-table tbody tr").count() == 25
