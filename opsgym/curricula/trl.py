"""TRLCurriculum: environments, groups and a callback for TRL's GRPOTrainer."""

from __future__ import annotations

import inspect
import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from types import NoneType
from typing import Any, Literal

import gymnasium as gym

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import ToolCall
from opsgym.core.tools import Tool, Toolbox
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.sb3 import load_state, save_state
from opsgym.curricula.ticket import Outcome, Ticket
from opsgym.curricula.wrapper import CurriculumWrapper

__all__ = ["TRLCurriculum"]

OVER = '{"error":"The episode is over; nothing more is carried out."}'
"""Answer to every call after the end: TRL has no sign by which it would stop calling."""

RESERVED = ("reset", "get_reward")
STATE = "curriculum.json"


class TRLCurriculum:
    """Lets TRL's ``GRPOTrainer`` play what a sampler asks for, all rollouts of a group the same task.

    TRL makes the environments by itself (``environment_factory``), resets them with a row of the dataset, and offers **every
    public method of their class as a tool**, so no ``gymnasium.Env`` can be handed to it.  The class that is made here has one
    method for each tool, with the types and the text of the tool's schema, beside ``reset`` and ``get_reward``.

    - **Groups.**  A row names a group, not a task.  The first rollout of a group asks the sampler, the others play the same
      ticket; what TRL reads ahead or shuffles costs no freshness.  When the last reward of a group is known, all its outcomes
      are told at once, with ``extra["abs_advantage"]``, the distance of each score from the group's mean, for
      ``Bandit(payoff="abs_advantage")`` and ``PrioritizedLevelReplay(score="abs_advantage")``.
    - **End.**  TRL goes on while the model calls tools.  After the end every call is answered with one fixed line and changes
      nothing.  An episode whose model stops calling is judged as it stands, as one whose budget is used up.
    - **Calls.**  Each is a step of the environment.  What is wrong with one is answered as text by the environment, so TRL's
      ``tools/failure_frequency`` counts bugs alone.  Arguments that are null and need not be given are left out: datasets
      whose calls were stored as structs teach models to write them.
    - **Length.**  A result that does not fit into ``max_completion_length`` is dropped by TRL, yet its call counts: keep results
      short with :class:`~opsgym.wrappers.ObservationLimit`.
    - **Reward.**  The sum of the episode's rewards; ``None``, which TRL leaves out, where an external system broke.

    It holds for one process: with several, each would be a curriculum of its own, and a group could be split among them.

    Args:
        make_env: Makes an environment, a :class:`~opsgym.envs.tool_env.ToolEnv` with text, wrapped or not.
        sampler: What decides which tasks are played.
        generations: Rollouts of a group: ``num_generations`` of the ``GRPOConfig``.
        tools: Names of the tools on offer; by default all that the environment has before its first task.  Their schemas
            stand in every prompt, so name those that are needed.

    Raises:
        RegistryError: There is no such tool.
        TaskError: ``generations`` is below 2, a tool's name is no method's, or there are several processes.

    Example:
        >>> import gymnasium as gym, opsgym
        >>> from opsgym.curricula import Ladder, TaskSpace
        >>> space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 3)}, fixed={"tier": "easy", "rows": 3, "cols": 3})
        >>> sampler = Ladder(space, levels=3, seed=1)
        >>> curriculum = TRLCurriculum(lambda: gym.make("ACEBench-v0", cache=None), sampler, generations=2, tools=["done"])
        >>> rollouts = [curriculum.environment_factory() for _ in range(2)]
        >>> briefs = [rollout.reset(group=0) for rollout in rollouts]
        >>> briefs[0] == briefs[1], rollouts[0].done()
        (True, '{"tool":"done","ok":true,"result":"finished"}')
        >>> [rollout.get_reward() for rollout in rollouts], sampler.metrics()["done"]
        ([0.0, 0.0], 2.0)
    """

    def __init__(
        self,
        make_env: Callable[[], gym.Env[Any, Any]],
        sampler: Sampler,
        *,
        generations: int,
        tools: Iterable[str] | None = None,
    ) -> None:
        if generations < 2:
            raise TaskError(f"expected at least 2, got {generations!r}", field="generations")
        processes = int(os.environ.get("WORLD_SIZE", "1"))
        if processes > 1:
            raise TaskError(f"expected one process, got {processes}: each would be a curriculum of its own", field="WORLD_SIZE")
        self.sampler, self.generations = sampler, generations
        self._make = make_env
        self._groups: dict[int, _Group] = {}
        probe = make_env()
        toolbox: Toolbox = probe.get_wrapper_attr("tools")
        offered = toolbox if tools is None else toolbox.subset(tools)
        name = type(probe.unwrapped).__name__
        probe.close()
        self._class = type(name, (_Rollout,), {tool.name: _method(tool) for tool in offered.values()})

    # -- what GRPOTrainer takes ---------------------------------------------------------------------------

    def environment_factory(self) -> Any:
        """A new environment as TRL wants it; give the bound method to the trainer."""
        return self._class(self._make(), self)

    def dataset(self, groups: int, *, system: str = "") -> Any:
        """The ``train_dataset``: one row a group, each with an empty message to which TRL adds the brief.

        Args:
            groups: How many groups an epoch has; at least those of one generation batch.
            system: A system message to put first.

        Returns:
            A ``datasets.Dataset`` with the columns ``prompt`` and ``group``.

        Raises:
            OpsGymError: datasets, of the extra ``trl``, is not installed.
        """
        return _dataset("group", list(range(groups)), system)

    def evaluation(self, tickets: Iterable[Ticket], *, system: str = "") -> Any:
        """An ``eval_dataset`` of given tickets; how they go is not told to the sampler.

        Args:
            tickets: For example those of a ``Uniform`` sampler of its own.
            system: A system message to put first.

        Returns:
            A ``datasets.Dataset`` with the columns ``prompt`` and ``ticket``.

        Raises:
            OpsGymError: datasets, of the extra ``trl``, is not installed.
        """
        return _dataset("ticket", [json.dumps(ticket.as_dict()) for ticket in tickets], system)

    def callback(self) -> Any:
        """A ``TrainerCallback``: adds ``metrics()`` under ``curriculum/`` to the log and saves the sampler's state.

        The state lies in each checkpoint as ``curriculum.json`` and is taken up when training is resumed from it.  Groups
        that are being played are not saved; the sampler gives up their tickets after its ``ttl``.

        Raises:
            OpsGymError: transformers, of the extra ``trl``, is not installed.
            TaskError: When training begins: ``num_generations`` is not ``generations``.
        """
        return _callback(self)

    # -- groups -------------------------------------------------------------------------------------------

    def _join(self, number: int) -> tuple[Ticket, int]:
        """The ticket of a group and the number of the next trial; asks for one where the group is new."""
        group = self._groups.get(number)
        if group is None:
            group = self._groups[number] = _Group(self.sampler.ask(1, self.generations)[0])
        if group.joined == self.generations:
            message = (
                f"group {number} has more rollouts than generations={self.generations}; give num_generations of the GRPOConfig"
            )
            raise TaskError(message, field="generations")
        group.joined += 1
        return group.ticket, group.joined - 1

    def _hear(self, number: int, outcome: Outcome) -> None:
        """Keep an outcome until its group is complete."""
        group = self._groups.get(number)
        if group is None or group.ticket.id != outcome.ticket_id:  # a rollout of a run that was broken off
            self.sampler.tell(outcome)
            return
        if outcome.status == "infeasible":  # found by the first rollout; another ticket takes the group's place
            del self._groups[number]
            self.sampler.tell([replace(outcome, trial=trial) for trial in range(self.generations)])
            return
        group.outcomes.append(outcome)
        if len(group.outcomes) == self.generations:
            del self._groups[number]
            self.sampler.tell(_with_advantages(group.outcomes))


