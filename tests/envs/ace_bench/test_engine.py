from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from opsgym.core.errors import TaskError, ToolError
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.rules import measure, slack
from opsgym.envs.ace_bench.spec import EMPTY, Instance, Solved
from tests.envs.ace_bench.conftest import make

Maker = Callable[..., Solved]


def cell_of(instance: Instance, slot: int) -> tuple[int, int]:
    row, col = divmod(instance.slots[slot].cell, instance.cols)
    return row, col


def fixed_cell(instance: Instance) -> tuple[int, int]:
    row, col = divmod(next(cell for cell, item in enumerate(instance.fixed) if item != EMPTY), instance.cols)
    return row, col


def fill(world: AceWorld, solved: Solved) -> None:
    for slot, item in enumerate(solved.truth):
        world.set_slot(*cell_of(solved.instance, slot), solved.instance.ids[item])


@pytest.fixture
def small(solved: Maker) -> Solved:
    return solved(4, hidden=4, decoys=4)


@pytest.fixture
def world(small: Solved) -> AceWorld:
    return AceWorld(Board(small.instance))


class Machine(RuleBasedStateMachine):
    """Random calls: after each the running sums, the digest and the validity are those of a fresh count."""

    @initialize(seed=st.integers(0, 5))
    def start(self, seed: int) -> None:
        self.solved = make(seed, hidden=4, decoys=4, query_slack=0, feedback="slack")
        self.world = AceWorld(Board(self.solved.instance))

    @rule(slot=st.integers(0, 3), candidate=st.integers(0, 24), truth=st.booleans())
    def put(self, slot: int, candidate: int, truth: bool) -> None:
        instance = self.solved.instance
        item = self.solved.truth[slot] if truth else instance.slots[slot].candidates[candidate]
        self.world.set_slot(*cell_of(instance, slot), instance.ids[item])

    @rule(row=st.integers(-1, 5), col=st.integers(-1, 7), item=st.sampled_from([None, "", "C1"]))
    def put_nonsense(self, row: int, col: int, item: str | None) -> None:
        before = self.world.snapshot()
        try:
            self.world.set_slot(row, col, item)
        except ToolError:
            assert self.world.snapshot() == before

    @rule(slot=st.integers(0, 3), name=st.sampled_from(["price", "category", "nothing"]), value=st.integers(0, 500))
    def ask(self, slot: int, name: str, value: int) -> None:
        before = self.world.snapshot()
        try:
            self.world.query(*cell_of(self.solved.instance, slot), name, "<=", value)
        except ToolError:
            assert self.world.snapshot() == before

    @rule()
    def check(self) -> None:
        before = self.world.snapshot()
        try:
            assert self.world.check_global()["is_valid"] == self.world.valid()
        except ToolError:
            assert self.world.snapshot() == before

    @invariant()
    def sums_are_right(self) -> None:
        assert self.world.check() == []
        twin = self.world.fork()
        assert twin.digest() == self.world.digest()
        assert twin.valid() == self.world.valid()

    @invariant()
    def validity_is_the_plain_one(self) -> None:
        instance, items = self.solved.instance, self.world.items()
        if EMPTY in items:
            assert not self.world.valid()
            return
        grid = instance.grid_with(items)
        local = all(
            rule.holds(instance.columns[instance.attribute_index[rule.attribute]][item])
            for slot, item in zip(instance.slots, items, strict=True)
            for rule in slot.rules
        )
        rules = all(slack(rule, measure(rule, instance, grid) or []) >= 0 for rule in instance.rules)
        assert self.world.valid() == (local and rules)


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_the_truth_is_valid_and_one_wrong_slot_is_not(world: AceWorld, small: Solved) -> None:
    fill(world, small)
    assert world.check_global() == {"is_valid": True}
    row, col = cell_of(small.instance, 0)
    wrong = next(name for name in world.board.candidates[0] if name != small.instance.ids[small.truth[0]])
    world.set_slot(row, col, wrong)
    assert world.check_global() == {"is_valid": False}


def test_a_snapshot_survives_pickling_and_restores_the_whole_state(world: AceWorld, small: Solved) -> None:
    fill(world, small)
    first = world.board.candidates[0][0]
    world.query(*cell_of(small.instance, 0), small.instance.attributes[-1].name, ">=", 0, [first])
    world.check_global()
    copied = pickle.loads(pickle.dumps(world.snapshot()))
    assert copied.open().digest() == world.digest()
    other = AceWorld(Board(small.instance))
    other.restore(copied)
    assert (other.digest(), other.valid(), other.spent, other.checks) == (world.digest(), True, world.spent, 1)


