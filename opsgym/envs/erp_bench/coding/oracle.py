"""The reference solution under the coding harness: a program that books it over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable

from opsgym.core.task import Task, ToolCall
from opsgym.envs.erp_bench.coding.family import CONNECTION
from opsgym.envs.erp_bench.raw_calls import raw_calls

PROGRAM = "book_plan.py"
"""Name of the program."""

_TEXT = '''\
"""Book a plan in the ERP, call by call."""

import json
import urllib.request

CALLS = json.loads(r"""
{calls}
""")

with open("{connection}") as file:
    erp = json.load(file)
headers = {{
    "Authorization": "Bearer " + erp["key"],
    "X-Odoo-Database": erp["database"],
    "Content-Type": "application/json",
}}
for model, method, arguments in CALLS:
    url = erp["url"] + "/json/2/" + model + "/" + method
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(arguments).encode(), headers)) as answer:
        json.load(answer)
print(len(CALLS), "calls booked")
'''


def oracle_program(task: Task, calls: Iterable[ToolCall] | None = None) -> str:
    """Text of a program that books the reference solution, or what other calls of business tools do.

    Args:
        task: The task.
        calls: Calls of business tools; by default the task's oracle.
    """
    made = [call.arguments for call in raw_calls(task, calls) if call.name == "call"]
    lines = [
        json.dumps([one["model"], one["method"], {**one.get("kwargs", {}), **({"ids": one["ids"]} if "ids" in one else {})}])
        for one in made
    ]
    return _TEXT.format(calls="[\n" + ",\n".join(lines) + "\n]", connection=CONNECTION)


def coding_oracle(task: Task) -> list[ToolCall]:
    """The tool calls of harness ``"coding"`` that solve a task: write the program, run it, submit."""
    return [
        ToolCall(name="write_file", arguments={"path": PROGRAM, "content": oracle_program(task)}),
        ToolCall(name="run_python", arguments={"path": PROGRAM}),
        ToolCall(name="submit"),
    ]
