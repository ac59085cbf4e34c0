"""Tools: schema, validation and lookup are derived from typed functions, and refusals teach."""

from __future__ import annotations

import datetime as dt
import enum
import json
from typing import Annotated, Any, Literal, NotRequired

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from opsgym.core.errors import RegistryError, ToolError
from opsgym.core.tools import Tool, Toolbox, ToolResult, tool


class Line(TypedDict):
    """A line of an order."""

    product: Annotated[str, Field(description="Product code.")]
    quantity: NotRequired[float]


class Address(BaseModel):
    """Where to deliver."""

    title: str
    floor: int = 0
    labels: dict[str, str] = {"title": "none"}


class Carrier(enum.Enum):
    """Who delivers."""

    ROAD = "road"
    RAIL = "rail"


@tool(mutates=True)
def order(
    session: list[Any],
    vendor: str,
    quantity: int,
    price: float = 1.5,
    *,
    lines: Annotated[list[Line], Field(max_length=3)] | None = None,
    to: Address | None = None,
    day: dt.date | None = None,
    carrier: Carrier = Carrier.ROAD,
    kind: Literal["buy", "make"] = "buy",
    urgent: bool = False,
    span: tuple[int, int] = (0, 9),
    extra: Any = None,
    tags: Annotated[list[str], Field(min_length=1)] | None = None,
    json: Annotated[int, Field(ge=1, le=9)] = 1,
) -> int:
    """Order from a vendor
    in one step.

    More words that agents do not need.

    Args:
        vendor: Who delivers:
            ref or name.
        quantity: Units.

    Returns:
        A number.
    """
    session.append((vendor, quantity, price))
    return quantity


@tool(terminal=True, name="submit")
def _submit(session: object) -> str:
    """End."""
    return "done"


BOX = Toolbox([order, _submit])
VALID = {"vendor": "V1", "quantity": 3}


def refused(arguments: Any, item: Tool = order) -> str:
    """The message of a refusal."""
    with pytest.raises(ToolError) as caught:
        item.validate(arguments)
    assert caught.value.code == "invalid_arguments"
    assert item.usage in caught.value.hint
    return caught.value.message


def test_description_and_arguments_come_from_the_docstring() -> None:
    assert order.name == "order"
    assert order.description == "Order from a vendor in one step."
    properties = order.parameters["properties"]
    assert properties["vendor"] == {"type": "string", "description": "Who delivers: ref or name."}
    assert properties["quantity"] == {"type": "integer", "description": "Units."}
    assert order.parameters["$defs"]["Line"]["properties"]["product"]["description"] == "Product code."
    assert (_submit.name, _submit.description, _submit.terminal, _submit.mutates) == ("submit", "End.", True, False)


