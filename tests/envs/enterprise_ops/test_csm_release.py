"""CSM agrees with the published material, where that is at hand."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from opsgym.core.records.actor import Actor
from opsgym.core.records.judge import Judge
from opsgym.core.records.records import Records
from opsgym.core.records.seeding import seeded_by_sql
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_ops.csm.domain import CSM
from opsgym.envs.enterprise_ops.csm.official import DEFECTS, FLAGGED, TASKS, Defect, defects_table, is_reachable
from tests.envs.enterprise_ops.published import needed

ADMIN = "32"


@cache
def snapshot(day: str) -> Snapshot:
    seed = needed("seeds/csm.sql").read_text()
    return seeded_by_sql(CSM, seed, today=dt.datetime.strptime(day, "%Y%m%d").date()).snapshot()


def official_world(task: str) -> World:
    return World.from_snapshot(snapshot(task[:8]))


def test_the_official_seed_loads_under_our_conditions() -> None:
    world = official_world(TASKS[0])
    assert world.check() == []
    assert sum(len(world.rows(table.name)) for table in CSM.tables) == 10_616


def official(task: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(needed(f"tasks/csm/task_{task}.json").read_text())
    return content


def checks(task: str) -> list[SqlCheck]:
    configs = [(item["name"], item["validation_config"]) for item in official(task)["verifiers"]]
    return [
        SqlCheck(name=name, query=config["query"], expected=config["expected_value"], comparison=config["comparison_type"])
        for name, config in configs
    ]


def passed(task: str, after: World) -> list[bool]:
    before = snapshot(task[:8])
    with Judge(CSM, before, after.snapshot(), Actor(ADMIN, "admin")) as judge:
        return [judge.check(check).status == "pass" for check in checks(task)]


def flagged(task: str, defect: Defect) -> set[int]:
    return {place for item in FLAGGED if (item.task, item.defect) == (task, defect) for place in item.places}


# -- what is wrong with the checks --------------------------------------------------------------------------


def test_all_65_checks_run_on_the_official_seed() -> None:
    assert sum(len(checks(task)) for task in TASKS) == 65
    for task in TASKS:
        world = official_world(task)
        with Judge(CSM, world.snapshot(), world.snapshot(), Actor(ADMIN, "admin")) as judge:
            assert not [result.message for result in map(judge.check, checks(task)) if "query fails" in result.message]


@pytest.mark.parametrize("task", TASKS)
def test_just_the_flagged_checks_pass_before_anything_is_done(task: str) -> None:
    found = {place for place, is_passed in enumerate(passed(task, official_world(task))) if is_passed}
    assert found == flagged(task, "vacuous") | flagged(task, "inverted")


@pytest.mark.parametrize("task", TASKS)
def test_just_the_flagged_checks_share_their_name_with_a_later_one(task: str) -> None:
    names = [check.name for check in checks(task)]
    assert {place for place, name in enumerate(names) if name in names[place + 1 :]} == flagged(task, "collapsed")


def test_no_task_names_the_seed_at_hand() -> None:
    own = re.search(r"Database ID: (\w+)", needed("seeds/csm.sql").read_text())
    assert own is not None
    named = {task: official(task)["gym_servers_config"][0]["seed_database_file"] for task in TASKS}
    assert {task for task, path in named.items() if own[1] not in path} == {
        item.task for item in FLAGGED if item.defect == "seed"
    }


def test_every_defect_has_its_meaning() -> None:
    assert {item.defect for item in FLAGGED} == set(DEFECTS)
    assert defects_table().count("\n") == len(FLAGGED) + 2


# -- plans --------------------------------------------------------------------------------------------------


class Play:
    """Calls tools of the official world; each call takes a minute."""

    def __init__(self, task: str) -> None:
        self.task = task
        self.records = Records(CSM, official_world(task), Actor(ADMIN, "admin"))

    def __call__(self, tool: str, **arguments: Any) -> Any:
        item = CSM.toolbox[tool]
        self.records.world.advance(minutes=1)
        return item.function(self.records, **item.validate(arguments))

    def one(self, tool: str, **arguments: Any) -> Any:
        """The first record of a list."""
        return self(tool, **arguments)[0]

    def contact(self, account: int) -> int:
        return int(self.one("find_contacts", account_id=account, is_primary=True)["contact_id"])

    def case(self, account: int, **values: Any) -> int:
        """A case of the primary contact."""
        given = {"contact_id": self.contact(account), "state": "new"} | values
        return int(self("create_new_case", account_id=account, **given)["case_id"])

    def sla(self, case: int, metric: str, priority: str, **more: Any) -> None:
        sla = self.one("find_sla_definitions", metric=metric, applies_to_priority=priority, active=True, **more)
        self("link_new_case_sla", case_id=case, sla_def_id=sla["sla_def_id"], stage="in_progress")

    def asset(self, account: int, ending: str) -> Any:
        """The installed product whose serial number ends so."""
        rows = self("retrieve_installed_products", account_id=account)
        return next(row for row in rows if row["serial_number"].endswith(ending))


TEXT = "Reported fault, see the interaction for the details."


def entitled(play: Play) -> None:
    account = play("find_account", name="Stark Industries")["account_id"]
    asset = play.asset(account, "8853")
    held = play.one("find_entitlements", account_id=account, product_id=asset["product_id"])["entitlement_id"]
    play("update_entitlement", entitlement_id=held, support_level="enterprise", coverage_hours="h24x7", max_cases_per_month=0)
    group = play("find_user_group", name="Escalation Management")["group_id"]
    case = play.case(
        account,
        channel="phone",
        priority="critical",
        state="in_progress",
        short_description=TEXT,
        product_id=asset["product_id"],
        installed_product_id=asset["installed_product_id"],
        assignment_group_id=group,
        assigned_to=play.one("find_user", name="curtis mccoy")["user_id"],
    )
    play.sla(case, "resolution", "critical")


def moved(play: Play) -> None:
    account = play("find_account", name="Stark Industries")["account_id"]
    (asset,) = [row for row in play("retrieve_installed_products", account_id=account) if row["serial_number"][:4] == "P25-"]
    (site,) = play("find_locations", city="london", street="Pratt Curve")
    play("update_installed_product_details", installed_product_id=asset["installed_product_id"], location_id=site["location_id"])
    case = play.case(account, channel="alert", priority="low", short_description=TEXT)
    for state in ("resolved", "closed"):
        play("update_case", case_id=case, state=state)
    users = [row["portal_user_id"] for row in play("find_contacts", account_id=account, active=True)]
    for user in users:
        play("send_notification", case_id=case, email=play.one("list_users", user_id=user)["email"], type="update")


def again(play: Play) -> None:
    account = play("find_account", name="Wilson and Sons")["account_id"]
    product = play("find_product", name="Managed Network Services")["product_id"]
    old = play.one("search_cases", account_id=account, product_id=product, state="canceled")
    case = play.case(
        account,
        contact_id=old["contact_id"],
        channel="email",
        priority=old["priority"],
        state="in_progress",
        product_id=product,
        short_description=old["short_description"],
        assignment_group_id=play("find_user_group", name="Case Assignment_2")["group_id"],
        assigned_to=play.one("find_user", name="Cory Vargas")["user_id"],
        escalation=True,
        escalation_reason="customer_request",
    )
    for metric in ("response", "resolution"):
        play.sla(case, metric, old["priority"])


def server(play: Play) -> None:
    account = play("find_account", name="Klein, Black and Wood")["account_id"]
    asset = play.asset(account, "9300")
    text = re.search(r"short_description = '([^']+)'", checks(play.task)[0].query)
    assert text is not None
    case = play.case(
        account,
        channel="community",
        priority="moderate",
        product_id=asset["product_id"],
        installed_product_id=asset["installed_product_id"],
        short_description=text[1],
        assignment_group_id=play("find_user_group", name="Installed Base Support")["group_id"],
    )
    play("update_case", case_id=case, state="in_progress")
    play.sla(case, "response", "moderate")


def service(play: Play) -> None:
    name = "Network Resilience Health Check"
    product = play("add_new_product", name=name, category="service", lifecycle_state="active")["product_id"]
    article = play(
        "create_knowledge",
        title=f"{name} Troubleshooting",
        state="published",
        body="Steps follow.",
        visibility="internal",
        owner_id=int(ADMIN),
        product_id=product,
    )["knowledge_id"]
    wrong = play.one("search_cases", number="CS-0000888")
    play("update_case", case_id=wrong["case_id"], state="canceled")
    case = play.case(
        wrong["account_id"],
        channel="phone",
        priority="critical",
        state="in_progress",
        product_id=product,
        short_description=TEXT,
        assignment_group_id=play("find_user_group", name="Escalation Management")["group_id"],
        escalation=True,
        escalation_reason="impact",
    )
    play("link_case_knowledge", case_id=case, knowledge_id=article, used_as="suggested")
    play.sla(case, "response", "critical")


def contracted(play: Play) -> None:
    account = play("find_account", name="Stark Industries")["account_id"]
    asset = play.asset(account, "8853")
    product = asset["product_id"]
    contract = play(
        "enlist_new_contract",
        account_id=account,
        contract_type="support",
        status="active",
        start_date="2025-11-18",
        end_date="2026-11-18",
    )["contract_id"]
    play(
        "add_new_entitlement",
        account_id=account,
        support_level="enterprise",
        active=True,
        product_id=product,
        contract_id=contract,
        coverage_hours="h24x7",
    )
    case = play.case(
        account,
        channel="web",
        priority="critical",
        short_description=TEXT,
        product_id=product,
        installed_product_id=asset["installed_product_id"],
    )
    group = play("find_user_group", name="Escalation Management")["group_id"]
    play("set_case_assignment_group", case_id=case, assignment_group_id=group)
    play("update_case", case_id=case, state="in_progress")
    play.sla(case, "resolution", "critical")
    article = play.one("retrieve_knowledge", product_id=product, state="published")
    play("link_case_knowledge", case_id=case, knowledge_id=article["knowledge_id"], used_as="suggested")


def lab(play: Play) -> None:
    account = play("find_account", name="Stark Industries")["account_id"]
    product = play("find_product", name="Juniper EX4300 Variant 7")["product_id"]
    site = play("add_location", name="Stark Industries - New Lab", active=True, city="london", country="uk")["location_id"]
    asset = play(
        "register_new_installed_product",
        account_id=account,
        product_id=product,
        serial_number="JEX-987654-NL",
        status="in_use",
        location_id=site,
    )["installed_product_id"]
    contract = play(
        "enlist_new_contract",
        account_id=account,
        contract_type="support",
        status="active",
        start_date="2025-11-27",
        end_date="2026-11-27",
    )["contract_id"]
    play(
        "add_new_entitlement",
        account_id=account,
        support_level="enterprise",
        active=True,
        product_id=product,
        contract_id=contract,
        coverage_hours="h24x7",
    )
    group = play("find_user_group", name="CSM Tier 2 Support")["group_id"]
    case = play.case(
        account,
        channel="phone",
        priority="critical",
        state="in_progress",
        short_description=TEXT,
        product_id=product,
        installed_product_id=asset,
        assignment_group_id=group,
    )
    play("assign_case_to_user", case_id=case, assigned_to_user_id=127)  # which member is theirs to choose
    play.sla(case, "resolution", "critical")
    article = play.one("retrieve_knowledge", product_id=product, state="published")["knowledge_id"]
    play("link_case_knowledge", case_id=case, knowledge_id=article, used_as="suggested")
    play(
        "send_notification",
        case_id=case,
        email=play.one("find_user", name="Marc Henry")["email"],
        type="solution_proposal",
        knowledge_id=article,
    )


PLANS: dict[str, Callable[[Play], None]] = dict(
    zip(TASKS, (entitled, moved, again, server, service, contracted, lab), strict=True)
)


@pytest.mark.parametrize("task", TASKS)
def test_a_plan_with_our_tools_reaches_every_check_that_can_be_reached(task: str) -> None:
    play = Play(task)
    PLANS[task](play)
    failed = [place for place, is_passed in enumerate(passed(task, play.records.world)) if not is_passed]
    assert failed == [place for place in range(len(checks(task))) if not is_reachable(task, place)]
