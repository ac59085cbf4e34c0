"""Scripted teams: a task's reference solution, played by roles that act only on what they have been told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.envs.erp_bench.brief import policy_documents
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.teams.access import role_of
from opsgym.envs.teams.forms import TeamAEC, TeamParallel

__all__ = ["OracleRole", "oracle_team", "play", "project"]

_DOCUMENT = re.compile(r"\b(?:S\d{5}|P\d{5}|WH/MO/\d{5}|INV/\d{4}/\d{5}|DRAFT/\d+)\b")
_ANSWER, _MESSAGE = '{"tool":', '{"message":'
"""How the lines of an observation begin."""
_LISTERS = {
    "S": "list_sales_orders",
    "P": "list_purchase_orders",
    "W": "list_manufacturing_orders",
    "I": "list_invoices",
    "D": "list_invoices",
}
"""Tool that lists documents whose number begins so."""


def project(task: Task) -> dict[str, list[ToolCall]]:
    """The calls of the reference solution by the role that may make them, ``submit`` left out.

    Raises:
        TaskError: A call belongs to no role.
    """
    parts: dict[str, list[ToolCall]] = {}
    for call in task.oracle:
        if call.name == "submit":
            continue
        role = role_of(call.name)
        if role is None:
            raise TaskError(f"no role may call {call.name!r}", field="oracle")
        parts.setdefault(role, []).append(call)
    return parts


def oracle_team(task: Task, agents: Iterable[str], *, talks: bool = True, without: str | None = None) -> dict[str, OracleRole]:
    """A role of the reference solution for each agent.

    Args:
        task: The task, with its solution.
        agents: The team.
        talks: Whether roles tell the others what these need to know.
        without: A role that hands in at once.
    """
    parts = project(task)
    needed = {role: set().union(*map(documents, calls)) for role, calls in parts.items()}
    event = next((text.body for text in policy_documents(scenario_of(task)) if text.title == "What happened"), "")
    team = {}
    for agent in agents:
        others: set[str] = set().union(*(names for role, names in needed.items() if role != agent))
        calls, tells = ([], set()) if agent == without else (parts.get(agent, []), others)
        team[agent] = OracleRole(calls, tells=tells, event=event, talks=talks and agent != without)
    return team


def documents(call: ToolCall) -> set[str]:
    """Numbers of documents in a call's arguments."""
    return set(_DOCUMENT.findall(json.dumps(call.arguments)))


class OracleRole:
    """Makes its calls one a turn, but only what it can know of; then tells the others and submits.

    A document is known once an answer or a message has shown its number; what went wrong in a repair task once the brief or
    a message has said so.

    Args:
        calls: The role's part of the solution.
        tells: Documents that others need.
        event: What went wrong, in the words of the brief; empty where nothing did.
        talks: Whether it tells what it knows.
        patience: Turns without progress after which it submits.
    """

    def __init__(
        self, calls: list[ToolCall], *, tells: set[str], event: str = "", talks: bool = True, patience: int = 120
    ) -> None:
        self.calls, self.tells, self.event, self.patience = list(calls), set(tells), event, patience
        self.seen: set[str] = set()
        self.at = self.idle = 0
        self.asked = ""
        self.looked = True
        self.knows_event = not event
        self.to_tell = talks
        self.listed = False

    def act(self, text: str, tools: Iterable[str]) -> str:
        """The next action.

        Args:
            text: What the role observes.
            tools: Names of the tools that it is offered.
        """
        self._read(text)
        if self.asked == "call" and _is_ok(text):
            self.at, self.idle = self.at + 1, 0
        self.asked = ""
        self.idle += 1
        if self.at < len(self.calls) and self.idle <= self.patience:
            return self._work(self.calls[self.at], tools)
        return self._finish(tools)

    def _read(self, text: str) -> None:
        lines = text.splitlines()
        told = [json.loads(line)["message"]["text"] for line in lines if line.startswith(_MESSAGE)]
        self.knows_event |= any(self.event in one for one in (text, *told))
        answers = "\n".join(line for line in lines if line.startswith(_ANSWER))  # not the brief, which has made-up examples
        self.seen |= set(_DOCUMENT.findall("\n".join([answers, *told])))

    def _work(self, call: ToolCall, tools: Iterable[str]) -> str:
        if not self.knows_event:
            return _call("wait")
        missing = documents(call) - self.seen
        if not missing:
            self.asked = "call"
            return call.model_dump_json()
        return self._look(missing, tools)

    def _look(self, missing: set[str], tools: Iterable[str]) -> str:
        """Look for documents where that is allowed, every other turn."""
        self.looked = not self.looked
        listers = sorted({_LISTERS[name[0]] for name in missing} & set(tools))
        if self.looked or not listers:
            return _call("wait")
        return "\n".join(_call(name, limit=100) for name in listers)

    def _finish(self, tools: Iterable[str]) -> str:
        """Look once for own documents that others need, tell of them, submit."""
        if not self.to_tell:
            return _call("submit")
        own = {_LISTERS[name[0]] for name in self.tells - self.seen if role_of(_LISTERS[name[0]])} & set(tools)
        if own and self.asked_once():
            return "\n".join(_call(name, limit=100) for name in sorted(own))
        self.to_tell = False
        told = sorted(self.tells & self.seen)
        news = [f"In the books: {', '.join(told)}"] if told else []
        if self.event and self.knows_event:
            news.append(self.event)
        return _call("message", text="\n".join(news)) if news else _call("submit")

    def asked_once(self) -> bool:
        """True at the first call only."""
        first, self.listed = not self.listed, True
        return first


def play(env: TeamAEC | TeamParallel, team: Mapping[str, OracleRole]) -> tuple[dict[str, float], dict[str, Any]]:
    """Play the running episode of an ERPBench team to its end.

    Returns:
        What each agent earned, and the last info.
    """
    tools = {agent: tuple(env.game.tools(agent)) for agent in env.agents}
    earned = dict.fromkeys(env.agents, 0.0)
    info: dict[str, Any] = {}
    if isinstance(env, TeamAEC):
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            earned[agent] += reward
            assert observation is not None
            env.step(None if terminated or truncated else team[agent].act(observation["text"], tools[agent]))
        return earned, info
    views = {agent: env.game.view(agent) for agent in env.agents}
    while env.agents:
        views, rewards, _, _, infos = env.step({one: team[one].act(views[one]["text"], tools[one]) for one in env.agents})
        for agent, reward in rewards.items():
            earned[agent] += reward
            info = infos[agent]
    return earned, info


def _call(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def _is_ok(text: str) -> bool:
    return text.startswith(_ANSWER) and '"ok":true' in text.partition("\n")[0][:120]
