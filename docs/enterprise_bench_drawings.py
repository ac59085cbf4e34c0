"""Drawings of EnterpriseBench's company: its entities with their references, and who reports to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS, LEVELS

WIDE, GAP, EDGE = 200, 50, 14
LINE, HEAD = 15, 22
BAND = 24
DOT = 12

_INK, _BACK, _FILL = "#4a6fa5", "#f6f8fb", "#ffffff"


def scrolled(svg: str, title: str) -> str:
    """A drawing in the page itself, so that its words stay readable and its titles show."""
    return f'<div style="overflow-x: auto" role="img" aria-label="{title}" tabindex="0">{svg.strip()}</div>'


# -- entities -----------------------------------------------------------------------------------------------


def entities(sources: Mapping[str, Sequence[Table]]) -> str:
    """Tables with keys and references, a band a source; a table stands right of those it refers to, employees aside."""
    tables = [table for some in sources.values() for table in some]
    depth = _depths(tables)
    place: dict[str, tuple[float, float]] = {}
    bands, top = [], 8.0
    wide = 2 * EDGE + (max(depth.values()) + 1) * (WIDE + GAP) - GAP
    for source, some in sources.items():
        columns = _columns(some, depth)
        high = BAND + max(sum(_high(table) + 10 for table in column) for column in columns.values()) + 4
        bands.append(_rect(4, top, wide - 8, high, _BACK, "#d5dce8") + _text(12, top + 16, source, bold=True, ink="#5b6779"))
        for number, column in columns.items():
            y = top + BAND
            for table in column:
                place[table.name] = EDGE + number * (WIDE + GAP), y
                y += _high(table) + 10
        top += high + 8
    lanes = {name: 4 * number for number, name in enumerate(_targets(tables))}  # each has its own, so that lines do not merge
    lines = [_reference(place, table, row, ref.table, lanes) for table in tables for row, ref in _drawn(table)]
    boxes = [_entity(table, *place[table.name]) for table in tables]
    return _svg(wide, top, [*bands, *lines, *boxes])


def _refs(table: Table) -> list[tuple[int, Any]]:
    """References with the rows in which they stand, below the key's."""
    return list(enumerate(table.refs, start=1))


def _drawn(table: Table) -> list[tuple[int, Any]]:
    return [(row, ref) for row, ref in _refs(table) if ref.table != "employee"]


def _targets(tables: Sequence[Table]) -> list[str]:
    return list(dict.fromkeys(ref.table for table in tables for _, ref in _drawn(table)))


def _depths(tables: Sequence[Table]) -> dict[str, int]:
    """Length of the longest chain of references to others, employees aside."""
    by_name = {table.name: table for table in tables}

    def deep(table: Table) -> int:
        return max((1 + deep(by_name[ref.table]) for _, ref in _drawn(table)), default=0)

    return {table.name: deep(table) for table in tables}


def _columns(tables: Sequence[Table], depth: Mapping[str, int]) -> dict[int, list[Table]]:
    """The tables of a source by column; those that refer to none of the others stand side by side."""
    if len(tables) > 1 and not any(_drawn(table) for table in tables):
        return {number: [table] for number, table in enumerate(tables)}
    columns: dict[int, list[Table]] = {}
    for table in tables:
        columns.setdefault(depth[table.name], []).append(table)
    return columns


def _high(table: Table) -> float:
    return HEAD + LINE * (1 + len(table.refs)) + 6


def _row(row: int) -> float:
    return HEAD + LINE * row + LINE / 2 + 2


def _entity(table: Table, x: float, y: float) -> str:
    parts = [
        _rect(x, y, WIDE, _high(table), _FILL, _INK),
        _rect(x, y, WIDE, HEAD, "#dfe8f5", _INK),
        _text(x + 8, y + 15, table.name, bold=True),
        _text(x + 8, y + _row(0) + 4, table.id, bold=True),
    ]
    for row, ref in _refs(table):
        arrow = f" → {ref.table}{'' if ref.required else ', or none'}" if ref.table == "employee" else ""
        parts.append(_text(x + 8, y + _row(row) + 4, ref.name + arrow))
    return "".join(parts)


