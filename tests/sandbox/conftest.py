"""The forms of the sandbox; a test of one that does not work on this machine is skipped, and says why."""

from __future__ import annotations

import pytest

from opsgym.sandbox.sandbox import FORMS, Sandbox, make_sandbox, why_not


@pytest.fixture(params=FORMS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    reason = why_not(request.param)
    if reason:
        pytest.skip(f"{request.param} does not work here: {reason}")
    return make_sandbox(request.param)
