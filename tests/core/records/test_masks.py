"""Columns that some roles do not see, dates, and keys of the actor in tables with integer keys."""

from __future__ import annotations

import datetime as dt

import pytest

from opsgym.core.errors import RegistryError, ToolError
from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Day, Key, Ref, Text
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import Enforcement
from opsgym.core.records.policy_text import policy_text
from opsgym.core.records.records import Records
from opsgym.core.records.rights import Rights
from opsgym.core.records.seeding import seeded
from opsgym.core.records.sight import MASKED, Mask
from opsgym.core.records.table import Table

PERSON = Table(
    "person",
    (Key("person_id", whole=True), Text("name"), Day("born"), Ref("added_by", "person", whole=True, by_actor=True)),
    resource="people",
)
RIGHTS = Rights({"boss": {"*": "crud"}, "clerk": {"*": "crud"}})


def domain(*masks: Mask) -> Domain:
    return Domain("people", "People", (PERSON,), RIGHTS, masks=masks)


BIRTHDAYS = domain(Mask("P-BORN", "Clerks see no birth dates.", ("clerk",), "person", ("born",)))


def session(role: str, enforcement: Enforcement = "strict") -> Records:
    world = seeded(BIRTHDAYS, {"person": [{"person_id": 7, "name": "Ada", "born": "1990-02-03"}]}, today=dt.date(2026, 5, 4))
    return Records(BIRTHDAYS, world, Actor("7", role), enforcement=enforcement)


def test_a_mask_hides_values_from_its_roles_in_strict_mode_only() -> None:
    assert session("clerk").get(PERSON, {"person_id": 7})["born"] == MASKED
    assert session("boss").get(PERSON, {"person_id": 7})["born"] == "1990-02-03"
    assert session("clerk", "permissive").get(PERSON, {"person_id": 7})["born"] == "1990-02-03"


def test_what_is_empty_is_not_masked_and_what_is_written_is_kept() -> None:
    records = session("clerk")
    assert records.create(PERSON, {"name": "Bo"})["born"] is None
    assert records.update(PERSON, {"person_id": 8}, {"born": "2001-01-01"})["born"] == MASKED
    assert records.world.execute("SELECT born FROM person WHERE person_id = 8").fetchone() == ("2001-01-01",)


def test_masks_stand_in_the_policy_and_fit_the_tables() -> None:
    assert "[P-BORN] Clerks see no birth dates." in policy_text(BIRTHDAYS)
    with pytest.raises(RegistryError, match="died"):
        domain(Mask("P", "x", ("clerk",), "person", ("died",)))
    with pytest.raises(RegistryError, match="guest"):
        domain(Mask("P", "x", ("guest",), "person", ("born",)))


@pytest.mark.parametrize("value", ["1990-2-3", "19900203", "1990-W05-1", "1990-02-30", "03/02/1990"])
def test_a_day_has_one_form(value: str) -> None:
    with pytest.raises(ToolError, match="expected YYYY-MM-DD"):
        session("boss").create(PERSON, {"born": value})


def test_the_actors_key_is_kept_as_keys_are() -> None:
    assert session("boss").create(PERSON, {"name": "Bo"})["added_by"] == 7
