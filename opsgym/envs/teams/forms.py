"""The two PettingZoo forms of a :class:`~opsgym.envs.teams.game.TeamGame`: by turns (AEC) and all at once (Parallel)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv, ParallelEnv

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.episode import EnvSnapshot
from opsgym.envs.teams.game import AgentText, AroundCalls, TeamGame

__all__ = ["TeamAEC", "TeamParallel", "TeamSnapshot"]

RENDER_MODES = ["human", "ansi"]
_KEPT = ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")


@dataclass(frozen=True, slots=True)
class TeamSnapshot:
    """A state of a team environment; picklable.

    Attributes:
        config: What must agree between the environments.
        game: World, counters, messages and random stream.
        shell: What PettingZoo keeps.
        selection: Whose turn it is, and whose it is once ended agents are removed; empty in Parallel form.
    """

    config: tuple[Any, ...]
    game: EnvSnapshot
    shell: dict[str, Any]
    selection: tuple[str, str | None] | None = None


class _Form:
    """What both forms share: a game made of the arguments, and its spaces."""

    metadata: ClassVar[dict[str, Any]]
    possible_agents: list[str]
    agents: list[str]

    def __init__(self, *, render_mode: Literal["human", "ansi"] | None = None, **arguments: Any) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise RegistryError("render mode", render_mode, RENDER_MODES)
        if "max_steps" in arguments:
            raise TaskError("expected max_cycles, the turns of each agent, got max_steps", field="max_steps")
        self._arguments = {"render_mode": render_mode, **arguments}
        self.render_mode = render_mode
        self.game = self.make_game(**arguments)
        self._around: tuple[AroundCalls, ...] = ()
        self.possible_agents = list(self.game.possible_agents)
        self.agents = []

    @abstractmethod
    def make_game(self, **arguments: Any) -> TeamGame:
        """The game of these arguments."""

    @property
    def max_cycles(self) -> int:
        """Turns that each agent has, in one pool."""
        return self.game.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self.game.max_cycles = value
        self._arguments["max_cycles"] = value

    def observation_space(self, agent: str) -> spaces.Dict:
        """``Dict({"text": UnicodeText})``, the same object at each call."""
        return self.game.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Text that holds calls of the agent's own tools, the same object at each call."""
        return self.game.action_spaces[agent]

    def render(self) -> str | None:
        """The transcript: returned in mode ``"ansi"``, printed as it goes in mode ``"human"``."""
        return self.game.render() if self.render_mode == "ansi" else None

    def show(self, agent: str, action: Any) -> None:
        """Print a turn in mode ``"human"``."""
        if self.render_mode == "human":
            print(f"{agent}> {action}\n{self.game.state.heard[agent]}", flush=True)

    def close(self) -> None:
        """Free the worlds; a later ``reset`` opens them again."""
        self.agents = []
        self.game.env.close()

    @property
    def config(self) -> tuple[Any, ...]:
        """What must agree between environments that exchange snapshots."""
        return type(self).__name__, *self.game.config

    def expect(self, snapshot: TeamSnapshot) -> None:
        """Refuse a snapshot of the other form, or of another configuration.

        Raises:
            TaskError: It is one.
        """
        if snapshot.config != self.config:
            raise TaskError(f"expected a snapshot of {self.config}, got one of {snapshot.config}", field="snapshot.config")

    def surround(self, wrap: AroundCalls) -> None:
        """Put a wrapper around the world; see :meth:`opsgym.envs.teams.game.TeamGame.surround`.  Forks and copies keep it."""
        self.game.surround(wrap)
        self._around += (wrap,)

    def fork(self) -> Self:
        """Another environment in the same state; the two go on independently."""
        twin = type(self)(**self._arguments)
        for wrap in self._around:
            twin.surround(wrap)
        twin.restore(self.snapshot())
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as arguments and state."""
        state = self.snapshot() if self.game.state.agents else None
        return _remade, (type(self), self._arguments, self._around, state)

    @abstractmethod
    def snapshot(self) -> TeamSnapshot:
        """The whole state.

        Raises:
            ResetNeeded: There is no episode yet.
        """

    @abstractmethod
    def restore(self, snapshot: TeamSnapshot) -> None:
        """Return to a snapshot, of this environment or of another with the same arguments."""


class TeamAEC(_Form, AECEnv):  # type: ignore[misc]  # PettingZoo is untyped
    """Agents act by turns."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "is_parallelizable": False}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; ``options`` as for :meth:`opsgym.envs.tool_env.ToolEnv.reset`."""
        self.game.reset(seed, options)
        self.agents = list(self.game.state.agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self.game.opening_info(agent) for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection: str | None = None

    def observe(self, agent: str) -> AgentText:
        """The answers to the agent's last action, at first its brief, then the messages since."""
        return self.game.view(agent)

    def step(self, action: Any) -> None:
        """Carry out an action of the agent whose turn it is; ``None`` for one whose episode has ended."""
        if not self.agents:
            raise ResetNeeded("there is no episode; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.game.listen([agent])
        reward, terminated, truncated, info = self.game.act(agent, action)
        self.rewards = self.game.rewards(reward)
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {one: self.game.info(one) | closing(info) for one in self.agents}
        self.agent_selection = self.game.following(agent)
        self._accumulate_rewards()
        self.show(agent, action)

    def snapshot(self) -> TeamSnapshot:
        """See :class:`TeamSnapshot`."""
        game = self.game.snapshot()
        shell = {name: _copied(getattr(self, name)) for name in _KEPT}
        return TeamSnapshot(self.config, game, shell, (self.agent_selection, self._skip_agent_selection))

    def restore(self, snapshot: TeamSnapshot) -> None:
        """Return to a snapshot, of this environment or of another with the same arguments.

        Raises:
            TaskError: The snapshot is of the other form, or of another configuration.
        """
        self.expect(snapshot)
        self.game.restore(snapshot.game)
        for name in _KEPT:
            setattr(self, name, _copied(snapshot.shell[name]))
        assert snapshot.selection is not None
        self.agent_selection, self._skip_agent_selection = snapshot.selection


class TeamParallel(_Form, ParallelEnv):  # type: ignore[misc]  # PettingZoo is untyped
    """Agents act all at once; their actions are carried out one after the other, in an order drawn from the episode's seed."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, AgentText], dict[str, dict[str, Any]]]:
        """Start an episode; ``options`` as for :meth:`opsgym.envs.tool_env.ToolEnv.reset`."""
        self.game.reset(seed, options)
        self.agents = list(self.game.state.agents)
        views = {agent: self.game.view(agent) for agent in self.agents}
        return views, {agent: self.game.opening_info(agent) for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, AgentText], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carry out the actions in seeded order, until the episode ends; those of agents that have handed in are passed over.

        Raises:
            ResetNeeded: There is no episode.
            TaskError: An agent's action is missing.
        """
        game, agents = self.game, list(self.agents)
        if not agents:
            raise ResetNeeded("there is no episode; call reset() first")
        missing = [agent for agent in agents if agent not in actions]
        if missing:
            raise TaskError(f"expected an action of each agent, got none of {', '.join(missing)}", field="actions")
        ready = [agent for agent in agents if agent not in game.state.done]
        game.listen(agents)
        earned, terminated, truncated = 0.0, False, False
        info: dict[str, Any] = {}
        for number in game.env.np_random.permutation(len(ready)):
            reward, terminated, truncated, info = game.act(ready[number], actions[ready[number]])
            earned += reward
            self.show(ready[number], actions[ready[number]])
            if terminated or truncated:
                self.agents = []
                break
        return (
            {agent: game.view(agent) for agent in agents},
            game.rewards(earned),
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: game.info(agent) | closing(info) for agent in agents},
        )

    def snapshot(self) -> TeamSnapshot:
        """See :class:`TeamSnapshot`."""
        return TeamSnapshot(self.config, self.game.snapshot(), {"agents": list(self.agents)})

    def restore(self, snapshot: TeamSnapshot) -> None:
        """Return to a snapshot, of this environment or of another with the same arguments.

        Raises:
            TaskError: The snapshot is of the other form, or of another configuration.
        """
        self.expect(snapshot)
        self.game.restore(snapshot.game)
        self.agents = list(snapshot.shell["agents"])


def _remade(kind: type[_Form], arguments: dict[str, Any], around: tuple[AroundCalls, ...], state: TeamSnapshot | None) -> _Form:
    """The environment that :meth:`_Form.__reduce__` describes."""
    env = kind(**arguments)
    for wrap in around:
        env.surround(wrap)
    if state is not None:
        env.restore(state)
    return env


def closing(info: dict[str, Any]) -> dict[str, Any]:
    """What every agent learns at the end."""
    return {name: _copied(info[name]) for name in ("verdict", "is_success", "backend_error", "faults") if name in info}


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
