"""What the scripted readers write: which rules each leaves out, and that leaving them out shows."""

from __future__ import annotations

from functools import cache

import pytest

from opsgym.core.task import Task
from opsgym.envs.or_agent_bench.catalogue import NAMES
from opsgym.envs.or_agent_bench.documents import BRIEF, MEMO
from opsgym.envs.or_agent_bench.judging import play_of
from opsgym.envs.or_agent_bench.programs import METHODS, POLICIES, Method, skimming, textbook
from opsgym.envs.or_agent_bench.sampler import examine
from tests.envs.or_agent_bench.conftest import compiled

every_class = pytest.mark.parametrize("name", NAMES)
readers = pytest.mark.parametrize("policy", ["skimming", "textbook"])


@cache
def broken(name: str, policy: str) -> frozenset[str]:
    """The rules that a policy's first plan breaks, on a task at level 3 of formulation and understanding."""
    task = compiled(name)
    play, method = play_of(task), METHODS[policy](task)
    model = play.problem.model
    plan = model.solve(model.read(play.files[0]), frozenset(method.omit), method.effort).plan
    assert plan is not None
    return frozenset(rule for rule, items in examine(play.problem, play.views[0], plan, None).violations.items() if items)


def unsolved(task: Task) -> Task:
    """A copy that holds nothing of the reference."""
    world = task.world | {"gates": [0.0] * len(task.world["files"]), "gap": 0.0, "has_bound": False}
    nothing = task.certificate.model_copy(update={"value": 0.0, "bound": 0.0})
    hidden = {"id": f"{task.id} unsolved", "world": world, "oracle": (), "certificate": nothing, "metadata": {}, "checks": ()}
    return task.model_copy(update=hidden)


@every_class
@readers
def test_at_level_0_a_reader_writes_the_exact_program(name: str, policy: str) -> None:
    task = compiled(name, "plain")
    assert METHODS[policy](task) == Method()
    assert POLICIES[policy](task) == POLICIES["exact"](task)


@every_class
def test_skimming_leaves_out_what_stands_in_the_memo_alone(name: str) -> None:
    task = compiled(name)
    play, files = play_of(task), task.world["files"][0]
    rules = play.problem.rules(play.views[0])
    in_memo = {rule for rule, sentence in rules.items() if sentence in files[MEMO]}
    assert in_memo == {rule for rule, sentence in rules.items() if sentence not in files[BRIEF]}
    assert set(skimming(task).omit) == in_memo & set(play.problem.model.OMITTABLE) != set()


@every_class
def test_textbook_leaves_out_rules_of_the_brief_that_the_plain_form_lacks(name: str) -> None:
    task = compiled(name)
    play, omitted = play_of(task), set(textbook(task).omit)
    assert set() != omitted <= set(play.problem.rules(play.views[0]))
    assert not omitted & set(play_of(compiled(name, "plain")).rules)


@every_class
@readers
def test_a_reader_knows_nothing_of_the_reference(name: str, policy: str) -> None:
    assert METHODS[policy](unsolved(compiled(name))) == METHODS[policy](compiled(name))


@every_class
@readers
def test_a_plan_breaks_no_rule_that_its_program_holds(name: str, policy: str) -> None:
    assert broken(name, policy) <= set(METHODS[policy](compiled(name)).omit)


@readers
def test_at_level_3_a_rule_that_was_left_out_is_broken_in_most_classes(policy: str) -> None:
    assert sum(bool(broken(name, policy)) for name in NAMES) >= 3 * len(NAMES) // 4
