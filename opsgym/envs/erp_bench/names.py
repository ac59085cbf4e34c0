"""Names: partners, refs and codes of our own invention, unique within a task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.envs.erp_bench.spec import Partner


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


_FIRST = _words(
    """
    Alder, Amber, Ardent, Aspen, Atlas, Aurora, Banner, Basalt, Beacon, Birch, Blue, Boulder, Bramble, Bridge, Bright,
    Canal, Cedar, Cinder, Clover, Cobalt, Copper, Coral, Crane, Crest, Delta, Drift, Dune, East, Elm, Ember, Falcon, Fern,
    Field, Fjord, Flint, Forge, Fox, Garnet, Glacier, Granite, Grove, Harbor, Hazel, Heron, High, Hollow, Indigo, Iron,
    Ivory, Jade, Juniper, Keel, Kestrel, Lake, Lantern, Larch, Laurel, Linden, Lark, Maple, Marble, Meadow, Mesa, Mill,
    North, Oak, Ochre, Opal, Orchard, Osprey, Otter, Pebble, Pine, Quarry, Quartz, Raven, Reed, Ridge, River, Rowan,
    Saffron, Sage, Salt, Silver, Slate, South, Spruce, Sterling, Stone, Summit, Swift, Tidal, Timber, Topaz, Umber, Union,
    Vale, Violet, Walnut, West, Willow, Winter, Wren, Yarrow, Zephyr
    """
)
_SECOND = _words(
    """
    bank, barn, brook, bury, cliff, cote, croft, dale, den, fell, field, ford, gate, glen, haven, hill, holm, hurst, lake,
    ley, march, mead, mere, mont, moor, mouth, point, port, quay, ridge, shore, side, stead, stoke, stone, stow, ton,
    vale, view, ville, ward, water, well, wick, wood, worth, yard
    """
)
_CUSTOMER_KIND = _words(
    """
    Contracting, Facilities, Foods, Hospitals, Logistics, Retail Group, Universities, Housing, Airports, Hotels,
    Construction, Dairies, Breweries, Media, Museums, Insurance, Rail Services, Utilities, Clinics, Schools, Aviation,
    Textiles, Pharma, Shipyards
    """
)
_VENDOR_KIND = _words(
    """
    Supply, Industrial, Components, Trading, Works, Metals, Distribution, Materials, Wholesale, Manufacturing, Parts,
    Technics, Sourcing, Fabrication, Import, Electric, Precision, Tooling, Freight Goods, Systems
    """
)
_LEGAL = ("Ltd", "Inc", "GmbH", "BV", "LLC", "AB", "Co", "SA")
_CENTER = ("Assembly Line", "Fitting Cell", "Build Station", "Final Assembly", "Flexible Cell", "Manual Bench")
KINDS = {"customer": _CUSTOMER_KIND, "vendor": _VENDOR_KIND}
"""Words that end a partner's name, by role."""


class Namer:
    """Unique names, refs and codes, the same kind for core records and decoys.

    Args:
        rng: Source of the draws.
        prefix: First letters of product codes.
    """

    def __init__(self, rng: np.random.Generator, prefix: str) -> None:
        """Start with no name taken."""
        self._rng = rng
        self._prefix = prefix
        self._names: set[str] = set()
        self._codes: set[str] = set()

    def _pick(self, words: Sequence[str]) -> str:
        return words[int(self._rng.integers(len(words)))]

    def _fresh(self, prefix: str, low: int, high: int) -> str:
        while True:
            code = f"{prefix}-{int(self._rng.integers(low, high))}"
            if code not in self._codes:
                self._codes.add(code)
                return code

    def partner(self, role: str) -> str:
        """A company name that no other partner of the task has; ``role`` is ``"customer"`` or ``"vendor"``."""
        while True:
            name = f"{self._pick(_FIRST)}{self._pick(_SECOND)} {self._pick(KINDS[role])} {self._pick(_LEGAL)}"
            if self.claim(name):
                return name

    def customer(self, name: str | None = None) -> Partner:
        """A customer, of a fresh name by default."""
        name = name or self.partner("customer")
        mail = "".join(letter for letter in name.lower().rsplit(" ", 1)[0] if letter.isalnum())
        return Partner(ref=self.ref("C"), name=name, email=f"orders@{mail}.example", customer_rank=1)

    def vendor(self, name: str | None = None) -> Partner:
        """A vendor, of a fresh name by default."""
        rank = int(self._rng.integers(1, 10))
        return Partner(ref=self.ref("V"), name=name or self.partner("vendor"), supplier_rank=rank)

    def near(self, name: str) -> str:
        """A near-duplicate of a partner's name: another legal form, kind of business or place."""
        place, _, rest = name.partition(" ")
        kind, _, legal = rest.rpartition(" ")
        while True:
            edits = (
                f"{place} {kind} {self._pick(_LEGAL)}",
                f"{place} {self._pick(KINDS['customer'] + KINDS['vendor'])} {legal}",
                f"{place}{self._pick(('s', 'e', 'er', 'ham'))} {kind} {legal}",
                f"{place} {kind} {self._pick(('North', 'South', 'East', 'West', 'Holding', 'Services'))} {legal}",
            )
            twin = self._pick(edits)
            if self.claim(twin):
                return twin

    def center(self) -> str:
        """A fresh name of a work center."""
        while True:
            name = f"{self._pick(_CENTER)} {int(self._rng.integers(1, 20))}"
            if self.claim(name):
                return name

    def claim(self, name: str) -> bool:
        """Reserve ``name``; ``False`` when it is taken."""
        if name in self._names:
            return False
        self._names.add(name)
        return True

    def ref(self, letter: str) -> str:
        """A fresh partner or order ref, for example ``C-48213``."""
        return self._fresh(letter, 10_000, 100_000)

    def code(self, kind: str = "") -> str:
        """A fresh product code, for example ``LF-4821``; ``kind`` replaces the prefix (work centers)."""
        return self._fresh(kind or self._prefix, 1_000, 10_000)
