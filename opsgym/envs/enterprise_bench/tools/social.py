"""Tools of the social platform."""

from __future__ import annotations

from opsgym.envs.enterprise_bench.sources.social import POST
from opsgym.envs.enterprise_bench.tools.makers import creating, getting, listing, removing, today, updating

TOOLS = (
    getting("social_platform_read", "Read a post", POST, "post_id"),
    listing("social_platform_list", "List posts", POST, "posts", "emp_id title", day="posted_on"),
    creating(
        "social_platform_create",
        "Write a post",
        POST,
        "title post",
        own="emp_id",
        fill=lambda desk, _: {"posted_on": today(desk)},
    ),
    updating("social_platform_update", "Change a post of yours", POST, "post_id", "title post"),
    removing("social_platform_delete", "Delete a post", POST, "post_id"),
)
"""The tools."""
