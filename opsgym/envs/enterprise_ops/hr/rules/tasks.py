"""Tasks of cases, checklists and surveys."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import CLOSED, ME, STEP, changed, handler
from opsgym.envs.enterprise_ops.hr.tables.cases import TASK
from opsgym.envs.enterprise_ops.hr.tables.surveys import COUNT, INSTANCE

_FROZEN = f"old.status IN {CLOSED} AND {changed(TASK, ('status', 'worknotes'))}"
_ANSWERS = tuple(f"answer_{number}" for number in range(1, COUNT + 1))
_ANSWERED = " OR ".join(f"new.{name} IS NOT old.{name}" for name in _ANSWERS)
_CLOSED_TASK = f"EXISTS (SELECT 1 FROM hr_case_task t WHERE t.hr_case_task_id = new.case_task_id AND t.status IN {CLOSED})"

RULES = (
    Rule(
        "HR-TASK-PARENT",
        "A new task belongs to a case that is not closed or cancelled.",
        "hr_case_task",
        f"NOT EXISTS (SELECT 1 FROM hr_case c WHERE c.hr_case_id = new.parent_case AND c.status NOT IN {CLOSED})",
        STEP,
        on=("create",),
    ),
    Rule(
        "HR-TASK-ASSIGN",
        "An open task is assigned to an active agent or manager, who is a member of its active assignment group.",
        "hr_case_task",
        "new.assigned_to IS NOT NULL AND (new.assigned_to IS NOT old.assigned_to"
        f" OR new.assignment_group IS NOT old.assignment_group) AND new.status NOT IN {CLOSED} AND NOT {handler('new')}",
    ),
    Rule(
        "HR-TASK-URL",
        "A task has an external address, which starts with https://, exactly if its type is url.",
        "hr_case_task",
        "(new.task_type = 'url') <> (coalesce(new.external_url, '') GLOB 'https://?*')"
        " OR (new.task_type <> 'url' AND new.external_url IS NOT NULL)",
    ),
    Rule(
        "HR-TASK-SERVICE",
        "A task of type hr service names the service.",
        "hr_case_task",
        "new.task_type = 'hr service' AND new.hr_service IS NULL",
    ),
    Rule(
        "HR-TASK-ACTIVE",
        "A task that is closed or cancelled is not active.",
        "hr_case_task",
        f"new.status IN {CLOSED} AND new.active",
    ),
    Rule(
        "HR-TASK-CHECKED",
        "A checklist is closed complete only when it has items and all of them are checked.",
        "hr_case_task",
        "new.status = 'closed_complete' AND new.task_type = 'checklist' AND (NOT EXISTS (SELECT 1 FROM checklist i"
        " WHERE i.case_task_id = new.hr_case_task_id) OR EXISTS (SELECT 1 FROM checklist i"
        " WHERE i.case_task_id = new.hr_case_task_id AND NOT i.checked))",
    ),
    Rule(
        "HR-TASK-ANSWERED",
        "A task of type survey is closed complete only when its survey was answered.",
        "hr_case_task",
        "new.status = 'closed_complete' AND new.task_type = 'survey' AND NOT EXISTS (SELECT 1 FROM survey_instance i"
        " WHERE i.case_task_id = new.hr_case_task_id AND i.answer_1 IS NOT NULL)",
    ),
    Rule(
        "HR-TASK-FROZEN",
        "Of a task that is closed or cancelled nothing but the work notes is changed.",
        "hr_case_task",
        _FROZEN,
        _FROZEN,
        on=("update",),
    ),
    Rule(
        "HR-ITEM-TYPE",
        "Items belong to tasks of type checklist.",
        "checklist",
        "NOT EXISTS (SELECT 1 FROM hr_case_task t WHERE t.hr_case_task_id = new.case_task_id AND t.task_type = 'checklist')",
    ),
    Rule(
        "HR-ITEM-ADD",
        "No item is added to a task that is closed or cancelled.",
        "checklist",
        _CLOSED_TASK,
        STEP,
        on=("create",),
    ),
    Rule(
        "HR-ITEM-CHANGE",
        "No item of a task that is closed or cancelled is changed.",
        "checklist",
        _CLOSED_TASK,
        STEP,
        on=("update",),
    ),
    Rule(
        "HR-SURVEY-ASKS",
        "A survey asks at least one question.",
        "survey",
        "coalesce(new.question_1, new.question_2, new.question_3, new.question_4, new.question_5) IS NULL",
    ),
    Rule(
        "HR-SURVEY-TO",
        "A survey is handed, on a task of type survey, to the person for whom the case was opened.",
        "survey_instance",
        "NOT EXISTS (SELECT 1 FROM hr_case_task t JOIN hr_case c ON c.hr_case_id = t.parent_case"
        " WHERE t.hr_case_task_id = new.case_task_id AND t.task_type = 'survey' AND c.opened_for = new.assigned_to)",
    ),
    Rule(
        "HR-SURVEY-ANSWER",
        "Only the person to whom a survey was handed answers it.",
        "survey_instance",
        f"({_ANSWERED}) AND new.assigned_to IS NOT {ME}",
    ),
    Rule(
        "HR-SURVEY-OWN",
        "An employee hands out no survey, and changes nothing of one but its answers.",
        "survey_instance",
        f":role = 'employee' AND {changed(INSTANCE, _ANSWERS)}",
    ),
)
