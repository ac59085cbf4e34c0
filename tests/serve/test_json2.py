"""The agent's port answers as a real Odoo 19 was seen to answer: values, statuses, error bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from opsgym.core.task import JsonDict, Task
from opsgym.serve import ErpServer
from tests.serve.doors import database, headers

READS = "/json/2/res.partner/search_read"
NOT_FOUND, UNPROCESSABLE = "werkzeug.exceptions.NotFound", "werkzeug.exceptions.UnprocessableEntity"
USER, VALIDATION = "odoo.exceptions.UserError", "odoo.exceptions.ValidationError"
ACCESS, MISSING = "odoo.exceptions.AccessError", "odoo.exceptions.MissingError"
VALUE, TEXT = "builtins.ValueError", "psycopg2.errors.InvalidTextRepresentation"


@pytest.fixture(scope="module")
def made(server: ErpServer, task: Task) -> Iterator[JsonDict]:
    with database(server, task) as made:
        yield made


@pytest.fixture(scope="module")
def client(server: ErpServer, made: JsonDict) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers=headers(made)) as client:
        yield client


def ask(client: httpx.Client, place: str, **body: Any) -> Any:
    """The value that a call gives."""
    answer = client.post(f"/json/2/{place}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_values_are_not_wrapped(client: httpx.Client) -> None:
    assert ask(client, "res.partner/create", vals_list=[{"name": "P1"}, {"name": "P2"}])[1] > 0
    (one,) = ask(client, "res.partner/create", vals_list={"name": "P3"})
    assert ask(client, "res.partner/write", ids=[one], vals={"name": "Q3"}) is True
    assert ask(client, "res.partner/read", ids=[one], fields=["name", "parent_id"]) == [
        {"id": one, "name": "Q3", "parent_id": False}
    ]
    assert ask(client, "res.partner/name_search", name="Q3", limit=2) == [[one, "Q3"]]
    assert ask(client, "res.partner/unlink", ids=[one]) is True
    assert ask(client, "res.partner/read", ids=[one]) == []
    assert ask(client, "res.users/context_get") == {"lang": "en_US", "tz": False, "uid": 2}


def test_an_empty_body_is_no_arguments(client: httpx.Client) -> None:
    answer = client.post("/json/2/res.users/context_get")
    assert answer.status_code == 200 and answer.json()["uid"] == 2


def test_the_context_is_read(client: httpx.Client) -> None:
    (one,) = ask(client, "res.partner/create", vals_list={}, context={"default_name": "By default"})
    assert ask(client, "res.partner/read", ids=[one], fields=["name"])[0]["name"] == "By default"


@pytest.mark.parametrize(
    ("place", "body", "status", "name", "message"),
    [
        ("no.model/read", {}, 404, NOT_FOUND, "no.model"),
        ("res.partner/nope", {}, 404, NOT_FOUND, "res.partner.nope"),
        ("res.partner/_compute", {}, 403, ACCESS, "Private methods"),
        ("res.partner/__class__", {}, 403, ACCESS, "Private methods"),
        ("res.partner/__init__", {}, 403, ACCESS, "Private methods"),
        ("res.partner/check_access", {"operation": "unlink"}, 404, NOT_FOUND, "check_access"),
        ("res.partner/erp", {}, 404, NOT_FOUND, "erp"),
        ("__class__/read", {}, 404, NOT_FOUND, "__class__"),
        ("res.partner/create", {"ids": [1], "vals_list": []}, 422, UNPROCESSABLE, "cannot call res.partner.create with ids"),
        ("res.partner/write", {"ids": [1], "nope": 1}, 422, UNPROCESSABLE, "nope|vals"),
        ("res.partner/write", {"ids": [1]}, 422, UNPROCESSABLE, "missing a required argument: 'vals'"),
        ("res.partner/read", {"ids": [1], "self": 1}, 422, UNPROCESSABLE, "self"),
        ("res.partner/read", {"ids": "x"}, 422, UNPROCESSABLE, "ids"),
        ("res.partner/read", {"context": 3}, 422, UNPROCESSABLE, "context"),
        ("sale.order/action_post", {"ids": [1]}, 404, NOT_FOUND, "action_post"),
        ("mrp.production/create", {"vals_list": {"product_id": 1, "product_qty": -1}}, 422, VALIDATION, ""),
        ("res.partner/create", {"vals_list": {"email": "x"}}, 422, VALIDATION, "name"),
        ("sale.order/write", {"ids": [99999], "vals": {"note": "x"}}, 404, MISSING, "sale.order"),
        ("res.company/write", {"ids": [1], "vals": {"name": "x"}}, 403, ACCESS, "res.company"),
        ("ir.config_parameter/create", {"vals_list": {"key": "k", "value": "v"}}, 403, ACCESS, ""),
        ("res.partner/read", {"ids": [1], "fields": ["nope"]}, 500, VALUE, "nope"),
        ("res.partner/search", {"domain": [["nope", "=", 1]]}, 500, VALUE, "nope"),
        ("res.partner/create", {"vals_list": {"nope": 1}}, 500, VALUE, "nope"),
        ("res.partner/create", {"vals_list": {"name": "x", "parent_id": "y"}}, 500, TEXT, "parent_id"),
        ("res.partner/write", {"ids": [1], "vals": {"category_id": [[4, 2**70, 0]]}}, 500, VALUE, "large"),
    ],
)
def test_a_refusal_has_its_status_and_says_why(
    server: ErpServer, made: JsonDict, client: httpx.Client, place: str, body: JsonDict, status: int, name: str, message: str
) -> None:
    before = server.databases[made["database"]].digest()
    answer = client.post(f"/json/2/{place}", json=body)
    found = answer.json()
    assert (answer.status_code, found["name"]) == (status, name)
    assert found.keys() == {"name", "message", "arguments", "context", "debug"}
    assert any(part in found["message"] for part in message.split("|"))
    assert server.databases[made["database"]].digest() == before


def test_a_method_that_does_not_exist_is_answered_with_those_that_do(client: httpx.Client) -> None:
    answer = client.post("/json/2/purchase.order/confirm", json={"ids": [1]})
    assert answer.status_code == 404 and "button_confirm" in answer.json()["debug"]


def test_a_document_in_the_wrong_state_is_a_user_error(client: httpx.Client) -> None:
    (partner,) = ask(client, "res.partner/search", domain=[["customer_rank", ">", 0]], limit=1)
    (order,) = ask(client, "sale.order/create", vals_list={"partner_id": partner})
    assert ask(client, "sale.order/action_confirm", ids=[order]) is True
    answer = client.post("/json/2/sale.order/action_confirm", json={"ids": [order]})
    assert answer.status_code == 422 and answer.json()["name"] == USER


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", "Basic {key}", "Bearer {key}x", "Bearer \u00e9"])
def test_a_wrong_key_is_refused(server: ErpServer, made: JsonDict, authorization: str) -> None:
    sent = httpx.Headers({**headers(made), "Authorization": authorization.format(key=made["key"])}, encoding="latin-1")
    answer = httpx.post(f"{server.url}{READS}", headers=sent, json={})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json()["name"] == "werkzeug.exceptions.Unauthorized" and answer.json()["message"] == "Invalid apikey"


def test_the_scheme_may_be_written_in_any_case(server: ErpServer, made: JsonDict) -> None:
    sent = {**headers(made), "Authorization": f"bearer {made['key']}"}
    assert httpx.post(f"{server.url}{READS}", headers=sent, json={}).status_code == 200


def test_a_key_opens_its_own_database_only(server: ErpServer, made: JsonDict, task: Task) -> None:
    with database(server, task) as other:
        sent = {**headers(made), "X-Odoo-Database": other["database"]}
        assert httpx.post(f"{server.url}{READS}", headers=sent, json={}).status_code == 401


@pytest.mark.parametrize("name", ["nope", "", "../bench", "\u00e9"])
def test_an_unknown_database_is_a_page(server: ErpServer, made: JsonDict, name: str) -> None:
    sent = httpx.Headers({**headers(made), "X-Odoo-Database": name}, encoding="latin-1")
    answer = httpx.post(f"{server.url}{READS}", headers=sent, json={})
    assert answer.status_code == 404 and answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    "body", [b"{", b"[1]", b"3", b'"x"', b"\xff\xfe", b'{"ids": NaN}', b'{"a": ' * 5000, b'{"ids": ' + b"9" * 5000 + b"}"]
)
def test_a_body_that_is_no_json_object_is_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post(READS, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and answer.json()["name"] == "werkzeug.exceptions.BadRequest"
    assert answer.json()["message"].startswith("could not parse the body")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_another_content_type_is_a_page(client: httpx.Client, kind: str) -> None:
    answer = client.post(READS, content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415 and answer.headers["content-type"].startswith("text/html")


def test_a_charset_is_allowed(client: httpx.Client) -> None:
    sent = {"Content-Type": "application/json; charset=utf-8"}
    assert client.post(READS, content=b'{"limit": 1}', headers=sent).status_code == 200


def test_get_is_told_to_post(client: httpx.Client) -> None:
    answer = client.get("/json/2/res.partner/read")
    assert answer.status_code == 404
    assert answer.json()["message"] == "Did you mean POST /json/2/<model>/<method>?"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_verbs_are_not_allowed(client: httpx.Client, method: str) -> None:
    answer = client.request(method, "/json/2/res.partner/read")
    assert answer.status_code == 405 and answer.json()["name"] == "werkzeug.exceptions.MethodNotAllowed"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/json/2",
        "/json/2/",
        "/json/2/res.partner",
        "/json/2/res.partner/read/",
        "/json/2/res.partner/read/x",
        "/json/2//res.partner/read",
        "/json/2/res.partner/..%2F..%2Fdatabases",
        "/databases",
        "/web/database/manager",
    ],
)
def test_nothing_else_is_there(client: httpx.Client, path: str) -> None:
    answer = client.post(path, json={})
    assert answer.status_code == 404 and answer.json()["name"] == NOT_FOUND


def test_the_version_and_the_health_need_no_key(server: ErpServer) -> None:
    assert httpx.get(f"{server.url}/web/version").json()["version_info"][:2] == [19, 0]
    assert httpx.get(f"{server.url}/web/health").json() == {"status": "pass"}


def test_the_doc_pages_name_fields_methods_and_their_arguments(client: httpx.Client) -> None:
    models = {model["model"]: model for model in client.get("/doc-bearer/index.json").json()["models"]}
    assert "write" in models["res.partner"]["methods"]
    page = client.get("/doc-bearer/res.partner.json").json()
    assert list(page["methods"]["search_read"]["parameters"])[:2] == ["domain", "fields"]
    assert page["methods"]["search_read"]["api"] == ["model", "readonly"] and page["methods"]["write"]["api"] == []
    assert page["fields"]["parent_id"]["type"] == "many2one"
    assert client.get("/doc-bearer/no.model.json").status_code == 404


def test_the_doc_pages_need_the_key(server: ErpServer, made: JsonDict) -> None:
    sent = {"X-Odoo-Database": made["database"]}
    assert httpx.get(f"{server.url}/doc-bearer/index.json", headers=sent).status_code == 401


def test_sql_in_a_domain_is_a_value(client: httpx.Client, server: ErpServer, made: JsonDict) -> None:
    before = server.databases[made["database"]].digest()
    attacks = ["'; DROP TABLE res_partner; --", '" OR 1=1 --', "x' UNION SELECT key FROM ir_config_parameter --"]
    for text in attacks:
        for operator in ("=", "ilike", "=like"):
            assert ask(client, "res.partner/search", domain=[["name", operator, text]]) == []
        for body in (
            {"domain": [[text, "=", 1]]},
            {"domain": [["name", text, 1]]},
            {"domain": [], "order": text},
            {"domain": [], "limit": text},
        ):
            answer = client.post("/json/2/res.partner/search", json=body)
            assert answer.status_code == 500 and answer.json()["name"] == VALUE, json.dumps(body)
    assert server.databases[made["database"]].digest() == before
