"""A family of four tools over one table: shows that the core is not shaped by any one domain, and tests ToolEnv fast."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from opsgym.core.errors import RegistryError, TaskError, ToolError
from opsgym.core.family import Family
from opsgym.core.params import Params, knob
from opsgym.core.task import Certificate, CheckSpec, Task, ToolCall
from opsgym.core.tools import Toolbox, tool
from opsgym.core.verify import CheckResult, Verdict, grouped_score
from opsgym.core.world import World
from opsgym.envs.tool_env import ToolEnv
from opsgym.envs.vector import ToolSyncVectorEnv

DDL = """CREATE TABLE counter (
    id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, value INTEGER NOT NULL CHECK (value BETWEEN 0 AND 99)
) STRICT"""


class ToyParams(Params):
    """How many counters there are, and how the brief names them."""

    counters: int = knob(2, low=1, high=9, unit="counters", harder="up", description="Counters to set.")
    pattern: Literal["colours", "metals"] = knob("colours", unit="choice", harder="none", description="Names of the counters.")


NAMES = {
    "colours": ("red", "green", "blue", "cyan", "teal", "pink", "grey", "plum", "rust"),
    "metals": ("iron", "zinc", "gold", "lead", "tin", "nickel", "copper", "cobalt", "silver"),
}
TIERS = {"easy": (1, 2), "medium": (3, 5)}


@tool()
def look(world: World, name: str | None = None) -> dict[str, int]:
    """Values of the counters.

    Args:
        name: Only this counter.
    """
    rows = world.execute("SELECT name, value FROM counter WHERE ?1 IS NULL OR name = ?1 ORDER BY id", (name,)).fetchall()
    if not rows:
        raise ToolError("not_found", f"There is no counter {name!r}.")
    return dict(rows)


@tool(mutates=True)
def add(world: World, name: str, amount: int) -> int:
    """Add to a counter and return its new value.

    Args:
        name: The counter.
        amount: What to add; may be negative.
    """
    value = look.function(world, name)[name] + amount
    if not 0 <= value <= 99:
        raise ToolError("invalid_value", f"{name} would be {value}; counters go from 0 to 99.")
    world.execute("UPDATE counter SET value = ? WHERE name = ?", (value, name))
    return int(value)


@tool(mutates=True)
def move(world: World, source: str, target: str, amount: int) -> dict[str, int]:
    """Take from one counter and give to another.

    Args:
        source: Where to take from.
        target: Where to add.
        amount: How much.
    """
    add.function(world, source, -amount)
    add.function(world, target, amount)
    return look.function(world)  # type: ignore[no-any-return]  # Tool.function is untyped by contract


@tool(terminal=True)
def submit(world: World) -> str:
    """Finish the task."""
    return "submitted"


TOOLBOX = Toolbox([look, add, move, submit])


class ToyFamily(Family[ToyParams]):
    """Set each counter to its target."""

    id = "Toy-v0"
    version = "1"
    params_type = ToyParams
    tiers = tuple(TIERS)
    patterns = tuple(NAMES)
    disclosures = ("full", "brief")
    max_steps = 10

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> ToyParams:
        rng = random.Random(seed)
        drawn_tier, drawn_pattern = rng.choice(self.tiers), rng.choice(self.patterns)
        for kind, given, known in (("tier", tier, self.tiers), ("pattern", pattern, self.patterns)):
            if given is not None and given not in known:
                raise RegistryError(kind, given, known)
        values = {"counters": rng.randint(*TIERS[tier or drawn_tier]), "pattern": pattern or drawn_pattern}
        return self.params_type.build({**values, **(overrides or {})})

    def compile(self, params: ToyParams, seed: int) -> Task:
        if params.counters == 9:
            raise TaskError("nine counters need ten values", field="params.counters")
        rng = random.Random(seed)
        targets = {name: rng.randint(1, 50) for name in NAMES[params.pattern][: params.counters]}
        tier = next((tier for tier, (low, high) in TIERS.items() if low <= params.counters <= high), "custom")
        return Task(
            family=self.id,
            version=self.version,
            seed=seed,
            tier=tier,
            pattern=params.pattern,
            params=params.model_dump(mode="json"),
            instruction="Set the counters: " + ", ".join(f"{name} to {value}" for name, value in targets.items()) + ".",
            tools=tuple(TOOLBOX),
            world={"counters": list(targets)},
            oracle=(
                *(ToolCall(name="add", arguments={"name": name, "amount": value}) for name, value in targets.items()),
                ToolCall(name="submit"),
            ),
            checks=tuple(
                CheckSpec(rule="value", dimension="constraint", group=name, mode="each", args={"name": name, "value": value})
                for name, value in targets.items()
            ),
            certificate=Certificate(status="optimal", objective="none", value=0.0, bound=0.0),
        )

    def open(self, task: Task) -> World:
        world = World(DDL, today=dt.date(2026, 5, 4))
        world.executemany("INSERT INTO counter (name, value) VALUES (?, 0)", [(name,) for name in task.world["counters"]])
        return world

    def session(self, world: World, task: Task) -> World:
        return world

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        return TOOLBOX

    def verify(self, before: World, after: World, task: Task) -> Verdict:
        values = look.function(after)
        results = []
        for spec in task.checks:
            expected, actual = spec.args["value"], values.get(spec.args["name"])
            results.append(CheckResult(spec, "pass" if expected == actual else "fail", expected, actual))
        score = grouped_score(results)
        return Verdict(reward=score, is_success=score == 1.0, scores={"constraint": score}, checks=tuple(results))

    def brief(self, task: Task, disclosure: str) -> str:
        return task.instruction if disclosure == "full" else task.instruction + " Be quick."

    def render(self, world: World, task: Task) -> str:
        return " ".join(f"{name}={value}" for name, value in look.function(world).items())

    def exploits(self, task: Task) -> Mapping[str, Sequence[Any]]:
        return {"overshoot": [ToolCall(name="add", arguments={"name": task.world["counters"][0], "amount": 99})]}

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        mutant = after.fork()
        mutant.execute("UPDATE counter SET value = value - 1 WHERE id = 1")
        return [("value", not self.verify(before, mutant, task).is_success)]


class ToyEnv(ToolEnv):
    """Counters to be set."""

    family = ToyFamily()


class ToyVectorEnv(ToolSyncVectorEnv):
    """A batch of them."""

    env_type = ToyEnv
