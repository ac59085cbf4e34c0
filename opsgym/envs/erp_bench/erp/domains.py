"""Domains: search conditions in prefix notation, compiled to SQL.

A domain is a list of conditions ``[field, operator, value]`` joined by ``"&"`` (the default), ``"|"`` and ``"!"``
before their operands.  A field may be a dotted path through relations: ``order_line.product_id.default_code``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value, clipped
from opsgym.envs.erp_bench.erp.fields import MAX_INTEGER, NUMERIC, TEXTUAL, X2MANY, Field, check_text, table_of
from opsgym.envs.erp_bench.erp.registry import MODELS, display, expression, field_of

Sql = tuple[str, list[Any]]
"""A condition and its parameters."""
_Part = tuple[str, Sql]
"""A condition with the word that joins its parts, or ``""`` where it has none."""

MAX_TERMS = 200
"""Longest domain; SQLite limits the depth of an expression."""
MAX_PATTERN = 1000
MAX_PATH = 8

COMPARE = {"=": "=", "!=": "<>", "<>": "<>", ">": ">", "<": "<", ">=": ">=", "<=": "<=", "==": "="}
LIKE = frozenset({"like", "ilike", "not like", "not ilike", "=like", "=ilike", "not =like", "not =ilike"})
OPERATORS = frozenset(COMPARE) | LIKE | {"in", "not in", "=?", "child_of", "parent_of", "any", "not any"}
NEGATIVE = {"!=": "=", "<>": "=", "not in": "in", "not like": "like", "not ilike": "ilike", "not =like": "=like",
            "not =ilike": "=ilike", "not any": "any"}  # fmt: skip

TRUE, FALSE = "1", "0"


def compile_domain(model: str, domain: Any, alias: str = "t") -> Sql:
    """SQL condition of a domain over the row ``alias`` of the model's table; ``("", [])`` for the empty one.

    Raises:
        ErpError: The domain is malformed, or names an unknown field or operator.
    """
    if domain is None or domain is False or domain == [] or domain == ():
        return "", []
    if alias.count("x") > MAX_PATH:
        raise bad_value(f"Domain is nested more than {MAX_PATH} relations deep")
    if len(_listed(domain)) > MAX_TERMS:
        raise bad_value(f"Domain of {len(domain)} terms; expected at most {MAX_TERMS}")
    stack: list[_Part] = []
    for term in reversed(domain):
        stack.append(_combine(term, stack, domain) if isinstance(term, str) else ("", _leaf(model, term, alias)))
    while len(stack) > 1:
        stack.append(_join("AND", stack.pop(), stack.pop()))
    return stack[0][1]


def _combine(operator: str, stack: list[_Part], domain: Any) -> _Part:
    if operator not in ("&", "|", "!"):
        raise bad_value(f"Invalid domain term {operator!r} in {clipped(domain)}; expected '&', '|', '!' or a condition")
    if len(stack) < (1 if operator == "!" else 2):
        raise bad_value(f"Domain {clipped(domain)} is incomplete: {operator!r} lacks operands")
    if operator == "!":
        return "", _negate(stack.pop()[1])
    return _join("AND" if operator == "&" else "OR", stack.pop(), stack.pop())


def _join(word: str, left: _Part, right: _Part) -> _Part:
    """Both conditions by one word; a chain of the same word stays flat, because SQLite's parser nests a hundred deep only."""
    texts = [f"({text})" if joined not in ("", word) else text for joined, (text, _) in (left, right)]
    return word, (f" {word} ".join(texts), left[1][1] + right[1][1])


