"""Commands that play episodes: demo, play, replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from opsgym.cli.shared import EnvId, Json, Pattern, Seed, Tier, out, print_json, progress_bars
from opsgym.data.trajectories import replay_file
from opsgym.evaluate.demo import DemoRow, demo_rows
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.play import Player


def demo(
    env_id: EnvId = "ERPBench-v0",
    released: Annotated[Path | None, typer.Option(help="Directory of released ERP-Bench tasks to play too.")] = None,
    count: Annotated[int, typer.Option("--tasks", help="Generated tasks for each tier and pattern.", min=0)] = 1,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play tasks with fixed policies and print what they earn; exit 1 where the oracle does not earn everything."""
    with progress_bars() as progress:
        rows = list(demo_rows(env_id, count=count, seed=seed, released=released, progress=progress))
    if as_json:
        print_json([row.as_dict() for row in rows])
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


def replay_command(
    file: Annotated[Path, typer.Argument(help="Trajectories in JSON Lines or Parquet.", metavar="FILE")],
    as_json: Json = False,
) -> None:
    """Play recorded episodes again and compare every step, to the digest of the world; exit 1 where one differs.

    The file names the environments that are made: replay only files that you trust.
    """
    replayed = replay_file(file)
    if as_json:
        print_json(asdict(replayed))
    else:
        for episode, found in replayed.differences.items():
            values = f"recorded {_start(found.recorded)}, replayed {_start(found.replayed)}"
            out.print(escape(f"episode {episode}, step {found.step}: {found.what} differs: {values}"))
        out.print(f"{replayed.episodes} episodes, {replayed.steps} steps, {len(replayed.differences)} episodes differ")
    if replayed.differences:
        raise typer.Exit(1)


def _start(value: Any) -> str:
    """The first words of a value on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:79] + "…"
