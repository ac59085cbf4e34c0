"""Lanes: the ways in which vendors ship, from fast and dear to slow and cheap."""

from __future__ import annotations

from typing import NamedTuple


class Lane(NamedTuple):
    """A way in which a vendor ships.

    Attributes:
        label: What the vendor calls it.
        price: Range of the price as a share of the usual price.
        place: Range of the arrival between the first and the last day that it can serve, at full lead pressure.
        lot: Minimum lots relative to those of other lanes.
    """

    label: str
    price: tuple[float, float]
    place: tuple[float, float]
    lot: float


FINISHED_LANES = (
    Lane("Courier", (1.08, 1.20), (0.0, 0.0), 0.4),
    Lane("Rail consolidation", (0.92, 0.99), (0.55, 1.0), 1.1),
    Lane("Regional truck", (0.97, 1.04), (0.2, 0.7), 0.9),
    Lane("Express road", (1.02, 1.10), (0.0, 0.3), 0.6),
    Lane("Container groupage", (0.86, 0.94), (0.8, 1.5), 1.3),
    Lane("Cross-dock", (0.99, 1.06), (0.1, 0.5), 0.8),
)
COMPONENT_LANES = (
    Lane("Same-week stock", (1.08, 1.22), (0.0, 0.0), 0.5),
    Lane("Import lot", (0.86, 0.95), (0.5, 1.1), 1.2),
    Lane("Domestic works", (0.96, 1.05), (0.1, 0.6), 0.9),
    Lane("Framework call-off", (0.93, 1.00), (0.3, 0.9), 1.0),
    Lane("Broker stock", (1.01, 1.12), (0.0, 0.4), 0.7),
)
LABELS = tuple(lane.label for lane in (*FINISHED_LANES, *COMPONENT_LANES))
"""What vendors call their lanes."""
