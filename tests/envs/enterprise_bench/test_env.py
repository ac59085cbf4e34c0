"""EnterpriseBench-v0 as a Gymnasium environment keeps the contract."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from opsgym.baselines.registry import make_policy
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.envs.enterprise_bench.env import EnterpriseBenchEnv, EnterpriseBenchVectorEnv
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.params import TIERS, BenchParams, draw_params, tier_of
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.templates import template_by_name
from opsgym.evaluate.promises import SECRET_KEYS
from opsgym.evaluate.rollout import run_episode
from opsgym.wrappers import DenseReward, PlanHint

SEARCH, CRUD = "hr_team", "business_mail_colleague"
SUBMIT = '{"name": "submit"}'


def make(**kwargs: Any) -> EnterpriseBenchEnv:
    env = gym.make("EnterpriseBench-v0", **{"cache": None, **kwargs}).unwrapped
    assert isinstance(env, EnterpriseBenchEnv)
    return env


def task_of(pattern: str, seed: int = 1, **params: Any) -> Task:
    family = EnterpriseBenchEnv.family
    return family.compile(family.draw(seed, tier="easy", pattern=pattern, overrides=params), seed)


@pytest.fixture(scope="module", params=[SEARCH, CRUD, "unanswerable"])
def task(request: pytest.FixtureRequest) -> Task:
    return task_of(request.param)


# -- the contract of Gymnasium


@pytest.mark.parametrize(
    "configuration",
    [
        {"pattern": SEARCH, "tier": "easy"},
        {"pattern": CRUD, "tier": "easy", "reward_mode": "dense"},
        {"pattern": "unanswerable", "tier": "easy", "disclosure": "request", "max_steps": 3, "split": "validation"},
    ],
    ids=lambda configuration: "-".join(map(str, configuration.values())),
)
def test_check_env_is_silent(configuration: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**configuration))


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_every_vector_mode_gives_the_text_of_single_environments(mode: str) -> None:
    envs = gym.make_vec("EnterpriseBench-v0", num_envs=2, vectorization_mode=mode, tier="easy", pattern=SEARCH, cache=None)
    assert mode != "vector_entry_point" or isinstance(envs, EnterpriseBenchVectorEnv)
    try:
        obs, _ = envs.reset(seed=5)
        alone = [make(tier="easy", pattern=SEARCH) for _ in range(2)]
        assert obs == tuple(env.reset(seed=5 + number)[0] for number, env in enumerate(alone))
        obs, _, terminated, *_ = envs.step(('{"name": "whoami"}', SUBMIT))
        assert terminated.tolist() == [False, True]
    finally:
        envs.close()


def test_snapshots_and_forks_replay_identically(task: Task) -> None:
    env = make(reward_mode="dense")
    env.reset(seed=1, options={"task": task})
    half = len(task.oracle) // 2
    for call in task.oracle[:half]:
        env.step(call)
    state, forked = pickle.loads(pickle.dumps(env.snapshot())), env.fork()

    def play(env: EnterpriseBenchEnv) -> list[Any]:
        return [*[env.step(call)[:4] for call in task.oracle[half:]], env.world.digest()]

    first = play(env)
    env.restore(state)
    assert first == play(env) == play(forked)


# -- rewards and endings


def test_the_oracle_earns_everything(task: Task) -> None:
    assert run_episode(make(), make_policy("oracle", EnterpriseBenchEnv.family), task=task).reward == 1


@pytest.mark.parametrize("name", ["submit-at-once", "constant", "echo", "access_denied"])
def test_floor_policies_are_at_the_floor(name: str) -> None:
    for pattern in (SEARCH, CRUD, "hr_salary"):
        policy = make_policy(name, EnterpriseBenchEnv.family)
        assert run_episode(make(), policy, task=task_of(pattern)).reward == 0, (name, pattern)


def test_who_looks_but_changes_nothing_earns_nothing_where_a_change_is_asked_for() -> None:
    policy = make_policy("looking", EnterpriseBenchEnv.family)
    assert run_episode(make(), policy, task=task_of(CRUD)).reward == 0


def test_dense_rewards_add_up(task: Task) -> None:
    env = DenseReward(make())
    env.reset(options={"task": task})
    assert sum(float(env.step(call)[1]) for call in task.oracle) == pytest.approx(1.0)


def test_nothing_of_the_solution_is_in_the_info(task: Task) -> None:
    env = make()
    brief, info = env.reset(options={"task": task})
    assert not SECRET_KEYS & info.keys()
    assert task.world["name"] in brief
    assert json.dumps(task.metadata["plan"])[:60] not in brief


def test_the_brief_without_the_rules_is_shorter_and_they_stay_in_the_info() -> None:
    task = task_of(SEARCH)
    full, _ = make().reset(options={"task": task})
    short, info = make(disclosure="request").reset(options={"task": task})
    assert len(short) < len(full)
    assert task.policy.strip() in full
    assert info["policy"] == task.policy


def test_the_plan_can_be_hinted(task: Task) -> None:
    env = PlanHint(make(), level="oracle")
    brief, _ = env.reset(options={"task": task})
    assert all(call.name in brief for call in task.oracle)


def test_a_task_of_another_world_is_refused() -> None:
    task = task_of(SEARCH)
    other = Task.model_validate({**task.model_dump(exclude={"id"}), "world": task.world | {"base": "0" * 16}})
    with pytest.raises(TaskError, match="base world"):
        make().reset(options={"task": other})


# -- parameters


def test_tiers_are_regions_of_their_own() -> None:
    for tier in TIERS:
        for seed in range(6):
            assert tier_of(draw_params(seed, tier=tier)) == tier


def test_unknown_names_are_refused() -> None:
    with pytest.raises(RegistryError):
        draw_params(1, tier="nightmare")
    with pytest.raises(RegistryError):
        draw_params(1, pattern="hr_nothing")


def test_a_template_of_another_domain_is_refused() -> None:
    with pytest.raises(TaskError):
        BenchParams.build({"template": SEARCH, "domain": "it"})


def test_shares_decide_on_the_kind() -> None:
    kinds = {name: item.kind for name, item in template_by_name().items()}
    assert {kinds[draw_params(seed, overrides={"crud": 0.0}).template] for seed in range(20)} == {"search"}
    assert {kinds[draw_params(seed, overrides={"search": 0.0}).template] for seed in range(20)} == {"crud"}


def test_parameters_survive_their_space() -> None:
    space = BenchParams.space()
    space.seed(1)
    assert isinstance(BenchParams.from_sample(space.sample()), BenchParams)


def test_every_parameter_has_an_effect() -> None:
    plain = task_of("business_mail_colleague")
    assert len(plan_of(task_of("business_mail_colleague", errands=2)).subtasks) > len(plan_of(plain).subtasks)
    assert len(task_of("business_mail_colleague", distractors=30).tools) > len(plain.tools)
    assert task_of("business_mail_colleague", indirection=2).instruction != plain.instruction
    assert task_of("business_mail_colleague", access="open").policy != plain.policy
    assert task_of("business_mail_colleague", unanswerable=1.0).oracle[-1].name == "refuse"
    assert task_of("business_mail_colleague", ambiguity=1, indirection=1).metadata["difficulty"]["namesakes"] > 0
    reasons = {plan_of(task_of("hr_email", unanswerable=1.0, reason=reason)).reason for reason in ("ambiguous", "out_of_scope")}
    assert reasons == {"ambiguous", "out_of_scope"}
    assert task_of("business_mail_colleague", domain="business").metadata["domain"] == "business"
    assert task_of("business_mail_colleague", size="L").world["size"] == "L"


def test_a_blocked_task_counts_for_the_patterns_of_such_and_info_does_not_tell_which() -> None:
    task = task_of("hr_email", unanswerable=1.0, reason="ambiguous")
    family = EnterpriseBenchFamily()
    assert family.patterns_of(task) == ("unanswerable", "ambiguous")
    assert family.patterns_of(task_of("hr_email")) == ("hr_email",)
    assert task.pattern == "hr_email"
