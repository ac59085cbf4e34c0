"""What `import opsgym` costs and leaves alone, and how the repository is laid out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import opsgym

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "ortools",
    "torch",
    "pandas",
    "matplotlib",
    "pettingzoo",
    "typer",
    "rich",
    "httpx",
    "tenacity",
    "stable_baselines3",
    "ray",
    "pyarrow",
    "mcp",
}


def run(code: str) -> object:
    """The JSON that a fresh process prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


def test_importing_loads_nothing_heavy() -> None:
    """Registration, tools and spaces need none of these; solving, the command line and training do."""
    loaded = run("import json, sys, opsgym; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))")
    assert isinstance(loaded, list)
    assert "opsgym" in loaded
    assert not HEAVY & set(loaded)


def test_importing_leaves_global_randomness_alone() -> None:
    code = """
import json, random, numpy as np
state = lambda: repr((random.getstate(), np.random.get_state(legacy=False)))
before = state()
import opsgym, opsgym.core.spaces, opsgym.core.actions, opsgym.core.params, opsgym.core.world
print(json.dumps(before == state()))
"""
    assert run(code) is True


def test_sampling_and_parsing_leave_global_randomness_alone() -> None:
    code = """
import json, random, numpy as np
from opsgym.core.actions import parse_actions
from opsgym.core.spaces import ToolCallText, UnicodeText
from opsgym.core.tools import tool
@tool()
def note(session: object, text: str, size: float = 1.0) -> None:
    "Note."
state = lambda: repr((random.getstate(), np.random.get_state(legacy=False)))
before = state()
space = ToolCallText([note.schema()], 200, seed=1)
for _ in range(20):
    parse_actions(space.sample())
    UnicodeText(50, seed=2).sample()
print(json.dumps(before == state()))
"""
    assert run(code) is True


def test_the_version_is_stated_once_and_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == opsgym.__version__
    assert f"## {opsgym.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_core_imports_no_family() -> None:
    for path in sorted((ROOT / "opsgym" / "core").glob("*.py")):
        imported = re.findall(r"^\s*(?:from|import) (opsgym\.(?!core)[\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not imported, f"{path.name} imports {imported}"


@pytest.mark.parametrize("name", ["envs", "wrappers", "curricula", "baselines"])
def test_the_parts_that_users_look_for_are_linked_at_the_root(name: str) -> None:
    link = ROOT / name
    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.resolve() == ROOT / "opsgym" / name
    assert (link / "__init__.py").is_file()
