"""Pages about the domains of EnterpriseOps, a page each, written from their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import tables as tables_of_pages

from opsgym.core.records.domain import Domain
from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.systems import HYBRID, SYSTEMS, system, templates

BOX = 190
HIGH = 26


def write_pages(folder: Path) -> None:
    """Write a page for each domain, and the diagrams on it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SYSTEMS:
        domain = system(name).domain
        for lifecycle in domain.lifecycles:
            (folder / f"{chart_name(name, lifecycle)}.svg").write_text(lifecycle_svg(lifecycle), encoding="utf-8")
        _write(folder / f"{name}.md", page(name, domain))
    _write(folder / "hybrid.md", hybrid_page())


def _write(path: Path, text: str) -> None:
    """Leave a page alone that has not changed, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def chart_name(name: str, lifecycle: Lifecycle) -> str:
    """File name of a lifecycle's chart."""
    return f"{name}_{lifecycle.table}_{lifecycle.column}"


def page(name: str, domain: Domain) -> str:
    """The page of a domain."""
    about = (import_module(f"opsgym.envs.enterprise_ops.{name}").__doc__ or "").strip()
    parts = [f"# {domain.title}", about, f"Written from the declarations in `opsgym/envs/enterprise_ops/{name}`."]
    parts += ["## Templates", template_table(name)]
    parts += ["## Tables", _scrolled(references_svg(domain), "References between the tables"), table_table(domain)]
    if domain.lifecycles:
        parts.append("## Lifecycles")
        for lifecycle in domain.lifecycles:
            parts += [f"### {lifecycle.table}.{lifecycle.column}", f"![States and moves]({chart_name(name, lifecycle)}.svg)"]
    parts += ["## Rights", rights_table(domain), *(f"- `{sight.id}`: {sight.sentence}" for sight in domain.sights)]
    parts += ["## Rules", rule_table(domain)]
    parts += ["## Tools", tool_table(domain)]
    return "\n\n".join(parts) + "\n"


def hybrid_page() -> str:
    """The page of tasks in two systems."""
    return (
        "# Two systems at once\n\nA person has accounts with one e-mail address in all systems. Tools have the system's name in"
        " front, such as `csm.find_user`; the policies of both systems hold.\n\n## Templates\n\n" + template_table(HYBRID) + "\n"
    )


def template_table(name: str) -> str:
    """The templates of a domain."""
    rows = [
        (
            f"`{item.name}`",
            item.summary,
            "; ".join(
                f"{of}: {', '.join(roles)}" if len(item.roles) > 1 else ", ".join(roles) for of, roles in item.roles.items()
            ),
            ", ".join(f"`{rule}`" for rule in item.rules),
            ", ".join(item.traps),
            ", ".join(item.blocked),
        )
        for item in templates(name)
    ]
    return tables_of_pages.markdown(("template", "what is asked for", "roles", "rules left unsaid", "traps", "refused for"), rows)


def table_table(domain: Domain) -> str:
    """The tables of a domain."""
    rows = [
        (
            f"`{table.name}`",
            len(table.columns),
            ", ".join(f"`{ref.name}` to `{ref.table}`" for ref in table.refs),
            table.resource.replace("_", " "),
        )
        for table in domain.tables
    ]
    return tables_of_pages.markdown(("table", "columns", "references", "resource"), rows)


def rights_table(domain: Domain) -> str:
    """What each role may do with each resource."""
    resources = list(dict.fromkeys(table.resource for table in domain.tables if table.resource))
    roles = domain.rights.roles
    words = {"crud": "all", "edit": "read, create, update", "read": "read", None: ""}
    rows = [
        (resource.replace("_", " "), *(words[domain.rights.grant(role, resource)] for role in roles)) for resource in resources
    ]
    return tables_of_pages.markdown(("resource", *roles), rows)


def rule_table(domain: Domain) -> str:
    """The rules of a domain."""
    return tables_of_pages.markdown(
        ("rule", "table", "what it says"), [(f"`{rule.id}`", f"`{rule.table}`", rule.sentence) for rule in domain.rules]
    )


def tool_table(domain: Domain) -> str:
    """The tools of a domain."""
    rows = [(f"`{item.name}`", item.description, f"`{item.usage}`", "yes" if item.mutates else "") for item in domain.tools]
    return tables_of_pages.markdown(("tool", "what it does", "arguments", "changes"), rows)


# -- diagrams ----------------------------------------------------------------------------------------------


