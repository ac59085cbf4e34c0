"""Difficulty parameters of ACEBench: the grid, the horizon H, the decoy budget B and how rules are coupled."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isqrt
from typing import Any, Literal, Self

from pydantic import model_validator

from opsgym.core.errors import RegistryError
from opsgym.core.params import Params, knob
from opsgym.core.region import Region, region_holding
from opsgym.core.stream import Stream
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.spec import Feedback

Preset = Literal["coupled", "paper"]
DomainName = Literal["course", "shopping", "travel", "workforce", "meal", "pc_build"]

ROW_COMBINATIONS = 4096
"""Most locally feasible combinations that the hidden slots of one row may have in the ``coupled`` preset."""

PAPER_MOST_DECOYS = 30
"""Greatest B of the release; its slots' combinations stay few enough to count at once."""

PAPER_HIDDEN = (1, 5, 7, 11, 15, 21)
"""Values of H in the paper's 5x7 grid of instances."""
PAPER_DECOYS = (0, 2, 4, 8, 10, 15, 19, 21, 25)
"""Values of B in the paper's 5x7 grid of instances."""


class AceParams(Params):
    """Parameters of one ACEBench instance.

    H (``hidden``) sets the horizon, B (``decoys``) the number of locally feasible candidates that are wrong.
    Source: ACE-Bench, sections 3.2 and 3.3; ``coupling``, the budgets and the feedback levels are ours.
    """

    preset: Preset = knob(
        "coupled", unit="choice", harder="none", description="Rule system: ours with coupled rows and columns, or the paper's."
    )
    domain: DomainName = knob("course", unit="choice", harder="none", description="What the grid plans.")
    rows: int = knob(5, low=2, high=10, unit="rows", harder="up", description="Rows of the grid.")
    cols: int = knob(7, low=2, high=10, unit="columns", harder="up", description="Columns of the grid.")
    hidden: int = knob(11, low=1, high=100, unit="slots", harder="up", description="Hidden slots to fill (H).")
    decoys: int = knob(
        10, low=0, high=200, unit="candidates", harder="up", description="Decoy budget (B): locally feasible wrong candidates."
    )
    candidates: int = knob(
        25, low=4, high=60, unit="candidates", harder="up", description="Candidates per slot; raised to fit a slot's decoys."
    )
    coupling: int = knob(
        70, low=0, high=100, unit="percent", harder="up", description="Share of the first rules that span rows; coupled preset."
    )
    greedy_proof: bool = knob(
        False, unit="choice", harder="up", description="Reject instances that extremum-per-slot or 1-opt descent solves."
    )
    budgets: Literal["bound", "unlimited"] = knob(
        "bound", unit="choice", harder="none", description="Whether readings and global checks are limited."
    )
    query_slack: int = knob(
        50, low=0, high=400, unit="percent", harder="down", description="Readings beyond what an informed agent needs."
    )
    global_checks: int = knob(3, low=0, high=100, unit="checks", harder="down", description="Global checks per episode.")
    feedback: Feedback = knob(
        "boolean", unit="choice", harder="none", description="What checks tell: yes or no, rule names, or signed slacks."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        cells = self.rows * self.cols
        if self.hidden > cells:
            raise ValueError(f"hidden must be 1 to {cells} on a grid of {self.rows}x{self.cols}, got {self.hidden}")
        most = self.most_decoys()
        if self.decoys > most:
            place = f"with hidden={self.hidden} on {self.rows}x{self.cols}"
            raise ValueError(f"decoys must be 0 to {most} {place}, got {self.decoys}")
        return self

    def most_decoys(self) -> int:
        """Greatest decoy budget that can be placed."""
        return next(total for total in range(200, -1, -1) if self._placeable(total))

    def _placeable(self, total: int) -> bool:
        """Whether every slot can hold its share and every row stays within what is enumerated."""
        if self.preset == "paper":
            return total <= PAPER_MOST_DECOYS
        per_row = ceil(self.hidden / self.rows)
        share, rest = divmod(total, self.hidden)
        crowded = min(rest, per_row)
        fits = (share + 2) ** crowded * (share + 1) ** (per_row - crowded) <= ROW_COMBINATIONS
        return share + (rest > 0) <= 58 and fits

    @property
    def paper_branches(self) -> int:
        """Slots that hold decoys in the ``paper`` preset: about the square root of B, as in the release."""
        return min(self.hidden, ceil_sqrt(self.decoys))


def ceil_sqrt(value: int) -> int:
    """The least whole number whose square is at least ``value``."""
    root = isqrt(value)
    return root + (root * root < value)


def _region(*, greedy_proof: bool = False, **ranges: tuple[int, int]) -> Region:
    return Region(ranges, {"greedy_proof": (greedy_proof,)})


TIERS = {
    "easy": _region(rows=(3, 4), cols=(3, 5), hidden=(2, 4), decoys=(2, 4), coupling=(0, 20)),
    "medium": _region(rows=(4, 5), cols=(5, 6), hidden=(6, 9), decoys=(7, 12), coupling=(30, 60)),
    "hard": _region(rows=(5, 5), cols=(7, 7), hidden=(13, 17), decoys=(22, 28), coupling=(70, 90), greedy_proof=True),
    "expert": _region(rows=(5, 6), cols=(7, 8), hidden=(20, 24), decoys=(29, 34), coupling=(85, 100), greedy_proof=True),
}
"""Difficulty regions of the ``coupled`` preset, easiest first."""

PRESETS = ("coupled", "paper")
"""Rule systems; the first is the default."""
PAPER_TIER = "paper"
"""Tier of the ``paper`` preset: the paper's 5x7 grid of instances, all of them together."""


def draw_params(
    seed: int, *, tier: str | None = None, preset: str | None = None, overrides: Mapping[str, Any] | None = None
) -> AceParams:
    """Parameters for a seed: a point of a tier, or of the paper's grid of instances.

    Args:
        seed: Seed of the draw.
        tier: Name of a tier; by default the seed picks one.  The ``paper`` preset has one only, :data:`PAPER_TIER`.
        preset: One of :data:`PRESETS`; by default the one that has the tier.
        overrides: Values that replace the drawn ones.

    Raises:
        RegistryError: Unknown tier, preset or parameter, or a tier of the ``paper`` preset.
        TaskError: A value is out of range, or the values do not fit together.
    """
    preset = preset or str((overrides or {}).get("preset", "paper" if tier == PAPER_TIER else "coupled"))
    if preset not in PRESETS:
        raise RegistryError("preset", preset, PRESETS)
    if tier is not None and tier not in (*TIERS, PAPER_TIER):
        raise RegistryError("tier", tier, (*TIERS, PAPER_TIER))
    if tier is not None and (tier == PAPER_TIER) != (preset == "paper"):
        known = (PAPER_TIER,) if preset == "paper" else tuple(TIERS)
        raise RegistryError("tier", tier, known, note=f"These are the tiers of the {preset} preset.")
    tier = None if tier == PAPER_TIER else tier
    stream = Stream("ace_bench.params", preset, tier, seed)
    values: dict[str, Any] = {"preset": preset, "domain": stream.pick(list(DOMAINS))}
    if preset == "paper":
        values |= paper_cell(stream.pick(PAPER_HIDDEN), stream.pick(PAPER_DECOYS))
    else:
        values |= TIERS[tier or stream.pick(list(TIERS))].draw(stream.between, stream.pick)
    return AceParams.build({**values, **(overrides or {})})


def tier_of(params: AceParams) -> str:
    """The tier in whose region a point lies, or ``custom``."""
    if params.preset == "paper":
        values = params.model_dump()
        return PAPER_TIER if values == {**values, **paper_cell(params.hidden, params.decoys)} else "custom"
    return region_holding(TIERS, params)


def paper_cell(hidden: int, decoys: int) -> dict[str, Any]:
    """One cell of the paper's 5x7 grid: 25 candidates, unlimited budgets, boolean feedback (sections 3.3 and 4)."""
    return {"rows": 5, "cols": 7, "hidden": hidden, "decoys": decoys, "candidates": 25, "budgets": "unlimited"}


def paper_grid() -> list[AceParams]:
    """The paper's 324 instances: six domains, six values of H, nine of B."""
    return [
        AceParams.build({"preset": "paper", "domain": domain, **paper_cell(hidden, decoys)})
        for domain in DOMAINS
        for hidden in PAPER_HIDDEN
        for decoys in PAPER_DECOYS
    ]
