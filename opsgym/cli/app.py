"""The command ``opsgym`` and what it leads to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

import opsgym
from opsgym.cli.evaluate import eval_command, report_command
from opsgym.cli.examine import audit_command, validate_command
from opsgym.cli.export import export_app
from opsgym.cli.info import info
from opsgym.cli.play import demo, play, replay_command
from opsgym.cli.sandbox import sandbox_app
from opsgym.cli.serve import serve_app
from opsgym.cli.shared import err
from opsgym.cli.tasks import tasks_app
from opsgym.core.errors import OpsGymError, RegistryError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(demo)
app.command()(play)
app.command("eval")(eval_command)
app.command("report")(report_command)
app.command("validate")(validate_command)
app.command("audit")(audit_command)
app.command("replay")(replay_command)
app.command()(info)
app.add_typer(tasks_app, name="tasks")
app.add_typer(serve_app, name="serve")
app.add_typer(export_app, name="export")
app.add_typer(sandbox_app, name="sandbox")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"opsgym {opsgym.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)]


@app.callback()
def options(version: Version = False) -> None:
    """Generate, import, play and validate tasks of OpsGym's environments, and measure agents on them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors of OpsGym and of files are one line and exit code 2.

    Args:
        arguments: What follows ``opsgym`` on the command line; by default the process's own.
    """
    run: Callable[..., Any] = app
    try:
        run(args=arguments)
    except (OpsGymError, OSError) as error:
        err.print(escape(" ".join(f"error: {error} {_where(error)}".split())))
        sys.exit(2)


def _where(error: Exception) -> str:
    """Where to find all names, when there are too many for a message."""
    if not isinstance(error, RegistryError) or len(error.known) <= RegistryError.MOST:
        return ""
    return {"pattern": "(all: opsgym info ID)", "tool": "(all: opsgym info ID --tools)"}.get(error.kind, "")
