"""Code workspace: repositories, their files and issues."""

from __future__ import annotations

import datetime as dt
import hashlib

from opsgym.core.records.columns import Choice, Day, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, Row

LICENSES = ("MIT", "apache-2.0", "gpl-3.0", "bsd-3-clause")
"""Licences of repositories."""

REPOSITORY = Table(
    "repository",
    (
        Key("repo_id", prefix="repo", digits=4),
        Text("repo_name", required=True, limit=100),
        Ref("emp_id", table="employee", required=True, doc="Employee id of the owner."),
        Choice("license", values=LICENSES, required=True, default="MIT"),
        Choice("language", values=("Python", "Go", "Java", "TypeScript"), required=True, default="Python"),
        Day("creation_date", required=True),
        Text("description", limit=400),
    ),
    resource="repository",
    unique=(("emp_id", "repo_name"),),
    indexes=(("repo_name",),),
)
"""Repositories."""

FILE = Table(
    "repo_file",
    (
        Key("file_id", prefix="file", digits=5),
        Ref("repo_id", table="repository", required=True),
        Text("path", required=True, limit=200),
        Text("code", required=True, limit=4000),
        Whole("size", required=True, least=0, derived=True, doc="Characters of code."),
        Text("hash", required=True, derived=True, doc="First 12 hex digits of the SHA-256 of the code."),
    ),
    resource="repository",
    unique=(("repo_id", "path"),),
)
"""Files of repositories."""

ISSUE = Table(
    "issue",
    (
        Key("id", prefix="issue", digits=5),
        Ref("repo_id", table="repository", required=True),
        Text("title", required=True, limit=200),
        Text("description", limit=2000),
        Choice("status", values=("open", "closed"), required=True, default="open"),
        Day("created_at", required=True),
        Ref("reported_by", table="employee", required=True, by_actor=True),
        Text("path", limit=200, doc="Path of the file that it is about."),
        Text("patch", limit=4000, doc="Diff that settles it."),
    ),
    resource="repository",
    indexes=(("repo_id",), ("reported_by",)),
)
"""Issues of repositories."""

TABLES = (REPOSITORY, FILE, ISSUE)


_PARTS = ("auth", "billing", "cache", "catalog", "export", "gateway", "ingest", "ledger", "mailer", "metrics", "queue", "search")
_KINDS = ("api", "client", "core", "jobs", "service", "tools", "web", "worker")
_FAULTS = {
    "crashes on empty input": "It raises an error where the list is empty; it should give zero.",
    "ignores the time zone": "Times are read as UTC; they should be read in the zone of the customer.",
    "is slow for large files": "Files beyond {number} MB take more than a minute.",
    "loses the last page": "With {number} rows a page the last page is missing.",
    "retries for ever": "It should give up after {number} attempts.",
}
_ENDINGS = {"Python": "py", "Go": "go", "Java": "java", "TypeScript": "ts"}


def digest(code: str) -> str:
    """What stands in ``hash``."""
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def fill(book: Ledger) -> None:
    """Write repositories, their files and issues."""
    draw, engineers = book.draw, book.of("Engineering")
    names: dict[str, list[Row]] = {}
    for _ in range(book.count(200, 24)):
        owner, _, span = book.pair(engineers, engineers)
        name = f"{draw.choice(_PARTS)}-{draw.choice(_KINDS)}"
        if any(row["emp_id"] == owner["emp_id"] for row in names.get(name, ())):
            continue
        language = draw.choice(tuple(_ENDINGS))
        made = book.day(span, margin=60)
        repo = book.add(
            "repository",
            repo_name=name,
            emp_id=owner["emp_id"],
            license=draw.choice(LICENSES),
            language=language,
            creation_date=made.isoformat(),
            description=f"The {name.replace('-', ' ')} in {language}.",
        )
        names.setdefault(name, []).append(repo)
        _files(book, repo, _ENDINGS[language], engineers, made)
    for rows in names.values():
        if len(rows) > 1:
            book.trap("same_repo_name", "repository", *(row["repo_id"] for row in rows))


def _files(book: Ledger, repo: Row, ending: str, engineers: list[Row], made: dt.date) -> None:
    draw = book.draw
    for part in draw.sample(_PARTS, draw.randrange(2, 4)):
        limit = draw.randrange(2, 400)
        code = f"LIMIT = {limit}\n\ndef {part}(rows):\n    return rows[:LIMIT]\n"
        path = f"src/{part}/{draw.choice(_KINDS)}.{ending}"
        book.add("repo_file", repo_id=repo["repo_id"], path=path, code=code, size=len(code), hash=digest(code))
        for fault in draw.sample(tuple(_FAULTS), draw.choice((0, 1, 1, 2))):
            _issue(book, repo, path, f"{part} {fault}", _FAULTS[fault].format(number=limit), engineers, made)


def _issue(book: Ledger, repo: Row, path: str, title: str, text: str, engineers: list[Row], made: dt.date) -> None:
    draw = book.draw
    owner = next(row for row in book.staff if row["emp_id"] == repo["emp_id"])
    reporter = draw.choice(engineers) if draw.random() < 0.4 else owner
    span = book.span(owner, reporter)
    if span is None or span[1] < made or reporter["level"] < 10:
        reporter, span = owner, book.span(owner)
    assert span is not None
    day = book.day((max(made, span[0]), span[1]))
    is_closed = draw.random() < 0.5
    book.add(
        "issue",
        repo_id=repo["repo_id"],
        title=title[0].upper() + title[1:],
        description=text,
        status="closed" if is_closed else "open",
        created_at=day.isoformat(),
        reported_by=reporter["emp_id"],
        path=path,
        patch=f"--- a/{path}\n+++ b/{path}\n" if is_closed else None,
    )
