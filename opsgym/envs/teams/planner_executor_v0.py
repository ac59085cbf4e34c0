"""PlannerExecutor-v0: one agent plans, another acts, and a third may check; for every family."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator

import opsgym
from opsgym.core.errors import RegistryError, ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Tool, ToolResult
from opsgym.envs.middleware import Proceed, Reply, answer
from opsgym.envs.teams.forms import TeamAEC
from opsgym.envs.teams.game import ScriptedRole, TeamGame
from opsgym.envs.teams.oracle_pair import Approver, PlanReader, PlanTeller, planner_messages
from opsgym.envs.teams.tools import approve, message, send_back, wait
from opsgym.envs.tool_env import ToolEnv

__all__ = ["PlannerExecutorEnv", "env", "raw_env"]

PLANNER, EXECUTOR, CHECKER = "planner_0", "executor_0", "checker_0"
FAMILIES = opsgym.ENV_IDS
"""Families of OpsGym; any other :class:`ToolEnv` that is registered with Gymnasium will do."""

_PLANNER = """You are planner_0. You read the request below and plan; you cannot change anything yourself.
executor_0 carries the work out. It does not see the request: it knows what you write with the tool `message`, and what its
own calls answer. Say exactly what is to be done, and tell it when to hand in.
"""
_EXECUTOR = """You are executor_0. You carry out what planner_0 tells you, with the tools you have; you do not see the request.
Its messages come with the answers to your calls. Ask with the tool `message` where something is unclear; use `wait` while you
have nothing to do, and hand in when planner_0 tells you so.
"""
_CHECKER = """You are checker_0. The executor has handed in its work on the request below. Look at what was done, then call
`approve`, or once `send_back` with what is to be mended; you cannot change anything yourself.
"""


def tool_env(family: str, **arguments: Any) -> ToolEnv:
    """The single-agent environment of a registered family.

    Raises:
        RegistryError: There is no such family.
    """
    spec = gym.registry.get(family)
    creator: object = load_env_creator(spec.entry_point) if spec and isinstance(spec.entry_point, str) else None
    if not (isinstance(creator, type) and issubclass(creator, ToolEnv)):
        raise RegistryError("family", family, FAMILIES)
    return creator(**arguments)


class PlannerExecutorGame(TeamGame):
    """Who may do what in :class:`PlannerExecutorEnv`."""

    extras: ClassVar[tuple[Tool, ...]] = (message, wait, approve, send_back)

    def __init__(self, env: ToolEnv, *, checker: bool, **budgets: Any) -> None:
        self.possible_agents = (PLANNER, EXECUTOR, CHECKER) if checker else (PLANNER, EXECUTOR)
        super().__init__(env, **budgets)

    def team(self, task: Task) -> list[str]:
        """Both, and the checker where there is one."""
        return list(self.possible_agents)

    def offers(self, agent: str, tool: Tool) -> bool:
        """The executor has every tool of the family; the others only read."""
        if tool in (approve, send_back):
            return agent == CHECKER
        if tool in (message, wait):
            return agent != CHECKER
        return agent == EXECUTOR or not (tool.mutates or tool.terminal)

    def brief(self, agent: str, task: Task) -> str:
        """The request for those who may see it."""
        if agent == EXECUTOR:
            return _EXECUTOR
        return f"{_PLANNER if agent == PLANNER else _CHECKER}\n{self.env.episode.full_brief}"

    def hand_in(self, agent: str, call: ToolCall, proceed: Proceed) -> Reply:
        """The end, unless the checker has still to look."""
        state = self.state
        if CHECKER not in state.agents or state.reviewed:
            return proceed(call)
        state.review = call
        state.done.append(EXECUTOR)
        line = ToolResult(call.name, "handed to checker_0").to_json()
        return Reply(ToolResult(wait.name), line)  # under this name it does not end the episode

    def converse(self, agent: str, tool: str, arguments: dict[str, Any], proceed: Proceed) -> Reply:
        """Messages, and the checker's two answers."""
        state = self.state
        if tool not in (approve.name, send_back.name):
            return super().converse(agent, tool, arguments, proceed)
        if state.review is None:
            raise ToolError("bad_state", "Nothing has been handed in.")
        call, state.review, state.reviewed = state.review, None, True
        state.done.clear()
        if tool == approve.name:
            return proceed(call)
        self.post(CHECKER, arguments["text"], "all", [PLANNER, EXECUTOR])
        return answer(ToolResult(tool, "sent back"))

    def deliver(self, sender: str, text: str, to: str = "all") -> dict[str, Any]:
        """The checker is no colleague to talk to: it answers what it finds in the books."""
        if to == CHECKER:
            raise ToolError("not_allowed", "checker_0 takes no messages.")
        return super().deliver(sender, text, to)

    def post(self, sender: str, text: str, to: str, readers: Any) -> None:
        """Nothing reaches the checker."""
        super().post(sender, text, to, [reader for reader in readers if reader != CHECKER])

    def oracle(self, agent: str, *, talks: bool = True) -> ScriptedRole:
        """A planner that tells the reference solution, or nothing; an executor that does what it is told."""
        if agent == PLANNER:
            return PlanTeller(planner_messages(self.env.task, self.message_chars) if talks else ())
        return PlanReader() if agent == EXECUTOR else Approver()

    def following(self, agent: str) -> str:
        """The checker while there is something to check, else planner and executor by turns."""
        if self.state.review is not None:
            return CHECKER
        return EXECUTOR if agent == PLANNER else PLANNER


