"""Layout: where things stand in a task directory, and what of a task may stand where the agent's server can read it."""

from __future__ import annotations

import re

from opsgym.core.task import Certificate, Task, ToolCall, content_hash

SCHEMA_VERSION = "1.4"
"""Version of Harbor's task format that is written."""

CONFIG = "task.toml"
INSTRUCTION = "instruction.md"
SERVED_TASK = "environment/erp/task.json"
"""What the server plays: the world and the brief, see :func:`sealed`."""
JUDGED_TASK = "tests/task.json"
"""The whole task: certificate, checks, reference solution."""
PLAN = "solution/plan.json"

FAMILIES = ("ERPBench-v0",)
"""Families whose tasks have a server that stands in for a real system."""

_UNSAFE = re.compile(r"[^a-z0-9_-]+")


def directory_name(task: Task) -> str:
    """Name of a task's directory: family, pattern and id, in characters that are safe in paths and in Harbor's names.

    Example:
        >>> from types import SimpleNamespace
        >>> directory_name(SimpleNamespace(family="ERPBench-v0", pattern="../a b", id="00ff"))  # any task
        'erpbench-v0-a-b-00ff'
    """
    words = (_UNSAFE.sub("-", text.lower()).strip("-_")[:80] for text in (task.family, task.pattern))
    return "-".join([*filter(None, words), task.id])


def sealed(task: Task) -> Task:
    """The task without all by which it could be solved or made again.

    World, brief and tools are kept; oracle, checks, certificate, seed, parameters and measured facts are not.  Its world opens
    equal to the task's.
    """
    return Task(
        **task.model_dump(include={"schema_version", "family", "version", "instruction", "policy", "tools", "world"}),
        seed=0,
        tier="custom",
        pattern="sealed",
        params={},
        oracle=(ToolCall(name="submit"),),
        checks=(),
        certificate=Certificate(status="feasible", objective="constraint_only", value=0, bound=0),
    )


def agent_key(task: Task) -> str:
    """The API key of a task's agent: 40 hexadecimal digits, as Odoo's keys have, the same at every export.

    It opens a database that only the agent can reach, so that it need not be secret.
    """
    return "".join(content_hash(["harbor", task.id, part]) for part in range(3))[:40]
