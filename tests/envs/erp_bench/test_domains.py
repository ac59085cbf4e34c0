"""Domains and names: complete tables, unique and repeatable names."""

from __future__ import annotations

import numpy as np

from opsgym.envs.erp_bench.domains import DOMAIN_KEYS, domains
from opsgym.envs.erp_bench.names import Namer


def test_there_are_twenty_domains_in_the_order_of_the_table() -> None:
    assert tuple(domains()) == DOMAIN_KEYS
    assert len(DOMAIN_KEYS) == 20
    assert len({domain.prefix for domain in domains().values()}) == 20


def test_every_domain_has_enough_of_everything_and_sensible_figures() -> None:
    for domain in domains().values():
        assert len(domain.finished) >= 6 and len(domain.components) >= 12, domain.key
        names = [*(item.name for item in domain.finished), *(item.name for item in domain.components)]
        assert len(set(names)) == len(names), domain.key
        assert all(50 < item.list_price / 100 < 10_000 for item in domain.finished), domain.key
        assert all(item.cost > 0 and 1 <= item.low <= item.high <= 6 for item in domain.components), domain.key
        dearest = max(item.cost * item.low for item in domain.components)
        assert dearest < max(item.list_price for item in domain.finished), domain.key


def test_names_are_unique_and_follow_from_the_seed() -> None:
    def draw() -> list[str]:
        namer = Namer(np.random.default_rng(3), "XX")
        names = [namer.partner(role) for role in ("customer", "vendor") for _ in range(300)]
        names += [namer.near(name) for name in names[:200]]
        return names + [namer.ref("C") for _ in range(500)] + [namer.code() for _ in range(500)]

    first = draw()
    assert len(set(first)) == len(first)
    assert draw() == first


def test_a_near_duplicate_shares_the_start_of_the_name() -> None:
    namer = Namer(np.random.default_rng(0), "XX")
    for _ in range(100):
        name = namer.partner("vendor")
        twin = namer.near(name)
        assert twin != name and twin.startswith(name.split()[0])
