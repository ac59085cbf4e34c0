"""TeamGame: several agents share one episode of a ToolEnv; both PettingZoo forms are thin shells around it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import gymnasium as gym
from gymnasium import spaces

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.spaces import ToolCallText, UnicodeText
from opsgym.core.task import Task, ToolCall, canonical_json
from opsgym.core.tools import Tool, Toolbox, ToolResult
from opsgym.envs.episode import EnvSnapshot, fit
from opsgym.envs.middleware import Middleware, Proceed, Reply, answer
from opsgym.envs.supply import OPTIONS
from opsgym.envs.teams.tools import message, wait
from opsgym.envs.tool_env import ToolEnv

__all__ = ["AroundCalls", "ScriptedRole", "TeamGame", "TeamState"]

AgentText = dict[str, str]
FAULT_OPTIONS = ("fault_seed", "progress")
"""Options of ``reset`` that wrappers take."""
AroundCalls = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]
"""Puts a wrapper of :mod:`opsgym.wrappers` around the environment that holds the world."""


class ScriptedRole(Protocol):
    """Plays a role of one episode by a script."""

    def act(self, text: str, tools: Iterable[str]) -> str:
        """The next action.

        Args:
            text: What the role observes.
            tools: Names of the tools that it is offered.
        """


@dataclass(slots=True)
class TeamState:
    """What a team's episode has beside that of the environment inside.

    Attributes:
        agents: Agents of the task, in turn order.
        actor: Whose call is carried out.
        heard: Per agent the answer to its last action, at first its brief.
        inbox: Per agent the messages since then, a line each.
        sent: Messages sent, per agent.
        done: Agents that have handed in.
        actors: Who took each turn.
        calls: Calls carried out or refused, per agent.
        refused: Those of them that were refused.
        review: The call that waits for approval, where there is a checker.
        reviewed: Whether the work was sent back already.
    """

    agents: list[str]
    actor: str = ""
    heard: dict[str, str] = field(default_factory=dict)
    inbox: dict[str, list[str]] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    review: ToolCall | None = None
    reviewed: bool = False


class TeamGame(Middleware, ABC):
    """The rules of a team around one :class:`~opsgym.envs.tool_env.ToolEnv`: who may call what, and who is told what.

    Args:
        env: The environment that holds the world; the game puts itself around its calls.
        max_cycles: Turn budget: so many turns for each agent of the task, in one pool.
        messages: Messages that each agent may send in an episode.
        message_chars: Greatest length of a message.

    Raises:
        TaskError: A budget is not positive.
    """

    possible_agents: tuple[str, ...]
    extras: ClassVar[tuple[Tool, ...]] = (message, wait)
    """Tools beside those of the family."""

    def __init__(self, env: ToolEnv, *, max_cycles: int, messages: int, message_chars: int) -> None:
        for name, value in (("max_cycles", max_cycles), ("message_chars", message_chars)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise TaskError(f"expected a positive integer, got {value!r}", field=name)
        if isinstance(messages, bool) or not isinstance(messages, int) or messages < 0:
            raise TaskError(f"expected an integer from 0, got {messages!r}", field="messages")
        self.env, self.max_cycles, self.messages, self.message_chars = env, max_cycles, messages, message_chars
        self.outer: gym.Env[Any, Any] = env
        self.state = TeamState([])
        self._toolboxes: tuple[Toolbox | None, dict[str, Toolbox]] = (None, {})
        env.use([self])
        self.observation_spaces = {
            agent: spaces.Dict({"text": UnicodeText(env.max_observation_chars)}) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: ToolCallText(self.tools(agent), max_length=env.max_action_chars) for agent in self.possible_agents
        }

    # -- what a game decides ------------------------------------------------------------------------------

    @abstractmethod
    def team(self, task: Task) -> list[str]:
        """The agents that a task needs, in turn order."""

    @abstractmethod
    def offers(self, agent: str, tool: Tool) -> bool:
        """Whether an agent is offered a tool."""

    @abstractmethod
    def brief(self, agent: str, task: Task) -> str:
        """What an agent is told at the start."""

    @abstractmethod
    def hand_in(self, agent: str, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer a terminal call; ``proceed`` with it ends the episode."""

    def perform(self, agent: str, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer any other call that the agent is offered."""
        return proceed(call)

    def refusal(self, agent: str, tool: str) -> ToolError:
        """What an agent is told that calls a tool of others."""
        return ToolError("not_allowed", f"{agent} may not call {tool}.", f"Tools: {', '.join(self.tools(agent))}")

    def following(self, agent: str) -> str:
        """Whose turn it is after ``agent``: the next in order that has not handed in."""
        order = self.state.agents
        at = order.index(agent)
        later = [*order[at + 1 :], *order[: at + 1]]
        return next((one for one in later if one not in self.state.done), agent)

    def rewards(self, reward: float) -> dict[str, float]:
        """What each agent earns of the team's reward: all of it."""
        return dict.fromkeys(self.state.agents, reward)

    def credits(self, reward: float) -> dict[str, float] | None:
        """Each agent's part of the team's reward, where the game divides it; the parts add up to it."""
        return None

    @abstractmethod
    def oracle(self, agent: str, *, talks: bool = True) -> ScriptedRole:
        """A role of the reference solution of the running episode.

        Args:
            agent: The role.
            talks: Whether it tells the others what these need to know.
        """

    # -- playing ------------------------------------------------------------------------------------------

    def reset(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Start an episode; see :meth:`opsgym.envs.tool_env.ToolEnv.reset`.

        Options that it does not know are passed over, as PettingZoo's own test demands.
        """
        known = {*OPTIONS, *(FAULT_OPTIONS if self.outer is not self.env else ())}
        self.env.max_steps = self.max_cycles  # what a layer may count on, whoever is in the team
        self.outer.reset(seed=seed, options={name: value for name, value in (options or {}).items() if name in known})
        task = self.env.task
        agents = self.team(task)
        self.env.max_steps = self.max_cycles * len(agents)
        heard = {agent: self.brief(agent, task) for agent in agents}
        longest = max(map(len, heard.values()))
        if longest > self.env.max_observation_chars:
            most = self.env.max_observation_chars
            raise TaskError(f"a brief has {longest} characters, expected at most {most}", field="max_observation_chars")
        self.state = TeamState(agents, heard=heard, inbox={agent: [] for agent in agents}, sent=dict.fromkeys(agents, 0))

    def listen(self, agents: Sequence[str]) -> None:
        """The agents have read what there was; what comes from here on is new to them."""
        for agent in agents:
            self.state.heard[agent] = ""
            self.state.inbox[agent] = []

    def act(self, agent: str, action: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        """Carry out an agent's action; its reward is the team's."""
        state, episode = self.state, self.env.episode
        state.actor = agent
        state.actors.append(agent)
        calls, errors = episode.calls, episode.errors.total()
        observation, reward, terminated, truncated, info = self.outer.step(action)
        state.calls[agent] += episode.calls - calls
        state.refused[agent] += episode.errors.total() - errors
        state.heard[agent] = observation
        return float(reward), terminated, truncated, info

    def view(self, agent: str) -> AgentText:
        """What an agent observes: the answers to its last action, then its messages."""
        state = self.state
        lines = [state.heard.get(agent, ""), *state.inbox.get(agent, ())]
        return {"text": fit([line for line in lines if line], self.env.max_observation_chars)}

    def info(self, agent: str) -> dict[str, Any]:
        """Counters of an agent."""
        return {
            "task_id": self.env.task.id,
            "turns_left": self.env.max_steps - len(self.state.actors),
            "messages_left": self.messages - self.state.sent[agent],
            "handed_in": agent in self.state.done,
        }

    def opening_info(self, agent: str) -> dict[str, Any]:
        """The info at reset: counters and tool schemas; a pattern's name would tell what some may not know."""
        return {**self.info(agent), "tools": self.tools(agent).schemas()}

    def tools(self, agent: str) -> Toolbox:
        """The tools that an agent is offered."""
        offered, known = self._toolboxes
        if offered is not self.env.tools:
            offered, known = self._toolboxes = self.env.tools, {}
        if agent not in known:
            known[agent] = Toolbox(tool for tool in self.env.tools.values() if self.offers(agent, tool))
        return known[agent]

    def surround(self, wrap: AroundCalls) -> None:
        """Put a wrapper around the world: it meets the calls that the game lets through, whoever makes them.

        The game stays outside, so that what a wrapper keeps of one role's calls reaches no role without the right to it.

        Args:
            wrap: Makes the wrapper, for example ``partial(ToolFailureInjection, rate=0.1)``.

        Raises:
            TaskError: It changes what is observed or done, rather than what becomes of calls.
        """
        env, before = self.env, self.env.layers
        outer = wrap(self.outer)
        fits = outer.unwrapped is env and outer.observation_space == env.observation_space
        env.use([*(layer for layer in (env.layers if fits else before) if layer is not self), self])
        if not fits:
            raise TaskError(f"expected a wrapper around calls, got {outer}", field="wrap")
        self.outer = outer

    # -- the layer ----------------------------------------------------------------------------------------

    def extend(self, toolbox: Toolbox) -> Toolbox:
        """The family's tools and those of the team."""
        return Toolbox([*toolbox.values(), *self.extras])

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Let an agent call what it is offered."""
        agent = self.state.actor
        try:
            if agent in self.state.done:
                raise ToolError("bad_state", "You have handed in; wait for the others.")
            if call.name in self.env.tools and call.name not in self.tools(agent):
                raise self.refusal(agent, call.name)
            tool = self.tools(agent).find(call.name)
            arguments = tool.validate(call.arguments)
            if tool in self.extras:
                return self.converse(agent, tool.name, arguments, proceed)
            return self.hand_in(agent, call, proceed) if tool.terminal else self.perform(agent, call, proceed)
        except ToolError as error:
            return answer(ToolResult(call.name, error=error))

    def converse(self, agent: str, tool: str, arguments: dict[str, Any], proceed: Proceed) -> Reply:
        """Answer a tool of the team."""
        if tool == message.name:
            return answer(ToolResult(tool, self.deliver(agent, **arguments)))
        return answer(ToolResult(tool, "waited"))

    def deliver(self, sender: str, text: str, to: str = "all") -> dict[str, Any]:
        """Put a message into the inboxes; one to a single colleague that has handed in asks it back to work.

        Raises:
            ToolError: No such colleague, too long, or the budget is spent.
        """
        state = self.state
        others = [agent for agent in state.agents if agent != sender]
        if to != "all" and to not in others:
            raise ToolError("not_found", f"There is no colleague {to[:60]!r}.", f"Colleagues: {', '.join(others)}, or 'all'")
        if len(text) > self.message_chars:
            raise ToolError("invalid_value", f"The message has {len(text)} characters, at most {self.message_chars} are allowed.")
        if state.sent[sender] >= self.messages:
            raise ToolError("not_allowed", f"All {self.messages} messages have been sent.")
        state.sent[sender] += 1
        self.post(sender, text, to, others if to == "all" else [to])
        if to in state.done:
            state.done.remove(to)
        return {"sent_to": to, "messages_left": self.messages - state.sent[sender]}

    def post(self, sender: str, text: str, to: str, readers: Sequence[str]) -> None:
        """Put a line into inboxes."""
        for reader in readers:
            self.state.inbox[reader].append(canonical_json({"message": {"from": sender, "to": to, "text": text}}))

    def snapshot_state(self) -> TeamState:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return deepcopy(self.state)

    def restore_state(self, state: TeamState) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self.state = deepcopy(state)

    @property
    def config(self) -> tuple[Any, ...]:
        """What must agree between games that exchange snapshots, beside what the environment inside demands."""
        return self.possible_agents, self.max_cycles, self.messages, self.message_chars

    def snapshot(self) -> EnvSnapshot:
        """The whole state, the team's included."""
        return self.env.snapshot()

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Return to a snapshot."""
        self.env.restore(snapshot)
        self.env.max_steps = self.max_cycles * len(self.state.agents)

    def render(self) -> str:
        """The briefs, who did what, and a summary of the world."""
        task, episode = self.env.task, self.env.episode
        head = f"team of {', '.join(self.state.agents)} on {task.family} {task.tier} {task.pattern} {task.id}"
        turns = [
            f"[{number}] {agent}> {turn.action}\n{turn.observation}"
            for number, (agent, turn) in enumerate(zip(self.state.actors, episode.turns, strict=True), start=1)
        ]
        verdict = [] if episode.verdict is None else [f"verdict: reward {episode.verdict.reward:.4f}"]
        return "\n\n".join([head, *turns, self.env.family.render(self.env.world, task), *verdict])
