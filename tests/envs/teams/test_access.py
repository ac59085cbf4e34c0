"""No role reads or writes what it must not: every tool, model and field is tried, and SQLite itself says what was read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from opsgym.core.spaces import ToolCallText
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.erp.errors import ErpError
from opsgym.envs.erp_bench.erp.fields import table_of
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.envs.erp_bench.rules.registry import RULES
from opsgym.envs.teams import erp_bench_team_v0
from opsgym.envs.teams.access import COMMON_TOOLS, ROLES, check_read, role_of
from opsgym.envs.teams.erp_bench_team_v0 import RESPONSIBLE

PATTERN = "22_single_bom_split_by_capacity_invoicing"
COUNTED = {"get_product": {"product.supplierinfo", "mrp.bom"}}
"""Tools that show everyone how many records there are."""
OWN_DETAILS = {
    "get_manufacturing_order": {"stock.move", "mail.message"},
    "list_invoices": {"sale.order", "sale.order.line"},
}
"""Tables behind a role's own documents, which its tools join to show these alone."""
MODEL_OF = {table_of(model): model for model in MODELS}


@pytest.fixture(scope="module")
def env() -> Any:
    """A team with partial information whose ERP holds documents of every role."""
    made = erp_bench_team_v0.env(pattern=PATTERN, information="partial")
    made.reset(seed=1)
    for call in made.game.env.task.oracle[:-1]:
        made.game.act(str(role_of(call.name)), call)
    return made


