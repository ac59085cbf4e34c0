"""EnterpriseBenchFamily: what EnterpriseBench provides so that a ToolEnv can play it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.family import Family, FixedSet
from opsgym.core.records.live_judge import changes_since
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import Snapshot, World
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.answers import is_guessable
from opsgym.envs.enterprise_bench.brief import DISCLOSURES, brief
from opsgym.envs.enterprise_bench.compiler import FAMILY, VERSION, compile_params
from opsgym.envs.enterprise_bench.params import PATTERNS, TIERS, UNANSWERABLE, BenchParams, draw_params
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.policies import POLICIES
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.templates import fixed_counts, template_by_name
from opsgym.envs.enterprise_bench.toolboxes import every_tool, toolbox
from opsgym.envs.enterprise_bench.verifier import Checks, judge, read_checks, watched

_READ: Lru[tuple[Setting, Checks]] = Lru(256)


def _read(task: Task) -> tuple[Setting, Checks]:
    try:
        return Setting.model_validate(task.world), read_checks(task.checks)
    except ValidationError as error:
        raise TaskError(f"no sound setting: {error.errors(include_url=False)[0]['msg']}", field="world") from error


def setting_of(task: Task) -> Setting:
    """Where a task plays; read once and kept.

    Raises:
        TaskError: The task's world or checks are unsound.
    """
    return _READ.get(task.id, lambda: _read(task))[0]


def checks_of(task: Task) -> Checks:
    """The checks of a task; read once and kept.

    Raises:
        TaskError: The task's world or checks are unsound.
    """
    return _READ.get(task.id, lambda: _read(task))[1]


class EnterpriseBenchFamily(Family[BenchParams, World]):
    """Requests across a company's sources; see :class:`~opsgym.envs.enterprise_bench.env.EnterpriseBenchEnv`."""

    id = FAMILY
    version = VERSION
    params_type = BenchParams
    tiers = tuple(TIERS)
    patterns: ClassVar[tuple[str, ...]] = PATTERNS
    disclosures = DISCLOSURES
    max_steps = 60
    fixed_set = FixedSet(name="enterprisebench-500", split="test", counts=fixed_counts(), entropy=500)

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> BenchParams:
        """See :func:`~opsgym.envs.enterprise_bench.params.draw_params`."""
        return draw_params(seed, tier=tier, pattern=pattern, overrides=overrides)

    def compile(self, params: BenchParams, seed: int) -> Task:
        """See :func:`~opsgym.envs.enterprise_bench.compiler.compile_params`."""
        return compile_params(params, seed)

    def open(self, task: Task) -> World:
        """The company's world.

        Raises:
            TaskError: The task's world or checks are unsound.
        """
        return setting_of(task).open()

    def session(self, world: World, task: Task) -> Any:
        """What the tools act on: the sources, with the rights of who asks."""
        return setting_of(task).sign_in(watched(world))

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The tools that a task offers; without a task all."""
        return every_tool() if task is None else toolbox(task.tools)

    def baseline(self, world: World, task: Task) -> Snapshot:
        """The seeded world."""
        return world.origin or world.snapshot()

    def verify(self, before: World | Snapshot, after: World, task: Task) -> Verdict:
        """See :func:`~opsgym.envs.enterprise_bench.verifier.judge`."""
        return judge(checks_of(task), before if isinstance(before, Snapshot) else self.baseline(before, task), after)

    def brief(self, task: Task, disclosure: str) -> str:
        """See :func:`~opsgym.envs.enterprise_bench.brief.brief`."""
        return brief(task, setting_of(task), disclosure)

    def render(self, world: World, task: Task) -> str:
        """What differs from the seeded world, a line a record."""
        seeded = self.open(task)
        changed = [str(change) for change in changes_since(system.DOMAIN, self.baseline(seeded, task), world)]
        seeded.close()
        return "\n".join([f"{len(changed)} records changed", *changed])

    def lint(self, task: Task) -> Sequence[str]:
        """See :func:`opsgym.envs.enterprise_bench.lint.lint`."""
        from opsgym.envs.enterprise_bench.lint import lint

        return lint(task)

    def audit(self, before: World, after: World, task: Task) -> Sequence[tuple[str, bool]]:
        """See :func:`opsgym.envs.enterprise_bench.mutants.audit`."""
        from opsgym.envs.enterprise_bench.mutants import audit

        return audit(checks_of(task), self.baseline(before, task), after)

    def patterns_of(self, task: Task) -> tuple[str, ...]:
        """The template, or, of a request that cannot be met, the patterns of such; info names the template in both cases."""
        reason = checks_of(task).reason
        return (task.pattern,) if reason is None else (UNANSWERABLE, reason)

    def is_lucky(self, task: Task, call: ToolCall) -> bool:
        """A refusal is due, or the answer is one of few, and nothing else is asked for."""
        checks = checks_of(task)
        if checks.reason is not None:
            return call.name == "refuse" and call.arguments.get("reason_code") == checks.reason
        if checks.wanted or checks.form is None or not is_guessable(checks.form):
            return False
        return call.name == "submit" and checks.form.score(call.arguments.get("answer")) == 1

    def outline(self, task: Task) -> Sequence[str]:
        """Subtasks in words, with the source and the tool of each, and the numbers of those that it needs."""
        plan = plan_of(task)
        lines = [f"{item.goal} [{item.source}: {item.call.name}]{_needed(item.after)}" for item in plan.subtasks]
        end = "Submit" if plan.reason is None else "Refuse"
        return (*lines, f"{end} [{plan.ending().name}]") if len(lines) + 1 == len(task.oracle) else ()

    def facts(self) -> Mapping[str, Any]:
        """Counts of tables, tools and templates."""
        known = template_by_name().values()
        return {
            "tables": len(system.DOMAIN.tables),
            "tools": len(every_tool()),
            "templates": dict(Counter(f"{item.domain} {item.kind}" for item in known)),
        }

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """See :mod:`opsgym.envs.enterprise_bench.policies`."""
        return POLICIES


def _needed(numbers: Sequence[int]) -> str:
    """What a subtask needs, in the numbers that readers see."""
    return f", needs {', '.join(str(number + 1) for number in numbers)}" if numbers else ""
