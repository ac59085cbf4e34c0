"""Errands: other employees are to be told, of a change by mail or message, of an answer by mail."""

from __future__ import annotations

from opsgym.envs.enterprise_bench.answers import Ids, Text
from opsgym.envs.enterprise_bench.draft import Draft, Row
from opsgym.envs.enterprise_bench.statements import needles
from opsgym.envs.enterprise_bench.template import Unfit
from opsgym.envs.enterprise_bench.templates.common import fetch, record
from opsgym.envs.enterprise_bench.templates.swe import tell

SUBJECTS = ("For your information", "Done as discussed", "Update")


def run_errands(draft: Draft) -> None:
    """Add errands as the parameters say; a request that cannot be met only words them.

    Of a change as many employees are told as there are errands.  An answer goes to the manager of who asks and to nobody else: it
    stays in the reporting line.
    """
    if draft.template.kind == "search":
        _pass_on(draft)
    else:
        _tell(draft)


def _pass_on(draft: Draft) -> None:
    if not draft.params.errands:
        return
    manager = draft.me["reports_to"]
    if not manager or not draft.employee(manager)["is_valid"]:
        raise Unfit("who asks has no manager")
    who, subject = draft.person(manager), draft.stream("errand").choice(SUBJECTS)
    draft.ask(
        f'Also mail {who} with the subject "{subject}" and state the answer just as you submit it and no other, or "none" if that'
        " is empty.",
        f'Then mail the same answer and no other, word for word, to {who}, with the subject "{subject}"; write "none" if it is'
        " empty.",
    )
    if isinstance(draft.form, Text) and draft.form.value in draft.sentences[-1]:
        raise Unfit("the errand names the answer")
    if draft.twin is None and draft.form is not None:
        fetch(draft, manager)
        said = ", ".join(draft.form.values) or "none" if isinstance(draft.form, Ids) else draft.form.answer()
        record(
            draft,
            draft.employee(manager),
            subject=subject,
            body=f"The answer: {said}.",
            holding=needles(draft.form, " ".join(draft.sentences)),
        )


def _tell(draft: Draft) -> None:
    told = [draft.me["emp_id"]]
    for number in range(draft.params.errands):
        target = _somebody(draft, number, told)
        told.append(target["emp_id"])
        who = draft.person(target["emp_id"])
        topic = draft.topic or "this"
        if number % 2 == 0:
            subject = draft.draw.choice(SUBJECTS)
            draft.ask(
                f'Then tell {who} in a mail with the subject "{subject}" about {topic}.',
                f'Afterwards, send {who} a mail with the subject "{subject}" about {topic}.',
            )
            if draft.twin is None:
                fetch(draft, target["emp_id"])
                record(draft, target, subject=subject, body=f"This is about {topic}.")
        else:
            draft.ask(f"Also let {who} know by message.", f"And write {who} a short message about it.")
            if draft.twin is None:
                tell(draft, target["emp_id"], f"This is about {topic}.")


def _somebody(draft: Draft, number: int, told: list[str]) -> Row:
    everybody = draft.rows("SELECT * FROM employee WHERE is_valid ORDER BY emp_id")
    draft.stream(f"errand/{number}").shuffle(everybody)
    return next(row for row in everybody if row["emp_id"] not in told)
