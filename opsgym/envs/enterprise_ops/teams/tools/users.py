"""Tools for users, their status, and Microsoft 365 groups."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.people import GROUP, GROUP_MEMBER, GROUP_OWNER, STATUS, USER
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    COUNT,
    EXPAND,
    FILTER,
    SELECT,
    Text64,
    Text128,
    Text250,
    Text255,
    Text256,
    Text320,
    Text1000,
    Time,
    acting,
    bound_user,
    change,
    expanded,
    given_values,
    live,
    may,
    need,
    one,
    reading,
    retire,
    top,
    user,
)

Email320 = Annotated[str, Field(max_length=320, json_schema_extra={"format": "email"})]
Email250 = Annotated[str, Field(max_length=250, json_schema_extra={"format": "email"})]
Text10 = Annotated[str, Field(max_length=10)]
Text16 = Annotated[str, Field(max_length=16)]
Text512 = Annotated[str, Field(max_length=512)]
Uri512 = Annotated[str, Field(max_length=512, json_schema_extra={"format": "uri"})]


class Password(TypedDict, total=False):
    """The first password, which is not kept."""

    password: str
    forceChangePasswordNextSignIn: bool


class OrgData(TypedDict, total=False):
    """Where an employee belongs."""

    costCenter: str
    division: str


class Status(TypedDict, total=False):
    """A status message and until when it holds."""

    message: dict[str, Any]
    expiryDateTime: dict[str, Any]


class Label(TypedDict, total=False):
    """A sensitivity label."""

    labelId: str
    displayName: str


_WHO = (
    may("userId", Text320, "Key of the user."),
    may("userPrincipalName", Text320, "Name to sign in, instead of the key."),
)


def _details(mail: Any, site: Any) -> tuple[Argument, ...]:
    return (
        may("givenName", Text128, "First name."),
        may("surname", Text128, "Last name."),
        may("jobTitle", Text128, "What they do."),
        may("mail", Email320, "E-mail address."),
        may("businessPhones", list[Text64], "Telephone numbers."),
        may("mobilePhone", Text64, "Mobile telephone number."),
        may("officeLocation", Text128, "Office."),
        may("preferredLanguage", Text10, "Language, such as en-US."),
        may("department", Text128, "Department."),
        may("companyName", Text128, "Company."),
        may("usageLocation", Text10, "Country code of where they work."),
        may("city", Text128, "City."),
        may("state", Text128, "State or region."),
        may("country", Text128, "Country."),
        may("streetAddress", Text256, "Street address."),
        may("postalCode", Text64, "Postal code."),
        may("employeeId", Text16, "Number of the employee."),
        may("employeeType", Text128, "Kind of employment."),
        may("employeeHireDate", Time, "First day."),
        may("otherMails", list[mail], "Other e-mail addresses."),
        may("aboutMe", str, "A few words on themselves."),
        may("birthday", Time, "Birthday."),
        may("interests", list[str], "Interests."),
        may("skills", list[str], "Skills."),
        may("mySite", site, "Personal page."),
        may("preferredName", Text128, "Name by which they are called."),
        may("faxNumber", Text64, "Fax number."),
        may("ageGroup", words.AgeGroup, "Age group."),
        may("pastProjects", list[str], "Past projects."),
        may("responsibilities", list[str], "Responsibilities."),
        may("schools", list[str], "Schools."),
        may("employeeOrgData", OrgData, "Cost center and division."),
    )


def _who(records: Records, given: dict[str, Any]) -> Row:
    """The user that one of the two arguments tells."""
    name = given.get("userId") or given.get("userPrincipalName")
    if not name:
        raise ToolError("missing_field", "expected one of userId, userPrincipalName")
    return user(records, name)


def _create_user(records: Records, given: dict[str, Any]) -> Any:
    if not given["passwordProfile"].get("password"):
        raise ToolError("missing_field", "passwordProfile: expected a password")
    return shaped(USER, records.create(USER, given_values(USER, given)))


def _update_user(records: Records, given: dict[str, Any]) -> Any:
    values = given_values(USER, given)
    if not given.get("userId"):
        values.pop("user_principal_name", None)  # it tells the user
    return change(records, USER, _who(records, given)["user_id"], values)


def _delete_user(records: Records, given: dict[str, Any]) -> Any:
    return retire(records, USER, _who(records, given)["user_id"])


def _get_user(records: Records, given: dict[str, Any]) -> Any:
    row = _who(records, given)
    return answer([shaped(USER, row)], properties(USER), {"_select": given.get("_select")})["value"][0]


def _list_users(records: Records, given: dict[str, Any]) -> Any:
    return answer([shaped(USER, row) for row in live(records, USER)], properties(USER), given)


def _set_status(records: Records, given: dict[str, Any]) -> Any:
    owner = user(records, given["user_id"])["user_id"]
    status = given["statusMessage"]
    content = status.get("message", {}).get("content")
    if not isinstance(content, str) or not content:
        raise ToolError("missing_field", "statusMessage: expected message.content")
    expiry = status.get("expiryDateTime", {}).get("dateTime", "")
    if not isinstance(expiry, str):
        raise ToolError("invalid_value", "statusMessage: expected expiryDateTime.dateTime as text")
    values = {"message": content, "expiry": expiry}
    if records.find(STATUS, {"user_id": owner}):
        row = records.update(STATUS, {"user_id": owner}, values | {"soft_deleted": False})
    else:
        row = records.create(STATUS, {"user_id": owner} | values)
    return shaped(STATUS, row)


# -- groups ---------------------------------------------------------------------------------------------------


def _create_group(records: Records, given: dict[str, Any]) -> Any:
    row = records.create(GROUP, given_values(GROUP, given))
    for argument, table in (("owners_odata_bind", GROUP_OWNER), ("members_odata_bind", GROUP_MEMBER)):
        for text in given.get(argument, ()):
            records.create(table, {"group_id": row["group_id"], "user_id": bound_user(records, argument, text)["user_id"]})
    return shaped(GROUP, row)


def _update_group(records: Records, given: dict[str, Any]) -> Any:
    group = one(records, GROUP, given["groupId"])["group_id"]
    return change(records, GROUP, group, given_values(GROUP, given))


def _add_owner(records: Records, given: dict[str, Any]) -> Any:
    group = one(records, GROUP, given["groupId"])["group_id"]
    owner = bound_user(records, "_odata_id", given["_odata_id"])["user_id"]
    records.create(GROUP_OWNER, {"group_id": group, "user_id": owner})
    return {"id": group, "owner": owner}


def _list_groups(records: Records, given: dict[str, Any]) -> Any:
    rows = ((row, shaped(GROUP, row)) for row in live(records, GROUP))
    related = {
        "owners": lambda row: [item["user_id"] for item in records.find(GROUP_OWNER, {"group_id": row["group_id"]})],
        "members": lambda row: [item["user_id"] for item in records.find(GROUP_MEMBER, {"group_id": row["group_id"]})],
    }
    return answer(expanded(given, rows, related), [*properties(GROUP), *related], given, search=("displayName", "description"))


_GROUP = (
    may("description", str, "What it is for."),
    may("assignedLabels", list[Label], "Sensitivity labels."),
    may("preferredDataLocation", str, "Where its data lie."),
)

TOOLS = (
    acting(
        "create_user",
        "Create a user in the organization",
        (
            need("userPrincipalName", Text320, "Name to sign in, as an e-mail address."),
            need("displayName", Text256, "Name for people."),
            need("accountEnabled", bool, "Whether they can sign in."),
            need("mailNickname", Text64, "Alias of the mailbox."),
            need("passwordProfile", Password, "The first password."),
            may("userType", words.UserType, "Member of the organization, or guest.", "Member"),
            *_details(Email250, Uri512),
        ),
        _create_user,
    ),
    acting(
        "update_user",
        "Change a user, told by key or by userPrincipalName",
        (
            *_WHO,
            may("displayName", Text256, "Name for people."),
            may("accountEnabled", bool, "Whether they can sign in."),
            may("mailNickname", Text64, "Alias of the mailbox."),
            may("userType", words.UserType, "Member of the organization, or guest."),
            may("isResourceAccount", bool, "Whether it stands for a room or a device."),
            *_details(Text250, Text512),
        ),
        _update_user,
    ),
    acting("delete_user", "Delete a user, told by key or by userPrincipalName", _WHO, _delete_user),
    reading(
        "get_user",
        "Read a user, told by key or by userPrincipalName",
        (*_WHO, may("_select", Text1000, SELECT.about)),
        _get_user,
    ),
    reading(
        "list_users",
        "List the users of the organization",
        (
            top(100, 999),
            may("_skip", Annotated[int, Field(ge=0)], "Records to leave out at the start.", 0),
            may("_filter", Annotated[str, Field(max_length=2000)], FILTER.about),
            may("_orderby", Annotated[str, Field(max_length=500)], "Properties to order by, each with asc or desc."),
            may("_select", Text1000, SELECT.about),
            COUNT,
        ),
        _list_users,
    ),
    acting(
        "set_user_status_message",
        "Set the status message of a user",
        (
            need("user_id", Text320, "Key or userPrincipalName of the user."),
            need("statusMessage", Status, "The message, as {content}, and when it ends, as {dateTime, timeZone}."),
        ),
        _set_status,
    ),
    acting(
        "create_group",
        "Create a group",
        (
            need("displayName", Text256, "Its name."),
            need("mailEnabled", bool, "Whether it has a mailbox."),
            need("mailNickname", Text64, "Alias of the mailbox."),
            need("securityEnabled", bool, "Whether rights can be given to it."),
            may("description", str, "What it is for."),
            may("groupTypes", list[str], "Unified for a Microsoft 365 group; DynamicMembership where a rule tells its members."),
            may("visibility", str, "Private, Public or Hiddenmembership."),
            may("classification", str, "Classification, such as Confidential."),
            may("assignedLabels", list[dict[str, Any]], "Sensitivity labels."),
            may("membershipRule", str, "Rule that tells its members."),
            may("membershipRuleProcessingState", str, "On or Paused."),
            may("isAssignableToRole", bool, "Whether directory roles can be given to it."),
            may("isManagementRestricted", bool, "Whether only some administrators may change it."),
            may("preferredDataLocation", str, "Where its data lie."),
            may("preferredLanguage", str, "Language, such as en-US."),
            may("resourceBehaviorOptions", list[str], "How its resources behave."),
            may("resourceProvisioningOptions", list[str], "Which resources it has."),
            may("theme", str, "Colour theme."),
            may("owners_odata_bind", list[str], "Owners, as .../users('<id>')."),
            may("members_odata_bind", list[str], "Members, as .../users('<id>')."),
        ),
        _create_group,
    ),
    acting(
        "update_group",
        "Change a group",
        (
            need("groupId", str, "Key of the group."),
            *_GROUP,
            may("displayName", Text255, "Its name."),
            may("mailNickname", Text64, "Alias of the mailbox."),
            may("securityEnabled", bool, "Whether rights can be given to it."),
            may("uniqueName", str, "A name that no other group has."),
            may("visibility", words.GroupVisibility, "Who sees it."),
            may("allowExternalSenders", bool, "Whether others may write to it."),
            may("autoSubscribeNewMembers", bool, "Whether new members get its mail."),
        ),
        _update_group,
    ),
    acting(
        "add_group_owner",
        "Add an owner to a group",
        (need("groupId", str, "Key of the group."), need("_odata_id", str, "The owner, as .../users/<id>.")),
        _add_owner,
    ),
    reading(
        "list_groups",
        "List the groups of the organization",
        (
            top(100, 999),
            FILTER,
            SELECT,
            may("_orderby", str, "Properties to order by, each with asc or desc."),
            may("_search", str, "Text in the name or the description."),
            may("_count", bool, COUNT.about),
            EXPAND,
        ),
        _list_groups,
    ),
)
