"""Services and what they stand on, routes between groups, and knowledge."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import CLOSED, named_by

_OFF = "old.active AND NOT new.active"
_CATALOGUE = "catalogue"
_ROUTING = "routing"

RULES = (
    Rule(
        "HR-TOPIC-DETAIL",
        "An active topic detail belongs to an active topic category.",
        "topic_detail",
        "new.active AND NOT EXISTS (SELECT 1 FROM topic_category c WHERE c.topic_category_id = new.topic_category AND c.active)",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-TOPIC-OFF",
        "A topic category with active details is not deactivated.",
        "topic_category",
        f"{_OFF} AND EXISTS (SELECT 1 FROM topic_detail d WHERE d.topic_category = new.topic_category_id AND d.active)",
        on=("update",),
        section=_CATALOGUE,
    ),
    Rule(
        "HR-DETAIL-OFF",
        "A topic detail with active services is not deactivated.",
        "topic_detail",
        f"{_OFF} AND EXISTS (SELECT 1 FROM hr_service s WHERE s.topic_detail = new.topic_detail_id AND s.active)",
        on=("update",),
        section=_CATALOGUE,
    ),
    Rule(
        "HR-SERVICE-TOPIC",
        "An active service has an active topic detail.",
        "hr_service",
        "new.active AND NOT EXISTS (SELECT 1 FROM topic_detail d WHERE d.topic_detail_id = new.topic_detail AND d.active)",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-SERVICE-TEMPLATE",
        "The template of an active service is active and has the coe_type of the service's topic category.",
        "hr_service",
        "new.active AND new.service_template IS NOT NULL AND NOT EXISTS (SELECT 1 FROM service_template t, topic_detail d"
        " JOIN topic_category c ON c.topic_category_id = d.topic_category WHERE t.service_template_id = new.service_template"
        " AND d.topic_detail_id = new.topic_detail AND t.active AND t.coe_type = c.coe_type)",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-SERVICE-CRITERIA",
        "The criteria of an active service are active.",
        "hr_service",
        "new.active AND new.hr_criteria IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM hr_criteria c WHERE c.hr_criteria_id = new.hr_criteria AND c.active)",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-SERVICE-OFF",
        "A service with open cases is not deactivated.",
        "hr_service",
        f"{_OFF} AND EXISTS (SELECT 1 FROM hr_case c WHERE c.hr_service = new.hr_service_id AND c.status NOT IN {CLOSED})",
        on=("update",),
        section=_CATALOGUE,
    ),
    Rule(
        "HR-TEMPLATE-OFF",
        "A template of an active service is not deactivated, and keeps its coe_type.",
        "service_template",
        f"(({_OFF}) OR new.coe_type <> old.coe_type) AND EXISTS (SELECT 1 FROM hr_service s"
        " WHERE s.service_template = new.service_template_id AND s.active)",
        on=("update",),
        section=_CATALOGUE,
    ),
    Rule(
        "HR-CRITERIA-WHO",
        "Active criteria name an active group or users; approval criteria name an active manager or admin among them.",
        "hr_criteria",
        "new.active AND ((new.user_group IS NULL AND json_array_length(coalesce(new.users, '[]')) = 0)"
        " OR (new.user_group IS NOT NULL AND NOT EXISTS (SELECT 1 FROM user_group g WHERE g.group_id = new.user_group"
        " AND g.active)) OR (new.type = 'approval' AND NOT EXISTS (SELECT 1 FROM user u WHERE u.active"
        f" AND u.role IN ('manager', 'admin') AND {named_by('new', 'u.user_id')})))",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-CRITERIA-GROUP",
        "A group that active criteria name has no members but agents and managers.",
        "hr_criteria",
        "new.active AND EXISTS (SELECT 1 FROM user_group_member m JOIN user u USING (user_id)"
        " WHERE m.group_id = new.user_group AND u.role NOT IN ('agent', 'manager'))",
        section=_CATALOGUE,
    ),
    Rule(
        "HR-CRITERIA-OFF",
        "Criteria of an active service are not deactivated.",
        "hr_criteria",
        f"{_OFF} AND EXISTS (SELECT 1 FROM hr_service s WHERE s.hr_criteria = new.hr_criteria_id AND s.active)",
        on=("update",),
        section=_CATALOGUE,
    ),
    Rule(
        "HR-ROUTE-WHO",
        "An active assignment rule names an active group, and no users but its members.",
        "assignment_rules",
        "new.active AND (NOT EXISTS (SELECT 1 FROM user_group g WHERE g.group_id = new.user_group AND g.active)"
        " OR EXISTS (SELECT 1 FROM json_each(coalesce(new.users, '[]')) j WHERE NOT EXISTS"
        " (SELECT 1 FROM user_group_member m WHERE m.group_id = new.user_group AND m.user_id = j.value)))",
        section=_ROUTING,
    ),
    Rule(
        "HR-ESCALATE-ACTIVE",
        "An escalation rule leads from one active group to another.",
        "escalation_rule",
        "EXISTS (SELECT 1 FROM user_group g WHERE g.group_id IN (new.escalate_from, new.escalate_to) AND NOT g.active)",
        section=_ROUTING,
    ),
    Rule(
        "HR-ESCALATE-BACK",
        "No two escalation rules lead to and fro between the same groups.",
        "escalation_rule",
        "EXISTS (SELECT 1 FROM escalation_rule e WHERE e.escalate_from = new.escalate_to AND e.escalate_to = new.escalate_from)",
        section=_ROUTING,
    ),
    Rule(
        "HR-KB-USE",
        "Only published articles are linked to cases.",
        "hr_case_knowledge",
        "NOT EXISTS (SELECT 1 FROM knowledge k WHERE k.knowledge_id = new.knowledge_id AND k.state = 'published')",
        section="knowledge",
    ),
    Rule(
        "HR-KB-SHARED",
        "The resolution of a case with source self-service is an external article.",
        "hr_case_knowledge",
        "new.used_as = 'resolution' AND EXISTS (SELECT 1 FROM hr_case c, knowledge k WHERE c.hr_case_id = new.hr_case_id"
        " AND k.knowledge_id = new.knowledge_id AND c.source = 'self-service' AND k.visibility <> 'external')",
        section="knowledge",
    ),
)
