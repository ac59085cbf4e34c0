"""Wire: what both APIs share in writing and reading messages."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import from_json

from opsgym.core.task import JsonDict

__all__ = ["UNREADABLE", "Count", "Wire", "arguments_object", "arguments_text"]

UNREADABLE = "_unparsed"
"""Key under which arguments that are no JSON object are sent back: servers refuse a conversation that holds such text."""


class Wire(BaseModel):
    """Base of what servers send; fields that are not needed are passed over."""

    model_config = ConfigDict(extra="ignore")


Count = Annotated[int, Field(ge=0), BeforeValidator(lambda value: 0 if value is None else value)]
"""A number of tokens; servers write ``null`` for none."""


def arguments_object(text: str) -> JsonDict:
    """The arguments of a call as a JSON object that can be sent, whatever the model wrote.

    NaN and half surrogates, which Python's own reader lets pass, are no JSON that can be sent.

    >>> arguments_object('{"a": 1}'), arguments_object(""), arguments_object('{"a":')
    ({'a': 1}, {}, {'_unparsed': '{"a":'})
    """
    if not text.strip():
        return {}
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {UNREADABLE: text}


def arguments_text(value: str | JsonDict | None) -> str:
    """The arguments of a call as text, the inverse of :func:`arguments_object`; some servers send an object, some nothing.

    >>> arguments_text({"a": 1}), arguments_text(None), arguments_text({"_unparsed": '{"a":'})
    ('{"a": 1}', '{}', '{"a":')
    """
    if isinstance(value, str):
        return value if value.strip() else "{}"
    value = value or {}
    if list(value) == [UNREADABLE] and isinstance(value[UNREADABLE], str):
        return str(value[UNREADABLE])
    return json.dumps(value, ensure_ascii=False)
