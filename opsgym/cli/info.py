"""The command info."""

from __future__ import annotations

from itertools import groupby
from textwrap import fill
from typing import Annotated, Any

import typer
from rich.text import Span, Text

import opsgym
from opsgym.cli.shared import Json, out, print_json
from opsgym.core.errors import RegistryError
from opsgym.data.packs import SUFFIXES, pack_info
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.selection import regions

MANY = RegistryError.MOST
"""So many names are listed in one line, if nothing but a terminal wraps it; of more tools their number is told."""
WIDE = 120
"""Characters in a line of more names, where no terminal tells."""
WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def info(
    what: Annotated[str | None, typer.Argument(help="An environment id or a pack.", metavar="[ID | PACK]")] = None,
    as_json: Json = False,
    tools: Annotated[bool, typer.Option("--tools", help="List the tools of an environment, one a line.")] = False,
) -> None:
    """Say what there is: environments, one environment, or a pack."""
    if tools:
        _list_tools(what, as_json=as_json)
        return
    if what is None:
        data: dict[str, Any] = {"opsgym": opsgym.__version__, "environments": list(opsgym.ENV_IDS)}
    elif what.endswith(SUFFIXES):
        data = pack_info(what)
    else:
        data = _env_info(what)
    if as_json:
        print_json(data)
        return
    for name, value in data.items():
        if name == "tools" and isinstance(value, list) and len(value) > MANY:
            value = f"{len(value)} names (opsgym info {what} --tools lists them)"
        for number, line in enumerate(f"{name}:{_plain(value)}".splitlines()):
            width = out.width if out.is_terminal else WIDE
            is_wrapped = out.is_terminal or line.count(", ") > MANY
            text = fill(line, width, subsequent_indent="      ", **WHOLE_WORDS) if is_wrapped else line
            out.print(Text(text, spans=[Span(0, 0 if number else len(name), "bold")]))


def _list_tools(env_id: str | None, *, as_json: bool) -> None:
    if env_id is None or env_id.endswith(SUFFIXES):
        raise typer.BadParameter("goes with the id of an environment", param_hint="--tools")
    names = list(load_env(entry_point_of(env_id), cache=None).tools)
    if as_json:
        print_json({"environment": env_id, "tools": names})
    else:
        out.print(Text("\n".join(names)))


def _env_info(env_id: str) -> dict[str, Any]:
    env = load_env(entry_point_of(env_id), cache=None)
    family = env.family
    fields = family.params_type.model_json_schema()["properties"]
    return {
        "environment": env_id,
        "version": family.version,
        **family.facts(),
        "tiers": {
            tier: [pattern for _, pattern in group] for tier, group in groupby(regions(family), key=lambda region: region[0])
        },
        "harnesses": list(family.harnesses),
        "disclosures": list(family.disclosures),
        "reward_modes": list(family.reward_modes),
        "max_steps": family.max_steps,
        "tools": list(env.tools),
        "parameters": {name: _parameter(field) for name, field in fields.items()},
    }


def _parameter(field: dict[str, Any]) -> str:
    bounds = f" from {field['minimum']} to {field['maximum']}" if "minimum" in field and "maximum" in field else ""
    harder = {"up": ", harder upwards", "down": ", harder downwards"}.get(field.get("harder", ""), "")
    return f"{field.get('description', '')} [{field.get('unit', '')}{bounds}{harder}]"


def _plain(value: Any) -> str:
    """What follows a name: a blank and a value or a list of values, or a line for each part; a list is told once."""
    if isinstance(value, dict):
        known = list(value.values())
        parts = [
            " the same" if item in known[:place] and isinstance(item, list) else _plain(item) for place, item in enumerate(known)
        ]
        return "".join(f"\n  {key}:{part}" for key, part in zip(value, parts, strict=True))
    return " " + (", ".join(map(str, value)) if isinstance(value, list) else str(value))
