"""What an agent reads of the ward roster."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.nurse_rostering.instance import SHIFTS, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/nurses.csv": {
        "nurse": "name of the nurse",
        "shifts": "shifts contracted for the period",
        "certified": "yes when the nurse has the certificate",
        "senior": "yes when the nurse is senior",
        "run": "days in a row that the nurse has worked up to the day before day 1",
    },
    "data/needs.csv": {
        "day": "day of the period, from 1",
        "shift": ", ".join(SHIFTS),
        "nurses": "nurses needed",
        "certified": "certified nurses needed among them",
        "gap_points": "points for each nurse that is missing",
    },
    "data/absences.json": {"nurse": "name of the nurse", "days": "days on which the nurse cannot work"},
    "data/wishes.csv": {
        "nurse": "name of the nurse",
        "day": "day of the period",
        "shift": "shift that the nurse would rather not work then",
        "points": "points when it is worked all the same",
    },
    "data/ward.yaml": {
        "days": "length of the period; day 1 is a Monday",
        "overtime_points": "points for each shift beyond the contract",
        "most_overtime": "most shifts beyond the contract of a nurse",
        "most_run": "most working days in a row, 0 where there is no limit",
        "most_nights": "most night shifts of a nurse in the period, 0 where there is no limit",
        "certified_bind": "whether certified nurses are required",
        "senior_nights": "whether nights need a senior nurse",
        "whole_weekends": "whether weekends are worked whole",
        "first_open": "first day that may still be changed",
        "change_points": "points for each duty that is taken out of, or put into, the accepted roster",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A ward plans the duties of {len(instance.nurses)} nurses for {instance.days} days. Day 1 is a Monday; days 6 and 7, "
        f"and 13 "
        "and 14, are weekends. There are three shifts a day: early, late and night. A night belongs to the day on which it "
        "begins."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the points small: `gap_points` for each nurse that a shift has less than it needs (nurses beyond the need are "
        "free of "
        "points); `overtime_points` for each shift that a nurse works beyond the contract; the points of every wish that is "
        "not met."
    )
    if instance.epoch:
        text += (
            " For every duty that is in one of the accepted and the new roster and not in the other, `change_points` are added."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "single": "A nurse works at most one shift a day, and only shifts and days of the period.",
        "absence": "Nobody works on a day of absence.",
        "rest": "After a late shift a nurse does not work early the next day, and after a night neither early nor late.",
        "contract": "Nobody works more than `most_overtime` shifts beyond the contract.",
    }
    if instance.most_run:
        found["run"] = "Nobody works more than `most_run` days in a row; the days worked before day 1 (`run`) count."
    if instance.most_nights:
        found["nights"] = "Nobody works more than `most_nights` nights in the period."
    if instance.needs_certified:
        found["certified"] = (
            "A shift on which anybody works has at least the certified nurses that it needs, or nobody works on it."
        )
    if instance.needs_senior:
        found["senior"] = "A night on which anybody works has a senior nurse."
    if instance.whole_weekends:
        found["weekend"] = "A nurse works on both days of a weekend of the period or on neither, unless absent on one of them."
    if instance.epoch:
        found["freeze"] = "Duties on days before `first_open` stay as they are in the accepted roster."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    nurses = [
        {
            "nurse": nurse.name,
            "shifts": nurse.shifts,
            "certified": "yes" if nurse.is_certified else "no",
            "senior": "yes" if nurse.is_senior else "no",
            "run": nurse.run,
        }
        for nurse in instance.nurses
    ]
    needs = [
        {"day": n.day, "shift": n.shift, "nurses": n.nurses, "certified": n.certified, "gap_points": n.gap_points}
        for n in instance.needs
    ]
    wishes = [{"nurse": w.nurse, "day": w.day, "shift": w.shift, "points": w.points} for w in instance.wishes]
    absences = [
        {"nurse": nurse.name, "days": [absence.day for absence in instance.absences if absence.nurse == nurse.name]}
        for nurse in instance.nurses
    ]
    ward: dict[str, object] = {
        "days": instance.days,
        "overtime_points": instance.overtime_points,
        "most_overtime": instance.most_overtime,
        "most_run": instance.most_run,
        "most_nights": instance.most_nights,
        "certified_bind": instance.needs_certified,
        "senior_nights": instance.needs_senior,
        "whole_weekends": instance.whole_weekends,
    }
    if instance.epoch:
        ward |= {"first_open": instance.first_open, "change_points": instance.change_points}
    return {
        "data/nurses.csv": wrinkles.csv(nurses, key="nurse", vary=["shifts"]),
        "data/absences.json": wrinkles.json([entry for entry in absences if entry["days"]]),
        "data/wishes.csv": wrinkles.csv(wishes),
        "data/ward.yaml": wrinkles.yaml(ward),
        "data/needs.csv": wrinkles.csv(needs, key=["day", "shift"], vary=["nurses"]),
    }
