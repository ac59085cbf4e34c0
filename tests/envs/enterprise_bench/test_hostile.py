"""Attacks: what somebody with bad intentions tries with tools and answers, and that it gains nothing."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.task import ToolCall
from opsgym.core.tools import ToolResult
from opsgym.core.verify import Verdict
from opsgym.core.world import World
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.access import OPERATIONS, Persona, Preset, condition_for
from opsgym.envs.enterprise_bench.answers import Date, Form, Ids, Number, Text, Word, is_guessable
from opsgym.envs.enterprise_bench.company import Size
from opsgym.envs.enterprise_bench.compiler import compile_params, twin_of
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.endings import Outcome, submit
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.lint import _run
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.search import TEXTS, FullText
from opsgym.envs.enterprise_bench.statements import holds
from opsgym.envs.enterprise_bench.system import TOOLBOX, sign_in
from opsgym.envs.enterprise_bench.tools.makers import LIMIT
from opsgym.envs.enterprise_bench.verifier import Checks, Wanted, judge, judge_changes, read_checks
from opsgym.evaluate.promises import FLOOR
from tests.envs.enterprise_bench.bases import BASE, call, desk, fresh, personas, rows
from tests.envs.enterprise_bench.oracle import SHOWN
from tests.envs.enterprise_bench.test_desk import random_arguments

WORLD = fresh()
PERSONAS = personas(WORLD)
KEYS = {table.name: [key for (key,) in WORLD.execute(f"SELECT {table.id} FROM {table.name}").fetchall()] for table in SHOWN}
EMAILS = [email for (email,) in WORLD.execute("SELECT email FROM employee").fetchall()]
NAMES = {
    "repo_name": [name for (name,) in WORLD.execute("SELECT repo_name FROM repository").fetchall()],
    "path": [name for (name,) in WORLD.execute("SELECT path FROM repo_file").fetchall()],
    "subject": [name for (name,) in WORLD.execute("SELECT subject FROM mail_thread").fetchall()],
    "business_name": [name for (name,) in WORLD.execute("SELECT business_name FROM client").fetchall()],
    "customer_name": [name for (name,) in WORLD.execute("SELECT customer_name FROM customer").fetchall()],
    "title": [name for (name,) in WORLD.execute("SELECT title FROM policy_document").fetchall()],
    "query": ["release of the policy", "figures hours open", "cable battery poor", "emp_0012 invoice", "vpn password"],
}
"""Values that occur, for arguments that are not keys."""


def bare(me: Persona, preset: Preset) -> World:
    """A world without the records that a persona may not read."""
    world = fresh()
    world.execute("PRAGMA foreign_keys = OFF")
    hidden = []
    for table in SHOWN:
        allowed = condition_for(preset, table.name, "read", me)
        hidden.append((table, world.execute(f"SELECT {table.id} FROM {table.name} WHERE ({allowed}) IS NOT TRUE").fetchall()))
    for table, keys in hidden:  # only now: what may be read depends on other records
        world.conn.executemany(f"DELETE FROM {table.name} WHERE {table.id} = ?", keys)
    assert any(keys for _, keys in hidden)
    return World.from_snapshot(world.snapshot())


@contextmanager
def undone(world: World) -> Iterator[None]:
    """What is written within is undone at the end."""
    try:
        with world.savepoint():
            yield
            raise InterruptedError
    except InterruptedError:
        pass


@cache
def writable(me: Persona) -> dict[str, list[str]]:
    """By table, keys of records that a persona may change, or read, if any; else of all."""
    found: dict[str, list[str]] = {}
    for table in SHOWN:
        for operation in ("update", "delete", "read"):
            allowed = condition_for("standard", table.name, operation, me)
            keys = [key for (key,) in WORLD.execute(f"SELECT {table.id} FROM {table.name} WHERE {allowed}").fetchall()]
            found[table.name] = found.get(table.name) or keys
        found[table.name] = found[table.name] or KEYS[table.name]
    return found


def arguments_for(draw: random.Random, name: str, me: Persona) -> dict[str, Any]:
    """Arguments of a tool, of keys and names that occur, hidden ones too."""
    given = random_arguments(draw, name, writable(me) if draw.random() < 0.6 else KEYS, EMAILS, me)
    return {key: draw.choice(NAMES[key]) if key in NAMES and draw.random() < 0.7 else value for key, value in given.items()}


def check_same(me: Persona, count: int, preset: Preset = "standard") -> None:
    """Calls give the same, byte by byte, whether the records that may not be read exist or not."""
    draw = random.Random(f"same/{me.emp_id}")
    without = bare(me, preset)
    one, other = desk(WORLD, me.emp_id, preset), sign_in(without, me.emp_id, preset, FullText(without.snapshot()))
    for name in sorted(TOOLBOX) * count:
        given = arguments_for(draw, name, me)
        results = []
        for session in (one, other):
            with undone(session.world):
                results.append(json.dumps(call(session, name, **given)))
        assert results[0] == results[1], (me, name, given)


@pytest.mark.parametrize("me", PERSONAS[::9], ids=lambda me: f"{me.department}-{me.level}")
def test_no_call_tells_whether_hidden_records_exist(me: Persona) -> None:
    check_same(me, 3)
    check_same(me, 1, "strict")


@pytest.mark.slow
@pytest.mark.parametrize("me", PERSONAS[1::2], ids=lambda me: f"{me.department}-{me.level}-{me.emp_id}")
def test_none_of_many_calls_tells_whether_hidden_records_exist(me: Persona) -> None:
    check_same(me, 30)
    check_same(me, 10, "strict")


# -- rights that grow ---------------------------------------------------------------------------------------


def rights(world: World, me: Persona) -> dict[tuple[str, str], set[str]]:
    """Keys of the seeded records on which a persona has a right, by table and operation, where it has not all."""
    found: dict[tuple[str, str], set[str]] = {}
    for table in SHOWN:
        for operation in OPERATIONS:
            allowed = condition_for("standard", table.name, operation, me)
            if allowed not in ("0", "1"):
                keys = world.execute(f"SELECT {table.id} FROM {table.name} WHERE {allowed}").fetchall()
                found[table.name, operation] = {key for (key,) in keys} & SEEDED[table.name]
    return found


SEEDED = {name: {*keys} for name, keys in KEYS.items()}


def check_rights(me: Persona, count: int) -> int:
    """No sequence of calls gives a right on a seeded record that was not there at the start; how many calls wrote."""
    world, draw, wrote = fresh(), random.Random(f"rights/{me.emp_id}"), 0
    before = rights(world, me)
    session = desk(world, me.emp_id)
    for name in draw.choices([name for name, tool in TOOLBOX.items() if tool.mutates], k=count):
        given = arguments_for(draw, name, me)
        writes = world.conn.total_changes
        call(session, name, **given)
        if world.conn.total_changes == writes:
            continue
        wrote += 1
        after = rights(world, me)
        for place, keys in after.items():
            assert keys <= before[place], (me, name, given, place)
    return wrote


MANAGERS = [one for one in PERSONAS if one.department in ("HR", "Sales") and one.level >= 10]


def test_nobody_takes_over_an_account_or_an_employee() -> None:
    tried = 0
    for me in MANAGERS:
        session = desk(WORLD, me.emp_id)
        if me.department == "Sales":
            for key in KEYS["customer"][::7]:
                result = call(session, "update_customer", customer_id=key, emp_id=me.emp_id)
                assert "TAKE-OVER" in result["message"] or "CUST-EDIT" in result["message"] or "nothing" in result["message"]
                tried += "TAKE-OVER" in result["message"]
            continue
        lower = "SELECT emp_id FROM employee WHERE is_valid AND level < ? AND department <> 'HR'"
        for (key,) in WORLD.execute(lower, (me.level,)).fetchall()[::5]:
            result = call(session, "update_employee_record", emp_id=key, department="HR", reports_to=me.emp_id)
            assert result["code"] == "not_allowed"
            tried += "TAKE-OVER" in result["message"]
    assert tried > 10
    assert WORLD.digest() == fresh().digest()


@pytest.mark.parametrize("me", MANAGERS[::3], ids=lambda me: f"{me.department}-{me.level}")
def test_no_sequence_of_calls_gives_rights(me: Persona) -> None:
    check_rights(me, 60)


@pytest.mark.slow
def test_no_long_sequence_of_calls_gives_rights() -> None:
    assert sum(check_rights(me, 300) for me in PERSONAS) > 1000


# -- bad arguments ------------------------------------------------------------------------------------------

BAD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1 << 62, 1 << 63, 10**30, -(10**30), 1.5, 1e308, float("nan"), float("inf")),
    *("", " ", "%", "_", "*", "x" * 10_000, "\x00", "a\x00b", "\ud800", "\U0001f600", "\u19b0a\u19b0b"),
    *("'; DROP TABLE employee; --", '"', "NEAR(a b)", "text:x", "a OR 1=1", "{}", "$1", ":actor", "?1", "emp_0001' OR '1'='1"),
    *([], {}, [[]], ["x"], [None], {"$ne": 1}),
)


def check_bad(seed: int, step: int) -> None:
    """Bad arguments give errors with a code; what is refused leaves the world as it was."""
    world, draw = fresh(), random.Random(seed)
    digest = world.digest()
    codes = set()
    for name, tool in TOOLBOX.items():
        me = draw.choice(PERSONAS)
        for argument in tool.parameters["properties"]:
            for bad in BAD[draw.randrange(step) :: step]:
                given = arguments_for(draw, name, me) | {argument: bad}
                writes = world.conn.total_changes
                result = call(desk(world, me.emp_id), name, **given)
                is_refused = isinstance(result, dict) and {*result} <= {"code", "message", "hint"} and "message" in result
                if is_refused:
                    codes.add(result["code"])
                if world.conn.total_changes != writes:
                    assert not is_refused or world.digest() == digest, (name, given, result)
                    digest = world.digest()
    assert codes == {"invalid_arguments", "invalid_value", "missing_field", "not_found", "not_allowed", "bad_state"}
    assert violations(DOMAIN, world) == []


def test_bad_arguments_are_refused_and_change_nothing() -> None:
    check_bad(1, step=6)


@pytest.mark.slow
def test_all_bad_arguments_are_refused_and_change_nothing() -> None:
    for seed in range(3):
        check_bad(seed, step=1)


@pytest.mark.parametrize("query", ["emp_0012", "a_b_c", "_", "snake_case words", "\u19b0a\u19b0b", "\u0130\u0307x"])
def test_words_that_are_several_for_sqlite_are_searched_one_by_one(query: str) -> None:
    session = desk(WORLD, PERSONAS[0].emp_id)
    for source in TEXTS:
        found = call(session, "search_documents", source=source, query=query)
        assert found == call(session, "search_documents", source=source, query=query.replace("_", " "))


def test_nobody_who_left_gets_anything_new() -> None:
    gone = next(row for row in rows(WORLD, "employee") if not row["is_valid"] and row["department"] == "Information Technology")
    me = next(one for one in PERSONAS if one.department == "Information Technology" and one.level >= 10)
    ticket = next(row for row in rows(WORLD, "it_ticket") if row["emp_id"] != gone["emp_id"] and row["status"] == "open")
    digest = WORLD.digest()
    for name, given in (
        ("send_message", {"recipient_emp_id": gone["emp_id"], "text": "x"}),
        ("create_email", {"recipient_email": gone["email"], "subject": "x", "body": "x"}),
        ("assign_ticket", {"id": ticket["id"], "emp_id": gone["emp_id"]}),
        ("create_it_ticket", {"issue": "x", "raised_by_emp_id": gone["emp_id"]}),
    ):
        error = call(desk(WORLD, me.emp_id), name, **given)
        assert (error["code"], "has left" in error["message"]) == ("bad_state", True)
    assert WORLD.digest() == digest


def test_keys_of_new_records_do_not_tell_how_many_there_are() -> None:
    world = fresh()
    me, other = PERSONAS[0].emp_id, PERSONAS[1].emp_id
    sent = [call(desk(world, me), "send_message", recipient_emp_id=other, text="x") for _ in range(2)]
    assert [row["message_id"] for row in sent] == ["msg_90001", "msg_90002"]
    call(desk(world, me), "delete_message", message_id="msg_90002")
    again = call(desk(world, me), "send_message", recipient_emp_id=other, text="x")
    assert again["message_id"] == "msg_90003"


# -- answers and the verdict --------------------------------------------------------------------------------

HOSTILE: tuple[Any, ...] = (
    *(True, False, None, [], {}, [[]], [None], float("nan"), float("inf"), -0.0, 10**400, "9" * 5000, "1e400", "nan", "0x10"),
    *("", " ", ",", "*", "%", "[]", "true", "12 13", "12,13", "1,2", "12 or 13", "2026-02-03 or 2026-02-04", "2026-02-03x"),
    *("granted declined", "granted, declined", "emp_0001 emp_0002", "Ann Lee, Bob Ray", "\u0661\u0662"),
)
FORMS: tuple[Form, ...] = (
    Ids(values=("emp_0001", "emp_0002")),
    Number(value=12, unit="days"),
    Number(value=1213, unit="rupees", tolerance=0.01),
    Date(value="2026-02-03"),
    Word(value="granted", options=("granted", "declined")),
    Text(value="Ann Lee"),
    Text(value="true"),
)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_hostile_answers_earn_nothing_and_break_nothing(form: Form) -> None:
    right = {"true"} if form == FORMS[-1] else set()
    for bad in HOSTILE:
        assert form.score(bad) == float(isinstance(bad, str) and bad in right), bad


def test_every_id_there_is_earns_next_to_nothing() -> None:
    form = Ids(values=tuple(KEYS["it_ticket"][:2]))
    assert form.score([key for keys in KEYS.values() for key in keys]) < 0.001
    assert form.score(KEYS["it_ticket"]) < 0.25


@pytest.mark.parametrize(
    ("text", "needle", "is_held"),
    [
        ("It is on 2026-09-18.", "2026-09-18", True),
        ("It is on 2026-09-180 or 12026-09-18.", "2026-09-18", False),
        ("The prices: 5, all of them", "5", True),
        ("See tick_00005 of 2026-05-05, 15 or 0.5 or 5.5", "5", False),
        ("the MAILBOX (two)", "mailbox", True),
        ("the MAILBOXES (two)", "mailbox", False),
        (None, "5", False),
    ],
)
def test_free_words_hold_numbers_as_they_are(text: str | None, needle: str, is_held: bool) -> None:
    assert holds(text, needle) == is_held


def talk() -> tuple[Persona, dict[str, Any], dict[str, Any]]:
    """An employee with two old conversations, each with somebody else."""
    for me in PERSONAS:
        own = [row for row in rows(WORLD, "conversation") if me.emp_id in (row["sender_emp_id"], row["recipient_emp_id"])]
        own = [row for row in own if all(person(row[name])["is_valid"] for name in ("sender_emp_id", "recipient_emp_id"))]
        for one, other in itertools.combinations(own, 2):
            if partner(one, me) != partner(other, me):
                return me, one, other
    raise AssertionError("nobody has two conversations")


def person(emp_id: str) -> dict[str, Any]:
    return next(row for row in rows(WORLD, "employee") if row["emp_id"] == emp_id)


def partner(row: dict[str, Any], me: Persona) -> str:
    found: str = row["recipient_emp_id"] if row["sender_emp_id"] == me.emp_id else row["sender_emp_id"]
    return found


def told(me: Persona, target: str) -> Checks:
    """Somebody is to be told something by message."""
    talks = {"sender_emp_id": me.emp_id, "recipient_emp_id": target, "category": me.department}
    return Checks(
        None,
        (
            Wanted(table="conversation", action="create", values=talks, loose=("topic",)),
            Wanted(table="message", action="create", values={"emp_id": me.emp_id}, loose=("text",)),
        ),
        None,
    )


def told_by_mail(me: Persona, target: str) -> Checks:
    """Somebody is to be told something by mail."""
    mail = {"sender_emp_id": me.emp_id, "recipient_emp_id": target, "subject": "Update", "importance": "Normal"}
    return Checks(
        None,
        (
            Wanted(
                table="mail_thread",
                action="create",
                values={"subject": "Update", "starter_emp_id": me.emp_id, "other_emp_id": target},
            ),
            Wanted(table="mail", action="create", values=mail, holding={"body": ("5",)}, loose=("body",)),
        ),
        None,
    )


def verdict(checks: Checks, me: Persona, *calls: tuple[str, dict[str, Any]]) -> Verdict:
    """What calls earn, all of which are carried out."""
    world = fresh()
    for name, given in calls:
        result = call(desk(world, me.emp_id), name, **given)
        assert "message" not in result or "hint" not in result, result
    submit.function(desk(world, me.emp_id))
    return judge(checks, BASE.snapshot, world)


def test_who_is_to_be_told_may_be_told_in_an_old_conversation_and_nobody_else() -> None:
    me, one, other = talk()
    target, stranger = partner(one, me), partner(other, me)
    new = ("send_message", {"recipient_emp_id": target, "text": "x"})
    old = ("send_message", {"recipient_emp_id": target, "text": "x", "conversation_id": one["conversation_id"]})
    astray = ("send_message", {"recipient_emp_id": stranger, "text": "x", "conversation_id": other["conversation_id"]})
    checks = told(me, target)
    assert verdict(checks, me, new).is_success
    assert verdict(checks, me, old).is_success
    for calls in ((astray,), (new, astray), (old, astray), (new, new), (old, old), (new, old)):
        assert verdict(checks, me, *calls).reward == 0, calls
    assert verdict(checks, me).reward == 0


def test_a_mail_is_sent_once_and_to_nobody_else() -> None:
    me = next(one for one in PERSONAS if any(row["starter_emp_id"] == one.emp_id for row in rows(WORLD, "mail_thread")))
    thread = next(
        row
        for row in rows(WORLD, "mail_thread")
        if row["starter_emp_id"] == me.emp_id and person(row["other_emp_id"])["is_valid"]
    )
    target = thread["other_emp_id"]
    other = next(one.emp_id for one in PERSONAS if one.emp_id not in (me.emp_id, target))
    checks = told_by_mail(me, target)

    def mail(emp_id: str, body: str = "all 5", **more: Any) -> tuple[str, dict[str, Any]]:
        return "create_email", {"recipient_email": person(emp_id)["email"], "subject": "Update", "body": body, **more}

    assert verdict(checks, me, mail(target)).is_success
    assert verdict(checks, me, mail(target, thread_id=thread["thread_id"])).is_success
    assert verdict(checks, me, mail(target, "all 15")).reward == 0
    for calls in ((mail(other),), (mail(target), mail(other)), (mail(target), mail(target)), (mail(target, "15"), mail(target))):
        assert verdict(checks, me, *calls).reward == 0, calls


def test_what_is_undone_again_does_not_count_against_anybody() -> None:
    me = next(one for one in PERSONAS if one.department == "Information Technology" and one.level >= 12)
    ticket = next(row for row in rows(WORLD, "it_ticket") if row["priority"] == "high")
    checks = Checks(None, (Wanted(table="it_ticket", action="update", key=(ticket["id"],), values={"priority": "low"}),), None)

    def update(priority: str) -> tuple[str, dict[str, Any]]:
        return "update_it_ticket", {"id": ticket["id"], "priority": priority}

    assert verdict(checks, me, update("low"), update("medium"), update("low")).is_success
    assert verdict(checks, me, update("low"), update("high")).reward == 0
    post = ("social_platform_create", {"title": "x", "post": "x"})
    gone = ("social_platform_delete", {"post_id": "post_9001"})
    assert verdict(checks, me, update("low"), post, gone).is_success
    assert verdict(checks, me, update("low"), post).reward == 0
    issue = ("update_it_ticket", {"id": ticket["id"], "issue": "x"})
    assert verdict(checks, me, update("low"), issue).reward == 0


@pytest.mark.parametrize(("template", "seed"), [("business_order_status", 20), ("swe_language", 20), ("hr_department", 20)])
def test_a_mail_that_names_every_option_earns_nothing_with_a_wrong_answer(template: str, seed: int) -> None:
    task = compile_params(BenchParams.build({"template": template, "unanswerable": 0.0, "distractors": 100, "errands": 1}), seed)
    family = EnterpriseBenchFamily()
    form = read_checks(task.checks).form
    assert isinstance(form, Word)
    *looks, mail, _ = task.oracle
    for body, right, earned in (
        (", ".join(form.options), "x", 0),
        (", ".join(form.options), form.value, 0.5),
        (form.value, "x", 0.5),
    ):
        world = family.open(task)
        before = family.baseline(world, task)
        written = mail.model_copy(update={"arguments": mail.arguments | {"body": body}})
        end = ToolCall(name="submit", arguments={"answer": right})
        assert family.verify(before, _run(world, task, [*looks, written, end], []), task).reward == earned
        world.close()


# -- luck ---------------------------------------------------------------------------------------------------


def test_luck_is_a_due_refusal_or_one_of_few_answers_and_nothing_else() -> None:
    family = EnterpriseBenchFamily()

    def is_lucky(name: str, given: dict[str, Any], template: str, unanswerable: float = 0.0) -> bool:
        task = compile_params(BenchParams.build({"template": template, "unanswerable": unanswerable, "distractors": 100}), 20)
        plan = plan_of(task)
        given = {key: {"reason": plan.reason, "answer": plan.answer}.get(value, value) for key, value in given.items()}
        return family.is_lucky(task, ToolCall(name=name, arguments=given))

    refusal = {"reason_code": "reason", "explanation": ""}
    assert is_lucky("refuse", refusal, "it_set_priority", 1.0)
    assert not is_lucky("refuse", refusal | {"reason_code": "out_of_scope"}, "it_set_priority", 1.0)
    assert not is_lucky("refuse", refusal | {"reason_code": "not_existing"}, "it_set_priority")
    assert not is_lucky("submit", {}, "it_set_priority")
    assert is_lucky("submit", {"answer": "answer"}, "hr_department")  # one of eight departments
    assert not is_lucky("submit", {"answer": "x"}, "hr_department")
    assert not is_lucky("submit", {"answer": "answer"}, "hr_team")  # ids


@pytest.mark.parametrize(
    ("form", "is_one_of_few"),
    [
        (Word(value="a", options=("a", "b")), True),
        (Ids(values=()), True),
        (Number(value=3, unit="days"), True),
        (Number(value=3.5, unit="days"), False),
        (Number(value=101, unit="days"), False),
        (Ids(values=("emp_0001",)), False),
        (Text(value="a"), False),
        (Date(value="2026-02-03"), False),
    ],
)
def test_few_answers_are_words_empty_sets_and_small_whole_numbers(form: Form, is_one_of_few: bool) -> None:
    assert is_guessable(form) == is_one_of_few


# -- long answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["S", pytest.param("L", marks=pytest.mark.slow)])
def test_no_page_is_cut(size: Size) -> None:
    base = system.base(0, size)
    world = World.from_snapshot(base.snapshot)
    everybody = [emp_id for (emp_id,) in world.execute("SELECT emp_id FROM employee").fetchall()]
    session = sign_in(world, world.execute("SELECT emp_id FROM employee WHERE is_valid").fetchone()[0], "open", base.retriever)
    given = {"customer_id": "cust_0001", "product_id": "prod_0001", "raised_by_emp_id": everybody[0], "priority": "low"}
    given |= {"repo_id": "repo_0001", "query": "the a of release policy project python support work order figures hours"}
    calls: list[tuple[str, dict[str, Any]]] = [("fetch_employees_by_ids", {"emp_ids": everybody[:100]})]
    calls += [("search_documents", {"source": source, "query": given["query"], "limit": 40}) for source in TEXTS]
    for name, tool in TOOLBOX.items():
        if "offset" in tool.parameters["properties"]:
            asked = [*tool.parameters.get("required", ()), *(["repo_id"] if "repository" in name else [])]
            needed = {key: given[key] for key in asked}
            calls.append((name, {**needed, "limit": LIMIT}))
    for name, arguments in calls:
        result = call(session, name, **arguments)
        assert "code" not in result
        assert len(ToolResult(name, result).to_json()) <= 32_768, (name, arguments)


# -- policies that know nothing -----------------------------------------------------------------------------


@pytest.mark.slow
def test_who_does_not_look_stays_at_the_floor() -> None:
    family = EnterpriseBenchFamily()
    tasks = [family.compile(family.draw(seed), seed) for seed in range(100)]
    tasks += [family.compile(family.draw(seed, pattern="unanswerable"), seed) for seed in range(100, 120)]
    earned: dict[str, dict[str, list[float]]] = {}
    for task in tasks:
        checks, kind = read_checks(task.checks), task.metadata["kind"]
        for name in ("access_denied", "constant", "guess", "echo"):
            end = family.policies()[name](task)[-1].arguments
            ended = Outcome("refuse", end["reason_code"]) if "reason_code" in end else Outcome("submit", None, end.get("answer"))
            earned.setdefault(name, {}).setdefault(kind, []).append(judge_changes(checks, [], ended).reward)
    mean = {name: {kind: sum(some) / len(some) for kind, some in kinds.items()} for name, kinds in earned.items()}
    assert all(kinds["crud"] == 0 and kinds["search"] <= FLOOR for kinds in mean.values()), mean
    assert all(mean[name]["unanswerable"] == 0 for name in ("constant", "guess", "echo")), mean
    assert mean["access_denied"]["search"] == mean["echo"]["search"] == 0
    assert mean["access_denied"]["unanswerable"] <= 0.5


@pytest.mark.parametrize(
    "template", ["it_set_priority", "swe_creation_day", "sales_new_customer", "hr_salary", "business_mail_colleague"]
)
def test_the_tools_on_offer_do_not_tell_that_a_request_cannot_be_met(template: str) -> None:
    params = BenchParams.build({"template": template, "unanswerable": 1.0, "distractors": 0})
    task = compile_params(params, 30)
    twin = twin_of(task)
    assert task.metadata["kind"] == "unanswerable" != twin.metadata["kind"]
    assert set(twin.tools) <= set(task.tools)
    assert {call.name for call in task.oracle} <= set(task.tools)
