"""EnterpriseOpsFamily: what EnterpriseOps provides so that a ToolEnv can play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.family import Family, FixedSet
from opsgym.core.records.records import Records
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Toolbox
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_ops.brief import DISCLOSURES, brief
from opsgym.envs.enterprise_ops.compiler import FAMILY, VERSION, compile_params
from opsgym.envs.enterprise_ops.estate import Desk, Estate, parts_of, watched
from opsgym.envs.enterprise_ops.params import TIERS, EnterpriseParams, draw_params
from opsgym.envs.enterprise_ops.policies import POLICIES
from opsgym.envs.enterprise_ops.setting import Setting
from opsgym.envs.enterprise_ops.systems import fixed_counts, system, template_by_name
from opsgym.envs.enterprise_ops.toolboxes import every_tool, toolbox
from opsgym.envs.enterprise_ops.verifier import Before, Checks, check_safe, judge, judge_release, read_checks

_READ: Lru[tuple[Setting, Checks]] = Lru(256)


def _read(task: Task) -> tuple[Setting, Checks]:
    try:
        return Setting.model_validate(task.world), read_checks(task.checks)
    except ValidationError as error:
        raise TaskError(f"no sound setting: {error.errors(include_url=False)[0]['msg']}", field="world") from error


def setting_of(task: Task) -> Setting:
    """Where a task plays; read once and kept.

    Raises:
        TaskError: The task's world is no sound setting.
    """
    return _READ.get(task.id, lambda: _read(task))[0]


def checks_of(task: Task) -> Checks:
    """The checks of a task; read once and kept.

    Raises:
        TaskError: They are unsound.
    """
    return _READ.get(task.id, lambda: _read(task))[1]


class EnterpriseOpsFamily(Family[EnterpriseParams, Any]):
    """Service work in enterprise systems; see :class:`~opsgym.envs.enterprise_ops.env.EnterpriseOpsEnv`."""

    id = FAMILY
    version = VERSION
    params_type = EnterpriseParams
    tiers = tuple(TIERS)
    patterns: ClassVar[tuple[str, ...]] = tuple(template_by_name())
    disclosures = DISCLOSURES
    max_steps = 120
    fixed_set = FixedSet(name="enterpriseops-1150", split="test", counts=fixed_counts(), entropy=1150)

    def draw(
        self, seed: int, *, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> EnterpriseParams:
        """See :func:`~opsgym.envs.enterprise_ops.params.draw_params`; the pattern is the template."""
        return draw_params(seed, tier=tier, template=pattern, overrides=overrides)

    def compile(self, params: EnterpriseParams, seed: int) -> Task:
        """See :func:`~opsgym.envs.enterprise_ops.compiler.compile_params`."""
        return compile_params(params, seed)

    def open(self, task: Task) -> World | Estate:
        """The base worlds with what the task's template made of them; the task's checks are tried on them.

        Raises:
            TaskError: The task's world or checks are unsound.
        """
        setting = setting_of(task)
        worlds = setting.open()
        if setting.grading == "full":
            check_safe(setting, checks_of(task), {name: world.snapshot() for name, world in worlds.items()})
        return Estate(worlds) if len(worlds) > 1 else next(iter(worlds.values()))

    def session(self, world: World | Estate, task: Task) -> Records | Desk:
        """The records on which the tools act, of several systems on a desk."""
        setting = setting_of(task)
        worlds = parts_of(world, setting.parts[0].system)
        records = {}
        for part in setting.parts:
            found = system(part.system)
            world_of = watched(worlds[part.system])
            records[part.system] = Records(
                found.domain, world_of, part.signed_in(), enforcement=setting.enforcement, book=found.book
            )
        return Desk(records) if len(records) > 1 else next(iter(records.values()))

    def toolbox(self, harness: str, task: Task | None = None) -> Toolbox:
        """The tools that a task offers; without a task those of all systems."""
        if task is None:
            return every_tool()
        return toolbox([part.system for part in setting_of(task).parts], task.tools)

    def baseline(self, world: World | Estate, task: Task) -> Before:
        """The seeded worlds."""
        parts = parts_of(world, setting_of(task).parts[0].system)
        return {name: part.origin or part.snapshot() for name, part in parts.items()}

    def verify(self, before: World | Estate | Before, after: World | Estate, task: Task) -> Verdict:
        """See :func:`~opsgym.envs.enterprise_ops.verifier.judge`."""
        setting = setting_of(task)
        seeded = before if isinstance(before, Mapping) else self.baseline(before, task)
        worlds = parts_of(after, setting.parts[0].system)
        if setting.grading == "release":
            return judge_release(setting, checks_of(task), seeded, {name: world.snapshot() for name, world in worlds.items()})
        return judge(setting, checks_of(task), seeded, worlds)

    def brief(self, task: Task, disclosure: str) -> str:
        """See :func:`~opsgym.envs.enterprise_ops.brief.brief`."""
        return brief(task, setting_of(task), disclosure)

    def render(self, world: World | Estate, task: Task) -> str:
        """What differs from the seeded world, a line a record."""
        seeded = self.open(task)
        changed = self.changed(self.baseline(seeded, task), world, task)
        seeded.close()
        return "\n".join([f"{len(changed)} records changed", *changed])

    def changed(self, before: Before, after: World | Estate, task: Task) -> list[str]:
        """The records that differ, one line each."""
        from opsgym.core.records.live_judge import LiveJudge

        setting = setting_of(task)
        worlds = parts_of(after, setting.parts[0].system)
        found = []
        for part in setting.parts:
            name = part.system
            with LiveJudge(system(name).domain, before[name], worlds[name], part.signed_in()) as held:
                found += [f"{name}: {change}" for change in held.changes]
        return found

    def audit(self, before: World | Estate, after: World | Estate, task: Task) -> Sequence[tuple[str, bool]]:
        """See :func:`opsgym.envs.enterprise_ops.mutants.audit`."""
        from opsgym.envs.enterprise_ops.mutants import audit

        return audit(setting_of(task), checks_of(task), self.baseline(before, task), after)

    def lint(self, task: Task) -> Sequence[str]:
        """See :func:`opsgym.envs.enterprise_ops.lint.lint`."""
        from opsgym.envs.enterprise_ops.lint import lint

        return lint(task)

    def is_lucky(self, task: Task, call: ToolCall) -> bool:
        """A refusal is due, and was given with the right one of six reasons."""
        return call.name == "refuse" and call.arguments.get("reason_code") in checks_of(task).reasons

    def facts(self) -> Mapping[str, Any]:
        """Counts of tables, references, tools and templates."""
        from opsgym.envs.enterprise_ops.facts import facts

        return facts()

    def policies(self) -> Mapping[str, Callable[[Task], Sequence[ToolCall]]]:
        """See :mod:`opsgym.envs.enterprise_ops.policies`."""
        return POLICIES
