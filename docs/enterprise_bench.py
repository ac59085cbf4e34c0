"""Pages about the company of EnterpriseBench, its access rules, tools, tasks and training data, written from the code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import enterprise_bench_drawings as drawings
import gymnasium as gym
import tables as tables_of_pages

from opsgym.baselines.registry import make_policy
from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.core.tools import Tool
from opsgym.data.plain_chat import plain_preferences, plain_sft
from opsgym.data.splits import split_of
from opsgym.data.trajectories import Trajectory
from opsgym.envs.enterprise_bench.access import OPERATIONS, Operation, Preset, granted, grants, policy
from opsgym.envs.enterprise_bench.company import EMPLOYEES
from opsgym.envs.enterprise_bench.compiler import twin_of
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.endings import ENDINGS
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.ledger import Row
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS, LEVELS, PRIVATE
from opsgym.envs.enterprise_bench.tables import SOURCES
from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import TEMPLATES
from opsgym.envs.enterprise_bench.tools import BY_SOURCE
from opsgym.envs.enterprise_bench.world import generate
from opsgym.evaluate.rollout import run_episode
from opsgym.wrappers import RecordTrajectories
from opsgym.wrappers.plan_hint import hint

FAMILY = EnterpriseBenchFamily()
SEED = 0
SEEDS = [seed for seed in range(1, 60) if split_of(seed) == "train"]
"""Seeds that are tried for an example."""

SHOWN = 220
"""Characters of a long text in an example."""

STAR = r"\*"

PLANNED = "swe_close_issue"
"""The template whose plan and training data are shown."""


def write_pages(folder: Path) -> None:
    """Write the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "company": company_page,
        "access": access_page,
        "tools": tools_page,
        "catalogue": catalogue_page,
        "training": training_page,
    }
    for name, make in pages.items():
        path, text = folder / f"{name}.md", make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # else Sphinx need not read it again
            path.write_text(text, encoding="utf-8")


ABOUT_COMPANY = """\
The same seed and size give the same company in any process. Everything recorded lies before the first day of episodes, and
nobody acts before joining or after leaving. Texts are made of facts that typed columns hold; columns with a star below are
never shown by tools, so that agents must read the text, while answers are checked against the column.

Deliberate difficulties are labelled: namesakes, several mail threads of one subject between the same two people, products
and repositories of one name."""

ABOUT_TABLES = """\
Entities, their keys in bold, and what they refer to, by source. A fork stands at the side of the many, a bar at that of the
one; references to employees are written, not drawn, since nearly everything has some."""

ABOUT_CHART = """\
Everybody who is employed in the company of {count} people, seed {seed}: a dot each, with number and title where the pointer
rests, a row a level, a tree a department. Bosses have a higher level in the same department, and who is employed reports to
somebody who is; heads of departments report to nobody."""

ABOUT_LINE = """\
The same as text for HR; a star marks who has left."""

ABOUT_ACCESS = """\
All decisions are made in one module, `opsgym/envs/enterprise_bench/access.py`, and by default nothing is allowed. A grant
names departments, a least level, an operation, and a condition over the record, such as who owns it. The same grants filter
lists, limit search, refuse writes, and mask columns.

- A record that may not be read is, in every answer and every error, as one that does not exist: the refusal names the grants that
  would have to hold, whatever the key.
- Search ranks by the records that the persona may read, and by nothing else.
- `reveal` is to see the private columns of an employee: {private}.
- Tools act for the employee who is signed in. An id of somebody else where one's own is meant is refused (`IDENTITY`).
- Keys of new records say nothing of how many records there are.

What agents read before the grants:

{heads}

The parameter `access` names the preset of a task: `standard` as below; `open` allows everything to everybody; `strict` asks
one level more for each grant on a whole table, other than those of everybody."""

ABOUT_MATRIX = """\
Who may do what in the standard preset: departments by their two letters, or *any*, with the least level; *all* records, or
*some*, on the conditions that the list of grants gives. What is empty is denied to everybody. Letters: {letters}."""

ABOUT_OPEN = """\
All {cells} cells of the matrix say {cell}, by a grant each, such as `{id}`: {sentence}"""

ABOUT_STRICT = """\
{raised} of {count} grants ask for a higher level; the others are those of the standard preset. The cells of the matrix that
differ:"""

ABOUT_TOOLS = """\
{count} tools, besides those that end an episode and `whoami`. Names and arguments are those of the release where it has
them. Lists give a page of records (`limit`, `offset`) and `total`, the number of those that the persona may read. Tools
fill in dates and the acting employee. A call that fails changes nothing."""

