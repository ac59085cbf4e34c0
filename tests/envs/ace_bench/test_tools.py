from __future__ import annotations

from collections.abc import Callable

import pytest

from opsgym.core.errors import RegistryError, ToolError
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.spec import Solved
from opsgym.envs.ace_bench.tools import toolbox

Maker = Callable[..., Solved]

PAPER_TOOLS = (
    "set_slot",
    "get_current_grid_state",
    "get_slot_id",
    "get_hidden_slot_query_budget",
    "get_global_check_budget",
    "done",
    "query_{}_candidate_from_attribute",
    "get_{}_item_info",
    "get_{}_item_attributes",
    "check_{}_slot_constraints",
    "check_{}_global_constraints",
)


@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_a_domain_offers_the_eleven_tools_of_the_paper(domain: str) -> None:
    assert tuple(toolbox(domain)) == tuple(name.format(domain) for name in PAPER_TOOLS)
    assert toolbox(domain) is toolbox(domain)


def test_without_a_domain_all_tools_are_there() -> None:
    assert len(toolbox()) == 6 + 5 * 6
    with pytest.raises(RegistryError, match="kitchen"):
        toolbox("kitchen")


def test_schemas_describe_every_argument_and_hold_no_phantoms() -> None:
    for item in toolbox("meal").values():
        assert "kwargs" not in item.parameters["properties"]
        assert all(argument.get("description") for argument in item.parameters["properties"].values()), item.name


def test_what_changes_the_state_is_marked_so() -> None:
    """Also a charge is a change: it must be undone when a call fails later on."""
    changing = {name for name, item in toolbox("meal").items() if item.mutates}
    assert changing == {
        "set_slot",
        "query_meal_candidate_from_attribute",
        "check_meal_slot_constraints",
        "check_meal_global_constraints",
    }
    assert [name for name, item in toolbox("meal").items() if item.terminal] == ["done"]


def test_the_tools_play_an_episode(solved: Maker) -> None:
    made = solved(4, domain="meal", hidden=3, decoys=3)
    world, tools = AceWorld(Board(made.instance)), toolbox("meal")

    def call(name: str, **arguments: object) -> object:
        item = tools.find(name)
        return item.function(world, **item.validate(arguments))

    for slot, item in zip(made.instance.slots, made.truth, strict=True):
        row, col = divmod(slot.cell, made.instance.cols)
        local = slot.rules[0]
        found = call(
            "query_meal_candidate_from_attribute",
            row=row,
            col=col,
            field=local.attribute,
            operator=local.sense,
            value=local.bound,
        )
        assert isinstance(found, dict)
        assert made.instance.ids[item] in found["matches"]
        assert call("set_slot", row=row, col=col, id=made.instance.ids[item]) == {
            "row": row,
            "col": col,
            "id": made.instance.ids[item],
        }
        assert call("get_slot_id", row=row, col=col) == {"row": row, "col": col, "id": made.instance.ids[item]}
    assert call("check_meal_global_constraints") == {"is_valid": True}
    state = call("get_current_grid_state")
    assert isinstance(state, dict)
    assert all(name is not None for row in state["grid"] for name in row)
    assert call("done") == "finished"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("set_slot", {"row": "0", "col": 1, "id": "D1"}, "row: expected an integer"),
        ("set_slot", {"row": True, "col": 1, "id": "D1"}, "row: expected an integer"),
        ("set_slot", {"row": 0, "col": 1, "item": "D1"}, "item: no such argument"),
        ("get_slot_id", {"row": 0}, "col: required argument is missing"),
        ("query_meal_candidate_from_attribute", {"row": 0, "col": 0, "field": "price", "operator": "~", "value": 3}, "operator"),
        ("query_meal_candidate_from_attribute", {"row": 0, "col": 0, "field": "price", "operator": "=", "value": 3.5}, "value"),
        ("get_meal_item_attributes", {"ids": "D1", "field": "price"}, "ids"),
    ],
)
def test_bad_arguments_are_refused_by_name(name: str, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ToolError) as caught:
        toolbox("meal")[name].validate(arguments)
    assert caught.value.code == "invalid_arguments"
    assert said in caught.value.message
