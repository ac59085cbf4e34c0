"""Tools for surveys and their answers."""

from __future__ import annotations

from opsgym.core.records.tools import creating, listing, updating
from opsgym.envs.enterprise_ops.hr.tables.surveys import COUNT, INSTANCE, SURVEY

_QUESTIONS = " ".join(f"question_{number}" for number in range(1, COUNT + 1))
_ANSWERS = " ".join(f"answer_{number}" for number in range(1, COUNT + 1))
_HANDED = f"case_task_id assigned_to {_ANSWERS}"

TOOLS = (
    creating("create_survey", "Create a survey", SURVEY, "", _QUESTIONS),
    updating("update_survey", "Change a survey", SURVEY, "survey_id", _QUESTIONS),
    listing("list_surveys", "List surveys; all arguments given must match", SURVEY, f"survey_id {_QUESTIONS}"),
    creating("create_survey_instance", "Hand a survey to somebody", INSTANCE, "survey_id", _HANDED),
    updating(
        "update_survey_instance", "Change a survey that was handed out", INSTANCE, "survey_instance_id", f"survey_id {_HANDED}"
    ),
    listing(
        "list_survey_instances",
        "List surveys that were handed out; all arguments given must match",
        INSTANCE,
        f"survey_instance_id survey_id {_HANDED}",
    ),
)