def test_schema_states_types_defaults_and_what_is_required() -> None:
    schema = order.parameters
    assert schema["required"] == ["vendor", "quantity"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert properties["price"] == {"type": "number", "default": 1.5}
    assert properties["kind"] == {"enum": ["buy", "make"], "type": "string", "default": "buy"}
    assert properties["span"]["default"] == [0, 9]
    assert properties["carrier"]["default"] == "road"
    assert properties["json"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    assert properties["day"] == {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}
    assert _submit.parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_schemas_are_valid_json_schema_in_openai_form() -> None:
    for item in BOX.values():
        outer = item.schema()
        assert set(outer) == {"type", "function"}
        assert outer["type"] == "function"
        assert set(outer["function"]) == {"name", "description", "parameters"}
        jsonschema.Draft202012Validator.check_schema(outer["function"]["parameters"])
    assert "title" not in order.parameters["properties"]["vendor"]
    address = order.parameters["$defs"]["Address"]["properties"]
    assert "title" in address, "a property of that name stays"
    assert address["labels"]["default"] == {"title": "none"}


def test_schemas_are_fresh_each_time() -> None:
    first = BOX.schemas()
    first[0]["function"]["parameters"]["properties"].clear()
    order.schema()["function"]["parameters"].clear()
    assert BOX.schemas() == [order.schema(), _submit.schema()] == json.loads(BOX.schemas_json)
    assert order.schema()["function"]["parameters"]["properties"]


def test_arguments_get_their_python_types() -> None:
    given_arguments = {
        **VALID,
        "price": 2,
        "lines": [{"product": "P1"}, {"product": "P2", "quantity": 1.5}],
        "to": {"title": "Dock 3"},
        "day": "2026-02-03",
        "carrier": "rail",
        "span": [1, 2],
        "extra": {"free": [1]},
    }
    checked = order.validate(given_arguments)
    assert checked == {
        "vendor": "V1",
        "quantity": 3,
        "price": 2.0,
        "lines": [{"product": "P1"}, {"product": "P2", "quantity": 1.5}],
        "to": Address(title="Dock 3"),
        "day": dt.date(2026, 2, 3),
        "carrier": Carrier.RAIL,
        "span": (1, 2),
        "extra": {"free": [1]},
    }
    assert type(checked["price"]) is float
    assert list(checked) == ["vendor", "quantity", "price", "lines", "to", "day", "carrier", "span", "extra"]


def test_only_given_arguments_come_back() -> None:
    assert order.validate(VALID) == VALID
    assert _submit.validate({}) == {}


def test_validated_arguments_share_nothing_with_the_call() -> None:
    given_arguments: dict[str, Any] = {**VALID, "tags": ["a"], "extra": [1]}
    checked = order.validate(given_arguments)
    checked["tags"].append("b")
    checked["extra"].append(2)
    assert given_arguments["tags"] == ["a"]
    assert given_arguments["extra"] == [1]


def test_whole_numbers_stand_for_integers_at_any_depth() -> None:
    checked = order.validate({"vendor": "V1", "quantity": 3.0, "span": [0.0, 2], "price": 2.0})
    assert (checked["quantity"], checked["span"], checked["price"]) == (3, (0, 2), 2.0)
    assert type(checked["quantity"]) is int
    assert refused({**VALID, "quantity": 3.5}) == "quantity: expected an integer, got 3.5"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quantity": "3"}, 'quantity: expected an integer, got "3" (text: leave out the quotes)'),
        ({"quantity": "three"}, 'quantity: expected an integer, got "three"'),
        ({"quantity": True}, "quantity: expected an integer, got true"),
        ({"quantity": None}, "quantity: expected an integer, got null"),
        ({"price": "1.5"}, 'price: expected a number, got "1.5" (text: leave out the quotes)'),
        ({"price": float("nan")}, "price: expected a finite number, got NaN"),
        ({"vendor": 3}, "vendor: expected a string, got 3"),
        ({"urgent": 1}, "urgent: expected true or false, got 1"),
        ({"urgent": "true"}, 'urgent: expected true or false, got "true" (text: leave out the quotes)'),
        ({"kind": "rent"}, "kind: expected one of 'buy' or 'make', got \"rent\""),
        ({"carrier": "air"}, "carrier: expected one of 'road' or 'rail', got \"air\""),
        ({"day": "3 March"}, 'day: expected a date as YYYY-MM-DD, got "3 March"'),
        ({"day": 20260303}, "day: expected a date as YYYY-MM-DD, got 20260303"),
        ({"json": 10}, "json: expected at most 9, got 10"),
        ({"json": 0}, "json: expected at least 1, got 0"),
        ({"tags": []}, "tags: expected at least 1 item(s), got []"),
        ({"lines": "[1]"}, 'lines: expected a list, got "[1]" (text: leave out the quotes)'),
        (
            {"lines": [{"quantity": True}]},
            "lines.0.product: required argument is missing; lines.0.quantity: expected a number, got true",
        ),
        ({"lines": [{"product": "P1", "price": 1}]}, "lines.0.price: no such argument"),
        ({"to": {"title": 3}}, "to.title: expected a string, got 3"),
        ({"to": {"title": "x", "floor": "1"}}, 'to.floor: expected an integer, got "1" (text: leave out the quotes)'),
        ({"span": [1]}, "span.1: required argument is missing"),
        ({"quantty": 3}, "quantty: no such argument, did you mean 'quantity'?"),
        ({"zzz": 3}, "zzz: no such argument"),
        ({"z" * 100: 3}, "z" * 60 + "...: no such argument"),
        ({"vendor": "x" * 100 + "\n", "quantity": "x" * 100}, 'quantity: expected an integer, got "' + "x" * 59 + "..."),
    ],
)
def test_refusals_say_which_argument_what_was_expected_and_given(change: dict[str, Any], message: str) -> None:
    assert refused(VALID | change) == message