ABOUT_CATALOGUE = """\
{count} templates in {domains} domains: {search} that ask for something, {crud} that ask for a change. `pattern` of the
environment names one. Each has an example of the tier `easy`, compiled for this page (seed {seed}, or the first after it
that gives one), with department and level of who asks in brackets, and the tools of its reference solution in order; in
higher tiers records are named through others, and colleagues are to be told. *Unmet* are the reasons for which a draft of
it can be made so that it cannot be met."""

ABOUT_TWINS = """\
The same seed is compiled twice: so that the request cannot be met, and so that it can, which is the permitted twin. The
first must be refused with its reason; a refusal of the second earns nothing."""

ABOUT_PLANNING = """\
The gold planning of the paper: a task's subtasks, with the source and the tool of each, and the earlier subtasks whose
results it needs. {{py:class}}`~opsgym.wrappers.PlanHint` puts it at the end of the brief, at level `"outline"` without
arguments, at level `"oracle"` with the whole calls; the agent `plan-conditioned` reads the same. It gives the solution
away, the end included: use it to tell planning from execution.

```python
env = PlanHint(gym.make("EnterpriseBench-v0"), level="outline")
```

For the request "{request}" of {who}:"""

ABOUT_TRAINING = """\
{{py:func}}`~opsgym.data.plain_chat.plain_sft` and {{py:func}}`~opsgym.data.plain_chat.plain_preferences` write recorded
episodes in the formats of the paper's listings 1 and 2: the same keys, and roles in the same order. An episode has many
turns where the listings have one: what a tool answers is a message of the user. A pair is cut where the better episode and
the worse one part, so that `chosen` and `rejected` are one message each, as in the listing; nothing that a tool answered is
learnt as if the agent had said it.

```python
from opsgym.data.plain_chat import plain_preferences, plain_sft
from opsgym.data.trajectories import read_trajectories

episodes = list(read_trajectories("episodes.jsonl"))
examples = [plain_sft(each) for each in episodes if each.is_success]
pairs = list(plain_preferences(episodes))
```

Rules and tools are the system message of an example, as listing 1 has one, and the start of the user's message of a pair,
as listing 2 has none; `system=` says otherwise, for who trains on both. {{py:func}}`~opsgym.data.trajectories.sft_example`
and {{py:func}}`~opsgym.data.trajectories.preference_pairs` write the same episodes for trainers with messages of role
`tool`.

Below, the oracle's episode of the request above, and its pair with that of the policy `looking`, which looks up what is
needed and changes nothing. Long texts are shortened here."""


def company_page() -> str:
    """The page about the company."""
    made = {size: generate(SEED, size).rows for size in EMPLOYEES}
    titles = ", ".join(f"{level} {title}" for level, title in LEVELS.items())
    prefixes = ", ".join(f"{prefix} {name}" for name, prefix in DEPARTMENTS.items())
    rules = [(f"`{rule.id}`", f"`{rule.table}`", rule.sentence) for rule in DOMAIN.rules]
    staff = made["S"]["employee"]
    parts = ["# The company", ABOUT_COMPANY, "## Records", _sizes(made)]
    parts += ["## Tables", ABOUT_TABLES, drawings.scrolled(drawings.entities(SOURCES), "Entities and their references")]
    parts += [_columns(), "## Departments and levels"]
    parts += [f"Levels: {titles}. Prefixes of level codes: {prefixes}.", _levels(made)]
    parts += ["## Reporting line", ABOUT_CHART.format(count=EMPLOYEES["S"], seed=SEED)]
    parts += [drawings.scrolled(drawings.organisation(staff), "Organisation chart")]
    parts += [ABOUT_LINE, "```text\n" + "\n".join(_tree(staff, None, "HR")) + "\n```"]
    parts += ["## Rules of records", tables_of_pages.markdown(("id", "table", "rule"), rules)]
    return "\n\n".join(parts) + "\n"


def access_page() -> str:
    """The page about access, in every preset."""
    private = ", ".join(f"`{name}`" for name in PRIVATE)
    spared = policy("open").splitlines()
    lines = policy("standard").split("\n\n")[0].splitlines()
    heads = "\n".join(f"- {line}{'' if line in spared else ' (Not in `open`.)'}" for line in lines)
    letters = ", ".join(f"{prefix} {name}" for name, prefix in DEPARTMENTS.items())
    parts = ["# Access", ABOUT_ACCESS.format(private=private, heads=heads)]
    parts += ["## Matrix", ABOUT_MATRIX.format(letters=letters), _matrix("standard")]
    parts += ["## What the preset open allows", _open()]
    parts += ["## What the preset strict asks for", *_strict()]
    parts += ["## Grants", "The grants of the standard preset, and the least level of `strict` where it is another.", _grants()]
    return "\n\n".join(parts) + "\n"


