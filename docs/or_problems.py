"""Pages about the problem classes of ORAgentBench, a page each, written from what the classes declare."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.catalogue import NAMES, find_problem
from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.params import DIMENSIONS, OrParams
from opsgym.envs.or_agent_bench.sampler import seen

LEVELS = dict.fromkeys(DIMENSIONS, 3)
"""Levels of the instance from which a page takes its rules: all of them apply."""


def write_pages(folder: Path) -> None:
    """Write the page of each class; a page that has not changed is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        page, text = folder / f"{name}.md", "\n\n".join(_page(find_problem(name))) + "\n"
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def _page(problem: Problem) -> Iterator[str]:
    instance = problem.draw(OrParams.build({"problem": problem.name, **LEVELS}), Stream("docs", problem.name))
    last = seen(problem, instance, problem.rolling.epochs - 1, problem.rolling.epochs) if problem.rolling else instance
    module = import_module(f"opsgym.envs.or_agent_bench.problems.{problem.name}")
    yield f"# {problem.title}"
    yield f"`{problem.name}` · {problem.scenario} · {problem.structure}"
    yield (inspect.getdoc(module) or "").partition("\n\n")[2]
    yield "## Story"
    yield problem.story(last)
    yield "## Objective"
    yield problem.objective(last)
    yield "## Rules"
    yield "Every rule that the validator enforces, as briefs say it; those of a task depend on its levels."
    yield "\n".join(["| rule | |", "|---|---|", *(f"| `{rule}` | {text} |" for rule, text in problem.rules(last).items())])
    yield "A careless modeller may omit: " + ", ".join(f"`{rule}`" for rule in problem.model.OMITTABLE) + "."
    yield "## Files"
    for path, columns in problem.dictionary.items():
        yield f"`{path}`"
        yield "\n".join(f"- `{name}`: {meaning}" for name, meaning in columns.items())
    if problem.rolling:
        yield "## Rolling form"
        yield f"{problem.rolling.epochs} periods. The notice of the second one in the example:"
        yield "```text\n" + problem.rolling.notice(seen(problem, instance, 1, problem.rolling.epochs), 1).strip() + "\n```"


def table() -> str:
    """The classes, a row each."""
    rows = ["| class | scenario | structure | rolling | rules |", "|---|---|---|---|---|"]
    for name in NAMES:
        problem = find_problem(name)
        instance = problem.draw(OrParams.build({"problem": name, **LEVELS}), Stream("docs", name))
        last = seen(problem, instance, problem.rolling.epochs - 1, problem.rolling.epochs) if problem.rolling else instance
        rolls = "yes" if problem.rolling else ""
        link = f"{{doc}}`{name} <or_problems/{name}>`"
        rows.append(f"| {link} | {problem.scenario} | {problem.structure} | {rolls} | {len(problem.rules(last))} |")
    return "\n".join(rows)