def test_all_problems_are_told_at_once_up_to_a_bound() -> None:
    assert refused({}) == "vendor: required argument is missing; quantity: required argument is missing"
    many = refused({**VALID, "tags": list(range(20))})
    assert many.count(";") == 8
    assert many.endswith("and 12 more problems")


@pytest.mark.parametrize(
    "arguments", [[1], "text", None, 3, {"vendor": object(), "quantity": 1}, {"vendor": "\ud800", "quantity": 1}]
)
def test_what_json_cannot_say_is_refused(arguments: Any) -> None:
    assert refused(arguments).startswith("arguments: expected ")


def test_arguments_that_contain_themselves_are_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert refused({**VALID, "extra": loop}).startswith("arguments: expected JSON values")


argument_names = st.sampled_from([*order.parameters["properties"], "product", "quantity", "x"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(argument_names, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(argument_names, json_values).map(lambda values: VALID | values) | json_values)
def test_validation_never_raises_anything_but_a_tool_error(arguments: Any) -> None:
    """What passes can be called with."""
    refusal: dict[str, str] | None = None
    try:
        checked = order.validate(arguments)
    except ToolError as error:
        refusal = error.as_dict()
    else:
        assert order.function([], **checked) == checked["quantity"]
    if refusal:
        assert refusal["code"] == "invalid_arguments"
        assert json.dumps(refusal, ensure_ascii=False).encode()


def test_usage_is_a_signature_in_one_line() -> None:
    assert order.usage == (
        "vendor: string, quantity: integer, price?: number, lines?: array of {product: string, quantity?: number}|null, "
        "to?: {title: string, floor?: integer, labels?: object}|null, day?: string|null, "
        'carrier?: "road"|"rail", kind?: "buy"|"make", '
        "urgent?: boolean, span?: array, extra?: any, tags?: array of string|null, json?: integer"
    )
    assert _submit.usage == "none"


def test_a_toolbox_is_an_ordered_mapping() -> None:
    assert list(BOX) == ["order", "submit"]
    assert BOX["order"] is order
    assert len(BOX) == 2
    assert list(BOX.subset(["submit"])) == ["submit"]
    with pytest.raises(RegistryError, match=r"unknown tool 'sumbit'.*did you mean 'submit'"):
        BOX.subset(["sumbit"])


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are named 'submit'"):
        Toolbox([_submit, _submit])


def test_an_unknown_tool_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(ToolError) as caught:
        BOX.find("submitt")
    assert caught.value.as_dict() == {
        "code": "unknown_tool",
        "message": "There is no tool 'submitt'.",
        "hint": "Did you mean 'submit'? Tools: order, submit",
    }
    with pytest.raises(ToolError) as caught:
        BOX.find("q" * 5_000)
    assert len(caught.value.message) < 200


def test_results_read_as_one_line_of_json() -> None:
    assert ToolResult("order", {"name": "P1"}).to_json() == '{"tool":"order","ok":true,"result":{"name":"P1"}}'
    failed = ToolResult("order", error=ToolError("not_found", "Größe fehlt.\n", "Look."))
    assert not failed.ok
    assert json.loads(failed.to_json()) == {
        "tool": "order",
        "ok": False,
        "error": {"code": "not_found", "message": "Größe fehlt.\n", "hint": "Look."},
    }
    assert "\n" not in failed.to_json()


def test_a_parameter_needs_an_annotation_and_a_name() -> None:
    @tool()
    def bare(session: object, x) -> None:  # type: ignore[no-untyped-def]  # that it is refused is the point
        """Take anything."""

    @tool()
    def many(session: object, *x: int) -> None:
        """Take many."""

    with pytest.raises(TypeError, match="'bare': parameter 'x' needs an annotation"):
        bare.schema()
    with pytest.raises(TypeError, match="'many': parameter 'x' cannot be given by name"):
        many.schema()
