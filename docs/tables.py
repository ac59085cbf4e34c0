"""Tables that the documentation takes from the code, in Markdown; ``<!-- table: name -->`` in a page calls one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import patterns

from opsgym.core.params import Params
from opsgym.core.tools import Tool
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.tools import toolbox as ace_toolbox
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.rules import RULES

ERP = ErpBenchFamily()


def markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def parameters(model: type[Params]) -> str:
    """Difficulty parameters of a family."""
    return markdown(
        ("parameter", "range", "unit", "harder", "what it is"),
        [(f"`{row['name']}`", row["range"], row["unit"], row["harder"], row["description"]) for row in model.describe()],
    )


def ace_parameters() -> str:
    """Difficulty parameters of ACEBench."""
    return parameters(AceParams)


def ace_tools() -> str:
    """Tools of ACEBench in one domain, a section each."""
    return "\n\n".join(_tool_section(item) for item in ace_toolbox("course").values())


def erp_parameters() -> str:
    """Difficulty parameters of ERPBench."""
    return parameters(ERP.params_type)


def erp_taxonomy() -> str:
    """What each pattern of ERPBench is made of."""
    return markdown(patterns.HEADINGS, patterns.taxonomy())


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
    effect = " Ends the episode." if item.terminal else " Changes the world." if item.mutates else ""
    table = markdown(("argument", "type", "required", "what it is"), arguments) if arguments else "No arguments."
    return f"### `{item.name}`\n\n{item.description}{effect}\n\n{table}"
