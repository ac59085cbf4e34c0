"""Rules of chats."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import DELETED, EDITED, LONG, in_chat, rule, step

_COUNT = "(SELECT count(*) FROM chat_members m WHERE m.chat_id = new.chat_id AND NOT m.soft_deleted)"
RULES = (
    rule(
        "TEAMS-CHT-SELF",
        "Whoever creates a chat takes part in it.",
        "chats",
        "NOT EXISTS (SELECT 1 FROM chat_members m WHERE m.chat_id = new.chat_id AND m.user_id = new.created_by)",
    ),
    rule(
        "TEAMS-CHT-SIZE",
        "A chat of two has two members, a group chat three or more.",
        "chats",
        f"(new.chat_type = 'oneOnOne' AND {_COUNT} <> 2) OR (new.chat_type = 'group' AND {_COUNT} < 3)",
    ),
    rule(
        "TEAMS-CHT-PAIR",
        "Two users have one chat of two.",
        "chats",
        "new.chat_type = 'oneOnOne' AND EXISTS (SELECT 1 FROM chats o WHERE o.chat_type = 'oneOnOne'"
        " AND o.chat_id <> new.chat_id AND NOT o.soft_deleted AND NOT EXISTS (SELECT 1 FROM chat_members a"
        " WHERE a.chat_id = o.chat_id AND a.user_id NOT IN"
        " (SELECT x.user_id FROM chat_members x WHERE x.chat_id = new.chat_id)))",
    ),
    rule(
        "TEAMS-CHT-TOPIC",
        "A chat of two has no topic.",
        "chats",
        "new.chat_type = 'oneOnOne' AND new.topic IS NOT NULL",
    ),
    step(
        "TEAMS-CHT-IN",
        "A chat is changed by those who take part in it only, not even by an admin.",
        "chats",
        f"NOT {in_chat('new.chat_id')}",
        "update",
    ),
    step(
        "TEAMS-CHT-WRITE",
        "Only those who take part in a chat write in it, not even an admin.",
        "chat_messages",
        f"NOT {in_chat('new.chat_id')}",
    ),
    rule("TEAMS-CHT-LONG", "A message in a chat has at most 5,000 characters.", "chat_messages", LONG),
    step(
        "TEAMS-CHT-AUTHOR",
        "A message in a chat is changed, deleted and brought back by its author only.",
        "chat_messages",
        f"new.from_user_id <> :actor AND ({EDITED} OR {DELETED})",
        "update",
    ),
    step(
        "TEAMS-CHT-PIN",
        "Messages are pinned by those who take part in the chat only.",
        "pinned_messages",
        f"NOT {in_chat('new.chat_id')}",
    ),
    rule(
        "TEAMS-CHT-TAB",
        "Only an app that is installed in a chat becomes a tab of it.",
        "chat_tabs",
        "NOT EXISTS (SELECT 1 FROM chat_installed_apps i WHERE i.chat_id = new.chat_id AND i.app_id = new.app_id"
        " AND NOT i.soft_deleted)",
    ),
)
