"""Tasks of setting up services and who handles them."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.templates.common import services, user
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_TOPICS = ("Volunteering", "Family", "Cycling", "Wellbeing", "Housing", "Study", "Travel", "Equipment", "Language", "Childcare")
_FLAVOURS = ("abroad", "at home", "for teams", "for trainees", "in winter", "support", "pilot")
_OFFERS = ("advice", "allowance", "registration", "refund", "certificate", "planning")
_KINDS = {
    "manual": ("by hand (manual)", "manually"),
    "workflow": ("by a workflow", "as a workflow"),
    "service_activity": ("as a service activity", "by a service_activity"),
    "flow": ("by a flow", "as a flow"),
}


@template("hr", roles=("admin",), rules=("HR-SERVICE-TEMPLATE",), traps=("similar_name",), blocked=("policy_conflict",))
def publish_service(draft: Draft) -> None:
    """Set up services: topic, template, approval and service."""
    centre = draft.pick(*words.CENTRES)
    sql = "SELECT * FROM topic_category WHERE org_id = ? AND active AND coe_type = ? ORDER BY topic_category_id"
    category = draft.one(sql, draft.actor.scope, centre)
    if draft.wants_trap("similar_name"):
        old = draft.add("topic_category", name=f"{category['name']} (old)", coe_type=centre, active=True)
        draft.trap("similar_name", str(category["topic_category_id"]), str(old["topic_category_id"]))
    topic = f"{draft.pick(*_TOPICS)} {draft.pick(*_FLAVOURS)}"
    offers = [(f"{topic} {name}", draft.pick(*_KINDS)) for name in draft.draw.sample(_OFFERS, draft.horizon)]
    board = _group(draft, "agent", "agent") if draft.is_infeasible else _board(draft)
    about = f"Look into {topic.lower()}"
    draft.ask(
        f'Add the topic "{topic}" to the category {category["name"]}.',
        f'The category {category["name"]} gets a new topic, "{topic}".',
    )
    for name, kind in offers:
        draft.ask(
            f'Under it we offer the service "{name}", fulfilled {draft.pick(*_KINDS[kind])}.',
            f'A new service there is called "{name}" and is fulfilled {draft.pick(*_KINDS[kind])}.',
        )
    verb = "It uses" if len(offers) == 1 else "They use"
    draft.ask(
        f'{verb} a new template "{topic} request" with the short description "{about}" and the category "{topic.lower()}".',
    )
    draft.ask(
        f'What is asked for there has to be approved by the group {board["name"]}, as criteria named "{topic} approval" say.',
        f'Cases of it need an approval by {board["name"]}; name the criteria "{topic} approval".',
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"No manager or admin is a member of {board['name']} (HR-CRITERIA-WHO).")
    draft.look("get_topic_categories", name=category["name"])
    draft.look("find_group_by_name", name=board["name"])
    detail = draft.do("add_new_topic_detail", name=topic, active=True, topic_category=str(category["topic_category_id"]))
    made = draft.do(
        "create_new_service_template",
        heed(
            "HR-SERVICE-TEMPLATE",
            "The template has the coe_type of the category.",
            coe_type=centre,
            blindly={"coe_type": next(item for item in words.CENTRES if item != centre)},
        ),
        name=f"{topic} request",
        change_request_values={"short_description": about, "category": topic.lower()},
    )
    criteria = draft.do("register_hr_criteria", name=f"{topic} approval", type="approval", user_group=str(board["group_id"]))
    for name, kind in offers:
        draft.do(
            "create_new_hr_service",
            service_name=name,
            fulfillment_type=kind,
            active=True,
            topic_detail=str(detail["topic_detail_id"]),
            service_template=str(made["service_template_id"]),
            hr_criteria=str(criteria["hr_criteria_id"]),
        )


def _board(draft: Draft) -> Row:
    """A group without employees and with managers."""
    sql = (
        "SELECT g.* FROM user_group g WHERE g.org_id = ? AND g.active AND g.name LIKE '%Board' AND NOT EXISTS"
        ' (SELECT 1 FROM user_group_member m JOIN "user" u USING (user_id) WHERE m.group_id = g.group_id AND u.role NOT IN'
        " ('agent', 'manager')) ORDER BY g.group_id"
    )
    return draft.one(sql, draft.actor.scope)


@template("hr", roles=("admin",), rules=("HR-CRITERIA-GROUP",), traps=("similar_name",), blocked=("policy_conflict",))
def restrict_service(draft: Draft) -> None:
    """Let only a group handle the cases of services; others leave the group."""
    found = draft.rows(
        "SELECT s.* FROM hr_service s WHERE s.org_id = ? AND s.active AND s.hr_criteria IS NULL ORDER BY s.hr_service_id",
        draft.actor.scope,
    )
    if len(found) < draft.horizon:
        raise Unfit("too few services")
    offers = draft.draw.sample(found, draft.horizon)
    group = _group(draft, "agent", "employee", "agent")
    if draft.wants_trap("similar_name"):
        other = draft.add("user_group", name=f"{group['name']} (North)", type=group["type"], active=True)
        draft.trap("similar_name", str(group["group_id"]), str(other["group_id"]))
    if draft.is_infeasible:
        draft.change("user_group", group["group_id"], active=False)
    name = f"{group['name']} {draft.pick('only', 'confidential', 'eyes only')}"
    what = draft.listed([offer["service_name"] for offer in offers])
    draft.ask(
        f'From now on only members of {group["name"]} may handle cases about {what}. Call the case_visibility criteria "{name}".',
        f'Make {what} confidential: criteria for case_visibility, named "{name}", let only the group {group["name"]} at it.',
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The group {group['name']} is not active (HR-CRITERIA-WHO).")
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    sql = (
        'SELECT m.user_id FROM user_group_member m JOIN "user" u USING (user_id) WHERE m.group_id = ?'
        " AND u.role NOT IN ('agent', 'manager') ORDER BY m.member_id"
    )
    for member in draft.rows(sql, group["group_id"]):
        draft.oblige(
            "HR-CRITERIA-GROUP",
            "Whoever is neither agent nor manager leaves the group.",
            "remove_group_membership",
            group_id=str(group["group_id"]),
            user_id=str(member["user_id"]),
        )
    made = draft.do("register_hr_criteria", name=name, type="case_visibility", user_group=str(group["group_id"]))
    for offer in offers:
        draft.look("get_hr_service_by_name", service_name=offer["service_name"])
        draft.do("update_hr_service", hr_service_id=str(offer["hr_service_id"]), hr_criteria=str(made["hr_criteria_id"]))


def _group(draft: Draft, *roles: str) -> Row:
    """A new group with members of these roles."""
    name = f"{draft.pick('Sensitive', 'Special', 'Quiet', 'Trusted')} {draft.pick('Cases', 'Matters', 'Desk', 'Circle')}"
    group = draft.add("user_group", name=name, type=draft.pick(*words.GROUP_TYPES), active=True)
    chosen: list[int] = [int(draft.actor.id)]
    for role in roles:
        marks = ", ".join("?" * len(chosen))
        chosen.append(user(draft, f"role = ? AND user_id NOT IN ({marks})", role, *chosen)["user_id"])
        draft.add("user_group_member", group_id=group["group_id"], user_id=chosen[-1])
    return group


@template("hr", roles=("admin",), traps=("similar_name",), blocked=("policy_conflict",))
def retire_service(draft: Draft) -> None:
    """Take services out of the catalogue that nobody waits for."""
    offers = []
    for base in services(draft, draft.horizon, "s.service_template IS NOT NULL"):
        name = f"{base['service_name']} {draft.pick('by post', 'on paper', 'by fax')}"
        values = {"fulfillment_type": "manual", "topic_detail": base["topic_detail"], "active": True}
        offer = draft.add("hr_service", service_name=name, **values)
        if draft.wants_trap("similar_name"):
            other = draft.add("hr_service", service_name=f"{name} (new)", **values)
            draft.trap("similar_name", name, other["service_name"])
            draft.trap("similar_name", str(offer["hr_service_id"]), str(other["hr_service_id"]))
        offers.append((offer, base))
    if draft.is_infeasible:
        offer, base = offers[-1]
        requester = user(draft, "user_id IN (SELECT user_id FROM hr_profile)")
        draft.add(
            "hr_case",
            status="ready",
            hr_service=offer["hr_service_id"],
            opened_for=requester["user_id"],
            opened_by=requester["user_id"],
            short_description=f"{offer['service_name']} for {requester['first_name']}",
            coe_type=base["coe_type"],
        )
    what = draft.listed([f'"{offer["service_name"]}"' for offer, _ in offers])
    draft.ask(
        f"We no longer offer {what}: take {'it' if len(offers) == 1 else 'them'} out of the catalogue.",
        f"Please retire the service{'s' * (len(offers) > 1)} {what}.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{offers[-1][0]['service_name']} still has an open case (HR-SERVICE-OFF).")
    for offer, _ in offers:
        draft.look("get_hr_service_by_name", service_name=offer["service_name"])
        draft.do("delete_hr_service", hr_service_id=str(offer["hr_service_id"]), service_name=offer["service_name"])


TEMPLATES = (publish_service, restrict_service, retire_service)
