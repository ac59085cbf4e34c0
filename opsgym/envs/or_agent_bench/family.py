"""OrAgentBenchFamily: what ORAgentBench provides so that a ToolEnv can play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opsgym.core.family import Family, FixedSet
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.envs.cache import Lru
from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.compiler import FAMILY, compile_params
from opsgym.envs.or_agent_bench.exploits import exploits
from opsgym.envs.or_agent_bench.judging import play_of
from opsgym.envs.or_agent_bench.mutants import audit
from opsgym.envs.or_agent_bench.params import TIERS, OrParams, draw_params, tier_of
from opsgym.envs.or_agent_bench.programs import POLICIES
from opsgym.envs.or_agent_bench.sampler import VERSION
from opsgym.envs.or_agent_bench.session import Session, first_files, open_session
from opsgym.envs.or_agent_bench.soundness import faults
from opsgym.envs.or_agent_bench.tools import toolbox
from opsgym.envs.or_agent_bench.verifier import REWARD_MODES, judge, reward_of
from opsgym.envs.or_agent_bench.world import OrWorld
from opsgym.sandbox.workspace import Workspace

FIXED = 107
"""Tasks of the fixed set, as many as the paper's."""

_SOUND: Lru[tuple[str, ...]] = Lru(64)


class OrAgentBenchFamily(Family[OrParams, OrWorld]):
    """Operations research end to end; see :class:`~opsgym.envs.or_agent_bench.env.ORAgentBenchEnv`."""

    id = FAMILY
    version = VERSION
    params_type = OrParams
    tiers = tuple(TIERS)
    patterns = NAMES
    reward_modes = REWARD_MODES
    max_steps = 200
    fixed_set = FixedSet(
        name="oragentbench-107",
        split="test",
        counts={name: FIXED // len(NAMES) + (number < FIXED % len(NAMES)) for number, name in enumerate(NAMES)},
        entropy=20261232,  # the first from 20261100 on whose seeds draw the paper's 32 easy, 41 medium and 34 hard tasks
    )

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> OrParams:
        """See :func:`~opsgym.envs.or_agent_bench.params.draw_params`; the pattern is the problem class."""
        return draw_params(seed, tier=tier, problem=pattern, overrides=overrides)

    def compile(self, params: OrParams, seed: int) -> Task:
        """See :func:`~opsgym.envs.or_agent_bench.compiler.compile_params`."""
        return compile_params(params, seed, tier=tier_of(params))

    def open(self, task: Task) -> OrWorld:
        """The working folder with the public files of the first period."""
        return OrWorld(Workspace(first_files(play_of(task))))

    def session(self, world: OrWorld, task: Task) -> Session:
        """The desk over the working folder."""
        return open_session(world, task, play_of(task))

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The tools; ``close_period`` is among them where there are several periods, and without a task."""
        return toolbox(task is None or len(task.world["files"]) > 1)

    def baseline(self, world: OrWorld, task: Task) -> None:
        """The verifier asks nothing of the world at the start."""

    def verify(self, before: None, after: OrWorld, task: Task) -> Verdict:
        """See :func:`~opsgym.envs.or_agent_bench.verifier.judge`."""
        return judge(play_of(task), after.ledger, task.checks)

    def reward(self, verdict: Verdict, mode: str) -> float:
        """See :func:`~opsgym.envs.or_agent_bench.verifier.reward_of`."""
        return reward_of(verdict, mode)

    def brief(self, task: Task, disclosure: str) -> str:
        """The task's instruction; what is to be decided stands in the files."""
        return task.instruction

    def render(self, world: OrWorld, task: Task) -> str:
        """The files of the working folder, and what was handed in."""
        rows = [f"{len(content):>8}  {path}" for path, content in world.workspace.files.items()]
        return "\n".join([*rows, f"{len(world.ledger)} of {len(task.world['files'])} decisions handed in"])

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """The scripted policies, which write real programs; see :mod:`~opsgym.envs.or_agent_bench.programs`."""
        return POLICIES

    def exploits(self, task: Task) -> Mapping[str, Sequence[ToolCall]]:
        """See :func:`~opsgym.envs.or_agent_bench.exploits.exploits`."""
        return exploits(task)

    def audit(self, before: OrWorld, after: OrWorld, task: Task) -> Sequence[tuple[str, bool]]:
        """See :func:`~opsgym.envs.or_agent_bench.mutants.audit`."""
        return audit(play_of(task), after.ledger, task.checks)

    def invariants(self, world: OrWorld, task: Task) -> Sequence[str]:
        """What is wrong with the task itself; see :func:`~opsgym.envs.or_agent_bench.soundness.faults`."""
        return _SOUND.get(task.id, lambda: tuple(faults(task)))
