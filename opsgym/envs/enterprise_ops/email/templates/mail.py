"""Tasks on mail that lies in a mailbox."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.email.templates.common import Box, Contact, boxes, contacts, header_is, lookalike, receive, told
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_HAS_LABELS = "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)"
_SUBJECTS = ("Delivery window", "Spare parts", "Price list", "Site visit", "Open questions", "Order status", "Packaging")


def _label(draft: Draft, box: Box, *but: str) -> Row:
    marks = ", ".join("?" * len(but)) or "''"
    return draft.one(f"SELECT * FROM labels WHERE user_id = ? AND id NOT IN ({marks}) ORDER BY id", box.key, *but)


def _fill(draft: Draft, box: Box, label: str, count: int) -> list[str]:
    """Letters that bear a label."""
    made = []
    for contact in contacts(draft, count):
        message = receive(draft, box, contact.sender, draft.pick(*_SUBJECTS), "Please see to it.", ("INBOX", label))
        made.append(message["id"])
    return made


def _twin(draft: Draft, box: Box, label: Row) -> None:
    """A label of nearly the same name, which a search finds first."""
    if draft.wants_trap("near_name"):
        name = draft.pick(f"{label['name']} (old)", f"{label['name']} {draft.now.year - 2}", f"Old {label['name']}")
        other = draft.add("labels", scope=box.key, user_id=box.key, name=name)
        draft.trap("near_name", label["id"], other["id"])


@template("email", roles=("owner",), rules=("EMAIL-LABEL-USED",), traps=("near_name",), blocked=("policy_conflict",))
def retire_label(draft: Draft) -> None:
    """Merge labels into another one and delete them; their messages are relabelled first."""
    (box,) = boxes(draft, f"{_HAS_LABELS} AND (SELECT count(*) FROM labels l WHERE l.user_id = u.id) > 2")
    target = _label(draft, box)
    gone = []
    for number in range(draft.horizon):
        name = draft.pick("Backlog", "Follow-up", "Misc", "To read", "Parked", "Waiting") + (f" {number + 1}" if number else "")
        if draft.value("SELECT 1 FROM labels WHERE user_id = ? AND lower(name) = lower(?)", box.key, name):
            raise Unfit("the name is taken")
        label = draft.add("labels", scope=box.key, user_id=box.key, name=name)
        _twin(draft, box, label)
        gone.append((label, sorted(_fill(draft, box, label["id"], draft.draw.randint(1, 3)))))
    names = draft.listed([f'"{label["name"]}"' for label, _ in gone])
    many = len(gone) > 1
    draft.ask(
        f'I no longer need the label{"s" if many else ""} {names}: file the messages under "{target["name"]}" and delete'
        f" {'them' if many else 'it'}.",
        f'Please merge my label{"s" if many else ""} {names} into "{target["name"]}", so that only the latter is left.',
        f'Everything under {names} belongs under "{target["name"]}" from now on; the old label{"s" if many else ""} can go.',
    )
    if draft.is_infeasible:
        system = draft.pick("IMPORTANT", "STARRED", "CATEGORY_UPDATES")
        draft.ask(f"While you are at it, delete the label {system} too.", f"And get rid of {system}, which I never use.")
        draft.block("policy_conflict", why=f"{system} is a system label, which nobody deletes.")
    draft.look("list_labels", userId=box.user)
    for label, messages in gone:
        draft.look("list_messages", userId=box.user, labelIds=[label["id"]])
        draft.do(
            "batch_modify_messages",
            heed("EMAIL-LABEL-USED", "Take a label off the messages before you delete it.", removeLabelIds=[label["id"]]),
            ids=messages,
            addLabelIds=[target["id"]],
        )
        draft.do("delete_label", userId=box.user, id=label["id"])


@template("email", roles=("owner", "delegate"), traps=("near_name",), blocked=("missing_record",))
def file_mail(draft: Draft) -> None:
    """File what certain people wrote under a label and take it out of the inbox."""
    (box,) = boxes(draft, f"{_HAS_LABELS} AND (SELECT count(*) FROM labels l WHERE l.user_id = u.id) > 1")
    label = _label(draft, box)
    _twin(draft, box, label)
    writers = contacts(draft, draft.horizon)
    if any(_has_written(draft, box, writer) for writer in writers):
        raise Unfit("one of them has written before")
    found = [sorted(_letters(draft, box, writer.sender)) for writer in writers]
    people = draft.listed([writer.told(draft) for writer in writers])
    draft.ask(
        f'In {box.whose(draft)}, put the mail from {people} under "{label["name"]}" and take it out of the inbox.',
        f'Mail from {people} clutters the inbox of {box.whose(draft)}: file it under "{label["name"]}", out of the inbox.',
    )
    if draft.is_infeasible:
        nobody = f"accounts@{draft.pick('lostmill', 'farquay', 'nohaven')}.example"
        draft.ask(f"The same for what {nobody} wrote.", f"Also file the letter from {nobody} there.")
        draft.block("missing_record", why=f"There is no mail from {nobody} in the mailbox.")
    draft.look("list_labels", userId=box.user)
    for writer, messages in zip(writers, found, strict=True):
        draft.look("list_messages", userId=box.user, q=f"{writer.query(draft)} in:inbox")
        draft.do("batch_modify_messages", userId=box.user, ids=messages, addLabelIds=[label["id"]], removeLabelIds=["INBOX"])


def _has_written(draft: Draft, box: Box, writer: Contact) -> bool:
    sql = f"SELECT count(*) FROM messages WHERE user_id = ? AND ({header_is('From')} OR {header_is('From')})"
    return bool(draft.value(sql, box.key, f"%{writer.email}%", f"%{writer.name}%"))


def _letters(draft: Draft, box: Box, sender: str) -> list[str]:
    count = draft.draw.randint(1, 3)
    return [receive(draft, box, sender, draft.pick(*_SUBJECTS), "Please see to it.")["id"] for _ in range(count)]


@template("email", roles=("owner", "delegate"), rules=("EMAIL-TRASH-FIRST",), traps=("lookalike",), blocked=("missing_record",))
def purge_mail(draft: Draft) -> None:
    """Delete letters for good, which must be in the trash before."""
    (box,) = boxes(draft, "EXISTS (SELECT 1 FROM messages m WHERE m.user_id = u.id)")
    chosen = []
    for contact in contacts(draft, draft.horizon):
        address = contact.email
        subject = f"{draft.pick(*_SUBJECTS)} {draft.draw.randrange(100, 1000)}"
        message = receive(draft, box, contact.sender, subject, "This reached you by mistake, please delete it.")
        if draft.wants_trap("lookalike"):
            other = receive(draft, box, f"{contact.name} <{lookalike(address)}>", subject, "This one is for you.", days=0.2)
            draft.trap("lookalike", message["id"], other["id"])
        facts = [
            (f"from {address}", header_is("From"), (f"%<{address}>",)),
            (f'with the subject "{subject}"', header_is("Subject"), (subject,)),
        ]
        name = f'message "{subject}" from {address}'
        words = told(draft, "messages", box, message["id"], name, facts)
        chosen.append((message["id"], address, words if words.startswith("the ") else f"the {words}"))
    things = draft.listed([words for _, _, words in chosen])
    draft.ask(
        f"Please delete {things} in {box.whose(draft)} for good; not even the trash may hold it afterwards.",
        f"{things[0].upper()}{things[1:]} came to {box.whose(draft)} by mistake: remove {'them' if len(chosen) > 1 else 'it'}"
        " permanently.",
    )
    if draft.is_infeasible:
        missing = f"Draft agreement {draft.draw.randrange(1000, 9999)}"
        draft.ask(f'Likewise the message "{missing}".', f'Delete the message "{missing}" as well.')
        draft.block("missing_record", why=f'There is no message "{missing}" in the mailbox.')
    for key, address, _ in chosen:
        draft.look("list_messages", userId=box.user, q=f"from:{address}")
        draft.oblige(
            "EMAIL-TRASH-FIRST",
            "Put what you delete into the trash first.",
            "trash_message",
            userId=box.user,
            id=key,
        )
        draft.do("delete_message", userId=box.user, id=key)


@template("email", roles=("owner",), traps=("tool_default",), blocked=("policy_conflict",))
def rename_label(draft: Draft) -> None:
    """Rename labels and leave everything else of them as it is, which the tool does not do by itself."""
    (box,) = boxes(draft, f"{_HAS_LABELS} AND (SELECT count(*) FROM labels l WHERE l.user_id = u.id) > 3")
    sql = "SELECT * FROM labels WHERE user_id = ? ORDER BY id"
    chosen = draft.some(sql, box.key, count=min(draft.horizon, 3))
    taken = {row["name"].lower() for row in draft.rows(sql, box.key)}
    plans = []
    for row in chosen:
        shown = draft.pick("labelShowIfUnread", "labelHide") if draft.wants_trap("tool_default") else "labelShow"
        draft.change("labels", row["id"], label_list_visibility=shown, message_list_visibility="show")
        if shown != "labelShow":
            draft.trap("tool_default", shown, "labelShow")
        name = f"{draft.pick('Archive', 'Reference', 'Desk', 'Team')}/{row['name'].rpartition('/')[2]}"
        if name.lower() in taken:
            raise Unfit("the name is taken")
        taken.add(name.lower())
        plans.append((row, shown, name))
    words = draft.listed([f'"{row["name"]}" to "{name}"' for row, _, name in plans])
    many = len(plans) > 1
    draft.ask(
        f"Rename my label{'s' if many else ''} {words}; nothing else about {'them' if many else 'it'} changes.",
        f"Please change the name of my label{'s' if many else ''} {words}, keeping how {'they are' if many else 'it is'} shown.",
    )
    if draft.is_infeasible:
        name = plans[0][2]
        draft.add("labels", scope=box.key, user_id=box.key, name=name.upper())
        draft.block("policy_conflict", why=f"There is a label {name.upper()} already, and names are unique whatever the case.")
    draft.look("list_labels", userId=box.user)
    for row, shown, name in plans:
        if not draft.reasons:
            draft.do("patch_label", userId=box.user, id=row["id"], name=name, labelListVisibility=shown)


@template("email", roles=("owner",), traps=("lookalike",), blocked=("missing_record",))
def sort_by_client(draft: Draft) -> None:
    """Create a label for each of some clients and file their mail under it."""
    (box,) = boxes(draft, _HAS_LABELS)
    plans = []
    for contact in contacts(draft, draft.horizon):
        name = f"Clients/{contact.firm}"
        if _has_written(draft, box, contact) or draft.value(
            "SELECT 1 FROM labels WHERE user_id = ? AND lower(name) = lower(?)", box.key, name
        ):
            raise Unfit("the client is known already")
        if draft.wants_trap("lookalike"):
            (message,) = [receive(draft, box, contact.sender, draft.pick(*_SUBJECTS), "Please see to it.")["id"]]
            fake = f"{contact.name} <{lookalike(contact.email)}>"
            other = receive(draft, box, fake, draft.pick(*_SUBJECTS), "Please open the file.", days=0.2)
            draft.trap("lookalike", message, other["id"])
            plans.append((contact, name, [message]))
        else:
            plans.append((contact, name, sorted(_letters(draft, box, contact.sender))))
    names = draft.listed([f'"{name}"' for _, name, _ in plans])
    people = draft.listed([contact.email for contact, _, _ in plans])
    many = len(plans) > 1
    draft.ask(
        f"Create the label{'s' if many else ''} {names} in my mailbox, shown in the list only while something under"
        f" {'them' if many else 'it'} is unread, and put what {people} wrote under {'the right one' if many else 'it'}.",
        f"I want {names} as {'new labels' if many else 'a new label'} (in the list only if unread), with the mail from {people}"
        f" filed {'under the one of the firm' if many else 'there'}.",
    )
    if draft.is_infeasible:
        nobody = f"sales@{draft.pick('lostmill', 'farquay', 'nohaven')}.example"
        draft.ask(f"Mail from {nobody} goes under the first of them too.", f"Also file the mail from {nobody} there.")
        draft.block("missing_record", why=f"There is no mail from {nobody} in the mailbox.")
    draft.look("list_labels", userId=box.user)
    for contact, name, messages in plans:
        draft.look("list_messages", userId=box.user, q=f"from:{contact.email}")
        label = draft.do("create_label", userId=box.user, name=name, labelListVisibility="labelShowIfUnread")
        for key in messages:
            draft.do("modify_message", userId=box.user, id=key, addLabelIds=[label["id"]])


TEMPLATES = (retire_label, file_mail, purge_mail, rename_label, sort_by_client)
