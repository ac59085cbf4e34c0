"""What needs an extra says which, in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable

import gymnasium as gym
import numpy as np
import pytest

from opsgym.core.errors import OpsGymError
from opsgym.curricula import RayDesk, TaskSpace, TRLCurriculum, Uniform, sb3_callback
from opsgym.curricula.alp_gmm import _best_mixture
from opsgym.curricula.thompson_target import nearest_probabilities

SPACE = TaskSpace.of("ACEBench-v0", {"hidden": (1, 3)}, fixed={"tier": "easy"})


def trl() -> TRLCurriculum:
    return TRLCurriculum(lambda: gym.make("ACEBench-v0"), Uniform(SPACE), generations=2, tools=["done"])


CALLS: list[tuple[str, str, Callable[[], object]]] = [
    ("datasets", "trl", lambda: trl().dataset(2)),
    ("datasets", "trl", lambda: trl().evaluation(Uniform(SPACE).ask(1))),
    ("transformers", "trl", lambda: trl().callback()),
    ("stable_baselines3.common.callbacks", "train", lambda: sb3_callback(Uniform(SPACE))),
    ("ray", "ray", lambda: RayDesk(lambda: Uniform(SPACE))),
    ("sklearn.mixture", "train", lambda: _best_mixture(np.ones((4, 2)), 2, 0)),
    ("scipy.special", "train", lambda: nearest_probabilities(np.ones((2, 2)), 0.5)),
]


@pytest.mark.parametrize(("module", "extra", "call"), CALLS)
def test_without_the_extra_the_error_names_it(
    monkeypatch: pytest.MonkeyPatch, module: str, extra: str, call: Callable[[], object]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(OpsGymError, match=rf"pip install \"opsgym\[{extra}\]\"$"):
        call()
