"""Policy of Email: rights, the lifecycle of key pairs, and rules.

Source: facts of the Gmail API that the published policy of EnterpriseOps-Gym's Email tasks repeats, in our words; what keeps
mail from being lost or from leaving the organization unseen is ours.
"""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.email.words import KEY_DAYS, MAX_DELEGATES, MAX_FILTERS, MAX_SIZE, WATCH_DAYS

RIGHTS = Rights(
    {
        "owner": {
            "mail": "crud",
            "labels": "crud",
            "filters": "crud",
            "forwarding": "crud",
            "sending": "crud",
            "smime": "crud",
            "settings": "crud",
            "watches": "crud",
            "*": "read",
        },
        "delegate": {"mail": "crud", "labels": "read", "profiles": "read", "history": "read", "sending": "read"},
        "admin": {"mail": "read", "profiles": "read", "history": "read", "*": "crud"},
    }
)

LIFECYCLES = (
    Lifecycle(
        "EMAIL-KEY",
        "cse_keypairs",
        "enablement_state",
        start=("enabled",),
        moves={"enabled": ("disabled",), "disabled": ("enabled",)},
        stamps={"disabled": "disable_time"},
    ),
)

_NOW = "(julianday(:now) - 2440587.5) * 86400000"
_HOST = "lower(substr({0}, instr({0}, '@') + 1))"
_OUTSIDE = f"{_HOST} NOT IN (SELECT {_HOST.format('u.email')} FROM users u WHERE NOT u.suspended)"
_ACCEPTED = (
    "EXISTS (SELECT 1 FROM forwarding_addresses f WHERE f.user_id = new.user_id AND f.forwarding_email = lower({0})"
    " AND f.verification_status = 'accepted')"
)
_FORWARD = "json_extract(new.action_json, '$.forward')"
_USED = (
    "EXISTS (SELECT 1 FROM auto_forwarding a WHERE a.user_id = old.user_id AND a.enabled"
    " AND a.email_address = old.forwarding_email)"
    " OR EXISTS (SELECT 1 FROM filters f WHERE f.user_id = old.user_id"
    " AND lower(json_extract(f.action_json, '$.forward')) = old.forwarding_email)"
)
_LEAVES = "new.label_id IN ('SENT', 'DRAFT')"
_FROM = (
    "EXISTS (SELECT 1 FROM messages m JOIN message_headers h ON h.message_id = m.id AND h.name = 'From'"
    " JOIN send_as_aliases a ON a.user_id = m.user_id AND a.verification_status = 'accepted'"
    " WHERE m.id = new.message_id AND (lower(h.value) = a.send_as_email"
    " OR lower(h.value) LIKE '%<' || a.send_as_email || '>'))"
)
_HEADER = "EXISTS (SELECT 1 FROM message_headers h WHERE h.message_id = new.message_id AND h.name IN ({0}) AND h.value <> '')"
_KEYS = "({0}.primary_key_pair_id, {0}.signing_key_pair_id, {0}.encryption_key_pair_id)"
_STEP = "0"
"""No end state shows it: what counts is the moment of the step."""