def _leaf(model: str, term: Any, alias: str) -> Sql:
    if not isinstance(term, list | tuple) or len(term) != 3 or not isinstance(term[1], str):
        raise bad_value(f"Invalid domain term {clipped(term)}; expected [field, operator, value]")
    path, operator, value = term
    operator = operator.lower()
    if operator not in OPERATORS:
        raise bad_value(f"Invalid operator {operator!r} in domain term {clipped(term)}")
    if isinstance(path, int) and operator in ("=", "!="):  # Odoo's constants [1, "=", 1] and [0, "=", 1]
        return (TRUE if (path == value) == (operator == "=") else FALSE), []
    if not isinstance(path, str) or path.count(".") >= MAX_PATH:
        raise bad_value(f"Invalid field {clipped(path)} in domain term {clipped(term)}")
    head, _, rest = path.partition(".")
    field = field_of(model, head)
    if rest:
        if not field.comodel:
            raise bad_value(f"Invalid field {path!r} on model {model!r}: {head!r} is no relation")
        return _through(field, alias, lambda inner: _leaf(field.comodel, (rest, operator, value), inner))
    if field.related is not None and field.type not in X2MANY:  # lets SQLite use the index of the target column
        related = _related(field, alias, operator, value)
        if related is not None:
            return related
    if operator == "=?":
        return (TRUE, []) if value is None or value is False else _condition(field, "=", value, alias)
    return _condition(field, operator, value, alias)


def _related(field: Field, alias: str, operator: str, value: Any) -> Sql | None:
    """A positive condition on a related field, asked of the record that holds it."""
    if operator in NEGATIVE or operator == "=?" or not value:
        return None
    if isinstance(value, list | tuple) and (False in value or None in value):
        return None
    head, _, rest = str(field.related).partition(".")
    link = field_of(field.model, head)
    return _through(link, alias, lambda inner: _leaf(link.comodel, (rest, operator, value), inner))


def _through(field: Field, alias: str, condition: Callable[[str], Sql]) -> Sql:
    """The records linked by ``field`` to at least one record that meets ``condition``."""
    inner = alias + "x"
    sql, params = condition(inner)
    table = table_of(field.comodel)
    where = f" WHERE {sql}" if sql else ""
    if field.type == "many2one":
        return f"{expression(field.model, field.name, alias)} IN (SELECT {inner}.id FROM {table} {inner}{where})", params
    if field.type == "one2many" and field.sql is None:
        return f"{alias}.id IN (SELECT {inner}.{field.inverse} FROM {table} {inner}{where})", params
    array = expression(field.model, field.name, alias)
    return (
        f"EXISTS (SELECT 1 FROM json_each({array}) {inner}j JOIN {table} {inner} ON {inner}.id = {inner}j.value{where})",
        params,
    )


def _condition(field: Field, operator: str, value: Any, alias: str) -> Sql:
    if operator in ("any", "not any"):
        if not field.comodel:
            raise bad_value(f"Operator {operator!r} needs a relation, {field.name!r} is none")
        found = _through(field, alias, lambda inner: compile_domain(field.comodel, value, inner))
        return _negate(found) if operator == "not any" else found
    if field.comodel:
        return _relational(field, operator, value, alias)
    if operator in ("child_of", "parent_of"):
        if field.name != "id":
            raise bad_value(f"Operator {operator!r} needs a relation, {field.name!r} is none")
        return _hierarchy(field.model, operator, value, f"{alias}.id")
    if operator in NEGATIVE:
        return _negate(_condition(field, NEGATIVE[operator], value, alias))
    column = expression(field.model, field.name, alias)
    if operator in LIKE:
        return _like(column, operator, value, field)
    if operator == "in":
        return _membership(field, column, value)
    return _comparison(field, column, operator, value)


def _negate(found: Sql) -> Sql:
    """Records that do not meet a condition; an empty field counts as not meeting it."""
    return f"NOT COALESCE({found[0]}, 0)", found[1]


def _is_empty(field: Field, value: Any) -> bool:
    """Whether a value stands for an empty column."""
    return field.type not in NUMERIC and (value is False or value is None or value == "")


