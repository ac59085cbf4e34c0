"""The eleven tools of the paper over an :class:`~opsgym.envs.ace_bench.engine.AceWorld`.

Six are the same in every domain, five carry the domain in their name.  Source: ACE-Bench, appendix B.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from opsgym.core.tools import Tool, Toolbox, tool
from opsgym.envs.ace_bench.domains import DOMAINS, find_domain
from opsgym.envs.ace_bench.engine import AceWorld

Operator = Literal[">", ">=", "=", "<=", "<", "in", "not_in"]


@tool(mutates=True)
def set_slot(world: AceWorld, row: int, col: int, id: str | None = None) -> dict[str, Any]:
    """Put a candidate into a hidden slot, or clear the slot.

    Args:
        row: Row, counted from 0.
        col: Column, counted from 0.
        id: Id of a candidate of that slot; leave out to clear the slot.
    """
    world.set_slot(row, col, id)
    return {"row": row, "col": col, "id": id or None}


@tool()
def get_current_grid_state(world: AceWorld) -> dict[str, Any]:
    """The whole grid as rows of ids, null where a slot is empty."""
    return {"grid": world.grid()}


@tool()
def get_slot_id(world: AceWorld, row: int, col: int) -> dict[str, Any]:
    """The id in one cell, null if it is empty.

    Args:
        row: Row, counted from 0.
        col: Column, counted from 0.
    """
    return {"row": row, "col": col, "id": world.item_at(row, col)}


@tool()
def get_hidden_slot_query_budget(world: AceWorld, row: int, col: int) -> dict[str, Any]:
    """How many readings a hidden slot has left.

    Args:
        row: Row, counted from 0.
        col: Column, counted from 0.
    """
    return world.query_budget(row, col)


@tool()
def get_global_check_budget(world: AceWorld) -> dict[str, Any]:
    """How many global checks are left."""
    return world.check_budget()


@tool(terminal=True)
def done(world: AceWorld) -> str:
    """Finish: the grid is judged as it stands."""
    return "finished"


def _query(
    world: AceWorld,
    row: int,
    col: int,
    field: str,
    operator: Operator,
    value: int | list[str],
    among: list[str] | None = None,
) -> dict[str, Any]:
    """Candidates of a hidden slot that meet a condition on one attribute, with the attribute's value.

    Every candidate that is returned costs one reading of the slot, an empty answer costs one too.

    Args:
        row: Row, counted from 0.
        col: Column, counted from 0.
        field: Attribute to test.
        operator: Numbers take > >= = <= <, categories take in and not_in.
        value: A whole number, or a list of categories.
        among: Look only at these ids.
    """
    found = world.query(row, col, field, operator, value, among)
    return {"field": field, "matches": found, "readings_left": world.query_budget(row, col)["left"]}


def _item_info(world: AceWorld, id: str) -> dict[str, Any]:
    """All attributes of one item that was on the grid at the start.

    Args:
        id: Id of the item.
    """
    return {"id": id, **world.item_info(id)}


def _item_attributes(world: AceWorld, ids: list[str], field: str) -> dict[str, Any]:
    """One attribute of up to five items that were on the grid at the start.

    Args:
        ids: Ids of the items.
        field: Attribute to read.
    """
    return {"field": field, "items": world.item_attribute(ids, field)}


def _check_slot(world: AceWorld, row: int, col: int) -> dict[str, Any]:
    """Check the slot rules on the item that now fills a hidden slot. Costs one reading of that slot.

    Args:
        row: Row, counted from 0.
        col: Column, counted from 0.
    """
    return {"row": row, "col": col, **world.check_slot(row, col)}


def _check_global(world: AceWorld) -> dict[str, Any]:
    """Check all rules on the full grid. Costs one global check."""
    return world.check_global()


COMMON = (set_slot, get_current_grid_state, get_slot_id, get_hidden_slot_query_budget, get_global_check_budget, done)
"""The tools whose names are the same in every domain."""


@cache
def domain_tools(domain: str) -> tuple[Tool, ...]:
    """The five tools of a domain."""
    name = find_domain(domain).name
    return (
        tool(mutates=True, name=f"query_{name}_candidate_from_attribute")(_query),
        tool(name=f"get_{name}_item_info")(_item_info),
        tool(name=f"get_{name}_item_attributes")(_item_attributes),
        tool(mutates=True, name=f"check_{name}_slot_constraints")(_check_slot),
        tool(mutates=True, name=f"check_{name}_global_constraints")(_check_global),
    )


@cache
def toolbox(domain: str | None = None) -> Toolbox:
    """The eleven tools of a domain; without one, the tools of all domains.

    Raises:
        RegistryError: There is no such domain.
    """
    names = list(DOMAINS) if domain is None else [domain]
    return Toolbox([*COMMON, *(item for name in names for item in domain_tools(name))])
