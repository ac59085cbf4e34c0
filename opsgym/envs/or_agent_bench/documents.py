"""Documents: the working folder that an agent finds, made of what a class says about an instance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.contract import Problem
from opsgym.envs.or_agent_bench.kit import SUBMISSION
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

BRIEF = "BRIEF.md"
MEMO = "notes/memo.md"
SCHEMA = "submission_schema.json"
PROGRAM = "solve.py"
"""The agent's program, in the working folder."""
ACCEPTED = "state/accepted.json"
"""The plan that was accepted in the epoch before."""

MEMO_SHARE = (0, 0, 3, 2)
"""By level of understanding: every which rule stands in the memo instead of the brief; 0 for none."""

ASIDES = (
    "Thank you for the quick turnaround on the last plan; the site teams noticed.",
    "The dashboard figures are refreshed on Mondays and are of no concern to this plan.",
    "Please keep sending questions to the shared mailbox, not to individual people.",
    "Parking at the north gate is closed this month; this has no bearing on planning.",
    "The audit asked us to write such rules down, so here is one that used to be passed on by word of mouth.",
)
"""Sentences of a memo that say nothing about the task."""


def documents(problem: Problem, instance: Any, *, understanding: int, key: object, epoch: int = 0) -> dict[str, str]:
    """The public files of one epoch by path.

    Args:
        problem: The class.
        instance: The instance as known in the epoch.
        understanding: Level of problem understanding.
        key: Names the stream of the wrinkles; the same in all epochs.
        epoch: Number of the epoch.
    """
    stream = Stream("or_agent_bench.documents", key)
    wrinkles = Wrinkles(understanding, stream)
    data = dict(problem.files(instance, wrinkles))
    rules = dict(problem.rules(instance))
    share = MEMO_SHARE[understanding]
    in_memo = [rule for number, rule in enumerate(rules) if share and number % share == share - 1]
    found = {SCHEMA: json.dumps(schema(problem), indent=2, sort_keys=True) + "\n", **data}
    found[BRIEF] = _brief(
        problem, instance, [text for rule, text in rules.items() if rule not in in_memo], wrinkles, bool(in_memo)
    )
    if in_memo:
        found[MEMO] = _memo([rules[rule] for rule in in_memo], Stream("or_agent_bench.memo", key))
    if epoch and problem.rolling:
        found[f"notes/notice_{epoch}.md"] = problem.rolling.notice(instance, epoch)
    return found


def schema(problem: Problem) -> dict[str, Any]:
    """JSON Schema of a submission."""
    return TypeAdapter(problem.plan).json_schema()


def _brief(problem: Problem, instance: Any, rules: list[str], wrinkles: Wrinkles, has_memo: bool) -> str:
    parts = [f"# {problem.title}", problem.story(instance), "## Objective", problem.objective(instance), "## Rules"]
    if wrinkles.level >= 3:
        parts.append(" ".join(rules))
    else:
        parts.append("\n".join(f"{number}. {text}" for number, text in enumerate(rules, start=1)))
    if has_memo:
        parts.append(f"The rules in `{MEMO}` bind as well.")
    parts += ["## Files", _dictionary(problem.dictionary)]
    if wrinkles.conventions:
        parts += ["## Conventions", "\n".join(f"- {text}" for text in wrinkles.conventions)]
    parts += [
        "## Submission",
        f"`{SUBMISSION}`, a JSON object as `{SCHEMA}` describes it; fields that it does not name are refused.",
    ]
    return "\n\n".join(parts) + "\n"


def _dictionary(files: Mapping[str, Mapping[str, str]]) -> str:
    blocks = []
    for path, columns in files.items():
        blocks.append("\n".join([f"`{path}`", "", *(f"- `{name}`: {meaning}" for name, meaning in columns.items())]))
    return "\n\n".join(blocks)


def _memo(rules: list[str], stream: Stream) -> str:
    asides = stream.sample(ASIDES, len(ASIDES))
    paragraphs = [f"{asides[number % len(asides)]} {text}" for number, text in enumerate(rules)]
    return "\n\n".join(["# Memo from operations", *paragraphs]) + "\n"


def instruction(problem: Problem, *, seconds: int, epochs: int) -> str:
    """The brief at reset: how to work; what is to be decided stands in the files."""
    lines = [
        f"# {problem.title}",
        f"You plan operations. The task is in the working folder: read `{BRIEF}`, every note under `notes/`, the data under "
        f"`data/` and `{SCHEMA}`. All rules are in these files; nothing else is needed.",
        f"Write a Python program `{PROGRAM}` in the working folder. It reads the files and writes `{SUBMISSION}` there. "
        "numpy, pandas, ortools, highspy, pyscipopt and yaml can be imported; there is no network. Try it with the command "
        "tools, and have the form of its output looked at with `check_submission`.",
        f"At the end `{PROGRAM}` is run afresh, with the files as they were given and your own files beside them, for at most "
        f"{seconds} CPU seconds, all its processes together. Its `{SUBMISSION}`, of at most 128 KiB, is the decision. A plan "
        "that breaks a rule is worth nothing; one that keeps all rules is judged by its objective, compared with a strong "
        "reference plan.",
    ]
    if epochs > 1:
        lines.append(
            f"The decision is made in {epochs} periods. `close_period` runs the program, and when its plan is accepted the next "
            f"period opens: new data, a notice under `notes/`, and the accepted plan in `{ACCEPTED}`. Files that your program "
            "leaves under `state/` are kept. The rules say what may no longer be changed, and what changes cost. A plan that is "
            "not accepted ends the chance to pass. `submit` closes the last period."
        )
    else:
        lines.append("`submit` runs the program and ends the task.")
    lines.append("If there is a folder `skills/`, it holds notes on methods.")
    return "\n\n".join(lines) + "\n"
