"""PrioritizedLevelReplay: levels that were worth it before are played again."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive, share
from opsgym.curricula.space import FAILURE_RATE, TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Level", "PrioritizedLevelReplay", "replay_probabilities"]

MODEL_RATE = 0.1
"""Step of the logistic model that says which outcomes surprise."""

Score = Literal["surprise", "abs_advantage", "value_loss"]


@dataclass(slots=True)
class Level:
    """A level of the buffer: parameters with a seed, so one task for ever.

    Attributes:
        id: Number, in the order of entry.
        params: The point, failure rate included.
        seed: Seed of the task.
        score: How much there was to learn when it was last played.
        played: When that was, in answers.
    """

    id: int
    params: dict[str, Any]
    seed: int
    score: float
    played: int


class PrioritizedLevelReplay(Sampler):
    """Keeps the levels that scored highest, and replays them by the rank of their score, stale ones more.

    With the probability ``replay`` a ticket replays a level, else it probes a new one.  A level with the r-th highest score
    is replayed with a probability proportional to ``r ** (-1 / temperature)``; this is mixed, with the weight ``staleness``,
    with one proportional to the time since the level was last played.  A full buffer takes a new level only in place of a
    worse one.

    With ``robust`` set, probes have ``ticket.train`` false: their episodes measure a level, and the policy should learn from
    replays alone.

    Scores, averaged over time: ``"surprise"`` is how far the success bit was from what a logistic model of success over the
    unit cube expected, which is small where the agent always succeeds or always fails; ``"abs_advantage"`` and
    ``"value_loss"`` are the trainer's, given in ``outcome.extra``.

    **Source.**  PLR (Jiang et al. 2021, arXiv 2010.03934), which gives ``temperature`` 0.1 and rank
    prioritisation; robust PLR (Jiang et al. 2021, arXiv 2110.02439).  ``buffer`` 4000 and ``staleness`` 0.3 are the settings
    published with the latter.  ``replay`` 0.5, the surprise score, which stands in for a critic, and ``decay`` 0.3 are ours.

    Args:
        space: Where new levels come from.
        score: What makes a level worth playing.
        replay: Probability of a replay, once the buffer holds ``least`` levels.
        temperature: Of the ranks; the smaller, the more the best level has.
        staleness: Weight of the time since a level was last played.
        buffer: Greatest number of levels.
        least: Number of levels without which nothing is replayed.
        robust: Whether the policy should not learn from new levels.
        decay: Weight of the newest answer in a level's score.
        refresh: After how many answers the replay probabilities are taken anew.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        RegistryError: Unknown score.
        TaskError: A value is out of range; or, on ``tell``, the score is not in ``outcome.extra``.

    Example:
        >>> sampler = PrioritizedLevelReplay(TaskSpace({"decoys": (0, 9)}), least=1, replay=1.0, robust=True)
        >>> first = sampler.ask()[0]
        >>> sampler.tell(first.outcome(success=True))
        >>> again = sampler.ask()[0]
        >>> (first.train, again.train, again.seed == first.seed, again.params == first.params)
        (False, True, True, True)
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        score: Score = "surprise",
        replay: float = 0.5,
        temperature: float = 0.1,
        staleness: float = 0.3,
        buffer: int = 4000,
        least: int = 32,
        robust: bool = False,
        decay: float = 0.3,
        refresh: int = 64,
        seed: int = 0,
        ttl: int = 10_000,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if score not in get_args(Score):
            raise RegistryError("score", score, get_args(Score))
        own = {
            "score": score,
            "replay": share("replay", replay),
            "temperature": positive("temperature", temperature),
            "staleness": share("staleness", staleness),
            "buffer": int(positive("buffer", buffer)),
            "least": int(positive("least", least)),
            "robust": robust,
            "decay": positive("decay", share("decay", decay)),
            "refresh": int(positive("refresh", refresh)),
        }
        if least > buffer:
            raise TaskError(f"expected at most buffer={buffer}, got {least!r}", field="least")
        super().__init__(space, seed=seed, ttl=ttl, settings={**own, **(settings or {})})
        self._score, self._replay, self._robust = score, replay, robust
        self._temperature, self._staleness, self._decay = temperature, staleness, decay
        self._buffer, self._least, self._every = buffer, least, refresh
        self._levels: list[Level] = []
        self._places: dict[int, int] = {}
        self._scores = np.full(buffer, np.inf)
        """The levels' scores again, so that the lowest is found at once."""
        self._next_level = 0
        self._probabilities: NDArray[np.float64] = np.zeros(0)
        self._cumulative: list[float] = []
        self._heard = 0
        self._model = [0.0] * (len(space.axes) + 1)
        """Offset and slopes of the logistic model."""

    @property
    def levels(self) -> list[Level]:
        """The buffer; not to be changed."""
        return self._levels

    def distribution(self) -> Distribution:
        """``"new"``, and the levels of the buffer that can be replayed."""
        rest = self._replay if self._cumulative else 0.0
        count = len(self._cumulative)
        keys = ["new", *(f"level {level.id}" for level in self._levels[:count])]
        return Distribution(keys, np.concatenate([[1 - rest], rest * self._probabilities]))

    def _propose(self) -> Proposal:
        if self._cumulative and self.rng.random() < self._replay:
            place = bisect_right(self._cumulative, self.rng.random() * self._cumulative[-1])
            level = self._levels[min(place, len(self._cumulative) - 1)]
            return Proposal(level.params, {"key": f"level {level.id}", "level": level.id, "train": True}, level.seed)
        return self._probe()

    def _probe(self) -> Proposal:
        """A level that was not played before."""
        return Proposal(self.space.sample(self.rng), {"key": "new", "train": not self._robust})

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        number, score = ticket.info.get("level"), self._scored(ticket, outcome)
        if number is None:
            self._enter(ticket, score)
        elif number in self._places:
            level = self._levels[self._places[number]]
            self._move(level, score)
            level.played = self.tells
        self._heard += 1
        if self._heard >= self._every or len(self._cumulative) < min(self._least, len(self._levels)):
            self._renew()

    def _drop(self, ticket: Ticket, outcome: Outcome) -> None:
        number = ticket.info.get("level")
        if outcome.status == "infeasible" and number in self._places:
            level = self._levels[self._places[number]]
            level.score = self._scores[self._places[number]] = 0.0

    def _enter(self, ticket: Ticket, score: float) -> None:
        """Put a probed level into the buffer, if it is worth it; further trials of its group are averaged."""
        params = _point(ticket)
        if ticket.group > 1:
            for level in self._levels:
                if level.seed == ticket.seed and level.params == params:
                    return self._move(level, score)
        place = len(self._levels) if len(self._levels) < self._buffer else self._worst(score)
        if place is None:
            return None
        level = Level(self._next_level, params, ticket.seed, score, self.tells)
        self._next_level += 1
        if place == len(self._levels):
            self._levels.append(level)
        else:
            del self._places[self._levels[place].id]
            self._levels[place] = level
        self._places[level.id] = place
        self._scores[place] = score
        return None

    def _move(self, level: Level, score: float) -> None:
        """Take a new measurement into a level's score."""
        level.score += self._decay * (score - level.score)
        self._scores[self._places[level.id]] = level.score

    def _scored(self, ticket: Ticket, outcome: Outcome) -> float:
        """How much there was to learn; the logistic model takes a step of gradient ascent."""
        if self._score != "surprise":
            if self._score not in outcome.extra:
                raise TaskError(f"expected {self._score!r}, got {sorted(outcome.extra)}", field="outcome.extra")
            return abs(outcome.extra[self._score])
        features = [1.0, *(2 * place - 1 for place in self.space.encode(_point(ticket)).tolist())]
        logit = sum(weight * feature for weight, feature in zip(self._model, features, strict=True))
        surprise = bool(outcome.success) - 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
        for index, feature in enumerate(features):
            self._model[index] += MODEL_RATE * surprise * feature
        return abs(surprise)

    def _worst(self, score: float) -> int | None:
        """Place of the lowest score, if it is below ``score``."""
        place = int(self._scores.argmin())
        return place if self._scores[place] < score else None

    def _renew(self) -> None:
        """Take the replay probabilities anew."""
        self._heard = 0
        if len(self._levels) < self._least:
            return
        scores = self._scores[: len(self._levels)]
        ages = self.tells - np.array([level.played for level in self._levels], dtype=float)
        self._set(replay_probabilities(scores, ages, temperature=self._temperature, staleness=self._staleness))

    def _set(self, probabilities: NDArray[np.float64]) -> None:
        self._probabilities = probabilities
        self._cumulative = np.cumsum(probabilities).tolist()

    def _gauges(self) -> dict[str, float]:
        scores = [level.score for level in self._levels]
        return {"levels": float(len(scores)), "mean_score": sum(scores) / len(scores) if scores else 0.0}

    def _state(self) -> dict[str, Any]:
        return {
            "levels": [asdict(level) for level in self._levels],
            "next_level": self._next_level,
            "probabilities": self._probabilities.tolist(),
            "heard": self._heard,
            "model": list(self._model),
        }

    def _load(self, state: Mapping[str, Any]) -> None:
        self._levels = [Level(**level) for level in state["levels"]]
        self._places = {level.id: place for place, level in enumerate(self._levels)}
        self._scores = np.full(self._buffer, np.inf)
        self._scores[: len(self._levels)] = [level.score for level in self._levels]
        self._next_level, self._heard, self._model = state["next_level"], state["heard"], list(state["model"])
        self._set(np.array(state["probabilities"], dtype=float))


def replay_probabilities(
    scores: NDArray[np.float64], ages: NDArray[np.float64], *, temperature: float, staleness: float
) -> NDArray[np.float64]:
    """Probability of each level: ``(1 - staleness) P_score + staleness P_age``.

    Equal scores rank in the order of the buffer.  Where all ages are 0 the second part is even.

    Args:
        scores: Of shape ``(levels,)``.
        ages: Answers since each level was last played, of shape ``(levels,)``.
        temperature: Exponent of the ranks is ``-1 / temperature``.
        staleness: Weight of the ages.

    Example:
        >>> replay_probabilities(np.array([0.1, 0.9]), np.array([3.0, 1.0]), temperature=1.0, staleness=0.5).round(3).tolist()
        [0.542, 0.458]
    """
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    by_score = ranks ** (-1 / temperature)
    by_age = ages if ages.any() else np.ones(len(ages))
    return np.asarray((1 - staleness) * by_score / by_score.sum() + staleness * by_age / by_age.sum())


def _point(ticket: Ticket) -> dict[str, Any]:
    """Parameters of a ticket, failure rate included."""
    rate = {} if ticket.failure_rate is None else {FAILURE_RATE: ticket.failure_rate}
    return {**ticket.params, **rate}
