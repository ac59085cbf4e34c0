"""Files: what is in the directory of a task."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from opsgym import __version__
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.data.harbor.booking import json2_calls
from opsgym.data.harbor.layout import (
    CONFIG,
    FAMILIES,
    INSTRUCTION,
    JUDGED_TASK,
    PLAN,
    SCHEMA_VERSION,
    SERVED_TASK,
    agent_key,
    directory_name,
    sealed,
)

Files = dict[str, bytes]
"""Contents by path within a task directory, with slashes."""

_TEMPLATES = Path(__file__).parent / "templates"
_WHEEL = re.compile(r"opsgym-[A-Za-z0-9_.+]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl")


def task_files(task: Task, *, wheel: Path | None = None) -> Files:
    """The files of a task's directory; the same task and OpsGym give the same bytes.

    Args:
        task: The task.
        wheel: OpsGym's wheel, from which the images install it; by default they take this version from PyPI.

    Raises:
        RegistryError: The family cannot be exported; lists those that can.
        TaskError: The ERP refuses the task's oracle, or the wheel's name is none of OpsGym's.
    """
    check_family(task.family)
    key = agent_key(task).encode() + b"\n"
    packed = {} if wheel is None else {_wheel_name(wheel): wheel.read_bytes()}
    return {
        CONFIG: _config(task),
        INSTRUCTION: instruction(task).encode(),
        "environment/.dockerignore": _template("dockerignore"),
        "environment/Dockerfile": _template("main.Dockerfile"),
        "environment/api_key": key,
        "environment/docker-compose.yaml": _template("docker-compose.yaml"),
        "environment/erp/Dockerfile": _image("erp.Dockerfile", "[serve]", wheel),
        "environment/erp/api_key": key,
        "environment/erp/collect.py": _template("collect.py"),
        "environment/erp/serve.sh": _template("serve.sh"),
        SERVED_TASK: _json(sealed(task)),
        PLAN: json.dumps(json2_calls(task), indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n",
        "solution/solve.py": _template("solve.py"),
        "solution/solve.sh": _template("solve.sh"),
        "tests/Dockerfile": _image("tests.Dockerfile", "", wheel),
        JUDGED_TASK: _json(task),
        "tests/test.sh": _template("test.sh"),
        **{f"{folder}/{name}": content for name, content in packed.items() for folder in ("environment/erp", "tests")},
    }


def check_family(family: str) -> None:
    """Refuse a family that cannot be exported.

    Raises:
        RegistryError: It is none of :data:`~opsgym.data.harbor.layout.FAMILIES`.
    """
    if family not in FAMILIES:
        raise RegistryError(
            "family that Harbor directories are made of", family, FAMILIES, note="Others need `opsgym serve mcp`."
        )


def instruction(task: Task) -> str:
    """The brief as agents of Harbor read it: the task's own, and how the ERP is reached."""
    return "\n".join([*filter(None, [task.policy]), task.instruction, _template("access.md").decode()])


def toml_text(value: str) -> str:
    r"""A text as a basic string of TOML.

    Example:
        >>> print(toml_text('say "hi"'))
        "say \"hi\""
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _config(task: Task) -> bytes:
    name = directory_name(task)
    return _filled(
        "task.toml",
        SCHEMA_VERSION=toml_text(SCHEMA_VERSION),
        NAME=toml_text(f"opsgym/{name}"),
        VERSION=toml_text(task.version),
        DESCRIPTION=toml_text(
            f"{task.family}, {task.tier}, {task.pattern}: plan and book supply in an ERP; the optimum is certified."
        ),
        TIER=toml_text(task.tier),
        PATTERN=toml_text(task.pattern),
        FAMILY=toml_text(task.family),
        TASK_ID=toml_text(task.id),
    )


def _image(template: str, extra: str, wheel: Path | None) -> bytes:
    if wheel is None:
        return _filled(template, INSTALL=f'RUN pip install --no-cache-dir "opsgym{extra}=={__version__}"')
    name = _wheel_name(wheel)
    return _filled(template, INSTALL=f'COPY {name} /tmp/{name}\nRUN pip install --no-cache-dir "/tmp/{name}{extra}"')


def _wheel_name(wheel: Path) -> str:
    if not _WHEEL.fullmatch(wheel.name):
        raise TaskError(f"expected a file such as opsgym-{__version__}-py3-none-any.whl, got {wheel.name!r}", field="wheel")
    return wheel.name


@cache
def _template(name: str) -> bytes:
    return (_TEMPLATES / name).read_bytes()


def _filled(name: str, **values: str) -> bytes:
    """A template with every ``@NAME@`` replaced; what a value holds is not replaced again."""
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], _template(name).decode()).encode()


def _json(task: Task) -> bytes:
    return task.to_json().encode() + b"\n"
