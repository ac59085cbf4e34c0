"""Tasks of opening cases, beginning work on them, and using knowledge."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.templates.common import (
    PRIORITY,
    SOURCE,
    find,
    handler,
    look_up,
    name_of,
    namesake,
    new_case,
    person,
    service,
    services,
    team,
    titled,
    told,
    twin,
    user,
)
from opsgym.envs.enterprise_ops.template import heed, template

_USED = {
    "suggested": ("suggest it to the requester", "offer it as a suggestion"),
    "applied": ("it was applied", "note that it has been applied"),
    "resolution": ("it is the resolution", "it resolved the case"),
}


@template("hr", roles=("manager", "agent"), rules=("HR-CASE-CENTRE",), traps=("namesake",), blocked=("policy_conflict",))
def register_case(draft: Draft) -> None:
    """Open cases for people about services."""
    offers = services(draft, draft.horizon, "1")
    requesters = _requesters(draft)
    namesake(draft, requesters[0])
    why = ""
    if draft.is_infeasible and draft.pick(True, False):
        draft.change("user", requesters[-1]["user_id"], active=False)
        why = f"{name_of(requesters[-1])} is no active user any more (HR-CASE-FOR)."
    elif draft.is_infeasible:
        offers[-1] = services(draft, 1, "1", is_active=False)[0]
        why = f"The service {offers[-1]['service_name']} is no longer active (HR-CASE-SERVICE)."
    cases = [_worded(draft, offer, requester) for offer, requester in zip(offers, requesters, strict=True)]
    if draft.is_infeasible:
        draft.block("policy_conflict", why=why)
    for offer, requester, case in zip(offers, requesters, cases, strict=True):
        look_up(draft, requester)
        draft.look("get_hr_service_by_name", service_name=offer["service_name"])
        draft.look("get_topic_details", topic_detail_id=str(offer["topic_detail"]))
        others = [centre for centre in words.CENTRES if centre != offer["coe_type"]]
        draft.do(
            "create_new_hr_case",
            heed(
                "HR-CASE-CENTRE",
                "The coe_type of a case is that of the topic category of its service.",
                coe_type=offer["coe_type"],
                blindly={"coe_type": others[0]},
            ),
            hr_service=str(offer["hr_service_id"]),
            opened_for=str(requester["user_id"]),
            **case,
        )
    draft.loosen("hr_case", "worknotes")


def _requesters(draft: Draft) -> list[Row]:
    """People for whom cases may be opened; the last one is an employee, who handles nothing."""
    last = user(draft, "role = 'employee' AND user_id IN (SELECT user_id FROM hr_profile)")
    sql = (
        'SELECT * FROM "user" WHERE org_id = ? AND active AND user_id NOT IN (?, ?)'
        " AND user_id IN (SELECT user_id FROM hr_profile) ORDER BY user_id"
    )
    return [*draft.some(sql, draft.actor.scope, draft.actor.id, last["user_id"], count=draft.horizon - 1), last]


def _worded(draft: Draft, offer: Row, requester: Row) -> dict[str, str]:
    """Ask for a case, and give its values."""
    priority, source = draft.pick(*PRIORITY), draft.pick(*SOURCE)
    title = titled(draft, offer, requester["first_name"])
    who, how, rank = person(draft, requester), draft.pick(*SOURCE[source]), draft.pick(*PRIORITY[priority])
    draft.ask(
        f'{who} {how}: please open a case about the service {offer["service_name"]} for them, titled "{title}"; {rank}.',
        f'Register a case titled "{title}" for {who}, who {how}. It is about the service {offer["service_name"]}, and {rank}.',
    )
    values = {"short_description": title, "priority": priority, "source": source}
    if offer["coe_type"] == "Payroll":
        kind, number = draft.pick(*words.ACCOUNT_TYPES[:2]), f"ACC-{draft.draw.randrange(10_000, 100_000)}"
        draft.ask(f"It concerns their {kind} account {number}.", f"Their account is {number}, a {kind} account.")
        values |= {"account_number": number, "account_type": kind}
    return values


@template("hr", roles=("manager", "agent"), rules=("HR-WORK-TASKS",), traps=("same_title",), blocked=("policy_conflict",))
def start_work(draft: Draft) -> None:
    """Begin work on cases; their services generate tasks, or one is created."""
    offers = [service(draft, "s.hr_criteria IS NULL AND s.fulfillment_type = 'manual'")]
    offers += [service(draft) for _ in range(draft.horizon - 1)]
    cases = [new_case(draft, "ready", of=offer) for offer in offers]
    group = team(draft)
    workers = [handler(draft, group["group_id"], case["opened_for"]) for case in cases]
    is_stopped = draft.is_infeasible and draft.pick(True, False)
    if is_stopped:
        draft.change("hr_case", cases[-1]["hr_case_id"], status="cancelled", worknotes="Withdrawn by the requester.")
    elif draft.is_infeasible:
        member = "SELECT user_id FROM user_group_member WHERE group_id = ?"
        workers[-1] = user(draft, f"role = 'agent' AND user_id NOT IN ({member})", group["group_id"])
    for case, worker in zip(cases, workers, strict=True):
        twin(draft, case)
        draft.ask(
            f"Begin work on the {told(draft, case)}: {person(draft, worker)} of the group {group['name']} handles it.",
            f"{person(draft, worker)} of {group['name']} takes on the {told(draft, case)} and starts working on it right away.",
        )
    if is_stopped:
        draft.block("policy_conflict", why=f"Case {cases[-1]['number']} is cancelled (HR-CASE-MOVE).")
    elif draft.is_infeasible:
        draft.block("policy_conflict", why=f"{name_of(workers[-1])} is no member of {group['name']} (HR-CASE-ASSIGN).")
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    for case, worker, offer in zip(cases, workers, offers, strict=True):
        find(draft, case)
        begun = draft.do(
            "update_hr_case",
            hr_case_id=str(case["hr_case_id"]),
            status="work_in_progress",
            assignment_group=str(group["group_id"]),
            assigned_to=str(worker["user_id"]),
        )
        if not begun["generated_tasks"]:
            draft.oblige(
                "HR-WORK-TASKS",
                "Where a service generates no task, create one that is ready and only has to be marked when complete.",
                "create_hr_case_task",
                status="ready",
                short_description=f"Handle {offer['service_name'].lower()}",
                task_type="mark when complete",
                parent_case=str(case["hr_case_id"]),
            )
            draft.allow("hr_case_task", "create", parent_case=case["hr_case_id"])
    draft.loosen("hr_case_task", "short_description", "worknotes", "assigned_to", "assignment_group", "hr_service")


@template("hr", roles=("manager", "agent"), rules=("HR-KB-SHARED",), traps=("retired_article",), blocked=("policy_conflict",))
def share_article(draft: Draft) -> None:
    """Link published articles to cases; what resolves a case that came by self-service is made external."""
    pairs = []
    for number, offer in enumerate(services(draft, draft.horizon)):
        title = f"{draft.pick('How to handle', 'Guide to', 'Questions on')} {offer['service_name'].lower()}"
        writer = user(draft, "role = 'agent'")["user_id"]
        values = {"title": title, "body": f"{title}: step by step.", "visibility": "internal", "owner_id": writer}
        retired = [draft.add("knowledge", **values, state="retired")] if draft.wants_trap("retired_article") else []
        article = draft.add("knowledge", **values, state="published")
        for old in retired:
            draft.trap("retired_article", article["knowledge_id"], old["knowledge_id"])
        used = "resolution" if number == 0 else draft.pick(*_USED)
        case = new_case(draft, "work_in_progress", assigned=team(draft))
        draft.change("hr_case", case["hr_case_id"], source="self-service" if used == "resolution" else case["source"])
        pairs.append((case, article, used))
    if draft.is_infeasible:
        draft.change("knowledge", pairs[-1][1]["knowledge_id"], state=draft.pick("draft", "retired"))
    for case, article, used in pairs:
        how = draft.pick(*_USED[used])
        draft.ask(
            f'Link the article "{article["title"]}" to the {told(draft, case)}: {how}.',
            f'The {told(draft, case)} needs the article "{article["title"]}"; {how}.',
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f'"{pairs[-1][1]["title"]}" is not published (HR-KB-USE).')
    for case, article, used in pairs:
        find(draft, case)
        draft.look("retrieve_knowledge_articles", title=article["title"])
        if used == "resolution":
            draft.oblige(
                "HR-KB-SHARED",
                "Make the article external where it is the resolution of a case that came by self-service.",
                "update_knowledge_article",
                knowledge_id=article["knowledge_id"],
                visibility="external",
            )
        draft.do("link_knowledge_to_hr_case", hr_case_id=case["hr_case_id"], knowledge_id=article["knowledge_id"], used_as=used)


TEMPLATES = (register_case, start_work, share_article)
