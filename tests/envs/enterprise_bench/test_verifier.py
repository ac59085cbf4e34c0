"""Verifier: what the request asks for and nothing else; refusals where they are due."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.core.verify import Verdict
from opsgym.envs.enterprise_bench.compiler import compile_params
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.lint import _run
from opsgym.envs.enterprise_bench.mutants import audit
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.verifier import read_checks

FAMILY = EnterpriseBenchFamily()


def task_of(template: str, **values: float) -> Task:
    return compile_params(BenchParams.build({"template": template, "unanswerable": 0.0, "distractors": 100, **values}), 20)


def judged(task: Task, calls: Sequence[ToolCall]) -> Verdict:
    world = FAMILY.open(task)
    before = FAMILY.baseline(world, task)
    try:
        return FAMILY.verify(before, _run(world, task, calls, []), task)
    finally:
        world.close()


def test_a_set_earns_its_f1() -> None:
    task = task_of("hr_team")
    right = plan_of(task).answer
    verdict = judged(task, [ToolCall(name="submit", arguments={"answer": [*right, "emp_9999"]})])
    assert 0 < verdict.reward < 1
    assert verdict.reward == pytest.approx(2 * len(right) / (2 * len(right) + 1))
    assert not verdict.is_success


def test_a_change_that_was_not_asked_for_earns_nothing() -> None:
    task = task_of("it_raise_ticket")
    extra = ToolCall(name="social_platform_create", arguments={"title": "Hello", "post": "World"})
    assert judged(task, task.oracle).is_success
    verdict = judged(task, [extra, *task.oracle])
    assert verdict.reward == 0
    assert verdict.gates == ("COLLATERAL",)


def test_an_answer_that_is_passed_on_must_be_in_the_mail() -> None:
    task = task_of("business_client_contact", errands=1)
    assert task.metadata["kind"] == "search"
    *looks, mail, end = task.oracle
    assert mail.name == "create_email"
    assert judged(task, task.oracle).is_success
    silent = ToolCall(name=mail.name, arguments={**mail.arguments, "body": "I have looked it up."})
    assert judged(task, [*looks, silent, end]).reward == 0.5
    assert judged(task, [*looks, end]).reward == 0.5
    wrong = ToolCall(name="submit", arguments={"answer": "x"})
    assert judged(task, [*looks, mail, wrong]).reward == 0.5
    assert judged(task, [*looks, silent, wrong]).reward == 0


def test_a_mail_may_repeat_the_request_and_must_not_state_another_answer() -> None:
    task = task_of("sales_price", errands=1)
    *looks, mail, end = task.oracle
    price, request = plan_of(task).answer, task.instruction.split(" Submit ")[0]
    for body, earned in ((f"{request} It is {price}.", 1), (f"It is {price} or {price + 1}.", 0.5)):
        written = mail.model_copy(update={"arguments": mail.arguments | {"body": body}})
        assert judged(task, [*looks, written, end]).reward == earned


def test_a_message_and_the_conversation_that_it_begins_are_one_check() -> None:
    task = task_of("it_set_priority", errands=2)
    tables = [item.table for item in read_checks(task.checks).wanted]
    assert sorted(tables) == ["conversation", "it_ticket", "mail", "mail_thread", "message"]
    *looks, mail, message, end = task.oracle
    assert (mail.name, message.name) == ("create_email", "send_message")
    for calls, earned in (([mail, message], 1), ([mail], 2 / 3), ([message], 2 / 3), ([], 1 / 3)):
        assert judged(task, [*looks, *calls, end]).reward == pytest.approx(earned)


def test_a_mail_to_somebody_else_is_collateral() -> None:
    task = task_of("business_mail_colleague")
    right = task.oracle[-2].arguments["recipient_email"]
    world = FAMILY.open(task)
    wrong = world.conn.execute(
        "SELECT email FROM employee WHERE is_valid AND email <> ? AND emp_id <> ? ORDER BY emp_id",
        (right, task.world["emp_id"]),
    ).fetchone()[0]
    world.close()
    mail = task.oracle[-2].model_copy(update={"arguments": task.oracle[-2].arguments | {"recipient_email": wrong}})
    assert judged(task, [mail, task.oracle[-1]]).gates == ("COLLATERAL",)


def test_free_words_are_free_but_for_what_they_must_name() -> None:
    task = task_of("business_publish_post")
    post = task.oracle[-2]
    day = post.arguments["post"].split(" on ")[1][:10]
    reworded = post.model_copy(update={"arguments": post.arguments | {"post": f"Come along, it is the {day}!"}})
    silent = post.model_copy(update={"arguments": post.arguments | {"post": "Come along!"}})
    assert judged(task, [reworded, task.oracle[-1]]).is_success
    assert judged(task, [silent, task.oracle[-1]]).reward == 0


def test_free_words_may_speak_a_day() -> None:
    task = task_of("business_publish_post")
    post = task.oracle[-2]
    day = dt.date.fromisoformat(post.arguments["post"].split(" on ")[1][:10])
    for text, earned in ((f"{day.day} {day:%B} {day.year}", 1), (f"{day.day + 1} {day:%B} {day.year}", 0)):
        spoken = post.model_copy(update={"arguments": post.arguments | {"post": f"Come on {text}!"}})
        assert judged(task, [spoken, task.oracle[-1]]).reward == earned


@pytest.mark.parametrize(
    ("given", "earned"),
    [
        ({}, 1),
        ({"importance": "High"}, 1),
        ({"category": "CLIENT"}, 1),
        ({"subject": "{upper}"}, 1),
        ({"subject": "{title}."}, 1),
        ({"subject": "Re: {title}"}, 0),
        ({"subject": "Hello"}, 0),
    ],
)
def test_capitals_of_a_subject_and_the_importance_of_a_mail_are_free(given: dict[str, str], earned: float) -> None:
    task = task_of("business_mail_colleague")
    *looks, mail, end = task.oracle
    title = mail.arguments["subject"]
    given = {key: value.format(title=title, upper=title.upper()) for key, value in given.items()}
    written = mail.model_copy(update={"arguments": mail.arguments | given})
    assert judged(task, [*looks, written, end]).reward == earned
    assert judged(task, [*looks, written, written, end]).reward == 0


@pytest.mark.parametrize("unanswerable", [0.0, 1.0])
def test_only_the_right_reason_counts(unanswerable: float) -> None:
    task = task_of("it_set_priority", unanswerable=unanswerable)
    reason = plan_of(task).reason
    for given in ("not_permitted", "not_existing", "ambiguous", "out_of_scope"):
        call = ToolCall(name="refuse", arguments={"reason_code": given, "explanation": ""})
        assert judged(task, [call]).reward == float(given == reason)


def test_refusing_after_a_change_earns_nothing() -> None:
    task = task_of("it_set_priority", unanswerable=1.0)
    post = ToolCall(name="social_platform_create", arguments={"title": "Hello", "post": "World"})
    assert judged(task, [post, task.oracle[-1]]).reward == 0


@pytest.mark.parametrize("template", ["business_publish_post", "swe_open_issue"])
def test_capitals_of_a_title_are_free_and_its_words_are_not(template: str) -> None:
    task = task_of(template)
    *looks, new, end = task.oracle
    for title, earned in ((new.arguments["title"].upper(), 1), (new.arguments["title"] + " 2", 0)):
        written = new.model_copy(update={"arguments": new.arguments | {"title": title}})
        assert judged(task, [*looks, written, end]).reward == earned


def test_the_plan_shows_who_sent_the_mails_that_are_counted() -> None:
    task = task_of("business_mails_from")
    assert sum(call.name == "read_email" for call in task.oracle) >= plan_of(task).answer


def test_the_audit_finds_every_mutant() -> None:
    for template in ("hr_set_salary", "it_remove", "business_mail_colleague", "hr_team", "sales_price"):
        task = task_of(template, errands=1)
        world = FAMILY.open(task)
        before = FAMILY.baseline(world, task)
        caught = audit(read_checks(task.checks), before, _run(world, task, task.oracle, []))
        world.close()
        assert caught
        assert all(found for _, found in caught), template