def test_a_fork_goes_on_alone(world: AceWorld, small: Solved) -> None:
    fill(world, small)
    twin = world.fork()
    twin.set_slot(*cell_of(small.instance, 0), None)
    assert world.valid()
    assert not twin.valid()


def test_a_snapshot_of_another_instance_is_refused(world: AceWorld, solved: Maker) -> None:
    other = AceWorld(Board(solved(5, hidden=4, decoys=4).instance))
    with pytest.raises(TaskError, match=r"snapshot\.schema"):
        world.restore(other.snapshot())


def test_a_savepoint_undoes_all_when_an_exception_leaves_it(world: AceWorld, small: Solved) -> None:
    before = world.digest()
    with pytest.raises(RuntimeError), world.savepoint():
        fill(world, small)
        raise RuntimeError
    assert world.digest() == before
    with world.savepoint():
        fill(world, small)
    assert world.valid()


def test_check_finds_a_damaged_state(world: AceWorld) -> None:
    world.held[0] = 0
    assert world.check() == ["running sums differ from those of the held candidates"]


# -- refusals -------------------------------------------------------------------------------------------------------


def refusal(call: Callable[..., object], *args: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call(*args)
    return caught.value


def test_cells_off_the_grid_and_fixed_cells_are_refused(world: AceWorld, small: Solved) -> None:
    assert refusal(world.item_at, 5, 0).code == "invalid_value"
    assert "Rows 0 to 4, columns 0 to 6" in refusal(world.set_slot, 0, -1, None).hint
    fixed = fixed_cell(small.instance)
    for call, args in (
        (world.set_slot, (None,)),
        (world.query, ("price", "<=", 3)),
        (world.check_slot, ()),
        (world.query_budget, ()),
    ):
        assert refusal(call, *fixed, *args).code == "not_allowed"


def test_a_wrong_id_is_refused_without_naming_a_candidate(world: AceWorld, small: Solved) -> None:
    """The release answers a wrong id with the whole candidate list, for free."""
    error = refusal(world.set_slot, *cell_of(small.instance, 0), small.instance.ids[small.truth[1]])
    assert error.code == "not_found"
    text = str(error.as_dict())
    assert not any(name in text for name in world.board.candidates[0])


def test_clearing_an_empty_slot_and_checking_it_are_refused(world: AceWorld, small: Solved) -> None:
    cell = cell_of(small.instance, 0)
    assert refusal(world.set_slot, *cell, None).code == "bad_state"
    assert refusal(world.check_slot, *cell).code == "bad_state"
    assert refusal(world.check_global).code == "bad_state"
    assert (world.spent, world.checks) == ([0] * 4, 0)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("colour", "=", 3), "Attributes: "),
        (("NUMBER", "in", ["x"]), "Use one of: > >= = <= <"),
        (("NUMBER", "<=", ["x"]), "is a number"),
        (("NUMBER", "<=", True), "is a number"),
        (("CHOICE", "<=", 3), "Use one of: in not_in"),
        (("CHOICE", "in", 3), "needs a list"),
        (("CHOICE", "in", "abc"), "needs a list"),
    ],
)
def test_a_bad_condition_is_refused_and_costs_nothing(
    world: AceWorld, small: Solved, args: tuple[str, str, object], said: str
) -> None:
    attributes = small.instance.attributes
    names = {
        "NUMBER": next(attribute.name for attribute in attributes if attribute.numeric),
        "CHOICE": next(attribute.name for attribute in attributes if not attribute.numeric),
    }
    error = refusal(world.query, *cell_of(small.instance, 0), names.get(args[0], args[0]), *args[1:])
    assert said in f"{error.message} {error.hint}"
    assert world.spent == [0] * 4


def test_item_tools_know_only_what_was_on_the_grid_at_the_start(world: AceWorld, small: Solved) -> None:
    instance = small.instance
    fill(world, small)
    row, col = fixed_cell(instance)
    known = world.item_at(row, col)
    assert known is not None
    assert set(world.item_info(known)) == {attribute.name for attribute in instance.attributes}
    assert refusal(world.item_info, instance.ids[small.truth[0]]).code == "not_found"
    assert refusal(world.item_attribute, [known, "nothing"], "price").code == "not_found"
    assert refusal(world.item_attribute, [known] * 6, "price").code == "invalid_value"


