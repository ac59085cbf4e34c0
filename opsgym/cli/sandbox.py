"""The command sandbox."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from opsgym.cli.shared import Json, out, print_json

sandbox_app = typer.Typer(no_args_is_help=True, help="Look after the sandbox in which programs of agents run.")

Form = Annotated[str | None, typer.Option("--form", help="bubblewrap or plain; by default both.")]


@sandbox_app.callback()
def options() -> None:
    """Look after the sandbox in which programs of agents run."""


@sandbox_app.command()
def check(form: Form = None, as_json: Json = False) -> None:
    """Try to break out of each form that works here, say what came of it, and what each form promises; 1 if anything got out."""
    from opsgym.sandbox.check import Outcome, check_form
    from opsgym.sandbox.sandbox import FORMS, make_sandbox, why_not

    results = {}
    for name in FORMS if form is None else (form,):
        sandbox, reason, outcomes = make_sandbox(name), why_not(name), list[Outcome]()
        if not reason:
            outcomes = check_form(sandbox)
        promises = sandbox.guarantees
        results[name] = {
            "works": not reason,
            "reason": reason,
            "guarantees": list(promises.kept),
            "not_guaranteed": list(promises.not_kept),
            "attempts": [
                {
                    "group": one.escape.group,
                    "attempt": one.escape.name,
                    "contained": one.contained,
                    "how": one.how,
                    "problem": one.problem,
                    "host": one.host,
                    "goes_on": one.goes_on,
                    "seconds": round(one.seconds, 3),
                }
                for one in outcomes
            ],
        }
        if not as_json:
            _print(name, reason, outcomes)
            for title, promised in (
                ("It guarantees, on this machine:", promises.kept),
                ("It does not guarantee:", promises.not_kept),
            ):
                out.print(title, *(f"- {one}" for one in promised if not reason), sep="\n", end="\n\n")
    if as_json:
        print_json(results)
    if any(not attempt["contained"] for result in results.values() for attempt in result["attempts"]):  # type: ignore[attr-defined]  # a list
        raise typer.Exit(1)


def _print(name: str, reason: str, outcomes: list) -> None:  # type: ignore[type-arg]  # of what is imported where it is used
    if reason:
        out.print(f"{name}: does not work here: {reason}\n")
        return
    contained = sum(one.contained for one in outcomes)
    table = Table(title=f"{name}: {contained} of {len(outcomes)} attempts contained", title_justify="left")
    for column in ("what is tried", "attempt", "contained", "host", "goes on", "how it ended"):
        table.add_column(column)
    for one in outcomes:
        host = one.host or "unchanged"
        words = ("no" if one.problem else "yes", host, "yes" if one.goes_on else "no", one.problem or one.how)
        table.add_row(one.escape.group, one.escape.name, *words)
    out.print(table)