@dataclass(slots=True)
class _Group:
    """The rollouts of one row: their ticket, how many have started, and how those went that have ended."""

    ticket: Ticket
    joined: int = 0
    outcomes: list[Outcome] = field(default_factory=list)


class _Seat:
    """The source of one environment: a place in the group that it was reset for, or nothing while it is evaluated."""

    def __init__(self, curriculum: TRLCurriculum) -> None:
        self.curriculum = curriculum
        self.group: int | None = None

    def draw(self) -> tuple[Ticket, int]:
        assert self.group is not None
        return self.curriculum._join(self.group)

    def tell(self, outcome: Outcome) -> None:
        if self.group is not None:
            self.curriculum._hear(self.group, outcome)


class _Rollout:
    """What the class of a toolbox inherits.  Whatever is public here would be a tool."""

    def __init__(self, env: gym.Env[Any, Any], curriculum: TRLCurriculum) -> None:
        self._seat = _Seat(curriculum)
        self._env = CurriculumWrapper(env, self._seat)
        self._over, self._score, self._broken = True, 0.0, False

    def reset(self, *, group: int | None = None, ticket: str | None = None, **row: Any) -> str:
        """Start the episode of a row; returns what the agent reads first."""
        if (group is None) == (ticket is None):
            raise TaskError(f"expected 'group' or 'ticket', got {sorted(row)}: use dataset() or evaluation()", field="row")
        self._abandon()
        self._seat.group = group
        options = {} if ticket is None else {"ticket": json.loads(ticket)}
        brief, info = self._env.reset(options=options)
        self._over, self._score, self._broken = False, 0.0, False
        return "\n\n".join(filter(None, [info.get("policy", ""), str(brief)]))

    def get_reward(self) -> float | None:
        """The episode's return; ends it where the model stopped calling."""
        if not self._over:
            self._env.get_wrapper_attr("episode").cut = True
            self._play("")
        return None if self._broken else self._score

    def _abandon(self) -> None:
        """Tell the group of a running episode that it is lost; the seat may be of another group from now on."""
        ticket, self._env.ticket = self._env.ticket, None
        if ticket is not None:
            self._seat.tell(ticket.outcome(success=None, trial=self._env.trial, status="lost"))

    def _call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        if self._over:
            return OVER
        given = {name: value for name, value in arguments.items() if value is not None or name in _required(tool)}
        return self._play(ToolCall(name=tool.name, arguments=given))

    def _play(self, action: Any) -> str:
        observation, reward, terminated, truncated, info = self._env.step(action)
        self._over = terminated or truncated
        self._score += reward
        self._broken = "backend_error" in info
        return str(observation)


