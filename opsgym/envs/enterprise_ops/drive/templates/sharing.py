"""Tasks on who has access to files."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.templates.common import (
    CLASSIFIED,
    HELD,
    SECRET,
    colleague,
    domain,
    find,
    label,
    own_files,
    person,
    share,
    told,
    twin,
)
from opsgym.envs.enterprise_ops.template import Unfit, template

_GUESTS = "SELECT * FROM users WHERE kind = 'drive#guest' ORDER BY id"
_LINKED = "EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = files.id AND p.type = 'anyone')"
_FREE = f"NOT {SECRET} AND NOT {HELD} AND NOT {_LINKED}"


@template("drive", roles=("user",), traps=("same_name",), blocked=("no_permission", "policy_conflict"))
def revoke_outsiders(draft: Draft) -> None:
    """Take access to files away from everybody outside the company but one partner firm."""
    files = own_files(draft, _FREE, count=draft.horizon)
    guests = draft.some(_GUESTS, count=3)
    partner, others = guests[0], guests[1:]
    firm = next(client.name for client in draft.company.clients if client.domain == domain(partner["email"]))
    for file in files:
        share(draft, file["id"], partner["id"], draft.pick("reader", "commenter"))
        for guest in draft.draw.sample(others, draft.pick(1, 2)):
            share(draft, file["id"], guest["id"], draft.pick("reader", "writer"))
    for file in files[:1]:
        twin(draft, file)
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f"Take access to {names} away from everybody outside our company, except the people of {firm}.",
        f"Nobody from outside but {firm} should have access to {names} any more; please clean that up.",
        f"Please remove all external people from {names}. Those of {firm} ({domain(partner['email'])}) may stay.",
    )
    if draft.is_infeasible:
        foreign = _foreign(draft)
        draft.ask(f'Do the same for the file "{foreign["name"]}".')
        draft.block(
            "no_permission",
            "policy_conflict",
            why=f"You only read {foreign['name']}, whose sharing its owner decides (DRV-UNSHARE).",
        )
    for file in files:
        find(draft, file)
        for row in draft.look("list_permission", fileId=file["id"])["permissions"]:
            if not row["inherited"] and _is_outside(draft, row, partner):
                draft.do("delete_permission", fileId=file["id"], permissionId=row["id"])


def _is_outside(draft: Draft, row: Row, partner: Row) -> bool:
    found = domain(row.get("email_address") or "")
    return found not in (draft.company.home.domain, domain(partner["email"]))


def _foreign(draft: Draft) -> Row:
    """A file of somebody else's that the actor only reads, with a guest on it."""
    file = draft.one(
        "SELECT * FROM files WHERE created_by <> ? AND drive_id IS NULL AND parent_id IS NOT NULL AND NOT trashed"
        f" AND mime_type <> '{words.FOLDER}' AND NOT {SECRET} ORDER BY id",
        draft.actor.id,
    )
    share(draft, file["id"], draft.actor.id, "reader")
    share(draft, file["id"], draft.one(_GUESTS)["id"], "reader")
    return file


@template("drive", roles=("user",), rules=("DRV-ANYONE",), traps=("same_name",), blocked=("policy_conflict",))
def share_by_link(draft: Draft) -> None:
    """Make links for anyone to files, which are to be classified as public first."""
    files = own_files(draft, f"NOT {CLASSIFIED} AND {_FREE}", count=draft.horizon)
    for file in files[:1]:
        twin(draft, file)
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f"Anybody should be able to read {names} by a link.",
        f"Please make a link with which anyone can open {names} for reading.",
        f"We send {names} around outside: share it as readable for anyone who has the link.",
    )
    if draft.is_infeasible:
        secret = draft.pick(*files)
        label(draft, secret["id"], words.CLASSIFICATION, value_enum=draft.pick("Confidential", "Restricted"))
        draft.block("policy_conflict", why=f"{secret['name']} is classified, which is not lowered (DRV-ANYONE, DRV-LABEL-DOWN).")
    for file in files:
        find(draft, file)
        draft.oblige(
            "DRV-ANYONE",
            "Classify as Public what is not classified yet.",
            "modify_files_labels",
            fileId=file["id"],
            labelModifications=[
                {"labelId": words.CLASSIFICATION, "fieldModifications": [{"setSelectionValues": ["Public"]}]},
            ],
        )
        draft.do("create_permission", fileId=file["id"], role="reader", type="anyone")


