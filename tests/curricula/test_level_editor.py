"""LevelEditor: edits are small, certified and reach everything; the buffer gets better."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from opsgym.curricula import LevelEditor, TaskSpace, certifier

SPACE = TaskSpace({"hidden": (1, 4), "decoys": (0, 4), "domain": ["course", "travel"]})


def steps(first: Mapping[str, Any], second: Mapping[str, Any]) -> int:
    """How many axes differ; whole numbers by one each."""
    assert all(abs(first[name] - second[name]) <= 1 for name in ("hidden", "decoys"))
    return sum(first[name] != second[name] for name in first)


def test_edits_stay_in_the_space_and_move_one_step() -> None:
    sampler, edits = LevelEditor(SPACE, least=4, seed=2), 0
    for _ in range(500):
        known = {level.id: level for level in sampler.levels}
        ticket = sampler.ask()[0]
        SPACE.encode(ticket.params)
        if ticket.info["key"] == "edit":
            edits += 1
            assert not ticket.train
            parent = known.get(ticket.info["parent"])
            assert parent is None or (steps(parent.params, ticket.params) == 1 and parent.seed == ticket.seed)
        sampler.tell(ticket.outcome(success=ticket.params["decoys"] < 2))
    assert edits > 50


def test_what_is_not_certified_is_never_issued() -> None:
    def certify(params: Mapping[str, Any], seed: int) -> bool:
        return bool((params["hidden"] + params["decoys"] + seed) % 2)

    sampler, edits = LevelEditor(SPACE, certify=certify, least=4, seed=2), 0
    for _ in range(400):
        ticket = sampler.ask()[0]
        if ticket.info["key"] == "edit":
            edits += 1
            assert certify(ticket.params, ticket.seed)
        sampler.tell(ticket.outcome(success=ticket.params["decoys"] < 2))
    assert edits > 20
    assert sampler.metrics()["edits_refused"] > 20


def test_edits_are_certified_by_the_family() -> None:
    space = TaskSpace.of("ACEBench-v0", {"hidden": (1, 6), "decoys": (0, 4)}, fixed={"tier": "easy", "rows": 2, "cols": 2})
    certify = certifier("ACEBench-v0", cache=None)
    sampler = LevelEditor(space, certify=certify, least=2, seed=1)
    for _ in range(40):
        ticket = sampler.ask()[0]
        assert certify(ticket.params, ticket.seed)
        sampler.tell(ticket.outcome(success=True))


def test_edits_reach_every_cell_from_every_cell() -> None:
    cells = {SPACE.key(cell): cell for cell in SPACE.grid()}
    for start in (SPACE.grid()[0], SPACE.grid()[-1]):
        reached, border = {SPACE.key(start)}, [start]
        while border:
            border = [other for cell in border for other in SPACE.neighbours(cell) if SPACE.key(other) not in reached]
            reached |= {SPACE.key(cell) for cell in border}
        assert reached == set(cells)


def test_the_score_of_a_full_buffer_of_probes_does_not_fall() -> None:
    sampler = LevelEditor(SPACE, buffer=10, least=10, replay=0.0, score="abs_advantage")
    rng, means = np.random.default_rng(1), []
    for _ in range(300):
        sampler.tell(sampler.ask()[0].outcome(success=True, abs_advantage=float(rng.random())))
        if len(sampler.levels) == 10:
            means.append(sampler.metrics()["mean_score"])
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(means))
    assert means[-1] > means[0]


def test_some_probes_are_new_although_edits_wait() -> None:
    sampler = LevelEditor(SPACE, least=2, fresh=0.2, seed=5)
    while not sampler.metrics()["edits_waiting"]:
        sampler.tell(sampler.ask()[0].outcome(success=True))
    keys, probabilities = sampler.distribution()
    assert keys[:2] == ["new", "edit"]
    assert np.allclose(probabilities[:2], [0.2 * 0.2, 0.2 * 0.8])
