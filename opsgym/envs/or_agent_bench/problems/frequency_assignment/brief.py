"""What an agent reads of the radio channels."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.frequency_assignment.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/sites.csv": {
        "site": "name of the site",
        "needs": "number of channels it needs",
        "lowest": "lowest channel that its equipment tunes to",
        "highest": "highest channel that its equipment tunes to",
        "mast": "mast that its antennas hang on",
        "repeats": "site whose lowest channel it repeats; empty for none",
        "whole": "yes when its channels must lie in one half of the band",
        "used": "channels it uses at present, separated by blanks; empty for none",
        "protected": "yes when it must keep them",
    },
    "data/pairs.csv": {
        "first": "a site",
        "second": "another site that hears it",
        "gap": "least distance of a channel of the one from a channel of the other; 0 where they hear each other faintly",
        "shared_cents": "price of each channel that both use, cents",
    },
    "data/licences.csv": {"channel": "channel of the band", "cents": "price of its licence, cents"},
    "data/border.json": {"site": "site near the border", "channels": "channels that it may not use"},
    "data/network.yaml": {
        "site_gap": "least distance of two channels of a site",
        "mast_gap": "least distance of channels of different sites on a mast, 0 where masts do not matter",
        "most_licences": "greatest number of licences, 0 where there is no limit",
        "repeat_shift": "how many channels a repeater lies above its donor",
        "lower_half": "last channel of the lower half of the band",
        "retune_cents": "price of each channel that a site uses and does not use at present, cents",
        "most_retuned": "greatest number of sites that are retuned, 0 where there is no limit",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A radio operator plans the channels of its {len(instance.sites)} transmitter sites. Its band has the channels 1 to "
        f"{len(instance.licences)}; the distance of two channels is the difference of their numbers. Sites that stand close hear "
        "each other, see `pairs.csv`."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: the licence of every channel that any site uses, once however many use it; and for two "
        "sites in `pairs.csv` `shared_cents` for each channel that both use."
    )
    if instance.retune_cents:
        text += " For each channel that a site uses and does not use at present `retune_cents` is added."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every site is given just as many different channels of the band as it needs; there are no other sites.",
        "tuning": "A site uses no channel below its `lowest` or above its `highest`.",
        "site_gap": "Any two channels of one site lie at least `site_gap` apart.",
        "pair_gap": "For two sites in `pairs.csv` every channel of the one lies at least `gap` from every channel of the other.",
    }
    if instance.mast_gap:
        found["mast_gap"] = "Channels of different sites on one mast lie at least `mast_gap` apart."
    if instance.most_licences:
        found["licences"] = "All sites together use at most `most_licences` different channels."
    if instance.blocked:
        found["border"] = "A site in `border.json` does not use the channels listed there."
    if any(site.donor for site in instance.sites):
        found["repeaters"] = (
            "A site with an entry in `repeats` uses the lowest channel of the site named there, moved up by `repeat_shift`."
        )
    if any(site.whole for site in instance.sites):
        found["halves"] = "The channels of a site with `whole` yes lie all in the lower half of the band, or all in the upper."
    if instance.most_retuned:
        found["retuned"] = (
            "At most `most_retuned` sites are retuned; a site is retuned when it uses a channel that it does not use at present."
        )
    if any(site.is_protected for site in instance.sites):
        found["protected"] = "A site with `protected` yes uses all channels that it uses at present."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    sites = [
        {
            "site": site.name,
            "needs": site.needs,
            "lowest": site.lowest,
            "highest": site.highest,
            "mast": site.mast,
            "repeats": site.donor,
            "whole": "yes" if site.whole else "no",
            "used": " ".join(map(str, site.used)),
            "protected": "yes" if site.is_protected else "no",
        }
        for site in instance.sites
    ]
    pairs = [
        {"first": pair.first, "second": pair.second, "gap": pair.gap, "shared_cents": pair.shared_cents}
        for pair in instance.pairs
    ]
    licences = [{"channel": number, "cents": cents} for number, cents in enumerate(instance.licences, 1)]
    network = {
        "site_gap": instance.site_gap,
        "mast_gap": instance.mast_gap,
        "most_licences": instance.most_licences,
        "repeat_shift": instance.shift,
        "lower_half": instance.half,
        "retune_cents": instance.retune_cents,
        "most_retuned": instance.most_retuned,
    }
    return {
        "data/sites.csv": wrinkles.csv(sites, key="site", vary=["needs"]),
        "data/pairs.csv": wrinkles.csv(pairs, key=["first", "second"], vary=["shared_cents"]),
        "data/licences.csv": wrinkles.csv(licences, key="channel", vary=["cents"]),
        "data/border.json": wrinkles.json([{"site": name, "channels": list(some)} for name, some in instance.blocked.items()]),
        "data/network.yaml": wrinkles.yaml(network, {"retune_cents": "cents a channel"}),
    }
