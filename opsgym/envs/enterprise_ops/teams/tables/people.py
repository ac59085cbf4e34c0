"""Organizations, users, their roles and presence, and Microsoft 365 groups."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import ORG, SOFT, TIMES, kept

ORGANIZATION = Table(
    "teams_orgs",
    (
        Key("org_id", "ORG"),
        Text("tenant_id", 64, required=True),
        Text("display_name", 256, required=True),
        Text("domain_name", 256, required=True),
        Text("country_letter_code", 2),
        Text("preferred_language", 10),
        *TIMES,
        SOFT,
    ),
    resource="organizations",
    scope="org_id",
    unique=(("tenant_id",), ("domain_name",)),
)
USER = Table(
    "teams_users",
    (
        ORG,
        Key("user_id", "USER"),
        Text("user_principal_name", 320, "email", required=True),
        Text("display_name", 256, required=True),
        Text("job_title", 128),
        Text("mail", 320, "email"),
        Text("given_name", 128),
        Text("surname", 128),
        Text("mail_nickname", 64, required=True),
        Flag("account_enabled", required=True, default=True),
        Json("business_phones", shape=list[str]),
        Text("mobile_phone", 64),
        Text("office_location", 128),
        Text("preferred_language", 10),
        Text("department", 128),
        Text("company_name", 128),
        Text("usage_location", 10),
        Text("city", 128),
        Text("state", 128),
        Text("country", 128),
        Text("street_address", 256),
        Text("postal_code", 64),
        Text("employee_id", 16),
        Text("employee_type", 128),
        Choice("user_type", words.USER_TYPES, required=True, default="Member"),
        Moment("employee_hire_date"),
        Json("other_mails", shape=list[str]),
        Flag("on_premises_sync_enabled"),
        Text("about_me"),
        Moment("birthday"),
        Json("interests", shape=list[str]),
        Json("skills", shape=list[str]),
        Text("my_site", 512),
        Text("preferred_name", 128),
        Text("fax_number", 64),
        Choice("age_group", words.AGE_GROUPS),
        Flag("is_resource_account"),
        Json("past_projects", shape=list[str]),
        Json("responsibilities", shape=list[str]),
        Json("schools", shape=list[str]),
        Json("employee_org_data"),
        Text("static_token", 255, secret=True),
        *TIMES,
        SOFT,
    ),
    resource="users",
    scope="org_id",
)
USER_ROLE = Table(
    "teams_user_roles",
    (Key("id", "UROLE"), Ref("user_id", "teams_users", required=True), Choice("role", words.ROLES, required=True), ORG),
    resource="users",
    scope="org_id",
    unique=(("user_id", "role"),),
)
RESOURCE_ACCESS = Table(
    "resource_access",
    (
        Key("id", "ACCESS"),
        Ref("user_id", "teams_users", required=True),
        Choice("resource_type", words.RESOURCE_TYPES, required=True),
        Text("resource_id", 64, required=True),
        Choice("role", words.ACCESS_ROLES, required=True),
        ORG,
    ),
    resource="users",
    scope="org_id",
    unique=(("user_id", "resource_type", "resource_id"),),
)
PRESENCE = kept(
    "presences",
    Key("id", "PRES"),
    Ref("user_id", "teams_users", required=True),
    Choice("availability", words.AVAILABILITIES, required=True),
    Text("activity", 64),
    resource="presence",
    unique=(("user_id",),),
)
STATUS = kept(
    "user_status_messages",
    Key("id", "STATUS"),
    Ref("user_id", "teams_users", required=True),
    Text("message", 280, required=True),
    Moment("expiry"),
    resource="presence",
    unique=(("user_id",),),
)
GROUP = kept(
    "groups_m365",
    Key("group_id", "GROUP"),
    Text("display_name", 256, required=True),
    Text("description", 1024),
    Text("mail_nickname", 64, required=True),
    Flag("mail_enabled", required=True),
    Flag("security_enabled", required=True),
    Json("group_types", shape=list[str]),
    Choice("visibility", words.GROUP_VISIBILITIES, required=True, default="Private"),
    Text("classification", 128),
    Text("unique_name", 128),
    Json("assigned_labels", shape=list[dict[str, object]]),
    Text("membership_rule", 3072),
    Text("membership_rule_processing_state", 32),
    Flag("is_assignable_to_role"),
    Flag("is_management_restricted"),
    Text("preferred_data_location", 32),
    Text("preferred_language", 10),
    Json("resource_behavior_options", shape=list[str]),
    Json("resource_provisioning_options", shape=list[str]),
    Text("theme", 32),
    Flag("allow_external_senders"),
    Flag("auto_subscribe_new_members"),
    resource="groups",
)
GROUP_OWNER = Table(
    "group_owners",
    (Ref("group_id", "groups_m365", required=True), Ref("user_id", "teams_users", required=True), ORG, *TIMES),
    resource="groups",
    scope="org_id",
    key=("group_id", "user_id"),
)
GROUP_MEMBER = Table(
    "group_members",
    (Ref("group_id", "groups_m365", required=True), Ref("user_id", "teams_users", required=True), ORG, *TIMES),
    resource="groups",
    scope="org_id",
    key=("group_id", "user_id"),
)
TABLES = (ORGANIZATION, USER, USER_ROLE, RESOURCE_ACCESS, PRESENCE, STATUS, GROUP, GROUP_OWNER, GROUP_MEMBER)
