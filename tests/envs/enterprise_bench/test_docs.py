"""The documentation's pages about EnterpriseBench hold everything that the code declares."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from opsgym.envs.enterprise_bench.access import OPERATIONS, grants
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.endings import ENDINGS, REASONS
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS
from opsgym.envs.enterprise_bench.tables import SOURCES
from opsgym.envs.enterprise_bench.templates import TEMPLATES
from opsgym.envs.enterprise_bench.tools import BY_SOURCE
from opsgym.envs.enterprise_bench.world import generate

DOCS = Path(__file__).parents[3] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """The module of the documentation that writes the pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return importlib.import_module("enterprise_bench")


@pytest.fixture(scope="module")
def folder(writer: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pages are written."""
    folder: Path = tmp_path_factory.mktemp("pages")
    writer.write_pages(folder)
    return folder


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


def drawings(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page)]


def texts(drawing: ElementTree.Element) -> list[str]:
    return ["".join(item.itertext()) for item in drawing.iter(f"{SVG}text")]


def lines(page: str, mark: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith(mark)]


def test_pages_are_the_same_each_time_and_then_left_alone(writer: ModuleType, folder: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    writer.write_pages(folder)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_every_page_is_in_the_contents(pages: dict[str, str]) -> None:
    contents = (DOCS / "envs" / "enterprise_bench.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^enterprise_bench_pages/(\w+)$", contents, re.M)) == set(pages)


# -- the company


def test_the_entities_have_every_table_key_and_reference(pages: dict[str, str]) -> None:
    drawing = drawings(pages["company"])[0]
    words = texts(drawing)
    drawn = 0
    for source, tables in SOURCES.items():
        assert source in words
        for table in tables:
            assert table.name in words and table.id in words
            for ref in table.refs:
                assert any(word == ref.name or word.startswith(f"{ref.name} → employee") for word in words)
            drawn += sum(ref.table != "employee" for ref in table.refs)
    assert len(list(drawing.iter(f"{SVG}path"))) == drawn


def test_no_two_entities_lie_on_each_other(pages: dict[str, str]) -> None:
    boxes = [
        tuple(float(item.attrib[name]) for name in ("x", "y", "width", "height"))
        for item in drawings(pages["company"])[0].iter(f"{SVG}rect")
        if item.attrib["fill"] == "#ffffff"
    ]
    assert len(boxes) == sum(map(len, SOURCES.values()))
    for number, (x, y, wide, high) in enumerate(boxes):
        assert all(
            x + wide <= x2 or x2 + wide2 <= x or y + high <= y2 or y2 + high2 <= y for x2, y2, wide2, high2 in boxes[number + 1 :]
        )


def test_the_chart_has_everybody_and_a_line_to_their_boss(pages: dict[str, str]) -> None:
    drawing = drawings(pages["company"])[1]
    staff = [row for row in generate(0, "S").rows["employee"] if row["is_valid"]]
    dots = list(drawing.iter(f"{SVG}circle"))
    assert {(dot[0].text or "").split(",")[0] for dot in dots} == {row["emp_id"] for row in staff}
    assert len({(dot.attrib["cx"], dot.attrib["cy"]) for dot in dots}) == len(staff)
    levels = {row["emp_id"]: row["level"] for row in staff}
    heights = {(levels[str(dot[0].text).split(",")[0]], float(dot.attrib["cy"])) for dot in dots}
    assert len(heights) == len(set(levels.values()))
    assert [height for _, height in sorted(heights)] == sorted((height for _, height in heights), reverse=True)
    curves = [path for path in drawing.iter(f"{SVG}path") if " C " in path.attrib["d"]]
    assert len(curves) == sum(row["reports_to"] is not None for row in staff)
    assert {f"{name}{prefix}" for name, prefix in DEPARTMENTS.items()} <= set(texts(drawing))


def test_stars_mark_the_columns_that_tools_never_show(pages: dict[str, str]) -> None:
    table = next(item for item in DOMAIN.tables if any(column.secret for column in item.columns))
    row = next(line for line in lines(pages["company"], f"| `{table.name}` | `"))
    for column in table.columns:
        assert (f"`{column.name}`\\*" in row) == column.secret


# -- access and tools


def test_the_access_page_has_every_grant_and_the_whole_matrix(pages: dict[str, str]) -> None:
    page = pages["access"]
    for grant in grants("standard"):
        assert any(
            grant.sentence in line and f"`{grant.table}` | {grant.operation}" in line for line in lines(page, f"| `{grant.id}`")
        )
    matrix = page.split("## Matrix")[1].split("\n## ")[0]
    shown = [table.name for table in DOMAIN.tables if table.resource]
    assert [line.split("`")[1] for line in lines(matrix, "| `")] == shown
    assert f"| table | {' | '.join(OPERATIONS)} |" in matrix


def test_the_access_page_says_where_strict_differs(pages: dict[str, str]) -> None:
    page = pages["access"].split("## What the preset strict asks for")[1]
    differ = {
        (one.table, one.operation)
        for one, other in zip(grants("standard"), grants("strict"), strict=True)
        if one.least != other.least
    }
    told = page.split("## Grants")[0]
    assert {(line.split("`")[1], line.split(" | ")[1]) for line in lines(told, "| `")} == differ
    for one, other in zip(grants("standard"), grants("strict"), strict=True):
        (row,) = lines(page.split("## Grants")[1], f"| `{one.id}` |")
        assert row.endswith(f"| {other.least} |" if one.least != other.least else "|  |")


def test_every_tool_is_told_with_its_arguments(pages: dict[str, str]) -> None:
    for item in [*(tool for tools in BY_SOURCE.values() for tool in tools), *ENDINGS]:
        entry = pages["tools"].split(f"\n`{item.name}`")[1].split("\n\n")[0]
        assert item.description in entry
        assert item.usage in entry or item.usage == "none"
        assert ("ends the episode" in entry) == item.terminal
        assert ("changes records" in entry) == (item.mutates and not item.terminal)


# -- tasks and training data


def test_every_template_has_a_request_and_its_tools(pages: dict[str, str]) -> None:
    for template in TEMPLATES:
        _, request, tools = pages["catalogue"].split(f"\n`{template.name}` (")[1].split("\n\n")[0].splitlines()
        assert len(request) > 30 and re.search(r"\([A-Z].* [A-Z]{2}\d\d\)$", request)
        assert re.fullmatch(r": Tools: `\w+`(, `\w+`)*", tools)


def test_reference_solutions_do_not_search(pages: dict[str, str]) -> None:
    """The documentation says so of retrievers: scores do not depend on them."""
    assert "search_documents" in pages["tools"] and "search_documents" not in pages["catalogue"]


def test_every_reason_has_a_request_and_a_twin(pages: dict[str, str]) -> None:
    twins = pages["catalogue"].split("## Requests that cannot be met")[1]
    for reason in REASONS:
        head, blocked, why, met = twins.split(f"\n`{reason}` (")[1].split("\n\n")[0].splitlines()
        assert blocked.startswith(": Cannot be met: ") and met.startswith(": Can be met: ")
        assert len(why) > len(": Why: ") and head.endswith(")")


def test_the_plan_and_both_listings_are_shown(pages: dict[str, str]) -> None:
    page = pages["training"]
    assert ", needs 1\n" in page and ", needs 1: {" in page
    for key in ("messages", "prompt", "chosen", "rejected"):
        assert f'  "{key}": [\n    {{"role": "' in page