def tools_page() -> str:
    """The page about the tools."""
    parts = ["# Tools", ABOUT_TOOLS.format(count=sum(map(len, BY_SOURCE.values())))]
    for source, tools in {**BY_SOURCE, "Every task": ENDINGS}.items():
        parts += [f"## {source[0].upper()}{source[1:]}", *map(_tool, tools)]
    return "\n\n".join(parts) + "\n"


def catalogue_page() -> str:
    """The page about the templates, with a request of each."""
    kinds = Counter(item.kind for item in TEMPLATES)
    domains = list(dict.fromkeys(item.domain for item in TEMPLATES))
    numbers = {"count": len(TEMPLATES), "domains": len(domains), "seed": SEEDS[0], **kinds}
    parts = ["# Tasks", ABOUT_CATALOGUE.format(**numbers), _shares()]
    for domain in domains:
        title = domain.upper() if len(domain) < 4 else domain.capitalize()
        parts += [f"## {title}", *(_entry(item) for item in TEMPLATES if item.domain == domain)]
    parts += ["## Requests that cannot be met", ABOUT_TWINS, *_twins()]
    return "\n\n".join(parts) + "\n"


def training_page() -> str:
    """The page about plans and training data."""
    template = next(item for item in TEMPLATES if item.name == PLANNED)
    task = _compiled(template)
    oracle, worse = (_episode(task, name) for name in ("oracle", "looking"))
    (pair,) = plain_preferences([oracle, worse])
    words = FAMILY.outline(task)
    request = {"request": task.instruction, "who": f"{task.world['name']}, {task.world['title']}"}
    parts = ["# Gold planning and training data", "## Gold planning", ABOUT_PLANNING.format(**request)]
    parts += [_block("text", hint(task, "outline", words)), _block("text", hint(task, "oracle", words))]
    parts += ["## Training data", ABOUT_TRAINING.format()]
    parts += ["### Listing 1: fine-tuning", _block("json", _shortened(plain_sft(oracle)))]
    parts += ["### Listing 2: preferences", _block("json", _shortened(pair))]
    return "\n\n".join(parts) + "\n"


def _item(term: str, *lines: str) -> str:
    """An item of a definition list: unlike cells of a table, its lines are as wide as the page."""
    return "\n".join([term, *(f": {line}" for line in lines)])


# -- the company --------------------------------------------------------------------------------------------


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
        (f"`{table.name}`", ", ".join(f"`{column.name}`{STAR if column.secret else ''}" for column in table.columns))
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


# -- access -------------------------------------------------------------------------------------------------


def _shown() -> list[str]:
    return [table.name for table in DOMAIN.tables if table.resource]


def _matrix(preset: Preset) -> str:
    rows = [(f"`{name}`", *(_cell(preset, name, operation) for operation in OPERATIONS)) for name in _shown()]
    return tables_of_pages.markdown(("table", *OPERATIONS), rows)


def _cell(preset: Preset, table: str, operation: Operation) -> str:
    cells = []
    for grant in granted(preset, table, operation):
        who = ", ".join(DEPARTMENTS[name] for name in grant.departments) or "any"
        level = f" {grant.least}+" if grant.least > min(LEVELS) else ""
        cells.append(f"{who}{level}: {'some' if grant.which else 'all'}")
    return "<br>".join(dict.fromkeys(cells))


def _open() -> str:
    cells = [_cell("open", table, operation) for table in _shown() for operation in OPERATIONS]
    (cell,) = set(cells)
    example = grants("open")[0]
    return ABOUT_OPEN.format(cells=len(cells), cell=f"*{cell}*", id=example.id, sentence=example.sentence)


def _strict() -> list[str]:
    raised = [one for one, other in zip(grants("standard"), grants("strict"), strict=True) if one.least != other.least]
    rows = []
    for table in _shown():
        for operation in OPERATIONS:
            before, after = (_cell(preset, table, operation) for preset in ("standard", "strict"))
            if before != after:
                rows.append((f"`{table}`", operation, before, after))
    table = tables_of_pages.markdown(("table", "operation", "standard", "strict"), rows)
    return [ABOUT_STRICT.format(raised=len(raised), count=len(grants("standard"))), table]


def _grants() -> str:
    rows = []
    for grant, other in zip(grants("standard"), grants("strict"), strict=True):
        higher = str(other.least) if other.least != grant.least else ""
        rows.append((f"`{grant.id}`", f"`{grant.table}`", grant.operation, grant.sentence, higher))
    return tables_of_pages.markdown(("id", "table", "operation", "sentence", "strict"), rows)


# -- tools --------------------------------------------------------------------------------------------------


