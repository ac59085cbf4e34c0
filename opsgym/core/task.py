"""Task: the compiled, immutable, serialisable unit that an environment plays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from opsgym.core.errors import TaskError

SCHEMA_VERSION = 1
"""Version of the task file format; a reader refuses files of a newer one."""

JsonDict = dict[str, Any]


class Frozen(BaseModel):
    """Base of every immutable, strictly checked record of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ToolCall(Frozen):
    """One call of one tool: its ``name`` and its ``arguments`` by name."""

    name: str
    arguments: JsonDict = Field(default_factory=dict)


class Certificate(Frozen):
    """What the solver proved about a task.

    Attributes:
        status: ``"optimal"`` when value and bound meet, ``"feasible"`` for feasibility-only tasks.
        objective: Objective kind in the family's vocabulary.
        value: Certified primary objective in natural units (money, vendors, minutes, units).
        bound: Proven bound on the primary objective; equals ``value`` when optimal.
        secondary: Certified tie-break value, or ``None`` where the objective has none.
        statistics: Model size and deterministic solver time; never wall time.
    """

    status: Literal["optimal", "feasible"]
    objective: str
    value: float
    bound: float
    secondary: float | None = None
    statistics: dict[str, float] = Field(default_factory=dict)


class CheckSpec(Frozen):
    """One promise of the verifier.

    Attributes:
        rule: Name of the rule in the family's catalogue.
        dimension: What it counts towards, for example ``"constraint"`` or ``"traceability"``.
        group: Checks of one group with ``mode="all"`` are earned together or not at all.
        mode: ``"all"`` or ``"each"``.
        args: Arguments of the rule.
    """

    rule: str
    dimension: str
    group: str
    mode: Literal["all", "each"] = "all"
    args: JsonDict = Field(default_factory=dict)


class Task(Frozen):
    """A compiled task: brief, world, reference solution and verifier from one solved specification.

    The same (family, version, params, seed) gives byte-identical :meth:`to_json` in any process, on any
    machine, under any ``PYTHONHASHSEED``.

    Attributes:
        schema_version: Version of this file format.
        family: Environment id, for example ``"ERPBench-v0"``.
        version: Version of the family's compiler; part of a task's identity.
        seed: Seed from which the task was drawn.
        tier: Named difficulty region, or ``"custom"``.
        pattern: Named structural pattern.
        params: Difficulty parameters, as given by the family's model.
        instruction: The brief, as the agent reads it at reset.
        policy: System text, or empty.
        tools: Names of the tools on offer under the default harness.
        world: Seed data of the world; backend-neutral.
        oracle: Reference solution as tool calls under the default harness.
        checks: The verifier's specification.
        certificate: What was proven, by which the oracle is known to be best.
        metadata: Measured facts (heuristic scores, counts); never used for scoring.
    """

    schema_version: Annotated[int, Field(strict=True, ge=1)] = SCHEMA_VERSION
    family: str
    version: str
    seed: Annotated[int, Field(strict=True)]
    tier: str
    pattern: str
    params: JsonDict
    instruction: str
    policy: str = ""
    tools: tuple[str, ...]
    world: JsonDict
    oracle: tuple[ToolCall, ...]
    checks: tuple[CheckSpec, ...]
    certificate: Certificate
    metadata: JsonDict = Field(default_factory=dict)
    id: str = ""

    @model_validator(mode="after")
    def _fill_id(self) -> Task:
        try:
            expected = content_hash(self.model_dump(exclude={"id"}))
        except TypeError as error:  # a set, a date: its JSON could differ between processes or would not read back equal
            raise ValueError(f"the content must be plain JSON: {error}") from error
        if not self.id:
            object.__setattr__(self, "id", expected)
        elif self.id != expected:
            raise ValueError(f"id {self.id!r} does not match the content, expected {expected!r}: the task was altered")
        return self

    def to_json(self) -> str:
        """The task as canonical JSON on one line: sorted keys, no spaces."""
        return canonical_json(self.model_dump())

    @classmethod
    def from_json(cls, text: str | bytes, *, family: str | None = None) -> Task:
        """Read a task and check it.

        Args:
            text: JSON as written by :meth:`to_json`.
            family: The family that is to play it; another one is refused.

        Raises:
            TaskError: The text is no task, is damaged or altered, is of a newer format version, or
                belongs to another family; the message names the field.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TaskError(f"not a task: invalid JSON ({error})") from error
        return cls.from_dict(data, family=family)

    @classmethod
    def from_dict(cls, data: object, *, family: str | None = None) -> Task:
        """Like :meth:`from_json`, for already parsed JSON."""
        if not isinstance(data, Mapping):
            raise TaskError(f"not a task: expected a JSON object, got {type(data).__name__}")
        version = data.get("schema_version")
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise TaskError(
                f"the file has format version {version}, this OpsGym reads up to {SCHEMA_VERSION}; upgrade opsgym",
                field="schema_version",
            )
        if family is not None and data.get("family") != family:
            raise TaskError(f"expected {family!r}, got {data.get('family')!r}", field="family")
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "id"
            raise TaskError(first["msg"].removeprefix("Value error, "), field=field) from error

    def public(self) -> JsonDict:
        """What an agent may see: never the oracle, the checks, the certificate, the seed or the world."""
        return {
            "family": self.family,
            "version": self.version,
            "instruction": self.instruction,
            "policy": self.policy,
            "tools": list(self.tools),
        }


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces, so that equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: object) -> str:
    """First 16 hex digits of the SHA-256 of :func:`canonical_json`."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]