class PlannerExecutorEnv(TeamAEC):
    """One agent plans, another acts, and a third may check.

    ## Description

    The tasks are those of a single-agent family.  `planner_0` sees the request and may look around, but cannot change
    anything; `executor_0` may call every tool, but sees neither the request nor what the planner reads: it knows the planner's
    messages and the answers to its own calls.  With `checker=True` what the executor hands in goes to `checker_0`, which sees the
    request and the end state, and may send the work back once.
    Source: EnterpriseOps-Gym, appendix D.1 (planner and executor), there with a plan made once; here the two go on talking.

    | agent | sees | may call |
    |---|---|---|
    | `planner_0` | request, answers, messages | tools that change nothing; `message`, `wait` |
    | `executor_0` | answers, messages | every tool of the family; `message`, `wait` |
    | `checker_0` | request, answers | tools that change nothing; `approve`, `send_back` (once) |

    In ACEBench every query counts as a change, because queries are counted: there the planner depends on what the
    executor reports.

    ## Observation

    `{"text": ...}`: at first the agent's brief, later one line of JSON for each of its calls, then one for each message,
    `{"message": {"from", "text", "to"}}`.

    ## Actions

    Text that holds tool calls, as for the family; `infos[agent]["tools"]` at reset holds the schemas of the agent's tools.

    ## Reward

    Each agent earns the team's reward: the family's verdict at the end.

    ## End of episode

    - Termination: the executor's hand-in, or the checker's approval of it, succeeds.
    - Truncation: the turns of the pool, `max_cycles` for each agent, are used up.

    ## Arguments

    `family` (default `"ERPBench-v0"`; the id of any registered environment of tool calls), `checker`, `max_cycles` (200),
    `messages` (64 for each agent), `message_chars` (4000), `render_mode`, and all arguments of
    :class:`~opsgym.envs.tool_env.ToolEnv` but `max_steps`.

    ## Example

    >>> from opsgym.envs.teams import planner_executor_v0
    >>> env = planner_executor_v0.env(tier="easy", cache=None)
    >>> env.reset(seed=7)
    >>> env.agent_selection
    'planner_0'
    >>> env.step('{"name": "message", "arguments": {"text": "Hand in at once."}}')
    >>> env.last()[0]["text"].splitlines()[-1]
    '{"message":{"from":"planner_0","text":"Hand in at once.","to":"all"}}'
    """

    metadata: ClassVar[dict[str, Any]] = {**TeamAEC.metadata, "name": "planner_executor_v0"}

    def make_game(
        self,
        family: str = FAMILIES[0],
        *,
        checker: bool = False,
        max_cycles: int = 200,
        messages: int = 64,
        message_chars: int = 4000,
        **arguments: Any,
    ) -> TeamGame:
        """The game of these arguments."""
        inner = tool_env(family, **arguments)
        return PlannerExecutorGame(inner, checker=checker, max_cycles=max_cycles, messages=messages, message_chars=message_chars)


raw_env = PlannerExecutorEnv


def env(**arguments: Any) -> PlannerExecutorEnv:
    """The environment; it checks actions itself, so that no wrapper is needed."""
    return PlannerExecutorEnv(**arguments)
