"""Tables that the documentation takes from the code, in Markdown; ``<!-- table: name -->`` in a page calls one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opsgym.core.tools import Tool
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.envs.erp_bench.rules import RULES

ERP = ErpBenchFamily()


def markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def erp_parameters() -> str:
    """Difficulty parameters of ERPBench."""
    rows = ERP.params_type.describe()
    return markdown(
        ("parameter", "range", "unit", "harder", "what it is"),
        [(f"`{row['name']}`", row["range"], row["unit"], row["harder"], row["description"]) for row in rows],
    )


def erp_patterns() -> str:
    """Patterns of ERPBench by tier."""
    return markdown(
        ("pattern", "tier"),
        [(f"`{name}`", pattern.tier) for name, pattern in PATTERNS.items()],
    )


def erp_rules() -> str:
    """Rules of ERPBench's verifier."""
    return markdown(
        ("rule", "family of failure", "what it asks"),
        [(f"`{name}`", rule.family, (rule.function.__doc__ or "").split("\n\n")[0]) for name, rule in sorted(RULES.items())],
    )


def erp_tools() -> str:
    """Tools of ERPBench, a section each, for both harnesses."""
    parts = []
    for harness in ERP.harnesses:
        parts.append(f"## Harness `{harness}`")
        parts.extend(_tool_section(item) for item in ERP.toolbox(harness).values())
    return "\n\n".join(parts)


def _tool_section(item: Tool) -> str:
    required = set(item.parameters.get("required", ()))
    kinds = dict(part.split(": ", 1) for part in item.usage.split(", ")) if item.parameters["properties"] else {}
    arguments = [
        (f"`{name}`", kinds.get(name) or kinds[f"{name}?"], "yes" if name in required else "", schema.get("description", ""))
        for name, schema in item.parameters["properties"].items()
    ]
    effect = " Ends the episode." if item.terminal else " Changes the ERP." if item.mutates else ""
    table = markdown(("argument", "type", "required", "what it is"), arguments) if arguments else "No arguments."
    return f"### `{item.name}`\n\n{item.description}{effect}\n\n{table}"
