"""Rules of tags."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import LEAVES, archived, belongs, owns, rule, step, twin

_TAG_TEAM = "(SELECT g.team_id FROM teamwork_tags g WHERE g.tag_id = new.tag_id)"
RULES = (
    rule(
        "TEAMS-TAG-NAME",
        "No two tags of a team have the same name.",
        "teamwork_tags",
        twin("teamwork_tags", "tag_id", "team_id", "display_name"),
    ),
    step(
        "TEAMS-TAG-RIGHT",
        "Tags are created and changed by an owner of the team, or by an admin, and not once the team is archived.",
        "teamwork_tags",
        f"NOT {owns('new.team_id')} OR {archived('new.team_id')}",
    ),
    step(
        "TEAMS-TGM-RIGHT",
        "The members of a tag are changed by an owner of the team, or by an admin, and not once the team is archived.",
        "teamwork_tag_members",
        f"(NOT {owns(_TAG_TEAM)} AND NOT {LEAVES}) OR {archived(_TAG_TEAM)}",
    ),
    rule(
        "TEAMS-TGM-TEAM",
        "The members of a tag are members of its team.",
        "teamwork_tag_members",
        f"NOT new.soft_deleted AND NOT {belongs(_TAG_TEAM, 'new.user_id')}",
    ),
    rule(
        "TEAMS-TGM-ONCE",
        "A user has a tag only once.",
        "teamwork_tag_members",
        twin("teamwork_tag_members", "id", "tag_id", "user_id"),
    ),
    rule(
        "TEAMS-TGM-SIZE",
        "A tag has at most 25 members.",
        "teamwork_tag_members",
        "(SELECT count(*) FROM teamwork_tag_members m WHERE m.tag_id = new.tag_id AND NOT m.soft_deleted) > 25",
    ),
)
