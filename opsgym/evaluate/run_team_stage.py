"""TeamStage: where trials of teams are played, through PettingZoo's API; and what is written of each."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import opsgym
from opsgym.baselines.chat import ChatModel, Usage
from opsgym.baselines.policy import is_async, usage_of
from opsgym.core.errors import BackendError
from opsgym.core.task import Task
from opsgym.data.packs import Pack, open_pack
from opsgym.data.trajectories import Step, Trajectory
from opsgym.envs.cache import Lru
from opsgym.envs.teams import make
from opsgym.envs.teams.seat import Seat
from opsgym.evaluate.results import RoleResult
from opsgym.evaluate.rollout import Rollout
from opsgym.evaluate.run_plan import Pair, RunPlan
from opsgym.evaluate.run_policy import AnyPolicy
from opsgym.evaluate.run_team_policy import TeamMaker
from opsgym.evaluate.run_trial import Meter, Trial, masked_reason, no_exit, outcome, trial_result
from opsgym.wrappers import ToolFailureInjection

if TYPE_CHECKING:
    from opsgym.baselines.models import RequestCache


@dataclass(frozen=True, kw_only=True)
class TeamScene:
    """What a stage is made of; it can be sent to another process.

    Attributes:
        plan: The plan.
        pack: Path of the tasks.
        maker: Makes the policies.
    """

    plan: RunPlan
    pack: str
    maker: TeamMaker

    def env(self) -> Any:
        """The team's environment, with the faults of the plan."""
        assert self.plan.form is not None, "it is the plan of a team"
        env = make(self.plan.form, self.plan.env_id, **{"cache": None, **self.plan.env_options})
        if self.plan.failure_rate:
            env.surround(partial(ToolFailureInjection, rate=self.plan.failure_rate))
        return env

    def stage(self, models: Mapping[str, ChatModel] | None = None, cache: RequestCache | None = None) -> TeamStage:
        """Where the trials are played."""
        return TeamStage(self, models or {}, cache)


class TeamStage:
    """Plays trials of a team.

    Args:
        scene: What it is made of.
        models: The models that roles ask, by role.
        cache: Replies of the models, for trials that start over.
    """

    def __init__(self, scene: TeamScene, models: Mapping[str, ChatModel], cache: RequestCache | None = None) -> None:
        self._scene, self._plan, self._models, self._cache = scene, scene.plan, models, cache
        self._env = scene.env()
        self._tasks: Lru[Task] = Lru(64)

    @cached_property
    def _pack(self) -> Pack:
        return open_pack(self._scene.pack, family=self._env.game.env.family.id)

    def play(self, pair: Pair) -> Trial:
        """Play a trial whose policies wait for nobody."""
        return asyncio.run(self.play_async(pair))

    async def play_async(self, pair: Pair) -> Trial:
        """Play a trial.

        Raises:
            OutOfBudget: A limit was reached.
        """
        task = self._tasks.get(pair.place, lambda: self._pack[pair.place])
        seed = self._plan.episode_seed(pair)
        episode = TeamEpisode(self._env, self._players(pair, seed))
        options = {"task": task, **({"fault_seed": seed} if self._plan.failure_rate else {})}
        clock = time.perf_counter()
        scored: dict[str, Any] = {}
        with no_exit():
            try:
                await episode.play(seed, options)
                if error := episode.info.get("backend_error"):
                    raise BackendError(error)
            except BackendError as error:
                scored = {"status": "masked", "reason": masked_reason(error)}
            else:
                scored = outcome(episode.rollout())
        usage = episode.usage
        result = trial_result(task, pair.trial, seed, usage, seconds=time.perf_counter() - clock, roles=episode.roles(), **scored)
        wanted = self._plan.trajectories and result.status == "scored"
        return Trial(result, episode.line(self._plan, seed) if wanted else None, usage.unpriced)

    def close(self) -> None:
        """Free the environment."""
        self._env.close()

    def _players(self, pair: Pair, seed: int) -> dict[str, Player]:
        family = self._env.game.env.family
        players = {}
        for role in self._env.possible_agents:
            meter = self._metered(role, pair)
            players[role] = Player(self._scene.maker.make(role, family, model=meter, seed=seed), meter)
        return players

    def _metered(self, role: str, pair: Pair) -> Meter | None:
        model = self._models.get(role)
        if model is None or self._cache is None:
            return None if model is None else Meter(model)
        return Meter(self._cache.around(model, trial=f"{pair.task_id}/{pair.trial}/{role}"))


class Player:
    """A policy at its seat.

    Args:
        policy: The policy.
        meter: Counts what it uses of its model, where it asks one.
    """

    def __init__(self, policy: AnyPolicy, meter: Meter | None = None) -> None:
        self._policy, self._meter = policy, meter
        self._seated = False

    @property
    def usage(self) -> Usage:
        """Tokens and cost so far."""
        return usage_of(self._policy) if self._meter is None else self._meter.usage

    async def act(self, seat: Seat, text: str) -> Any:
        """The next action; the first observation holds the brief, and what was said before."""
        policy: Any = self._policy  # begin and act of either kind
        if not self._seated:
            self._seated = True
            await self._done(policy.begin(seat, text, seat.game.opening_info(seat.agent)))
        return await self._done(policy.act(text))

    async def _done(self, answer: Awaitable[Any] | Any) -> Any:
        return await answer if is_async(self._policy) else answer


