"""Whatever is sent, the answer has a status of the table and a readable error, and a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opsgym.core.task import JsonDict, Task
from opsgym.envs.erp_bench.erp.model import Model
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.serve import ErpServer
from tests.serve.doors import database, headers

TABLE: dict[int, set[str]] = {
    400: {"werkzeug.exceptions.BadRequest"},
    401: {"werkzeug.exceptions.Unauthorized"},
    403: {"odoo.exceptions.AccessError"},
    404: {"werkzeug.exceptions.NotFound", "odoo.exceptions.MissingError"},
    405: {"werkzeug.exceptions.MethodNotAllowed"},
    422: {"werkzeug.exceptions.UnprocessableEntity", "odoo.exceptions.UserError", "odoo.exceptions.ValidationError"},
    500: {"builtins.ValueError", "psycopg2.errors.InvalidTextRepresentation"},
}
"""What errors may be called by status; 404 and 415 may be pages too."""

METHODS = [(name, method, found) for name, model in MODELS.items() for method, found in cast(type[Model], model).methods.items()]
FIELDS = sorted({field for model in MODELS.values() for field in model.fields})
WORDS = st.sampled_from(
    [
        *FIELDS,
        *MODELS,
        "=",
        "!=",
        "in",
        "not in",
        "ilike",
        "child_of",
        "any",
        "&",
        "|",
        "!",
        "id desc",
        "'; --",
        "2026-05-04",
        "%",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.sampled_from([2**31, 2**63, -(2**63) - 1, 2**64, 10**400])
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.text(max_size=8)
)
COMMANDS = st.lists(st.tuples(st.integers(-1, 7), st.integers(0, 9), SCALARS), max_size=2)
VALUES = st.recursive(
    SCALARS | COMMANDS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, JsonDict]:
    """A call of a method that exists, with arguments that make more or less sense."""
    model, method, found = draw(st.sampled_from(METHODS))
    names = st.sampled_from([*found.takes, "ids", "context", "nope"]) if draw(st.integers(0, 9)) == 0 else None
    body: JsonDict = {
        name: draw(likely(model, name)) for name in sorted(found.takes) if name in found.needs or draw(st.booleans())
    }
    if found.on_records and draw(st.integers(0, 9)):
        body["ids"] = draw(st.lists(st.integers(1, 12), max_size=3) | VALUES)
    if names is not None:
        body[draw(names)] = draw(VALUES)
    return f"/json/2/{model}/{method}", body


def likely(model: str, name: str) -> st.SearchStrategy[Any]:
    """Values that an argument of this name could have, and any others."""
    own = st.sampled_from(sorted(MODELS[model].fields))
    vals = st.dictionaries(own, VALUES, max_size=4)
    shapes: dict[str, st.SearchStrategy[Any]] = {
        "domain": st.lists(st.tuples(own, st.sampled_from(["=", "in", "ilike", ">", "!="]), VALUES) | WORDS, max_size=4),
        "fields": st.lists(own, max_size=4),
        "allfields": st.lists(own, max_size=4),
        "groupby": st.lists(own, max_size=2),
        "aggregates": st.lists(own.map(lambda field: f"{field}:sum"), max_size=2),
        "order": own.map(lambda field: f"{field} desc"),
        "vals": vals,
        "vals_list": st.lists(vals, max_size=2) | vals,
        "default": vals,
    }
    return shapes.get(name, VALUES) | VALUES


def check(answer: httpx.Response) -> None:
    if answer.status_code == 200:
        answer.json()
    elif answer.headers["content-type"].startswith("text/html"):
        assert answer.status_code in (404, 415)
    else:
        body = answer.json()
        assert body["name"] in TABLE[answer.status_code], body
        assert body["message"] and "Traceback" not in body["message"]


@pytest.fixture(scope="module")
def made(server: ErpServer, task: Task) -> Iterator[JsonDict]:
    with database(server, task) as made:
        yield made


@pytest.fixture(scope="module")
def client(server: ErpServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        yield client


RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def send_call(server: ErpServer, client: httpx.Client, made: JsonDict, call: tuple[str, JsonDict]) -> None:
    target = server.databases[made["database"]]
    before = target.digest()
    answer = client.post(call[0], headers=headers(made), json=call[1])
    check(answer)
    if answer.status_code != 200:
        assert target.digest() == before


@settings(RELAXED, max_examples=80)
@given(call=calls())
def test_a_call_with_any_arguments(server: ErpServer, client: httpx.Client, made: JsonDict, call: tuple[str, JsonDict]) -> None:
    send_call(server, client, made, call)


@pytest.mark.slow
@settings(RELAXED, max_examples=3000)
@given(call=calls())
def test_many_calls_with_any_arguments(
    server: ErpServer, client: httpx.Client, made: JsonDict, call: tuple[str, JsonDict]
) -> None:
    send_call(server, client, made, call)


PATHS = st.sampled_from(
    ["/json/2/res.partner/read", "/json/2/sale.order/create", "/web/version", "/doc-bearer/res.partner.json"]
) | (st.text("/.%_-$ab2\u00e9\u0000", max_size=12).map(lambda text: f"/json/2/{text}"))
BODIES = st.binary(max_size=40) | VALUES.map(str).map(str.encode) | st.sampled_from([b"{", b"[]", b"{}", b'{"ids":[1]}'])
CHARACTERS = st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x7f"), max_size=12)


REQUESTS = {
    "verb": st.sampled_from([*["POST"] * 6, "GET", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"]),
    "path": PATHS,
    "body": BODIES,
    "extra": st.dictionaries(
        st.sampled_from(["Authorization", "X-Odoo-Database", "Content-Type", "Cookie", "Accept", "X-Forwarded-For"]),
        CHARACTERS | CHARACTERS.map(lambda text: f"Bearer x{text}"),
        max_size=3,
    ),
}


def send_request(client: httpx.Client, made: JsonDict, verb: str, path: str, body: bytes, extra: dict[str, str]) -> None:
    sent = httpx.Headers({**headers(made), "Content-Type": "application/json", **extra}, encoding="latin-1")
    answer = client.request(verb, quote(path, safe="/%.$_-"), headers=sent, content=body)
    if answer.status_code == 400 and answer.headers["content-type"].startswith("text/plain"):
        return  # no HTTP: refused before it reaches the application
    check(answer)


@settings(RELAXED, max_examples=80)
@given(**REQUESTS)
def test_any_request(client: httpx.Client, made: JsonDict, verb: str, path: str, body: bytes, extra: dict[str, str]) -> None:
    send_request(client, made, verb, path, body, extra)


@pytest.mark.slow
@settings(RELAXED, max_examples=3000)
@given(**REQUESTS)
def test_many_requests(client: httpx.Client, made: JsonDict, verb: str, path: str, body: bytes, extra: dict[str, str]) -> None:
    send_request(client, made, verb, path, body, extra)
