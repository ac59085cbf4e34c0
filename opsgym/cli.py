"""The command ``opsgym``: demo, play, tasks, validate, audit, replay, info."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rich.text import Span, Text

import opsgym
from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import Task
from opsgym.data.fixed_sets import digest, seeds
from opsgym.data.packs import SUFFIXES, check_name, open_pack, pack_info, write_pack
from opsgym.data.splits import draw_seed
from opsgym.data.trajectories import replay_file
from opsgym.evaluate.audit import audit
from opsgym.evaluate.demo import DemoRow, demo_rows
from opsgym.evaluate.entry_points import entry_point_of, generate, load_env
from opsgym.evaluate.generation import Generated, Slot, build_fixed, generate_pack
from opsgym.evaluate.parallel import Progress, Workers
from opsgym.evaluate.play import Player
from opsgym.evaluate.selection import regions
from opsgym.evaluate.validate import validate

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
tasks_app = typer.Typer(help="Show, generate and import tasks.", no_args_is_help=True)
app.add_typer(tasks_app, name="tasks")

out = Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else 120)
err = Console(stderr=True, soft_wrap=True, highlight=False)

WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}

EnvId = Annotated[str, typer.Argument(help="Environment id, for example ERPBench-v0.", metavar="ID")]
Tier = Annotated[str | None, typer.Option(help="Difficulty region; by default the seed picks.")]
Pattern = Annotated[str | None, typer.Option(help="Structural pattern; by default the seed picks.")]
Split = Annotated[str | None, typer.Option(help="train, validation or test.")]
Seed = Annotated[int, typer.Option(help="Seed.", min=0)]
Jobs = Annotated[int, typer.Option("--workers", help="Number of processes.", min=1)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OutPack = Annotated[Path, typer.Option("--out", help=f"Pack to write; its name ends in {', '.join(SUFFIXES)}.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"opsgym {opsgym.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)]


@app.callback()
def options(version: Version = False) -> None:
    """Generate, import, play and validate tasks of OpsGym's environments."""


