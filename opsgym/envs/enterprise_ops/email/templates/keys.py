"""Tasks on certificates and key pairs."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.draft import Draft
from opsgym.envs.enterprise_ops.email.letters import encoded
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds
from opsgym.envs.enterprise_ops.email.templates.common import boxes, day_end
from opsgym.envs.enterprise_ops.template import Unfit, template

_ENCRYPTS = "EXISTS (SELECT 1 FROM cse_identities i WHERE i.user_id = u.id AND i.primary_key_pair_id IS NOT NULL)"
_ISSUERS = ("Harbor Trust CA", "Northern Root CA", "Meridian Issuing CA", "Quayside CA")


@template("email", roles=("admin",), rules=("EMAIL-KEY-USED",), blocked=("policy_conflict",))
def rotate_key(draft: Draft) -> None:
    """Disable key pairs in use; the identity is given another one first."""
    chosen = boxes(draft, _ENCRYPTS, count=draft.horizon)
    plans = []
    for box in chosen:
        identity = draft.one("SELECT * FROM cse_identities WHERE user_id = ? ORDER BY id", box.key)
        others = [box.email] if not draft.is_infeasible else [f"retired.{box.email}"]
        spare = draft.add(
            "cse_keypairs",
            scope=box.key,
            pkcs7=f"-----BEGIN PKCS7-----\nserial={draft.draw.randrange(10**8):08d}\nemailAddress={others[0]}",
            subject_email_addresses=others,
        )
        plans.append((box, identity, spare["id"]))
    names = draft.listed([box.email for box in chosen])
    many = len(chosen) > 1
    draft.ask(
        f"The key pair{'s' if many else ''} with which {names} encrypt{'' if many else 's'} mail may have leaked. Disable"
        f" {'them' if many else 'it'}; another enabled one is there already{' for each' if many else ''}.",
        f"Turn off the key pair that the encryption identity of {names} uses; a fresh one was uploaded"
        f" {'for each ' if many else ''}lately.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why="The only other enabled key pair does not name the address (EMAIL-IDENTITY-KEY).")
    for box, identity, spare in plans:
        draft.look("list_cse_identities", userId=box.user)
        draft.look("email_list_cse_keypairs", userId=box.user)
        draft.oblige(
            "EMAIL-KEY-USED",
            "Have an identity use the other key pair first.",
            "patch_cse_identity",
            userId=box.user,
            emailAddress=identity["email_address"],
            primaryKeyPairId=spare,
        )
        draft.do("email_disable_cse_keypair", userId=box.user, keyPairId=identity["primary_key_pair_id"])


@template("email", roles=("admin",), traps=("near_date",), blocked=("policy_conflict",))
def destroy_keys(draft: Draft) -> None:
    """Obliterate key pairs that were disabled on a day long enough ago."""
    chosen = boxes(draft, _ENCRYPTS, count=draft.horizon)
    plans = []
    for box in chosen:
        old = draft.rows(
            "SELECT * FROM cse_keypairs WHERE user_id = ? AND enablement_state = 'disabled' AND disable_time < ? ORDER BY id",
            box.key,
            (draft.now - dt.timedelta(days=31)).isoformat(" "),
        )
        if not old:
            raise Unfit("no key pair has been disabled for long")
        plans.append([box, old[0]["id"], old[0]["disable_time"][:10]])
    if draft.wants_trap("near_date"):
        box, key, day = plans[0]
        when = dt.datetime.fromisoformat(f"{day} 09:30:00") - dt.timedelta(days=draft.draw.choice((1, 30, 365)))
        other = draft.add(
            "cse_keypairs",
            scope=box.key,
            pkcs7="-----BEGIN PKCS7-----\nserial=00000001",
            subject_email_addresses=[box.email],
            enablement_state="disabled",
            disable_time=when,
        )
        draft.trap("near_date", key, other["id"])
    if draft.is_infeasible:
        plan = draft.pick(*plans)
        recent = draft.now - dt.timedelta(days=draft.draw.randint(21, 28), hours=1)
        draft.change("cse_keypairs", plan[1], disable_time=recent)
        plan[2] = recent.date().isoformat()
    for box, _, day in plans:
        draft.ask(
            f"Obliterate the key pair of {box.email} that was disabled on {draft.date(day)}.",
            f"The key pair that {box.email} stopped using on {draft.date(day)} (it is disabled) is to be destroyed for good.",
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why="A key pair is disabled for 30 days before it is obliterated (EMAIL-KEY-OBLITERATE).")
    for box, key, _ in plans:
        draft.look("email_list_cse_keypairs", userId=box.user)
        draft.do("email_obliterate_cse_keypair", userId=box.user, keyPairId=key)


@template("email", roles=("admin", "owner"), traps=("near_name",), blocked=("policy_conflict",))
def renew_certificate(draft: Draft) -> None:
    """Add a certificate to an address, sign with it, and delete the expired ones."""
    (box,) = boxes(draft, "EXISTS (SELECT 1 FROM labels l WHERE l.user_id = u.id)")
    alias = draft.one("SELECT * FROM send_as_aliases WHERE user_id = ? AND is_primary", box.key)
    now = milliseconds(draft.now)
    for _ in range(draft.horizon):
        past = str(now - draft.draw.randrange(5, 90) * 86_400_000)
        draft.add(
            "smime_configs",
            scope=box.key,
            alias_id=alias["id"],
            issuer_cn=draft.pick(*_ISSUERS),
            expiration=past,
            pkcs12=encoded(b"old"),
        )
    rows = draft.rows("SELECT * FROM smime_configs WHERE alias_id = ? ORDER BY id", alias["id"])
    expired = [row["id"] for row in rows if int(row["expiration"]) <= now]
    if draft.wants_trap("near_name"):
        valid = draft.add(
            "smime_configs",
            scope=box.key,
            alias_id=alias["id"],
            issuer_cn=draft.row("smime_configs", expired[0])["issuer_cn"],
            expiration=str(now + 3 * 86_400_000),
            pkcs12=encoded(b"soon"),
        )
        draft.trap("near_name", expired[0], valid["id"])
    last = draft.now.date() + dt.timedelta(days=draft.draw.randint(200, 700))
    if draft.is_infeasible:
        last = draft.now.date() - dt.timedelta(days=draft.draw.randint(3, 30))
    issuer = draft.pick(*_ISSUERS)
    package = encoded(f"{box.email}/{draft.draw.randrange(10**6)}".encode())
    draft.ask(
        f'Add an S/MIME certificate of "{issuer}" to the address {box.email}, valid up to and including {draft.date(last)}'
        f" (PKCS #12: {package}), sign with it from now on, and delete the expired ones of that address.",
        f'{box.email} has a new S/MIME certificate: issuer "{issuer}", last day {draft.date(last)}, PKCS #12 {package}. Make it'
        " the default and clear away those of this address that have expired.",
    )
    if draft.is_infeasible:
        draft.block("policy_conflict", why="An expired certificate is not added (EMAIL-SMIME-EXPIRED).")
    draft.look("list_smime_configs", userId=box.user, sendAsEmail=box.email)
    draft.do(
        "insert_smime_config",
        userId=box.user,
        sendAsEmail=box.email,
        issuerCn=issuer,
        expiration=day_end(last),
        pkcs12=package,
        isDefault=True,
    )
    for key in expired:
        draft.do("delete_smime_config", userId=box.user, sendAsEmail=box.email, id=key)


TEMPLATES = (rotate_key, destroy_keys, renew_certificate)
