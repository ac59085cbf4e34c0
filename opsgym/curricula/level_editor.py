"""LevelEditor: new levels are small edits of those that were worth replaying (ACCEL)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opsgym.curricula.prioritized_level_replay import PrioritizedLevelReplay
from opsgym.curricula.sampler import Distribution, Proposal, positive, share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["LevelEditor"]

Certify = Callable[[Mapping[str, Any], int], bool]
TRIES = 8
"""Edits that are tried before the editor falls back on a new level."""


class LevelEditor(PrioritizedLevelReplay):
    """Prioritised level replay whose probes are, first of all, edits of the levels that were replayed last.

    An edit moves ``edits`` times one step on one axis: the next whole number, the next choice of an ordered axis, another
    choice of an unordered one, or ``step`` of a range.  The seed stays, so that an edit is the same draw of a slightly other
    task.  An edited task must lie in the space and pass ``certify``: the family compiles it, and its certificate says that it
    can be solved.  Edits wait in a queue; while it is empty, probes are new levels.

    **Source.**  ACCEL (Parker-Holder et al. 2022, arXiv 2203.01302): replay, edit what was replayed, measure the
    edit without learning from it, keep it if it scores.  There edits move tiles of a maze; here they move task parameters, so
    ``edits`` 1, ``step`` 0.1, ``fresh`` 0.1 and ``replay`` 0.8 are ours, as is ``staleness`` and everything else of
    :class:`PrioritizedLevelReplay`, but that ``robust`` is true as in the paper.

    Args:
        space: Where new levels come from, and what edits stay within.
        certify: Whether parameters (failure rate included) and a seed give a task; see :func:`~opsgym.curricula.certifier`.
            Without it a task that does not exist is found when it is played, and told as ``infeasible``.
        edits: Steps per edit.
        step: Size of a step on an axis of numbers, as a share of its range.
        fresh: Share of probes that are new levels although an edit waits, so that no region starves.
        waiting: Greatest number of edits that wait; the oldest are dropped.
        **replay: Arguments of :class:`PrioritizedLevelReplay`.

    Raises:
        RegistryError: Unknown score.
        TaskError: A value is out of range.
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        certify: Certify | None = None,
        edits: int = 1,
        step: float = 0.1,
        fresh: float = 0.1,
        waiting: int = 64,
        **replay: Any,
    ) -> None:
        own = {
            "edits": int(positive("edits", edits)),
            "step": positive("step", share("step", step)),
            "fresh": share("fresh", fresh),
            "waiting": int(positive("waiting", waiting)),
            "certified": certify is not None,
        }
        super().__init__(space, **{"robust": True, "replay": 0.8, **replay, "settings": own})
        self._certify, self._edits, self._step, self._fresh, self._most = certify, edits, step, fresh, waiting
        self._waiting: list[dict[str, Any]] = []
        self._refused = 0

    def distribution(self) -> Distribution:
        """``"new"``, ``"edit"`` of the level whose turn it is, and the levels that can be replayed."""
        keys, probabilities = super().distribution()
        new = probabilities[0] * (self._fresh if self._waiting else 1.0)
        return Distribution(["new", "edit", *keys[1:]], np.concatenate([[new, probabilities[0] - new], probabilities[1:]]))

    def _probe(self) -> Proposal:
        if not self._waiting or self.rng.random() < self._fresh:
            return super()._probe()
        edit = self._waiting.pop(0)
        return Proposal(edit["params"], {"key": "edit", "parent": edit["parent"], "train": not self._robust}, edit["seed"])

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        super()._learn(ticket, outcome)
        number = ticket.info.get("level")
        if number in self._places and outcome.trial == 0:
            level = self._levels[self._places[number]]
            edited = self._edited(level.params, level.seed)
            if edited is not None:
                self._waiting = [*self._waiting, {"params": edited, "seed": level.seed, "parent": level.id}][-self._most :]

    def _edited(self, params: Mapping[str, Any], seed: int) -> dict[str, Any] | None:
        """A certified edit of a point, or ``None`` where none of a few was."""
        for _ in range(TRIES):
            point = dict(params)
            for _ in range(self._edits):
                others = self.space.neighbours(point, self._step)
                if not others:
                    return None
                point = others[int(self.rng.integers(len(others)))]
            if point != params and (self._certify is None or self._certify(point, seed)):
                return point
            self._refused += 1
        return None

    def _gauges(self) -> dict[str, float]:
        return {**super()._gauges(), "edits_waiting": float(len(self._waiting)), "edits_refused": float(self._refused)}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "waiting": [dict(edit) for edit in self._waiting], "refused": self._refused}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self._waiting, self._refused = [dict(edit) for edit in state["waiting"]], state["refused"]
