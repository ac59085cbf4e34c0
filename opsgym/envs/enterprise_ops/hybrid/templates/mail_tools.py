"""Tasks in e-mail, and in the calendar or among files."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.calendar.templates.common import at, working_day, zone
from opsgym.envs.enterprise_ops.calendar.templates.meetings import loosen_event
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.templates.common import HELD, PLAIN, SECRET, label, told
from opsgym.envs.enterprise_ops.drive.templates.common import find as find_file
from opsgym.envs.enterprise_ops.email.templates.common import Box, Contact, contacts, receive
from opsgym.envs.enterprise_ops.email.templates.writing import letter, loosen
from opsgym.envs.enterprise_ops.template import Unfit, heed, template


def _mailbox(draft: Draft) -> Box:
    """The actor's own."""
    part = draft.parts["email"]
    return Box(str(part.actor.id), draft.actor_email, draft.actor_name, "me")


@template(
    "hybrid",
    roles={"calendar": ("user",), "email": ("owner",)},
    rules=("CAL-GUEST-LIST",),
    traps=("newer_letter",),
    blocked=("policy_conflict",),
)
def accept_proposals(draft: Draft) -> None:
    """Enter the meetings that letters propose, and answer the letters."""
    own, box = zone(draft), _mailbox(draft)
    plans = []
    for contact in contacts(draft, draft.horizon):
        day, minutes, length = working_day(draft, 4, 40), draft.draw.randrange(18, 32) * 30, draft.pick(30, 60, 90)
        subject = f"{draft.pick('Audit', 'Demonstration', 'Handover', 'Site survey')} at {contact.firm}"
        plans.append((contact, subject, day, minutes, length))
    if draft.is_infeasible:
        number = draft.draw.randrange(len(plans))
        past = draft.now.date() - dt.timedelta(days=draft.draw.randrange(5, 20))
        plans[number] = (*plans[number][:2], past, *plans[number][3:])
    letters = [_proposal(draft, box, *plan) for plan in plans]
    people = draft.listed([contact.told(draft) for contact, *_ in plans])
    word = draft.pick("confirmed", "settled")
    many = len(plans) > 1
    each = "each" if many else "it"
    draft.ask(
        f"{people} proposed {'meetings' if many else 'a meeting'} by mail. Enter {each} in my own calendar as proposed,"
        " titled like the letter's subject, with the sender as the only guest. Times are those of my calendar's zone.",
        f"Put what {people} proposed to me by mail into my calendar: the subject is the title, the sender is invited and nobody"
        " else, day and time (by the zone of my calendar) are as in the letter.",
    )
    draft.ask(
        f'Then answer {"each" if many else "the"} letter in its thread ("Re: " before the subject): the meeting is {word}.',
        f'Tell {"each of them" if many else "the sender"} in the same thread (subject with "Re: ") that it is {word}.',
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why="One of the proposed meetings lies in the past (CAL-PAST).")
    loosen_event(draft)
    draft.loosen("events", "start_timezone", "end_timezone")
    loosen(draft, word, in_thread=True)
    for (contact, subject, day, minutes, length), message in zip(plans, letters, strict=True):
        draft.look("email.list_messages", userId="me", q=contact.query(draft))
        draft.look("email.get_message", id=message["id"])
        draft.do(
            "calendar.create_event",
            heed("CAL-GUEST-LIST", "Guests from outside do not see who else is invited.", guestsCanSeeOtherGuests=False),
            calendarId="primary",
            summary=subject,
            start=at(day, minutes, own),
            end=at(day, minutes + length, own),
            attendees=[{"email": contact.email}],
        )
        payload = letter("", contact.email, f"Re: {subject}", f"Thank you, the meeting is {word}.")
        draft.do("email.send_message", userId="me", threadId=message["thread_id"], payload=payload)


def _proposal(draft: Draft, box: Box, contact: Contact, subject: str, day: dt.date, minutes: int, length: int) -> Row:
    """A letter that proposes a meeting; where a trap is wanted, somebody of the same name writes later about the same."""
    start = f"{minutes // 60}:{minutes % 60:02d}"
    text = f"Could we meet on {draft.date(day)} at {start} your time, for {length} minutes?"
    message = receive(draft, box, contact.sender, subject, text)
    if draft.wants_trap("newer_letter"):
        host = draft.pick("lakeview", "hilltop", "oldtown")
        sender = f"{contact.name} <{contact.name.split()[0].lower()}@{host}.example>"
        other = receive(draft, box, sender, subject, f"Please call me about the {subject.lower()}.", days=0.2)
        draft.trap("newer_letter", message["thread_id"], other["thread_id"])
    return message


@template(
    "hybrid",
    roles={"drive": ("user",), "email": ("owner",)},
    traps=("namesake",),
    blocked=("policy_conflict",),
)
def share_with_clients(draft: Draft) -> None:
    """Let clients comment on files, and tell them by mail."""
    mine = f"SELECT * FROM files WHERE {PLAIN} AND NOT {SECRET} AND NOT {HELD} AND created_by = ? ORDER BY id"
    there = draft.rows(mine, draft.actor.id)
    names = [row["name"] for row in there]
    files = [row for row in there if names.count(row["name"]) == 1]
    guests = draft.rows("SELECT * FROM users WHERE kind = 'drive#guest' ORDER BY id")
    if not files or not guests:
        raise Unfit("there are no files or no guests")
    count = min(draft.horizon, len(files))
    chosen = [(file, draft.pick(*guests)) for file in draft.draw.sample(files, count)]
    taken = "SELECT 1 FROM permissions WHERE file_id = ? AND user_id = ?"
    if any(draft.value(taken, file["id"], guest["id"]) for file, guest in chosen):
        raise Unfit("a guest has access already")
    if draft.wants_trap("namesake"):
        _, guest = chosen[0]
        other = draft.one("SELECT * FROM users WHERE kind = 'drive#guest' AND id <> ? ORDER BY id", guest["id"])
        if any(row["id"] == other["id"] for _, row in chosen):
            raise Unfit("the namesake is a recipient too")
        draft.change("users", other["id"], display_name=guest["display_name"])
        draft.trap("namesake", guest["email"], other["email"])
    word = draft.pick("remarks", "corrections", "comments")
    for file, guest in chosen:
        draft.ask(
            f"Let {guest['email']} comment on {told(draft, file)}.",
            f"{guest['display_name']} ({guest['email']}) is to have the role of commenter on {told(draft, file)}.",
        )
    many = len(chosen) > 1
    draft.ask(
        f"Write to {'each of them' if many else 'them'} from my mailbox, the subject being the name of the file and nothing else,"
        f" and ask for {word}{', one letter a file' if many else ''}.",
        f"A letter of mine{' a file' if many else ''}, with the file's name as its subject, tells"
        f" {'each of them' if many else 'them'} that we wait for {word}.",
    )
    if draft.is_infeasible:
        file, _ = draft.pick(*chosen)
        label(draft, file["id"], words.CLASSIFICATION, value_enum=draft.pick("Confidential", "Restricted"))
        draft.block("policy_conflict", why=f"{file['name']} is classified and not shared outside (DRV-OUTSIDE).")
    loosen(draft, word)
    for file, guest in chosen:
        find_file(draft, file)
        draft.do("drive.create_permission", fileId=file["id"], role="commenter", type="user", emailAddress=guest["email"])
        payload = letter("", guest["email"], file["name"], f"Dear {guest['display_name']}, we wait for your {word}.")
        draft.do("email.send_message", userId="me", payload=payload)


TEMPLATES = (accept_proposals, share_with_clients)
