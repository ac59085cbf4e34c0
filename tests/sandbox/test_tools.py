"""The tools of a coding agent: each whole or not at all, confined, typed errors, long results cut with a mark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import ToolError
from opsgym.core.tools import Toolbox
from opsgym.sandbox import Completed, Guarantees, Limits, Sandbox, Workspace
from opsgym.sandbox.desk import Desk
from opsgym.sandbox.limits import DEFAULT_LIMITS
from opsgym.sandbox.sandbox import Files
from opsgym.sandbox.tools import COMMANDS, FILES, MAX_READ, MAX_TEXT

TOOLS = Toolbox([*FILES, *COMMANDS])
DATA = {"data/orders.csv": b"id,units\n1,20\n2,30\n", "plan.py": b"print('a')\nprint('b')\n", "blob": b"\0\1"}


class Canned:
    """A sandbox that gives a prepared answer, and keeps what it was asked."""

    name = "canned"
    guarantees = Guarantees((), ())

    def __init__(self, **answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[list[str], Limits]] = []

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        self.asked.append((list(command), limits))
        given: dict[str, Any] = {"exit_code": 0, "stdout": "", "stderr": "", "files": files} | self.answer
        return Completed(**given)


def desk_with(files: Files = DATA, **fields: Any) -> Desk:
    return Desk(Workspace(files), **fields)


def call(desk: Desk, name: str, **arguments: Any) -> Any:
    tool = TOOLS.find(name)
    return tool.function(desk, **tool.validate(arguments))


def refused(desk: Desk, name: str, **arguments: Any) -> tuple[str, str]:
    before = desk.workspace.digest()
    with pytest.raises(ToolError) as caught:
        call(desk, name, **arguments)
    assert desk.workspace.digest() == before
    return caught.value.code, caught.value.message


def test_every_argument_is_described() -> None:
    for schema in TOOLS.schemas():
        function = schema["function"]
        assert function["description"]
        assert all(one.get("description") for one in function["parameters"]["properties"].values()), function["name"]


def test_listing_is_sorted_and_comes_in_pages() -> None:
    desk = desk_with({**DATA, "out/": b""})
    listed = call(desk, "list_files")
    assert [item["path"] for item in listed["items"]] == ["blob", "data/orders.csv", "out/", "plan.py"]
    assert listed["items"][1]["bytes"] == 19
    page = call(desk, "list_files", offset=1, limit=2)
    assert (page["total"], page["more"], len(page["items"])) == (4, True, 2)
    assert [item["path"] for item in call(desk, "list_files", folder="data")["items"]] == ["data/orders.csv"]
    assert call(desk, "list_files", folder=".")["total"] == 4
    assert refused(desk, "list_files", folder="none")[0] == "not_found"


def test_reading_a_part_says_whether_more_follows() -> None:
    desk = desk_with()
    assert call(desk, "read_file", path="plan.py") == {
        "path": "plan.py",
        "lines": 2,
        "first_line": 1,
        "more": False,
        "text": "print('a')\nprint('b')",
    }
    part = call(desk, "read_file", path="data/orders.csv", first_line=2, lines=1)
    assert (part["text"], part["more"]) == ("1,20", True)


def test_long_files_are_read_in_parts_and_long_lines_cut() -> None:
    desk = desk_with({"long": b"x" * 50 * 1000, "many": b"y" * 99 + b"\n" + (b"z" * 99 + b"\n") * 999})
    assert "48000 characters left out" in call(desk, "read_file", path="long")["text"]
    lines: list[str] = []
    while len(lines) < 1000:
        part = call(desk, "read_file", path="many", first_line=len(lines) + 1, lines=1000)
        assert len(part["text"]) <= MAX_TEXT
        lines += part["text"].split("\n")
    assert not part["more"] and "\n".join(lines) + "\n" == ("y" * 99 + "\n") + ("z" * 99 + "\n") * 999


def test_reading_what_is_not_there_names_what_is_near() -> None:
    desk = desk_with()
    with pytest.raises(ToolError) as caught:
        call(desk, "read_file", path="plan.pi")
    assert caught.value.code == "not_found" and "plan.py" in caught.value.hint
    assert refused(desk, "read_file", path="blob")[0] == "invalid_value"
    assert refused(desk, "read_file", path="/etc/passwd")[0] == "not_found"
    assert refused(desk, "read_file", path="../x")[0] == "not_found"


def test_searching_finds_lines_whatever_their_case() -> None:
    found = call(desk_with(), "search_files", text="PRINT")
    assert found["total"] == 2
    assert found["items"][0] == {"path": "plan.py", "line": 1, "text": "print('a')"}
    assert call(desk_with(), "search_files", text="(.*", folder="data")["total"] == 0
    assert call(desk_with(), "search_files", text="print", limit=1)["more"]


def test_writing_and_editing_change_one_file() -> None:
    desk = desk_with()
    assert call(desk, "write_file", path="new/a.txt", content="ä\n") == {"path": "new/a.txt", "bytes": 3}
    assert call(desk, "edit_file", path="plan.py", old="print('b')", new="print('c')")["line"] == 2
    assert dict(desk.workspace.files) == {**DATA, "new/a.txt": "ä\n".encode(), "plan.py": b"print('a')\nprint('c')\n"}


@pytest.mark.parametrize("path", ["../a", "/a", "a/../b", "a\nb", "d/" * 40 + "a", "a" * 300, "folder/", "plan.py/below", "data"])
def test_paths_are_confined(path: str) -> None:
    assert refused(desk_with(), "write_file", path=path, content="x")[0] == "invalid_value"


def test_an_edit_needs_a_passage_that_occurs_once() -> None:
    assert "0 times" in refused(desk_with(), "edit_file", path="plan.py", old="nothing", new="")[1]
    assert "2 times" in refused(desk_with(), "edit_file", path="plan.py", old="print", new="")[1]


def test_text_that_no_file_can_hold_is_refused() -> None:
    assert refused(desk_with(), "write_file", path="a", content="\ud800")[0] == "invalid_arguments"


def test_deleting_a_folder_deletes_what_is_in_it() -> None:
    desk = desk_with({**DATA, "data/more/x": b""})
    assert call(desk, "delete_file", path="data/") == {"deleted": 2}
    assert list(desk.workspace.files) == ["blob", "plan.py"]
    assert refused(desk, "delete_file", path="data")[0] == "not_found"


def test_a_full_workspace_refuses_more() -> None:
    limits = Limits(disk=100, files=5)  # the fifth: three files are there, and a folder
    assert refused(desk_with(limits=limits), "write_file", path="a", content="x" * 100)[0] == "bad_state"
    desk = desk_with(limits=limits)
    call(desk, "write_file", path="a", content="")
    assert refused(desk, "write_file", path="b", content="")[0] == "bad_state"


def test_read_only_files_are_refused_and_a_commands_changes_of_them_undone() -> None:
    changed = {"data": b"a file where a folder was", "data/orders.csv": b"fake", "plan.py/x": b"", "blob": b"new"}
    for left in ({"data/orders.csv": b"fake", "blob": b"new"}, {"blob": b"new"}, {"data": changed["data"], "blob": b"new"}):
        desk = desk_with(read_only=("data/", "plan.py"), sandbox=Canned(files=left))
        assert refused(desk, "write_file", path="data/orders.csv", content="")[0] == "not_allowed"
        assert refused(desk, "edit_file", path="plan.py", old="print('a')", new="")[0] == "not_allowed"
        assert refused(desk, "delete_file", path="data")[0] == "not_allowed"
        assert call(desk, "run_command", command="anything")["changed"] == ["blob"]
        assert dict(desk.workspace.files) == {**DATA, "blob": b"new"}


def test_a_run_tells_what_it_changed_and_why_it_was_stopped() -> None:
    canned = Canned(files={"plan.py": DATA["plan.py"], "out": b"1"}, stopped="memory", exit_code=137, dropped=("l (link)",))
    result = call(desk_with(sandbox=canned), "run_python", path="plan.py", arguments=["-v"], seconds=5)
    assert result["changed"] == ["blob", "data/orders.csv", "out"]
    assert result["stopped"] == f"ended by the limit of memory: {2 * 2**30} bytes"
    assert result["not_kept"] == ["l (link)"]
    assert canned.asked == [(["python", "plan.py", "-v"], Limits(wall=5))]


def test_more_seconds_than_the_limit_are_not_given() -> None:
    canned = Canned()
    desk = desk_with(sandbox=canned, limits=Limits(wall=3))
    call(desk, "run_command", command="true", seconds=100)
    call(desk, "run_command", command="true")
    assert [limits.wall for _, limits in canned.asked] == [3, 3]


def test_long_output_keeps_its_start_and_end() -> None:
    desk = desk_with(sandbox=Canned(stdout="a" * MAX_TEXT + "b" * MAX_TEXT))
    shown = call(desk, "run_command", command="x")["stdout"]
    assert shown.startswith("a" * 100) and shown.endswith("b" * 100) and f"{MAX_TEXT} characters left out" in shown


def test_a_program_that_is_not_there_is_not_run() -> None:
    canned = Canned()
    assert refused(desk_with(sandbox=canned), "run_python", path="none.py")[0] == "not_found"
    assert refused(desk_with(sandbox=canned), "run_command", command="a\0b")[0] == "invalid_value"
    assert "60000 bytes" in refused(desk_with(sandbox=canned), "run_command", command="ä" * 32_000)[1]
    assert canned.asked == []


def test_files_last_from_one_command_to_the_next(sandbox: Sandbox) -> None:
    desk = desk_with(sandbox=sandbox)
    call(
        desk,
        "write_file",
        path="sum.py",
        content="import csv\nprint(sum(int(r['units']) for r in csv.DictReader(open('data/orders.csv'))))",
    )
    assert call(desk, "run_python", path="sum.py")["stdout"] == "50\n"
    assert call(desk, "run_command", command="mkdir out && python sum.py > out/total && cd out")["changed"] == ["out/total"]
    assert call(desk, "run_command", command="cat out/total; exit 3") == {"exit_code": 3, "stdout": "50\n", "stderr": ""}


def test_read_only_files_that_a_command_removed_need_their_room_again() -> None:
    room = sum(map(len, DATA.values()))
    sandbox = Canned(files={"big": b"x" * room})
    desk = desk_with(limits=Limits(disk=room), read_only=("data/",), sandbox=sandbox)
    before = dict(desk.workspace.files)
    result = call(desk, "run_command", command="fill")
    assert "limit of disk" in result["stopped"]
    assert dict(desk.workspace.files) == before


def test_large_files_are_left_to_programs() -> None:
    desk = desk_with()
    desk.workspace.replace({"large": b"a\n" * (MAX_READ // 2 + 1), "small": b"a\n" * 100})
    assert refused(desk, "read_file", path="large")[0] == "invalid_value"
    found = call(desk, "search_files", text="a", limit=3)
    assert (found["total"], found["more"], len(found["items"]), found["too_large"]) == (100, True, 3, ["large"])


def test_long_names_do_not_fill_a_result() -> None:
    left = {f"{number:03}/{'d' * 200}/{'d' * 200}": b"" for number in range(150)}
    shown = call(desk_with(sandbox=Canned(files=left)), "run_command", command="fill")["changed"]
    assert sum(map(len, shown)) < 2 * MAX_TEXT
    assert shown[-1].endswith("more")


def test_halves_of_characters_are_refused() -> None:
    desk, half = desk_with(), "\ud800"
    for name, arguments in (
        ("write_file", {"path": "a", "content": half}),
        ("edit_file", {"path": "plan.py", "old": "print('a')", "new": half}),
        ("run_command", {"command": half}),
        ("run_python", {"path": "plan.py", "arguments": [half]}),
    ):
        tool = TOOLS.find(name)
        with pytest.raises(ToolError):
            tool.validate(arguments)  # the first to see them
        with pytest.raises(ToolError):
            tool.function(desk, **arguments)
