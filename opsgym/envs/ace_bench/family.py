"""AceBenchFamily: what ACEBench provides so that a ToolEnv can play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from opsgym.core.family import Family
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.envs.ace_bench.candidates import grid_calls
from opsgym.envs.ace_bench.compiler import FAMILY, compile_params, instance_of, truth_of
from opsgym.envs.ace_bench.counter import count_cpsat, count_instance, feasible_items
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.mutants import audit
from opsgym.envs.ace_bench.oracle import oracle_calls
from opsgym.envs.ace_bench.params import PAPER_TIER, PRESETS, TIERS, AceParams, draw_params, tier_of
from opsgym.envs.ace_bench.policies import Table, choose
from opsgym.envs.ace_bench.rules import Layout, compile_rules
from opsgym.envs.ace_bench.sampler import VERSION
from opsgym.envs.ace_bench.tools import toolbox
from opsgym.envs.ace_bench.verifier import REWARD_MODES, judge, reward_of
from opsgym.envs.cache import Lru

_BOARDS: Lru[Board] = Lru(64)
_UNIQUE: Lru[tuple[str, ...]] = Lru(64)


def board_of(task: Task) -> Board:
    """The compiled instance of a task; made once and shared by all its episodes."""
    return _BOARDS.get(task.id, lambda: Board(instance_of(task)))


class AceBenchFamily(Family[AceParams, AceWorld]):
    """Grid planning under slot and global rules; see :class:`~opsgym.envs.ace_bench.env.ACEBenchEnv`."""

    id = FAMILY
    version = VERSION
    params_type = AceParams
    tiers = (*TIERS, PAPER_TIER)
    patterns = PRESETS
    reward_modes = (*REWARD_MODES, "dense")
    max_steps = 600

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> AceParams:
        """See :func:`~opsgym.envs.ace_bench.params.draw_params`; the pattern is the preset."""
        return draw_params(seed, tier=tier, preset=pattern, overrides=overrides)

    def compile(self, params: AceParams, seed: int) -> Task:
        """See :func:`~opsgym.envs.ace_bench.compiler.compile_params`."""
        return compile_params(params, seed, tier=tier_of(params))

    def open(self, task: Task) -> AceWorld:
        """An empty grid."""
        return AceWorld(board_of(task))

    def session(self, world: AceWorld, task: Task) -> AceWorld:
        """The tools act on the world itself."""
        return world

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The eleven tools of the task's domain; without a task those of all domains."""
        return toolbox(None if task is None else str(task.world["domain"]))

    def verify(self, before: AceWorld, after: AceWorld, task: Task) -> Verdict:
        """See :func:`~opsgym.envs.ace_bench.verifier.judge`."""
        return judge(after, task.checks)

    def reward(self, verdict: Verdict, mode: str) -> float:
        """See :func:`~opsgym.envs.ace_bench.verifier.reward_of`; ``dense`` hands out differences of ``fraction``."""
        return reward_of(verdict, "fraction" if mode == "dense" else mode)

    def brief(self, task: Task, disclosure: str) -> str:
        """The task's instruction."""
        return task.instruction

    def render(self, world: AceWorld, task: Task) -> str:
        """The grid, and what was spent."""
        width = max(len(name) for name in world.board.instance.ids)
        rows = [" ".join((name or "-").ljust(width) for name in row).rstrip() for row in world.grid()]
        return "\n".join([*rows, f"{world.empty} slots empty, {sum(world.spent)} readings, {world.checks} global checks"])

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """The policies that do not search and hand in one completion; they know what readings would tell."""
        return {name: partial(_filled, name) for name in ("frugal", "one_opt")}

    def candidates(self, session: AceWorld, task: Task) -> Sequence[ToolCall]:
        """See :func:`~opsgym.envs.ace_bench.candidates.grid_calls`."""
        return grid_calls(session)

    def audit(self, before: AceWorld, after: AceWorld, task: Task) -> Sequence[tuple[str, bool]]:
        """See :func:`~opsgym.envs.ace_bench.mutants.audit`."""
        return audit(after.board, truth_of(task), task.checks)

    def invariants(self, world: AceWorld, task: Task) -> Sequence[str]:
        """The completion is unique and the oracle's, by branch and bound and by CP-SAT; needs ortools."""
        return _UNIQUE.get(task.id, lambda: tuple(_uniqueness(task)))


def _filled(name: str, task: Task) -> Sequence[ToolCall]:
    """The calls by which a policy hands in its completion."""
    instance = board_of(task).instance
    feasible = feasible_items(instance)
    table = Table(compile_rules(instance.rules, Layout.of(instance), feasible), instance.rules)
    items = [int(options[choice]) for options, choice in zip(feasible, choose(name, table), strict=True)]
    return oracle_calls(instance, items)


def _uniqueness(task: Task) -> list[str]:
    """What is wrong with the claim that the oracle's is the only completion, by two counters that share no code."""
    instance = board_of(task).instance
    truth = [[slot.candidates[held] for slot, held in zip(instance.slots, truth_of(task), strict=True)]]
    faults = []
    for name, counter in (("branch and bound", count_instance), ("CP-SAT", count_cpsat)):
        found = counter(instance, limit=2)
        if found.completions != 1 or found.solutions.tolist() != truth:
            faults.append(f"{name} finds {found.completions} completions, expected the oracle's alone")
    return faults