def _with_advantages(outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes of a group, each done one with its score's distance from the mean of those."""
    done = [outcome.score for outcome in outcomes if outcome.status == "done"]
    mean = sum(done) / max(1, len(done))
    return [
        replace(outcome, extra={**outcome.extra, "abs_advantage": abs(outcome.score - mean)})
        if outcome.status == "done"
        else outcome
        for outcome in outcomes
    ]


# -- tools as methods -------------------------------------------------------------------------------------


def _method(tool: Tool) -> Callable[..., str]:
    """A tool as a method from whose annotations and docstring transformers makes the tool's schema again.

    Raises:
        TaskError: The name cannot be a method's.
    """
    if not tool.name.isidentifier() or tool.name.startswith("_") or tool.name in RESERVED:
        raise TaskError(f"expected names of methods other than {', '.join(RESERVED)}, got {tool.name!r}", field="tools")

    def method(self: _Rollout, **arguments: Any) -> str:
        return self._call(tool, arguments)

    properties: dict[str, Any] = tool.parameters["properties"]
    required = _required(tool)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in required else schema.get("default"),
            annotation=_hint(schema),
        )
        for name, schema in properties.items()
    ]
    method.__name__ = method.__qualname__ = tool.name
    method.__signature__ = inspect.Signature([own, *parameters], return_annotation=str)  # type: ignore[attr-defined]  # read by inspect
    method.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {"return": str}
    method.__doc__ = _docstring(tool, properties)
    return method


def _required(tool: Tool) -> list[str]:
    found: list[str] = tool.parameters.get("required", [])
    return found


def _docstring(tool: Tool, properties: Mapping[str, Any]) -> str:
    """Google style, a line an argument; what a type cannot say of nested objects stands in the description."""
    about = f"{tool.description} Takes {tool.usage}." if "$defs" in tool.parameters else tool.description
    lines = [f"    {name}: {' '.join(str(schema.get('description') or name).split())}" for name, schema in properties.items()]
    return "\n".join([" ".join(about.split()), *(["", "Args:", *lines] if lines else [])])


def _hint(schema: Mapping[str, Any]) -> Any:
    """The annotation for a JSON Schema, of the kinds that transformers reads."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return reduce(operator.or_, map(_hint, schema["anyOf"]))
    kind = schema.get("type", "object" if "$ref" in schema else None)
    if kind == "array":
        return list[_hint(schema["items"])] if schema.get("items") else list  # type: ignore[misc]  # made at run time
    return {"integer": int, "number": float, "string": str, "boolean": bool, "null": NoneType, "object": dict}.get(kind, Any)


# -- what needs TRL's own packages ------------------------------------------------------------------------


def _dataset(column: str, values: list[Any], system: str) -> Any:
    try:
        from datasets import Dataset
    except ImportError as error:
        raise OpsGymError('data sets for TRL need datasets: pip install "opsgym[trl]"') from error

    messages = [{"role": "system", "content": system}] if system else []
    prompt = [*messages, {"role": "user", "content": ""}]
    return Dataset.from_dict({"prompt": [prompt] * len(values), column: values})


def _callback(curriculum: TRLCurriculum) -> Any:
    try:
        from transformers import TrainerCallback
    except ImportError as error:
        raise OpsGymError('callbacks for TRL need transformers: pip install "opsgym[trl]"') from error

    class CurriculumCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]  # untyped where the extra is absent
        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if args.num_generations != curriculum.generations:
                message = f"expected num_generations={args.num_generations} of the GRPOConfig, got {curriculum.generations}"
                raise TaskError(message, field="generations")
            curriculum._groups.clear()
            path = _state_path(args, state)
            if state.global_step and path.exists():
                load_state(curriculum.sampler, path)

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
            metrics = {f"curriculum/{name}": value for name, value in curriculum.sampler.metrics().items()}
            for log in (logs, *state.log_history[-1:]):
                if log is not None:
                    log.update(metrics)

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            save_state(curriculum.sampler, _state_path(args, state))

    return CurriculumCallback()


def _state_path(args: Any, state: Any) -> Path:
    return Path(args.output_dir) / f"checkpoint-{state.global_step}" / STATE
