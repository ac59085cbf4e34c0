"""Tasks on filters and forwarding."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.email.templates.common import Box, boxes, colleague, contacts, lookalike, receive
from opsgym.envs.enterprise_ops.template import Unfit, template


@template("email", roles=("admin", "owner"), rules=("EMAIL-FORWARD-USED",), traps=("lookalike",), blocked=("missing_record",))
def stop_forwarding(draft: Draft) -> None:
    """Delete forwarding addresses; filters that forward to them go first."""
    (box,) = boxes(draft, "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)")
    gone = []
    for number in range(draft.horizon):
        host = draft.pick("postbox", "mailhaven", "letterbox", "parcelway")
        address = f"{box.email.split('.')[0]}.{draft.pick('home', 'private', 'own')}{number or ''}@{host}.example"
        taken = "SELECT 1 FROM forwarding_addresses WHERE user_id = ? AND forwarding_email = ?"
        if draft.value(taken, box.key, address):
            raise Unfit("the address is taken")
        draft.add("forwarding_addresses", scope=box.key, forwarding_email=address, verification_status="accepted")
        if draft.wants_trap("lookalike"):
            near = lookalike(address)
            draft.add("forwarding_addresses", scope=box.key, forwarding_email=near, verification_status="accepted")
            draft.trap("lookalike", address, near)
        filters = []
        for contact in contacts(draft, draft.draw.randint(1, 2)):
            criteria = {"from": contact.email}
            row = draft.add("filters", scope=box.key, criteria_json=criteria, action_json={"forward": address})
            filters.append(row["id"])
        gone.append((address, filters))
    addresses = draft.listed([address for address, _ in gone])
    many = len(gone) > 1
    draft.ask(
        f"Nothing from {box.whose(draft)} may be forwarded to {addresses} any more: delete {'these' if many else 'the address'}"
        " from the forwarding addresses.",
        f"Please remove {addresses} as {'forwarding addresses' if many else 'a forwarding address'} of {box.whose(draft)}.",
    )
    if draft.is_infeasible:
        missing = f"archive{draft.draw.randrange(10, 99)}@oldpost.example"
        draft.ask(f"The same goes for {missing}.", f"Remove {missing} there too.")
        draft.block("missing_record", why=f"{missing} is no forwarding address of the mailbox.")
    draft.look("list_forwarding_addresses", userId=box.user)
    draft.look("list_filters", userId=box.user)
    draft.look("get_auto_forwarding", userId=box.user)
    for address, filters in gone:
        for key in filters:
            draft.oblige(
                "EMAIL-FORWARD-USED",
                "Delete filters that forward to an address before you delete it.",
                "delete_filter",
                userId=box.user,
                id=key,
            )
        draft.do("delete_forwarding_address", userId=box.user, forwardingEmail=address)


@template("email", roles=("owner",), traps=("near_name",), blocked=("policy_conflict",))
def filter_mail(draft: Draft) -> None:
    """Create filters that file and forward mail of certain firms."""
    (box,) = boxes(draft, "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)")
    label = draft.one("SELECT * FROM labels WHERE user_id = ? ORDER BY id", box.key)
    if draft.wants_trap("near_name"):
        name = draft.pick(f"{label['name']} (old)", f"Old {label['name']}")
        other = draft.add("labels", scope=box.key, user_id=box.key, name=name)
        draft.trap("near_name", label["id"], other["id"])
    other = colleague(draft, box.key)
    sql = "SELECT * FROM forwarding_addresses WHERE user_id = ? AND forwarding_email = ?"
    known = draft.rows(sql, box.key, other["email"])
    status = "pending" if draft.is_infeasible else "accepted"
    if known:
        draft.change("forwarding_addresses", known[0]["id"], verification_status=status)
    else:
        draft.add("forwarding_addresses", scope=box.key, forwarding_email=other["email"], verification_status=status)
    firms = draft.draw.sample(list(draft.company.clients), min(draft.horizon, len(draft.company.clients)))
    hosts = [firm.domain for firm in firms]
    if draft.value("SELECT count(*) FROM filters WHERE user_id = ? AND criteria_json LIKE ?", box.key, f"%{hosts[0]}%"):
        raise Unfit("there is a filter on the firm already")
    if draft.conditions <= 1:
        senders = "these senders: " + draft.listed([f'"@{host}"' for host in hosts])
    else:
        senders = "each of these firms (by the @ and what follows it in their addresses): "
        senders += draft.listed([firm.name for firm in firms])
        for firm in firms:
            first, last, address, _ = firm.contacts[0]
            receive(draft, box, f"{first} {last} <{address}>", f"News from {firm.name}", "We have moved.")
    draft.ask(
        f'Set up one filter on the sender for {senders}. What they send gets the label "{label["name"]}", skips the inbox, and is'
        f" forwarded to {other['email']}.",
        f'One filter on the sender for {senders}: their mail is archived under "{label["name"]}" at once, with a copy forwarded'
        f" to {other['email']}.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{other['email']} has not accepted forwarding (EMAIL-FILTER-FORWARD).")
    draft.look("list_labels", userId=box.user)
    draft.look("get_forwarding_address", userId=box.user, forwardingEmail=other["email"])
    for host in hosts:
        action = {"addLabelIds": [label["id"]], "removeLabelIds": ["INBOX"], "forward": other["email"]}
        draft.do("create_filter", userId=box.user, criteria={"from": f"@{host}"}, action=action)


@template("email", roles=("admin",), traps=("namesake",), blocked=("policy_conflict",))
def forward_all(draft: Draft) -> None:
    """Forward all mail of somebody to a colleague who has accepted it."""
    chosen = boxes(
        draft, "NOT EXISTS (SELECT 1 FROM auto_forwarding a WHERE a.user_id = u.id AND a.enabled)", count=draft.horizon
    )
    pairs = []
    for box in chosen:
        other = colleague(draft, *(item.key for item in chosen))
        known = draft.rows(
            "SELECT * FROM forwarding_addresses WHERE user_id = ? AND forwarding_email = ?", box.key, other["email"]
        )
        if known:
            draft.change("forwarding_addresses", known[0]["id"], verification_status="accepted")
        else:
            draft.add("forwarding_addresses", scope=box.key, forwarding_email=other["email"], verification_status="accepted")
        if draft.wants_trap("namesake"):
            name, host = other["email"].split("@")
            near = f"{name}{draft.draw.randrange(2, 9)}@{host}"
            draft.add("forwarding_addresses", scope=box.key, forwarding_email=near, verification_status="accepted")
            draft.trap("namesake", other["email"], near)
        wish, disposition = draft.pick(
            ("leave it in the inbox", "leaveInInbox"),
            ("archive it there", "archive"),
            ("mark it as read there", "markRead"),
        )
        pairs.append((box, other["email"], disposition))
        draft.ask(
            f"Forward all mail of {box.whose(draft)} to {other['email']}, and {wish}.",
            f"All that reaches {box.email} is to go to {other['email']} as well; {wish}.",
        )
    if draft.is_infeasible:
        box, email, _ = draft.pick(*pairs)
        row = draft.one(
            "SELECT * FROM forwarding_addresses WHERE user_id = ? AND forwarding_email = ? ORDER BY id", box.key, email
        )
        draft.change("forwarding_addresses", row["id"], verification_status="pending")
        draft.block("policy_conflict", why=f"{email} has not accepted forwarding from {box.email} (EMAIL-AUTO-ACCEPTED).")
    for box, email, disposition in pairs:
        draft.look("list_forwarding_addresses", userId=box.user)
        draft.do("update_auto_forwarding", userId=box.user, enabled=True, emailAddress=email, disposition=disposition)


@template("email", roles=("admin",), traps=("lookalike",), blocked=("missing_record",))
def report_forwarding(draft: Draft) -> None:
    """Tell which addresses outside the organization filters of some mailboxes forward to."""
    chosen = boxes(draft, "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)", count=min(draft.horizon + 1, 5))
    host = draft.company.home.domain
    for number, box in enumerate(chosen):
        outside = (
            f"{box.email.split('.')[0]}{draft.draw.randrange(10, 99)}@{draft.pick('postbox', 'parcelway', 'quickpost')}.example"
        )
        if number == 0 or draft.draw.random() < 0.5:
            _forwards(draft, box, outside)
        inside = colleague(draft, box.key)["email"]
        if draft.value("SELECT 1 FROM forwarding_addresses WHERE user_id = ? AND forwarding_email = ?", box.key, inside) is None:
            _forwards(draft, box, inside)
        if draft.wants_trap("lookalike"):
            near = lookalike(inside)
            _forwards(draft, box, near)
            draft.trap("lookalike", near, inside)
    marks = ", ".join("?" * len(chosen))
    sql = f"SELECT DISTINCT json_extract(action_json, '$.forward') AS email FROM filters WHERE user_id IN ({marks}) ORDER BY 1"
    found = [row["email"] for row in draft.rows(sql, *(box.key for box in chosen)) if row["email"]]
    outside_all = [email for email in found if not email.endswith(f"@{host}")]
    names = draft.listed([box.email for box in chosen])
    draft.ask(
        f"Which addresses outside our organization do filters of {names} forward mail to? Answer with the addresses only.",
        f"Check the filters of {names} and name every address they forward to that is not one of ours, and no other address.",
    )
    if draft.is_infeasible:
        nobody = f"{draft.pick('info', 'desk', 'office')}{draft.draw.randrange(100, 999)}@{host}"
        draft.ask(f"Include the mailbox {nobody}.", f"Do the same for the mailbox {nobody}.")
        draft.block("missing_record", why=f"There is no mailbox {nobody}.")
    for box in chosen:
        draft.look("list_filters", userId=box.user)
    draft.answer(*outside_all, without=[email for email in found if email not in outside_all])


def _forwards(draft: Draft, box: Box, email: str) -> None:
    """A filter that forwards some mail to an accepted address."""
    draft.add("forwarding_addresses", scope=box.key, forwarding_email=email, verification_status="accepted")
    (contact,) = contacts(draft, 1)
    draft.add("filters", scope=box.key, criteria_json={"from": contact.email}, action_json={"forward": email})


TEMPLATES = (stop_forwarding, filter_mail, forward_all, report_forwarding)
