"""Instances of the radio channels, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.params import OrParams

REACH = 36
"""Distance in km within which two sites hear each other; beyond, up to twice as far, they do so faintly."""


@dataclass(frozen=True)
class Site:
    """A transmitter site.

    Attributes:
        name: Its name.
        needs: Number of channels it needs.
        lowest: Lowest channel its equipment tunes to.
        highest: Highest one.
        mast: Mast that its antennas hang on.
        donor: Site whose first channel it repeats, ``shift`` channels higher; empty for none.
        whole: Whether its channels must lie in one half of the band.
        used: Channels that it uses at present, empty where there is no plan in use.
        is_protected: Whether it must keep them.
    """

    name: str
    needs: int
    lowest: int
    highest: int
    mast: str
    donor: str
    whole: bool
    used: tuple[int, ...]
    is_protected: bool


@dataclass(frozen=True)
class Pair:
    """Two sites that hear each other: with ``gap`` channels apart at least, or with a price for each shared channel."""

    first: str
    second: str
    gap: int
    shared_cents: int


@dataclass(frozen=True)
class Instance:
    """An instance.

    Attributes:
        licences: Price of each channel of the band in cents; channel 1 comes first.
        site_gap: Least distance of two channels of a site.
        mast_gap: Least distance of channels of different sites on a mast; 0 where masts do not matter.
        most_licences: Greatest number of different channels in use; 0 where there is no limit.
        blocked: Channels that a site near the border may not use, by site.
        shift: How many channels a repeater lies above its donor.
        retune_cents: Price of each channel that a site uses and did not use before; 0 without a plan in use.
        most_retuned: Greatest number of sites whose channels change; 0 where there is no limit.
    """

    licences: tuple[int, ...]
    sites: tuple[Site, ...]
    pairs: tuple[Pair, ...]
    site_gap: int
    mast_gap: int
    most_licences: int
    blocked: dict[str, tuple[int, ...]]
    shift: int
    retune_cents: int
    most_retuned: int

    @property
    def half(self) -> int:
        """Last channel of the lower half of the band."""
        return len(self.licences) // 2


@dataclass(frozen=True)
class Use:
    """One channel of one site."""

    site: str
    channel: int


@dataclass(frozen=True)
class Plan:
    """Who uses which channels; order does not matter."""

    uses: tuple[Use, ...]


def draw(params: OrParams, stream: Stream) -> Instance:
    """An instance of the given difficulty."""
    count = (6, 8, 9, 11)[params.scale]
    band = (20, 20, 22, 24)[params.scale] - (0, 0, 2, 3)[params.strategy]
    places = [(stream.between(0, 120), stream.between(0, 90)) for _ in range(count)]
    names = [f"S{number:02d}" for number in range(1, count + 1)]
    needs = [1 + stream.below(2) + (stream.below(3) == 0) for _ in range(count)]
    donors = _donors(count, needs, params)
    sites = []
    for number, name in enumerate(names):
        low, high = (1, band) if number and stream.below(3) else (stream.between(2, 4), band - stream.between(0, 4))
        donor = names[donors[number]] if number in donors else ""
        mast = f"M{number // 2 + 1}"
        whole = params.formulation >= 3 and needs[number] > 1 and number % 2 == 0
        sites.append(Site(name, 1 if donor else needs[number], low, high, mast, donor, whole, (), is_protected=False))
    pairs = _pairs(names, places, stream)
    blocked = {}
    for name in stream.sample(names, 3) if params.formulation >= 1 else ():
        blocked[name] = tuple(sorted(stream.sample(range(1, band + 1), 4)))
    found = Instance(
        licences=tuple(stream.between(2100, 5900) for _ in range(band)),
        sites=tuple(sites),
        pairs=pairs,
        site_gap=3,
        mast_gap=2 if params.coupling >= 1 else 0,
        most_licences=(0, 0, 11, 10)[params.coupling] + (params.scale if params.coupling >= 2 else 0),
        blocked=blocked,
        shift=stream.between(4, 6),
        retune_cents=0,
        most_retuned=0,
    )
    return _in_use(found, params, stream) if params.dynamics else found


def _donors(count: int, needs: list[int], params: OrParams) -> dict[int, int]:
    """Repeaters, each with the site that it repeats; two of them, from level 2 of the formulation on."""
    return {count - 1: 0, count - 2: 1} if params.formulation >= 2 else {}


def _pairs(names: list[str], places: list[tuple[int, int]], stream: Stream) -> tuple[Pair, ...]:
    found = []
    for i, first in enumerate(places):
        for j in range(i + 1, len(places)):
            distance = abs(first[0] - places[j][0]) + abs(first[1] - places[j][1])
            if distance <= REACH:
                found.append(Pair(names[i], names[j], 2 if distance <= REACH // 2 else 1, 0))
            elif distance <= 2 * REACH:
                found.append(Pair(names[i], names[j], 0, stream.between(310, 2750)))
    return tuple(found)


def _in_use(instance: Instance, params: OrParams, stream: Stream) -> Instance:
    """The instance with a plan in use: what would do without the licences' price, of which a few sites are new."""
    channels = range(1, len(instance.licences) + 1)
    taken: dict[str, tuple[int, ...]] = {}
    for site in instance.sites:
        chosen: list[int] = []
        for channel in stream.sample(channels, len(channels)):
            if len(chosen) < site.needs and not site.donor and _fits(instance, site, channel, chosen, taken):
                chosen.append(channel)
        taken[site.name] = tuple(sorted(chosen)) if len(chosen) == site.needs else ()
    for site in instance.sites:
        if site.donor and taken[site.donor]:
            follows = taken[site.donor][0] + instance.shift
            taken[site.name] = (follows,) if _fits(instance, site, follows, [], taken) else ()
    new = stream.sample([site.name for site in instance.sites], 2)
    kept = [site for site in instance.sites if taken[site.name] and site.name not in new and not site.donor]
    protected = {site.name for site in kept[:1]} if params.dynamics >= 3 else set()
    sites = tuple(
        replace(site, used=() if site.name in new else taken[site.name], is_protected=site.name in protected)
        for site in instance.sites
    )
    settled = sum(bool(site.used) for site in sites)
    limit = len(sites) - settled // 3 if params.dynamics >= 2 else 0
    return replace(instance, sites=sites, retune_cents=stream.between(450, 1600), most_retuned=limit)


def _fits(instance: Instance, site: Site, channel: int, chosen: list[int], taken: dict[str, tuple[int, ...]]) -> bool:
    """Whether a channel keeps apart from those chosen so far."""
    if not site.lowest <= channel <= site.highest or channel in instance.blocked.get(site.name, ()):
        return False
    if any(abs(channel - other) < instance.site_gap for other in chosen):
        return False
    if site.whole and any((channel <= instance.half) != (other <= instance.half) for other in chosen):
        return False
    gaps = dict.fromkeys(taken, 0)
    for pair in instance.pairs:
        if site.name in (pair.first, pair.second):
            gaps[pair.second if pair.first == site.name else pair.first] = pair.gap
    masts = {other.name: other.mast for other in instance.sites}
    for name, channels in taken.items():
        gap = max(gaps.get(name, 0), instance.mast_gap if masts[name] == site.mast and name != site.name else 0)
        if any(abs(channel - other) < gap for other in channels):
            return False
    return True
