from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import content_hash
from opsgym.data.fixed_sets import slots
from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.family import OrAgentBenchFamily
from opsgym.envs.or_agent_bench.params import DIMENSIONS, TIERS, OrParams, draw_params, tier_of
from tests.envs.or_agent_bench.conftest import RICH, compiled

SCRIPT = """
from opsgym.core.task import content_hash
from opsgym.envs.or_agent_bench.compiler import compile_params
from opsgym.envs.or_agent_bench.params import OrParams
print(content_hash(compile_params(OrParams.build({params!r}), 0).to_json()))
"""


@pytest.mark.parametrize("tier", TIERS)
def test_a_drawn_point_lies_in_its_tier(tier: str) -> None:
    for seed in range(200):
        params = draw_params(seed, tier=tier)
        assert tier_of(params) == tier
        levels = {getattr(params, name) for name in DIMENSIONS}
        base = list(TIERS).index(tier)
        assert levels <= {base, base + 1}


def test_every_class_and_tier_is_drawn() -> None:
    drawn = [draw_params(seed) for seed in range(60 * len(NAMES))]
    assert {params.problem for params in drawn} == set(NAMES)
    assert {tier_of(params) for params in drawn} == set(TIERS)


def test_the_fixed_set_has_the_tiers_of_the_paper() -> None:
    fixed = OrAgentBenchFamily.fixed_set
    assert fixed is not None
    drawn = [draw_params(seeds[0], problem=pattern) for pattern, seeds in slots(fixed)]
    assert Counter(tier_of(params) for params in drawn) == {"easy": 32, "medium": 41, "hard": 34}
    assert {params.problem for params in drawn} == set(NAMES)


def test_unknown_names_and_levels_are_refused() -> None:
    with pytest.raises(RegistryError, match="tier"):
        draw_params(0, tier="brutal")
    with pytest.raises(RegistryError, match="problem class"):
        draw_params(0, problem="alchemy")
    with pytest.raises(TaskError, match="problem"):
        OrParams.build({"problem": "alchemy"})
    with pytest.raises(TaskError, match="scale"):
        OrParams.build({"scale": 4})


def test_strategy_narrows_the_accepted_gap_and_the_time() -> None:
    points = [OrParams.build({"strategy": level}) for level in range(4)]
    assert [p.tolerance for p in points] == sorted({p.tolerance for p in points}, reverse=True)
    assert [p.solve_seconds for p in points] == sorted({p.solve_seconds for p in points}, reverse=True)


def test_a_task_is_the_same_in_another_process_with_another_hash_seed() -> None:
    script = SCRIPT.format(params={"problem": NAMES[0], **RICH})
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.strip() == content_hash(compiled(NAMES[0]).to_json())
