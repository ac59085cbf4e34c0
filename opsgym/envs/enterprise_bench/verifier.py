"""Verifier: the answer, the records that were to change, and that nothing else changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.records.allowance import Allowance, collateral
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.outcome import TABLE
from opsgym.core.task import CheckSpec, Frozen, JsonDict
from opsgym.core.verify import CheckResult, Verdict
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_bench.answers import Form, plain
from opsgym.envs.enterprise_bench.endings import Outcome, Reason, outcome
from opsgym.envs.enterprise_bench.statements import holds
from opsgym.envs.enterprise_bench.system import DOMAIN

ANSWER: TypeAdapter[Form] = TypeAdapter(Form)
"""Reads answer forms."""


class Wanted(Frozen):
    """A record that must be created, updated or deleted.

    Attributes:
        table: Its table.
        action: What must become of it.
        key: Its key, of a record that exists.
        values: Values by column that it must have in the end.
        holding: Texts by column that the value must contain, whatever else it says.
        loose: Columns whose values are left to the agent.
    """

    table: str
    action: Literal["create", "update", "delete"]
    key: tuple[Any, ...] = ()
    values: JsonDict = Field(default_factory=dict)
    holding: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    loose: tuple[str, ...] = ()

    def met(self, change: Change) -> bool:
        """Whether a change is the one that is wanted."""
        if not self.allowance().covers(change):
            return False
        if self.action == "delete":
            return True
        row: Mapping[str, Any] = change.new or {}
        is_exact = all(row.get(name) == value for name, value in self.values.items())
        return is_exact and all(holds(row.get(name), needle) for name, needles in self.holding.items() for needle in needles)

    def allowance(self) -> Allowance:
        """What it grants: for a created record all values that are fixed, for another one its columns."""
        if self.action == "create":
            return Allowance(table=self.table, action="create", match=self.values)
        match = dict(zip(DOMAIN.table(self.table).key, self.key, strict=True))
        columns = (*self.values, *self.holding, *self.loose)
        return Allowance(table=self.table, action=self.action, match=match, columns=columns)

    def __str__(self) -> str:
        return f"{self.action} {self.table} {'/'.join(map(str, self.key))}".rstrip()


@dataclass(frozen=True)
class Checks:
    """The checks of a task, read.

    Attributes:
        form: The answer that is wanted, if any.
        wanted: Records that are to change.
        reason: Why it is to be refused, if it is.
    """

    form: Form | None
    wanted: tuple[Wanted, ...]
    reason: Reason | None


def read_checks(specs: Sequence[CheckSpec]) -> Checks:
    """Checks as the compiler writes them.

    Raises:
        TaskError: A check is unsound.
    """
    form: Form | None = None
    wanted: list[Wanted] = []
    reason: Reason | None = None
    for spec in specs:
        try:
            if spec.rule == "answer":
                form = ANSWER.validate_python(spec.args)
            elif spec.rule == "record":
                wanted.append(Wanted.model_validate(spec.args))
                DOMAIN.table(wanted[-1].table)
            elif spec.rule == "refuse":
                reason = spec.args["reason"]
            else:
                raise TaskError(f"expected answer, record or refuse, got {spec.rule!r}", field="checks.rule")
        except (KeyError, ValidationError) as error:
            raise TaskError(f"unsound {spec.rule} check: {error}", field="checks") from error
    return Checks(form, tuple(wanted), reason)


def specs(checks: Checks) -> tuple[CheckSpec, ...]:
    """Checks as a task holds them."""
    if checks.reason is not None:
        return (_spec("refuse", "REFUSAL", reason=checks.reason),)
    found = [_spec("record", f"RECORD {number}", **_dumped(item)) for number, item in enumerate(checks.wanted, 1)]
    return (*found, *([_spec("answer", "ANSWER", **_dumped(checks.form))] if checks.form is not None else []))


def _dumped(item: BaseModel) -> JsonDict:
    found: JsonDict = item.model_dump(mode="json")
    return found


def _spec(rule: str, group: str, dimension: str = "completion", **args: Any) -> CheckSpec:
    return CheckSpec(rule=rule, dimension=dimension, group=group, args=args)


@dataclass(frozen=True, slots=True)
class _Graded:
    """A check with the fraction of it that is earned, and the number of the first one that counts as one with it."""

    result: CheckResult
    score: float
    first: int = 0


def judge(checks: Checks, before: Snapshot, after: World) -> Verdict:
    """The verdict on a world, which is only read; see :func:`judge_changes`."""
    changes = changes_since(DOMAIN, before, after)
    return judge_changes(checks, [*changes, *_gone_on_with(checks, changes, after)], outcome(after.conn))


_TALKS = {
    "message": (
        "conversation",
        "SELECT conversation_id, :writer AS sender_emp_id, iif(sender_emp_id = :writer, recipient_emp_id, sender_emp_id)"
        " AS recipient_emp_id, (SELECT department FROM employee WHERE emp_id = :writer) AS category, topic, date, about"
        " FROM conversation WHERE conversation_id = :talk",
    ),
    "mail": (
        "mail_thread",
        "SELECT thread_id, :subject AS subject, date, :writer AS starter_emp_id, iif(starter_emp_id = :writer, other_emp_id,"
        " starter_emp_id) AS other_emp_id, about FROM mail_thread WHERE thread_id = :talk",
    ),
}
"""For each part of a talk between two: the table of the talks, and a talk that there was as if its newest part began it."""


def _gone_on_with(checks: Checks, changes: Sequence[Change], after: World) -> list[Change]:
    """Talks that there were and that new messages or mails go on with, as if they were begun, where a talk is to be begun.

    So who is to be told something may be told it in an old conversation, and who is not may not.
    """
    asked = {item.table for item in checks.wanted if item.action == "create"}
    known = {value for item in checks.wanted for value in item.values.values() if isinstance(value, str)}
    begun = {change.key[0] for change in changes if change.action == "create"}
    found = []
    for change in changes:
        name, sql = _TALKS.get(change.table.name, ("", ""))
        if name not in asked or change.action != "create" or change.new is None:
            continue
        table, row = DOMAIN.table(name), change.new
        talk, writer = row[table.id], row.get("emp_id", row.get("sender_emp_id"))
        if talk not in begun | known:
            asked_of = {"talk": talk, "writer": writer, "subject": row.get("subject")}
            old = after.conn.execute(sql, asked_of).fetchone()
            found.append(Change(table, "create", (talk,), None, dict(zip(table.names, old, strict=True))))
    return found


def judge_changes(checks: Checks, changes: Sequence[Change], ended: Outcome | None) -> Verdict:
    """The verdict on what was changed and how the episode ended.

    The reward is the mean of what the checks earn: 1 for each record, the score of the answer (F1 for a set).  A talk that is
    begun and its first message or mail count as one record, and both must be as wanted.  The reward is 0 where something changed
    that the request does not ask for, where a request that can be met was refused, and where one that cannot was answered.
    Titles of new records may be spelled in other capitals and marks.
    """
    changes = [_titled(checks, item) for item in changes]
    graded = [_refusal(checks.reason, ended)] if checks.reason is not None else _completion(checks, changes, ended)
    gates = [_needless_refusal(ended)] if checks.reason is None else []
    gates.append(_collateral(changes, [] if checks.reason is not None else [item.allowance() for item in checks.wanted]))
    failed = [item for item in gates if item.status == "fail"]
    completion = _mean(graded)
    results = (*(item.result for item in graded), *gates)
    return Verdict(
        reward=0.0 if failed else completion,
        is_success=all(item.status == "pass" for item in results),
        scores={"completion": completion, "integrity": float(not failed)},
        checks=results,
        gates=tuple(item.spec.rule for item in failed),
        failure_families=tuple(sorted({item.spec.dimension for item in results if item.status == "fail"})),
        metrics={"answer": ended.answer if ended else None},
    )


_TITLES = {"mail": "subject", "mail_thread": "subject", "post": "title", "issue": "title"}
"""Columns of new records whose values may be spelled in other capitals and marks than the request has."""


def _titled(checks: Checks, change: Change) -> Change:
    """A change with its title spelled as it is asked for, where only capitals and marks differ."""
    column = _TITLES.get(change.table.name)
    if column is None or change.action != "create" or change.new is None:
        return change
    alike = [item for item in checks.wanted if (item.table, item.action) == (change.table.name, "create")]
    asked = [item.values[column] for item in alike if column in item.values]
    same = next((title for title in asked if plain(title) == plain(change.new[column])), change.new[column])
    return replace(change, new={**change.new, column: same})


def _mean(graded: Sequence[_Graded]) -> float:
    """The mean of what is earned, where checks that count as one earn what the worst of them does."""
    worst: dict[int, float] = {}
    for item in graded:
        worst[item.first] = min(item.score, worst.get(item.first, 1.0))
    return sum(worst.values()) / len(worst) if worst else 0.0


def _firsts(wanted: Sequence[Wanted]) -> list[int]:
    """For each record the number of the first one that counts as one with it: of a talk's first part, its talk."""
    created = [item.table if item.action == "create" else "" for item in wanted]
    found = list(range(1, len(wanted) + 1))
    for part, (talk, _) in _TALKS.items():
        talks, parts = ([number for number, table in enumerate(created) if table == name] for name in (talk, part))
        for one, other in zip(talks, parts, strict=False):
            found[one] = found[other] = min(found[one], found[other])
    return found