# -- charges --------------------------------------------------------------------------------------------------------


def test_a_query_costs_what_it_shows(world: AceWorld, small: Solved) -> None:
    cell, attribute = cell_of(small.instance, 0), next(a for a in small.instance.attributes if a.numeric)
    assert world.query(*cell, attribute.name, "<", attribute.low) == {}
    assert world.spent[0] == 1
    world.spent[0] = 0
    shown = world.query(*cell, attribute.name, "=", attribute.low)
    assert world.spent[0] == max(1, len(shown))
    again = world.query(*cell, attribute.name, ">=", attribute.low, [*list(shown)[:1], "nothing"])
    assert list(again) == list(shown)[:1]


def test_readings_run_out_and_the_refused_query_shows_nothing(solved: Maker) -> None:
    made = solved(4, hidden=4, decoys=4, query_slack=0)
    world = AceWorld(Board(made.instance))
    cell, attribute = cell_of(made.instance, 0), next(a for a in made.instance.attributes if a.numeric)
    budget = made.instance.query_budget
    assert budget is not None
    spent = 0
    while spent + 25 <= budget:
        world.query(*cell, attribute.name, ">=", attribute.low)
        spent += 25
    error = refusal(world.query, *cell, attribute.name, ">=", attribute.low)
    assert error.code == "not_allowed"
    assert world.query_budget(*cell) == {"unlimited": False, "budget": budget, "used": spent, "left": budget - spent}


def test_reading_everything_is_beyond_the_default_budget(solved: Maker) -> None:
    """Budgets bind: all attributes of all candidates cost more than a slot allows."""
    for seed in range(6):
        instance = solved(seed, hidden=21, decoys=25).instance
        assert instance.query_budget is not None
        assert instance.query_budget < len(instance.attributes) * 25


def test_global_checks_run_out(solved: Maker) -> None:
    made = solved(4, hidden=4, decoys=4, global_checks=2)
    world = AceWorld(Board(made.instance))
    fill(world, made)
    world.check_global()
    world.check_global()
    assert refusal(world.check_global).code == "not_allowed"
    assert world.check_budget() == {"unlimited": False, "budget": 2, "used": 2, "left": 0}


def test_the_papers_budgets_are_unlimited(solved: Maker) -> None:
    made = solved(4, hidden=4, decoys=4, preset="paper", budgets="unlimited")
    world = AceWorld(Board(made.instance))
    fill(world, made)
    for _ in range(100):
        world.check_global()
    assert world.check_budget() == {"unlimited": True, "budget": None, "used": 100, "left": None}


# -- feedback -------------------------------------------------------------------------------------------------------


def broken_world(level: str) -> AceWorld:
    """A full grid whose first slot holds a candidate that breaks its slot rules."""
    made = make(4, hidden=4, decoys=4, feedback=level)
    world = AceWorld(Board(made.instance))
    fill(world, made)
    wrong = world.board.local[0].index(False)
    world.set_slot(*cell_of(made.instance, 0), world.board.candidates[0][wrong])
    return world


def test_boolean_feedback_says_yes_or_no_and_no_more() -> None:
    world = broken_world("boolean")
    assert world.check_slot(*cell_of(world.board.instance, 0)) == {"is_valid": False}
    assert world.check_global() == {"is_valid": False}


def test_rule_feedback_names_exactly_the_broken_rules() -> None:
    world = broken_world("rules")
    broken = world.check_slot(*cell_of(world.board.instance, 0))["broken"]
    assert broken
    assert set(broken) <= set(world.board.local_slacks(0, world.held[0]))
    expected = [name for name, margin in world.slacks().items() if margin < 0]
    assert world.check_global() == {"is_valid": False, "broken": expected, "slot_rules_hold": False}


def test_slack_feedback_is_signed() -> None:
    world = broken_world("slack")
    found = world.check_slot(*cell_of(world.board.instance, 0))
    assert min(found["slack"].values()) < 0
    overall = world.check_global()
    assert overall["slack"] == world.slacks()
    assert set(overall["slack"]) == {rule.name for rule in world.board.instance.rules}
