"""The command ``opsgym``: demo, play, tasks, validate, info."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as ProgressBar
from rich.table import Table

import opsgym
from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import Task
from opsgym.data.packs import SUFFIXES, open_pack, pack_info, write_pack
from opsgym.data.splits import draw_seed
from opsgym.evaluate.demo import DEMO_POLICIES, DemoRow, demo_rows
from opsgym.evaluate.entry_points import entry_point_of, generate, load_env
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.play import Player
from opsgym.evaluate.validate import regions, validate

app = typer.Typer(help=opsgym.__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
tasks_app = typer.Typer(help="Show, generate and import tasks.", no_args_is_help=True)
app.add_typer(tasks_app, name="tasks")

out = Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else 120)
err = Console(stderr=True, soft_wrap=True, highlight=False)

EnvId = Annotated[str, typer.Argument(help="Environment id, for example ERPBench-v0.", metavar="ID")]
Tier = Annotated[str | None, typer.Option(help="Difficulty region; by default the seed picks.")]
Pattern = Annotated[str | None, typer.Option(help="Structural pattern; by default the seed picks.")]
Split = Annotated[str | None, typer.Option(help="train, validation or test.")]
Seed = Annotated[int, typer.Option(help="Seed.", min=0)]
Jobs = Annotated[int, typer.Option("--workers", help="Number of processes.", min=1)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OutPack = Annotated[Path, typer.Option("--out", help=f"Pack to write; its name ends in {', '.join(SUFFIXES)}.")]


@app.command()
def demo(
    released: Annotated[Path | None, typer.Option(help="Directory of released ERP-Bench tasks to play too.")] = None,
    count: Annotated[int, typer.Option("--tasks", help="Generated tasks for each tier and pattern.", min=0)] = 1,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play tasks with fixed policies and print what they earn; exit 1 where the oracle does not earn everything."""
    with _progress() as progress:
        rows = list(demo_rows("ERPBench-v0", count=count, seed=seed, released=released, progress=progress))
    if as_json:
        _print_json([row.as_dict() for row in rows])
    else:
        for source in dict.fromkeys(row.source for row in rows):
            out.print(_demo_table(f"ERPBench-v0, {source} tasks", [row for row in rows if row.source == source]), soft_wrap=False)
    if any(row.policy == "oracle" and row.reward != 1.0 for row in rows):
        raise typer.Exit(1)


