"""What an agent reads of the flood shelters."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.shelter_location.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/shelters.csv": {
        "shelter": "name of the shelter",
        "base": "supply base that it draws rations from",
        "places": "people that it holds",
        "cents": "cost of preparing it, cents",
        "accessible": "yes when it suits care homes",
        "last_season": "yes when it was prepared last season",
        "kept": "yes when it must be prepared again",
    },
    "data/zones.csv": {"zone": "name of the zone", "care_home": "yes when a care home lies in it"},
    "data/people.csv": {"scenario": "name of the scenario", "zone": "a zone", "people": "people who must leave it"},
    "data/scenarios.json": {
        "scenario": "name of the scenario",
        "days": "its days in a century",
        "under_water": "shelters that cannot be used in it",
    },
    "data/roads.csv": {"zone": "a zone", "shelter": "a shelter", "distance": "length of the road between them, with its unit"},
    "data/bases.json": {"base": "name of the supply base", "rations": "people whom it feeds in a scenario"},
    "data/district.yaml": {
        "km_cents": "cost of a person's kilometre, cents",
        "most_km": "longest road that people are taken, km",
        "most_open": "greatest number of prepared shelters, 0 where there is no limit",
        "most_targets": "greatest number of shelters that a zone goes to, over all scenarios, 0 where there is no limit",
        "new_cents": "further cost of a prepared shelter that was not prepared last season, cents",
        "most_new": "greatest number of those, -1 where there is no limit",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A district chooses which of {len(instance.shelters)} shelters to prepare, and plans for {len(instance.scenarios)} "
        "flood scenarios to which shelter the people of each zone are taken. A zone has people to move in a scenario when "
        "`people.csv` has a row of both."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: `cents` of every prepared shelter; and for every scenario its `days`, times the sum over "
        "its zones of people times kilometres times `km_cents`."
    )
    if instance.new_cents:
        text += " Each prepared shelter that was not prepared last season costs `new_cents` besides."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": (
            "In every scenario each zone with people to move is taken to exactly one shelter of the list; nobody else moves."
        ),
        "prepared": "Shelters are prepared once each, are in the list, and whoever takes people in is prepared.",
        "places": "In every scenario the people taken to a shelter are no more than its `places`.",
        "reach": "Nobody is taken farther than `most_km`.",
    }
    if any(scenario.under_water for scenario in instance.scenarios):
        found["water"] = "In a scenario nobody is taken to a shelter that is under water in it."
    if instance.most_open:
        found["count"] = "At most `most_open` shelters are prepared."
    if instance.rations:
        found["rations"] = "In every scenario the people in the shelters of a supply base are no more than it feeds."
    if instance.most_targets:
        found["targets"] = "Over all scenarios the people of a zone are taken to at most `most_targets` different shelters."
    if any(zone.has_care_home for zone in instance.zones):
        found["care_homes"] = "The people of a zone with a care home are taken to an accessible shelter."
    if instance.most_new >= 0:
        found["new"] = "At most `most_new` prepared shelters were not prepared last season."
    if any(shelter.is_kept for shelter in instance.shelters):
        found["kept"] = "Shelters with `kept` yes are prepared."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    shelters = [
        {
            "shelter": shelter.name,
            "base": shelter.base,
            "places": shelter.places,
            "cents": shelter.cents,
            "accessible": "yes" if shelter.is_accessible else "no",
            "last_season": "yes" if shelter.was_open else "no",
            "kept": "yes" if shelter.is_kept else "no",
        }
        for shelter in instance.shelters
    ]
    zones = [{"zone": zone.name, "care_home": "yes" if zone.has_care_home else "no"} for zone in instance.zones]
    people = [
        {"scenario": scenario.name, "zone": zone, "people": count}
        for scenario in instance.scenarios
        for zone, count in scenario.people.items()
    ]
    scenarios = [
        {"scenario": scenario.name, "days": scenario.days, "under_water": list(scenario.under_water)}
        for scenario in instance.scenarios
    ]
    roads = [
        {"zone": pair.split(">")[0], "shelter": pair.split(">")[1], "distance": 1000 * km} for pair, km in instance.roads.items()
    ]
    district = {
        "km_cents": instance.km_cents,
        "most_km": instance.most_km,
        "most_open": instance.most_open,
        "most_targets": instance.most_targets,
        "new_cents": instance.new_cents,
        "most_new": instance.most_new,
    }
    return {
        "data/shelters.csv": wrinkles.csv(shelters, key="shelter", vary=["places", "cents"]),
        "data/zones.csv": wrinkles.csv(zones),
        "data/people.csv": wrinkles.csv(people, key=["scenario", "zone"], vary=["people"]),
        "data/scenarios.json": wrinkles.json(scenarios),
        "data/roads.csv": wrinkles.csv(roads, units={"distance": "m/km"}),
        "data/bases.json": wrinkles.json([{"base": base, "rations": count} for base, count in instance.rations.items()]),
        "data/district.yaml": wrinkles.yaml(district, {"km_cents": "cents a person and kilometre"}),
    }
