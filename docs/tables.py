"""Tables that the documentation takes from the code, in Markdown; ``<!-- table: name -->`` in a page calls one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import enterprise
import or_problems as problems
import patterns

from opsgym.core.params import Params
from opsgym.core.tools import Tool
from opsgym.envs.ace_bench.params import AceParams
from opsgym.envs.ace_bench.tools import toolbox as ace_toolbox
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_ops.params import EnterpriseParams
from opsgym.envs.enterprise_ops.systems import HYBRID, SYSTEMS, system, templates
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.rules import RULES
from opsgym.envs.or_agent_bench.params import OrParams
from opsgym.sandbox import guarantees
from opsgym.sandbox.escapes import ESCAPES

ERP = ErpBenchFamily()


def markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def parameters(model: type[Params], ranges: Mapping[str, str] | None = None) -> str:
    """Difficulty parameters of a family; ranges stand for those that would be too long."""
    known = {row["name"]: row["range"] for row in model.describe()} | dict(ranges or {})
    return markdown(
        ("parameter", "range", "unit", "harder", "what it is"),
        [(f"`{row['name']}`", known[row["name"]], row["unit"], row["harder"], row["description"]) for row in model.describe()],
    )


def ace_parameters() -> str:
    """Difficulty parameters of ACEBench."""
    return parameters(AceParams)


def ace_tools() -> str:
    """Tools of ACEBench in one domain, a section each."""
    return "\n\n".join(_tool_section(item) for item in ace_toolbox("course").values())


def or_parameters() -> str:
    """Difficulty parameters of ORAgentBench."""
    return parameters(OrParams)


def or_problems() -> str:
    """The problem classes of ORAgentBench."""
    return problems.table()


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
    """Tools of ERPBench, a section each, for every harness."""
    parts = []
    for harness in ERP.harnesses:
        parts.append(f"## Harness `{harness}`")
        parts.extend(_tool_section(item) for item in ERP.toolbox(harness).values())
    return "\n\n".join(parts)


def enterprise_bench_parameters() -> str:
    """Difficulty parameters of EnterpriseBench."""
    return parameters(BenchParams, {"template": "any, or one of {doc}`the templates </envs/enterprise_bench_pages/catalogue>`"})


def enterprise_parameters() -> str:
    """Difficulty parameters of EnterpriseOps."""
    return parameters(EnterpriseParams)


def enterprise_domains() -> str:
    """How much there is in each domain of EnterpriseOps."""
    rows = [
        (
            f"{{doc}}`{name} </envs/enterprise_ops_domains/{name}>`",
            len(domain.tables),
            len(domain.tools),
            len(domain.rules),
            count,
        )
        for name, domain, count in ((name, system(name).domain, len(templates(name))) for name in SYSTEMS)
    ]
    hybrid = ("{doc}`hybrid </envs/enterprise_ops_domains/hybrid>`", "", "", "", len(templates(HYBRID)))
    return markdown(("domain", "tables", "tools", "rules", "templates"), [*rows, hybrid])


def enterprise_flagged() -> str:
    """Defects of published checks."""
    return markdown(("task", "checks", "defect", "what is wrong"), enterprise.flagged())


def sandbox_promises() -> str:
    """What the forms of the sandbox keep to, and what they do not."""
    strong = ("bubblewrap, and plain with namespaces", guarantees.OWN_VIEW, guarantees.NEVER)
    kept = (*guarantees.WITHOUT_VIEW, guarantees.FILTERED, f"started by root: {guarantees.OWN_USER}")
    weak = (
        "plain without namespaces",
        kept,
        (*guarantees.NO_VIEW, f"not started by root: {guarantees.SAME_USER}", *guarantees.NEVER),
    )
    parts = []
    for form, promised, open_to in (strong, weak):
        parts += [f"### {form[0].upper()}{form[1:]}", "It guarantees:", _list(promised), "It does not guarantee:", _list(open_to)]
    return "\n\n".join(parts)


def sandbox_attempts() -> str:
    """The attempts of the escape suite."""
    needs = {"": "all", "user": "all; plain without namespaces only as root", "view": "those with namespaces"}
    rows = [(escape.group, escape.name, needs[escape.needs]) for escape in ESCAPES]
    return markdown(("what is tried", "attempt", "forms that promise to contain it"), rows)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


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
