"""What an agent reads of the ambulance posts."""

from __future__ import annotations

from collections.abc import Mapping

from opsgym.envs.or_agent_bench.problems.ambulance_posts.instance import SHIFTS, Instance
from opsgym.envs.or_agent_bench.wrinkles import Wrinkles

DICTIONARY: dict[str, dict[str, str]] = {
    "data/posts.csv": {
        "post": "name of the post",
        "district": "where it lies",
        "bays": "ambulances that it has room for",
        "quarters": "crews' quarters that it uses",
        "night": "no when it stands empty at night",
        "fixed": "yes when it keeps its ambulances of the plan in force",
    },
    "data/zones.csv": {
        "zone": "name of the zone",
        **{shift: f"its calls in the {shift} shift" for shift in SHIFTS},
        "critical": "yes when it must be covered in every shift",
    },
    "data/drives.csv": {"post": "a post", "zone": "a zone", "minutes": "drive from the one to the other, with its unit"},
    "data/in_force.json": {"post": "a post", **{shift: f"its ambulances in the {shift} shift" for shift in SHIFTS}},
    "data/service.yaml": {
        **{f"{shift}_ambulances": f"ambulances with crews in the {shift} shift" for shift in SHIFTS},
        "response": "minutes within which an ambulance covers a zone",
        "once_points": "points for each call of a covered zone",
        "twice_points": "more points for each call of a zone that two ambulances cover",
        "beds": "ambulances whose crews each quarters have room for in a shift, 0 where it does not matter",
        "reserve": "least number of ambulances in each district, 0 where it does not matter",
        "most_moves": "greatest number of ambulances that change place before a shift, -1 for any",
        "change_points": "points lost for each ambulance more or less than in the plan in force",
        "most_changes": "greatest number of those, -1 for any",
    },
}


def story(instance: Instance) -> str:
    """The situation."""
    return (
        f"A county places its ambulances at {len(instance.posts)} posts, for the day, evening and night shift. A zone is covered "
        "in a shift when an ambulance stands at a post whose drive to it takes at most `response` minutes, and covered twice "
        "when two or more ambulances do, at one post or at several."
    )


def objective(instance: Instance) -> str:
    """What is to be made large."""
    text = (
        "Make the points large: in every shift for each zone that is covered its calls times `once_points`, and for each zone "
        "that is covered twice its calls times `twice_points` besides."
    )
    if instance.change_points:
        text += (
            " For every post and shift the difference, up or down, between its ambulances and those in `in_force.json` costs "
            "`change_points` an ambulance."
        )
    return text


def rules(instance: Instance) -> dict[str, str]:
    """Every rule of the validator."""
    found = {
        "stations": "A post is named at most once a shift, with at least one ambulance; posts and shifts are those of the files.",
        "fleet": "In each shift the posts together have no more ambulances than there are with crews.",
        "bays": "A post has no more ambulances than bays.",
    }
    if instance.beds:
        found["quarters"] = "In each shift the posts that share quarters have together no more ambulances than `beds`."
    if instance.reserve:
        found["reserve"] = "In each shift the posts of every district have together at least `reserve` ambulances."
    if any(zone.is_critical for zone in instance.zones):
        found["critical"] = "A zone with `critical` yes is covered in every shift."
    if instance.most_moves >= 0:
        found["moves"] = (
            "From day to evening, and from evening to night, the ambulances that posts gain, added up over the posts that gain "
            "some, are at most `most_moves`."
        )
    if any(post.is_shut_at_night for post in instance.posts):
        found["night"] = "A post with `night` no has no ambulance in the night shift."
    if instance.most_changes >= 0:
        found["changes"] = (
            "The differences, up or down, between the ambulances of every post and shift and those in force are together at most "
            "`most_changes`."
        )
    if any(post.is_fixed for post in instance.posts):
        found["fixed"] = "A post with `fixed` yes has in every shift at least its ambulances of the plan in force."
    return found


def files(instance: Instance, wrinkles: Wrinkles) -> Mapping[str, str]:
    """The data files."""
    posts = [
        {
            "post": post.name,
            "district": post.district,
            "bays": post.bays,
            "quarters": post.quarters,
            "night": "no" if post.is_shut_at_night else "yes",
            "fixed": "yes" if post.is_fixed else "no",
        }
        for post in instance.posts
    ]
    zones = [
        {"zone": zone.name, **dict(zip(SHIFTS, zone.calls, strict=True)), "critical": "yes" if zone.is_critical else "no"}
        for zone in instance.zones
    ]
    drives = [{"post": pair.split(">")[0], "zone": pair.split(">")[1], "minutes": time} for pair, time in instance.drives.items()]
    force = [{"post": post.name, **dict(zip(SHIFTS, post.in_force, strict=True))} for post in instance.posts]
    service = {
        **{f"{shift}_ambulances": count for shift, count in zip(SHIFTS, instance.ambulances, strict=True)},
        "response": instance.response,
        "once_points": instance.once_points,
        "twice_points": instance.twice_points,
        "beds": max(instance.beds.values(), default=0),
        "reserve": instance.reserve,
        "most_moves": instance.most_moves,
        "change_points": instance.change_points,
        "most_changes": instance.most_changes,
    }
    return {
        "data/posts.csv": wrinkles.csv(posts, key="post", vary=["bays"]),
        "data/zones.csv": wrinkles.csv(zones, key="zone", vary=SHIFTS),
        "data/drives.csv": wrinkles.csv(drives, units={"minutes": "min/h"}),
        "data/in_force.json": wrinkles.json(force),
        "data/service.yaml": wrinkles.yaml(service),
    }
