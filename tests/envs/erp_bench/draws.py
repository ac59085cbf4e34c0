"""Drawing scenarios in tests, without solving them."""

from __future__ import annotations

from typing import Any

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.params import ERPParams, draw_params
from opsgym.envs.erp_bench.sampler import sample
from opsgym.envs.erp_bench.spec import Scenario


def scenario_of(params: ERPParams, seed: int) -> Scenario:
    """The first draw that the arithmetic does not refuse."""
    for attempt in range(60):
        try:
            return sample(params, np.random.default_rng([seed, 2, attempt]))
        except TaskError:
            continue
    raise AssertionError(f"60 draws refused for {params!r}")


def drawn(seed: int, tier: str | None = None, pattern: str | None = None, **overrides: Any) -> Scenario:
    """A scenario of a tier or pattern."""
    return scenario_of(draw_params(seed, tier, pattern, overrides), seed)
