"""Pages about the company of EnterpriseBench, its access rules and its tools, written from their declarations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import enterprise
import tables as tables_of_pages

from opsgym.envs.enterprise_bench.access import OPERATIONS, Operation, Preset, granted, grants
from opsgym.envs.enterprise_bench.company import EMPLOYEES
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.ledger import Row
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS, LEVELS, PRIVATE
from opsgym.envs.enterprise_bench.tables import SOURCES
from opsgym.envs.enterprise_bench.tools import BY_SOURCE
from opsgym.envs.enterprise_bench.world import generate

SEED = 0


def write_pages(folder: Path) -> None:
    """Write the pages and the diagram."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.svg").write_text(enterprise.references_svg(DOMAIN), encoding="utf-8")
    for name, text in (("company", company_page()), ("access", access_page()), ("tools", tools_page())):
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # else Sphinx need not read it again
            path.write_text(text, encoding="utf-8")


ABOUT_COMPANY = """\
The same seed and size give the same company in any process. Everything recorded lies before the first day of episodes, and
nobody acts before joining or after leaving. Texts are made of facts that typed columns hold; columns with a star below are never
shown by tools, so that agents must read the text, while answers are checked against the column.

Deliberate difficulties are labelled: namesakes, several mail threads of one subject between the same two people, products and
repositories of one name."""

ABOUT_LINE = """\
HR in the company of 120, seed {seed}; a star marks who has left. Bosses have a higher level in the same department, and who is
employed reports to somebody who is."""

ABOUT_ACCESS = """\
All decisions are made in one module, `opsgym/envs/enterprise_bench/access.py`, and by default nothing is allowed. A grant names
departments, a least level, an operation, and a condition over the record, such as who owns it. The same grants filter lists,
limit search, refuse writes, and mask columns.

- A record that may not be read is, in every answer and every error, as one that does not exist: the refusal names the grants that
  would have to hold, whatever the key.
- Search ranks by the records that the persona may read, and by nothing else.
- `reveal` is to see the private columns of an employee: {private}.
- Tools act for the employee who is signed in. An id of somebody else where one's own is meant is refused (`IDENTITY`).
- Keys of new records go on from the greatest one, so that they tell how many records there have been; nothing else does.

Presets: `standard` as below; `open` allows everything to everybody; `strict` asks one level more for each grant on a whole table,
other than those of everybody."""

ABOUT_MATRIX = """\
Who may do what in the standard preset: departments by their two letters, or *any*, with the least level; *all* records, or
*some*, on the conditions that the list of grants gives. What is empty is denied to everybody."""

ABOUT_TOOLS = """\
{count} tools, besides those that end an episode. Names and arguments are those of the release where it has them. Lists give a
page of records (`limit`, `offset`) and `total`, the number of those that the persona may read. Tools fill in dates and the acting
employee. A call that fails changes nothing."""


def company_page() -> str:
    """The page about the company."""
    made = {size: generate(SEED, size).rows for size in EMPLOYEES}
    titles = ", ".join(f"{level} {title}" for level, title in LEVELS.items())
    prefixes = ", ".join(f"{prefix} {name}" for name, prefix in DEPARTMENTS.items())
    rules = [(f"`{rule.id}`", f"`{rule.table}`", rule.sentence) for rule in DOMAIN.rules]
    parts = ["# The company", ABOUT_COMPANY, "## Records", _sizes(made)]
    parts += ["## Tables", "![References between the tables](tables.svg)", _columns()]
    parts += ["## Departments and levels", f"Levels: {titles}. Prefixes of level codes: {prefixes}.", _levels(made)]
    parts += ["## Reporting line", ABOUT_LINE.format(seed=SEED)]
    parts += ["```text\n" + "\n".join(_tree(made["S"]["employee"], None, "HR")) + "\n```"]
    parts += ["## Rules of records", tables_of_pages.markdown(("id", "table", "rule"), rules)]
    return "\n\n".join(parts) + "\n"


def access_page() -> str:
    """The page about access."""
    private = ", ".join(f"`{name}`" for name in PRIVATE)
    parts = ["# Access", ABOUT_ACCESS.format(private=private)]
    parts += ["## Matrix", ABOUT_MATRIX, _matrix("standard"), "## Grants of the standard preset", _grants("standard")]
    return "\n\n".join(parts) + "\n"


def tools_page() -> str:
    """The page about the tools."""
    parts = ["# Tools", ABOUT_TOOLS.format(count=sum(map(len, BY_SOURCE.values())))]
    for source, tools in BY_SOURCE.items():
        rows = [(f"`{item.name}`", item.description, f"`{item.usage}`", "yes" if item.mutates else "") for item in tools]
        parts += [f"## {source.capitalize()}", tables_of_pages.markdown(("tool", "what it does", "arguments", "changes"), rows)]
    return "\n\n".join(parts) + "\n"


def _sizes(made: dict[str, dict[str, list[Row]]]) -> str:
    rows = [
        (source, f"`{table.name}`", *(f"{len(made[size][table.name]):,}" for size in made))
        for source, tables in SOURCES.items()
        for table in tables
    ]
    rows.append(("all", "", *(f"{sum(map(len, tables.values())):,}" for tables in made.values())))
    return tables_of_pages.markdown(("source", "table", *(f"{EMPLOYEES[size]:,} employees" for size in made)), rows)


def _columns() -> str:
    rows = [
        (f"`{table.name}`", ", ".join(f"`{column.name}`{'*' if column.secret else ''}" for column in table.columns))
        for table in DOMAIN.tables
        if table.resource
    ]
    return tables_of_pages.markdown(("table", "columns"), rows)


def _levels(made: dict[str, dict[str, list[Row]]]) -> str:
    rows = []
    for name in DEPARTMENTS:
        counts = [Counter(row["level"] for row in tables["employee"] if row["department"] == name) for tables in made.values()]
        rows.append((name, *(count[level] for count in counts for level in LEVELS)))
    heads = [f"{EMPLOYEES[size]:,}: {level}" for size in made for level in LEVELS]
    return tables_of_pages.markdown(("department", *heads), rows)


def _tree(staff: list[Row], boss: str | None, department: str, indent: str = "") -> list[str]:
    lines = []
    for row in staff:
        if row["department"] == department and row["reports_to"] == boss:
            lines.append(f"{indent}{row['emp_id']} {row['level_code']} {row['name']}{'' if row['is_valid'] else ' *'}")
            lines += _tree(staff, row["emp_id"], department, indent + "    ")
    return lines


def _matrix(preset: Preset) -> str:
    rows = []
    for table in DOMAIN.tables:
        if table.resource:
            rows.append((f"`{table.name}`", *(_cell(preset, table.name, operation) for operation in OPERATIONS)))
    return tables_of_pages.markdown(("table", *OPERATIONS), rows)


def _cell(preset: Preset, table: str, operation: Operation) -> str:
    cells = []
    for grant in granted(preset, table, operation):
        who = ", ".join(DEPARTMENTS[name] for name in grant.departments) or "any"
        level = f" {grant.least}+" if grant.least > min(LEVELS) else ""
        cells.append(f"{who}{level}: {'some' if grant.which else 'all'}")
    return "; ".join(dict.fromkeys(cells))


def _grants(preset: Preset) -> str:
    rows = [(f"`{grant.id}`", f"`{grant.table}`", grant.operation, grant.sentence) for grant in grants(preset)]
    return tables_of_pages.markdown(("id", "table", "operation", "sentence"), rows)