def _completion(checks: Checks, changes: Sequence[Change], ended: Outcome | None) -> list[_Graded]:
    left = list(changes)
    found = []
    for number, (item, first) in enumerate(zip(checks.wanted, _firsts(checks.wanted), strict=True), 1):
        fitting = next((change for change in left if item.met(change)), None)
        spec = _spec("record", f"RECORD {number}")
        if fitting is not None:
            left.remove(fitting)
            found.append(_Graded(CheckResult(spec, "pass", str(item), str(fitting)), 1.0, first))
        else:
            found.append(_Graded(CheckResult(spec, "fail", str(item), None, f"Not done: {item}."), 0.0, first))
    if checks.form is not None:
        found.append(_answer(checks.form, ended))
    return found


def _answer(form: Form, ended: Outcome | None) -> _Graded:
    given = ended.answer if ended is not None and ended.kind == "submit" else None
    score = form.score(given)
    message = "" if score == 1 else f"The answer earns {score:.2f}."
    return _Graded(CheckResult(_spec("answer", "ANSWER"), "pass" if score == 1 else "fail", form.answer(), given, message), score)


def _refusal(reason: Reason, ended: Outcome | None) -> _Graded:
    given = ended.reason if ended is not None and ended.kind == "refuse" else None
    message = "" if given == reason else f"Expected a refusal for {reason}, got {given or 'none'}."
    result = CheckResult(_spec("refuse", "REFUSAL"), "pass" if given == reason else "fail", reason, given, message)
    return _Graded(result, float(given == reason))


def _needless_refusal(ended: Outcome | None) -> CheckResult:
    given = ended.reason if ended is not None and ended.kind == "refuse" else None
    spec = _spec("refuse", "NO REFUSAL", "integrity")
    return CheckResult(spec, "fail" if given else "pass", None, given, "The request can be met." if given else "")


def _collateral(changes: Sequence[Change], allowed: Sequence[Allowance]) -> CheckResult:
    found = [str(item) for item in collateral(changes, allowed)]
    spec = _spec("COLLATERAL", "COLLATERAL", "integrity")
    return CheckResult(spec, "fail" if found else "pass", [], found, "Nothing else was to change." if found else "")


def watched(world: World) -> World:
    """Have writes watched from the present state on, so that what differs from it is found without reading everything."""
    seeded = world.origin or world.snapshot()
    if not world.is_watched:
        world.stamp(TABLE)
    if world.written_since(seeded) is None:
        world.restore(seeded)
    return world
