"""Odoo's own client library works as it is, with everything that instructions print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.task import Task
from opsgym.data.erp_bench_release import find_releases
from opsgym.serve import ErpServer, erp_server
from opsgym.serve.access import access_note
from tests.serve.doors import connect, database

SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)


def run(snippet: str) -> str:
    """What a snippet prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet, "snippet", "exec"), {"__name__": "snippet"})
    return printed.getvalue()


def test_the_snippet_of_the_access_note_runs_as_it_stands(server: ErpServer, task: Task, tmp_path: Path) -> None:
    with database(server, task) as made:
        (tmp_path / "key").write_text(f"{made['key']}\n")
        for note in (made["access"], access_note(server.url, made["database"], key_file=str(tmp_path / "key"))):
            (snippet,) = SNIPPET.findall(note)
            assert len(run(snippet).splitlines()) == 3


def test_positional_arguments_are_named_by_the_doc_pages(server: ErpServer, task: Task) -> None:
    with database(server, task) as made:
        partners: Any = connect(server, made).get_model("res.partner")
        (one,) = partners.create([{"name": "By position"}])
        assert partners.write([one], {"email": "x@example.com"}) is True
        assert partners.read([one], ["email"]) == {"id": one, "email": "x@example.com"}
        assert partners.search([("name", "=", "By position")]) == [one]


def test_errors_reach_the_caller(server: ErpServer, task: Task) -> None:
    with database(server, task) as made:
        connection = connect(server, made)
        with pytest.raises(ValueError, match=r"Invalid request: .*missing a required argument"):
            connection.get_model("res.partner").write(ids=[1])
        with pytest.raises(ValueError, match=r"500: .*Invalid field 'nope'"):
            connection.get_model("res.partner").search(domain=[("nope", "=", 1)])
        assert connection.check_login() is True
        connect_wrong = connect(server, {**made, "key": "wrong"})
        assert connect_wrong.check_login() is False


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the snippet leaves the file of its key open
@pytest.mark.parametrize("number", ["2001", "2241"])
def test_the_released_snippet_runs_as_it_stands(released_erpbench: Path, tmp_path: Path, number: str) -> None:
    """But for port and key file; the product and the customer of its example, which no task has, are made first."""
    directory = next(path for path in find_releases(released_erpbench) if path.name.startswith(number))
    (snippet,) = SNIPPET.findall((directory / "instruction.md").read_text())
    with erp_server("split=test,index=0") as server:
        connection = connect(server, server.admin.show("bench"))
        connection.get_model("res.partner").create(vals_list=[{"name": "Example", "ref": "customer_001"}])
        connection.get_model("product.product").create(vals_list=[{"name": "Pump", "default_code": "SPP-001", "list_price": 450}])
        (tmp_path / "key").write_text(server.key)
        for printed, ours in (("8069", server.url.rpartition(":")[2]), ("/etc/odoo/api_key", str(tmp_path / "key"))):
            assert snippet.count(printed) == 1
            snippet = snippet.replace(printed, ours)
        assert run(snippet) == "Product: Pump, Stock: 0.0, Price: $450.0\n"
        (last,) = connection.get_model("sale.order").search_read(fields=["state", "amount_untaxed"], order="id desc", limit=1)
    assert (last["state"], last["amount_untaxed"]) == ("sale", 25 * 450.0)
