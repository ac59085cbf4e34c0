"""Promises: what every task of every family must keep, and the examination of one task."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsgym.baselines.policy import Policy
from opsgym.baselines.scripted import (
    DoNothing,
    Echo,
    Garbage,
    Oracle,
    RandomValid,
    Scripted,
    SubmitAtOnce,
    call_space,
    finishing_call,
)
from opsgym.core.task import Task, ToolCall
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import load_env
from opsgym.evaluate.replay import replay_digest
from opsgym.evaluate.rollout import Rollout, run_episode

FLOOR = 0.25
"""Greatest reward that may be earned without meeting the constraints: the paper's constraint-gated score."""

SECRET_KEYS = frozenset({"verdict", "is_success", "oracle", "checks", "certificate", "world", "seed", "metadata"})
"""Keys that no info may have before the end of an episode."""

PROMISES: dict[str, str] = {
    "oracle": "the oracle's replay scores 1.0",
    "nothing": "doing nothing and submitting at once score exactly 0",
    "floor": f"echo, garbage and random-valid policies score at most {FLOOR}, but for a last call that is right by chance",
    "mutants": "every rule that applies is tripped by each end state mutated to break it",
    "exploits": f"known exploits score at most {FLOOR}",
    "secrecy": "nothing of the solution is in an observation or info before the end",
    "canary": "no feasible state beats the certificate",
    "worlds": "worlds keep their own invariants",
    "lint": "the family's own lint finds nothing",
    "atomicity": "refused calls and reading tools leave the world unchanged",
    "randomness": "the process-wide random streams are untouched",
    "replay": "a replay is bit-equal in another process with another PYTHONHASHSEED",
    "identity": "a task compiled anew in another process is byte-identical",
    "coverage": "there are tasks of every tier and pattern",
}
"""Every promise by its short name, in the order of the report."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one examination of one promise gave; ``problem`` is empty when it holds."""

    promise: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings on one task, and its replay hash for comparison with another process."""

    task_id: str
    findings: tuple[Finding, ...]
    digest: str


def examine(entry_point: str, task_json: str) -> Examination:
    """Examine one task in every respect that one process can see.

    Args:
        entry_point: The environment, ``"module:Class"``.
        task_json: The task.
    """
    streams = _global_streams()
    task = Task.from_json(task_json)
    env = load_env(entry_point, cache=None)
    findings = list(_Examiner(env, task).findings())
    digest = replay_digest(env, task)
    env.close()
    findings.append(_finding("randomness", "random or numpy.random was used", kept=_global_streams() == streams))
    return Examination(task.id, tuple(findings), digest)


class _Examiner:
    """Plays one task in many ways."""

    def __init__(self, env: ToolEnv, task: Task) -> None:
        self.env = env
        self.task = task
        self.canaries: list[str] = []

    def findings(self) -> Iterator[Finding]:
        yield self.oracle()
        yield from self.worlds("solved")
        yield from self.mutants()
        yield from self.floors()
        yield from self.exploits()
        yield self.secrecy()
        yield from self.atomicity()
        yield self.lint()
        yield _finding("canary", f"{', '.join(self.canaries)} beats the certificate", kept=not self.canaries)

    def play(self, name: str, policy: Policy) -> Rollout:
        rollout = run_episode(self.env, policy, seed=0, task=self.task)
        if rollout.verdict.get("canary"):
            self.canaries.append(name)
        return rollout

    def oracle(self) -> Finding:
        rollout = self.play("the oracle", Oracle())
        failed = [check["rule"] for check in rollout.verdict["checks"] if check["status"] == "fail"]
        refused = f", refused calls: {rollout.errors}" if rollout.errors else ""
        kept = rollout.reward == 1.0 and rollout.is_success and not rollout.errors
        return _finding("oracle", f"reward {rollout.reward}, failed checks: {failed}{refused}", kept=kept)

    def worlds(self, when: str) -> Iterator[Finding]:
        faults = [*self.env.world.check(), *self.env.family.invariants(self.env.world, self.task)]
        yield _finding("worlds", f"{when} world: {'; '.join(faults[:3])}", kept=not faults)

    def mutants(self) -> Iterator[Finding]:
        """The audit needs the solved world: it must follow :meth:`oracle`."""
        verdict = self.env.verdict()
        if not verdict.is_success:
            yield Finding("mutants", "there is no solved world to mutate")
            return
        applying = {check.spec.rule for check in verdict.checks if check.status != "na"}
        seeded = self.env.family.open(self.task)
        caught = self.env.family.audit(seeded, self.env.world, self.task)
        seeded.close()
        for rule, is_caught in caught:
            yield _finding("mutants", f"a mutant of {rule} passes it", kept=is_caught)
        for rule in sorted(applying - {rule for rule, _ in caught}):
            yield Finding("mutants", f"{rule} has no mutant")

    def floors(self) -> Iterator[Finding]:
        limits: tuple[tuple[str, Policy, float], ...] = (
            ("nothing", DoNothing(), 0.0),
            ("nothing", SubmitAtOnce(), 0.0),
            ("floor", Echo(), FLOOR),
            ("floor", Garbage(seed=1), FLOOR),
            ("floor", RandomValid(seed=2), FLOOR),
        )
        for promise, policy, limit in limits:
            name = type(policy).__name__
            rollout = self.play(name, policy)
            if isinstance(policy, RandomValid) and self.was_lucky(rollout):
                continue
            yield _finding(promise, f"{name} earns {rollout.reward}", kept=0.0 <= rollout.reward <= limit)
        yield from self.worlds("randomly changed")

    def was_lucky(self, rollout: Rollout) -> bool:
        """Whether an episode was ended by a call that is itself what is right; nothing else excuses a policy that draws calls."""
        call = _drawn_call(rollout.turns[-1].action) if rollout.terminated else None
        return call is not None and self.env.family.is_lucky(self.task, call)

    def exploits(self) -> Iterator[Finding]:
        for name, calls in self.env.family.exploits(self.task).items():
            rollout = self.play(name, Scripted([*calls, finishing_call(self.env.tools)]))
            yield _finding("exploits", f"{name} earns {rollout.reward}", kept=rollout.reward <= FLOOR)

    def lint(self) -> Finding:
        found = self.env.family.lint(self.task)
        return _finding("lint", f"{self.task.pattern} of seed {self.task.seed}: {'; '.join(found[:3])}", kept=not found)

    def secrecy(self) -> Finding:
        """Look for the solution in what a curious agent sees: all reading tools with many arguments, then random calls."""
        needles = solution_texts(self.task)
        env = self.env
        observation, info = env.reset(seed=0, options={"task": self.task})
        space = call_space(env)
        space.seed(3)
        readers = [tool.name for tool in env.tools.values() if not tool.mutates and not tool.terminal]
        probes = [json.dumps(space.sample_call(name)) for name in readers * 3] + [space.sample() for _ in range(20)]
        for probe in ["", *probes]:
            found = SECRET_KEYS & info.keys()
            if found:
                return Finding("secrecy", f"info has {sorted(found)}")
            seen = observation + json.dumps(info, ensure_ascii=False)
            leaked = next((needle for needle in needles if needle in seen), None)
            if leaked is not None:
                return Finding("secrecy", f"{leaked!r} is in what the agent sees")
            observation, _, terminated, truncated, info = env.step(probe)
            if terminated or truncated:
                break
        return Finding("secrecy")

    def atomicity(self) -> Iterator[Finding]:
        """Fire random valid calls of mutating tools; those refused must leave the digest alone."""
        env = self.env
        env.reset(seed=0, options={"task": self.task})
        space = call_space(env)
        space.seed(4)
        for name in [tool.name for tool in env.tools.values() if not tool.terminal] * 2:
            before = env.world.digest()
            observation, _, terminated, truncated, _ = env.step(space.sample_call(name))
            refused = '"ok":false' in observation.splitlines()[0]
            may_change = env.tools[name].mutates and not refused
            yield _finding("atomicity", f"{name} left a trace", kept=may_change or env.world.digest() == before)
            if terminated or truncated:
                return


def solution_texts(task: Task) -> frozenset[str]:
    """Texts that only someone who knows the solution could write: calls, check arguments and the certified value.

    Short or round values are left out, for they stand in worlds by chance.
    """
    records = [call.arguments for call in task.oracle] + [check.args for check in task.checks]
    encoded = {json.dumps(r, ensure_ascii=False, separators=s) for r in records if len(r) > 1 for s in (None, (",", ":"))}
    value = task.certificate.value
    figures = {f"{value:.2f}", f"{value:,.2f}", repr(value)} if abs(value) >= 1000 and value % 100 else set()
    return frozenset(text for text in encoded if len(text) >= 24) | figures


def _drawn_call(action: str) -> ToolCall | None:
    """The call of an action of :class:`RandomValid`, which says it as JSON, or else plain text."""
    try:
        return ToolCall.model_validate(json.loads(action))
    except ValueError:
        return None


def _finding(promise: str, problem: str, *, kept: bool) -> Finding:
    return Finding(promise, "" if kept else problem)


def _global_streams() -> tuple[Any, ...]:
    state: Any = np.random.get_state(legacy=False)
    inner = state["state"]
    return random.getstate(), state["bit_generator"], inner["key"].tolist(), inner["pos"]