def _reference(place: Mapping[str, tuple[float, float]], table: Table, row: int, target: str, lanes: Mapping[str, float]) -> str:
    (x1, y1), (x2, y2) = place[table.name], place[target]
    start, end, down, up = x1, x2 + WIDE, y1 + _row(row), y2 + _row(0)
    lane = start - GAP + 9 + lanes[target]
    fork = "".join(f"M {start - 10} {down} L {start} {down + side} " for side in (-5, 5))
    bar = f"M {end + 6} {up - 5} L {end + 6} {up + 5}"
    path = f"M {start} {down} L {lane} {down} L {lane} {up} L {end} {up} {fork}{bar}"
    return f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="1.2"/>'


# -- organisation -------------------------------------------------------------------------------------------


def organisation(staff: Sequence[Mapping[str, Any]]) -> str:
    """A dot for everybody who is employed, at the height of their level, and a line to whom they report to."""
    people = [row for row in staff if row["is_valid"]]
    height = {level: 40 + 46 * number for number, level in enumerate(sorted(LEVELS, reverse=True))}
    place: dict[str, tuple[float, float]] = {}
    labels, left = [], 60.0
    for name, prefix in DEPARTMENTS.items():
        mine = [row for row in people if row["department"] == name]
        right = left
        for head in (row for row in mine if row["reports_to"] is None):
            right = _spread(head, mine, right, height, place)
        labels.append(_text((left + right - DOT) / 2, 22, prefix, bold=True, middle=True, title=name))
        left = right + DOT
    wide, high = left, max(height.values()) + 24
    rows = [_text(10, y + 4, str(level), ink="#5b6779") for level, y in height.items()]
    rules = [f'<path d="M 34 {y} L {wide - 8} {y}" stroke="#e3e8f0"/>' for y in height.values()]
    lines = [_line(place[row["reports_to"]], place[row["emp_id"]]) for row in people if row["reports_to"]]
    dots = [_dot(*place[row["emp_id"]], f"{row['emp_id']}, {row['title']}") for row in people]
    return _svg(wide, high, [_rect(2, 2, wide - 4, high - 4, _BACK, "#d5dce8"), *rules, *rows, *labels, *lines, *dots])


def _spread(
    row: Mapping[str, Any],
    people: Sequence[Mapping[str, Any]],
    left: float,
    height: Mapping[int, float],
    place: dict[str, tuple[float, float]],
) -> float:
    """Place somebody above who reports to them; gives where the next may stand."""
    right = left
    reports = [other for other in people if other["reports_to"] == row["emp_id"]]
    for other in reports:
        right = _spread(other, people, right, height, place)
    middle = (place[reports[0]["emp_id"]][0] + place[reports[-1]["emp_id"]][0]) / 2 if reports else left
    place[row["emp_id"]] = middle, height[row["level"]]
    return max(right, left + DOT)


def _line(boss: tuple[float, float], report: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = boss, report
    return f'<path d="M {x1} {y1} C {x1} {y2 - 16} {x2} {y1 + 16} {x2} {y2}" fill="none" stroke="#8fa3c2"/>'


def _dot(x: float, y: float, title: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="4.5" fill="{_INK}"><title>{escape(title)}</title></circle>'


# -- shapes -------------------------------------------------------------------------------------------------


def _rect(x: float, y: float, wide: float, high: float, fill: str, stroke: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="3" fill="{fill}" stroke="{stroke}"/>'


def _text(
    x: float, y: float, text: str, *, bold: bool = False, middle: bool = False, ink: str = "#1d2430", title: str = ""
) -> str:
    style = (' font-weight="bold"' if bold else "") + (' text-anchor="middle"' if middle else "")
    about = f"<title>{escape(title)}</title>" if title else ""
    return f'<text x="{x}" y="{y}" fill="{ink}"{style}>{about}{escape(text)}</text>'


def _svg(wide: float, high: float, parts: Sequence[str]) -> str:
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
