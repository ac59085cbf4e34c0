"""What belongs to a case while it is worked on, and when it ends."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import CLOSED

_OPEN_TASK = f"SELECT 1 FROM hr_case_task t WHERE t.parent_case = new.hr_case_id AND t.status NOT IN {CLOSED}"
_ENDED = "old.status <> new.status"
_SECTION = "wrap-up"

RULES = (
    Rule(
        "HR-WORK-TASKS",
        "A case on which work has begun has at least one task; where its service generates none, one is created.",
        "hr_case",
        None,
        end="new.status = 'work_in_progress' AND old.status <> 'work_in_progress'"
        " AND NOT EXISTS (SELECT 1 FROM hr_case_task t WHERE t.parent_case = new.hr_case_id)",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-CLOSE-TASKS",
        "A case awaits acceptance, or is closed complete, only when none of its active tasks is open, surveys apart.",
        "hr_case",
        f"new.status IN ('awaiting_acceptance', 'closed_complete') AND {_ENDED}"
        f" AND EXISTS ({_OPEN_TASK} AND t.active AND t.task_type <> 'survey')",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-CLOSE-SURVEY",
        "When a case is closed complete, a survey is handed, on a task of type survey, to the person for whom it was opened.",
        "hr_case",
        None,
        end=f"new.status = 'closed_complete' AND {_ENDED} AND NOT EXISTS (SELECT 1 FROM survey_instance i"
        " JOIN hr_case_task t ON t.hr_case_task_id = i.case_task_id"
        " WHERE t.parent_case = new.hr_case_id AND t.task_type = 'survey' AND i.assigned_to = new.opened_for)",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-CLOSE-NOTICE",
        "When a case is closed, complete or incomplete, the person for whom it was opened gets a notification of type closure.",
        "hr_case",
        None,
        end=f"new.status IN ('closed_complete', 'closed_incomplete') AND {_ENDED} AND NOT EXISTS"
        " (SELECT 1 FROM notification n JOIN user u ON u.email = n.email"
        " WHERE n.hr_case_id = new.hr_case_id AND n.type = 'closure' AND u.user_id = new.opened_for)",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-STOP-TASKS",
        "When a case is closed incomplete or cancelled, none of its tasks stays open.",
        "hr_case",
        None,
        end=f"new.status IN ('closed_incomplete', 'cancelled') AND {_ENDED} AND EXISTS ({_OPEN_TASK})",
        on=("update",),
        section=_SECTION,
    ),
)
