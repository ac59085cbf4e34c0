"""What is brought up to date after a change equals what is made anew: exported states, and verdicts."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from weakref import ref

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.baselines.scripted import RandomValid
from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.erp_bench.backends.mirror import LiveWorld
from opsgym.envs.erp_bench.erp import DDL
from opsgym.envs.erp_bench.export import DOCUMENTS, baseline_of, export_state
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.envs.erp_bench.rules import RULES, Context, tables_of
from opsgym.envs.erp_bench.rules.reads import CONFIRMED_OF, OF_ONE_CUSTOMER, PARTS, READS, Readers, changed_parts
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.verifier import Judge, judge, run_check
from opsgym.envs.tool_env import ToolEnv

SOME = (
    "03_buy_only_fixed_downpayment",
    "07_screened_buy_only_mixed_seeded_invoicing",
    "14_single_subassembly_shared_overflow_capacity",
    "repair_plan_medium",
)


def make(pattern: str) -> ToolEnv:
    env = gym.make("ERPBench-v0", tier=PATTERNS[pattern].tier, pattern=pattern, cache=None, max_steps=10_000).unwrapped
    assert isinstance(env, ToolEnv)
    env.reset(seed=1)
    return env


def anew(env: ToolEnv) -> tuple[ErpState, Any]:
    """State and verdict of worlds that nobody has read before."""
    fresh = env.family.open(env.task), env.world.fork()
    state = export_state(*fresh)
    for world in fresh:
        world.close()
    task = env.task
    return state, judge(state, scenario_of(task), task.checks, task.certificate)


def brought_up_to_date(env: ToolEnv) -> tuple[ErpState, Any]:
    verdict = env.verdict()
    assert env._before is not None
    return export_state(env._before[1], env.world), verdict


def walk(env: ToolEnv, seed: int, turns: int) -> Any:
    """Random calls and pieces of the reference solution."""
    rng, policy = random.Random(seed), RandomValid(seed=seed)
    observation, info = env.reset(seed=1)
    policy.begin(env, observation, info)
    planned = [call for call in env.task.oracle if call.name != "submit"]
    for _ in range(turns):
        action: Any = planned.pop(0) if planned and rng.random() < 0.6 else policy.act(observation)
        if "submit" not in str(action):
            observation = env.step(action)[0]
            yield action


@pytest.mark.parametrize("pattern", SOME)
def test_a_verdict_brought_up_to_date_equals_one_made_anew(pattern: str) -> None:
    env, changes = make(pattern), 0
    for seed in range(2):
        for _ in walk(env, seed, 40):
            if env.episode.changes != changes:
                changes = env.episode.changes
                assert brought_up_to_date(env) == anew(env)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_in_every_pattern_a_verdict_brought_up_to_date_equals_one_made_anew(pattern: str) -> None:
    env = make(pattern)
    for seed in range(3):
        for _ in walk(env, 10 + seed, 100):
            assert brought_up_to_date(env) == anew(env)


@pytest.mark.parametrize("pattern", SOME)
def test_the_erp_tells_of_all_that_it_writes(pattern: str) -> None:
    """Else triggers would be set up, which cost each call."""
    env = make(pattern)
    for seed in range(2):
        for action in walk(env, 20 + seed, 60):
            env.verdict()
            changes = env.world._changes
            assert changes is None or not changes.has_triggers, action


@pytest.mark.parametrize("pattern", SOME[2:])
def test_no_write_to_any_table_is_missed(pattern: str) -> None:
    """Rows are deleted, copied and mixed up in SQL, past every tool."""
    env, rng = make(pattern), random.Random(4)
    for call in env.task.oracle[:-1]:
        env.step(call)
    world: World = env.world
    tables = [name for name in world.tables() if world.rows(name)]
    written = set()
    world.execute("PRAGMA foreign_keys = OFF")
    for _ in range(100):
        table = rng.choice(tables)
        columns = world.columns(table)
        one, other = rng.choice(columns[1:] or columns), rng.randint(1, 8)
        key = columns[0]
        sql = rng.choice(
            [
                f"UPDATE {table} SET {one} = (SELECT {one} FROM {table} ORDER BY {key} DESC LIMIT 1) WHERE {key} = {other}",
                f"UPDATE {table} SET {one} = NULL WHERE {key} = {other}",
                f"DELETE FROM {table} WHERE {key} = {other}",
            ]
        )
        before = world.stamp(table)
        with contextlib.suppress(sqlite3.IntegrityError), world.savepoint():
            world.execute(sql)
            if world.check():
                raise sqlite3.IntegrityError
        written |= {table} if world.stamp(table) != before else set()
        assert outcome(brought_up_to_date, env) == outcome(anew, env)
    assert len(written & DOCUMENTS) > 3 and len(written - DOCUMENTS) > 10


def outcome(ask: Any, env: ToolEnv) -> Any:
    """An answer, or the kind of error where a world is damaged beyond reading."""
    try:
        return ask(env)
    except (TypeError, KeyError, ValueError) as error:
        return type(error)


def with_invoices(pattern: str = SOME[0]) -> tuple[ToolEnv, World]:
    """The reference solution, judged, with the guards of the database off."""
    env = make(pattern)
    for call in env.task.oracle[:-1]:
        env.step(call)
    world: World = env.world
    world.execute("PRAGMA foreign_keys = OFF")
    env.verdict()
    world.execute("UPDATE res_partner SET name = name")  # the first write that nobody tells of has all read anew
    env.verdict()
    return env, world


SOLD = ("sale_order", "sale_order_line", "account_move_line", "account_move", "res_partner")
MADE = ("mrp_production", "mrp_workorder", "stock_move", "stock_picking", "purchase_order", "purchase_order_line")


@pytest.mark.parametrize(("pattern", "table"), [*((SOME[0], table) for table in SOLD), *((SOME[2], table) for table in MADE)])
def test_a_row_that_is_deleted_and_put_back_is_seen_each_time(pattern: str, table: str) -> None:
    env, world = with_invoices(pattern)
    rows = world.rows(table)
    for number in list(rows)[:: max(1, len(rows) // 6)]:
        world.execute(f"DELETE FROM {table} WHERE id = {number}")
        assert outcome(brought_up_to_date, env) == outcome(anew, env)
        world.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[number]))})", rows[number])
        assert outcome(brought_up_to_date, env) == outcome(anew, env)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE stock_picking SET sale_id = NULL, purchase_id = NULL",
        "UPDATE stock_move SET state = 'cancel'",
        "UPDATE stock_move SET picking_id = NULL",
        "UPDATE res_partner SET ref = 'R' || id",
        "UPDATE product_template SET default_code = 'P' || id",
    ],
)
def test_strays_and_new_keys_are_seen(sql: str) -> None:
    env, world = with_invoices(SOME[2])
    for statement in (
        sql,
        "UPDATE stock_picking SET sale_id = NULL, purchase_id = NULL",
        "UPDATE stock_move SET state = 'cancel'",
    ):
        world.execute(statement)
        assert brought_up_to_date(env) == anew(env)


def test_documents_without_a_name_keep_their_order() -> None:
    env, world = with_invoices()
    for name in (None, "", "#1", "S", None):
        world.execute("UPDATE purchase_order SET name = ? WHERE id = 1", (name,))
        assert brought_up_to_date(env) == anew(env)
        world.execute("UPDATE purchase_order SET name = NULL WHERE id > 1")
        assert brought_up_to_date(env) == anew(env)


def test_what_was_read_of_a_seeded_world_is_forgotten_when_it_is_rolled_back() -> None:
    _, world = with_invoices()
    with contextlib.suppress(LookupError), world.savepoint():
        world.execute("UPDATE res_partner SET name = 'Other'")
        assert not export_state(world, world).master_changes
        raise LookupError
    assert not export_state(world, world).master_changes
    assert not export_state(world, world.fork()).master_changes


def test_a_live_world_is_read_before_it_is_exported() -> None:
    world = LiveWorld(DDL, today=dt.date(2026, 5, 4))
    before = baseline_of(world)
    assert not export_state(before, world).master_changes

    def refresh(_: Any) -> None:
        world.refresh = None
        world.execute("INSERT INTO res_partner (name) VALUES ('new')")

    world.refresh = refresh
    assert export_state(before, world).master_changes


def test_a_judge_who_was_interrupted_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(SOME[2])
    task, scenario = env.task, scenario_of(env.task)
    asked = Judge(scenario, task.checks, task.certificate)
    asked.verdict(brought_up_to_date(env)[0])
    for call in task.oracle[:-1]:
        env.step(call)
    last, turn_to = brought_up_to_date(env)[0], Context.turn_to

    def interrupted(context: Context, state: ErpState, changed: Any) -> None:
        def one() -> Any:
            yield changed[0]
            raise KeyboardInterrupt

        turn_to(context, state, one())

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Context, "turn_to", interrupted)
        asked.verdict(last)
    assert asked.verdict(last) == judge(last, scenario, task.checks, task.certificate)


def test_an_unchanged_state_is_the_same_object() -> None:
    env = make(SOME[0])
    env.step(env.task.oracle[0])
    first = [brought_up_to_date(env) for _ in range(3)]
    env.step(ToolCall(name="add_note", arguments={"kind": "partner", "record": "My Company", "text": "Checked."}))
    again = brought_up_to_date(env)
    assert again[0] is first[-1][0] and again[1] is first[-1][1]


def test_what_is_kept_of_a_world_does_not_keep_it() -> None:
    env = make(SOME[0])
    for call in env.task.oracle[:6]:
        env.step(call)
        env.verdict()
        env.world.digest()
    world = ref(env.world)
    env.close()
    gc.collect()
    assert world() is None


# -- what rules read ----------------------------------------------------------------------------------------


class Recorder:
    """A state that notes which parts are read."""

    def __init__(self, state: ErpState) -> None:
        self.state, self.read = state, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self.state, name)


def states(pattern: str) -> Any:
    """States along walks, each with its environment."""
    env = make(pattern)
    for seed in range(2):
        for number, _ in enumerate(walk(env, seed, 80)):
            if number % 4 == 0:
                yield env, brought_up_to_date(env)[0]


@pytest.mark.parametrize("pattern", SOME)
def test_rules_read_no_more_than_is_said_of_them(pattern: str) -> None:
    for env, state in states(pattern):
        for check in env.task.checks:
            recorder: Any = Recorder(state)
            context = Context(recorder, tables_of(scenario_of(env.task)), env.task.certificate)
            run_check(context, check)
            said = READS.get(check.rule, frozenset(PARTS))
            assert recorder.read <= said | {part for part, confirmed in CONFIRMED_OF.items() if confirmed in said}, check.rule


@pytest.mark.parametrize("pattern", SOME)
def test_rules_do_not_see_drafts_unless_it_is_said(pattern: str) -> None:
    for env, state in states(pattern):
        tables, certificate = tables_of(scenario_of(env.task)), env.task.certificate
        whole = Context(state, tables, certificate)
        for part, confirmed in CONFIRMED_OF.items():
            left = tuple(each for each in getattr(state, part) if each.state in ("confirmed", "done"))
            less = Context(replace(state, **{part: left}), tables, certificate)
            for check in env.task.checks:
                if part not in READS[check.rule]:
                    assert run_check(whole, check) == run_check(less, check), (check.rule, confirmed)


def with_drafts(state: ErpState, tables: Any) -> Iterator[ErpState]:
    """States with drafts of every odd kind; and such in which all that was confirmed is a draft again."""
    partners = (*tables.rejected, *sorted(tables.decoy_partners), "nobody")
    products = (*sorted(tables.decoy_products), *tables.prices, "nothing")
    for part in CONFIRMED_OF:
        turned: Any = tuple(replace(each, state="draft") for each in getattr(state, part))
        yield replace(state, **{part: turned})
    for sale in state.sales[:1]:
        again = replace(sale, name="A", state="draft")
        drafts = [replace(sale, name=f"Z{number}", customer=each, state="draft") for number, each in enumerate(partners)]
        bills = [replace(each, name=f"I{draft.name}", sales=(draft.name,)) for each in state.invoices[:1] for draft in drafts]
        yield replace(state, sales=(again, *state.sales, *drafts), invoices=(*state.invoices, *bills))
    for order in state.purchases[:1]:
        lines = tuple(replace(order.lines[0], product=product) for product in products)
        bought = [replace(order, name=f"Z{number}", vendor=each, state="draft") for number, each in enumerate(partners)]
        yield replace(state, purchases=(*state.purchases, *bought, replace(order, name="Z", state="draft", lines=lines)))
    for build in state.productions[:1]:
        made = [replace(build, name=f"Z{number}", product=each, state="draft") for number, each in enumerate(products)]
        yield replace(state, productions=(*state.productions, *made))


@pytest.mark.parametrize("pattern", SOME)
def test_rules_do_not_see_odd_drafts_unless_it_is_said(pattern: str) -> None:
    env = make(pattern)
    tables, certificate = tables_of(scenario_of(env.task)), env.task.certificate
    seen = [brought_up_to_date(env)[0]]
    for call in env.task.oracle[:-1]:
        env.step(call)
    seen.append(brought_up_to_date(env)[0])
    for state in (odd for each in seen for odd in with_drafts(each, tables)):
        whole = Context(state, tables, certificate)
        for part in CONFIRMED_OF:
            left: Any = tuple(each for each in getattr(state, part) if each.state in ("confirmed", "done"))
            less = Context(replace(state, **{part: left}), tables, certificate)
            for check in env.task.checks:
                if run_check(whole, check) != run_check(less, check):
                    assert part in READS[check.rule], check.rule


@pytest.mark.parametrize("pattern", SOME)
def test_a_rule_applies_where_it_is_said(pattern: str) -> None:
    seen = set()
    for env, state in states(pattern):
        context = Context(state, tables_of(scenario_of(env.task)), env.task.certificate)
        for check in env.task.checks:
            applies = RULES[check.rule].applies
            status = run_check(context, check).status
            assert (status != "na") == (applies is None or applies(context, **check.args)), check.rule
            seen.add((check.rule, status == "na"))
    assert len({rule for rule, missing in seen if missing}) > 3


@pytest.mark.parametrize("pattern", SOME)
def test_a_score_found_for_less_is_that_of_the_verdict(pattern: str) -> None:
    """Asked for at odd times, so that much was skipped before."""
    env, rng, scores = make(pattern), random.Random(pattern), set()
    for seed in range(2):
        for _ in walk(env, 30 + seed, 60):
            if rng.random() < 0.7:
                scores.add(env.score())
                if rng.random() < 0.5:
                    assert env.score() == anew(env)[1].reward
                if rng.random() < 0.3:
                    assert env.verdict() == anew(env)[1]
    env.reset(seed=1)
    for call in env.task.oracle[:-1]:
        env.step(call)
        scores.add(env.score())
        assert env.score() == anew(env)[1].reward
    assert env.score() == 1.0 and len(scores) > 3


def test_every_rule_is_listed() -> None:
    assert set(READS) == set(RULES)
    assert set(READS) >= OF_ONE_CUSTOMER
    assert frozenset().union(*READS.values()) <= {*PARTS, *CONFIRMED_OF.values()}
    for rule in OF_ONE_CUSTOMER:
        assert len(READS[rule] & {"sales", "confirmed sales"}) == 1


def test_a_rule_that_is_not_listed_is_always_run_again() -> None:
    env = make(SOME[0])
    env.step(env.task.oracle[0])
    state = brought_up_to_date(env)[0]
    check = env.task.checks[0].model_copy(update={"rule": "a_new_rule"})
    readers = Readers([*env.task.checks, check])
    assert readers.stale(state, state, changed_parts(state, state)) == set()
    for other in (
        replace(state, loose=("x",)),
        replace(state, sales=state.sales[:-1]),
        replace(state, today=dt.date(2000, 1, 1)),
    ):
        assert len(env.task.checks) in readers.stale(state, other, changed_parts(state, other))


@pytest.mark.parametrize("untold", [False, True])
def test_the_first_verdict_of_an_episode_sees_master_data_that_was_written(untold: bool) -> None:
    env = make(SOME[0])
    env.verdict()
    for table, column in (("res_partner", "email"), ("product_template", "name"), ("res_partner", "ref")):
        env.reset(seed=1)
        assert isinstance(env.world, World)
        sql = f"UPDATE {table} SET {column} = ? WHERE id = (SELECT MAX(id) FROM {table})"
        if untold:
            env.world.execute(sql, ("other",))
        else:
            env.world.alter(table, sql, ("other",))
        state, verdict = brought_up_to_date(env)
        assert (state, verdict) == anew(env)
        assert [change.fields for change in state.master_changes] == [(column,)]
    env.close()


def test_the_first_verdict_of_an_episode_reads_only_tables_that_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(SOME[0])
    env.verdict()
    env.reset(seed=1)
    asked: list[str] = []
    for call in env.task.oracle[:-1]:
        env.step(call)

    def execute(world: World, sql: str, params: Any = ()) -> sqlite3.Cursor:
        asked.append(sql)
        return world.conn.execute(sql, params)

    monkeypatch.setattr(World, "execute", execute)
    env.verdict()
    assert asked and not [sql for sql in asked if "json_group_array" in sql and "res_partner" in sql]
    env.close()
