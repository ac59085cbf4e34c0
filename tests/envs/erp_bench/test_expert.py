"""Several finished products and dated capacity: planned to the true optimum, and judged by it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import gymnasium as gym
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.erp_bench.compiler import compile_params
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.params import draw_params
from opsgym.envs.erp_bench.plan import build_plan
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.soundness import read_scenario
from opsgym.envs.erp_bench.spec import (
    Bom,
    BomLine,
    Offer,
    Operation,
    Order,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    Problem,
    Product,
    Repair,
    SeededProduction,
    SeededPurchase,
    WorkCenter,
)
from tests.envs.erp_bench.optimality import assert_is_optimal

LAST_DAY = 3
PRICES = {"F": 1000, "G": 700, "c": 100}


# -- exhaustive search on tiny problems -----------------------------------------------------------------------


@st.composite
def tiny_problems(draw: st.DrawFn) -> Problem:
    """F and G, of two or three orders, share the component c and one or two work centers, with buckets of one or two days."""
    orders = [("F", draw(st.integers(1, 2)), draw(st.integers(1, LAST_DAY))), ("G", 1, draw(st.integers(1, LAST_DAY)))]
    offers = []
    for code in draw(st.sampled_from(["c", "Fc", "Gc", "FGc"])):
        low, price = draw(st.integers(1, 2)), draw(st.integers(1, 3)) * (200 if code != "c" else 60)
        offers.append((code, draw(st.sampled_from("xy")), price, draw(st.integers(0, 2)), low, low + draw(st.integers(0, 3))))
    bucket_days = draw(st.sampled_from([1, 2]))
    count = -(-LAST_DAY // bucket_days)
    budgets = {center: tuple(draw(st.integers(0, 3)) for _ in range(count)) for center in draw(st.sampled_from(["A", "AB"]))}
    problem = Problem(
        product="F",
        products=tuple(Product(code=code, name=code, list_price=price, standard_price=1) for code, price in PRICES.items()),
        customers=(),
        vendors=(),
        orders=tuple(
            Order(ref=f"o{n}", customer=f"c{n}", quantity=units, due=due, product=code)
            for n, (code, units, due) in enumerate(orders)
        ),
        stock={"F": draw(st.integers(0, 1)), "c": draw(st.integers(0, 2))},
        offers=tuple(
            Offer(key=f"v{n}", vendor=vendor, product=code, price=price, lead=lead, min_qty=low, max_qty=high)
            for n, (code, vendor, price, lead, low, high) in enumerate(offers)
        ),
        boms=tuple(Bom(product=code, lead=draw(st.integers(0, 1)), lines=(BomLine(component="c", quantity=1),)) for code in "FG"),
        centers=tuple(WorkCenter(code=code, name=code, capacity=sum(row), buckets=row) for code, row in budgets.items()),
        operations=tuple(
            Operation(
                product=code, center=center, unit_cost=draw(st.integers(0, 3)) * 50, minutes=draw(st.integers(1, 2)), name=""
            )
            for code in "FG"
            for center in budgets
        ),
        bucket_days=bucket_days,
        making=True,
        margin_bps=draw(st.sampled_from([-100_000, 1_000, 5_000])),
        objective=draw(st.sampled_from(["min_new_spend", "vendor_consolidation", "capacity_preservation", "repair_plan"])),
    )
    if problem.objective != "repair_plan":
        return problem
    return Problem(**{**dict(problem), "repair": draw(small_repair(problem))})


@st.composite
def small_repair(draw: st.DrawFn, problem: Problem) -> Repair:
    """A booked plan, feasible or not, of which an offer or a work center breaks."""
    return Repair(
        kind="workcenter_outage",
        broken_offer=draw(st.sampled_from([None, *(offer.key for offer in problem.offers)])),
        broken_center=draw(st.sampled_from([None, "A"])),
        purchases=tuple(
            SeededPurchase(ref=offer.key, plan_ref=offer.key, offer=offer.key, quantity=units, arrival=0, origins=())
            for offer in problem.offers
            if (units := draw(st.integers(0, 2)))
        ),
        productions=tuple(
            SeededProduction(
                ref=name, plan_ref=name, product=row.product, center=row.center, quantity=units, start=0, due=0, origins=()
            )
            for row in problem.operations
            if (name := f"{row.product}{row.center}") and (units := draw(st.integers(0, 2)))
        ),
    )


def splits(units: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide at most ``units`` over ``parts`` places."""
    if not parts:
        yield ()
        return
    for first in range(units + 1):
        yield from ((first, *rest) for rest in splits(units - first, parts - 1))


