"""Keys and numbers of records that are gone are not given again."""

from __future__ import annotations

from opsgym.core.records.judge import Judge
from tests.core.records.help_desk import AGENT, DOMAIN, NOTE, TICKET, desk


def test_the_number_of_a_deleted_record_is_not_given_again() -> None:
    records = desk()
    first = records.create(NOTE, {"ticket_id": "TKT_001", "text": "one"})
    records.delete(NOTE, {"note_id": first["note_id"]})
    second = records.create(NOTE, {"ticket_id": "TKT_001", "text": "two"})
    assert int(second["note_id"][5:]) == int(first["note_id"][5:]) + 1


def test_serials_are_kept_in_mind_too() -> None:
    records = desk()
    first = records.create(TICKET, {"title": "one", "caller_id": "USER_001"})
    records.delete(TICKET, {"ticket_id": first["ticket_id"]})
    second = records.create(TICKET, {"title": "two", "caller_id": "USER_001"})
    assert second["number"] > first["number"]


def test_a_record_in_place_of_another_is_no_update_of_it() -> None:
    records = desk()
    before = records.world.snapshot()
    records.delete(NOTE, {"note_id": "NOTE_001"})
    records.create(NOTE, {"ticket_id": "TKT_001", "text": "new"})
    with Judge(DOMAIN, before, records.world.snapshot(), AGENT) as judge:
        assert sorted(change.action for change in judge.changes) == ["create", "delete"]


def test_a_deletion_that_is_undone_leaves_numbers_as_they_were() -> None:
    records = desk()
    before = records.world.digest()
    try:
        with records.world.savepoint():
            records.delete(NOTE, {"note_id": "NOTE_001"})
            raise KeyError
    except KeyError:
        pass
    assert records.world.digest() == before
