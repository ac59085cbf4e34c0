"""Tools of the code workspace."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Row
from opsgym.core.records.signature import Argument, Fields, fields
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.code import FILE, ISSUE, REPOSITORY
from opsgym.envs.enterprise_bench.tools.makers import (
    PAGES,
    Given,
    creating,
    getting,
    listing,
    made,
    removing,
    search,
    some,
    today,
    updating,
)

_WHERE = "repo_name repo_id"
_REPO = fields(REPOSITORY, _WHERE, required=False, searching=True)


def _repo(desk: Desk, given: Given) -> Row:
    """The repository of a name or id; one name may be used by several owners."""
    return desk.fetch(REPOSITORY, some(_REPO, given))


def _issues(desk: Desk, given: Given) -> Any:
    equal = {"repo_id": _repo(desk, given)["repo_id"]}
    if given.get("status") is not None:
        equal["status"] = given["status"]
    rows, total = desk.page(ISSUE, equal, limit=given["limit"], offset=given["offset"])
    return {"issues": rows, "total": total}


def _contents(desk: Desk, given: Given) -> Any:
    repo = _repo(desk, given)
    equal = {"repo_id": repo["repo_id"]} | ({"path": given["path"]} if given.get("path") is not None else {})
    files = desk.find(FILE, equal)
    if not files and "path" in equal:
        raise ToolError("not_found", f"path: {repo['repo_name']} has no file {given['path'][:60]!r}")
    return desk.shown(REPOSITORY, repo) | {"files": files}


def _new_issue(desk: Desk, given: Given) -> Any:
    values = _ISSUE.values(given) | {"repo_id": _repo(desk, given)["repo_id"], "created_at": today(desk)}
    return desk.create(ISSUE, values)


def _new_file(desk: Desk, given: Given) -> Any:
    return desk.create(FILE, {"repo_id": _repo(desk, given)["repo_id"], "path": given["path"], "code": given["code"]})


def _file(desk: Desk, given: Given) -> Row:
    return {"repo_id": _repo(desk, given)["repo_id"], "path": given["path"]}


_NEEDED = fields(ISSUE, "title", required=True, searching=False)
_OTHER = fields(ISSUE, "description status path patch", required=False, searching=False)
_ISSUE = Fields((*_NEEDED.arguments, *_OTHER.arguments), {**_NEEDED.columns, **_OTHER.columns})
_PATH = Argument("path", str, "Path of the file.")
_CODE = Argument("code", str, "The file's text.")

TOOLS = (
    listing(
        "github_list_my_repositories",
        "List the repositories that you own",
        REPOSITORY,
        "repositories",
        "license language",
        mine="emp_id",
    ),
    listing(
        "github_list_repositories",
        "List the repositories that you may read",
        REPOSITORY,
        "repositories",
        "emp_id repo_name license language",
        day="creation_date",
    ),
    made(
        "github_list_issues_of_repository",
        "List the issues of a repository, told by name or id",
        (*_REPO.arguments, *search(ISSUE, "", "status").arguments, *PAGES),
        _issues,
    ),
    creating(
        "github_create_repository",
        "Create a repository of your own",
        REPOSITORY,
        "repo_name",
        "license language description",
        own="emp_id",
        fill=lambda desk, _: {"creation_date": today(desk)},
    ),
    made(
        "github_create_issue",
        "Report an issue of a repository, told by name or id",
        (*_REPO.arguments, *_ISSUE.arguments),
        _new_issue,
        mutates=True,
    ),
    getting("github_get_issue", "Read an issue", ISSUE, "id"),
    updating(
        "github_update_repository",
        "Change the metadata of a repository, told by id",
        REPOSITORY,
        "repo_id",
        "repo_name license language description",
    ),
    removing(
        "github_delete_repository",
        "Delete a repository with its files and issues, told by name or id",
        REPOSITORY,
        _WHERE,
        either=True,
        parts=((ISSUE, "repo_id"), (FILE, "repo_id")),
    ),
    updating("github_update_issue", "Change an issue", ISSUE, "id", "title description status path patch"),
    removing("github_delete_issue", "Delete an issue", ISSUE, "id"),
    made(
        "github_get_repository_contents",
        "Read a repository, told by name or id, with its files",
        (*_REPO.arguments, Argument("path", str, "Only the file of this path.", False)),
        _contents,
    ),
    made("github_create_file", "Add a file to a repository", (*_REPO.arguments, _PATH, _CODE), _new_file, mutates=True),
    made(
        "github_update_file",
        "Change the text of a file",
        (*_REPO.arguments, _PATH, _CODE),
        lambda desk, given: desk.update(FILE, _file(desk, given), {"code": given["code"]}),
        mutates=True,
    ),
    made(
        "github_delete_file",
        "Delete a file",
        (*_REPO.arguments, _PATH),
        lambda desk, given: {"deleted": desk.delete(FILE, _file(desk, given))[0]},
        mutates=True,
    ),
)
"""The tools."""
