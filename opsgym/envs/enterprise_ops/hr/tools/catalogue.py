"""Tools for topics, services, their templates and criteria."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Column
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.tools import creating, getting, listing, updating
from opsgym.envs.enterprise_ops.hr.tables.catalogue import CATEGORY, CRITERIA, DETAIL, SERVICE, TEMPLATE
from opsgym.envs.enterprise_ops.hr.tools.shared import Search, Stated, numbers, texts

_IDS = texts(
    "topic_category_id topic_detail_id topic_category topic_detail service_template_id service_template hr_service_id"
    " hr_criteria_id hr_criteria user_group"
)
_ACTIVE: dict[str, Column] = {"active": Stated("active")}
_USERS = Argument("users", str, "Keys of users, with commas between.", False)
_NEW_CRITERIA = fields(CRITERIA, "name type", required=True, searching=False)
_CRITERIA = fields(CRITERIA, "active user_group", required=False, searching=False, kinds=_IDS)
_CHANGED_CRITERIA = fields(CRITERIA, "name type active user_group", required=False, searching=False, kinds=_IDS)


def _criteria(given: dict[str, Any]) -> dict[str, Any]:
    """Values of criteria, with the users as a list."""
    return given | {"users": numbers("users", given["users"])} if given.get("users") else given


def _register_criteria(records: Records, given: dict[str, Any]) -> Any:
    return records.create(CRITERIA, _criteria(given))


def _update_criteria(records: Records, given: dict[str, Any]) -> Any:
    values = _criteria(given)
    return records.update(CRITERIA, {"hr_criteria_id": values.pop("hr_criteria_id")}, values)


def _delete_service(records: Records, given: dict[str, Any]) -> Any:
    return records.update(SERVICE, given, {"active": False})


def _template_by_name(records: Records, given: dict[str, Any]) -> Any:
    found = [row for row in records.find(TEMPLATE, {}) if row["name"].lower() == given["name"].lower()]
    if not found:
        raise ToolError("not_found", f"no service template with name {given['name'][:60]!r}")
    return found[0]


TOOLS = (
    creating("add_new_topic_category", "Create a topic category", CATEGORY, "name coe_type active", kinds=_ACTIVE),
    updating(
        "update_topic_category",
        "Change a topic category",
        CATEGORY,
        "topic_category_id",
        "coe_type active",
        need="name",
        kinds=_IDS,
        defaults={"active": True},
    ),
    listing(
        "get_topic_categories",
        "List topic categories; all arguments given must match",
        CATEGORY,
        "topic_category_id name active coe_type",
        kinds=_IDS | texts("coe_type"),
    ),
    creating("add_new_topic_detail", "Create a topic detail", DETAIL, "name active", "topic_category", kinds=_IDS | _ACTIVE),
    updating(
        "update_topic_detail",
        "Change a topic detail",
        DETAIL,
        "topic_detail_id",
        "active topic_category",
        need="name",
        kinds=_IDS,
        defaults={"active": True},
    ),
    listing(
        "get_topic_details",
        "List topic details; all arguments given must match",
        DETAIL,
        "topic_detail_id name active topic_category",
        kinds=_IDS,
    ),
    creating(
        "create_new_service_template",
        "Create a service template",
        TEMPLATE,
        "name change_request_values coe_type",
        "active",
        defaults={"active": True},
    ),
    updating(
        "update_service_template",
        "Change a service template",
        TEMPLATE,
        "service_template_id",
        "name change_request_values coe_type active",
        kinds=_IDS,
    ),
    declared(
        "get_service_template_by_name",
        "Read a service template by name, whatever its case",
        (Argument("name", str, "The name."),),
        _template_by_name,
    ),
    listing(
        "get_service_templates",
        "List service templates; all arguments given must match",
        TEMPLATE,
        "service_template_id name active coe_type",
        kinds=_IDS,
    ),
    declared(
        "register_hr_criteria",
        "Create criteria for who sees or approves cases",
        (*_NEW_CRITERIA.arguments, *_CRITERIA.arguments, _USERS),
        _register_criteria,
        mutates=True,
    ),
    declared(
        "update_hr_criteria",
        "Change criteria for who sees or approves cases",
        (Argument("hr_criteria_id", str, "Key of the criteria."), *_CHANGED_CRITERIA.arguments, _USERS),
        _update_criteria,
        mutates=True,
    ),
    Search(CRITERIA, "hr_criteria_id name type active user_group", (_USERS,), _IDS, is_dated=True).tool(
        "list_hr_criteria", "List criteria; all arguments given must match"
    ),
    creating(
        "create_new_hr_service",
        "Create a service",
        SERVICE,
        "service_name fulfillment_type active",
        "topic_detail service_template hr_criteria",
        kinds=_IDS | _ACTIVE,
    ),
    updating(
        "update_hr_service",
        "Change a service",
        SERVICE,
        "hr_service_id",
        "service_name fulfillment_type topic_detail service_template hr_criteria active",
        kinds=_IDS,
    ),
    declared(
        "delete_hr_service",
        "Deactivate a service, told by key and name; its record stays",
        (Argument("hr_service_id", str, "Key of the service."), Argument("service_name", str, "Its name.")),
        _delete_service,
        mutates=True,
    ),
    getting("get_hr_service_by_name", "Read a service by its exact name", SERVICE, "service_name"),
    Search(SERVICE, "hr_service_id fulfillment_type topic_detail service_template hr_criteria active", kinds=_IDS, least=1).tool(
        "find_hr_services", "List services; all arguments given must match, and one must be given"
    ),
)
