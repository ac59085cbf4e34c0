"""Search over the texts of a source."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_bench.search import TEXTS
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.tools.makers import Given, made


def _search(desk: Desk, given: Given) -> Any:
    table = desk.domain.table(given["source"])
    hits, total = desk.search(table, given["query"], given["limit"])
    results = [{"relevance": round(hit.score, 4)} | desk.get(table, {table.id: hit.key}) for hit in hits]
    return {"results": results, "total": total}


TOOLS = (
    made(
        "search_documents",
        "Search the texts of a source for words; results are what you may read, best first",
        (
            Argument("source", Literal[tuple(TEXTS)], "What to search."),
            Argument("query", Annotated[str, Field(min_length=1, max_length=400)], "Words; any of them may occur."),
            Argument("limit", Annotated[int, Field(ge=1, le=40)], "Greatest number of results.", False, 10),
        ),
        _search,
    ),
)
"""The tools."""
