from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from opsgym.core.errors import BackendError, ToolError
from opsgym.envs.erp_bench.backends.json2 import ATTEMPTS, Json2, server_day

KEY = "a" * 40

Answer = Callable[[httpx.Request], httpx.Response]


def client(answer: Answer, **options: Any) -> tuple[Json2, list[float]]:
    """A client whose server is a function, and the pauses that it makes."""
    pauses: list[float] = []
    transport = httpx.MockTransport(answer)
    return Json2("http://erp.test", KEY, "bench", transport=transport, pause=pauses.append, **options), pauses


def saying(status: int, name: str = "", message: str = "no") -> Answer:
    """A server that gives one error for everything."""
    return lambda request: httpx.Response(status, json={"name": name, "message": message, "arguments": [message], "context": {}})


def test_a_call_is_posted_as_odoo_wants_it() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=True)

    erp, _ = client(answer)
    assert erp.call("sale.order", "write", [3], {"lang": "en_US"}, vals={"note": "x"}) is True
    (request,) = seen
    assert (request.method, request.url.path) == ("POST", "/json/2/sale.order/write")
    assert request.headers["authorization"] == f"bearer {KEY}"
    assert request.headers["x-odoo-database"] == "bench"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {"ids": [3], "context": {"lang": "en_US"}, "vals": {"note": "x"}}


def test_methods_of_a_model_are_called_without_ids() -> None:
    bodies: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200, json=[7])

    erp, _ = client(answer)
    assert erp.call("res.partner", "create", vals_list=[{"name": "P"}]) == [7]
    assert bodies == [{"vals_list": [{"name": "P"}]}]


@pytest.mark.parametrize("name", ["../../web/session", "res.partner/create", "res.partner?x=1", "..", "", "a b", "r\u00e9s"])
def test_a_name_leads_to_no_other_address(name: str) -> None:
    erp, _ = client(saying(200))
    for model, method in ((name, "read"), ("res.partner", name)):
        with pytest.raises(ToolError, match="does not exist") as refused:
            erp.call(model, method)
        assert refused.value.code == "not_found"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"])
def test_what_is_no_json_is_refused_before_it_is_sent(value: Any) -> None:
    erp, _ = client(saying(200))
    with pytest.raises(ToolError, match="expected JSON values"):
        erp.call("res.partner", "write", [1], vals={"name": value})


def test_null_is_an_answer() -> None:
    erp, _ = client(lambda request: httpx.Response(200, content="null"))
    assert erp.call("purchase.order", "button_cancel", [1]) is None


@pytest.mark.parametrize(
    ("status", "name", "message", "code"),
    [
        (422, "odoo.exceptions.UserError", "not in a state requiring confirmation", "bad_state"),
        (422, "odoo.exceptions.UserError", "Cannot create an invoice. No items are available", "nothing_to_invoice"),
        (422, "odoo.exceptions.ValidationError", "wrong", "invalid_value"),
        (422, "odoo.exceptions.ValidationError", "Create/update: a mandatory field is not set.", "missing_field"),
        (422, "werkzeug.exceptions.UnprocessableEntity", "missing a required argument: 'vals'", "invalid_arguments"),
        (403, "odoo.exceptions.AccessError", "private", "not_allowed"),
        (404, "odoo.exceptions.MissingError", "deleted", "not_found"),
        (404, "werkzeug.exceptions.NotFound", "no such model", "not_found"),
        (500, "builtins.ValueError", "Invalid field 'x'", "invalid_value"),
        (500, "psycopg2.errors.InvalidTextRepresentation", "invalid input syntax", "invalid_value"),
    ],
)
def test_what_the_erp_refuses_is_the_callers_business(status: int, name: str, message: str, code: str) -> None:
    erp, pauses = client(saying(status, name, message))
    with pytest.raises(ToolError) as refused:
        erp.call("sale.order", "action_confirm", [1])
    assert (refused.value.code, refused.value.message) == (code, message)
    assert pauses == []


