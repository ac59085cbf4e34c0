"""Commands that examine environments: validate, audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from opsgym.cli.shared import EnvId, Jobs, Json, Split, out, print_json, progress_bars
from opsgym.evaluate.audit import audit
from opsgym.evaluate.validate import validate


def validate_command(
    env_id: EnvId,
    tasks: Annotated[int | None, typer.Option(help="How many tasks; by default 30, or the whole fixed set.", min=1)] = None,
    pack: Annotated[Path | None, typer.Option(help="Examine the tasks of this pack instead.")] = None,
    split: Split = None,
    workers: Jobs = 1,
    as_json: Json = False,
) -> None:
    """Examine every promise of an environment, one line each; exit 1 where one does not hold."""
    with progress_bars() as progress:
        report = validate(env_id, pack or tasks, split=split, workers=workers, progress=progress)
    if as_json:
        print_json(report.as_dict())
    else:
        for line in report.lines:
            out.print(escape(str(line)), style=None if line.passed else "bold red")
        out.print(f"{env_id}: {report.tasks} tasks, {'every promise holds' if report.passed else 'some promises do not hold'}")
    if not report.passed:
        raise typer.Exit(1)


def audit_command(
    env_id: EnvId,
    tasks: Annotated[int | None, typer.Option(help="How many tasks; by default one of each tier and pattern.", min=1)] = None,
    pack: Annotated[Path | None, typer.Option(help="Mutate the tasks of this pack instead.")] = None,
    split: Split = None,
    workers: Jobs = 1,
    as_json: Json = False,
) -> None:
    """Break every rule of the verifier on tasks of every pattern, rule by pattern; exit 1 where one does not notice."""
    with progress_bars() as progress:
        report = audit(env_id, pack or tasks, split=split, workers=workers, progress=progress)
    if as_json:
        print_json(report.as_dict())
    else:
        for line in report.lines():
            print(line)
        out.print(f"{env_id}: {report.tasks} tasks, {report.mutants} mutants, {len(report.survivors)} survivors")
    if not report.passed:
        raise typer.Exit(1)
