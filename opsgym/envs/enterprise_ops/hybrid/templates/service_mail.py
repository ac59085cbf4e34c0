"""Tasks in IT service management or HR, and in e-mail."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.email.templates.writing import letter
from opsgym.envs.enterprise_ops.itsm.templates.common import incidents
from opsgym.envs.enterprise_ops.template import Unfit, template


def send(draft: Draft, to: str, subject: str, text: str) -> None:
    """Send a letter from the actor's own mailbox; its text only has to mention ``text``."""
    draft.do("email.send_message", userId="me", payload=letter(draft.actor_email, to, subject, f"Hello, {text}."))


def loosen_letters(draft: Draft, holding: str = "") -> None:
    """What a letter's writer or the system settles."""
    draft.loosen("messages", "internal_date", "raw", "thread_id", "snippet")
    draft.loosen("message_parts", "mime_type")
    draft.loosen("message_part_bodies", "data", holding=holding)


@template(
    "hybrid",
    roles={"itsm": ("manager", "agent"), "email": ("owner",)},
    rules=("ITSM-SLA-PAUSE",),
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def ask_callers(draft: Draft) -> None:
    """Put incidents on hold until their callers have answered, and write to the callers."""
    running = "EXISTS (SELECT 1 FROM incident_sla s JOIN sla_definition d USING (sla_def_id)"
    running += " WHERE s.incident_id = incident.incident_id AND d.pause_on_pending AND s.stage = 'in_progress')"
    chosen = incidents(draft, f"status = 'in_progress' AND {running}", count=draft.horizon)
    callers = [draft.row("users", incident["caller_id"]) for incident in chosen]
    if any(caller["email"] == draft.actor_email for caller in callers):
        raise Unfit("one would write to oneself")
    question = draft.pick("version", "serial number", "floor")
    numbers = draft.listed([incident["number"] for incident in chosen])
    if draft.is_infeasible:
        draft.change("incident", chosen[0]["incident_id"], status="canceled")
        draft.remove_where("incident_sla", incident_id=chosen[0]["incident_id"])
    draft.ask(
        f"For {numbers} we need the {question} from whoever reported it. Put each on hold until the caller answers, and send"
        f" every caller a mail of your own with the number of the incident as its subject, asking for the {question}.",
        f"{numbers} cannot go on without the {question}: ask each caller for it by mail, the subject being the incident's number,"
        " and put the incidents on hold meanwhile.",
    )
    if draft.wants_trap("namesake"):
        _namesake(draft, callers[0]["email"], callers[0]["first_name"], callers[0]["last_name"])
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{chosen[0]['number']} is canceled, and ITSM-INC-MOVE lets it go nowhere.")
    loosen_letters(draft, question)
    for incident, caller in zip(chosen, callers, strict=True):
        draft.look("itsm.find_incident_by_number", number=incident["number"])
        draft.look("itsm.get_user", user_id=incident["caller_id"])
        key = incident["incident_id"]
        draft.do("itsm.update_incident", incident_id=key, status="on_hold", on_hold_reason="Awaiting Caller")
        for level in draft.look("itsm.find_incident_slas", incident_id=key, stage="in_progress"):
            if draft.value("SELECT pause_on_pending FROM sla_definition WHERE sla_def_id = ?", level["sla_def_id"]):
                draft.oblige(
                    "ITSM-SLA-PAUSE",
                    "Pause the service levels that their definitions let be paused.",
                    "itsm.update_incident_sla_details",
                    incident_sla_id=level["incident_sla_id"],
                    stage="paused",
                )
        send(draft, caller["email"], incident["number"], f"please tell us the {question}")


def _namesake(draft: Draft, email: str, first: str, last: str) -> None:
    """Give somebody else in the address books the caller's name."""
    other = draft.one(
        "SELECT id, email FROM users WHERE email NOT IN (?, ?) ORDER BY id", email, draft.actor_email, in_system="email"
    )
    draft.change("users", other["id"], in_system="email", display_name=f"{first} {last}")
    draft.trap("namesake", email, other["email"])


TEMPLATES = (ask_callers,)