def references_svg(domain: Domain) -> str:
    """Tables in layers, a table right of those that it refers to, and a line for each reference."""
    layers = _layers(domain)
    place = {table.name: (column, row) for column, layer in enumerate(layers) for row, table in enumerate(layer)}
    wide, high = len(layers) * (BOX + 60), max(map(len, layers)) * (HIGH + 12) + 20
    lines = []
    for table in domain.tables:
        for target in sorted({ref.table for ref in table.refs} - {table.name}):
            (x1, y1), (x2, y2) = _corner(place[table.name]), _corner(place[target])
            start, end = (x1, x2 + BOX) if x1 > x2 else (x1 + BOX, x2 + BOX)
            bend = (start + end) / 2 if x1 > x2 else start + 40
            lines.append(
                f'<path d="M {start} {y1 + HIGH / 2} C {bend} {y1 + HIGH / 2} {bend} {y2 + HIGH / 2} {end} {y2 + HIGH / 2}"'
                ' fill="none" stroke="#7a8699" stroke-width="1"/>'
            )
    boxes = [_box(table.name, *_corner(place[table.name])) for table in domain.tables]
    return _svg(wide, high, [*lines, *boxes])


def _layers(domain: Domain) -> list[list[Table]]:
    """Tables by the length of the longest chain of references to others; chains that come back end there."""
    depth: dict[str, int] = {}

    def deep(name: str, above: tuple[str, ...]) -> int:
        if name not in depth:
            targets = {ref.table for ref in domain.table(name).refs} - {name, *above}
            depth[name] = 1 + max((deep(target, (*above, name)) for target in sorted(targets)), default=-1)
        return depth[name]

    for table in domain.tables:
        deep(table.name, ())
    found = [[table for table in domain.tables if depth[table.name] == level] for level in range(max(depth.values()) + 1)]
    return [layer for layer in found if layer]


def lifecycle_svg(lifecycle: Lifecycle) -> str:
    """States in a column in the order of their moves, with an arrow for each move."""
    states = list(
        dict.fromkeys([*lifecycle.start, *lifecycle.moves, *(to for after in lifecycle.moves.values() for to in after)])
    )
    place = {state: 16 + number * (HIGH + 18) for number, state in enumerate(states)}
    parts = []
    moves = [(state, to) for state, after in lifecycle.moves.items() for to in after if state != to]
    for state, to in moves:
        y1, y2 = place[state] + HIGH / 2, place[to] + HIGH / 2
        down = y2 > y1
        x = 40 + BOX if down else 40
        reach = (24 + abs(y2 - y1) * 0.35) * (1 if down else -1)
        shift = -5 if down else 5
        parts.append(
            f'<path d="M {x} {y1 - shift} C {x + reach} {y1} {x + reach} {y2} {x} {y2 + shift}" fill="none" stroke="#4a6fa5"'
            ' stroke-width="1.2" marker-end="url(#tip)"/>'
        )
    parts += [_box(state, 40, place[state], bold=state in lifecycle.start) for state in states]
    span = max((abs(place[a] - place[b]) for a, b in moves), default=0) * 0.3 + 40
    parts = [f'<g transform="translate({span:.0f} 0)">{"".join(parts)}</g>']
    return _svg(int(BOX + 80 + 2 * span), 24 + len(states) * (HIGH + 18), parts)


def _scrolled(svg: str, title: str) -> str:
    """A wide drawing as it is, in the page itself: shrunk to the page's width its words could not be read."""
    return f'<div style="overflow-x: auto" role="img" aria-label="{title}" tabindex="0">{svg.strip()}</div>'


def _corner(place: tuple[int, int]) -> tuple[int, int]:
    column, row = place
    return 10 + column * (BOX + 60), 10 + row * (HIGH + 12)


def _box(text: str, x: float, y: float, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HIGH}" rx="5" fill="#eef2f8" stroke="#4a6fa5"/>'
        f'<text x="{x + BOX / 2}" y="{y + HIGH / 2 + 4}" text-anchor="middle"{weight}>{text}</text>'
    )


def _svg(wide: int, high: int, parts: list[str]) -> str:
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M 0 0 L 8 4 L 0 8 z" fill="#4a6fa5"/></marker></defs>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
    return f'{head} font-family="sans-serif" font-size="12">{tip}{"".join(parts)}</svg>\n'


def flagged() -> Iterator[tuple[str, str, str, str]]:
    """Defects of published CSM checks that are at hand."""
    from opsgym.envs.enterprise_ops.csm.official import DEFECTS, FLAGGED

    for item in FLAGGED:
        places = ", ".join(str(place + 1) for place in item.places) or "all"
        yield f"`{item.task}`", places, f"{item.defect}: {DEFECTS[item.defect]}", item.reason