class TeamEpisode:
    """One episode of a team, played through PettingZoo's API.

    Args:
        env: The team, in either form.
        players: Who plays, by role.

    Attributes:
        info: The last info of the agent that was looked at last.
        earned: What each agent earned.
    """

    def __init__(self, env: Any, players: Mapping[str, Player]) -> None:
        self._env, self._players = env, players
        self.info: dict[str, Any] = {}
        self.earned: dict[str, float] = {}
        self._terminated = False

    async def play(self, seed: int, options: Mapping[str, Any]) -> None:
        """Play it to the end."""
        self._env.reset(seed=seed, options=dict(options))
        game = self._env.game
        self._briefs = dict(game.state.heard)
        self.earned = dict.fromkeys(game.state.agents, 0.0)
        self._seats = {agent: Seat(game, agent) for agent in game.state.agents}
        await (self._by_turns() if hasattr(self._env, "agent_iter") else self._at_once())

    async def _by_turns(self) -> None:
        env = self._env
        for agent in env.agent_iter():
            view, reward, terminated, truncated, self.info = env.last()
            self.earned[agent] += reward
            self._terminated = terminated
            over = terminated or truncated
            env.step(None if over else await self._players[agent].act(self._seats[agent], view["text"]))

    async def _at_once(self) -> None:
        env = self._env
        views = {agent: env.game.view(agent) for agent in env.agents}
        while env.agents:
            done = env.game.state.done
            asked = [agent for agent in env.agents if agent not in done]
            acts = [self._players[agent].act(self._seats[agent], views[agent]["text"]) for agent in asked]
            answers = await asyncio.gather(*acts, return_exceptions=True)
            for answer in answers:
                if isinstance(answer, BaseException):
                    raise answer
            actions = dict(zip(asked, answers, strict=True))
            views, rewards, ended, _, infos = env.step({agent: actions.get(agent, "") for agent in env.agents})
            for agent, reward in rewards.items():
                self.earned[agent] += reward
                self.info, self._terminated = infos[agent], ended[agent]

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all roles."""
        return sum((player.usage for player in self._players.values()), Usage())

    def rollout(self) -> Rollout:
        """What came of it, as for one agent."""
        env = self._env.game.env
        episode, verdict = env.episode, env.episode.verdict
        return Rollout(
            task_id=env.task.id,
            tier=env.task.tier,
            pattern=env.task.pattern,
            reward=self._score,
            is_success=self.info.get("is_success", False),
            terminated=self._terminated,
            turns=env.transcript,
            calls=episode.calls,
            errors=dict(sorted(episode.errors.items())),
            verdict={} if verdict is None else verdict.as_dict(),
            faults=self.info.get("faults", {}).get("kinds", {}),
        )

    def roles(self) -> dict[str, RoleResult]:
        """What each role did and earned."""
        state = self._env.game.state
        credits = self._env.game.credits(self._score) or {}
        return {
            agent: RoleResult(
                turns=state.actors.count(agent),
                calls=state.calls[agent],
                refused=state.refused[agent],
                messages=state.sent[agent],
                reward=earned,
                credit=credits.get(agent),
                prompt_tokens=self._players[agent].usage.prompt_tokens,
                completion_tokens=self._players[agent].usage.completion_tokens,
                cost=self._players[agent].usage.cost + self._players[agent].usage.replayed_cost,
            )
            for agent, earned in self.earned.items()
        }

    def line(self, plan: RunPlan, seed: int) -> str:
        """The episode as a trajectory: every turn says whose it was."""
        env, state = self._env.game.env, self._env.game.state
        turns = list(zip(state.actors, env.transcript, strict=True))
        steps = [
            Step(
                action={"agent": agent, "action": turn.action},
                observation=turn.observation,
                reward=self._score if number == len(turns) else 0.0,
                terminated=self._terminated and number == len(turns),
                truncated=not self._terminated and number == len(turns),
            )
            for number, (agent, turn) in enumerate(turns, start=1)
        ]
        rollout = self.rollout()
        return Trajectory(
            task=json.loads(env.task.to_json()),
            options={"team": {"id": plan.env_id, "form": plan.form, "arguments": plan.env_options, "agents": state.agents}},
            seed=seed,
            spec=None,
            tools=[],
            brief="\n\n".join(f"{agent}:\n{brief}" for agent, brief in self._briefs.items()),
            world="",
            steps=tuple(steps),
            info={
                "task_id": env.task.id,
                "calls": rollout.calls,
                "errors": rollout.errors,
                "verdict": rollout.verdict,
                "is_success": rollout.is_success,
            },
            version=opsgym.__version__,
        ).to_line()

    @property
    def _score(self) -> float:
        env = self._env.game.env
        verdict = env.episode.verdict
        return 0.0 if verdict is None else float(env.family.reward(verdict, env.reward_mode))