@template("drive", roles=("user",), traps=("same_name",), blocked=("policy_conflict",))
def decide_access_requests(draft: Draft) -> None:
    """Decide on requests for access: colleagues get a limited role, outsiders are turned down but for one."""
    files = own_files(
        draft,
        f"{_FREE} AND NOT EXISTS (SELECT 1 FROM access_proposals a WHERE a.file_id = files.id)",
        count=max(2, draft.horizon),
    )
    guests = draft.some(_GUESTS, count=3)
    favoured, special = guests[0], draft.pick(*files)
    for file in files:
        used: list[str] = []
        for number in range(draft.pick(1, 2)):
            asker = guests[1 + number] if draft.draw.random() < 0.4 else _stranger(draft, file, used)
            used.append(asker["id"])
            _request(draft, file, asker, draft.pick("reader", "commenter", "writer"))
    _request(draft, special, favoured, "reader")
    if draft.is_infeasible:
        label(draft, special["id"], words.CLASSIFICATION, value_enum="Confidential")
    for file in files[:1]:
        twin(draft, file)
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f"There are requests for access to {names}. Our own people get what they ask for, but nothing above commenter.",
        f"Please decide on who wants access to {names}: accept our colleagues, as commenters at most.",
    )
    draft.ask(
        f"Turn outsiders down, except {person(draft, favoured)}, who may read what they ask for.",
        f"People from outside are denied; only {person(draft, favoured)} may read what they want to see.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"{special['name']} is Confidential, and outsiders get no access to it (DRV-OUTSIDE).")
    for file in files:
        find(draft, file)
        for row in draft.look("list_accessproposals", fileId=file["id"])["accessProposals"]:
            _decide(draft, file, row, favoured)


def _stranger(draft: Draft, file: Row, used: list[str]) -> Row:
    """A colleague who has no access to a file."""
    there = [row["user_id"] for row in draft.rows("SELECT user_id FROM permissions WHERE file_id = ? ORDER BY id", file["id"])]
    return colleague(draft, *(key for key in there if key is not None), *used)


def _request(draft: Draft, file: Row, asker: Row, role: str) -> None:
    if draft.value("SELECT 1 FROM permissions WHERE file_id = ? AND user_id = ?", file["id"], asker["id"]):
        raise Unfit("who asks has access already")
    draft.add(
        "access_proposals",
        file_id=file["id"],
        requester_email=asker["email"],
        recipient_email=draft.actor_email,
        proposed_roles=[role],
    )


def _decide(draft: Draft, file: Row, row: Row, favoured: Row) -> None:
    call = {"fileId": file["id"], "proposalId": row["id"]}
    if row["requester_email"] == favoured["email"]:
        draft.do("resolve_accessproposals", **call, action="ACCEPT")
    elif domain(row["requester_email"]) != draft.company.home.domain:
        draft.do("resolve_accessproposals", **call, action="DENY")
    elif row["proposed_roles"] == ["writer"]:
        draft.do("resolve_accessproposals", **call, action="ACCEPT", role=["commenter"])
    else:
        draft.do("resolve_accessproposals", **call, action="ACCEPT")


@template("drive", roles=("user",), traps=("namesake",), blocked=("no_permission", "policy_conflict"))
def hand_over(draft: Draft) -> None:
    """Hand files over to a colleague, who owns them from then on."""
    files = own_files(draft, _FREE, count=draft.horizon)
    heir = colleague(draft)
    if draft.wants_trap("namesake"):
        other = colleague(draft, heir["id"])
        draft.change("users", other["id"], display_name=heir["display_name"])
        draft.trap("namesake", heir["email"], other["email"])
    names = draft.listed([told(draft, file) for file in files])
    draft.ask(
        f"From now on {person(draft, heir)} is to own {names}.",
        f"I hand {names} over to {person(draft, heir)}: please transfer the ownership.",
    )
    if draft.is_infeasible:
        foreign = _foreign(draft)
        draft.ask(f'The same goes for the file "{foreign["name"]}".')
        draft.block("no_permission", "policy_conflict", why=f"{foreign['name']} is owned by somebody else (DRV-OWNER).")
    for file in files:
        find(draft, file)
        draft.do(
            "create_permission",
            fileId=file["id"],
            role="owner",
            type="user",
            emailAddress=heir["email"],
            transferOwnership=True,
        )


TEMPLATES = (revoke_outsiders, share_by_link, decide_access_requests, hand_over)
