"""Actions: what agents emit, read into tool calls.

    whole JSON      {"name": ..., "arguments": {...}}, a list of calls, an OpenAI message with ``tool_calls``
    tags            <tool_call>{...}</tool_call>, as many as there are
    ReAct           Action: name / Action Input: {...}, up to the first Observation:
    free text       prose, fences and blank space around one or more JSON calls
    in process      ToolCall, dict, or a list of them

:func:`parse_actions` never raises: a piece that cannot be read comes back as a :class:`MalformedAction` in
its place among the calls, so that the calls around it are still carried out and the agent learns what to mend.
A JSON text is read whole before anything else is looked for, and after a broken piece reading resumes only at
the next closing tag or at a line that begins with a call: text quoted inside an argument is never taken for a call.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from opsgym.core.errors import ToolError
from opsgym.core.task import JsonDict, ToolCall

__all__ = ["EXAMPLE", "MALFORMED_KINDS", "MalformedAction", "MalformedKind", "ParsedAction", "parse_actions"]

MalformedKind = Literal[
    "empty",
    "unsupported_type",
    "no_call",
    "bad_json",
    "cut_off",
    "duplicate_key",
    "bad_number",
    "bad_text",
    "too_deep",
    "too_large",
    "too_many_calls",
    "double_encoded_call",
    "double_encoded_arguments",
    "bad_call",
    "missing_name",
    "bad_name",
    "stray_keys",
    "bad_arguments",
]
"""Closed vocabulary of what can be wrong with an action before any tool sees it."""

MALFORMED_KINDS: tuple[MalformedKind, ...] = get_args(MalformedKind)

EXAMPLE = '{"name": "tool_name", "arguments": {"argument": "value"}}'
"""A valid call, as the hint of every :class:`MalformedAction` shows it."""

MAX_CALLS = 64
MAX_CHARS = 1_000_000
MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_BROKEN = 64
"""Bounds of one action: calls, characters, nesting of the arguments, values in them, and broken pieces of a text after
which the rest is not read."""

_MESSAGES: dict[MalformedKind, str] = {
    "empty": "The action is empty: it holds no tool call.",
    "unsupported_type": "Expected text, a tool call or a list of tool calls, got {given}.",
    "no_call": "There is no tool call in the text.",
    "bad_json": "Not valid JSON at {spot}: {reason}.",
    "cut_off": "The JSON ends before it is complete, at {spot}: the text was cut off or a closing bracket or quote is missing.",
    "duplicate_key": "The key {key} stands twice in one JSON object.",
    "bad_number": "Numbers must be finite and integers must fit into 64 bits, got {given}.",
    "bad_text": "Text must be valid Unicode without NUL characters, got {given}.",
    "too_deep": f"The JSON is nested too deeply: at most {MAX_DEPTH} levels are allowed.",
    "too_large": "The action is too large: at most {limit} are allowed.",
    "too_many_calls": "At most {limit} calls may stand in one action, got {given}; none was carried out.",
    "double_encoded_call": "The call is a JSON string that holds JSON: send the object, without quotes around it.",
    "double_encoded_arguments": "The arguments are a JSON string that holds JSON: send the object, without quotes around it.",
    "bad_call": "A tool call must be a JSON object, got {given}.",
    "missing_name": 'The call has no "name"; its keys are: {keys}.',
    "bad_name": 'The "name" of a call must be a non-empty string, got {given}.',
    "stray_keys": 'Beside "name" and "arguments" the call has: {keys}. Put the tool\'s arguments into "arguments".',
    "bad_arguments": 'The "arguments" of a call must be a JSON object, got {given}.',
}

_NAME_KEYS = frozenset({"name", "tool", "tool_name", "function", "action"})
_ARGUMENT_KEYS = frozenset({"arguments", "args", "parameters", "params", "input", "tool_input", "action_input"})
_IGNORED_KEYS = frozenset({"id", "call_id", "index", "type", "status", "thought", "thoughts", "reasoning"})


class _Repeated(dict[str, Any]):
    """A JSON object in which ``key`` stands twice; refused where it would be used."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        seen: set[str] = set()
        self.key = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # add gives None


_TYPES: dict[type, str] = {
    dict: "an object",
    _Repeated: "an object",
    list: "a list",
    tuple: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}