@pytest.mark.parametrize(
    "answer",
    [
        saying(401, "werkzeug.exceptions.Unauthorized", "Invalid apikey"),
        saying(400, "werkzeug.exceptions.BadRequest"),
        saying(409, "odoo.exceptions.LockError"),
        saying(500, "psycopg2.errors.DiskFull"),
        saying(500, "builtins.AttributeError"),
        lambda request: httpx.Response(404, html="<h1>Not Found</h1>"),
        lambda request: httpx.Response(415, html="<h1>Unsupported Media Type</h1>"),
        lambda request: httpx.Response(502, html="<h1>Bad Gateway</h1>"),
        lambda request: httpx.Response(200, text="half an ans"),
        lambda request: httpx.Response(500, json=["what"]),
    ],
)
def test_what_breaks_is_the_operators_business_and_shows_no_key(answer: Answer) -> None:
    erp, _ = client(answer)
    with pytest.raises(BackendError) as broken:
        erp.call("sale.order", "read", [1])
    assert "http://erp.test" in str(broken.value)
    assert KEY not in str(broken.value)


def failing(error: type[httpx.TransportError], times: int) -> Answer:
    """A server that cannot be reached at first."""
    left = [times]

    def answer(request: httpx.Request) -> httpx.Response:
        if left[0]:
            left[0] -= 1
            raise error("gone", request=request)
        return httpx.Response(200, json=[])

    return answer


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError])
def test_reading_is_tried_again_with_growing_pauses(error: type[httpx.TransportError]) -> None:
    erp, pauses = client(failing(error, ATTEMPTS - 1))
    assert erp.call("sale.order", "search", domain=[]) == []
    assert len(pauses) == ATTEMPTS - 1
    assert pauses == sorted(set(pauses))


def test_attempts_come_to_an_end() -> None:
    erp, pauses = client(failing(httpx.ReadTimeout, ATTEMPTS))
    with pytest.raises(BackendError, match="ReadTimeout"):
        erp.call("sale.order", "search", domain=[])
    assert len(pauses) == ATTEMPTS - 1


@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.WriteError])
def test_a_change_of_unknown_fate_is_not_made_twice(error: type[httpx.TransportError]) -> None:
    erp, pauses = client(failing(error, 1))
    with pytest.raises(BackendError, match="is unknown"):
        erp.call("sale.order", "action_confirm", [1])
    assert pauses == []


def test_a_change_that_was_never_sent_or_was_locked_out_is_tried_again() -> None:
    erp, _ = client(failing(httpx.ConnectError, 1))
    assert erp.call("sale.order", "action_confirm", [1]) == []
    answers = [httpx.Response(409, json={"name": "odoo.exceptions.LockError"}), httpx.Response(200, json=True)]
    erp, _ = client(lambda request: answers.pop(0))
    assert erp.call("sale.order", "action_confirm", [1]) is True


def test_a_change_is_not_repeated_after_a_bad_gateway() -> None:
    answers = [httpx.Response(502, text="Bad Gateway"), httpx.Response(200, json=True)]
    erp, _ = client(lambda request: answers.pop(0))
    with pytest.raises(BackendError, match="502"):
        erp.call("sale.order", "action_confirm", [1])
    assert len(answers) == 1


def versioned(version: Any, **headers: str) -> httpx.MockTransport:
    """A server that tells its version and, in the head, its date."""
    return httpx.MockTransport(lambda request: httpx.Response(200, json={"version_info": version}, headers=headers))


def test_the_day_is_that_of_the_servers_clock() -> None:
    late = versioned([19, 0, 0, "final", 0, ""], Date="Mon, 01 Feb 2027 23:59:00 GMT")
    assert server_day("http://erp.test", transport=late) == dt.date(2027, 2, 1)


@pytest.mark.parametrize(
    "transport",
    [
        versioned([19, 0, 0, "final", 0, ""]),
        versioned([18, 0, 0, "final", 0, ""], Date="Mon, 01 Feb 2027 23:59:00 GMT"),
        versioned(None, Date="Mon, 01 Feb 2027 23:59:00 GMT"),
        httpx.MockTransport(lambda request: httpx.Response(404, html="<h1>Not Found</h1>")),
        httpx.MockTransport(failing(httpx.ConnectError, 1)),
    ],
)
def test_what_is_no_odoo_with_a_clock_is_refused(transport: httpx.MockTransport) -> None:
    with pytest.raises(BackendError, match=r"http://erp\.test: expected"):
        server_day("http://erp.test", transport=transport)


def test_types_of_fields_are_asked_once_by_all_clients_of_a_server() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json={"name": {"type": "char"}})

    known: dict[str, dict[str, str]] = {}
    for _ in range(2):
        erp, _ = client(answer, fields=known)
        assert erp.fields("res.partner") == {"name": "char"}
    assert len(asked) == 1
