"""Notes on records: messages, and attachments with the documents that a company keeps."""

from __future__ import annotations

import html
from typing import Any

from opsgym.envs.erp_bench.erp.errors import bad_value, clipped, invalid
from opsgym.envs.erp_bench.erp.fields import Char, Datetime, Field, Html, Integer, Many2one, Selection, Text
from opsgym.envs.erp_bench.erp.model import READ_ONLY, Model, public

_SUBTYPES = {"mail.mt_note": 2, "mail.mt_comment": 1}


class MessageSubtype(Model):
    """Kinds of messages: discussions and internal notes."""

    _name = "mail.message.subtype"
    _description = "Message subtypes"
    _access = READ_ONLY

    name = Char("Message Type", required=True)


class Message(Model):
    """Messages in the chatter of a record; written by ``message_post`` of that record."""

    _name = "mail.message"
    _description = "Message"
    _order = "id desc"
    _rec_name = "record_name"
    _names_search = ("record_name", "body")
    _access = READ_ONLY
    _sql_constraints = ("UNIQUE (model, res_id, id)",)

    model = Char("Related Document Model")
    res_id = Integer("Related Document ID")
    record_name = Char("Message Record Name")
    subject = Char()
    body = Html("Contents")
    date = Datetime()
    author_id = Many2one("res.partner", "Author")
    message_type = Selection("comment | notification", "Type")
    subtype_id = Many2one("mail.message.subtype", "Subtype")


class Attachment(Model):
    """Documents of the company, for example its policies; not to be changed."""

    _name = "ir.attachment"
    _description = "Attachment"
    _order = "name, id"
    _access = READ_ONLY
    _names_search = ("name", "description")

    name = Char(required=True)
    description = Text()
    mimetype = Char("Mime Type", default="text/plain")
    index_content = Text("Indexed Content", help="The document's text.")
    res_model = Char("Resource Model")
    res_id = Integer("Resource ID")


def thread_messages(model: str) -> Field:
    """The messages of a record of ``model``, newest first."""
    sql = (
        "(SELECT json_group_array(id) FROM (SELECT msg.id AS id FROM mail_message msg "
        f"WHERE msg.model = '{model}' AND msg.res_id = {{t}}.id ORDER BY msg.id DESC))"
    )
    return Field(type="one2many", comodel="mail.message", inverse="res_id", string="Messages", sql=sql, readonly=True, copy=False)


class Thread(Model):
    """Base of the models whose records carry notes."""

    def __init_subclass__(cls) -> None:
        if cls._name:
            cls.message_ids = thread_messages(cls._name)  # type: ignore[attr-defined]  # a declaration, read by the base
        super().__init_subclass__()

    @public()
    def message_post(
        self,
        ids: list[int],
        body: Any = "",
        subject: Any = None,
        message_type: Any = "notification",
        subtype_xmlid: Any = "mail.mt_note",
    ) -> list[int]:
        """Write a note on one record; answers with the message's id."""
        if len(ids) != 1:
            raise bad_value(f"Expected singleton: {self._name}({', '.join(map(str, ids))})")
        if not isinstance(body, str) or not body.strip():
            raise invalid("A note needs a text: give body.", code="missing_field")
        if not isinstance(subtype_xmlid, str) or subtype_xmlid not in _SUBTYPES:
            raise bad_value(f"External ID not found in the system: {clipped(subtype_xmlid)}")
        text = body if body.lstrip().startswith("<") else f"<p>{html.escape(body, quote=False)}</p>"
        shown = self.read(ids, ["display_name"])[0]["display_name"]
        message = {"model": self._name, "res_id": ids[0], "record_name": shown, "subject": subject, "body": text}
        message |= {"date": self.now(), "author_id": 3, "message_type": message_type, "subtype_id": _SUBTYPES[subtype_xmlid]}
        return [self.erp["mail.message"].create(message)]
