"""What the commands share: their consoles, the options that several of them have, and how they print."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress as ProgressBar

from opsgym.core.errors import TaskError
from opsgym.data.packs import SUFFIXES
from opsgym.evaluate.parallel import Progress

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


def assignment(text: str) -> tuple[str, Any]:
    """A parameter given as name=value; the value is JSON, or else text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise TaskError(f"expected name=value, got {text!r}", field="param")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def print_json(data: Any) -> None:
    """Print a value as indented JSON."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """A progress bar on standard error, where that is a terminal."""
    with ProgressBar(console=err, transient=True, disable=not err.is_terminal) as bar:
        phases: dict[str, Any] = {}

        def advance(phase: str, done: int, total: int) -> None:
            if phase not in phases:
                phases[phase] = bar.add_task(phase, total=total)
            bar.update(phases[phase], completed=done)

        yield advance
