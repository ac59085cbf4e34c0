"""Tasks on configuration items and knowledge."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.itsm.templates.common import OPEN, incidents, some
from opsgym.envs.enterprise_ops.template import heed, template


@template("itsm", roles=("admin", "agent"), traps=("same_name",), blocked=("policy_conflict",))
def replace_item(draft: Draft) -> None:
    """Replace a configuration item by another one in open incidents, and retire it."""
    old, new = some(draft, "configuration_item", "status = 'in_use'", 2)
    for row in draft.rows(
        f"SELECT incident_id FROM incident WHERE configuration_item IN (?, ?) AND status IN {OPEN}",
        old["configuration_item_id"],
        new["configuration_item_id"],
    ):
        draft.change("incident", row["incident_id"], configuration_item=None)
    draft.remove_where("incident_affected_cis", configuration_item=old["configuration_item_id"])
    chosen = incidents(draft, f"status IN {OPEN}", count=draft.horizon)
    for incident in chosen:
        draft.change("incident", incident["incident_id"], configuration_item=old["configuration_item_id"])
    if draft.is_infeasible:
        draft.remove_where("incident_affected_cis", configuration_item=new["configuration_item_id"])
        draft.change("configuration_item", new["configuration_item_id"], status="in_stock")
    if draft.wants_trap("same_name"):
        first = draft.one(
            "SELECT * FROM configuration_item WHERE org_id = ? AND status IN ('in_use', 'maintenance')"
            " AND configuration_item_id NOT IN (?, ?) ORDER BY configuration_item_id",
            draft.actor.scope,
            old["configuration_item_id"],
            new["configuration_item_id"],
        )
        draft.change("configuration_item", first["configuration_item_id"], name=new["name"])
        draft.trap("same_name", new["configuration_item_id"], first["configuration_item_id"])
    kept = f"{new['name']} (serial number {new['serial_number']})"
    draft.ask(
        f"{old['name']} with the serial number {old['serial_number']} is broken for good. Put {kept} in its place in all open"
        " incidents, and retire the old one.",
        f"Please retire {old['name']}, serial number {old['serial_number']}; every open incident that names it is to name"
        f" {kept} instead.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{kept} is in stock, and ITSM-INC-CI links only what is in use or in maintenance.")
    draft.look("find_configuration_item_by_serial_number", serial_number=old["serial_number"])
    draft.look("find_configuration_item_by_serial_number", serial_number=new["serial_number"])
    draft.look("list_incidents", configuration_item=old["configuration_item_id"])
    for incident in chosen:
        draft.do("update_incident", incident_id=incident["incident_id"], configuration_item=new["configuration_item_id"])
    draft.do("update_configuration_item", configuration_item_id=old["configuration_item_id"], status="retired")


@template("itsm", roles=("manager", "agent"), rules=("ITSM-KB-USE",), blocked=("policy_conflict",))
def use_article(draft: Draft) -> None:
    """Write an article on a solution, and link it to the incidents that it solved."""
    chosen = incidents(draft, "status = 'resolved'", count=draft.horizon)
    numbers = draft.listed([row["number"] for row in chosen])
    title = draft.pick("How to renew a certificate", "How to free a locked file", "How to set a clock")
    body = draft.pick("Ask the owner, then renew it in the console.", "Close all programs, then press Unlock.")
    if draft.is_infeasible:
        article = some(draft, "knowledge", "state = 'published'", 1)[0]
        draft.remove_where("incident_knowledge", knowledge_id=article["knowledge_id"])
        draft.change("knowledge", article["knowledge_id"], state="retired")
        title = article["title"]
        draft.ask(
            f'Link the article "{title}" to {numbers} as the resolution.', f'"{title}" solved {numbers}: link it as resolution.'
        )
        draft.block("policy_conflict", why=f'The article "{title}" is retired (ITSM-KB-USE).')
        key = article["knowledge_id"]
    else:
        draft.ask(
            f'Write an article "{title}" as a draft of your own, with the text "{body}", and link it to {numbers}.',
            f'What solved {numbers} should be kept: draft an article titled "{title}" that says "{body}", owned by you,'
            " and link it to them.",
        )
        made = draft.do("create_knowledge_article", title=title, body=body, owner_id=draft.actor.id, state="draft")
        key = made["knowledge_id"]
    for incident in chosen:
        draft.look("find_incident_by_number", number=incident["number"])
        if draft.is_infeasible:
            draft.do("link_knowledge_to_incident", incident_id=incident["incident_id"], knowledge_id=key, used_as="resolution")
        else:
            suggested = heed(
                "ITSM-KB-USE",
                "As long as it is a draft, it is a suggestion.",
                blindly={"used_as": "resolution"},
                used_as="suggested",
            )
            draft.do("link_knowledge_to_incident", suggested, incident_id=incident["incident_id"], knowledge_id=key)
    draft.loosen("knowledge", "visibility")


TEMPLATES = (replace_item, use_article)
