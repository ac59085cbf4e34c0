"""ToolEnv: the one Gymnasium environment; families plug into it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, ClassVar, Literal, Self

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from opsgym.core.actions import MalformedAction, parse_actions
from opsgym.core.errors import BackendError, EpisodeOver, RegistryError, TaskError, ToolError
from opsgym.core.family import Family
from opsgym.core.spaces import ToolCallText, UnicodeText
from opsgym.core.task import Task, ToolCall, canonical_json
from opsgym.core.tools import Toolbox, ToolResult
from opsgym.core.verify import Verdict
from opsgym.core.world import SnapshotLike, WorldLike
from opsgym.envs.cache import CacheArgument, Lru, task_cache
from opsgym.envs.episode import EnvSnapshot, Episode, Turn, fit
from opsgym.envs.middleware import Middleware, Proceed, Reply, answer
from opsgym.envs.supply import Selection, TasksArgument, TaskSupply

__all__ = ["ToolEnv"]


@dataclass(frozen=True, slots=True)
class _Template:
    """A seeded world: its image, and what the verifier keeps of it."""

    snapshot: SnapshotLike
    baseline: Any


_TEMPLATES: Lru[_Template] = Lru(64)
"""Templates by task id, shared by the environments of a process."""


class ToolEnv(gym.Env[str, Any]):
    """An episode of tool calls over a small world, judged at its end.

    Subclasses name their :attr:`family` and document it.

    Observations are text: at reset the brief, then one line of JSON a call.  Actions are text that holds tool
    calls in any form that :mod:`opsgym.core.actions` reads, or in process
    :class:`~opsgym.core.task.ToolCall` objects.  What goes wrong in a call is answered in the observation; it
    never raises and never changes the world.

    An episode ends when a terminal tool such as ``submit`` succeeds (``terminated``) or when ``max_steps`` steps are used up
    (``truncated``).  Leave Gymnasium's ``max_episode_steps`` alone: it cuts from outside, so that no verdict is computed.

    Args:
        tier: Difficulty region; by default the seed picks one.
        pattern: Structural pattern; by default the seed picks one.
        params: Overrides of single difficulty parameters.
        split: ``"train"``, ``"validation"`` or ``"test"``: disjoint sets of task seeds; by default all.  Where the family ships a
            fixed set, its split plays that.
        tasks: Play these instead of generating: the path of a task pack, tasks, or one task.
        harness: Tool surface; by default the family's first.
        disclosure: How much the brief says; by default the family's first.
        reward_mode: ``"paper"`` (the verdict's reward), ``"binary"`` (1 for success) or ``"dense"`` (differences of the
            verdict's reward from step to step, in multiples of 2**-32; the same total).
        max_steps: Turn budget of an episode.
        grade_on_truncation: Whether an episode whose budget is used up is judged; if not, it earns 0.
        max_calls_per_step: Greatest number of calls in one action; more are refused as a whole.
        max_observation_chars: Greatest length of an observation; longer lines are cut, with a mark.
        max_action_chars: Greatest length of an action; a longer one is refused.
        render_mode: ``"ansi"``, ``"human"`` or ``None``.
        cache: Directory of compiled tasks, ``"auto"`` for the user's cache directory, or ``None`` for memory only.

    Raises:
        RegistryError: An unknown name was given; the message lists those that exist.
        TaskError: The tasks given or the parameters are invalid.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # type: ignore[misc]  # Env leaves it untyped
    family: ClassVar[Family[Any]]
    action_space: ToolCallText

    def __init__(
        self,
        *,
        tier: str | None = None,
        pattern: str | None = None,
        params: Mapping[str, Any] | None = None,
        split: str | None = None,
        tasks: TasksArgument = None,
        harness: str | None = None,
        disclosure: str | None = None,
        reward_mode: str | None = None,
        max_steps: int | None = None,
        grade_on_truncation: bool = True,
        max_calls_per_step: int = 64,
        max_observation_chars: int = 32_768,
        max_action_chars: int = 32_768,
        render_mode: Literal["human", "ansi"] | None = None,
        cache: CacheArgument = "auto",
    ) -> None:
        family = self.family
        self._arguments = {name: value for name, value in locals().items() if name not in ("self", "family", "__class__")}
        self.harness = known_name("harness", harness, family.harnesses)
        self.disclosure = known_name("disclosure", disclosure, family.disclosures)
        self.reward_mode = known_name("reward mode", reward_mode, family.reward_modes)
        self.render_mode = (
            render_mode if render_mode is None else known_name("render mode", render_mode, self.metadata["render_modes"])
        )
        self.max_steps = _positive("max_steps", family.max_steps if max_steps is None else max_steps)
        self.max_calls_per_step = _positive("max_calls_per_step", max_calls_per_step)
        self.max_observation_chars = _positive("max_observation_chars", max_observation_chars)
        self.max_action_chars = _positive("max_action_chars", max_action_chars)
        self.grade_on_truncation = grade_on_truncation
        selection = Selection(tier=tier, pattern=pattern, params=params, split=split)
        self.supply = TaskSupply(family, selection, tasks=tasks, cache=task_cache(cache))
        self._toolbox = family.toolbox(self.harness)
        self._layers: tuple[Middleware, ...] = ()
        self._carry_out: Proceed = self._execute
        self.observation_space = UnicodeText(max_length=self.max_observation_chars)
        self.action_space = ToolCallText(self._toolbox, max_length=self.max_action_chars)
        self._episode: Episode | None = None
        self._world: WorldLike | None = None
        self._before: tuple[str, Any] | None = None
        self._session: Any = None

    # -- episodes -----------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seed of the stream from which tasks are drawn; the same seed gives the same task for ever.
            options: May name a ``task`` (a Task or its JSON), the ``index`` of one in the pack, or narrow the supply
                by ``tier``, ``pattern``, ``params`` and ``split``.

        Returns:
            The brief, and an info with ``task_id``, ``tier``, ``pattern``, ``tools`` (their schemas) and counters.

        Raises:
            RegistryError: An unknown name was given; the message lists those that exist.
            TaskError: The task given is invalid, or the parameters are infeasible.
        """
        super().reset(seed=seed)
        task = self.supply.pick(self.np_random, options or {})
        brief = self.family.brief(task, self.disclosure)
        if len(brief) > self.max_observation_chars:
            message = f"the brief has {len(brief)} characters, expected at most {self.max_observation_chars}"
            raise TaskError(message, field="max_observation_chars")
        self._enter(Episode(task, brief), self._template(task).snapshot)
        info = self._running.info(self.max_steps) | {
            "family": task.family,
            "tier": task.tier,
            "pattern": task.pattern,
            "policy": task.policy,
            "tools": self._toolbox.schemas(),
        }
        self._show(brief)
        return brief, info

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out the calls of an action in order, each whole or not at all.

        Returns:
            One line of JSON a call, the reward, ``terminated``, ``truncated`` and the info; at the end the info holds
            ``verdict`` and ``is_success``.

        Raises:
            ResetNeeded: There is no episode yet.
            EpisodeOver: The episode has ended.
        """
        episode = self._running
        if episode.over:
            raise EpisodeOver("the episode has ended; call reset() to start another")
        try:
            changes = episode.changes
            lines, terminated = self._act(action)
        except BackendError as error:
            return self._break_off(action, error)
        episode.turns.append(Turn(_as_text(action, self.max_action_chars), fit(lines, self.max_observation_chars)))
        truncated = not terminated and (episode.cut or len(episode.turns) >= self.max_steps)
        episode.over = terminated or truncated
        if terminated or (truncated and self.grade_on_truncation):
            episode.verdict = self.verdict()
        reward = self._reward(changed=episode.changes > changes)
        info = episode.info(self.max_steps)
        if episode.verdict is not None:
            info["verdict"] = episode.verdict.as_dict()
        if episode.over:
            info["is_success"] = episode.verdict is not None and episode.verdict.is_success
        observation = episode.turns[-1].observation
        self._show(f"> {episode.turns[-1].action}\n{observation}", verdict=episode.verdict)
        return observation, reward, terminated, truncated, info

    def _act(self, action: Any) -> tuple[list[str], bool]:
        """Observation lines, and whether a terminal call succeeded."""
        lines = []
        for call in self._parse(action):
            result, line = self._refuse(call) if isinstance(call, ToolError) else self._carry_out(call)
            self._running.count(result)
            lines.append(line)
            if result.ok and self._toolbox[result.name].terminal:
                return lines, True
            if self._running.cut:
                break
        return lines, False

    def _parse(self, action: Any) -> tuple[ToolCall | MalformedAction, ...]:
        return parse_actions(action, self._toolbox, max_calls=self.max_calls_per_step, max_chars=self.max_action_chars).calls

    def _execute(self, call: ToolCall) -> Reply:
        """Carry out one call; a refusal or a bug in a mutating tool leaves no trace."""
        try:
            tool = self._toolbox.find(call.name)
            arguments = tool.validate(call.arguments)
            if not tool.mutates:
                return answer(ToolResult(tool.name, tool.function(self._session, **arguments)))
            assert self._world is not None
            with self._world.savepoint():
                reply = answer(ToolResult(tool.name, tool.function(self._session, **arguments)))
            self._running.changes += 1
            return reply
        except ToolError as error:
            return self._refuse(error, call.name)

    @staticmethod
    def _refuse(error: ToolError, name: str = "") -> Reply:
        return answer(ToolResult(name, error=error))

    def _break_off(self, action: Any, error: BackendError) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """End an episode that an external system broke: marked, not scored."""
        episode = self._running
        observation = fit([canonical_json({"backend_error": str(error)})], self.max_observation_chars)
        episode.turns.append(Turn(_as_text(action, self.max_action_chars), observation))
        episode.over = True
        return observation, 0.0, False, True, episode.info(self.max_steps) | {"backend_error": str(error)}

    def _reward(self, *, changed: bool) -> float:
        episode = self._running
        dense = self.reward_mode == "dense"
        if dense and changed and not episode.over:
            return episode.gain(self.score())
        if not episode.over:
            return 0.0
        reward = self.family.reward(episode.verdict, self.reward_mode) if episode.verdict else 0.0
        return episode.gain(reward) if dense else reward

    # -- what programmers may ask -------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task of the episode, with its solution; for programmers, never for agents."""
        return self._running.task

    @property
    def tools(self) -> Toolbox:
        """The tools on offer."""
        return self._toolbox

    @property
    def transcript(self) -> tuple[Turn, ...]:
        """Actions and observations of the episode so far."""
        return tuple(self._running.turns)

    @property
    def world(self) -> Any:
        """The world of the episode, of the family's kind; for programmers. Change it and the verdict is void."""
        assert self._running and self._world is not None
        return self._world

    def verdict(self) -> Verdict:
        """What the verifier says of the present state."""
        return self.family.verify(self._baseline, self.world, self.task)

    def score(self) -> float:
        """The dense potential of the present state, see :meth:`Family.score <opsgym.core.family.Family.score>`."""
        return self.family.score(self._baseline, self.world, self.task)

    @property
    def _baseline(self) -> Any:
        task = self.task
        if self._before is None or self._before[0] != task.id:
            self._before = task.id, self._template(task).baseline
        return self._before[1]

    def use(self, layers: Sequence[Middleware]) -> None:
        """Put layers around the execution of calls, innermost first, in place of those there were.

        Wrappers do this when they are made; see :class:`~opsgym.envs.middleware.Middleware`.
        """
        before, self._layers = self._layers, tuple(layers)
        try:
            self._toolbox = self._offered(self._episode.task if self._episode else None)
        except TaskError:
            self._layers = before
            raise
        self._carry_out = self._execute
        for layer in self._layers:
            if type(layer).around is not Middleware.around:
                self._carry_out = partial(layer.around, proceed=self._carry_out)

    @property
    def layers(self) -> tuple[Middleware, ...]:
        """The layers around the execution of calls, innermost first."""
        return self._layers

    @property
    def episode(self) -> Episode:
        """Counters of the episode; for layers, which may add to ``seconds`` and set ``cut``."""
        return self._running

    # -- branch points ------------------------------------------------------------------------------------

    def snapshot(self) -> EnvSnapshot:
        """The whole state: world, counters, transcript, random stream and what the layers keep.

        Raises:
            ResetNeeded: There is no episode yet.
        """
        rng = self.np_random.bit_generator.state
        layers = tuple((type(layer).__name__, layer.snapshot_state()) for layer in self._layers)
        return EnvSnapshot(self._config, self._running.copy(), self.world.snapshot(), dict(rng), self._np_random_seed, layers)

    def restore(self, snapshot: EnvSnapshot) -> None:
        """Return to a snapshot, of this environment or of another with the same family, harness, disclosure and layers.

        Raises:
            TaskError: The snapshot is of another family, harness or disclosure, or of an environment with other layers.
        """
        if snapshot.config != self._config:
            raise TaskError(f"expected a snapshot of {self._config}, got one of {snapshot.config}", field="snapshot.config")
        names = [type(layer).__name__ for layer in self._layers]
        if names != [name for name, _ in snapshot.layers]:
            given = [name for name, _ in snapshot.layers]
            raise TaskError(f"expected a snapshot with layers {names}, got one with {given}", field="snapshot.layers")
        generator = getattr(np.random, snapshot.rng["bit_generator"])()
        generator.state = snapshot.rng
        self._np_random, self._np_random_seed = np.random.Generator(generator), snapshot.seed
        self._enter(snapshot.episode.copy(), snapshot.world)
        for layer, (_, state) in zip(self._layers, snapshot.layers, strict=True):
            layer.restore_state(state)

    def fork(self) -> Self:
        """Another environment in the same state; the two go on independently.

        Wrappers and their layers are not copied: ``opsgym.wrappers.fork`` copies a whole stack.
        """
        twin = type(self)(**self._arguments)
        twin.spec = self.spec
        twin.restore(replace(self.snapshot(), layers=()))
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as arguments, random stream and state; layers belong to the wrappers, which put themselves around again."""
        state = replace(self.snapshot(), layers=()) if self._episode else None
        return _remade, (type(self), self._arguments, self.spec, self._np_random, self._np_random_seed, state)

    # -- showing and closing ------------------------------------------------------------------------------

    def render(self) -> str | None:
        """The transcript and a summary of the world: returned in mode ``"ansi"``, printed as it goes in mode ``"human"``."""
        if self.render_mode == "human" or self.render_mode is None:
            return None
        episode, family = self._running, self.family
        head = f"{family.id} {episode.task.tier} {episode.task.pattern} {episode.task.id}"
        turns = [f"[{number}] > {turn.action}\n{turn.observation}" for number, turn in enumerate(episode.turns, start=1)]
        return "\n\n".join([head, episode.brief, *turns, family.render(self.world, episode.task), *_summary(episode.verdict)])

    def close(self) -> None:
        """Free the world; a later ``reset`` opens one again."""
        world = self._world
        self._world = self._before = self._session = self._episode = None
        if world is not None:
            world.close()

    # -- inside -------------------------------------------------------------------------------------------

    @property
    def _running(self) -> Episode:
        if self._episode is None:
            raise ResetNeeded("there is no episode yet; call reset() first")
        return self._episode

    @property
    def _config(self) -> tuple[str, str, str]:
        return self.family.id, self.harness, self.disclosure

    def _template(self, task: Task) -> _Template:
        return _TEMPLATES.get(task.id, lambda: self._seed_world(task))

    def _seed_world(self, task: Task) -> _Template:
        world: WorldLike = self.family.open(task)
        template = _Template(world.snapshot(), self.family.baseline(world, task))
        if template.baseline is not world:
            world.close()
        return template

    def _enter(self, episode: Episode, snapshot: SnapshotLike) -> None:
        """Take up an episode at a state of its world."""
        self._world = _restored(self._world, snapshot)
        self._toolbox = self._offered(episode.task)
        self._session = self.family.session(self._world, episode.task)
        self._episode = episode

    def _offered(self, task: Task | None) -> Toolbox:
        """The family's tools, and what the layers make of them."""
        return reduce(lambda tools, layer: layer.extend(tools), self._layers, self.family.toolbox(self.harness, task))

    def _show(self, text: str, *, verdict: Verdict | None = None) -> None:
        if self.render_mode == "human":
            print(text, *_summary(verdict), sep="\n", flush=True)


def _remade(kind: type[ToolEnv], arguments: dict[str, Any], spec: Any, rng: Any, seed: int | None, state: Any) -> ToolEnv:
    """The environment that :meth:`ToolEnv.__reduce__` describes."""
    env = kind(**arguments)
    env.spec, env._np_random, env._np_random_seed = spec, rng, seed
    if state is not None:
        env.restore(state)
    return env


def _restored(world: WorldLike | None, snapshot: SnapshotLike) -> WorldLike:
    """A world in the state of a snapshot: the one given, where its schema fits and the state is small."""
    if world is None or world.schema != snapshot.schema or getattr(snapshot, "is_large", False):
        if world is not None:
            world.close()
        return snapshot.open()
    world.restore(snapshot)
    return world


def known_name(kind: str, given: str | None, known: tuple[str, ...] | list[str]) -> str:
    """The name given, or the first known one when none is."""
    if given is None:
        return known[0]
    if given not in known:
        raise RegistryError(kind, given, known)
    return given


def _positive(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TaskError(f"expected a positive integer, got {value!r}", field=name)
    return value


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _as_text(action: Any, limit: int) -> str:
    """An action as the transcript shows it: sound Unicode, and no longer than an action may be."""
    try:
        text = _written(action)
    except Exception:  # it was refused already, and an object of a stranger's class may not even have a text
        text = f"<{type(action).__name__}>"
    return fit([text.encode("utf-8", "backslashreplace").decode()], limit)


def _written(action: Any) -> str:
    if isinstance(action, str):
        return str(action)
    if isinstance(action, ToolCall):
        with suppress(TypeError):  # plain JSON, as it nearly always is
            return _encode({"name": action.name, "arguments": action.arguments})
        return json.dumps(action.model_dump(), ensure_ascii=False, separators=(",", ":"), default=repr)
    if isinstance(action, list | tuple):
        return "\n".join(map(_written, action))
    return repr(action)


def _summary(verdict: Verdict | None) -> list[str]:
    if verdict is None:
        return []
    failed = [f"  failed {check.spec.rule}: {check.message}" for check in verdict.checks if check.status == "fail"]
    return [f"verdict: reward {verdict.reward:.4f}, {'solved' if verdict.is_success else 'not solved'}", *failed]