def exhaustive(problem: Problem) -> tuple[int, int] | None:
    """Least (primary, spend) over every purchase and every number of units started on every day and work center.

    Each candidate is a plan that starts anywhere, and is judged by the simulation, which shares no code with the model.
    """
    broken = (problem.repair.broken_offer, problem.repair.broken_center) if problem.repair else (None, None)
    leads = {bom.product: bom.lead for bom in problem.boms}
    # What is there after the last delivery serves nobody, and so no origin could be named for it.
    last = {row.product: max(order.due for order in problem.orders if order.product == row.product) for row in problem.operations}
    last["c"] = max(last.values())
    sizes = [
        (0,)
        if offer.key == broken[0] or offer.lead > last[offer.product]
        else (0, *range(offer.min_qty, (offer.max_qty or 0) + 1))
        for offer in problem.offers
    ]
    slots = [
        (row.product, row.center, start)
        for row in problem.operations
        if row.center != broken[1]
        for start in range(last[row.product] + 1 - leads[row.product])
    ]
    best: tuple[int, int] | None = None
    for bought in itertools.product(*sizes):
        inputs = problem.stock.get("c", 0) + sum(
            n for offer, n in zip(problem.offers, bought, strict=True) if offer.product == "c"
        )
        purchases = tuple(
            PlannedPurchase(ref=offer.key, offer=offer.key, quantity=units, arrival=offer.lead, origins=())
            for offer, units in zip(problem.offers, bought, strict=True)
            if units
        )
        for made in splits(min(inputs, 4), len(slots)):
            plan = Plan(
                purchases=purchases,
                productions=tuple(
                    PlannedProduction(
                        ref=f"m{n}", product=code, center=center, quantity=units, start=start, due=start + leads[code], origins=()
                    )
                    for n, ((code, center, start), units) in enumerate(zip(slots, made, strict=True))
                    if units
                ),
            )
            try:
                values = check_plan(problem, plan)
            except TaskError:
                continue
            value = values.primary(problem.objective), values.spend
            best = value if best is None or value < best else best
    return best


EXAMPLES = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], derandomize=True, database=None
)


@settings(EXAMPLES, max_examples=10)
@given(tiny_problems())
def test_optimum_of_several_products_on_dated_capacity_is_the_exhaustive_minimum(problem: Problem) -> None:
    assert_is_optimal(problem, exhaustive(problem))


@pytest.mark.slow
def test_optimum_is_the_exhaustive_minimum_on_many_more() -> None:
    @settings(EXAMPLES, max_examples=400)
    @given(tiny_problems())
    def run(problem: Problem) -> None:
        assert_is_optimal(problem, exhaustive(problem))

    run()


# -- the tier ---------------------------------------------------------------------------------------------------

PATTERNS = ("27_product_mix_dated_capacity_supplier_cancellation", "28_product_mix_dated_capacity_workcenter_outage")


@pytest.fixture(scope="module", params=PATTERNS)
def task(request: pytest.FixtureRequest) -> Task:
    return compile_params(draw_params(5, pattern=request.param), 5)


def test_products_share_components_and_work_centers_and_capacity_is_dated(task: Task) -> None:
    problem = scenario_of(task).problem
    assert task.tier == "expert" and len(problem.finished) > 1
    assert {problem.ordered(order) for order in problem.orders} == set(problem.finished)
    uses = Counter(line.component for bom in problem.boms for line in bom.lines)
    assert max(uses.values()) > 1
    for center in problem.centers:
        made = {row.product for row in problem.operations if row.center == center.code}
        assert made == set(problem.finished_codes)
        assert (len(center.buckets) > 1) == (center.capacity > 0) and sum(center.buckets) == center.capacity
    last = max(order.due for order in problem.orders)
    assert all(problem.bucket(last - 1) < len(center.buckets) for center in problem.centers if center.capacity)


def test_the_brief_says_how_dated_capacity_is_drawn_on_and_the_erp_holds_the_minutes(task: Task) -> None:
    assert "from the period in which it starts" in task.instruction
    problem = scenario_of(task).problem
    env = gym.make("ERPBench-v0", tasks=[task], cache=None)
    env.reset(seed=0)
    observation, *_ = env.step('{"name": "list_work_centers", "arguments": {}}')
    for center in problem.centers:
        for minutes in center.buckets:
            assert f"{minutes // 1000} minutes" in observation
    env.close()


def test_the_oracle_solves_a_task_of_the_tier_in_the_environment() -> None:
    env = gym.make("ERPBench-v0", tier="expert", cache=None)
    _, info = env.reset(seed=5)
    found = env.unwrapped.task  # type: ignore[attr-defined] # of ToolEnv
    steps = [env.step(call.model_dump_json()) for call in found.oracle]
    _, reward, terminated, _, info = steps[-1]
    assert terminated and reward == 1 and info["is_success"]
    env.close()


def test_dates_of_capacity_decide() -> None:
    """On most tasks the best plan without dates overloads a period: it books what cannot be made."""
    broken = 0
    for seed in range(6):
        problem = scenario_of(compile_params(draw_params(seed, "expert"), seed)).problem
        centers = tuple(center.model_copy(update={"buckets": ()}) for center in problem.centers)
        fields = {name: getattr(problem, name) for name in Problem.model_fields}
        undated = Problem(**{**fields, "centers": centers, "bucket_days": None})
        try:
            check_plan(problem, build_plan(undated, solve(undated, style="coverage")))
        except TaskError as error:
            broken += "minutes planned in period" in str(error)
    assert broken >= 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bucket_days": None}, "no period is given"),
        ({"bucket_days": 0}, "expected 1 to"),
        ({"buckets": (1, 2)}, "add up to"),
        ({"product": "nothing"}, "does not define"),
    ],
)
def test_unsound_periods_and_products_are_refused(change: dict[str, object], message: str) -> None:
    world = compile_params(draw_params(5, "expert"), 5).model_dump(mode="json")["world"]
    place = {"bucket_days": world["problem"], "product": world["problem"]["orders"][0]}
    center = next(row for row in world["problem"]["centers"] if row["capacity"])
    for name, value in change.items():
        place.get(name, center)[name] = value
    with pytest.raises(TaskError, match=message):
        read_scenario(world)