@app.command()
def demo(
    env_id: EnvId = "ERPBench-v0",
    released: Annotated[Path | None, typer.Option(help="Directory of released ERP-Bench tasks to play too.")] = None,
    count: Annotated[int, typer.Option("--tasks", help="Generated tasks for each tier and pattern.", min=0)] = 1,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play tasks with fixed policies and print what they earn; exit 1 where the oracle does not earn everything."""
    with _progress() as progress:
        rows = list(demo_rows(env_id, count=count, seed=seed, released=released, progress=progress))
    if as_json:
        _print_json([row.as_dict() for row in rows])
    else:
        for source in dict.fromkeys(row.source for row in rows):
            out.print(_demo_table(f"{env_id}, {source} tasks", [row for row in rows if row.source == source]), soft_wrap=False)
    if any(row.policy == "oracle" and row.reward != 1.0 for row in rows):
        raise typer.Exit(1)


def _demo_table(title: str, rows: Sequence[DemoRow]) -> Table:
    """One row for each kind of task, with a line a policy; a long pattern goes on beside the next policy."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("tier", no_wrap=True)
    table.add_column("pattern", overflow="fold")
    table.add_column("policy", no_wrap=True)
    for name in ("reward", "success", "checks\npassed", "tool\ncalls", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for (tier, pattern), group in groupby(rows, key=lambda row: (row.tier, row.pattern)):
        lines = [
            (
                row.policy,
                f"{row.reward:.3f}",
                f"{row.solved}/{row.tasks}",
                f"{row.passed}/{row.checks}",
                f"{row.calls:.0f}",
                f"{row.ms:.1f}",
            )
            for row in group
        ]
        table.add_row(tier, pattern, *("\n".join(column) for column in zip(*lines, strict=True)), end_section=True)
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
    player = Player(env, write=lambda text: out.print(escape(text), soft_wrap=not out.is_terminal))
    player.run(seed=seed, options={"index": index} if pack else {})
    env.close()


@app.command("validate")
def validate_command(
    env_id: EnvId,
    tasks: Annotated[int | None, typer.Option(help="How many tasks; by default 30, or the whole fixed set.", min=1)] = None,
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


@app.command("audit")
def audit_command(
    env_id: EnvId,
    tasks: Annotated[int | None, typer.Option(help="How many tasks; by default one of each tier and pattern.", min=1)] = None,
    pack: Annotated[Path | None, typer.Option(help="Mutate the tasks of this pack instead.")] = None,
    split: Split = None,
    workers: Jobs = 1,
    as_json: Json = False,
) -> None:
    """Break every rule of the verifier on tasks of every pattern, rule by pattern; exit 1 where one does not notice."""
    with _progress() as progress:
        report = audit(env_id, pack or tasks, split=split, workers=workers, progress=progress)
    if as_json:
        _print_json(report.as_dict())
    else:
        for line in report.lines():
            print(line)
        out.print(f"{env_id}: {report.tasks} tasks, {report.mutants} mutants, {len(report.survivors)} survivors")
    if not report.passed:
        raise typer.Exit(1)


@app.command("replay")
def replay_command(
    file: Annotated[Path, typer.Argument(help="Trajectories in JSON Lines or Parquet.", metavar="FILE")],
    as_json: Json = False,
) -> None:
    """Play recorded episodes again and compare every step, to the digest of the world; exit 1 where one differs.

    The file names the environments that are made: replay only files that you trust.
    """
    replayed = replay_file(file)
    if as_json:
        _print_json(asdict(replayed))
    else:
        for episode, found in replayed.differences.items():
            values = f"recorded {_start(found.recorded)}, replayed {_start(found.replayed)}"
            out.print(escape(f"episode {episode}, step {found.step}: {found.what} differs: {values}"))
        out.print(f"{replayed.episodes} episodes, {replayed.steps} steps, {len(replayed.differences)} episodes differ")
    if replayed.differences:
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
        for number, line in enumerate(f"{name}:{_plain(value)}".splitlines()):
            text = fill(line, out.width, subsequent_indent="      ", **WHOLE_WORDS) if out.is_terminal else line
            out.print(Text(text, spans=[Span(0, 0 if number else len(name), "bold")]))


def _start(value: Any) -> str:
    """The first words of a value on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


def _env_info(env_id: str) -> dict[str, Any]:
    env = load_env(entry_point_of(env_id), cache=None)
    family = env.family
    fields = family.params_type.model_json_schema()["properties"]
    return {
        "environment": env_id,
        "version": family.version,
        "tiers": {
            tier: [pattern for _, pattern in group] for tier, group in groupby(regions(family), key=lambda region: region[0])
        },
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
    """Generate tasks and write them to a pack; an interrupted run goes on where it was when it is started again."""
    overrides = dict(_assignment(text) for text in param or ()) | ({"style": style} if style else {})
    wanted = [Slot(seeds=seeds(seed, number, split), tier=tier, pattern=pattern, params=overrides) for number in range(count)]
    with _progress() as progress:
        made = generate_pack(out_pack, entry_point_of(env_id), wanted, workers=workers, progress=progress)
    _print_generated(made, out_pack)


@tasks_app.command("build-fixed")
def build_fixed_command(
    env_id: EnvId,
    out_pack: Annotated[Path | None, typer.Option("--out", help="Pack to write; by default the one that ships.")] = None,
    workers: Jobs = 1,
) -> None:
    """Make the fixed set of an environment anew from its fixed seeds, and print its checksum."""
    with _progress() as progress:
        path, made = build_fixed(env_id, out_pack, workers=workers, progress=progress)
    _print_generated(made, path)
    out.print(f"sha256 {digest(open_pack(path))}")


def _print_generated(made: Generated, path: Path) -> None:
    note = f", {made.replaced} of them for seeds without a solvable task" if made.replaced else ""
    out.print(f"{made.tasks} tasks in {escape(str(path))}{note}")


@tasks_app.command("import")
def import_command(
    directory: Annotated[Path, typer.Argument(help="Directory of released ERP-Bench tasks.", metavar="DIR")],
    out_pack: OutPack,
    workers: Jobs = 1,
) -> None:
    """Solve released tasks anew, say how many certificates agree, and write those to a pack; exit 1 where one does not."""
    from opsgym.data.erp_bench_import import import_release
    from opsgym.data.erp_bench_release import find_releases

    check_name(out_pack)  # before minutes of solving
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
    """What follows a name: a blank and a value or a list of values, or a line for each part."""
    if isinstance(value, dict):
        return "".join(f"\n  {key}:{_plain(item)}" for key, item in value.items())
    return " " + (", ".join(map(str, value)) if isinstance(value, list) else str(value))


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
    """Run the command; errors of OpsGym and of files are one line and exit code 2.

    Args:
        arguments: What follows ``opsgym`` on the command line; by default the process's own.
    """
    run: Callable[..., Any] = app
    try:
        run(args=arguments)
    except (OpsGymError, OSError) as error:
        err.print(escape("error: " + " ".join(str(error).split())))
        sys.exit(2)


if __name__ == "__main__":
    main()
