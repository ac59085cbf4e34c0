"""Commands about tasks: show, generate, build-fixed, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

from opsgym.cli.shared import EnvId, Jobs, Json, OutPack, Pattern, Seed, Split, Tier, assignment, out, print_json, progress_bars
from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.data.fixed_sets import digest, seeds
from opsgym.data.packs import SUFFIXES, check_name, open_pack, write_pack
from opsgym.data.splits import draw_seed
from opsgym.evaluate.entry_points import entry_point_of, generate
from opsgym.evaluate.generation import Generated, Slot, build_fixed, generate_pack
from opsgym.evaluate.parallel import Workers

tasks_app = typer.Typer(help="Show, generate and import tasks.", no_args_is_help=True)


@tasks_app.command()
def show(
    source: Annotated[str, typer.Argument(help="A pack or an environment id.", metavar="PACK | ID")],
    index: Annotated[int, typer.Option(help="Which task of a pack.")] = 0,
    tier: Tier = None,
    pattern: Pattern = None,
    seed: Seed = 0,
    solution: Annotated[bool, typer.Option("--solution", help="Show certificate, oracle and checks too.")] = False,
    as_json: Json = False,
) -> None:
    """Show a task."""
    if source.endswith(SUFFIXES):
        pack = open_pack(source)
        if not -len(pack) <= index < len(pack):
            raise TaskError(f"expected an index below {len(pack)}, got {index}", field="index")
        task = pack[index]
    else:
        task = Task.from_json(generate(entry_point_of(source), draw_seed(np.random.default_rng(seed)), tier, pattern))
    if as_json:
        print(task.to_json())
        return
    out.print(f"[bold]{escape(f'{task.family} {task.tier} {task.pattern} {task.id}')}[/bold]\n\n{escape(task.instruction)}")
    if solution:
        print_json({"certificate": task.certificate.model_dump(mode="json"), "metadata": task.metadata})
        for call in task.oracle:
            out.print(escape(call.model_dump_json()))
        for check in task.checks:
            out.print(escape(check.model_dump_json()))


@tasks_app.command("generate")
def generate_command(
    env_id: EnvId,
    out_pack: OutPack,
    count: Annotated[int, typer.Option(help="Number of tasks.", min=1)] = 10,
    tier: Tier = None,
    pattern: Pattern = None,
    split: Split = None,
    style: Annotated[str | None, typer.Option(help="How the sampler draws, where the family has such a parameter.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="Difficulty parameter as name=value; may be repeated.")] = None,
    seed: Seed = 0,
    workers: Jobs = 1,
) -> None:
    """Generate tasks and write them to a pack; an interrupted run goes on where it was when it is started again."""
    overrides = dict(assignment(text) for text in param or ()) | ({"style": style} if style else {})
    wanted = [Slot(seeds=seeds(seed, number, split), tier=tier, pattern=pattern, params=overrides) for number in range(count)]
    with progress_bars() as progress:
        made = generate_pack(out_pack, entry_point_of(env_id), wanted, workers=workers, progress=progress)
    _print_generated(made, out_pack)


@tasks_app.command("build-fixed")
def build_fixed_command(
    env_id: EnvId,
    out_pack: Annotated[Path | None, typer.Option("--out", help="Pack to write; by default the one that ships.")] = None,
    workers: Jobs = 1,
) -> None:
    """Make the fixed set of an environment anew from its fixed seeds, and print its checksum."""
    with progress_bars() as progress:
        path, made = build_fixed(env_id, out_pack, workers=workers, progress=progress)
    _print_generated(made, path)
    out.print(f"sha256 {digest(open_pack(path))}")


def _print_generated(made: Generated, path: Path) -> None:
    note = f", {made.replaced} of them for seeds without a solvable task" if made.replaced else ""
    out.print(f"{made.tasks} tasks in {escape(str(path))}{note}")


@tasks_app.command("import")
def import_command(
    out_pack: OutPack,
    directory: Annotated[Path | None, typer.Argument(help="Directory of released ERP-Bench tasks.", metavar="DIR")] = None,
    harbor: Annotated[
        Path | None, typer.Option(help="Directory of Harbor's task directories, exported ones or released ones.", metavar="DIR")
    ] = None,
    workers: Jobs = 1,
) -> None:
    """Read task directories and write those that are sound to a pack; exit 1 where one is not. Released ones are solved anew."""
    from opsgym.data.erp_bench_import import import_release
    from opsgym.data.erp_bench_release import find_releases
    from opsgym.data.harbor.read import find_directories, import_directory

    check_name(out_pack)  # before minutes of solving
    root = directory or harbor
    if root is None or (directory and harbor):
        raise TaskError("expected either DIR or --harbor DIR", field="DIR")
    find, read, verb = (find_directories, import_directory, "are sound") if harbor else (find_releases, import_release, "agree")
    found = find(root)
    if not found:
        raise TaskError(f"no released task at or below {str(root)!r}", field="DIR")
    with progress_bars() as progress, Workers(workers, progress=progress) as pool:
        imported = list(pool.map("reading", read, [(path,) for path in found]))
    sound = [item.task for item in imported if item.task is not None]
    for item in imported:
        if item.problem:
            out.print(escape(f"{item.name}: {item.problem}"))
    out.print(f"{len(sound)} of {len(imported)} {'directories' if harbor else 'certificates'} {verb}")
    if sound:
        write_pack(out_pack, sound)
        out.print(f"{len(sound)} tasks in {escape(str(out_pack))}")
    if len(sound) < len(imported):
        raise typer.Exit(1)
