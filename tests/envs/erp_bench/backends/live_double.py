"""A stand-in for a live Odoo: where one differs from our own server, as far as notes of real answers tell.

It is the embedded ERP behind a transport, with the differences put on: other ids, no fields for what Odoo has none for,
notes as HTML, drafts called ``/``, wizards that do not name what they made, ranks that count invoices, transfers that stay
on their day when an order is put off, another day.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from email.utils import format_datetime
from typing import Any

import httpx

from opsgym.core.task import Task
from opsgym.core.world import World
from opsgym.envs.erp_bench.backends import Database, OdooBackend
from opsgym.envs.erp_bench.erp import DDL, Erp, ErpError

KEY = "0123456789abcdef0123456789abcdef01234567"
TODAY = dt.date(2027, 2, 1)

_OPERATION, _FILE, _PARTNER = "mrp.routing.workcenter", "ir.attachment", "res.partner"
_LACKING = {_OPERATION: ("unit_cost", "is_alternative")}
_READONLY = {_FILE: ("index_content",)}
_MORE = {_OPERATION: {"note": "html"}, _FILE: {"datas": "binary"}}


class LiveDouble(httpx.BaseTransport):
    """The transport of an :class:`OdooBackend` whose server lives on :data:`TODAY`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken: Callable[[str, str], Exception | httpx.Response | None] = lambda model, method: None
        self.renew()

    def renew(self, task: Task | None = None) -> Database:
        """A fresh database, in which ids have gone up already."""
        self.world = World(DDL, today=TODAY)
        self.world.execute("INSERT INTO res_partner (id, name, active) VALUES (500, 'Template', 0)")
        self.world.execute(
            "INSERT INTO product_template (id, name, type, active, categ_id, uom_id) VALUES (70, 'Tip', 'service', 0, 1, 1)"
        )
        self.world.execute("INSERT INTO product_product (id, product_tmpl_id) VALUES (90, 70)")
        self.world.execute(
            "INSERT INTO account_move (id, name, move_type, state, date) VALUES (100, 'M/1', 'entry', 'posted', '2027-01-31')"
        )
        self.erp = Erp(self.world)
        self.notes: dict[int, str] = {}
        return Database("bench", KEY)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        moment = format_datetime(dt.datetime.combine(TODAY, dt.time(9), dt.UTC), usegmt=True)
        if (request.method, request.url.path) == ("GET", "/web/version"):
            return httpx.Response(200, json={"version_info": [19, 0, 0, "final", 0, ""]}, headers={"Date": moment})
        _, _, _, model, method = request.url.path.split("/")
        self.asked.append(f"{model}.{method}")
        failure = self.broken(model, method)
        if isinstance(failure, Exception):
            raise failure
        if failure is not None:
            return failure
        assert request.headers["authorization"] == f"bearer {KEY}"
        assert request.headers["x-odoo-database"] == "bench"
        try:
            found = self.answer(model, method, json.loads(request.content))
        except ErpError as error:
            return httpx.Response(error.status, json=error.body())
        return httpx.Response(200, content=json.dumps(found))

    def answer(self, model: str, method: str, body: dict[str, Any]) -> Any:
        ids, context = body.pop("ids", []), body.pop("context", None)
        if method == "fields_get":
            found = self.erp.call(model, method, ids, context, **body)
            known = {name: spec for name, spec in found.items() if name not in _LACKING.get(model, ())}
            return known | {name: {"type": kind} for name, kind in _MORE.get(model, {}).items()}
        if method == "create":
            return self.create(model, body["vals_list"], context)
        if method == "search_read":
            return self.search_read(model, body, context)
        scheduled = self.world.execute("SELECT date, id FROM stock_move").fetchall()
        found = self.erp.call(model, method, ids, context, **body)
        if method == "write":
            self.world.executemany("UPDATE stock_move SET date = ? WHERE id = ?", scheduled)
        if method == "create_invoices":
            return {"type": "ir.actions.act_window_close"}
        if method == "action_post":
            self.world.execute("UPDATE res_partner SET customer_rank = customer_rank + 1 WHERE customer_rank > 0")
        return found

    def create(self, model: str, rows: list[dict[str, Any]], context: Any) -> list[int]:
        made = []
        for row in rows:
            for name in (*_LACKING.get(model, ()), *_READONLY.get(model, ())):
                if name in row:
                    raise ErpError("ValueError", f"Invalid field {name!r} in {model!r}")
            more = {name: row.pop(name) for name in _MORE.get(model, {}) if name in row}
            if model in (_FILE, "ir.config_parameter"):  # an administrator may
                made.append(self.erp.create(model, row))
            else:
                made += self.erp.call(model, "create", (), context, vals_list=[row])
            if "note" in more:
                self.notes[made[-1]] = more["note"]
        return made

    def search_read(self, model: str, body: dict[str, Any], context: Any) -> list[dict[str, Any]]:
        wanted = body.get("fields")
        own = None if wanted is None else [name for name in wanted if name not in _MORE.get(model, {})]
        rows: list[dict[str, Any]] = self.erp.call(model, "search_read", (), context, **{**body, "fields": own})
        for row in rows:
            if model == "account.move" and row.get("name") is False:
                row["name"] = "/"
            if model == _PARTNER and row.get("comment"):
                row["comment"] = f"<p>{row['comment']}</p>"
            if model == _OPERATION and "note" in (wanted or ()):
                row["note"] = f"<p>{self.notes[row['id']]}</p>"
        return rows


def live_double() -> tuple[LiveDouble, OdooBackend]:
    """A double, and a backend that plays on it."""
    double = LiveDouble()
    return double, OdooBackend("http://odoo.test", double.renew, transport=double)
