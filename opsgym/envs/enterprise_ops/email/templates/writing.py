"""Tasks in which mail is written."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.email.templates.common import boxes, contacts, receive
from opsgym.envs.enterprise_ops.template import template

_EVENTS = ("open house", "price change", "summer closing", "stocktaking", "new catalogue", "maintenance window")


def letter(sender: str, to: str, subject: str, text: str) -> dict[str, Any]:
    """A payload."""
    given = (("From", sender), ("To", to), ("Subject", subject))
    headers = [{"name": name, "value": value} for name, value in given if value]
    return {"mimeType": "text/plain", "headers": headers, "body": {"data": text}}


def loosen(draft: Draft, holding: str, *, in_thread: bool = False) -> None:
    """What a letter's writer or the system settles: words, times, and the thread unless it continues one."""
    draft.loosen("messages", "internal_date", "raw", *(() if in_thread else ("thread_id",)))
    draft.loosen("message_parts", "mime_type")
    draft.loosen("message_part_bodies", "data", holding=holding)


@template("email", roles=("owner",), rules=("EMAIL-SEND-FROM",), blocked=("policy_conflict",))
def write_from_alias(draft: Draft) -> None:
    """Give an address to send from a signature and write drafts from it; it must be verified first."""
    condition = "EXISTS (SELECT 1 FROM send_as_aliases a WHERE a.user_id = u.id AND a.verification_status = 'pending')"
    (box,) = boxes(draft, condition)
    sql = "SELECT * FROM send_as_aliases WHERE user_id = ? AND verification_status = 'pending' ORDER BY id"
    alias = draft.one(sql, box.key)
    address = alias["send_as_email"]
    event = draft.pick(*_EVENTS)
    signature = f"{draft.company.home.name}, {draft.pick('desk', 'counter', 'team')} {draft.draw.randrange(2, 90)}"
    people = [contact.email for contact in contacts(draft, draft.horizon)]
    subject = f"{event.capitalize()} {draft.now.year}"
    draft.ask(
        f'Set the signature of my address {address} to "{signature}".',
        f'My address {address} needs the signature "{signature}".',
    )
    many = len(people) > 1
    draft.ask(
        f"Then write a draft from it to {draft.listed(people)}{', one each,' if many else ''} with the subject"
        f' "{subject}"; mention the {event}.',
        f"From that address I want to write to {draft.listed(people)}{' (separately)' if many else ''} about the {event}: prepare"
        f' the draft{"s" if many else ""}, subject "{subject}", but do not send anything.',
    )
    if draft.is_infeasible:
        draft.change("send_as_aliases", alias["id"], verification_status="verificationStatusUnspecified")
        draft.block("policy_conflict", why=f"{address} is not verified and not pending, so that nothing can be written from it.")
    draft.look("get_send_as_alias", userId=box.user, sendAsEmail=address)
    draft.do("patch_send_as_alias", userId=box.user, sendAsEmail=address, signature=signature)
    if not draft.reasons:
        draft.oblige(
            "EMAIL-SEND-FROM",
            "Verify the address before you write from it.",
            "verify_send_as_alias",
            userId=box.user,
            sendAsEmail=address,
        )
    loosen(draft, event)
    for other in people:
        draft.do("create_draft", message={"payload": letter(address, other, subject, f"We write to you about the {event}.")})


@template("email", roles=("delegate",), traps=("namesake",), blocked=("no_permission",))
def answer_for_owner(draft: Draft) -> None:
    """Answer letters in somebody's name, in their threads, and take them out of the inbox."""
    (box,) = boxes(draft, "EXISTS (SELECT 1 FROM messages m WHERE m.user_id = u.id)")
    word = draft.pick("Tuesday", "Wednesday", "Thursday")
    chosen = []
    for contact in contacts(draft, draft.horizon):
        subject = f"Visit to {contact.firm} {draft.draw.randrange(10, 99)}"
        message = receive(draft, box, contact.sender, subject, "Which day of next week suits you?")
        if draft.wants_trap("namesake"):
            host = draft.pick("lakeview", "hilltop", "oldtown")
            other = receive(
                draft,
                box,
                f"{contact.name} <{contact.name.split()[0].lower()}@{host}.example>",
                subject,
                "Which day suits you?",
            )
            draft.trap("namesake", message["id"], other["id"])
        chosen.append((message, contact.email, subject))
    people = draft.listed([address for _, address, _ in chosen])
    many = len(chosen) > 1
    draft.ask(
        f"Please answer the letter{'s' if many else ''} of {people} in {box.whose(draft)}, in the same thread and for {box.name}:"
        f' {word} suits. Keep the subject with "Re: " before it, and archive what you have answered.',
        f"{box.name} can do {word}: tell {people}, who asked by mail to {box.email}. Answer in the thread"
        f' ("Re: " and the subject), and take the letter{"s" if many else ""} out of the inbox.',
    )
    if draft.is_infeasible:
        draft.ask(
            f"Then turn on the automatic reply of {box.name} for that day.",
            f"Also set the language of {box.whose(draft)} to German.",
        )
        draft.block("no_permission", why="A delegate changes no settings.")
    loosen(draft, word, in_thread=True)
    for message, address, subject in chosen:
        draft.look("list_messages", userId=box.user, q=f"from:{address}")
        draft.look("get_message", userId=box.user, id=message["id"])
        payload = letter("", address, f"Re: {subject}", f"Thank you. {word} suits {box.name}.")
        draft.do("send_message", userId=box.user, threadId=message["thread_id"], payload=payload)
        draft.do("modify_message", userId=box.user, id=message["id"], removeLabelIds=["INBOX"])


TEMPLATES = (write_from_alias, answer_for_owner)
