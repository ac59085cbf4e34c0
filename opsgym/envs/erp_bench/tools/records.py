"""Tools that describe, search and read any kind of record in the ERP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import MAX_PAGE, MAX_TEXT, JsonDict, Limit, Offset, clip, paged

RecordId = Annotated[int, Field(ge=1, le=2**31 - 1)]


@tool()
def describe_model(erp: Erp, model: str | None = None) -> JsonDict:
    """List the models of the ERP, or the fields of one model with their type, label and allowed values.

    Args:
        model: Technical name such as 'purchase.order'; leave it out to list all models.
    """
    if model is None:
        rows = erp.search_read("ir.model", fields=["model", "name"], order="model")
        return paged([{"model": row["model"], "name": row["name"]} for row in rows], total=len(rows), offset=0)
    fields = erp.call(model, "fields_get", attributes=["type", "string", "required", "readonly", "selection", "relation"])
    return {"model": model, "fields": {name: _field(spec) for name, spec in fields.items()}}


def _field(spec: JsonDict) -> JsonDict:
    shown = {"type": spec["type"], "label": spec.get("string", "")}
    shown |= {flag: True for flag in ("required", "readonly") if spec.get(flag)}
    if spec.get("relation"):
        shown["relation"] = spec["relation"]
    if spec.get("selection"):
        shown["values"] = [key for key, _ in spec["selection"]]
    return shown


@tool()
def search_records(
    erp: Erp,
    model: str,
    domain: list[Any] | None = None,
    fields: list[str] | None = None,
    order: str | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """Search any model with a domain and return one page of records and their total number.

    Args:
        model: Technical name such as 'res.partner'.
        domain: Conditions in prefix notation, for example [["supplier_rank", ">", 0], ["name", "ilike", "steel"]].
        fields: Names of the fields to return; id and display_name when left out.
        order: Sort order such as 'name asc, id desc'.
        limit: Records to return, at most 100.
        offset: Records to skip.
    """
    rows, total = erp.search_page(model, domain or [], fields or ["display_name"], order, min(limit, MAX_PAGE), offset)
    return paged([_clipped(row) for row in rows], total=total, offset=offset)


@tool()
def count_records(erp: Erp, model: str, domain: list[Any] | None = None) -> int:
    """Count the records of a model that meet a domain.

    Args:
        model: Technical name such as 'stock.quant'.
        domain: Conditions in prefix notation; all records when left out.
    """
    return int(erp.call(model, "search_count", domain=domain or []))


@tool()
def read_records(
    erp: Erp,
    model: str,
    ids: Annotated[list[RecordId], Field(min_length=1, max_length=MAX_PAGE)],
    fields: list[str] | None = None,
) -> list[JsonDict]:
    """Read records of any model by their ids.

    Args:
        model: Technical name such as 'product.supplierinfo'.
        ids: Record ids, at most 100.
        fields: Names of the fields to return; all of them when left out.
    """
    return [_clipped(row) for row in erp.call(model, "read", ids=ids, fields=fields or None)]


def _clipped(row: JsonDict) -> JsonDict:
    long = [name for name, value in row.items() if type(value) is str and len(value) > MAX_TEXT]
    return {**row, **{name: clip(row[name]) for name in long}} if long else row