def _demo_table(title: str, rows: Sequence[DemoRow]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("tier", no_wrap=True)
    table.add_column("pattern", overflow="ellipsis")
    table.add_column("policy", no_wrap=True)
    for name in ("reward", "success", "checks\npassed", "tool\ncalls", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        figures = (
            f"{row.reward:.3f}",
            f"{row.solved}/{row.tasks}",
            f"{row.passed}/{row.checks}",
            f"{row.calls:.0f}",
            f"{row.ms:.1f}",
        )
        table.add_row(row.tier, row.pattern, row.policy, *figures, end_section=row.policy == DEMO_POLICIES[-1])
    return table


@app.command()
def play(
    env_id: EnvId = "ERPBench-v0",
    tier: Tier = None,
    pattern: Pattern = None,
    seed: Seed = 0,
    pack: Annotated[Path | None, typer.Option(help="Play a task of this pack.")] = None,
    index: Annotated[int, typer.Option(help="Which task of the pack.")] = 0,
    harness: Annotated[str | None, typer.Option(help="Tool surface.")] = None,
    disclosure: Annotated[str | None, typer.Option(help="How much the brief says.")] = None,
) -> None:
    """Solve a task yourself; commands come from the terminal or, line by line, from standard input."""
    chosen: dict[str, Any] = {"tier": tier, "pattern": pattern, "tasks": pack, "harness": harness, "disclosure": disclosure}
    env = load_env(entry_point_of(env_id), **chosen)
    Player(env, write=lambda text: out.print(escape(text))).run(seed=seed, options={"index": index} if pack else {})
    env.close()


@app.command("validate")
def validate_command(
    env_id: EnvId,
    tasks: Annotated[int, typer.Option(help="How many tasks to generate.", min=1)] = 30,
    pack: Annotated[Path | None, typer.Option(help="Examine the tasks of this pack instead.")] = None,
    split: Split = None,
    workers: Jobs = 1,
    as_json: Json = False,
) -> None:
    """Examine every promise of an environment, one line each; exit 1 where one does not hold."""
    with _progress() as progress:
        report = validate(env_id, pack or tasks, split=split, workers=workers, progress=progress)
    if as_json:
        _print_json(report.as_dict())
    else:
        for line in report.lines:
            out.print(escape(str(line)), style=None if line.passed else "bold red")
        out.print(f"{env_id}: {report.tasks} tasks, {'every promise holds' if report.passed else 'some promises do not hold'}")
    if not report.passed:
        raise typer.Exit(1)


@app.command()
def info(
    what: Annotated[str | None, typer.Argument(help="An environment id or a pack.", metavar="[ID | PACK]")] = None,
    as_json: Json = False,
) -> None:
    """Say what there is: environments, one environment, or a pack."""
    if what is None:
        data: dict[str, Any] = {"opsgym": opsgym.__version__, "environments": list(opsgym.ENV_IDS)}
    elif what.endswith(SUFFIXES):
        data = pack_info(what)
    else:
        data = _env_info(what)
    if as_json:
        _print_json(data)
        return
    for name, value in data.items():
        out.print(f"[bold]{name}[/bold]: {escape(_plain(value))}")


def _env_info(env_id: str) -> dict[str, Any]:
    env = load_env(entry_point_of(env_id), cache=None)
    family = env.family
    fields = family.params_type.model_json_schema()["properties"]
    return {
        "environment": env_id,
        "version": family.version,
        "regions": [f"{tier} {pattern}" for tier, pattern in regions(family)],
        "harnesses": list(family.harnesses),
        "disclosures": list(family.disclosures),
        "reward_modes": list(family.reward_modes),
        "max_steps": family.max_steps,
        "tools": list(env.tools),
        "parameters": {name: _parameter(field) for name, field in fields.items()},
    }


def _parameter(field: dict[str, Any]) -> str:
    bounds = f" from {field['minimum']} to {field['maximum']}" if "minimum" in field and "maximum" in field else ""
    harder = {"up": ", harder upwards", "down": ", harder downwards"}.get(field.get("harder", ""), "")
    return f"{field.get('description', '')} [{field.get('unit', '')}{bounds}{harder}]"


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
        _print_json({"certificate": task.certificate.model_dump(mode="json"), "metadata": task.metadata})
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
    """Generate tasks and write them to a pack."""
    overrides = dict(_assignment(text) for text in param or ()) | ({"style": style} if style else {})
    entry_point = entry_point_of(env_id)
    seeds = [draw_seed(np.random.default_rng([seed, number]), split) for number in range(count)]
    jobs = [(entry_point, task_seed, tier, pattern, overrides) for task_seed in seeds]
    with _progress() as progress, Workers(workers, progress=progress) as pool:
        written = write_pack(out_pack, map(Task.from_json, pool.map("generating", generate, jobs)))
    out.print(f"{written} tasks in {escape(str(out_pack))}")


@tasks_app.command("import")
def import_command(
    directory: Annotated[Path, typer.Argument(help="Directory of released ERP-Bench tasks.", metavar="DIR")],
    out_pack: OutPack,
    workers: Jobs = 1,
) -> None:
    """Solve released tasks anew, say how many certificates agree, and write those to a pack; exit 1 where one does not."""
    from opsgym.data.erp_bench_import import import_release
    from opsgym.data.erp_bench_release import find_releases

    found = find_releases(directory)
    if not found:
        raise TaskError(f"no released task at or below {str(directory)!r}", field="DIR")
    with _progress() as progress, Workers(workers, progress=progress) as pool:
        imported = list(pool.map("solving", import_release, [(path,) for path in found]))
    agreeing = [item.task for item in imported if item.task is not None]
    for item in imported:
        if item.problem:
            out.print(escape(f"{item.name}: {item.problem}"))
    out.print(f"{len(agreeing)} of {len(imported)} certificates agree")
    if agreeing:
        write_pack(out_pack, agreeing)
        out.print(f"{len(agreeing)} tasks in {escape(str(out_pack))}")
    if len(agreeing) < len(imported):
        raise typer.Exit(1)


def _assignment(text: str) -> tuple[str, Any]:
    """A parameter given as name=value; the value is JSON, or else text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise TaskError(f"expected name=value, got {text!r}", field="param")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(f"\n  {key}: {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _print_json(data: Any) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False))


@contextmanager
def _progress() -> Iterator[Progress]:
    """A progress bar on standard error, where that is a terminal."""
    with ProgressBar(console=err, transient=True, disable=not err.is_terminal) as bar:
        phases: dict[str, Any] = {}

        def advance(phase: str, done: int, total: int) -> None:
            if phase not in phases:
                phases[phase] = bar.add_task(phase, total=total)
            bar.update(phases[phase], completed=done)

        yield advance


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors of OpsGym are one line and exit code 2.

    Args:
        arguments: What follows ``opsgym`` on the command line; by default the process's own.
    """
    run: Callable[..., Any] = app
    try:
        run(args=arguments)
    except OpsGymError as error:
        err.print(escape("error: " + " ".join(str(error).split())))
        sys.exit(2)


if __name__ == "__main__":
    main()
