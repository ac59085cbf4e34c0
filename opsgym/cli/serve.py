"""Commands that serve environments to clients of other protocols."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from opsgym.cli.serve_mcp import mcp_command
from opsgym.cli.shared import Json, out
from opsgym.core.errors import OpsGymError, TaskError

if TYPE_CHECKING:
    from opsgym.serve.server import ErpServer

serve_app = typer.Typer(help="Serve environments to clients that speak other protocols.", no_args_is_help=True)
serve_app.command("mcp")(mcp_command)

KeyFile = Annotated[Path | None, typer.Option(help="File of the agent's key; made where it does not exist.", dir_okay=False)]
AdminKeyFile = Annotated[
    Path | None, typer.Option(help="File of the operator's key; made where it does not exist.", dir_okay=False)
]


@serve_app.command("erp")
def serve_erp(
    task: Annotated[
        list[str] | None,
        typer.Option(help="Task of a database, such as split=test,index=12 or file=task.json,database=bench; may be repeated."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address of both ports.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of agents; 0 takes a free one.", min=0, max=65535)] = 8069,
    admin_port: Annotated[int, typer.Option(help="Port of the operator; 0 takes a free one.", min=0, max=65535)] = 8070,
    key_file: KeyFile = None,
    admin_key_file: AdminKeyFile = None,
    disclosure: Annotated[str | None, typer.Option(help="How much the brief says.")] = None,
    max_body: Annotated[int, typer.Option(help="Greatest body of a request in bytes.", min=1)] = 4 * 2**20,
    call_seconds: Annotated[float, typer.Option(help="Running time after which a call is undone.", min=0.001)] = 30.0,
    as_json: Json = False,
) -> None:
    """Serve the ERP of ERPBench tasks as Odoo 19 serves its JSON-2 API, until SIGTERM or SIGINT.

    Databases are made, reset, judged and deleted through the operator's port.
    """
    from opsgym.serve.limits import Limits

    try:
        from opsgym.serve.server import ErpServer
    except ModuleNotFoundError as error:
        raise OpsGymError('serving the ERP needs starlette and uvicorn: pip install "opsgym[serve]"') from error
    key, admin_key = _key(key_file), _key(admin_key_file)
    limits = Limits(body_bytes=max_body, call_seconds=call_seconds)
    server = ErpServer(host=host, port=port, admin_port=admin_port, admin_key=admin_key, limits=limits)
    try:
        for text in task or ():
            name, database = _split(text)
            server.databases.create(name, database, key=key, disclosure=disclosure)
        _print(server, as_json=as_json, shows_keys=key_file is None, shows_admin_key=admin_key_file is None)
        server.run()
    finally:
        server.close()


def _split(text: str) -> tuple[str, str | None]:
    """What names the task, and the name of the database where one is given."""
    parts = text.split(",")
    names = [part.partition("=")[2] for part in parts if part.strip().startswith("database=")]
    if len(names) > 1:
        raise TaskError(f"expected one database name, got {text!r}", field="task")
    return ",".join(part for part in parts if not part.strip().startswith("database=")), names[0] if names else None


def _key(file: Path | None) -> str | None:
    """The key in a file; a fresh one is written, for the user's eyes only, where there is none."""
    from opsgym.serve.databases import fresh_key

    if file is None:
        return None
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text(encoding="utf-8").strip()
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(f"{(key := fresh_key())}\n")
    return key


def _print(server: ErpServer, *, as_json: bool, shows_keys: bool, shows_admin_key: bool) -> None:
    databases = list(server.databases.values())
    if as_json:
        listed = [{"database": one.name, "key": one.key, "task_id": one.task.id} for one in databases]
        facts = {"url": server.url, "admin_url": server.admin_url, "admin_key": server.admin_key, "databases": listed}
        print(json.dumps(facts), flush=True)
        return
    for one in databases:
        out.print(escape(f"database {one.name}: task {one.task.id}" + (f", key {one.key}" if shows_keys else "")))
    out.print(f"agents:   {server.url}")
    out.print(f"operator: {server.admin_url}" + (f", key {server.admin_key}" if shows_admin_key else ""))
