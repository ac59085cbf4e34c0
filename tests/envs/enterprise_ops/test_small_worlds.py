"""Every domain: the small world keeps its policy, and the policy's text has every rule."""

from __future__ import annotations

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.records.policy_text import policy_text
from tests.envs.enterprise_ops import (
    small_calendar,
    small_csm,
    small_drive,
    small_email,
    small_hr,
    small_itsm,
    small_teams,
)
from tests.envs.enterprise_ops.small import SmallWorld

SMALL = [item.SMALL for item in (small_teams, small_csm, small_email, small_itsm, small_calendar, small_hr, small_drive)]
each = pytest.mark.parametrize("small", SMALL, ids=lambda small: small.domain.name)


@each
def test_a_small_world_keeps_its_own_policy(small: SmallWorld) -> None:
    assert violations(small.domain, small.open()) == []


@each
def test_every_rule_stands_in_the_policy(small: SmallWorld) -> None:
    domain, text = small.domain, policy_text(small.domain)
    ids = [rule.id for rule in domain.rules] + [sight.id for sight in domain.sights] + [mask.id for mask in domain.masks]
    assert all(f"[{name}]" in text for name in ids)
