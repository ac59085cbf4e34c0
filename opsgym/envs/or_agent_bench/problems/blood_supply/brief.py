"""What an agent reads of the blood supply."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.blood_supply.instance import FITS, RARE, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/lots.csv": {
        "lot": "name of the lot",
        "group": "blood group of its bags",
        "bags": "bags in it",
        "arrives": "first day on which they can be sent",
        "last": "last day on which they can be used",
    },
    "data/requests.csv": {
        "request": "name of the request",
        "hospital": "hospital",
        "group": "blood group of the patients",
        "day": "day on which the bags are needed",
        "bags": "bags needed",
        "fresh": "yes when the bags must be fresh",
        "flown_cents": "cost of each bag that is flown in, cents",
    },
    "data/groups.json": {"(a group)": "groups of patients that bags of this group fit"},
    "data/hospitals.json": {"hospital": "name of the hospital", "box_cents": "cost of a box sent to it, cents"},
    "data/bank.yaml": {
        "days": "length of the plan, days",
        "waste_cents": "cost of each bag that outdates within the plan, cents",
        "substitute_cents": "cost of each bag of another group than the patient's, cents",
        "box_bags": "bags in a box",
        "courier_bags": "most bags sent in a day, 0 for no limit",
        "fair_percent": "least share of a hospital's bags that is not flown in, percent, 0 for no such rule",
        "fresh_days": "days before its last one by which a bag is fresh, 0 for no such rule",
        "rare_bags": f"most bags of group {RARE} a day for patients of other groups, 0 for no such rule",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A blood bank serves {len(instance.hospitals)} hospitals for {instance.days} days. Bags are sent on the day on which "
        f"a request "
        "needs them and used on it. What a request does not get from the bank is flown in. A lot whose last day lies within "
        "the plan "
        "outdates after it: its bags that were not sent are waste. All bags for one hospital on one day travel together in "
        "boxes, as "
        "few as will do."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: `flown_cents` for each bag flown in, `waste_cents` for each bag wasted, and the "
        "hospital's "
        "`box_cents` for each box."
    )
    if instance.substitute_cents:
        text += " Each bag for a patient of another group costs `substitute_cents`."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "form": "A line names a lot and a request, each pair once, and at least one bag.",
        "group": "Bags go to patients whose group they fit, as `groups.json` says.",
        "age": "Bags are sent on a day on which their lot is there and not outdated.",
        "stock": "No more bags of a lot are sent than are in it.",
        "request": "A request gets no more bags than it needs.",
    }
    if instance.courier_bags:
        found["courier"] = "In a day no more than `courier_bags` bags are sent to all hospitals together."
    if instance.fair_percent:
        found["fair"] = (
            "Of the bags that a hospital requests over the whole plan at least `fair_percent` percent come from the bank."
        )
    if instance.fresh_days:
        found["fresh"] = (
            "A request for fresh bags gets bags only whose last day is at least `fresh_days` days after the day of the request."
        )
    if instance.rare_bags:
        found["rare"] = f"In a day no more than `rare_bags` bags of group {RARE} go to patients of other groups."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    lots = [{"lot": x.name, "group": x.group, "bags": x.bags, "arrives": x.arrives, "last": x.last} for x in instance.lots]
    requests = [
        {
            "request": r.name,
            "hospital": r.hospital,
            "group": r.group,
            "day": r.day,
            "bags": r.bags,
            "fresh": "yes" if r.needs_fresh else "no",
            "flown_cents": r.flown_cents,
        }
        for r in instance.requests
    ]
    bank = {
        "days": instance.days,
        "waste_cents": instance.waste_cents,
        "substitute_cents": instance.substitute_cents,
        "box_bags": instance.box_bags,
        "courier_bags": instance.courier_bags,
        "fair_percent": instance.fair_percent,
        "fresh_days": instance.fresh_days,
        "rare_bags": instance.rare_bags,
    }
    return {
        "data/lots.csv": wrinkles.csv(lots, key="lot", vary=["bags"]),
        "data/groups.json": wrinkles.json({group: list(fits) for group, fits in FITS.items()}),
        "data/hospitals.json": wrinkles.json([{"hospital": h.name, "box_cents": h.box_cents} for h in instance.hospitals]),
        "data/bank.yaml": wrinkles.yaml(bank),
        "data/requests.csv": wrinkles.csv(requests, key="request", vary=["bags", "flown_cents"]),
    }
