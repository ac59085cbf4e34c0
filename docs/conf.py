"""How Sphinx builds the documentation; run ``make docs``."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import mcp  # noqa: F401  # its models cannot be made once autodoc has touched the annotations of pydantic's
from sphinx.application import Sphinx

import opsgym

sys.path.insert(0, str(Path(__file__).parent))  # for tables.py beside this file

project = "OpsGym"
author = "The OpsGym authors"
copyright = author
version = release = opsgym.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"OpsGym {release}"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
# Fields of models are described in their class; attribute entries beside the fields themselves would be duplicates.
napoleon_use_ivar = True
# Examples in docstrings are run by pytest.
doctest_test_doctest_blocks = ""
napoleon_google_docstring = True
napoleon_numpy_docstring = False


def insert_docstring(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the docstring of a class, Markdown with Python roles and doctests, in place of ``<!-- docstring: name -->``."""

    def read(mark: re.Match[str]) -> str:
        module, _, name = mark[1].rpartition(".")
        text = inspect.getdoc(getattr(importlib.import_module(module), name)) or ""
        text = re.sub(r":(class|meth|func|attr|exc):`", r"{py:\1}`", text)
        return re.sub(r"^>>> (?:.+\n?)+", lambda block: f"```pycon\n{block[0].rstrip()}\n```\n", text, flags=re.MULTILINE)

    source[0] = re.sub(r"<!-- docstring: ([\w.]+) -->", read, source[0])


def insert_table(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a table of ``tables.py`` in place of ``<!-- table: name -->``."""
    tables = importlib.import_module("tables")
    source[0] = re.sub(r"<!-- table: (\w+) -->", lambda mark: str(getattr(tables, mark[1])()), source[0])


def write_patterns(app: Sphinx) -> None:
    """Write the pages about the patterns and problem classes, which are not kept."""
    importlib.import_module("patterns").write_pages(Path(app.srcdir) / "envs" / "erp_patterns")
    importlib.import_module("or_problems").write_pages(Path(app.srcdir) / "envs" / "or_problems")


def write_domains(app: Sphinx) -> None:
    """Write the pages about EnterpriseOps and EnterpriseBench, which are not kept."""
    importlib.import_module("enterprise").write_pages(Path(app.srcdir) / "envs" / "enterprise_ops_domains")
    importlib.import_module("enterprise_bench").write_pages(Path(app.srcdir) / "envs" / "enterprise_bench_pages")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_domains)
    app.connect("builder-inited", write_patterns)
    app.connect("source-read", insert_docstring)
    app.connect("source-read", insert_table)
