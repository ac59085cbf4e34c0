"""The tools of a coding agent over a :class:`~opsgym.sandbox.desk.Desk`: files, and commands in the sandbox.

They belong to no family; source of the set: the coding harness of Anchor / ERP-Bench, appendix F, table 11.
"""

# ruff: noqa: D417  # the docstrings are read by agents, who do not give the first parameter

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.tools import Tool, tool
from opsgym.sandbox.desk import Desk
from opsgym.sandbox.running import check_command

MAX_PAGE = 200
"""Most files or matches that one call lists."""

MAX_TEXT = 12_000
"""Characters of a file, or of each of a command's two outputs, that one result shows."""

MAX_READ = 4 * 2**20
"""Bytes of the largest text file that these tools look into, and that one search looks through; larger ones are for programs."""

MAX_LINE = 2000
"""Characters of one line that a result shows."""

_COMPARED = 100  # characters of a path that is offered in place of one that does not exist

CUT = "\n…[{left_out} characters left out]…\n"
"""Mark in a command's output where its middle was cut."""

Path = Annotated[str, Field(min_length=1, max_length=1000)]
Command = Annotated[
    str,
    Field(
        min_length=1,
        max_length=32_768,
        examples=["ls", "head -20 BRIEF.md", "grep -rl : data", "python --version", "false"],
    ),
]
Lines = Annotated[int, Field(ge=1, le=10_000)]
Count = Annotated[int, Field(ge=1, le=MAX_PAGE)]
Seconds = Annotated[float, Field(gt=0, le=3600, examples=[30, 60.0])]


@tool()
def list_files(desk: Desk, folder: str = "", offset: Annotated[int, Field(ge=0)] = 0, limit: Count = MAX_PAGE) -> dict[str, Any]:
    """List the files of the working folder with their sizes in bytes, those in folders too, sorted by path.

    Args:
        folder: List only what is below this folder.
        offset: Files to skip.
        limit: Most files to list.
    """
    prefix = f"{folder.strip('/')}/" if folder.strip("./") else ""
    found = [path for path in desk.workspace.files if path.startswith(prefix)]
    if prefix and not found:
        raise ToolError("not_found", f"There is no folder {folder!r}.", "Call list_files without a folder to see all files.")
    shown = found[offset : offset + limit]
    items = [{"path": path} if path.endswith("/") else {"path": path, "bytes": len(desk.workspace.files[path])} for path in shown]
    return {"total": len(found), "offset": offset, "more": offset + len(shown) < len(found), "items": items}


