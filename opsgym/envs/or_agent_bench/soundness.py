"""Soundness of a task: what must hold of it whatever an agent does; for programmers, it needs the solver."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opsgym.core.task import Task
from opsgym.envs.or_agent_bench.judging import Play, play_of
from opsgym.envs.or_agent_bench.sampler import BLIND_EFFORT, examine


def faults(task: Task) -> Iterator[str]:
    """What is wrong with a task, one sentence each."""
    play = play_of(task)
    yield from unsaid(play)
    yield from _blind_passes(play, task)


def unsaid(play: Play) -> Iterator[str]:
    """Rules that the validator enforces and the public files of a period do not say."""
    for epoch, view in enumerate(play.views):
        text = "\n".join(content for path, content in play.files[epoch].items() if path.endswith(".md"))
        for rule, sentence in play.problem.rules(view).items():
            if _squeezed(sentence) not in _squeezed(text):
                yield f"period {epoch + 1}: the files do not say {rule}"


def _blind_passes(play: Play, task: Task) -> Iterator[str]:
    rule = str(task.metadata["blind"])
    model = play.problem.model
    plan = model.solve(model.read(play.files[0]), frozenset({rule}), BLIND_EFFORT).plan
    if plan is None or not examine(play.problem, play.views[0], plan, None).violations[rule]:
        yield f"the program that omits {rule} is not caught by it"


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)
