"""What employees see to themselves."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.templates.common import PRIORITY, new_case, person, services, titled, user
from opsgym.envs.enterprise_ops.template import heed, template

_GOOD = ("Yes, all of it", "Very well", "Friendly and quick", "I am satisfied", "It took two days", "Could have been faster")


@template("hr", roles=("employee",), rules=("HR-CASE-CENTRE",), traps=("same_survey",), blocked=("no_permission",))
def look_after_own_cases(draft: Draft) -> None:
    """Open cases for oneself, and answer a survey."""
    me = draft.row("user", draft.actor.id)
    offers = services(draft, draft.horizon, "1")
    survey = _handed(draft)
    answer = draft.pick(*_GOOD)
    cases = [_wanted(draft, offer, me) for offer in offers]
    if draft.is_infeasible:
        colleague = user(draft, "user_id IN (SELECT user_id FROM hr_profile)")
        draft.ask(f"Open the last of these cases for {person(draft, colleague)} rather than for me.")
    draft.ask(
        f'Then answer the survey on my case {survey["number"]}: to the first question say "{answer}".',
        f'I have also got a survey on case {survey["number"]}; answer its first question with "{answer}".',
    )
    if draft.is_infeasible:
        draft.block("no_permission", why="An employee opens only cases for themselves (HR-CASE-OWN).")
    last = len(cases) - 1
    for place, (offer, values) in enumerate(zip(offers, cases, strict=True)):
        draft.look("get_hr_service_by_name", service_name=offer["service_name"])
        opened_for = colleague["user_id"] if draft.is_infeasible and place == last else draft.actor.id
        draft.do(
            "create_new_hr_case",
            heed(
                "HR-CASE-CENTRE",
                "The coe_type of a case is that of the topic category of its service.",
                coe_type=offer["coe_type"],
                blindly={"coe_type": next(centre for centre in words.CENTRES if centre != offer["coe_type"])},
            ),
            hr_service=str(offer["hr_service_id"]),
            opened_for=str(opened_for),
            source="self-service",
            **values,
        )
    draft.look("list_survey_instances")
    draft.do("update_survey_instance", survey_instance_id=survey["instance"], answer_1=answer)
    draft.loosen("hr_case", "worknotes", "source")


def _handed(draft: Draft) -> Row:
    """A survey that waits for an answer, and another one where a trap is wanted."""
    found = []
    for _ in range(2 if draft.wants_trap("same_survey") else 1):
        case = new_case(draft, "closed_complete", opened_for=draft.actor.id, worknotes="Done.")
        task = draft.add(
            "hr_case_task", status="ready", task_type="survey", short_description="Ask", parent_case=case["hr_case_id"]
        )
        survey = draft.one("SELECT survey_id FROM survey WHERE org_id = ? ORDER BY survey_id", draft.actor.scope)["survey_id"]
        values = {"survey_id": survey, "case_task_id": task["hr_case_task_id"], "assigned_to": draft.actor.id}
        instance = draft.add("survey_instance", **values)
        found.append({"number": case["number"], "instance": instance["survey_instance_id"]})
    if len(found) > 1:
        draft.trap("same_survey", found[1]["instance"], found[0]["instance"])
    return found[-1]


def _wanted(draft: Draft, offer: Row, me: Row) -> dict[str, str]:
    """Ask for a case of one's own, and give its values."""
    priority = draft.pick(*PRIORITY)
    title = titled(draft, offer, me["first_name"])
    rank = draft.pick(*PRIORITY[priority])
    draft.ask(
        f'I need help with the service {offer["service_name"]}: open a case titled "{title}" for me; {rank}.',
        f'Please open a case for me about the service {offer["service_name"]}. Its title is "{title}", and {rank}.',
    )
    return {"short_description": title, "priority": priority}


TEMPLATES = (look_after_own_cases,)
