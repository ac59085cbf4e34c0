"""Tools for incidents, their templates, children and affected configuration items."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Choice
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import aggregating, counting, creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.incidents import AFFECTED_CI, CHILD, INCIDENT, TEMPLATE

_WRITTEN_CHANNEL = {"channel": Choice("channel", words.CHANNELS[:-1])}
_ASSIGNED = "assigned_to assignment_group"
_WORK = f"description impact urgency priority {_ASSIGNED} worknotes resolution_notes close_notes resolution_code"
_LINKS = "parent_incident problem change_request caused_by_change resolved_by on_hold_reason incident_template resolved"
_AFFECTED = "service service_offering configuration_item"
_CHILD = "child_incident_mapping_id parent_incident child_incident"
_TIMES = "created_after created_before"


class TemplateValues(TypedDict, total=False):
    """What a template fills in."""

    caller_id: str
    short_description: str
    channel: str
    category: str
    impact: str
    urgency: str
    priority: str
    configuration_item: str
    service: str
    service_offering: str


_EMPTY = dict.fromkeys(TemplateValues.__annotations__, "")
_NAME = Argument("name", Annotated[str, Field(max_length=120)], "Name of the template.")
_VALUES = Argument("change_request_values", TemplateValues, "What the template fills in.")
_ACTIVE = Argument("active", bool, "Whether it may be used.", False)


def _create_template(records: Records, given: dict[str, Any]) -> Any:
    return records.create(TEMPLATE, _template_values(given))


def _update_template(records: Records, given: dict[str, Any]) -> Any:
    values = _template_values(given)
    return records.update(TEMPLATE, {"incident_template_id": values.pop("incident_template_id")}, values)


def _template_values(given: dict[str, Any]) -> dict[str, Any]:
    """Values by column; empty ones mean nothing."""
    nested = {name: value for name, value in given.pop("change_request_values", {}).items() if value != ""}
    return given | nested


def _add_children(records: Records, given: dict[str, Any]) -> Any:
    if not given["child_incidents"]:
        raise ToolError("missing_field", "child_incidents: expected at least one incident")
    parent = given["parent_incident"]
    return [records.create(CHILD, {"parent_incident": parent, "child_incident": child}) for child in given["child_incidents"]]


TOOLS = (
    creating(
        "create_incident",
        "Create an incident",
        INCIDENT,
        "caller_id short_description",
        f"{_AFFECTED} channel status category {_WORK} {_LINKS}",
        kinds=_WRITTEN_CHANNEL,
    ),
    updating(
        "update_incident",
        "Change an incident",
        INCIDENT,
        "incident_id",
        f"number {_AFFECTED} caller_id channel status category short_description {_WORK} {_LINKS}",
        kinds=_WRITTEN_CHANNEL,
    ),
    getting("find_incident_by_id", "Read an incident by key", INCIDENT, "incident_id"),
    getting("find_incident_by_number", "Read an incident by number", INCIDENT, "number"),
    listing(
        "list_incidents",
        "List incidents; all arguments given must match",
        INCIDENT,
        f"incident_id number {_AFFECTED} called_id=caller_id channel status category short_description {_WORK} {_LINKS} {_TIMES}",
    ),
    listing("get_incidents_assigned_to", "List the incidents of a user, of a group, or of both", INCIDENT, _ASSIGNED),
    counting(
        "count_incident_for_assignment_group",
        "Count the incidents of a group",
        INCIDENT,
        "assignment_group_id=assignment_group",
        "status priority channel",
    ),
    aggregating(
        "get_count_of_incident_priority_wise", "Count incidents by priority", INCIDENT, "priority_list=priority", default=[]
    ),
    creating("add_child_incident", "Make an incident the child of another", CHILD, "parent_incident child_incident"),
    declared(
        "add_child_incidents",
        "Make incidents the children of another, all or none",
        (
            Argument("parent_incident", str, "Key of the parent."),
            Argument("child_incidents", list[str], "Keys of the children."),
        ),
        _add_children,
        mutates=True,
    ),
    listing("list_child_incidents", "List the children of an incident", CHILD, need="parent_incident"),
    getting("find_parent_incident", "Read which incident is the parent of another", CHILD, "child_incident"),
    updating(
        "update_child_incident",
        "Change which incident is the child of which",
        CHILD,
        "child_incident_mapping_id",
        "",
        need="parent_incident child_incident",
    ),
    removing("remove_child_incident", "Make incidents children no longer; all arguments given must match", CHILD, _CHILD),
    creating(
        "link_affected_ci_to_incident",
        "Add an affected configuration item to an incident",
        AFFECTED_CI,
        "configuration_item incident_id",
    ),
    listing(
        "list_incident_affected_cis",
        "List affected configuration items of incidents; all arguments given must match",
        AFFECTED_CI,
        f"incident_affected_cis_id configuration_item incident_id {_TIMES}",
    ),
    removing(
        "remove_affected_ci_from_incident",
        "Remove affected configuration items from incidents; all arguments given must match",
        AFFECTED_CI,
        f"incident_affected_cis_id configuration_item incident_id {_TIMES}",
    ),
    declared(
        "create_new_incident_template", "Create an incident template", (_NAME, _VALUES, _ACTIVE), _create_template, mutates=True
    ),
    declared(
        "update_incident_template",
        "Change an incident template",
        (
            Argument("incident_template_id", str, "Key of the template."),
            Argument("name", _NAME.annotation, _NAME.about, False),
            Argument("change_request_values", TemplateValues, _VALUES.about, False, _EMPTY),
            _ACTIVE,
        ),
        _update_template,
        mutates=True,
    ),
    getting("get_incident_template_by_name", "Read an incident template by its exact name", TEMPLATE, "name"),
    listing(
        "get_incident_templates",
        "List incident templates; all arguments given must match",
        TEMPLATE,
        f"incident_template_id name active {_TIMES}",
    ),
)
