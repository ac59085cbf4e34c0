"""A damaged task is refused when its episode starts, by a TaskError that names the field: never later, never otherwise."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.data.erp_bench_release import find_releases, read_release
from opsgym.envs.erp_bench.compiler import compile_scenario
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.soundness import read_scenario
from tests.envs.erp_bench.scenarios import ALL
from tests.envs.erp_bench.states import certificate_of

BAD: list[Any] = [None, "", 0, -1, 1.5, True, [], {}, "x" * 50, 10**30, 1e300, "2026-13-45", [1], {"a": 1}, "\0", "9999-12-31"]


@cache
def sound_tasks() -> tuple[dict[str, Any], ...]:
    """Tasks of each hand-made scenario, as plain JSON."""
    found = []
    for example in ALL.values():
        scenario, plan = example()
        certificate = certificate_of(scenario, check_plan(scenario.problem, plan))
        task = compile_scenario(scenario, plan, certificate, seed=1, tier="custom", pattern="tests", params={})
        found.append(json.loads(task.to_json()))
    return tuple(found)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def damaged(task: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A copy with one or two places deleted, doubled, scaled or replaced, and no id to give it away."""
    found = copy.deepcopy(task)
    for _ in range(rng.choice([1, 1, 2])):
        owner, key = rng.choice(list(places(found)))
        choice = rng.randrange(4)
        if choice == 0:
            del owner[key]
        elif choice == 1 and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        elif choice == 2 and isinstance(owner[key], int | float):
            owner[key] *= rng.choice([-1, 0, 1000, 0.5])
        else:
            owner[key] = rng.choice(BAD)
    return {**found, "id": ""}


@pytest.mark.parametrize("seed", range(4))
def test_only_a_task_error_escapes_from_a_damaged_task_and_only_at_reset(seed: int) -> None:
    rng, env = random.Random(seed), ERPBenchEnv(cache=None)
    refused = 0
    for _ in range(40):
        task = damaged(rng.choice(sound_tasks()), rng)
        try:
            env.reset(options={"task": json.dumps(task)})
        except TaskError:
            refused += 1
            continue
        for call in env.task.oracle:
            if env.step(call)[2]:
                break
        else:
            env.step('{"name": "submit"}')
    assert refused > 10
    env.close()


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("world", "problem", "orders", 0, "customer"), "nobody", "world.problem.orders"),
        (("world", "problem", "orders", 0, "due"), 10**6, "world.problem.orders"),
        (("world", "problem", "orders", 0, "quantity"), 10**13, "world.problem.orders.0.quantity"),
        (("world", "problem", "offers", 0, "product"), "nothing", "world.problem.offers"),
        (("world", "problem", "offers", 0, "lead"), "soon", "world.problem.offers.0.lead"),
        (("world", "problem", "margin_bps"), None, "world.problem.margin_bps"),
        (("world", "today"), "0003-01-01", "world.today"),
        (("world", "decoys", "order_products"), [], "world.decoys.order_products"),
        (("world", "parameters"), {"key": None}, "world.parameters.key"),
        (("world", "problem", "products", 0, "name"), "\0", "world"),
        (("checks", 0, "rule"), "obey", "checks.0.rule"),
        (("checks", 0, "args"), {}, "checks.0.args"),
        (("checks", 0, "args", "customer"), "nobody", "checks"),
        (("checks", 0, "args", "quantity"), "four", "checks.0.args.quantity"),
        (("checks", 0, "args", "quantity"), 10**40, "checks.0.args.quantity"),
    ],
)
def test_the_error_names_the_field(place: tuple[Any, ...], value: Any, field: str) -> None:
    task = {**copy.deepcopy(sound_tasks()[0]), "id": ""}
    owner: Any = task
    for key in place[:-1]:
        owner = owner[key]
    owner[place[-1]] = value
    with pytest.raises(TaskError) as caught:
        ERPBenchEnv(cache=None).reset(options={"task": task})
    assert caught.value.field == field


def test_recipes_that_need_themselves_are_refused() -> None:
    task = copy.deepcopy(sound_tasks()[list(ALL).index("making")])
    task["world"]["problem"]["boms"][1]["lines"][0]["component"] = "F"
    with pytest.raises(TaskError, match="own making"):
        read_scenario(task["world"])


def test_every_sound_scenario_is_read_as_it_was(released_erpbench: Path) -> None:
    scenarios = [example()[0] for example in ALL.values()]
    scenarios += [read_release(path).scenario for path in find_releases(released_erpbench)]
    for scenario in scenarios:
        assert read_scenario(scenario.model_dump(mode="json")) == scenario


def test_a_number_that_is_none_in_a_released_file_is_a_task_error(tmp_path: Path, released_erpbench: Path) -> None:
    source = find_releases(released_erpbench)[0]
    data = json.loads((source / "scenario_data.json").read_text())
    data["products"][0]["list_price"] = "dear"
    for name in ("scenario_data.json", "optimal_plan.json"):
        (tmp_path / name).write_text((source / name).read_text() if name.startswith("optimal") else json.dumps(data))
    with pytest.raises(TaskError):
        read_release(tmp_path)


def test_a_task_is_as_sound_when_read_back() -> None:
    for task in sound_tasks():
        assert Task.from_dict(task).world == task["world"]