@tool()
def read_file(desk: Desk, path: Path, first_line: Lines = 1, lines: Lines = 400) -> dict[str, Any]:
    """Read a text file, or a part of it.

    Args:
        path: Path of the file, relative to the working folder.
        first_line: Number of the first line to show, counted from 1.
        lines: Most lines to show.
    """
    whole = _text(desk, path).splitlines()
    shown: list[str] = []
    room = MAX_TEXT
    for line in whole[first_line - 1 : first_line - 1 + lines]:
        room -= min(len(line), MAX_LINE) + 1
        if room < 0 and shown:
            break
        shown.append(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…[{len(line) - MAX_LINE} characters left out]")
    last = first_line - 1 + len(shown)
    return {"path": path, "lines": len(whole), "first_line": first_line, "more": last < len(whole), "text": "\n".join(shown)}


@tool()
def search_files(desk: Desk, text: Path, folder: str = "", limit: Count = 50) -> dict[str, Any]:
    """Find the lines of all text files that contain a text, upper and lower case alike.

    Args:
        text: What to look for, literally; for patterns use grep with run_command.
        folder: Look only below this folder.
        limit: Most lines to list.
    """
    prefix, wanted = (f"{folder.strip('/')}/" if folder.strip("./") else ""), text.casefold()
    found: list[dict[str, Any]] = []
    skipped: list[str] = []
    total, room = 0, MAX_READ
    for path, content in desk.workspace.files.items():
        if not path.startswith(prefix) or b"\0" in content:
            continue
        if len(content) > room:
            skipped.append(path)
            continue
        room -= len(content)
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
            if wanted in line.casefold():
                total += 1
                if len(found) < limit:
                    found.append({"path": path, "line": number, "text": line[:200]})
    result = {"total": total, "more": total > len(found), "items": found}
    return result | ({"too_large": some(skipped)} if skipped else {})


@tool(mutates=True)
def write_file(desk: Desk, path: Path, content: str) -> dict[str, Any]:
    """Write a file as a whole; a file of that path is replaced, folders are made as needed.

    Args:
        path: Path of the file, relative to the working folder.
        content: Its whole content.
    """
    path, data = _file_path(path), _bytes("content", content)
    desk.write(path, data)
    return {"path": path, "bytes": len(data)}


@tool(mutates=True)
def edit_file(desk: Desk, path: Path, old: Annotated[str, Field(min_length=1)], new: str) -> dict[str, Any]:
    """Replace a passage of a text file by another one.

    Args:
        path: Path of the file, relative to the working folder.
        old: The passage as it stands in the file, with its blanks and line ends; it must occur exactly once.
        new: What to put in its place.
    """
    whole = _text(desk, path)
    count = whole.count(old)
    if count != 1:
        hint = "Read the file and copy the passage." if count == 0 else "Take more of the lines around it into 'old'."
        raise ToolError("invalid_value", f"old: expected a passage that occurs once in {path}, it occurs {count} times.", hint)
    data = whole.replace(old, _bytes("new", new).decode()).encode()
    desk.write(path, data)
    return {"path": path, "bytes": len(data), "line": whole[: whole.index(old)].count("\n") + 1}


@tool(mutates=True)
def delete_file(desk: Desk, path: Path) -> dict[str, Any]:
    """Delete a file, or a folder with all that is in it.

    Args:
        path: Path of the file or folder, relative to the working folder.
    """
    prefix = f"{path.rstrip('/')}/"
    gone = [one for one in desk.workspace.files if one == path or one.startswith(prefix)]
    if not gone:
        raise _missing(desk, path)
    desk.change(dict.fromkeys(gone))
    return {"deleted": len(gone)}


@tool(mutates=True)
def run_python(desk: Desk, path: Path, arguments: list[str] | None = None, seconds: Seconds | None = None) -> dict[str, Any]:
    """Run a Python file in the working folder, isolated and without a network; files that it leaves there are kept.

    Args:
        path: Path of the file, relative to the working folder.
        arguments: Its command-line arguments.
        seconds: Time after which it is ended; at most, and by default, the limit of the task.
    """
    _text(desk, path)
    return _run(desk, ["python", path, *(arguments or ())], seconds)


@tool(mutates=True)
def run_command(desk: Desk, command: Command, seconds: Seconds | None = None) -> dict[str, Any]:
    """Run a shell command in the working folder, isolated and without a network; files that it leaves there are kept.

    Each command starts anew: only files last from one to the next, not processes, variables or the current folder.

    Args:
        command: The command line, for sh; python, grep, sed, awk and the like are there.
        seconds: Time after which it is ended; at most, and by default, the limit of the task.
    """
    return _run(desk, ["sh", "-c", command], seconds)


FILES: tuple[Tool, ...] = (list_files, read_file, search_files, write_file, edit_file, delete_file)
"""The tools over files, in the order in which agents see them."""

COMMANDS: tuple[Tool, ...] = (run_python, run_command)
"""The tools that run something."""


def _run(desk: Desk, command: Sequence[str], seconds: float | None) -> dict[str, Any]:
    try:
        check_command(command)
    except TaskError as error:
        raise ToolError("invalid_value", f"{error}.", "Write a long text to a file first.") from error
    limits = replace(desk.limits, wall=min(seconds or desk.limits.wall, desk.limits.wall))
    done, changed = desk.run(command, limits)
    result: dict[str, Any] = {"exit_code": done.exit_code, "stdout": cut(done.stdout), "stderr": cut(done.stderr)}
    if done.stopped:
        result["stopped"] = f"ended by the limit of {done.stopped}: {_limit(limits, done.stopped)}"
    if changed:
        result["changed"] = some(changed)
    if done.dropped:
        result["not_kept"] = some(done.dropped, 20)
    return result


def some(names: Sequence[str], most: int = MAX_PAGE) -> list[str]:
    """The first of many names, as many as a result can show, and how many there are more.

    Example:
        >>> some(["a", "b", "c"], 2)
        ['a', 'b', 'and 1 more']
    """
    shown: list[str] = []
    room = MAX_TEXT
    for name in names[:most]:
        room -= len(name)
        if room < 0:
            break
        shown.append(name)
    left_out = len(names) - len(shown)
    return shown + ([f"and {left_out} more"] if left_out else [])


def _bytes(field: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        message = f"{field}: expected text, got half a character at {error.start}."
        raise ToolError("invalid_value", message, "Write characters beyond U+FFFF whole.") from error


def _limit(limits: Any, name: str) -> str:
    unit = {"wall": "seconds", "cpu": "seconds of CPU time", "processes": "processes and threads"}.get(name, "bytes")
    files = f" or {limits.files} files" if name == "disk" else ""
    return f"{getattr(limits, name):g} {unit}{files}" if unit != "bytes" else f"{getattr(limits, name)} {unit}{files}"


def cut(text: str, limit: int = MAX_TEXT) -> str:
    r"""A text whose middle is left out, with a mark, where it is too long: the start and the end say most.

    Example:
        >>> cut("a" * 50 + "b" * 50, 20)
        'aaaaaaaaaa\n…[80 characters left out]…\nbbbbbbbbbb'
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + CUT.format(left_out=len(text) - 2 * half) + text[-half:]


def _text(desk: Desk, path: str) -> str:
    """A text file's content."""
    content = desk.workspace.files.get(path)
    if content is None or path.endswith("/"):
        raise _missing(desk, path)
    if b"\0" in content:
        raise ToolError("invalid_value", f"{path} is no text file.", "Look at it with a program of your own.")
    if len(content) > MAX_READ:
        message = f"{path} has {len(content)} bytes; files of up to {MAX_READ} can be read."
        raise ToolError("invalid_value", message, "Look at it with a program of your own.")
    return content.decode("utf-8", "replace")


def _missing(desk: Desk, path: str) -> ToolError:
    import difflib

    # the comparison takes time with the product of the lengths
    names = [one for one in desk.workspace.files if len(one) <= _COMPARED][:MAX_PAGE]
    near = difflib.get_close_matches(path, names, n=1) if len(path) <= _COMPARED else []
    hint = f"Did you mean {near[0]!r}?" if near else "list_files shows what there is; paths are relative to the working folder."
    return ToolError("not_found", f"There is no file {path[:200]!r}.", hint)


def _file_path(path: str) -> str:
    if path.endswith("/"):
        raise ToolError(
            "invalid_value", f"path: expected the path of a file, got {path[:200]!r}.", "Name a file, such as 'solve.py'."
        )
    return path