RULES = (
    Rule(
        "EMAIL-TRASH-FIRST",
        "A message is deleted for good only from the trash; drafts are excepted.",
        "messages",
        "NOT EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = old.id AND l.label_id IN ('TRASH', 'DRAFT'))",
        end=_STEP,
        on=("delete",),
        section="messages",
    ),
    Rule(
        "EMAIL-SEND-FROM",
        "Mail is written and sent only from the primary address or from a verified address to send from.",
        "message_labels",
        f"{_LEAVES} AND NOT {_FROM}",
        end=_STEP,
        on=("create",),
        section="messages",
    ),
    Rule(
        "EMAIL-SEND-COMPLETE",
        "Mail that is sent has a recipient and a subject.",
        "message_labels",
        f"new.label_id = 'SENT' AND NOT ({_HEADER.format(repr('To'))} AND {_HEADER.format(repr('Subject'))})",
        end=_STEP,
        on=("create",),
        section="messages",
    ),
    Rule(
        "EMAIL-LABEL-USED",
        "A label is deleted only when no message bears it; messages are relabelled first.",
        "labels",
        "old.messages_total > 0",
        end=_STEP,
        on=("delete",),
        section="labels",
    ),
    Rule(
        "EMAIL-FILTER-FORWARD",
        "A filter forwards only to an accepted forwarding address of the mailbox.",
        "filters",
        f"{_FORWARD} IS NOT NULL AND NOT {_ACCEPTED.format(_FORWARD)}",
        section="filters",
    ),
    Rule(
        "EMAIL-FILTER-KEEP",
        "A filter does not move mail to the trash or to spam.",
        "filters",
        "EXISTS (SELECT 1 FROM json_each(new.action_json, '$.addLabelIds') j WHERE j.value IN ('TRASH', 'SPAM'))",
        section="filters",
    ),
    Rule(
        "EMAIL-FILTER-LIMIT",
        f"A mailbox has at most {MAX_FILTERS:,} filters.",
        "filters",
        f"(SELECT count(*) FROM filters f WHERE f.user_id = new.user_id) > {MAX_FILTERS}",
        end=_STEP,
        section="filters",
    ),
    Rule(
        "EMAIL-FORWARD-INSIDE",
        "New forwarding addresses belong to the organization: the part after the @ is that of its users.",
        "forwarding_addresses",
        _OUTSIDE.format("new.forwarding_email"),
        on=("create",),
        section="forwarding",
    ),
    Rule(
        "EMAIL-FORWARD-USED",
        "A forwarding address is deleted only when no filter and no automatic forwarding uses it.",
        "forwarding_addresses",
        _USED,
        end=_USED,  # at the moment of the step and in the end
        on=("delete",),
        section="forwarding",
    ),
    Rule(
        "EMAIL-AUTO-ACCEPTED",
        "All mail is forwarded only to an accepted forwarding address of the mailbox.",
        "auto_forwarding",
        f"new.enabled AND NOT {_ACCEPTED.format('new.email_address')}",
        section="forwarding",
    ),
    Rule(
        "EMAIL-AUTO-KEEP",
        "Mail that is forwarded stays here too: automatic forwarding does not trash it.",
        "auto_forwarding",
        "new.enabled AND new.disposition = 'trash'",
        section="forwarding",
    ),
    Rule(
        "EMAIL-ALIAS-DEFAULT",
        "Only a verified address to send from is made the default.",
        "send_as_aliases",
        "new.is_default AND new.verification_status <> 'accepted'",
        section="addresses to send from",
    ),
    Rule(
        "EMAIL-ALIAS-REPLY",
        "Answers go to addresses of the organization.",
        "send_as_aliases",
        f"new.reply_to_address IS NOT NULL AND {_OUTSIDE.format('new.reply_to_address')}",
        section="addresses to send from",
    ),
    Rule(
        "EMAIL-SMIME-COMPLETE",
        "An S/MIME certificate comes with its private key in PKCS #12.",
        "smime_configs",
        "coalesce(new.pkcs12, '') = ''",
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-SMIME-EXPIRED",
        "An expired S/MIME certificate is neither added nor made the default.",
        "smime_configs",
        f"CAST(new.expiration AS INTEGER) <= {_NOW} AND (old.id IS NULL OR (new.is_default AND NOT old.is_default))",
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-KEY-USED",
        "A key pair is disabled only when no identity uses it; the identity is given another one first.",
        "cse_keypairs",
        f"new.enablement_state = 'disabled' AND EXISTS (SELECT 1 FROM cse_identities i WHERE new.id IN {_KEYS.format('i')})",
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-KEY-OBLITERATE",
        f"A key pair is obliterated only after it has been disabled for {KEY_DAYS} days.",
        "cse_keypairs",
        f"old.enablement_state <> 'disabled' OR coalesce(julianday(:now) - julianday(old.disable_time), 0) < {KEY_DAYS} - 1e-9",
        end=_STEP,
        on=("delete",),
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-IDENTITY-KEY",
        "An identity uses enabled key pairs that name its address.",
        "cse_identities",
        f"EXISTS (SELECT 1 FROM cse_keypairs k WHERE k.id IN {_KEYS.format('new')} AND (k.enablement_state <> 'enabled'"
        " OR new.email_address NOT IN (SELECT lower(j.value) FROM json_each(k.subject_email_addresses) j)))",
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-IDENTITY-ADDRESS",
        "An identity's address is one from which the mailbox may send.",
        "cse_identities",
        "NOT EXISTS (SELECT 1 FROM send_as_aliases a WHERE a.user_id = new.user_id AND a.send_as_email = new.email_address"
        " AND a.verification_status = 'accepted')",
        section="certificates and keys",
    ),
    Rule(
        "EMAIL-DELEGATE-ACTIVE",
        "A delegate is another user, whose account is not suspended.",
        "delegates",
        "EXISTS (SELECT 1 FROM users u WHERE u.email = new.delegate_email AND (u.suspended OR u.id = new.user_id))",
        on=("create",),
        section="delegates",
    ),
    Rule(
        "EMAIL-DELEGATE-LIMIT",
        f"A mailbox has at most {MAX_DELEGATES} delegates.",
        "delegates",
        f"(SELECT count(*) FROM delegates d WHERE d.user_id = new.user_id) > {MAX_DELEGATES}",
        end=_STEP,
        section="delegates",
    ),
    Rule(
        "EMAIL-VACATION-COMPLETE",
        "An automatic reply has a text or a subject, and a first moment.",
        "vacation_settings",
        "new.enable_auto_reply AND (coalesce(new.start_time, '') = '' OR coalesce(new.response_subject, '') ||"
        " coalesce(new.response_body_plain_text, '') || coalesce(new.response_body_html, '') = '')",
        section="settings",
    ),
    Rule(
        "EMAIL-VACATION-ORDER",
        "An automatic reply ends after it starts.",
        "vacation_settings",
        "coalesce(new.start_time, '') <> '' AND coalesce(new.end_time, '') <> ''"
        " AND CAST(new.end_time AS INTEGER) <= CAST(new.start_time AS INTEGER)",
        section="settings",
    ),
    Rule(
        "EMAIL-IMAP-KEEP",
        "IMAP does not delete mail for good: expunged messages go to the archive or to the trash.",
        "imap_settings",
        "new.expunge_behavior = 'deleteForever'",
        section="settings",
    ),
    Rule(
        "EMAIL-POP-KEEP",
        "POP does not trash mail that was read.",
        "pop_settings",
        "new.disposition = 'trash' AND new.access_window <> 'disabled'",
        section="settings",
    ),
)

NOTES = {
    "conduct": (
        "Look up who you act for and what there is before you change anything.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Never make up keys, addresses or times: look them up.",
    ),
    "mailboxes": (
        "An owner opens only their own mailbox, a delegate also those whose owner has accepted them, an admin every one.",
        "A delegate works with mail and labels on it, not with settings; an admin changes settings, but no mail.",
        "Times in settings are text: milliseconds since 1970-01-01 00:00 UTC. A day given without a time starts at 00:00 UTC;"
        " a last day ends at 23:59:59 UTC.",
    ),
    "messages": (
        "Prefer the trash to deletion.",
        f"A message is at most {MAX_SIZE // 1024 // 1024} MB.",
        "The text of a body is given as it is, the content of a file as base64url.",
    ),
    "labels": ("System labels are not changed or deleted.", "Names of labels are unique in a mailbox, whatever the case."),
    "addresses to send from": ("A new address to send from is pending until it is verified; verify only what is pending.",),
    "settings": (f"A watch lasts {WATCH_DAYS} days.",),
}
