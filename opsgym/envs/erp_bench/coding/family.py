"""CodingFamily: ERPBench as its coding harness plays it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.erp_bench.coding.desk import DATABASE, KEY, URL, CodingDesk
from opsgym.envs.erp_bench.coding.world import CodingWorld
from opsgym.envs.erp_bench.export import Baseline
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.sandbox.workspace import WorkspaceSnapshot

CONNECTION = "erp.json"
"""File in the working folder that says how to reach the ERP."""

_NOTE = """\
## Your computer

You work in a folder of your own with the tools for files and commands. Commands run isolated, each anew: files last, processes do
not. Python 3 is there with its packages; there is no network but the ERP. `{connection}` holds its address, database and key.

{access}"""


class CodingFamily(ErpBenchFamily):
    """The family over worlds that have a working folder; tasks, verifier and reward are the same."""

    def session(self, world: Any, task: Task) -> Any:
        """The desk of ``world``."""
        return CodingDesk(world.workspace, erp=world.erp)

    def verify(self, before: World | Baseline, after: Any, task: Task) -> Verdict:
        """The verifier's judgement of the ERP; the working folder counts for nothing."""
        return super().verify(before, _records(after), task)

    def score(self, before: World | Baseline, after: Any, task: Task) -> float:
        """The dense potential of the ERP."""
        return super().score(before, _records(after), task)

    def brief(self, task: Task, disclosure: str) -> str:
        """The brief, and how to reach the ERP from a program."""
        from opsgym.serve.access import access_note

        ending = "Call the tool `submit` when the books are as they should be; they are judged as you leave them."
        access = access_note(URL, DATABASE, key=KEY, ending=ending)
        return f"{super().brief(task, disclosure)}\n\n{_NOTE.format(connection=CONNECTION, access=access)}"

    def render(self, world: Any, task: Task) -> str:
        """The documents of the ERP and the files, a line each."""
        files = [f"{path}: {len(content)} bytes" for path, content in world.workspace.files.items()]
        return "\n".join([super().render(world.erp, task), *files])

    def candidates(self, session: Any, task: Task) -> Sequence[ToolCall] | None:
        """None: programs cannot be enumerated."""
        return None

    def invariants(self, world: Any, task: Task) -> Sequence[str]:
        """Those of the ERP."""
        return super().invariants(_records(world), task)


def first_files() -> WorkspaceSnapshot:
    """The working folder at the start of an episode."""
    connection = {"url": URL, "database": DATABASE, "key": KEY}
    return WorkspaceSnapshot(((CONNECTION, json.dumps(connection, indent=2).encode() + b"\n"),))


def _records(world: Any) -> World:
    return world.erp if isinstance(world, CodingWorld) else world
