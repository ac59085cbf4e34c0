"""Noise: mistakes come at their rate, and each is small."""

from __future__ import annotations

import numpy as np

from opsgym.baselines.noise import noisy, spoiled
from opsgym.core.task import ToolCall

ORDER = ToolCall(name="order", arguments={"product": "P1", "lines": [{"quantity": 3, "date": "2026-03-31"}], "firm": True})


def test_a_spoiled_call_is_off_by_one_step_or_gone() -> None:
    calls = [spoiled(ORDER, np.random.default_rng(seed)) for seed in range(60)]
    found = {call.model_dump_json() if call else "" for call in calls}
    lines = [(2, "2026-03-31"), (4, "2026-03-31"), (3, "2026-03-30"), (3, "2026-04-01")]
    expected = {
        ORDER.model_copy(update={"arguments": {**ORDER.arguments, "lines": [{"quantity": n, "date": day}]}}).model_dump_json()
        for n, day in lines
    }
    assert found == {"", *expected}


def test_noise_hits_calls_at_its_rate_and_never_the_last() -> None:
    calls = [ORDER] * 400 + [ToolCall(name="submit")]
    assert noisy(calls, 0.0, np.random.default_rng(1)) == calls
    script = noisy(calls, 0.25, np.random.default_rng(1))
    assert script[-1] == calls[-1]
    wrong = 400 - sum(call == ORDER for call in script)
    assert 70 <= wrong <= 130
