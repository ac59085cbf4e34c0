"""Known defects of the published CSM checks that are at hand, as data.

Source: counted here, by running the 65 checks of seven published tasks of EnterpriseOps-Gym on a published CSM seed; see
``tests/envs/enterprise_ops/test_csm_release.py``, which counts again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Defect = Literal["inverted", "vacuous", "collapsed", "seed"]

DEFECTS: dict[Defect, str] = {
    "inverted": "Doing nothing passes it, doing the work fails it.",
    "vacuous": "It passes before anything is done.",
    "collapsed": "Their runner keeps results by name: a later check of the same name replaces this one's result.",
    "seed": "The seed that the task names is not at hand; the check is run on another one of the same origin.",
}
"""What each defect means."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """Checks of a task with a defect.

    Attributes:
        task: Its name, without the start ``task_``.
        defect: One of :data:`DEFECTS`.
        places: Numbers of the checks in the task, from 0; none for all of them.
        reason: What is wrong, in a sentence.
    """

    task: str
    defect: Defect
    places: tuple[int, ...]
    reason: str


_FIRST = "20251205_153330_906_a8eea1c0_8c7a6205"
_SITE = "20251205_154853_044_d4a463c3_fce76046"
_AGAIN = "20251209_132736_542_99ba2325_6705caf4"
_SERVER = "20251210_002938_761_897c3e0b_f075229a"
_SERVICE = "20251210_113549_827_d4a463c3_47b48a98"
_CONTRACT = "20251231_162628_797_a8eea1c0_0a53db6c"
_LAB = "20260101_043715_660_a8eea1c0_7304e48e"
TASKS = (_FIRST, _SITE, _AGAIN, _SERVER, _SERVICE, _CONTRACT, _LAB)
"""The tasks at hand."""

_SISTER = "A sister of the named seed is at hand; both give new records the same keys."
FLAGGED: tuple[Flagged, ...] = (
    Flagged(
        _SERVER, "inverted", (8,), "An older case with that description counts too: 1 at first, 2 after the work, 1 expected."
    ),
    Flagged(_FIRST, "vacuous", (2,), "The time of the last update is never empty."),
    Flagged(_AGAIN, "vacuous", (1,), "The user is a member of the group from the start."),
    Flagged(_CONTRACT, "vacuous", (5, 7), "The time of the last update of a record that nobody changes is never empty."),
    Flagged(_LAB, "vacuous", (1, 12, 15), "State of an article, a membership and a definition that exist from the start."),
    Flagged(_FIRST, "collapsed", (0, 1, 2, 3, 4, 5, 6, 8), "Three names for eleven checks."),
    Flagged(_SITE, "collapsed", (2,), "Two recipients under one name."),
    Flagged(_CONTRACT, "collapsed", (0, 2, 4, 6, 10), "Seven names for twelve checks."),
    Flagged(_LAB, "collapsed", (0, 1, 2, 5, 7, 9, 11, 14, 17), "Ten names for nineteen checks."),
    Flagged(_AGAIN, "seed", (), "The named seed is not published anywhere."),
    *(Flagged(task, "seed", (), _SISTER) for task in TASKS if task != _AGAIN),
)
"""All of them."""


def is_reachable(task: str, place: int) -> bool:
    """Whether work as requested can pass a check: all but inverted ones."""
    return not any(item.task == task and item.defect == "inverted" and place in item.places for item in FLAGGED)


def defects_table() -> str:
    """The flagged checks as a table in Markdown."""
    lines = ["| task | defect | checks | reason |", "| --- | --- | --- | --- |"]
    for item in FLAGGED:
        places = ", ".join(map(str, item.places)) or "all"
        lines.append(f"| {item.task[:15]} | {item.defect} | {places} | {item.reason} |")
    return "\n".join(lines) + "\n"
