"""Schema: Harbor's ``task.toml``, version 1.4, as far as a task of one step needs it.

Source: Harbor 0.26, ``harbor/models/task/config.py``, and its page "Task configuration".  Harbor reads fields that it does not
know without a word; here they are refused, so that a misspelt one is not lost.
"""

from __future__ import annotations

import tomllib
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from opsgym.core.errors import TaskError
from opsgym.data.harbor.layout import CONFIG

NetworkMode = Literal["public", "no-network", "allowlist"]
Seconds = Annotated[float, Field(gt=0)]
Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*$")]
Service = Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9_.-]*$")]


class _Table(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Network(_Table):
    """What may be reached; ``allowed_hosts`` goes with ``"allowlist"`` alone."""

    network_mode: NetworkMode | None = None
    allowed_hosts: list[str] | None = None

    @model_validator(mode="after")
    def _check_hosts(self) -> Self:
        if self.allowed_hosts and self.network_mode != "allowlist":
            raise ValueError("allowed_hosts needs network_mode 'allowlist'")
        return self


class Author(_Table):
    """An author."""

    name: str
    email: str | None = None


class Package(_Table):
    """``[task]``: what the task is called in a registry."""

    name: Name
    version: Annotated[str, Field(min_length=1)] | None = None
    description: str = ""
    authors: list[Author] = []
    keywords: list[str] = []


class Agent(_Network):
    """``[agent]``."""

    timeout_sec: Seconds | None = None
    user: str | int | None = None


class Healthcheck(_Table):
    """``[environment.healthcheck]``."""

    command: str
    interval_sec: Seconds = 5.0
    timeout_sec: Seconds = 30.0
    start_period_sec: float = 0.0
    start_interval_sec: Seconds = 5.0
    retries: int = 3


class McpServer(_Table):
    """``[[environment.mcp_servers]]``."""

    name: str
    transport: Literal["stdio", "sse", "streamable-http", "http"] = "sse"
    url: str | None = None
    command: str | None = None
    args: list[str] = []
    headers: dict[str, str] = {}


class Environment(_Network):
    """``[environment]`` and ``[verifier.environment]``."""

    build_timeout_sec: Seconds = 600.0
    docker_image: str | None = None
    os: Literal["linux", "windows"] = "linux"
    cpus: Annotated[float, Field(gt=0)] | None = None
    memory_mb: Annotated[int, Field(gt=0)] | None = None
    storage_mb: Annotated[int, Field(gt=0)] | None = None
    gpus: Annotated[int, Field(ge=0)] | None = None
    gpu_types: list[str] | None = None
    mcp_servers: list[McpServer] = []
    env: dict[str, str] = {}
    skills_dir: str | None = None
    healthcheck: Healthcheck | None = None
    workdir: str | None = None


class Collect(_Table):
    """``[[verifier.collect]]``: a command that is run when the agent has stopped."""

    command: str
    service: Service = "main"
    timeout_sec: Seconds = 60.0
    user: str | int | None = None


class Verifier(_Network):
    """``[verifier]``."""

    timeout_sec: Seconds = 600.0
    env: dict[str, str] = {}
    user: str | int | None = None
    environment_mode: Literal["shared", "separate"] | None = None
    environment: Environment | None = None
    collect: list[Collect] = []

    @model_validator(mode="after")
    def _check_mode(self) -> Self:
        if self.environment_mode == "shared" and self.environment is not None:
            raise ValueError("environment_mode 'shared' does not go with an environment of the verifier's own")
        return self


class Artifact(_Table):
    """An entry of ``artifacts``: what is taken from a container to the verifier's."""

    source: str
    destination: str | None = None
    exclude: list[str] = []
    service: Service | None = None

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if ".." in self.source.split("/") or (self.service not in (None, "main") and not self.source.startswith("/")):
            raise ValueError(f"expected a path without '..', absolute where it is of another service, got {self.source!r}")
        return self


class Solution(_Table):
    """``[solution]``."""

    env: dict[str, str] = {}


class TaskToml(_Table):
    """The whole file."""

    schema_version: Annotated[str, Field(pattern=r"^1\.[0-4]$")] = "1.4"
    task: Package | None = None
    metadata: dict[str, Any] = {}
    verifier: Verifier = Verifier()
    agent: Agent = Agent()
    environment: Environment = Environment()
    solution: Solution = Solution()
    source: str | None = None
    artifacts: list[str | Artifact] = []


def read_config(text: str, *, where: str = CONFIG) -> TaskToml:
    r"""Read a ``task.toml``.

    Args:
        text: The file.
        where: What to call it in messages.

    Raises:
        TaskError: It is no TOML or breaks the schema; names the field, what is expected and what is given.

    Example:
        >>> read_config('schema_version = "1.4"\n[verifier]\ntimeout_sec = "soon"')
        Traceback (most recent call last):
        opsgym.core.errors.TaskError: task.toml.verifier.timeout_sec: Input should be a valid number, got 'soon'
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"expected TOML: {error}", field=where) from error
    try:
        return TaskToml.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join([where, *map(str, first["loc"])])
        raise TaskError(f"{first['msg'].removeprefix('Value error, ')}, got {first['input']!r}", field=place) from error
