"""Infeasibility: which constraint makes a problem unsolvable, by arithmetic first and by relaxation where that is silent."""

from __future__ import annotations

from collections.abc import Callable

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.network import Network
from opsgym.envs.erp_bench.spec import Problem


def screen(network: Network) -> None:
    """Refuse problems that simple sums show to be infeasible; costs no solve.

    Raises:
        TaskError: Names the constraint: an order's budget, coverage of a due day, the total supply, or the margin.
    """
    _screen_budgets(network.problem)
    _screen_coverage(network)
    _screen_margin(network)


def _screen_budgets(problem: Problem) -> None:
    for order in problem.accepted:
        if order.budget is not None and problem.worth(order) > order.budget:
            raise TaskError(
                f"order {order.ref} costs {_money(problem.worth(order))} at list price, its budget is {_money(order.budget)}",
                field="problem.orders.budget",
            )


def _screen_coverage(network: Network) -> None:
    for product, demand in network.demand.items():
        needed = 0
        for day, units in demand.items():
            needed += units
            reach = network.reach(product, day)
            if reach.total >= needed:
                continue
            last = day == max(demand)
            cause = f" (limited by {reach.limit})" if reach.limit else ""
            raise TaskError(
                f"{'total supply' if last else 'deadline coverage'}: {needed} units of {product} are due by day {day}, but "
                f"stock {reach.stock}, purchases of at most {reach.bought} and production of at most {reach.made}{cause} "
                f"give {reach.total}",
                field="problem.orders.quantity" if last else "problem.orders.due",
            )


def _screen_margin(network: Network) -> None:
    """The cheapest unit of some product must leave the margin, when new units are needed at all."""
    problem = network.problem
    needed = [product for product in problem.finished if problem.demand[product.code] > problem.stock.get(product.code, 0)]
    allowed = {product.code: product.list_price * (10_000 - problem.margin_bps) for product in needed}
    least_costs = [(product, _least_cost(network, product.code)) for product in needed]
    if needed and all(least * 10_000 > allowed[product.code] for product, least in least_costs):
        product, least = least_costs[0]
        raise TaskError(
            f"margin: a new unit costs at least {_money(least)}, a margin of {problem.margin_bps / 100:g} % on the list "
            f"price {_money(product.list_price)} allows {_money(allowed[product.code] // 10_000)}",
            field="problem.margin_bps",
        )


def _least_cost(network: Network, product: str) -> int:
    """A lower bound on the cost of a new unit, in cents."""
    prices = [offer.price for offer in network.offers[product]]
    if network.completions[product]:
        prices += [operation.unit_cost + _input_cost(network, product) for operation in network.operations[product]]
    return min(prices)


def _input_cost(network: Network, product: str) -> int:
    """A lower bound on the purchased inputs of one unit of ``product``: those without stock and without a way to make them."""
    total = 0
    for line in network.problem.bom_by_product[product].lines:
        prices = [offer.price for offer in network.offers[line.component]]
        if prices and not network.problem.stock.get(line.component, 0) and not network.completions[line.component]:
            total += line.quantity * min(prices)
    return total


def explain(problem: Problem, is_feasible: Callable[[Problem], bool]) -> TaskError:
    """Say why a problem that the solver found infeasible is so.

    Each constraint is dropped in turn; the first one without which a plan exists is the conflict.

    Args:
        problem: An infeasible problem.
        is_feasible: Whether a problem has a plan.

    Returns:
        The error to raise.
    """
    for name, field, relax in _RELAXATIONS:
        if is_feasible(relax(problem)):
            return TaskError(f"no plan exists because of {name}: without that constraint there is one", field=f"problem.{field}")
    return TaskError("no plan exists: several constraints conflict, no single one of them is the cause", field="problem")


def _on_offers(problem: Problem, **change: int | None) -> Problem:
    return problem.model_copy(update={"offers": tuple(offer.model_copy(update=change) for offer in problem.offers)})


def _without_capacity(problem: Problem) -> Problem:
    centers = tuple(center.model_copy(update={"capacity": 10**12, "buckets": ()}) for center in problem.centers)
    return problem.model_copy(update={"centers": centers})


_RELAXATIONS: tuple[tuple[str, str, Callable[[Problem], Problem]], ...] = (
    ("the margin rule", "margin_bps", lambda problem: problem.model_copy(update={"margin_bps": -(10**8)})),
    ("the minimum order quantities", "offers.min_qty", lambda problem: _on_offers(problem, min_qty=1)),
    ("the maximum order quantities", "offers.max_qty", lambda problem: _on_offers(problem, max_qty=None)),
    ("the work centers' capacities", "centers.capacity", _without_capacity),
    ("the vendors' lead times", "offers.lead", lambda problem: _on_offers(problem, lead=0)),
)


def _money(cents: int) -> str:
    return f"${cents / 100:,.2f}"
