"""What an agent reads of the operating rooms."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.operating_rooms.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/surgeries.csv": {
        "surgery": "name of the surgery",
        "surgeon": "who operates",
        "specialty": "specialty that the room must be equipped for",
        "imaging": "yes when mobile imaging is needed",
        "infectious": "yes when the patient is infectious",
        "stay": "days in a ward bed, the day of the surgery is the first",
        "latest": "latest day",
        "postpone_cents": "cost of postponing, cents",
    },
    "data/durations.csv": {
        "surgery": "name of the surgery",
        "scenario": "scenario, see hospital.yaml",
        "minutes": "duration, with its unit",
    },
    "data/blocks.json": {
        "block": "name of the block, a room on a day",
        "day": "day, from 1",
        "minutes": "regular minutes",
        "open_cents": "cost of opening the block, cents",
        "specialties": "specialties that the room is equipped for",
    },
    "data/hospital.yaml": {
        "days": "length of the plan, days",
        "scenario_tenths": "probability of scenarios 1, 2, ... in tenths",
        "overtime_cents": "cost of a minute of overtime, cents",
        "cleaning": "minutes of cleaning between two surgeries of a block",
        "imaging": "most surgeries with imaging in a day, 0 for no limit",
        "surgeon_minutes": "most mean minutes of a surgeon in a day, 0 for no limit",
        "beds": "ward beds, 0 where there are enough",
        "long_minutes": "overtime of a block above which it counts as long, minutes",
        "risk_tenths": "greatest probability of long overtime in a block, in tenths",
        "infectious_apart": "whether infectious patients are kept apart",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A hospital assigns {len(instance.surgeries)} surgeries to {len(instance.blocks)} blocks over {instance.days} days, "
        f"or postpones "
        f"them. It decides before the durations are known: in each of {len(instance.weights)} scenarios they are all known "
        f"together, "
        "and a scenario comes true with its probability. In a scenario a block lasts for the durations of its surgeries and the "
        "cleaning between them; what goes beyond its regular minutes is overtime."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    return (
        "Make the expected cost in cents small: `open_cents` for each block in which anything is done, `postpone_cents` for each "
        "surgery postponed, and the expected overtime of all blocks over the scenarios, at `overtime_cents` a minute."
    )


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every surgery is done in one block or postponed, exactly once.",
        "specialty": "A surgery is done in a block whose room is equipped for its specialty.",
    }
    if any(surgery.latest < instance.days for surgery in instance.surgeries):
        found["latest"] = "A surgery that is done is done by its latest day."
    if instance.imaging:
        found["imaging"] = "On a day at most `imaging` surgeries that need imaging are done, in all rooms together."
    if instance.surgeon_minutes:
        found["surgeon"] = (
            "On a day a surgeon operates for at most `surgeon_minutes` minutes in the expectation over the scenarios, without "
            "cleaning."
        )
    if instance.beds:
        found["beds"] = "On every day of the plan the patients who stay on the ward have a bed each."
    if instance.long_minutes:
        found["risk"] = (
            "In each block overtime of more than `long_minutes` minutes has a probability of at most `risk_tenths` tenths."
        )
    if instance.apart:
        found["apart"] = "A block takes at most one infectious patient."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    surgeries = [
        {
            "surgery": s.name,
            "surgeon": s.surgeon,
            "specialty": s.specialty,
            "imaging": "yes" if s.needs_imaging else "no",
            "infectious": "yes" if s.is_infectious else "no",
            "stay": s.stay,
            "latest": s.latest,
            "postpone_cents": s.postpone_cents,
        }
        for s in instance.surgeries
    ]
    durations = [
        {"surgery": s.name, "scenario": number, "minutes": minutes}
        for s in instance.surgeries
        for number, minutes in enumerate(s.minutes, start=1)
    ]
    blocks = [
        {"block": b.name, "day": b.day, "minutes": b.minutes, "open_cents": b.open_cents, "specialties": list(b.specialties)}
        for b in instance.blocks
    ]
    hospital = {
        "days": instance.days,
        "scenario_tenths": list(instance.weights),
        "overtime_cents": instance.overtime_cents,
        "cleaning": instance.cleaning,
        "imaging": instance.imaging,
        "surgeon_minutes": instance.surgeon_minutes,
        "beds": instance.beds,
        "long_minutes": instance.long_minutes,
        "risk_tenths": instance.risk_tenths,
        "infectious_apart": instance.apart,
    }
    return {
        "data/surgeries.csv": wrinkles.csv(surgeries, key="surgery", vary=["postpone_cents"]),
        "data/blocks.json": wrinkles.json(blocks),
        "data/hospital.yaml": wrinkles.yaml(hospital),
        "data/durations.csv": wrinkles.csv(durations, key=["surgery", "scenario"], vary=["minutes"], units={"minutes": "min/h"}),
    }
