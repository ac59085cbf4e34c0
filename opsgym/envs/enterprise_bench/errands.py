"""Errands: other employees are to be told of a change, by mail or by message."""

from __future__ import annotations

from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.templates.common import fetch, record
from opsgym.envs.enterprise_bench.templates.swe import tell


def run_errands(draft: Draft) -> None:
    """Add as many errands as the parameters say, to different employees."""
    told: list[str] = []
    for number in range(draft.params.errands):
        others = draft.rows("SELECT * FROM employee WHERE is_valid AND emp_id <> :me ORDER BY emp_id", me=draft.me["emp_id"])
        target = draft.draw.choice([row for row in others if row["emp_id"] not in told])
        told.append(target["emp_id"])
        who = draft.person(target["emp_id"])
        topic = draft.topic or "what you did for me"
        if number % 2 == 0:
            subject = draft.draw.choice(("For your information", "Done as discussed", "Update"))
            draft.ask(
                f'Then tell {who} in a mail with the subject "{subject}" about {topic}.',
                f'Afterwards, send {who} a mail with the subject "{subject}" about {topic}.',
            )
            fetch(draft, target["emp_id"])
            record(draft, target, subject=subject, body=f"This is about {topic}.")
        else:
            draft.ask(f"Also let {who} know by message.", f"And write {who} a short message about it.")
            tell(draft, target["emp_id"], f"This is about {topic}.")
