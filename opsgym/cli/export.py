"""Commands that export tasks to other programs' formats: harbor, check-harbor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from opsgym.cli.shared import EnvId, Jobs, Split, err, out, progress_bars
from opsgym.core.errors import TaskError
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Workers
from opsgym.evaluate.selection import select

export_app = typer.Typer(help="Write tasks for other programs.", no_args_is_help=True)


@export_app.command()
def harbor(
    env_id: EnvId,
    out_directory: Annotated[
        Path, typer.Option("--out", help="Directory in which the task directories are written.", metavar="DIR")
    ],
    split: Split = None,
    count: Annotated[int | None, typer.Option(help="How many tasks; by default the whole fixed set, or 30.", min=1)] = None,
    tasks: Annotated[Path | None, typer.Option(help="Export the tasks of this pack instead.", metavar="PACK")] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(help="Wheel from which the images install OpsGym; by default from PyPI.", exists=True, dir_okay=False),
    ] = None,
    workers: Jobs = 1,
) -> None:
    """Write tasks as task directories of Harbor; an export that was cut off goes on where it was."""
    from opsgym.data.harbor.export import export_tasks
    from opsgym.data.harbor.files import check_family

    if count is not None and tasks is not None:
        raise TaskError("expected either a number of tasks or a pack, got both", field="tasks")
    entry_point = entry_point_of(env_id)
    family = load_env(entry_point, cache=None).family
    check_family(family.id)
    with progress_bars() as progress:
        with Workers(workers, progress=progress) as pool:
            chosen = select(family, entry_point, count if tasks is None else tasks, split, pool)
        exported = export_tasks(out_directory, chosen, wheel=wheel, progress=progress)
    note = "" if exported.written == len(exported.directories) else f", {exported.written} of them new"
    out.print(f"{len(exported.directories)} tasks in {escape(str(out_directory))}{note}")


@export_app.command("check-harbor")
def check_harbor(
    directory: Annotated[Path, typer.Argument(help="Exported task directories.", metavar="DIR")],
    logs: Annotated[Path, typer.Option(help="Directory for rewards and output, a folder a task and agent.", metavar="DIR")],
    count: Annotated[int | None, typer.Option(help="Only this many, from the first one on.", min=1)] = None,
) -> None:
    """Play exported tasks as plain processes, once with the solution and once with nothing; exit 1 where a reward is wrong."""
    from opsgym.data.harbor.check import AGENTS, play
    from opsgym.data.harbor.read import find_directories

    wrong = 0
    for path in find_directories(directory)[:count]:
        for agent, due in AGENTS.items():
            played = play(path, logs / path.name / agent, agent)
            out.print(escape(f"{played.name} {agent}: {played.rewards['reward']:g}"), style=None if played.is_due else "bold red")
            if not played.is_due:
                wrong += 1
                err.print(escape(f"expected {due:g}; see {logs / path.name / agent / 'verifier' / 'verdict.json'}"))
    if wrong:
        raise typer.Exit(1)
