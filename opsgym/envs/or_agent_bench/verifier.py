"""Verifier: judges what was handed in, period by period, with the class's validator.

Checks: ``submission`` (the program ended by itself and left a decision), ``schema``, one for each rule of the class, and
``quality``.  A rule fails when it is broken in any period.  Only the ledger is read: what lies in the working folder at the end
does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opsgym.core.errors import RegistryError
from opsgym.core.task import CheckSpec
from opsgym.core.verify import CheckResult, Verdict
from opsgym.envs.or_agent_bench.judging import Judged, Play, judge_text, opens_next
from opsgym.envs.or_agent_bench.sampler import total
from opsgym.envs.or_agent_bench.scoring import PASS, harbor
from opsgym.envs.or_agent_bench.world import Handed

REWARD_MODES = ("pass", "quality", "harbor", "dense")
"""Reward rules; the first is the default."""

SHOWN = 20
"""Violated items that a check's result quotes."""

PROGRESS = 0.25
"""Share of the dense potential that accepted periods earn; the rest is quality."""


def build_checks(rules: Iterable[str]) -> tuple[CheckSpec, ...]:
    """The checks of a task with these rules."""
    gates = [CheckSpec(rule=rule, dimension="constraint", group="feasibility") for rule in ("submission", "schema", *rules)]
    return (*gates, CheckSpec(rule="quality", dimension="quality", group="quality"))


class _Judge:
    """A ledger, looked at by every check."""

    def __init__(self, play: Play, ledger: Sequence[Handed]) -> None:
        self.play = play
        self.ledger = ledger
        self.items: dict[str, list[str]] = {}
        self.judged: list[Judged] = []
        for epoch, handed in enumerate(ledger[: play.epochs]):
            self._look(epoch, handed)
        if len(ledger) < play.epochs:
            self._note("submission", f"{len(ledger)} of {play.epochs} decisions were handed in")
        self.is_feasible = not self.items
        reports = [judged.report for judged in self.judged if judged.report is not None]
        self.objective = total([r.objective for r in reports], [r.charge for r in reports]) if self.is_feasible else None
        self.quality = 0.0 if self.objective is None else play.scale.quality(self.objective)

    def _look(self, epoch: int, handed: Handed) -> None:
        label = f"period {epoch + 1}: " if self.play.epochs > 1 else ""
        if handed.problem:
            self._note("submission", label + handed.problem)
            return
        previous = self.judged[-1].plan if self.judged else None
        judged = judge_text(self.play, epoch, handed.text, previous)
        self.judged.append(judged)
        for fault in judged.faults:
            self._note("schema", label + fault)
        for rule, items in judged.report.violations.items() if judged.report else ():
            for item in items:
                self._note(rule, label + item)
        if judged.is_feasible and epoch < self.play.epochs - 1 and not opens_next(self.play, epoch, judged):
            self._note("submission", f"{label}the plan is too far from the reference to open the next period")

    def _note(self, rule: str, item: str) -> None:
        self.items.setdefault(rule, []).append(item)

    @property
    def accepted(self) -> float:
        """Share of the periods whose decision keeps all rules, up to the first that does not."""
        good = 0
        for judged in self.judged:
            if not judged.is_feasible:
                break
            good += 1
        return good / self.play.epochs

    def run(self, spec: CheckSpec) -> CheckResult:
        """The result of one check."""
        if spec.rule == "quality":
            return self._quality(spec)
        items = self.items.get(spec.rule, [])
        expected = self.play.rules.get(spec.rule, "the program leaves a decision that keeps the schema")
        unseen = not items and not self._was_seen(spec.rule)
        message = (
            f"{len(items)} violated: {'; '.join(items[:3])}" if items else "there is no decision to look at" if unseen else ""
        )
        return CheckResult(spec, "fail" if items or unseen else "pass", expected, items[:SHOWN], message)

    def _was_seen(self, rule: str) -> bool:
        if rule == "submission":
            return len(self.ledger) >= self.play.epochs
        return len(self.judged) == self.play.epochs and (rule == "schema" or all(j.report is not None for j in self.judged))

    def _quality(self, spec: CheckSpec) -> CheckResult:
        scale = self.play.scale
        expected = {"least": PASS, "reference": scale.reference, "bound": scale.bound}
        actual: dict[str, Any] = {"quality": self.quality, "objective": self.objective}
        holds = self.is_feasible and self.quality >= PASS
        message = (
            "" if holds else "there is no feasible plan" if not self.is_feasible else f"quality {self.quality} is below {PASS}"
        )
        return CheckResult(spec, "pass" if holds else "fail", expected, actual, message)


def judge(play: Play, ledger: Sequence[Handed], checks: Sequence[CheckSpec]) -> Verdict:
    """Judge what was handed in."""
    examiner = _Judge(play, ledger)
    results = tuple(examiner.run(spec) for spec in checks)
    feasible = float(examiner.is_feasible)
    passed = examiner.is_feasible and examiner.quality >= PASS
    objective = examiner.objective
    return Verdict(
        reward=float(passed),
        is_success=passed,
        scores={
            "pass": float(passed),
            "feasibility": feasible,
            "quality": examiner.quality,
            "harbor": harbor(feasible, examiner.quality),
            "dense": PROGRESS * examiner.accepted + (1 - PROGRESS) * examiner.quality,
        },
        checks=results,
        gates=() if examiner.is_feasible else ("feasibility",),
        failure_families=tuple(sorted({result.spec.rule for result in results if result.status == "fail"})),
        metrics={"objective": objective, "reference": play.scale.reference, "bound": play.scale.bound},
        canary=objective is not None and play.scale.beats_bound(objective),
    )


def reward_of(verdict: Verdict, mode: str) -> float:
    """A verdict's reward under one of :data:`REWARD_MODES`.

    Raises:
        RegistryError: There is no such mode.
    """
    if mode not in REWARD_MODES:
        raise RegistryError("reward mode", mode, REWARD_MODES)
    return verdict.scores[mode]
