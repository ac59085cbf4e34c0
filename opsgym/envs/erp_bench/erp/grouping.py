"""Aggregates of records by groups: ``read_group`` and Odoo 19's ``formatted_read_group``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from opsgym.core.world import World
from opsgym.envs.erp_bench.erp.domains import compile_domain, conjunction
from opsgym.envs.erp_bench.erp.errors import bad_value, clipped
from opsgym.envs.erp_bench.erp.fields import NUMERIC, X2MANY, Field, table_of
from opsgym.envs.erp_bench.erp.registry import display_of, expression, field_of

AGGREGATES = {
    "sum": "SUM({})",
    "avg": "AVG({})",
    "min": "MIN({})",
    "max": "MAX({})",
    "count": "COUNT({})",
    "count_distinct": "COUNT(DISTINCT {})",
}
MAX_GROUPS = 8

_PERIOD_START = {  # SQLite date modifiers from a day to the first day of its period
    "day": "date({})",
    "week": "date({}, '-6 days', 'weekday 1')",
    "month": "date({}, 'start of month')",
    "quarter": "date({0}, 'start of month', '-' || ((strftime('%m', {0}) - 1) % 3) || ' months')",
    "year": "date({}, 'start of year')",
}
_PERIOD_MONTHS = {"month": 1, "quarter": 3, "year": 12}


class Key(NamedTuple):
    """One term of ``groupby``: its text, its field and, for dates, the period."""

    text: str
    field: Field
    period: str


class Aggregate(NamedTuple):
    """One value per group: its name in the answer, its SQL, and what is shown when there is nothing to aggregate."""

    name: str
    sql: str
    empty: Any = 0


def parse_key(model: str, text: Any) -> Key:
    """A term such as ``"partner_id"`` or ``"date_order:month"``."""
    if not isinstance(text, str):
        raise bad_value(f"Invalid groupby {clipped(text)}; expected a field name")
    name, _, period = text.partition(":")
    field = field_of(model, name)
    if field.type in ("one2many", "many2many", "text", "html"):
        raise bad_value(f"Cannot group {model!r} by {clipped(name)} of type {field.type}")
    if field.type in ("date", "datetime"):
        period = period or "month"
        if period not in _PERIOD_START:
            raise bad_value(f"Invalid period {period!r} in groupby {clipped(text)}; expected one of {', '.join(_PERIOD_START)}")
    elif period:
        raise bad_value(f"Invalid groupby {clipped(text)}: {clipped(name)} is no date")
    return Key(text, field, period)


def parse_aggregate(model: str, text: Any, default: str = "") -> Aggregate:
    """A term such as ``"amount_total:sum"`` or ``"__count"``."""
    if text == "__count":
        return Aggregate("__count", "COUNT(*)")
    if not isinstance(text, str):
        raise bad_value(f"Invalid aggregate {clipped(text)}; expected 'field:function'")
    name, _, function = text.partition(":")
    function = function or default
    field = field_of(model, name)
    if function not in AGGREGATES:
        raise bad_value(f"Invalid aggregate {clipped(text)}; expected a function out of {', '.join(AGGREGATES)}")
    if (function in ("sum", "avg") and field.type not in NUMERIC) or field.type in X2MANY:
        raise bad_value(f"Cannot aggregate {clipped(name)} of type {field.type} with {function!r}")
    empty = 0 if field.type in NUMERIC else False
    return Aggregate(text, AGGREGATES[function].format(expression(model, name, "t")), empty)


def groups(
    world: World,
    model: str,
    domain: Any,
    keys: Sequence[Key],
    aggregates: Sequence[Aggregate],
    *,
    order: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[tuple[list[Any], list[Any], list[Any]]]:
    """For each group: shown key values, aggregates, and the domain that selects its records."""
    if len(keys) > MAX_GROUPS or len(aggregates) > MAX_GROUPS**2:
        raise bad_value(f"Too many groups or aggregates; expected at most {MAX_GROUPS} and {MAX_GROUPS**2}")
    where, params = compile_domain(model, domain)
    columns: list[str] = []
    for key in keys:
        raw = expression(model, key.field.name, "t")
        columns.append(_PERIOD_START[key.period].format(raw) if key.period else raw)
        columns.append(display_of(model, key.field.name, "t") if key.field.type == "many2one" else "NULL")
    positions = [str(2 * number + 1) for number in range(len(keys))]
    selected = columns + [aggregate.sql for aggregate in aggregates]
    sql = f"SELECT {', '.join(selected or ['COUNT(*)'])} FROM {table_of(model)} t" + (f" WHERE {where}" if where else "")
    if keys:
        sql += f" GROUP BY {', '.join(positions)} ORDER BY {_order(order, keys, aggregates)}"
    sql += f" LIMIT {_whole(limit, -1)} OFFSET {_whole(offset, 0)}"
    found = []
    for row in world.execute(sql, params).fetchall():
        values = [_value(key, row[2 * number], row[2 * number + 1]) for number, key in enumerate(keys)]
        extra = [term for number, key in enumerate(keys) for term in _selector(key, row[2 * number])]
        measured = row[2 * len(keys) : len(selected)]  # nothing where nothing was asked for
        totals = [aggregate.empty if value is None else value for aggregate, value in zip(aggregates, measured, strict=True)]
        found.append((values, totals, extra))
    return found


def _whole(value: Any, default: int) -> int:
    if value is None or value is False:
        return default
    if not isinstance(value, int) or value < 0 or value > 2**31:
        raise bad_value(f"Wrong limit or offset {clipped(value)}; expected a whole number from 0")
    return value


def _order(order: str | None, keys: Sequence[Key], aggregates: Sequence[Aggregate]) -> str:
    """SQL positions to sort by; the keys come last, so that no order is left to chance."""
    known = {key.text: 2 * number + (2 if key.field.type == "many2one" else 1) for number, key in enumerate(keys)}
    known |= {aggregate.name: 2 * len(keys) + number + 1 for number, aggregate in enumerate(aggregates)}
    parts = []
    for item in (order or "").split(","):
        words = item.split()
        if not words:
            continue
        if words[0] not in known or len(words) > 2 or words[-1].lower() not in ("asc", "desc", words[0].lower()):
            raise bad_value(f"Invalid order {clipped(order)}; expected terms out of {', '.join(known)}")
        down = words[-1].lower() == "desc"
        parts.append(f"{known[words[0]]} {'DESC NULLS FIRST' if down else 'ASC NULLS LAST'}")
    for key, number in zip(keys, range(len(keys)), strict=True):
        parts += [f"{known[key.text]} ASC NULLS LAST", f"{2 * number + 1} ASC NULLS LAST"]
    return ", ".join(dict.fromkeys(parts))


def _value(key: Key, value: Any, name: Any) -> Any:
    if value is None:
        return 0 if key.field.type in NUMERIC else False
    if key.field.type == "many2one":
        return [value, name]
    if key.period:
        return [value, _label(value, key.period)]
    return bool(value) if key.field.type == "boolean" else value


def _label(day: str, period: str) -> str:
    date = dt.date.fromisoformat(day)
    return {
        "day": f"{date:%d %b %Y}",
        "week": f"W{date.isocalendar().week} {date.isocalendar().year}",
        "month": f"{date:%B %Y}",
        "quarter": f"Q{(date.month + 2) // 3} {date.year}",
        "year": str(date.year),
    }[period]


def _selector(key: Key, value: Any) -> list[Any]:
    """Domain of the records of a group."""
    name = key.field.name
    if value is None or not key.period:
        return [[name, "=", False if value is None else (bool(value) if key.field.type == "boolean" else value)]]
    start = dt.date.fromisoformat(value)
    months = _PERIOD_MONTHS.get(key.period)
    if months:
        index = start.year * 12 + start.month - 1 + months
        end = dt.date(index // 12, index % 12 + 1, 1) if index // 12 <= dt.MAXYEAR else dt.date.max
    else:
        days = min(7 if key.period == "week" else 1, (dt.date.max - start).days)
        end = start + dt.timedelta(days=days)
    return ["&", [name, ">=", value], [name, "<", end.isoformat()]]


def formatted_read_group(
    world: World, model: str, domain: Any, groupby: Sequence[Any], aggregates: Sequence[Any], **bounds: Any
) -> list[dict[str, Any]]:
    """Groups as Odoo 19 shows them, each with the extra domain of its records."""
    keys = [parse_key(model, text) for text in groupby]
    values = [parse_aggregate(model, text) for text in aggregates]
    answer = []
    for shown, totals, extra in groups(world, model, domain, keys, values, **bounds):
        record: dict[str, Any] = {key.text: value for key, value in zip(keys, shown, strict=True)}
        record |= {aggregate.name: total for aggregate, total in zip(values, totals, strict=True)}
        answer.append({**record, "__extra_domain": extra})
    return answer


def read_group(
    world: World, model: str, domain: Any, fields: Sequence[Any], groupby: Sequence[Any], *, lazy: bool, **bounds: Any
) -> list[dict[str, Any]]:
    """Groups as older versions show them: sums of the numeric ``fields``, a count and the domain of each group."""
    keys = [parse_key(model, text) for text in groupby]
    first = keys[:1] if lazy else keys
    keyed = {key.field.name for key in keys}
    named = [text for text in fields if str(text).partition(":")[0] not in keyed]
    wanted = [text for text in named if ":" in str(text) or field_of(model, text).type in NUMERIC]
    values = [Aggregate("__count", "COUNT(*)"), *(parse_aggregate(model, text, "sum") for text in wanted)]
    count = f"{first[0].field.name}_count" if lazy and first else "__count"
    answer = []
    for shown, totals, extra in groups(world, model, domain, first, values, **bounds):
        record: dict[str, Any] = {
            key.text: value[1] if key.period and value else value for key, value in zip(first, shown, strict=True)
        }
        record |= {text.partition(":")[0]: total for text, total in zip(wanted, totals[1:], strict=True)}
        record |= {count: totals[0], "__domain": conjunction(extra, domain or [])}
        answer.append(record)
    return answer
