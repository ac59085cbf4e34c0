"""The identity layer: who there is, the same everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import OpsGymError, RegistryError
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.itsm.tables import TABLES
from opsgym.envs.enterprise_ops.worlds import Builder

SIZES: tuple[Size, ...] = ("S", "M", "L")


@given(st.integers(0, 10**6), st.sampled_from(SIZES))
def test_addresses_and_phones_are_unique_and_only_namesakes_share_a_name(seed: int, size: Size) -> None:
    made = company(seed, size)
    emails = [person.email for person in made.people] + [contact[2] for client in made.clients for contact in client.contacts]
    assert len(set(emails)) == len(emails)
    assert len({person.phone for person in made.people}) == len(made.people)
    twice = {name for name, count in Counter(person.name for person in made.people).items() if count > 1}
    assert twice == {first.name for first, _ in made.namesakes}
    assert all(first.name == second.name and first.email != second.email for first, second in made.namesakes)


@given(st.integers(0, 10**6))
def test_everybody_but_the_executive_reports_to_somebody_of_the_same_organization_who_is_there(seed: int) -> None:
    made = company(seed, "S")
    for person in made.people:
        assert made.person(person.number) is person
        if person.manager is None:
            assert person.level == "executive"
        else:
            boss = made.person(person.manager)
            assert boss.organization == person.organization
            assert boss.is_active
        assert made.site(person.site).organization == person.organization
        assert person.hired < (person.left or made.today)


def test_there_are_namesakes_within_home_and_across_organizations() -> None:
    kinds = {first.organization == second.organization for first, second in company(3, "M").namesakes}
    assert kinds == {True, False}


def test_sizes_differ_and_unknown_ones_are_refused() -> None:
    assert [len(company(1, size).people) for size in SIZES] == [28, 120, 250]
    with pytest.raises(RegistryError, match="XL"):
        company(1, "XL")  # type: ignore[arg-type]  # the point of the test


def test_another_process_makes_the_same_company() -> None:
    script = "import sys; from opsgym.envs.enterprise_ops.company import company; sys.stdout.write(repr(company(5, 'S')))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "77"}
    )
    assert done.stdout == repr(company(5, "S"))


def test_a_builder_fills_keys_numbers_defaults_and_stamps_and_refuses_unknown_columns() -> None:
    made = company(1, "S")
    rows = Builder(TABLES, start=__import__("datetime").datetime(2026, 1, 5))
    first = rows.add("knowledge", title="A", org_id="ORG_001")
    second = rows.add("knowledge", title="B", org_id="ORG_001", at="2026-02-01 08:00:00")
    assert (first["knowledge_id"], second["kb_number"], first["state"]) == ("KB_001", "KB0000002", "draft")
    assert (first["created_on"], second["updated_on"]) == ("2026-01-05 00:00:00", "2026-02-01 08:00:00")
    rows.trap("retired_article", "knowledge", "KB_001", note="old")
    assert json.dumps(rows.done().rows["knowledge"][0])
    assert rows.done().traps[0].keys == ("KB_001",)
    with pytest.raises(OpsGymError, match="colour"):
        rows.add("knowledge", colour="red")
    assert made.home.number == 1
