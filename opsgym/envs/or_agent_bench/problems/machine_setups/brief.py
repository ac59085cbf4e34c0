"""What an agent reads of the paint lines."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.machine_setups.instance import Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/orders.csv": {
        "job": "name of the job",
        "product": "what is coated, see products.csv",
        "pieces": "number of pieces",
        "release": "earliest start, minutes after 06:00",
        "due": "due time of the end, minutes after 06:00",
        "late_cents": "cost of each minute that the job ends after its due time, cents",
        "after": "name of a job that must have ended before this one starts; empty for none",
    },
    "data/products.csv": {
        "product": "name of the product",
        "family": "colour family",
        "per_hour": "pieces coated in an hour",
        "lines": "lines that the product fits, separated by blanks",
        "fixture": "fixture that its jobs hang on",
    },
    "data/lines.json": {
        "lines": "each line with `ready`, the minute from which it is free, and `family`, for which it is set up then",
        "stops": "times in which a line stands still, from `start` to `end`",
    },
    "data/setups.csv": {"from": "family before", "to": "family after", "minutes": "length of the setup, with its unit"},
    "data/plant.yaml": {
        "setup_cents": "cost of a minute of setup, cents",
        "single_fixtures": "fixtures of which there is one set only",
        "setup_crews": "number of crews that do setups, 0 where every line has its own",
        "frozen_until": "minute before which nothing may be changed",
        "move_cents": "charge for moving a job to another line than in the accepted plan, cents",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A coating shop plans its {len(instance.lines)} paint lines. Minute 0 is 06:00. A job coats its pieces in one go: it "
        f"takes "
        "60 times its pieces divided by the product's pieces an hour, rounded up to whole minutes. When a line goes over to "
        "another "
        "colour family than that of its job before (or than it is set up for at the start), a setup is needed; it is done "
        "directly before the job, so that it ends when the job starts."
    )


def objective(instance: Instance) -> str:
    """What is to be made small."""
    text = (
        "Make the cost in cents small: for every job the minutes that it ends after its due time, times its `late_cents`; and "
        "all "
        "minutes of setups, times `setup_cents`."
    )
    if instance.epoch:
        text += " For every job that is on another line than in the accepted plan `move_cents` is added."
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "coverage": "Every order is scheduled exactly once, and nothing else is.",
        "eligibility": "A job runs on a line that its product fits.",
        "release": "No job starts before its release, and no job or its setup before its line is ready.",
        "sequence": (
            "A line does one thing at a time: jobs on it do not overlap, and between two jobs of different families lies the "
            "setup."
        ),
    }
    if instance.stops:
        found["stops"] = "While a line stands still, neither a job nor a setup is on it."
    if instance.fixtures:
        found["fixtures"] = (
            "Two jobs whose products hang on the same single fixture never run at the same time, on whatever lines."
        )
    if instance.has_crew:
        found["crew"] = "One crew does all setups of the shop: no two setups run at the same time."
    if any(job.after for job in instance.jobs):
        found["precedence"] = "A job with an entry in `after` starts when the job named there has ended, or later."
    if instance.epoch:
        found["freeze"] = (
            "Jobs that start before `frozen_until` in the accepted plan stay as they are; every other job starts, with its "
            "setup, "
            "at `frozen_until` or later."
        )
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    orders = [
        {
            "job": job.name,
            "product": job.product,
            "pieces": job.pieces,
            "release": job.release,
            "due": job.due,
            "late_cents": job.late_cents,
            "after": job.after,
        }
        for job in instance.jobs
    ]
    products = [
        {"product": p.name, "family": p.family, "per_hour": p.per_hour, "lines": " ".join(p.lines), "fixture": p.fixture}
        for p in instance.products
    ]
    setups = [{"from": pair.split(">")[0], "to": pair.split(">")[1], "minutes": time} for pair, time in instance.setups.items()]
    plant: dict[str, object] = {
        "setup_cents": instance.setup_cents,
        "single_fixtures": list(instance.fixtures),
        "setup_crews": int(instance.has_crew),
    }
    if instance.epoch:
        plant |= {"frozen_until": instance.frozen_until, "move_cents": instance.move_cents}
    lines = [{"line": line.name, "ready": line.ready, "family": line.family} for line in instance.lines]
    stops = [{"line": stop.line, "start": stop.start, "end": stop.end} for stop in instance.stops]
    return {
        "data/products.csv": wrinkles.csv(products),
        "data/setups.csv": wrinkles.csv(setups, key=["from", "to"], vary=["minutes"], units={"minutes": "min/h"}),
        "data/lines.json": wrinkles.json({"lines": lines, "stops": stops}),
        "data/plant.yaml": wrinkles.yaml(plant, {"setup_cents": "cents per minute"}),
        "data/orders.csv": wrinkles.csv(orders, key="job", vary=["pieces", "late_cents"]),
    }
