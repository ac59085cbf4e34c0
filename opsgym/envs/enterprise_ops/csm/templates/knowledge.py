"""Tasks on knowledge articles."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.templates.common import OPEN, cases, contact_user, find, told
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import template

_ONE_PUBLIC = (
    "(SELECT count(*) FROM knowledge k WHERE k.product_id = customer_case.product_id AND k.state = 'published') = 1"
    " AND EXISTS (SELECT 1 FROM knowledge k WHERE k.product_id = customer_case.product_id AND k.state = 'published'"
    " AND k.visibility = 'external')"
)


@template("csm", roles=("admin", "manager", "agent"), traps=("retired_article",), blocked=("policy_conflict", "missing_record"))
def suggest_articles(draft: Draft) -> None:
    """Search for the article on a case's product, link it as suggested, and propose it to the contact."""
    chosen = cases(
        draft,
        f"state IN {OPEN} AND {_ONE_PUBLIC} AND NOT EXISTS (SELECT 1 FROM case_knowledge k"
        " WHERE k.case_id = customer_case.case_id)",
        count=draft.horizon,
    )
    articles = [_article(draft, case) for case in chosen]
    blocked = draft.pick(*articles) if draft.is_infeasible else None
    if blocked is not None:
        _hide(draft, blocked)
    for case, article in zip(chosen, articles, strict=True):
        if draft.wants_trap("retired_article"):
            _retired(draft, article)
        draft.ask(
            f"Please look into the {told(draft, case)}: search for the article on the product, link it to the case, and send it"
            " to the contact of the case as a solution proposal.",
            f"There should be an article on the product of the {told(draft, case)}. Find it, attach it to the case, and propose"
            " it to the contact of the case as a solution.",
        )
    if blocked is not None:
        why = "is internal: it must not be sent to customers (CSM-NOTE-ARTICLE)"
        draft.block("policy_conflict", "missing_record", why=f"The article {blocked['kb_number']} {why}.")
    for case, article in zip(chosen, articles, strict=True):
        find(draft, case)
        draft.look("retrieve_knowledge", product_id=case["product_id"])
        draft.look("find_contacts", contact_id=case["contact_id"])
        user = contact_user(draft, case["contact_id"])
        draft.look("list_users", user_id=user["user_id"])
        key = article["knowledge_id"]
        draft.do("link_case_knowledge", case_id=case["case_id"], knowledge_id=key, used_as="suggested")
        draft.do("send_notification", case_id=case["case_id"], email=user["email"], type="solution_proposal", knowledge_id=key)


def _article(draft: Draft, case: Row) -> Row:
    return draft.one(
        "SELECT * FROM knowledge WHERE product_id = ? AND state = 'published' ORDER BY knowledge_id", case["product_id"]
    )


def _hide(draft: Draft, article: Row) -> None:
    """Make an article an internal one, which was never sent."""
    key = article["knowledge_id"]
    draft.change("knowledge", key, visibility="internal")
    for row in draft.rows("SELECT notification_id FROM notification WHERE knowledge_id = ? ORDER BY notification_id", key):
        draft.change("notification", row["notification_id"], knowledge_id=None)


def _retired(draft: Draft, article: Row) -> None:
    """An article of the same title that was retired."""
    names = ("title", "body", "visibility", "product_id", "owner_id")
    other = draft.add("knowledge", state="retired", **{name: article[name] for name in names})
    draft.trap("retired_article", article["knowledge_id"], other["knowledge_id"])


@template("csm", roles=("admin", "manager"), rules=("CSM-KB-RETIRED",), blocked=("no_permission",))
def revive_articles(draft: Draft) -> None:
    """Publish retired articles again, for a new owner."""
    chosen = draft.some("SELECT * FROM knowledge WHERE state = 'retired' ORDER BY knowledge_id", count=draft.horizon)
    if draft.is_infeasible:
        owners = ", ".join(str(row["owner_id"]) for row in chosen)
        agent = draft.one(
            "SELECT CAST(user_id AS TEXT) AS key FROM user WHERE active AND role = 'agent'"
            f" AND user_id NOT IN ({owners}) ORDER BY user_id"
        )
        draft.act_as(agent["key"])
    owner = draft.one("SELECT * FROM user WHERE active AND user_id = ?", int(draft.actor.id))
    for article in chosen:
        draft.ask(
            f"The retired article {_told(draft, article)} is needed again: publish it.",
            f"Make the retired article {_told(draft, article)} public knowledge once more.",
        )
    draft.ask("I own it from now on.", "Make me its owner.") if len(chosen) == 1 else draft.ask("I own them from now on.")
    if draft.is_infeasible:
        draft.block("no_permission", why="An agent changes only articles that they own (CSM-AGENT-ARTICLE).")
    for article in chosen:
        key = article["knowledge_id"]
        draft.look("retrieve_knowledge", kb_number=article["kb_number"])
        draft.look("retrieve_knowledge", search_text=article["title"], state="retired")
        draft.oblige(
            "CSM-KB-RETIRED",
            "Bring what is retired back as a draft first.",
            "update_knowledge",
            knowledge_id=key,
            state="draft",
        )
        draft.do("update_knowledge", knowledge_id=key, state="published", owner_id=owner["user_id"])


def _told(draft: Draft, article: Row) -> str:
    """Number of an article, or its title where that tells it among retired ones."""
    same = draft.value("SELECT count(*) FROM knowledge WHERE state = 'retired' AND title = ?", article["title"])
    return article["kb_number"] if draft.conditions <= 1 or same > 1 else f'"{article["title"]}"'


TEMPLATES = (suggest_articles, revive_articles)
