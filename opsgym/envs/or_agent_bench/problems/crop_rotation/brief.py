"""What an agent reads of the crop rotation."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.crop_rotation.instance import FALLOW, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/fields.csv": {
        "field": "name of the field",
        "ares": "its area, ares",
        "soil": "its soil",
        "last": "crop that grew on it in the season before season 1",
    },
    "data/crops.csv": {
        "crop": "name of the crop",
        "family": "its family",
        "soils": "soils that it grows on, separated by blanks",
        "cents": "what an are of it earns, cents",
        "water": "water that an are of it needs, with its unit",
        "minutes": "work that an are of it needs, minutes",
        "fixes": "yes when it leaves nitrogen behind",
        "pause": "seasons that lie between two of its harvests on a field, 0 for none",
        "contract": "least area in every season, ares, 0 for none",
    },
    "data/map.json": {"field": "a field", "beside": "fields that must not grow the same crop"},
    "data/farm.yaml": {
        "seasons": "number of seasons",
        "water": "water of a season, litres, 0 where it does not matter",
        "minutes": "work of a season, minutes, 0 where it does not matter",
        "bonus": "percent that a crop earns more after one that leaves nitrogen behind",
        "must_rest": "whether every field lies fallow once",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A farm decides what grows on each of its {len(instance.fields)} fields in each of the seasons 1 to {instance.seasons}. "
        f"A field that rests grows `{FALLOW}`, which is in `crops.csv` like any crop."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    text = "Make the earnings in cents large: for every field and season its ares times `cents` of its crop."
    if instance.bonus:
        text += (
            " Where the crop of the season before on the same field (`last` before season 1) leaves nitrogen behind, that amount "
            "is raised by `bonus` percent and rounded down to whole cents."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every field grows exactly one crop of the list in every season.",
        "soil": "A crop grows only on the soils that it fits.",
        "family": (
            "On a field the crops of two seasons in a row are of different families, counting `last` before season 1; "
            f"`{FALLOW}` may follow itself."
        ),
    }
    if instance.water:
        found["water"] = "In every season the crops need together no more than `water`."
    if instance.minutes:
        found["work"] = "In every season the crops need together no more work than `minutes` of the farm."
    if any(crop.contract for crop in instance.crops):
        found["contracts"] = "In every season a crop with a `contract` grows on at least so many ares."
    if instance.must_rest:
        found["rest"] = f"Every field grows `{FALLOW}` in at least one season."
    if instance.must_differ:
        found["neighbours"] = (
            f"In no season a field grows the same crop as a field that `map.json` lists beside it, unless it is `{FALLOW}`."
        )
    if any(crop.pause for crop in instance.crops):
        found["pause"] = (
            "A crop with a `pause` grows on a field only if it did not in any of so many seasons before, counting `last` before "
            "season 1."
        )
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    fields = [{"field": f.name, "ares": f.ares, "soil": f.soil, "last": f.last} for f in instance.fields]
    crops = [
        {
            "crop": crop.name,
            "family": crop.family,
            "soils": " ".join(crop.soils),
            "cents": crop.cents,
            "water": crop.water,
            "minutes": crop.hours,
            "fixes": "yes" if crop.fixes else "no",
            "pause": crop.pause,
            "contract": crop.contract,
        }
        for crop in instance.crops
    ]
    farm = {
        "seasons": instance.seasons,
        "water": instance.water,
        "minutes": instance.minutes,
        "bonus": instance.bonus,
        "must_rest": instance.must_rest,
    }
    return {
        "data/fields.csv": wrinkles.csv(fields, key="field", vary=["ares"]),
        "data/crops.csv": wrinkles.csv(crops, key="crop", vary=["cents"], units={"water": "l/m3"}),
        "data/map.json": wrinkles.json([{"field": f.name, "beside": list(f.beside)} for f in instance.fields]),
        "data/farm.yaml": wrinkles.yaml(farm, {"water": "litres", "bonus": "percent"}),
    }