def _tool(item: Tool) -> str:
    arguments = "no arguments" if item.usage == "none" else f"`{item.usage}`"
    effect = " (ends the episode)" if item.terminal else " (changes records)" if item.mutates else ""
    return _item(f"`{item.name}`{effect}", item.description, arguments)


# -- tasks --------------------------------------------------------------------------------------------------


def _compiled(template: Template, seeds: Sequence[int] = SEEDS, **overrides: Any) -> Task:
    """An easy task of a template, of the first seed that gives one."""
    wanted = {"template": template.name, "unanswerable": 0.0, **overrides}
    for seed in seeds:
        try:
            return FAMILY.compile(FAMILY.draw(seed, tier="easy", overrides=wanted), seed)
        except TaskError:
            continue
    raise TaskError(f"{template.name} gives no task for seeds {seeds} with {overrides}", field="template")


def _shares() -> str:
    """How many tasks of each domain and kind the fixed set has."""
    counts = FAMILY.fixed_set.counts
    kinds = {item.name: item for item in TEMPLATES}
    rows = []
    for domain in dict.fromkeys(item.domain for item in TEMPLATES):
        of = [Counter({item.kind: counts.get(name, 0)}) for name, item in kinds.items() if item.domain == domain]
        both = sum(of, Counter())
        rows.append((domain, both["search"], both["crud"]))
    other = sum(count for name, count in counts.items() if name not in kinds)
    total = sum(counts.values())
    table = tables_of_pages.markdown(("domain", "search", "change"), rows)
    return f"The fixed set `{FAMILY.fixed_set.name}` has {total} tasks, {other} of which cannot be met; the others:\n\n{table}"


def _entry(template: Template) -> str:
    """A template with an example, as an item of a definition list."""
    task = _compiled(template)
    kind = "change" if template.kind == "crud" else template.kind
    unmet = f"; unmet: {', '.join(f'`{reason}`' for reason in template.twins)}" if template.twins else ""
    tools = ", ".join(f"`{name}`" for name in _runs([item.call.name for item in plan_of(task).subtasks]))
    return _item(f"`{template.name}` ({kind}{unmet})", _request(task), f"Tools: {tools}")


def _request(task: Task) -> str:
    """What is asked for, and by whom."""
    return f"{_text(task.instruction)} ({task.world['title'].replace(', level', '')})"


def _runs(names: Sequence[str]) -> Iterator[str]:
    """Names without those that follow themselves."""
    return (name for number, name in enumerate(names) if number == 0 or names[number - 1] != name)


def _twins() -> Iterator[str]:
    """A request for each reason for which one cannot be met, and its permitted twin, as items of a definition list."""
    for reason in dict.fromkeys(reason for item in TEMPLATES for reason in item.twins):
        found = _twin(reason)
        if found is not None:
            blocked, met = found
            why = _text(_cut(plan_of(blocked).why))
            lines = f"Cannot be met: {_request(blocked)}", f"Why: {why}", f"Can be met: {_request(met)}"
            yield _item(f"`{reason}` (`{blocked.pattern}`)", *lines)


def _twin(reason: str) -> tuple[Task, Task] | None:
    for template in (item for item in TEMPLATES if reason in item.twins):
        for seed in SEEDS:
            try:
                blocked = _compiled(template, [seed], unanswerable=1.0)
                if plan_of(blocked).reason == reason:
                    return blocked, twin_of(blocked)
            except TaskError:
                continue
    return None


def _text(words: str) -> str:
    """Words as Markdown shows them."""
    return "".join(f"\\{letter}" if letter in "\\*_`[]<>$" else letter for letter in words)


def _cut(words: str) -> str:
    return words if len(words) <= SHOWN else f"{words[:SHOWN].rstrip()} …"


# -- training data ------------------------------------------------------------------------------------------


def _episode(task: Task, policy: str) -> Trajectory:
    env = RecordTrajectories(gym.make("EnterpriseBench-v0", cache=None), path=None)
    run_episode(env, make_policy(policy, FAMILY), task=task)
    assert env.last is not None
    return env.last


def _shortened(value: Any) -> str:
    """JSON with long texts cut, a message a line where it fits."""
    if isinstance(value, dict):
        inner = ",\n".join(f'  "{key}": {_messages(item)}' for key, item in value.items())
        return f"{{\n{inner}\n}}"
    return json.dumps(value)


def _messages(items: Sequence[dict[str, str]]) -> str:
    lines = ",\n".join(f"    {json.dumps({**item, 'content': _cut(item['content'])}, ensure_ascii=False)}" for item in items)
    return f"[\n{lines}\n  ]"


def _block(language: str, text: str) -> str:
    return f"````{language}\n{text}\n````"