@contextmanager
def reads(env: Any) -> Iterator[set[str]]:
    """The models whose tables are read inside."""
    found: set[str] = set()

    def note(action: int, table: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table in MODEL_OF:
            found.add(MODEL_OF[table])
        return sqlite3.SQLITE_OK

    connection = env.game.env.world.conn
    connection.set_authorizer(note)
    try:
        yield found
    finally:
        connection.set_authorizer(None)


def call(env: Any, role: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    """The answer to a call of a role, outside the turn order."""
    env.game.state.actor = role
    body = json.loads(env.game.around(ToolCall(name=name, arguments=arguments), env.game.env._execute).line)
    assert isinstance(body, dict)
    return body


def is_denied(body: dict[str, Any]) -> bool:
    return not body["ok"] and body["error"]["code"] == "not_allowed"


@pytest.mark.parametrize("role", ROLES)
def test_tools_of_other_roles_are_refused_in_odoos_words(env: Any, role: str) -> None:
    digest = env.game.env.world.digest()
    for name in set(env.game.env.tools) - set(env.game.tools(role)):
        body = call(env, role, name)
        assert is_denied(body), name
        assert re.fullmatch(
            r"You are not allowed to (create|write|access) '[\w ]+' \([\w.]+\) records\.", body["error"]["message"]
        )
    assert env.game.env.world.digest() == digest


@pytest.mark.parametrize("role", ROLES)
def test_only_its_own_and_common_tools_are_offered(env: Any, role: str) -> None:
    assert set(env.game.tools(role)) == COMMON_TOOLS | ROLES[role].tools | {"message", "wait"}


@pytest.mark.parametrize("information", ["shared", "partial"])
def test_every_tool_that_writes_belongs_to_one_role(information: str) -> None:
    env = erp_bench_team_v0.env(information=information)
    for name, tool in env.game.env.tools.items():
        if tool.mutates and name != "add_note":
            assert [role for role in ROLES if name in env.game.tools(role)] == [role_of(name)]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("model", MODELS)
def test_no_model_or_field_shows_records_of_others(env: Any, role: str, model: str) -> None:
    readable = env.game.readable(role)
    tries: list[tuple[str, dict[str, Any]]] = [
        ("search_records", {}),
        ("count_records", {}),
        ("read_records", {"ids": [1, 2, 3]}),
    ]
    for name, field in MODELS[model].fields.items():
        tries.append(("read_records", {"ids": [1, 2, 3], "fields": [name]}))
        tries.append(("search_records", {"fields": [name]}))
        tries.append(("search_records", {"order": f"{name} desc"}))
        tries.append(("count_records", {"domain": [[name, "!=", False]]}))
        if field.comodel:
            tries.append(("count_records", {"domain": [[f"{name}.id", ">", 0]]}))
            tries.append(("count_records", {"domain": [[name, "any", [["id", ">", 0]]]]}))
            tries.append(("count_records", {"domain": [[name, "ilike", "a"]]}))
    for tool, arguments in tries:
        with reads(env) as touched:
            body = call(env, role, tool, model=model, **arguments)
        assert touched <= readable, (tool, arguments)
        assert body["ok"] or not touched, (tool, arguments)
        if model not in readable:
            assert is_denied(body), (tool, arguments)
    assert is_denied(call(env, role, "describe_model", model=model)) == (model not in readable)


def test_the_watch_over_reads_sees_them(env: Any) -> None:
    with reads(env) as touched:
        assert call(env, "sales_0", "list_sales_orders")["ok"]
    assert {"sale.order", "res.partner"} <= touched


@pytest.mark.parametrize("role", ROLES)
def test_tools_that_read_show_no_records_of_others(env: Any, role: str) -> None:
    names = {
        model: [row[0] for row in env.game.env.world.execute(f"SELECT name FROM {table_of(model)} ORDER BY id").fetchall()]
        for model in ("sale.order", "purchase.order", "mrp.production", "account.move")
    }
    (product,) = env.game.env.world.execute(
        "SELECT m.default_code FROM mrp_bom b JOIN product_template m ON m.id = b.product_tmpl_id ORDER BY b.id LIMIT 1"
    ).fetchone()
    (partner,) = env.game.env.world.execute("SELECT ref FROM res_partner WHERE ref IS NOT NULL ORDER BY id LIMIT 1").fetchone()
    arguments: dict[str, dict[str, Any]] = {
        "get_product": {"product": product},
        "get_stock": {"products": [product]},
        "get_partner": {"partner": partner},
        "get_bill_of_materials": {"product": product},
        "get_sales_order": {"order": names["sale.order"][-1]},
        "get_purchase_order": {"order": names["purchase.order"][-1]},
        "get_manufacturing_order": {"order": names["mrp.production"][-1]},
        "get_invoice": {"invoice": names["account.move"][-1]},
        "read_document": {"title": "Goal"},
        "search_records": {"model": "res.partner"},
        "read_records": {"model": "res.partner", "ids": [1]},
        "count_records": {"model": "res.partner"},
    }
    for name, tool in env.game.tools(role).items():
        if tool.mutates or tool.terminal or tool in env.game.extras:
            continue
        with reads(env) as touched:
            body = call(env, role, name, **arguments.get(name, {}))
        assert body["ok"], (name, body)
        assert touched <= env.game.readable(role) | COUNTED.get(name, set()) | OWN_DETAILS.get(name, set()), name


@pytest.mark.parametrize("role", ROLES)
def test_notes_are_left_on_own_documents_alone(env: Any, role: str) -> None:
    kinds = {"sales order", "purchase order", "manufacturing order", "invoice", "partner"}
    for kind in kinds - ROLES[role].notes_on:
        assert is_denied(call(env, role, "add_note", kind=kind, record="S00001", text="x"))


@pytest.mark.parametrize("role", ["purchasing_0", "production_0", "finance_0"])
def test_random_calls_before_anyone_has_written_show_no_sales_order(role: str) -> None:
    env = erp_bench_team_v0.env(pattern=PATTERN, information="partial")
    env.reset(seed=1)
    assert call(env, "sales_0", "count_records", model="sale.order")["result"] > 0
    space = ToolCallText(env.game.tools(role), max_length=4000, seed=1)
    for _ in range(300):
        body = space.sample_call()
        if body["name"] not in ("submit", "message"):
            text = json.dumps(call(env, role, body["name"], **body["arguments"]))
            assert not re.search(r"\bS\d{5}\b", text), body
    if role == "finance_0":
        for guess in ("S0000", "S000011", "R00001"):
            body = call(env, role, "create_invoice", order=guess)
            assert body["error"]["code"] == "not_found"
            assert "hint" not in body["error"]


@pytest.mark.parametrize("pattern", [PATTERN, "repair_plan_hard"])
def test_with_partial_information_the_requests_are_told_to_sales_alone(pattern: str) -> None:
    env = erp_bench_team_v0.env(pattern=pattern, information="partial")
    env.reset(seed=1)
    customers = [row["name"] for row in env.game.env.task.world["problem"]["customers"]]
    for agent in env.agents:
        shown = env.observe(agent)["text"]
        assert any(name in shown for name in customers) == (agent == "sales_0")
        assert "What happened" not in shown or agent == "sales_0"
        assert pattern not in json.dumps(env.infos[agent])


def test_nothing_of_the_solution_is_shown_before_the_end() -> None:
    env = erp_bench_team_v0.env(pattern=PATTERN)
    env.reset(seed=1)
    shown = json.dumps([env.infos, [env.observe(agent) for agent in env.agents]])
    assert "certificate" not in shown
    assert not any(json.dumps(call.arguments) in shown for call in env.game.env.task.oracle if call.arguments)


def test_an_access_error_names_the_model_that_a_search_would_lead_to() -> None:
    with pytest.raises(ErpError, match=r"access 'Supplier Pricelist' \(product\.supplierinfo\)"):
        check_read({"product.product", "product.template"}, "product.product", [["seller_ids.price", ">", 0]], None, None)


def test_the_rules_that_roles_answer_for_exist() -> None:
    assert set(RESPONSIBLE) <= set(RULES)
    assert {role for roles in RESPONSIBLE.values() for role in roles} == set(ROLES)
