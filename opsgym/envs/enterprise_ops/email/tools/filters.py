"""Tools for filters."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import EMAIL
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.query import compiled
from opsgym.envs.enterprise_ops.email.tables.routing import FILTERS
from opsgym.envs.enterprise_ops.email.tools.shared import USER, Given, mail_tool
from opsgym.envs.enterprise_ops.email.words import FIXED_LABELS

# "from" is a word of Python, hence the form of a call
Criteria = TypedDict(  # see above
    "Criteria",
    {
        "from": str,
        "to": str,
        "subject": str,
        "query": str,
        "negatedQuery": str,
        "hasAttachment": bool,
        "excludeChats": bool,
        "size": int,
        "sizeComparison": Literal["unspecified", "smaller", "larger"],
    },
    total=False,
)
"""What a message must be like."""


class Action(TypedDict, total=False):
    """What is done with it."""

    addLabelIds: list[str]
    removeLabelIds: list[str]
    forward: str


def _told(row: Given) -> Given:
    return {"id": row["id"], "criteria": row["criteria_json"], "action": row["action_json"]}


def _list(box: Records, given: Given) -> Given:
    return {"filter": [_told(row) for row in box.find(FILTERS, {})]}


def _get(box: Records, given: Given) -> Given:
    return _told(box.get(FILTERS, {"id": given["id"]}))


def _filled(values: Given) -> Given:
    return {name: value for name, value in values.items() if value not in ("", [], False) and value is not None}


def _create(box: Records, given: Given) -> Given:
    criteria, action = _filled(given["criteria"]), _filled(given["action"])
    _check_criteria(box, criteria)
    _check_action(box, action)
    if any(row["criteria_json"] == criteria and row["action_json"] == action for row in box.find(FILTERS, {})):
        raise ToolError("bad_state", "there is a filter with the same criteria and action already")
    return _told(box.create(FILTERS, {"criteria_json": criteria, "action_json": action}))


def _check_criteria(box: Records, criteria: Given) -> None:
    if not {*criteria} - {"sizeComparison", "excludeChats"}:
        raise ToolError(
            "missing_field", "criteria: expected at least one of from, to, subject, query, negatedQuery, hasAttachment, size"
        )
    if ("size" in criteria) != (criteria.get("sizeComparison") in ("smaller", "larger")):
        raise ToolError("invalid_value", "criteria: size and sizeComparison (smaller or larger) go together")
    for name in ("query", "negatedQuery"):
        compiled(criteria.get(name, ""), box.world.now)


def _check_action(box: Records, action: Given) -> None:
    if not action:
        raise ToolError("missing_field", "action: expected at least one of addLabelIds, removeLabelIds, forward")
    for key in (*action.get("addLabelIds", ()), *action.get("removeLabelIds", ())):
        post.label_of(box, key)
        if key in FIXED_LABELS:
            raise ToolError("invalid_value", f"action: label {key} cannot be put on or taken off")
    if sum(not key.isupper() for key in action.get("addLabelIds", ())) > 1:
        raise ToolError("invalid_value", "action.addLabelIds: expected at most one label of the user")
    if "forward" in action and not EMAIL.fullmatch(action["forward"]):
        raise ToolError("invalid_value", f"action.forward: expected an e-mail address, got {action['forward'][:60]!r}")


def _delete(box: Records, given: Given) -> Given:
    return {"deleted": [_told(row) for row in box.delete(FILTERS, {"id": given["id"]})]}


_ID = Argument("id", str, "Key of the filter.")

TOOLS = (
    mail_tool("list_filters", "List the filters of the mailbox", (USER,), _list),
    mail_tool("get_filter", "Read a filter", (USER, _ID), _get),
    mail_tool(
        "create_filter",
        "Create a filter",
        (
            USER,
            Argument("criteria", Criteria, "What messages must be like; all that is given must match."),
            Argument("action", Action, "What is done with them; forward is an address."),
        ),
        _create,
        mutates=True,
    ),
    mail_tool("delete_filter", "Delete a filter", (USER, _ID), _delete, mutates=True),
)
