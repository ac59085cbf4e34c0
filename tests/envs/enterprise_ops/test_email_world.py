"""Generated mailboxes: their counts are right."""

from __future__ import annotations

import random

import pytest

from opsgym.core.records.seeding import seeded
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.email.domain import EMAIL
from opsgym.envs.enterprise_ops.email.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated
from tests.envs.enterprise_ops.small_email import recounted


def made(seed: int, size: Size) -> Generated:
    return generate(company(seed, size), random.Random(seed), size)


@pytest.mark.parametrize("size", ["S", "M", "L"])
def test_the_counts_of_labels_and_mailboxes_are_right(size: Size) -> None:
    for seed in (1, 2):
        world = seeded(EMAIL, made(seed, size).rows, today=company(seed, size).today)
        labels, users = recounted(world)
        kept = world.execute("SELECT id, messages_total, messages_unread, threads_total FROM labels WHERE type = 'user'")
        assert {key: tuple(counts) for key, *counts in kept} == labels
        kept = world.execute("SELECT id, messages_total, threads_total FROM users")
        assert {key: tuple(counts) for key, *counts in kept} == users
        world.close()
