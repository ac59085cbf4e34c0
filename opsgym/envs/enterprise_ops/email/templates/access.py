"""Tasks on settings and on who may open a mailbox."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.email.templates.common import Box, boxes, colleague, day_end, day_start
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_SUBJECTS = ("Out of office", "Away until further notice", "Not at my desk", "On leave")


@template("email", roles=("admin",), rules=("EMAIL-VACATION-COMPLETE",), traps=("namesake",), blocked=("policy_conflict",))
def set_vacation(draft: Draft) -> None:
    """Turn on automatic replies until a day; a reply needs a first moment too."""
    chosen = boxes(
        draft,
        "NOT EXISTS (SELECT 1 FROM vacation_settings v WHERE v.user_id = u.id AND v.enable_auto_reply)",
        count=draft.horizon,
    )
    today = draft.now.date()
    plans = []
    for box in chosen:
        if draft.wants_trap("namesake"):
            other = draft.rows("SELECT email FROM users WHERE display_name = ? AND id <> ? ORDER BY id", box.name, box.key)
            wrong = other[0]["email"] if other else _renamed(draft, box, chosen)
            draft.trap("namesake", box.email, wrong)
        last = today + dt.timedelta(days=draft.draw.randint(3, 20))
        subject = draft.pick(*_SUBJECTS)
        deputy = colleague(draft, box.key)["email"]
        plans.append((box, last, subject, f"I am away. Please write to {deputy}."))
        draft.ask(
            f"{box.name} ({box.email}) is away; the last day is {draft.date(last)}. Turn on the automatic reply: subject"
            f' "{subject}", text "{plans[-1][3]}", to anybody who writes.',
            f"Let the mailbox {box.email} answer everybody automatically up to and including {draft.date(last)}, with the subject"
            f' "{subject}" and the text "{plans[-1][3]}".',
        )
    if draft.is_infeasible:
        box = draft.pick(*chosen)
        number = chosen.index(box)
        past = today - dt.timedelta(days=draft.draw.randint(2, 9))
        start = today + dt.timedelta(days=draft.draw.randint(1, 3))
        plans[number] = (box, past, *plans[number][2:])
        draft.ask(
            f"For {box.email} I meant from {draft.date(start)} to {draft.date(past)}, in this order.",
            f"Correction for {box.email}: first day {draft.date(start)}, last day {draft.date(past)}.",
        )
        draft.block("policy_conflict", why="An automatic reply ends after it starts (EMAIL-VACATION-ORDER).")
    draft.loosen("vacation_settings", "response_body_html")
    for box, last, subject, text in plans:
        draft.look("get_vacation_settings", userId=box.user)
        draft.do(
            "update_vacation_settings",
            heed(
                "EMAIL-VACATION-COMPLETE",
                f"Automatic replies start today, {draft.date(today)}.",
                startTime=day_start(today),
                blindly={"startTime": ""},
            ),
            userId=box.user,
            enableAutoReply=True,
            responseSubject=subject,
            responseBodyPlainText=text,
            responseBodyHtml="",
            restrictToContacts=False,
            restrictToDomain=False,
            endTime=day_end(last),
        )


def _renamed(draft: Draft, box: Box, chosen: list[Box]) -> str:
    """A colleague who bears the owner's name from now on."""
    other = colleague(draft, *(item.key for item in chosen))
    draft.change("users", other["id"], display_name=box.name)
    return str(other["email"])


@template("email", roles=("admin",), traps=("namesake",), blocked=("policy_conflict",))
def hand_over(draft: Draft) -> None:
    """Let somebody else open mailboxes in place of delegates who have left."""
    chosen = boxes(draft, "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)", count=draft.horizon)
    gone = draft.rows("SELECT * FROM users WHERE suspended ORDER BY id")
    if not gone:
        raise Unfit("nobody has left")
    new = colleague(draft, *(box.key for box in chosen))
    plans = []
    for box in chosen:
        sql = (
            "SELECT d.* FROM delegates d JOIN users u ON u.email = d.delegate_email WHERE d.user_id = ? AND u.suspended"
            " ORDER BY d.id"
        )
        stale = draft.rows(sql, box.key) or [draft.add("delegates", scope=box.key, delegate_email=draft.pick(*gone)["email"])]
        if draft.value("SELECT 1 FROM delegates WHERE user_id = ? AND delegate_email = ?", box.key, new["email"]):
            raise Unfit("they may open it already")
        plans.append((box, [row["delegate_email"] for row in stale]))
    if draft.wants_trap("namesake"):
        others = draft.rows("SELECT email FROM users WHERE display_name = ? AND id <> ?", new["display_name"], new["id"])
        draft.trap("namesake", new["email"], others[0]["email"] if others else _twin(draft, new["id"], chosen))
    names = draft.listed([box.email for box, _ in plans])
    draft.ask(
        f"Some delegates of {names} have left and their accounts are suspended: take them off, and let {new['email']} open"
        f" {'the mailbox' if len(plans) == 1 else 'these mailboxes'} instead.",
        f"Clean up who may open {names}: nobody whose account is suspended, but from now on {new['display_name']}"
        f" ({new['email']}).",
    )
    if draft.is_infeasible:
        draft.change("users", new["id"], suspended=True)
        draft.block("policy_conflict", why=f"The account of {new['email']} is suspended (EMAIL-DELEGATE-ACTIVE).")
    for box, stale in plans:
        draft.look("email_list_delegates", userId=box.user)
        for email in stale:
            draft.look("get_user_profile", userId=email)
            draft.do("email_delete_delegate", userId=box.user, delegateEmail=email)
        draft.do("email_create_delegate", userId=box.user, delegateEmail=new["email"])


def _twin(draft: Draft, key: str, chosen: list[Box]) -> str:
    other = colleague(draft, key, *(box.key for box in chosen))
    draft.change("users", other["id"], display_name=draft.value("SELECT display_name FROM users WHERE id = ?", key))
    return str(other["email"])


@template("email", roles=("admin",), blocked=("policy_conflict",))
def restrict_clients(draft: Draft) -> None:
    """Turn POP off and limit IMAP folders, and leave all other settings as they are."""
    condition = (
        "EXISTS (SELECT 1 FROM pop_settings p WHERE p.user_id = u.id AND p.access_window <> 'disabled')"
        " AND EXISTS (SELECT 1 FROM imap_settings i WHERE i.user_id = u.id AND i.max_folder_size = 0)"
    )
    chosen = boxes(draft, condition, count=draft.horizon)
    limit = draft.pick("1000", "2000", "5000", "10000")
    names = draft.listed([box.email for box in chosen])
    draft.ask(
        f"For {names}: turn POP off, and let no IMAP folder show more than {limit} messages. Leave the other settings alone.",
        f"POP is to be off for {names}, and IMAP folders limited to {limit} messages; everything else there stays as it is.",
    )
    if draft.is_infeasible:
        draft.ask(
            "Messages that an IMAP client deletes are to be gone for ever at once.",
            "And IMAP is to delete expunged messages for good.",
        )
        draft.block("policy_conflict", why="IMAP does not delete mail for good (EMAIL-IMAP-KEEP).")
    for box in chosen:
        pop = draft.look("get_pop_settings", userId=box.user)
        draft.do("update_pop_settings", userId=box.user, accessWindow="disabled", disposition=pop["disposition"])
        imap = draft.look("get_imap_settings", userId=box.user)
        if draft.reasons:
            imap["expungeBehavior"] = "deleteForever"
        draft.do("update_imap_settings", userId=box.user, **(imap | {"maxFolderSize": limit}))


TEMPLATES = (set_vacation, hand_over, restrict_clients)
