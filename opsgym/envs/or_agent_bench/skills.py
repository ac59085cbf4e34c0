"""Notes on methods that can be mounted into the working folder; our own, and of no task in particular."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from opsgym.envs.or_agent_bench.world import OrSnapshot, OrWorld
from opsgym.sandbox.workspace import Workspace

SKILLS = ("none", "base", "expert")
"""Sets of notes; the first is the default."""

NOTES = Path(__file__).parent / "notes"


@cache
def notes(skills: str) -> dict[str, bytes]:
    """The files of a set, by path in the working folder; ``expert`` holds ``base`` too."""
    folders = {"none": (), "base": ("base",), "expert": ("base", "expert")}[skills]
    return {
        f"skills/{path.stem}/SKILL.md": path.read_bytes() for folder in folders for path in sorted((NOTES / folder).glob("*.md"))
    }


def mounted(snapshot: OrSnapshot, skills: str) -> OrSnapshot:
    """A seeded world with the notes of a set."""
    world = snapshot.open()
    return OrWorld(Workspace({**world.workspace.files, **notes(skills)}), world.ledger).snapshot()
