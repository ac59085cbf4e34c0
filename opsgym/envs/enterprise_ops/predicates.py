"""Predicates in SQL taken apart, so that a search can tell how near a state is to making one true."""

from __future__ import annotations

import re

_WORD = re.compile(r"'(?:[^']|'')*'|\w+|.", re.DOTALL)


def split(sql: str, word: str) -> list[str]:
    """The parts of a predicate between ``AND`` or ``OR`` outside of parentheses, ``CASE`` and ``BETWEEN``.

    Example:
        >>> split("a = 1 AND (b OR c) AND d BETWEEN 1 AND 2", "AND")
        ['a = 1', '(b OR c)', 'd BETWEEN 1 AND 2']
    """
    parts, depth, between = [""], 0, False
    for token in _WORD.findall(sql):
        name = token.upper()
        depth += (name in ("(", "CASE")) - (name in (")", "END"))
        between |= name == "BETWEEN" and not depth
        if name == word and not depth and not (between and word == "AND"):
            parts.append("")
            continue
        between &= not (name == "AND" and not depth)
        parts[-1] += token
    return [part.strip() for part in parts]


def bare(sql: str) -> str:
    """A predicate without parentheses around the whole."""
    sql = sql.strip()
    while sql.startswith("(") and _closing(sql) == len(sql) - 1:
        sql = sql[1:-1].strip()
    return sql


def _closing(sql: str) -> int:
    """Where the parenthesis closes that opens a text."""
    depth, place = 0, 0
    for token in _WORD.findall(sql):
        depth += (token == "(") - (token == ")")
        if not depth:
            return place
        place += len(token)
    return -1


def steps(sql: str) -> list[list[str]]:
    """For each way in which a predicate can be true, predicates of which more and more hold on the way there.

    Example:
        >>> steps("a AND EXISTS (SELECT 1 FROM t WHERE t.x = a AND t.y)")
        [['a', 'EXISTS (SELECT 1 FROM t WHERE t.x = a)', 'EXISTS (SELECT 1 FROM t WHERE t.x = a AND t.y)']]
    """
    return [[step for part in split(bare(way), "AND") for step in _nearer(part)] for way in split(bare(sql), "OR")]


def _nearer(part: str) -> list[str]:
    """A part, and before it what is true earlier."""
    found = re.fullmatch(r"(EXISTS\s*\(\s*SELECT\b.*?\bWHERE\b)\s*(.*)\)", bare(part), re.DOTALL | re.IGNORECASE)
    if found is None:
        ways = split(bare(part), "OR")
        inner = [split(bare(way), "AND") for way in ways]
        return [*(step for way in inner if len(way) > 1 for step in way), part] if len(ways) > 1 else [part]
    head, conditions = found[1], split(found[2], "AND")
    return [f"{head} {' AND '.join(conditions[: number + 1])})" for number in range(len(conditions))]
