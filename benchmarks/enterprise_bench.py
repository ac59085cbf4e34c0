"""Speed of EnterpriseBench-v0: the company of 1,260 employees, restoring it, reading, searching and writing.

Run with ``make bench`` or ``python benchmarks/enterprise_bench.py [--repeat 200]``.
Figures are medians of CPU time over their repetitions; the company is made once.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from opsgym.core.records.seeding import seeded
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.access import Persona
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.search import FullText
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.world import generate

QUERIES = {"post": "robotics training", "mail": "release figures", "product_sentiment": "keyboard battery poor"}
"""What is searched, by table."""


def median_us(action: Callable[[], object], repeat: int) -> float:
    """Median time of an action in microseconds."""
    samples = []
    for _ in range(repeat):
        start = time.process_time_ns()
        action()
        samples.append((time.process_time_ns() - start) / 1000)
    return statistics.median(samples)


def calling(desk: Desk, name: str, **arguments: object) -> Callable[[], object]:
    """A call of a tool, with its arguments validated each time."""
    tool = system.TOOLBOX[name]
    return lambda: tool.function(desk, **tool.validate(arguments))


def personas(world: World) -> list[Persona]:
    """Somebody of each department and level."""
    sql = "SELECT min(emp_id), department, level FROM employee WHERE is_valid GROUP BY department, level"
    return [Persona(*row) for row in world.execute(sql).fetchall()]


def measured(repeat: int) -> Iterator[tuple[str, float]]:
    """Figures in microseconds."""
    start = time.process_time()
    made = generate(0, "L")
    world = seeded(DOMAIN, made.rows, today=made.today)
    yield "company of 1,260 with all sources", (time.process_time() - start) * 1e6
    snapshot = world.snapshot()
    yield "restored", _restored(snapshot, repeat // 4 + 1)
    retriever = FullText(snapshot)
    desks = [system.sign_in(world, one.emp_id, "standard", retriever) for one in personas(world)]
    yield "read: an employee", _over(desks, "fetch_employee_record", repeat, emp_id="emp_0001")
    yield "read: a product", _over(desks, "get_product", repeat, product_id="prod_0001")
    yield "read: a mail, own", _own_mail(world, retriever, repeat)
    for table, query in QUERIES.items():
        start = time.process_time()
        desks[0].search(DOMAIN.table(table), query)
        yield f"search {table}, first, with indexing", (time.process_time() - start) * 1e6
        yield f"search {table}", _over(desks, "search_documents", repeat, source=table, query=query)
    yield "write: a post", _over(desks, "social_platform_create", repeat, title="Title", post="Text.")


def _restored(snapshot: Snapshot, repeat: int) -> float:
    """Median time of opening a world in the state of a snapshot."""
    samples = []
    for _ in range(repeat):
        start = time.process_time_ns()
        world = World.from_snapshot(snapshot)
        samples.append((time.process_time_ns() - start) / 1000)
        world.close()
    return statistics.median(samples)


def _over(desks: list[Desk], name: str, repeat: int, **arguments: object) -> float:
    """Median over personas of their medians."""
    return statistics.median(median_us(calling(desk, name, **arguments), repeat // 20 + 3) for desk in desks)


def _own_mail(world: World, retriever: FullText, repeat: int) -> float:
    """Median of reading a mail by its sender."""
    sql = "SELECT email_id, emp_id FROM mail JOIN employee ON emp_id = sender_emp_id AND is_valid ORDER BY email_id LIMIT 20"
    pairs = world.execute(sql).fetchall()
    desks = [(system.sign_in(world, sender, "standard", retriever), key) for key, sender in pairs]
    return statistics.median(median_us(calling(desk, "read_email", email_id=key), repeat // 10 + 1) for desk, key in desks)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=200)
    table = Table("what", "time", title="EnterpriseBench-v0")
    for name, microseconds in measured(parser.parse_args().repeat):
        table.add_row(name, f"{microseconds / 1000:.3f} ms")
    Console().print(table)


if __name__ == "__main__":
    main()
