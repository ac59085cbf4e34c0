"""What an agent reads of the backbone."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.backbone_design.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/links.csv": {
        "one": "site",
        "other": "site; a link serves both ways",
        "duct": "duct in which it would lie",
        "km": "length, km",
        "trench_cents": "cost of the trench, cents",
    },
    "data/demands.csv": {
        "demand": "name of the demand",
        "from": "site",
        "to": "site",
        "protected": "yes when it needs a second path",
        "lease_cents": "cost of leasing it for all years, cents",
    },
    "data/traffic.csv": {"demand": "name of the demand", "year": "year, from 1", "mbps": "traffic, Mbit/s"},
    "data/sites.json": {"site": "name of the site", "ports": "line cards that it has room for"},
    "data/network.yaml": {
        "card_mbps": "what a line card adds to a link, Mbit/s",
        "card_cents": "cost of a line card bought in year 1, 2, ..., cents",
        "ports_bind": "whether `ports` bind",
        "ducts_apart": "whether the paths of a demand must not share a duct",
        "most_hops": "most links of a path, 0 for no limit",
        "most_km": "greatest length of a first path, km, 0 for no limit",
        "sites_apart": "whether the paths of a demand share no site but their ends",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"An operator designs a backbone between {len(instance.sites)} sites for {len(instance.card_cents)} years. It buys "
        f"line cards for "
        "links, in any year; they serve from that year on, in both directions together. A demand is routed on the same path in "
        "all "
        "years, or leased; a protected one keeps its full traffic reserved on its second path too."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    return (
        "Make the cost in cents small: `trench_cents` for every link for which any card is bought, once; for every card the "
        "`card_cents` of its year; and `lease_cents` for every demand leased."
    )


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": (
            "Cards are bought for a link of the list, its two sites in the order of the list, in a year of the plan, one card "
            "or more; "
            "a link and year are listed once."
        ),
        "coverage": "Every demand is either routed or leased, exactly once.",
        "path": "A path leads from the demand's `from` to its `to` over links of the list and visits no site twice.",
        "second": "A protected demand that is routed has a second path, which shares no link with the first; others have none.",
        "capacity": "In each year the traffic of all paths over a link is no more than what its cards serve.",
    }
    if instance.limits_ports:
        found["ports"] = "Each card takes a port at both ends of its link; in the last year no site uses more ports than it has."
    if instance.ducts_apart:
        found["ducts"] = "The two paths of a demand use no link of a duct in common."
    if instance.most_hops:
        found["hops"] = "A path has at most `most_hops` links."
    if instance.most_km:
        found["length"] = "A first path is no longer than `most_km` kilometres."
    if instance.sites_apart:
        found["sites"] = "The two paths of a demand have no site in common but their ends."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    links = [
        {"one": link.one, "other": link.other, "duct": link.duct, "km": link.km, "trench_cents": link.trench_cents}
        for link in instance.links
    ]
    demands = [
        {
            "demand": d.name,
            "from": d.origin,
            "to": d.to,
            "protected": "yes" if d.is_protected else "no",
            "lease_cents": d.lease_cents,
        }
        for d in instance.demands
    ]
    traffic = [
        {"demand": d.name, "year": year, "mbps": mbps} for d in instance.demands for year, mbps in enumerate(d.mbps, start=1)
    ]
    network = {
        "card_mbps": instance.card_mbps,
        "card_cents": list(instance.card_cents),
        "ports_bind": instance.limits_ports,
        "ducts_apart": instance.ducts_apart,
        "most_hops": instance.most_hops,
        "most_km": instance.most_km,
        "sites_apart": instance.sites_apart,
    }
    return {
        "data/links.csv": wrinkles.csv(links, key=["one", "other"], vary=["trench_cents"]),
        "data/demands.csv": wrinkles.csv(demands, key="demand", vary=["lease_cents"]),
        "data/sites.json": wrinkles.json([{"site": site.name, "ports": site.ports} for site in instance.sites]),
        "data/network.yaml": wrinkles.yaml(network, {"card_mbps": "Mbit/s"}),
        "data/traffic.csv": wrinkles.csv(traffic, key=["demand", "year"], vary=["mbps"]),
    }