def _comparison(field: Field, column: str, operator: str, value: Any) -> Sql:
    if operator in ("=", "=="):
        if isinstance(value, list | tuple):
            return _membership(field, column, value)
        if _is_empty(field, value):
            return f"{column} IS NULL", []
    if field.type == "datetime" and operator in (">", "<=") and isinstance(value, str) and len(value) == 10:
        value += " 23:59:59"  # a day counts whole
    return f"{column} {COMPARE[operator]} ?", [_scalar(field, value)]


def _scalar(field: Field, value: Any) -> Any:
    """A value to compare a column with."""
    if field.type == "boolean":
        return int(bool(value))
    if field.type == "selection":  # an unknown key matches nothing, as in Odoo
        return check_text(field, value)
    if field.type == "integer" and isinstance(value, float):
        return value
    if field.type in TEXTUAL and isinstance(value, bool):
        raise field.refuse(value, "text")
    return field.to_column(value)


def _membership(field: Field, column: str, value: Any) -> Sql:
    if not isinstance(value, list | tuple):
        value = [value]
    if len(value) > 10 * MAX_TERMS:
        raise bad_value(f"List of {len(value)} values for {field.name!r}; expected at most {10 * MAX_TERMS}")
    empty = any(_is_empty(field, one) for one in value)
    wanted = [_scalar(field, one) for one in value if not _is_empty(field, one)]
    sql = f"{column} IN ({', '.join('?' * len(wanted))})" if wanted else FALSE
    return (f"({sql} OR {column} IS NULL)" if empty else sql), wanted


def _like(column: str, operator: str, value: Any, field: Field) -> Sql:
    if value is False or value is None:
        value = ""
    pattern = check_text(field, str(value) if isinstance(value, int | float) else value)
    if len(pattern) > MAX_PATTERN:
        raise bad_value(f"Pattern of {len(pattern)} characters for {field.name!r}; expected at most {MAX_PATTERN}")
    if not operator.startswith("="):
        pattern = f"%{pattern}%"
    if operator in ("ilike", "=ilike"):
        return f"{column} LIKE ? ESCAPE '\\'", [_sound_escape(pattern)]
    return f"{column} GLOB ?", [_glob(pattern)]


def _sound_escape(pattern: str) -> str:
    """Drop a lone backslash at the end, which would escape nothing."""
    trailing = len(pattern) - len(pattern.rstrip("\\"))
    return pattern[:-1] if trailing % 2 else pattern


@lru_cache(1024)
def _glob(pattern: str) -> str:
    """A case-sensitive LIKE pattern in GLOB's notation."""
    signs = {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}
    return re.sub(r"\\(.)|.", lambda found: _glob_sign(found, signs), pattern, flags=re.DOTALL)


def _glob_sign(found: re.Match[str], signs: dict[str, str]) -> str:
    escaped = found.group(1)
    if escaped is not None:
        return signs[escaped] if escaped in "*?[" else str(escaped)
    return signs.get(found.group(), found.group())


# -- relations --------------------------------------------------------------------------------------------


def _relational(field: Field, operator: str, value: Any, alias: str) -> Sql:
    if operator in NEGATIVE:
        return _negate(_relational(field, NEGATIVE[operator], value, alias))
    if value is False or value is None or value == []:
        return _empty(field, operator, value, alias)
    if operator in LIKE or isinstance(value, str) or (isinstance(value, list | tuple) and any(isinstance(v, str) for v in value)):
        return _by_name(field, operator, value, alias)
    if operator in ("child_of", "parent_of"):
        return _through(field, alias, lambda inner: _hierarchy(field.comodel, operator, value, f"{inner}.id"))
    ids = [_record_id(field, one) for one in (value if isinstance(value, list | tuple) else [value])]
    if operator not in ("=", "==", "in"):
        if field.type != "many2one" or len(ids) != 1:
            raise bad_value(f"Operator {operator!r} does not apply to relation {field.name!r}")
        return f"{expression(field.model, field.name, alias)} {COMPARE[operator]} ?", [ids[0]]
    if field.type == "many2one":
        wanted: list[Any] = [one for one in ids if one]
        column = expression(field.model, field.name, alias)
        if len(wanted) == 1 and len(ids) == 1:
            return f"{column} = ?", wanted
        sql = f"{column} IN (SELECT value FROM json_each(?))"
        return (f"({sql} OR {column} IS NULL)" if len(wanted) < len(ids) else sql), [json.dumps(wanted)]
    return _through(field, alias, lambda inner: (f"{inner}.id IN (SELECT value FROM json_each(?))", [json.dumps(ids)]))


