"""Terms give tools their arguments; pages are cut with a token for the next one."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.core.errors import RegistryError, ToolError
from opsgym.envs.enterprise_ops.paging import page
from opsgym.envs.enterprise_ops.terms import Terms

TERMS = Terms({"id": (str, "Its id."), "size": (int, "Rows on a page."), "open": (bool, "Whether it is open.")})


def run(records: Any, given: dict[str, Any]) -> Any:
    return given


def test_arguments_come_with_type_default_and_sentence() -> None:
    made = TERMS.tool("look", "Look", "id", "size=10 open=false")(run)
    assert made.usage == "id: string, size?: integer, open?: boolean"
    assert made.parameters["required"] == ["id"]
    assert made.parameters["properties"]["size"] == {"type": "integer", "default": 10, "description": "Rows on a page."}
    assert made.function(None, id="x") == {"id": "x", "size": 10, "open": False}


def test_a_tool_may_have_a_type_of_its_own_and_a_needed_argument_a_default() -> None:
    made = TERMS.tool("look", "Look", "id=main", "", id=int)(run)
    assert made.parameters["properties"]["id"]["type"] == "integer"
    assert (made.parameters["properties"]["id"]["default"], made.parameters["required"]) == ("main", ["id"])


def test_an_unknown_term_is_refused() -> None:
    with pytest.raises(RegistryError, match="unknown term 'colour'"):
        TERMS.tool("look", "Look", "colour")


def test_pages_follow_each_other_to_the_end() -> None:
    rows, token, found = list(range(23)), None, []
    while True:
        part = page("rows", rows, token, 10)
        found += part["rows"]
        token = part.get("nextPageToken")
        if token is None:
            break
    assert found == rows


@pytest.mark.parametrize(("token", "size"), [("x", 10), ("-1", 10), ("24", 10), (None, 0)])
def test_wrong_pages_are_refused(token: str | None, size: int) -> None:
    with pytest.raises(ToolError):
        page("rows", list(range(23)), token, size)
