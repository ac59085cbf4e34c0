"""Tools of the internal questions and answers."""

from __future__ import annotations

from opsgym.core.records.records import Row
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.overflow import ANSWER, QUESTION
from opsgym.envs.enterprise_bench.tools.makers import creating, getting, listing, removing, today, updating


def _answers(desk: Desk, row: Row) -> Row:
    return {"answers": desk.find(ANSWER, {"question_id": row["question_id"]})}


TOOLS = (
    getting("overflow_read", "Read a question with its answers", QUESTION, "question_id", also=_answers),
    listing(
        "overflow_list",
        "List questions, without their text",
        QUESTION,
        "questions",
        "emp_id",
        day="asked_on",
        only="question_id emp_id title tags asked_on score",
    ),
    creating(
        "overflow_create",
        "Ask a question",
        QUESTION,
        "title body tags",
        own="emp_id",
        fill=lambda desk, _: {"asked_on": today(desk)},
    ),
    updating("overflow_update", "Change a question of yours", QUESTION, "question_id", "title body tags"),
    removing("overflow_delete", "Delete a question that has no answers", QUESTION, "question_id"),
    creating(
        "overflow_answer",
        "Answer a question",
        ANSWER,
        "question_id body",
        own="emp_id",
        fill=lambda desk, _: {"answered_on": today(desk)},
    ),
    updating("overflow_update_answer", "Change an answer of yours", ANSWER, "answer_id", "", need="body"),
    removing("overflow_delete_answer", "Delete an answer", ANSWER, "answer_id"),
)
"""The tools."""