_BLANK = " \t\r\n\ufeff"
_MARK = re.compile(
    r"""(?P<tag><tool_call>) | (?P<thought></think>)
      | ^[ \t*]*Action(?P<input>[ ]?Input)?[ \t*]*:[ \t*]*
      | ^[ \t*]*(?P<observation>Observation)[ \t*]*:
      | (?P<json>\{(?=\s*["'}])|\[(?=\s*\{)|^\{)""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_LINE_START = re.compile(r"^(?=[\[{]|<tool_call>|</think>|[ \t*]*Action)", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_CLOSE, _THOUGHT = "</tool_call>", "</think>"


class MalformedAction(ToolError):
    """An action, or one call of it, that cannot be read; its code is ``malformed_call``.

    Args:
        kind: One of :data:`MALFORMED_KINDS`; there is one message for each.
        details: What the message of that kind names.
    """

    def __init__(self, kind: MalformedKind, **details: str) -> None:
        super().__init__("malformed_call", _MESSAGES[kind].format(**details), f"Send a call like {EXAMPLE}")
        self.kind: MalformedKind = kind


@dataclass(frozen=True, slots=True)
class ParsedAction:
    """What an action says.

    Attributes:
        calls: Calls in the agent's order, never empty; a piece that cannot be read is a :class:`MalformedAction`.
    """

    calls: tuple[ToolCall | MalformedAction, ...]

    @property
    def malformed(self) -> tuple[MalformedAction, ...]:
        """The pieces that cannot be read."""
        return tuple(call for call in self.calls if isinstance(call, MalformedAction))


def parse_actions(
    action: object, known: Collection[str] | None = None, *, max_calls: int = MAX_CALLS, max_chars: int = MAX_CHARS
) -> ParsedAction:
    """Read an action; see the module for the accepted forms.

    Args:
        action: Text, or in process a :class:`ToolCall`, a dict, or a list or tuple of them.
        known: Names of the tools on offer.  Only used to tell a call from other JSON that the agent quotes in its prose.
        max_calls: Greatest number of calls; an action with more is refused as a whole.
        max_chars: Greatest length of a text.

    Example:
        >>> parse_actions('I look it up. {"name": "read", "arguments": {"id": 3}}').calls
        (ToolCall(name='read', arguments={'id': 3}),)
        >>> print(parse_actions('{"name": "read", "arguments": {"id": 3,}}').calls[0])
        Not valid JSON at line 1, column 39, 'arguments": {"id": 3<HERE>,}}': a comma stands before the closing bracket.
    """
    if isinstance(action, str) and len(action) > max_chars:
        return ParsedAction((MalformedAction("too_large", limit=f"{max_chars} characters"),))
    calls = _parse_text(action, known) if isinstance(action, str) else _parse_value(action, known)
    if len(calls) > max_calls:
        calls = [MalformedAction("too_many_calls", given=str(len(calls)), limit=str(max_calls))]
    return ParsedAction(tuple(calls))


_Calls = list[ToolCall | MalformedAction]


# Text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Repeated(pairs)


_decode = json.JSONDecoder(object_pairs_hook=_object).raw_decode


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text: its JSON value (or why there is none), where it stands, and where it ends."""

    where: str
    value: Any
    end: int
    name: str = ""


def _parse_text(text: str, known: Collection[str] | None) -> _Calls:
    text = text.strip(_BLANK)
    if not text:
        return [MalformedAction("empty")]
    if text[0] in '{["':
        try:
            value, end = _decode(text, 0)
        except (ValueError, RecursionError):
            end = 0  # the scan below finds it again and says what is wrong
        if end == len(text):
            if not isinstance(value, str):
                return _parse_value(value, known)
            if value.strip(_BLANK)[:1] in ("{", "["):
                return [MalformedAction("double_encoded_call")]
    return _select(_pieces(text), known)


def _pieces(text: str) -> list[_Piece]:
    """The pieces of a text in order; JSON values are stepped over whole, and drafts in a chain of thought left out."""
    pieces: list[_Piece] = []
    position = broken = 0
    if text.startswith("<think>"):
        position = text.find(_THOUGHT)
    while position >= 0 and broken < MAX_BROKEN and (mark := _MARK.search(text, position)):
        position = mark.end()
        if mark["thought"]:
            pieces.clear()
        elif mark["observation"]:
            if any(piece.where == "action" for piece in pieces):
                break  # what follows was made up by the agent
        else:
            pieces.append(_piece(text, mark))
            position = pieces[-1].end
            broken += isinstance(pieces[-1].value, MalformedAction)
    return pieces


def _piece(text: str, mark: re.Match[str]) -> _Piece:
    if mark["json"]:
        return _json_piece(text, "prose", mark.start())
    read = _tag_piece if mark["tag"] else _input_piece if mark["input"] else _action_piece
    return read(text, mark.end())


def _json_piece(text: str, where: str, start: int) -> _Piece:
    """The JSON value at ``start``; a broken one ends at the next line that begins with a call."""
    try:
        value, end = _decode(text, start)
    except json.JSONDecodeError as error:
        problem = _broken(text, error)
        position = max(error.pos, start + 1)
    except RecursionError:
        problem, position = MalformedAction("too_deep"), start + 1
    except ValueError:  # an integer of more digits than Python converts
        problem, position = MalformedAction("bad_number", given="an integer of thousands of digits"), start + 1
    else:
        return _Piece(where, value, end)
    resume = _LINE_START.search(text, position)
    return _Piece(where, problem, resume.start() if resume else len(text))


def _tag_piece(text: str, start: int) -> _Piece:
    """What stands in a ``<tool_call>`` tag; the closing tag may be missing when the JSON is complete."""
    fence = _FENCE.match(text, start)
    assert fence is not None  # the pattern matches the empty text
    if text[fence.end() : fence.end() + 1] not in ("{", "["):
        close = text.find(_CLOSE, start)
        given = "nothing" if not text[start:].strip(_BLANK) or text.startswith(_CLOSE, fence.end()) else "other text"
        return _Piece("tag", MalformedAction("bad_call", given=f"{given} in <tool_call>"), len(text) if close < 0 else close)
    piece = _json_piece(text, "tag", fence.end())
    if isinstance(piece.value, MalformedAction):
        close = text.find(_CLOSE, fence.end())
        return _Piece("tag", piece.value, piece.end if close < 0 else close)
    return piece


def _action_piece(text: str, start: int) -> _Piece:
    """The tool named on an ``Action:`` line, or the JSON call that stands there instead."""
    fence = _FENCE.match(text, start)
    assert fence is not None  # the pattern matches the empty text
    if text[fence.end() : fence.end() + 1] in ("{", "["):
        return _json_piece(text, "prose", fence.end())
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return _Piece("action", None, end, name=text[start:end].strip("`'\"* \t\r"))


def _input_piece(text: str, start: int) -> _Piece:
    """The JSON value of an ``Action Input:``, on its line or after it; ``None`` when nothing stands there."""
    fence = _FENCE.match(text, start)
    assert fence is not None  # the pattern matches the empty text
    if text[fence.end() : fence.end() + 1] in ("{", "["):
        return _json_piece(text, "input", fence.end())
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    given = text[start:end].strip(_BLANK)
    problem = MalformedAction("bad_arguments", given=_show(given)) if given else None
    return _Piece("input", problem, end)


def _select(pieces: list[_Piece], known: Collection[str] | None) -> _Calls:
    """Calls of the strongest form among the pieces: tags, then ReAct, then JSON in prose."""
    tagged = [piece.value for piece in pieces if piece.where == "tag"]
    if tagged:
        return _read_all(tagged, known)
    prose = [piece.value for piece in pieces if piece.where == "prose"]
    meant = [value for value in prose if isinstance(value, MalformedAction) or _is_call(value, known)]
    has_input = any(piece.where == "input" for piece in pieces)
    if has_input or (not meant and any(piece.where == "action" for piece in pieces)):
        return _read_react(pieces, known)
    return _read_all(meant or prose[:1], known) or [MalformedAction("no_call")]


def _read_react(pieces: list[_Piece], known: Collection[str] | None) -> _Calls:
    """Each ``Action`` with the ``Action Input`` that follows it; a JSON call may stand in place of the pair."""
    calls: _Calls = []
    name = ""
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        if piece.where == "action":
            name = piece.name
            if following is None or following.where != "input":
                calls += _read_all([{"name": name}], known)
        elif piece.where == "input":
            broken = isinstance(piece.value, MalformedAction)
            calls += _read_all([piece.value if broken else {"name": name, "arguments": piece.value}], known)
            name = ""
        elif _is_call(piece.value, known):
            calls += _read_all([piece.value], known)
    return calls


def _is_call(value: object, known: Collection[str] | None) -> bool:
    """Whether JSON in prose is meant as a call, rather than a record that the agent quotes."""
    if isinstance(value, list):
        return any(_is_call(item, known) for item in value)
    if not isinstance(value, dict):
        return False
    if "tool_calls" in value or isinstance(value.get("function"), dict):
        return True
    names = [value[key] for key in value if key in _NAME_KEYS]
    if known is None or not _ARGUMENT_KEYS.isdisjoint(value):
        return bool(names)
    return any(isinstance(name, str) and name in known for name in names)


# Values


def _parse_value(value: object, known: Collection[str] | None) -> _Calls:
    """Calls of one value: a call, a list of calls, or a chat message."""
    if isinstance(value, dict) and ("tool_calls" in value or "role" in value) and not isinstance(value, _Repeated):
        called = value.get("tool_calls")
        if isinstance(called, list | tuple) and called:
            value = called
        elif isinstance(value.get("content"), str):
            return _parse_text(value["content"], known)
        else:
            return [MalformedAction("no_call")]
    if isinstance(value, list | tuple):
        return [_attempt(item) for item in value] or [MalformedAction("empty")]
    return [_attempt(value)]


def _read_all(values: list[Any], known: Collection[str] | None) -> _Calls:
    """Calls of several values; pieces that are already known to be malformed stay."""
    calls: _Calls = []
    for value in values:
        calls += [value] if isinstance(value, MalformedAction) else _parse_value(value, known)
    return calls


def _attempt(value: object) -> ToolCall | MalformedAction:
    try:
        return _call(value)
    except MalformedAction as error:
        return error


def _call(value: object) -> ToolCall:
    """The call that one JSON object or in-process object is."""
    if isinstance(value, ToolCall):
        return ToolCall(name=_name(value.name), arguments=_plain(value.arguments, 0, [MAX_VALUES]))
    if not isinstance(value, dict):
        json_like = value is None or isinstance(value, str | bool | int | float | list | tuple)
        raise MalformedAction("bad_call" if json_like else "unsupported_type", given=_type(value))
    # OpenAI puts the arguments into a string; nobody else may, so that double encoding is noticed.
    encoded = value.get("type") == "function_call"
    fields = value
    if isinstance(value.get("function"), dict) and not isinstance(value, _Repeated):
        fields, encoded = value["function"], True
    name, arguments = _fields(fields)
    if isinstance(arguments, str) and encoded:
        arguments = _decode_arguments(arguments)
    if arguments is None:
        arguments = {}
    if isinstance(arguments, str) and arguments.strip(_BLANK)[:1] in ("{", "["):
        raise MalformedAction("double_encoded_arguments")
    if not isinstance(arguments, dict):
        raise MalformedAction("bad_arguments", given=_type(arguments))
    return ToolCall(name=_name(name), arguments=_plain(arguments, 0, [MAX_VALUES]))


def _fields(value: dict[Any, Any]) -> tuple[Any, Any]:
    """Name and arguments under whichever of their names they stand; anything beside them is refused."""
    if isinstance(value, _Repeated):
        raise MalformedAction("duplicate_key", key=_show(value.key))
    names, arguments, stray = [], [], []
    for key, item in value.items():
        if key in _NAME_KEYS:
            names.append(item)
        elif key in _ARGUMENT_KEYS:
            arguments.append(item)
        elif key not in _IGNORED_KEYS:
            stray.append(key)
    if not names:
        raise MalformedAction("missing_name", keys=_show_keys(list(value)))
    if stray or len(names) > 1 or len(arguments) > 1:
        extra = stray or [key for key in value if key in _NAME_KEYS | _ARGUMENT_KEYS and key not in ("name", "arguments")]
        raise MalformedAction("stray_keys", keys=_show_keys(extra))
    return names[0], arguments[0] if arguments else None


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise MalformedAction("bad_name", given=_show(name) if isinstance(name, str) else _type(name))
    return str(_plain(name, 0, [1]))


def _decode_arguments(text: str) -> Any:
    """The arguments in an OpenAI call; the empty text stands for none."""
    text = text.strip(_BLANK)
    if not text:
        return None
    piece = _json_piece(text, "arguments", 0)
    if isinstance(piece.value, MalformedAction):
        raise piece.value
    if piece.end < len(text):
        raise MalformedAction("bad_json", spot=_spot(text, piece.end), reason="more text follows the arguments")
    return piece.value


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    """A fresh copy of a JSON value that any world can store; ``left`` is how many values may still come."""
    if isinstance(value, str):
        if "\x00" in value or not (value.isascii() or _is_unicode(value)):
            raise MalformedAction("bad_text", given=_show(value))
        return value
    if value is None or value is True or value is False:
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise MalformedAction("bad_number", given="a larger integer")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise MalformedAction("bad_number", given=str(float(value)))
        return value
    return _plain_container(value, depth + 1, left)


def _plain_container(value: Any, depth: int, left: list[int]) -> Any:
    if not isinstance(value, dict | list | tuple):
        raise MalformedAction("unsupported_type", given=f"an argument of type {_type(value)}")
    if depth > MAX_DEPTH:
        raise MalformedAction("too_deep")
    left[0] -= len(value)
    if left[0] < 0:
        raise MalformedAction("too_large", limit=f"{MAX_VALUES} values")
    if not isinstance(value, dict):
        return [_plain(item, depth, left) for item in value]
    if isinstance(value, _Repeated):
        raise MalformedAction("duplicate_key", key=_show(value.key))
    copied: JsonDict = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise MalformedAction("unsupported_type", given=f"an argument name of type {_type(key)}")
        copied[_plain(key, depth, left)] = _plain(item, depth, left)
    return copied


# Messages


def _broken(text: str, error: json.JSONDecodeError) -> MalformedAction:
    """What is wrong with a JSON text, in words that do not depend on the Python version."""
    position = min(error.pos, len(text))
    rest = text[position : position + 16].rstrip()
    ended = not rest or rest.startswith((_CLOSE[: len(rest)], "```")) or error.msg.startswith("Unterminated")
    if ended or (position + len(rest) == len(text) and any(word.startswith(rest) for word in ("true", "false", "null", "-"))):
        return MalformedAction("cut_off", spot=_spot(text, len(text) if error.msg.startswith("Unterminated") else position))
    before = text[:position].rstrip()
    if before.endswith(",") and rest[0] in "}]":
        position, rest = len(before) - 1, ","
    elif rest[0] == "," and text[position + 1 : position + 64].lstrip()[:1] in ("}", "]"):
        rest = ","
    else:
        return MalformedAction("bad_json", spot=_spot(text, position), reason=_reason(rest))
    return MalformedAction("bad_json", spot=_spot(text, position), reason="a comma stands before the closing bracket")


def _reason(rest: str) -> str:
    """What the text at a JSON error suggests."""
    if rest[0] == "'":
        return "names and text need double quotes"
    if rest.startswith(("True", "False", "None")):
        return "write true, false and null"
    if rest[0] == "\\":
        return "a backslash in text must be written as \\\\"
    if ord(rest[0]) < 32:
        return "line breaks and tabs in text must be written as \\n and \\t"
    return "expected a name, a value, a comma, a colon or a bracket here"


def _spot(text: str, position: int) -> str:
    """Line and column of a position, and what stands around it."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column}, {text[max(0, position - 20) : position] + '<HERE>' + text[position : position + 20]!r}"


def _show(text: str) -> str:
    """A short, printable form of a piece of the agent's text."""
    return repr(text) if len(text) <= 40 else repr(text[:40] + "...")


def _show_keys(keys: list[Any]) -> str:
    shown = [_show(key) if isinstance(key, str) else _type(key) for key in keys[:8]]
    return ", ".join(shown + ["..."] * (len(keys) > 8)) or "(none)"


def _type(value: object) -> str:
    """The JSON name of a value's type, or its Python name where JSON has none."""
    return _TYPES.get(type(value), type(value).__name__)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
