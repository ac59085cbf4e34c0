"""Sequence: one sampler after another."""

from __future__ import annotations

from collections import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.curricula.compose import Composed, joined
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive, share
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Sequence", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a :class:`Sequence`.

    Attributes:
        sampler: What it draws from.
        tells: It ends after so many answers; ``None``: only ``success`` ends it.
        success: It ends when the mean success of ``window`` answers in a row, counted in whole windows, reaches this.
        window: Size of that window.
    """

    sampler: Sampler
    tells: int | None = None
    success: float | None = None
    window: int = 100


class Sequence(Composed):
    """One sampler after another: a stage ends after a number of answers or at a mean success; the last never ends.

    **Source.**  Stages by hand, as in Syllabus' sequential curriculum (MIT), whose conditions are text; here they are numbers.

    Args:
        stages: In order.
        seed: Seed of the generator.

    Raises:
        TaskError: There is no stage, or one before the last has no end.

    Example:
        >>> from opsgym.curricula import Fixed, TaskSpace, Uniform
        >>> space = TaskSpace({"decoys": (0, 9)})
        >>> sampler = Sequence([Stage(Fixed(space, {"decoys": 0}), tells=2), Stage(Uniform(space))])
        >>> for _ in range(2):
        ...     sampler.tell(sampler.ask()[0].outcome(success=True))
        >>> sampler.stage
        1
    """

    def __init__(self, stages: abc.Sequence[Stage], *, seed: int = 0) -> None:
        if not stages:
            raise TaskError("expected at least one stage, got none", field="stages")
        for index, stage in enumerate(stages):
            if index < len(stages) - 1 and stage.tells is None and stage.success is None:
                raise TaskError("it never ends: give tells or success", field=f"stages.{index}")
            if stage.success is not None:
                share("success", stage.success)
            positive("window", stage.window)
        settings = {"stages": [[stage.tells, stage.success, stage.window] for stage in stages]}
        samplers = [stage.sampler for stage in stages]
        super().__init__(joined(samplers), samplers, seed=seed, settings=settings)
        self._stages = tuple(stages)
        self.stage = 0
        self._heard = self._trials = self._hits = 0

    def distribution(self) -> Distribution:
        """That of the present stage."""
        return self.parts[self.stage].distribution()

    def _propose(self) -> Proposal:
        return self._made_of(self._asked(self.stage))

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        super()._learn(ticket, outcome)
        if outcome.status != "done" or ticket.info["parts"][0][0] != self.stage or self.stage == len(self.parts) - 1:
            return
        stage = self._stages[self.stage]
        self._heard += 1
        self._trials += 1
        self._hits += bool(outcome.success)
        mastered = False
        if self._trials == stage.window:
            mastered = stage.success is not None and self._hits >= stage.success * stage.window
            self._trials = self._hits = 0
        if mastered or (stage.tells is not None and self._heard >= stage.tells):
            self.stage += 1
            self._heard = self._trials = self._hits = 0

    def _gauges(self) -> dict[str, float]:
        return {**super()._gauges(), "stage": float(self.stage)}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "stage": [self.stage, self._heard, self._trials, self._hits]}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self.stage, self._heard, self._trials, self._hits = state["stage"]
