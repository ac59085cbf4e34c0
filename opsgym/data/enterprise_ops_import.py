"""Import of published EnterpriseOps-Gym tasks: a task file and the dumps that it names become a task that plays.

Nothing of the release is shipped; bring the files.  Verifiers run as they are, with the names ``name #number``, since the release
uses some names twice.  What is known to be wrong with them is on the page about differences from the release.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.records.outcome import ENDING
from opsgym.core.records.seeding import seeded_by_sql
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.task import Certificate, CheckSpec, Task
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.compiler import FAMILY, VERSION
from opsgym.envs.enterprise_ops.setting import Part, Setting
from opsgym.envs.enterprise_ops.systems import system
from opsgym.envs.enterprise_ops.toolboxes import all_tools

SERVERS = {
    "sn-csm-server": "csm",
    "gym-itsm-mcp": "itsm",
    "sn-hr-internal": "hr",
    "gym-email-mcp": "email",
    "gym-calendar": "calendar",
    "gym-google-drive-mcp": "drive",
    "gym-teams-mcp": "teams",
}
"""Systems by the name of the published server."""

Paths = str | os.PathLike[str]


def import_task(path: Paths, seeds: Mapping[str, Paths], *, today: dt.date | None = None) -> Task:
    """One published task.

    Args:
        path: The task file.
        seeds: The dump of each system in it, by the system's name.
        today: First day; by default the day in the file's name.

    Raises:
        TaskError: A file is no task or no dump, or names what does not exist.
        RegistryError: It plays on an unknown server, or a dump is missing.
    """
    name, content = Path(path).stem, _read(path)
    day = today or _day(name)
    servers = content["gym_servers_config"]
    systems = [_system(server["mcp_server_name"]) for server in servers]
    parts = tuple(_part(item, server, seeds, day) for item, server in zip(systems, servers, strict=True))
    tools = _tools(content, systems)
    setting = Setting(seed=0, size="M", enforcement="permissive", parts=parts, today=day.isoformat(), grading="release")
    return Task(
        family=FAMILY,
        version=VERSION,
        seed=0,
        tier="custom",
        pattern="published",
        params={},
        instruction=content["user_prompt"],
        policy=content["system_prompt"],
        tools=tools,
        world=setting.model_dump(mode="json"),
        oracle=(),
        checks=tuple(_check(number, item, systems[0]) for number, item in enumerate(content["verifiers"], 1)),
        certificate=Certificate(status="feasible", objective="none", value=0.0, bound=0.0),
        metadata={"name": name},
    )


def _read(path: Paths) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError(f"cannot read {os.fspath(path)}: {error}") from error
    needed = ("gym_servers_config", "user_prompt", "system_prompt", "selected_tools", "verifiers")
    missing = [name for name in needed if not isinstance(content, dict) or name not in content]
    if missing:
        raise TaskError(f"no published task: {', '.join(missing)} missing", field="task")
    return dict(content)


def _day(name: str) -> dt.date:
    found = re.search(r"\d{8}", name)
    if found is None:
        raise TaskError("the file's name holds no day; pass today=", field="today")
    return dt.datetime.strptime(found[0], "%Y%m%d").date()


def _system(server: str) -> str:
    if server not in SERVERS:
        raise RegistryError("server", server, SERVERS)
    return SERVERS[server]


def _part(name: str, server: Mapping[str, Any], seeds: Mapping[str, Paths], day: dt.date) -> Part:
    """The dump's rows, and who is signed in."""
    if name not in seeds:
        raise RegistryError("seed", name, seeds)
    world = seeded_by_sql(system(name).domain, Path(seeds[name]).read_text(encoding="utf-8"), today=day)
    try:
        rows = {
            table.name: [dict(zip(table.names, row, strict=True)) for row in world.rows(table.name).values()]
            for table in system(name).domain.tables
        }
        key, role, scope, person, email = _actor(name, world, server)
    finally:
        world.close()
    scope = "" if scope is None else scope
    return Part(system=name, base="", actor=key, role=role, scope=scope, name=person, email=email, put=rows)


def _actor(name: str, world: World, server: Mapping[str, Any]) -> Sequence[Any]:
    """Who the context's e-mail address or token belongs to."""
    given = {str(value).strip() for value in server.get("context", {}).values()}
    users = next(table for table in system(name).domain.tables if "email" in table.by_name and table.name.startswith("user"))
    known = {row[0]: row[1:] for row in world.execute(_people(users.name, users.by_name)).fetchall()}
    for key, (email, token, *rest) in known.items():
        if email in given or (token and token in given):
            return key, *rest[:2], rest[2], email
    raise TaskError(f"nobody in the dump has {' or '.join(sorted(given))}", field="context")


def _people(table: str, columns: Mapping[str, Any]) -> str:
    """Key, e-mail address, token, role, tenant and name of all users."""
    token = "static_token" if "static_token" in columns else "''"
    scope = "org_id" if "org_id" in columns else "''"
    return f"SELECT user_id, email, {token}, role, {scope}, first_name || ' ' || last_name FROM \"{table}\" ORDER BY user_id"


def _tools(content: Mapping[str, Any], systems: Sequence[str]) -> tuple[str, ...]:
    """The selected tools that are not restricted; of several systems, every one that has a tool of that name."""
    known = all_tools(tuple(systems))
    wanted = [name for name in content["selected_tools"] if name not in content.get("restricted_tools", ())]
    chosen = []
    for name in wanted:
        found = [name] if len(systems) == 1 else [f"{item}.{name}" for item in systems if f"{item}.{name}" in known]
        if not found or found[0] not in known:
            raise TaskError(f"there is no tool {name!r}", field="selected_tools")
        chosen += found
    return (*chosen, *(item.name for item in ENDING))


def _check(number: int, item: Mapping[str, Any], first: str) -> CheckSpec:
    """A verifier as it is."""
    if item.get("verifier_type") != "database_state":
        raise TaskError(f"expected a database_state verifier, got {item.get('verifier_type')!r}", field=f"verifiers.{number}")
    config = item["validation_config"]
    check = SqlCheck(
        name=f"{item['name']} #{number}",
        query=config["query"],
        expected=config["expected_value"],
        comparison=config.get("comparison_type", "equals"),
    )
    name = SERVERS.get(item.get("gym_name", ""), first)
    return CheckSpec(rule="sql", dimension="completion", group=check.name, args={"system": name, **check.model_dump(mode="json")})