def _record_id(field: Field, value: Any) -> int:
    if value is False or value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"invalid input syntax for type integer: {clipped(value)} ({field.model}.{field.name} takes record ids)"
        raise ErpError("InvalidTextRepresentation", message)
    if abs(value) > MAX_INTEGER:
        raise field.refuse(value, "a record id")
    return value


def _empty(field: Field, operator: str, value: Any, alias: str) -> Sql:
    if operator not in ("=", "==") and value != [False]:  # nothing is in [], like nothing, or greater than nothing
        return FALSE, []
    if field.type == "many2one":
        return f"{expression(field.model, field.name, alias)} IS NULL", []
    return _negate(_through(field, alias, lambda inner: ("", [])))


def _by_name(field: Field, operator: str, value: Any, alias: str) -> Sql:
    """Linked records chosen by their display name."""
    comodel = field.comodel

    def condition(inner: str) -> Sql:
        label = display(comodel, inner)
        if operator in LIKE:
            return _like(label, operator, value, field)
        names = value if isinstance(value, list | tuple) else [value]
        if operator not in ("=", "==", "in") or not all(isinstance(one, str) for one in names):
            raise bad_value(f"Wrong value {clipped(value)} for relation {field.name!r}; expected record ids or names")
        plain = expression(comodel, MODELS[comodel]._rec_name, inner)
        marks = ", ".join("?" * len(names))
        checked = [check_text(field, one) for one in names]
        return f"({label} IN ({marks}) OR {plain} IN ({marks}))", [*checked, *checked]

    return _through(field, alias, condition)


def _hierarchy(model: str, operator: str, value: Any, column: str) -> Sql:
    """The given records and all below (or above) them by ``parent_id``."""
    parent = MODELS[model].fields.get("parent_id") or MODELS[model].fields.get("location_id")
    identity = MODELS[model].fields["id"]
    ids = [_record_id(identity, one) for one in (value if isinstance(value, list | tuple) else [value])]
    start = "SELECT value FROM json_each(?)"
    if parent is None or parent.comodel != model:
        return f"{column} IN ({start})", [json.dumps(ids)]
    table, link = table_of(model), parent.name
    step = f"SELECT n.id FROM {table} n JOIN tree ON n.{link} = tree.id"
    if operator == "parent_of":
        step = f"SELECT n.{link} FROM {table} n JOIN tree ON n.id = tree.id WHERE n.{link} IS NOT NULL"
    return f"{column} IN (WITH RECURSIVE tree(id) AS ({start} UNION {step}) SELECT id FROM tree)", [json.dumps(ids)]


def conjunction(*domains: Sequence[Any]) -> list[Any]:
    """The domain of the records that meet every one of ``domains``.

    Raises:
        ErpError: One of them is no list.
    """
    parts = [_listed(domain) for domain in domains if domain]
    if len(parts) <= 1:
        return parts[0] if parts else []
    joined: list[Any] = []
    for part in parts:
        terms = sum(1 if not isinstance(term, str) else {"&": -1, "|": -1}.get(term, 0) for term in part)
        joined += ["&"] * (terms - 1) + part
    return ["&"] * (len(parts) - 1) + joined


def _listed(domain: Any) -> list[Any]:
    if not isinstance(domain, list | tuple):
        raise bad_value(f"Invalid domain {clipped(domain)}; expected a list of conditions [field, operator, value]")
    return list(domain)
