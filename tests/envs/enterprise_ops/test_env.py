"""EnterpriseOps-v0 as a Gymnasium environment keeps the contract, in one system and in two."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from opsgym.baselines.registry import make_policy
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_ops.env import EnterpriseOpsEnv, EnterpriseOpsVectorEnv
from opsgym.envs.enterprise_ops.estate import Estate, parts_of
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.evaluate.promises import SECRET_KEYS
from opsgym.evaluate.rollout import run_episode
from opsgym.wrappers import DenseReward, DiscreteToolActions, ToolFailureInjection

SINGLE, DOUBLE = "email_file_mail", "hybrid_ask_callers"
SUBMIT = '{"name": "submit"}'


def make(**kwargs: Any) -> EnterpriseOpsEnv:
    env = gym.make("EnterpriseOps-v0", **{"cache": None, **kwargs}).unwrapped
    assert isinstance(env, EnterpriseOpsEnv)
    return env


def task_of(pattern: str, seed: int = 1, **params: Any) -> Task:
    family = EnterpriseOpsEnv.family
    return family.compile(family.draw(seed, tier="easy", pattern=pattern, overrides={"infeasible": 0.0, **params}), seed)


@pytest.fixture(scope="module", params=[SINGLE, DOUBLE])
def task(request: pytest.FixtureRequest) -> Task:
    return task_of(request.param)


# -- the contract of Gymnasium


@pytest.mark.parametrize(
    "configuration",
    [
        {"pattern": SINGLE, "tier": "easy"},
        {"pattern": DOUBLE, "tier": "easy"},
        {"pattern": SINGLE, "tier": "easy", "reward_mode": "dense"},
        {"pattern": DOUBLE, "tier": "easy", "disclosure": "request", "max_steps": 3, "split": "test"},
        {"pattern": SINGLE, "tier": "easy", "params": {"enforcement": "strict", "infeasible": 1.0}},
    ],
    ids=lambda configuration: "-".join(map(str, configuration.values())),
)
def test_check_env_is_silent(configuration: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**configuration))


@pytest.mark.parametrize("pattern", [SINGLE, DOUBLE])
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_every_vector_mode_gives_the_text_of_single_environments(mode: str, pattern: str) -> None:
    envs = gym.make_vec("EnterpriseOps-v0", num_envs=2, vectorization_mode=mode, tier="easy", pattern=pattern, cache=None)
    assert mode != "vector_entry_point" or isinstance(envs, EnterpriseOpsVectorEnv)
    try:
        obs, _ = envs.reset(seed=5)
        alone = [make(tier="easy", pattern=pattern) for _ in range(2)]
        assert obs == tuple(env.reset(seed=5 + number)[0] for number, env in enumerate(alone))
        actions = ('{"name": "whoami"}', SUBMIT)
        obs, _, terminated, *_ = envs.step(actions)
        assert obs == tuple(env.step(action)[0] for env, action in zip(alone, actions, strict=True))
        assert terminated.tolist() == [False, True]
    finally:
        envs.close()


def test_seeds_reproduce_and_differ() -> None:
    ids = [[env.reset(seed=seed)[1]["task_id"] for seed in range(4)] for env in (make(tier="easy"), make(tier="easy"))]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 4


def test_snapshots_and_forks_replay_identically(task: Task) -> None:
    env = make(reward_mode="dense")
    env.reset(seed=1, options={"task": task})
    half = len(task.oracle) // 2
    for call in task.oracle[:half]:
        env.step(call)
    state, forked = pickle.loads(pickle.dumps(env.snapshot())), env.fork()

    def play(env: EnterpriseOpsEnv) -> list[Any]:
        steps: list[Any] = [env.step(call)[:4] for call in task.oracle[half:]]
        return [*steps, env.world.digest()]

    first = play(env)
    env.restore(state)
    assert first == play(env) == play(forked)


def test_a_hybrid_task_is_played_in_two_worlds() -> None:
    env = make()
    env.reset(options={"task": task_of(DOUBLE)})
    assert isinstance(env.world, Estate)
    assert set(parts_of(env.world, "itsm")) == {"itsm", "email"}
    names = [schema["function"]["name"] for schema in env.reset(options={"task": task_of(DOUBLE)})[1]["tools"]]
    assert {name.partition(".")[0] for name in names} == {"itsm", "email", "whoami", "submit", "refuse"}


# -- rewards and endings


def test_the_oracle_earns_everything_and_nothing_done_earns_nothing(task: Task) -> None:
    for name, reward in (("oracle", 1.0), ("submit-at-once", 0.0)):
        assert run_episode(make(), make_policy(name, EnterpriseOpsEnv.family), task=task).reward == reward


@pytest.mark.parametrize("mode", ["dense", "binary"])
def test_returns_of_the_oracle_are_one_in_every_mode(mode: str, task: Task) -> None:
    env = make(reward_mode=mode)
    env.reset(options={"task": task})
    assert sum(env.step(call)[1] for call in task.oracle) == pytest.approx(1.0)


def test_work_half_done_earns_a_part() -> None:
    task = task_of("email_forward_all", 1, size="M", horizon=2)
    env = make()
    env.reset(options={"task": task})
    work = [call for call in task.oracle if call.name == "update_auto_forwarding"]
    env.step(work[0])
    _, reward, terminated, _, info = env.step(SUBMIT)
    assert (reward, terminated, info["is_success"]) == (0.5, True, False)


def test_a_false_refusal_and_a_false_submission_earn_nothing() -> None:
    for infeasible in (0.0, 1.0):
        task = task_of("email_stop_forwarding", 1, infeasible=infeasible)
        env = make()
        env.reset(options={"task": task})
        plan = plan_of(task)
        calls = plan.compliant() if plan.reasons else plan.refusing()
        for call in calls:
            _, reward, terminated, _, info = env.step(call)
        assert (reward, terminated, info["is_success"]) == (0.0, True, False)


def test_a_budget_that_runs_out_is_judged() -> None:
    task = task_of("email_forward_all")
    for graded, expected in ((True, 1.0), (False, 0.0)):
        env = make(max_steps=len(task.oracle) - 1, grade_on_truncation=graded)
        env.reset(options={"task": task})
        for call in task.oracle[:-1]:
            _, reward, terminated, truncated, _ = env.step(call)
        assert (reward, terminated, truncated) == (expected, False, True)


# -- wrappers


@pytest.mark.parametrize("rate", [0.0, 0.4])
def test_injected_failures_can_be_lived_with(task: Task, rate: float) -> None:
    env = ToolFailureInjection(gym.make("EnterpriseOps-v0", cache=None), rate=rate, kinds=["timeout"])
    env.reset(seed=3, options={"task": task})
    for call in task.oracle:
        for _ in range(50):
            observation, reward, terminated, *_ = env.step(call)
            if terminated or '"ok":true' in observation:
                break
    assert reward == 1.0


def test_dense_rewards_add_up_to_the_terminal_one(task: Task) -> None:
    env = DenseReward(gym.make("EnterpriseOps-v0", cache=None), potential="checks")
    env.reset(options={"task": task})
    rewards = [env.step(call)[1] for call in task.oracle]
    assert sum(rewards) == pytest.approx(1.0)


def test_calls_can_be_numbered(task: Task) -> None:
    env = DiscreteToolActions(gym.make("EnterpriseOps-v0", cache=None), size=32)
    observation, _ = env.reset(options={"task": task})
    assert observation["action_mask"].sum() > 0
    for number in range(4):
        env.step(int(observation["action_mask"].nonzero()[0][number % observation["action_mask"].sum()]))


# -- isolation


def test_what_an_agent_reads_holds_no_secrets(task: Task) -> None:
    env = make()
    observation, info = env.reset(seed=1, options={"task": task})
    hidden = [check.args["query"] for check in task.checks if check.rule == "sql"]
    told = [(observation, info)]
    for action in ('{"name": "whoami"}', "nonsense", '{"name": "no_such"}', '{"name": "submit", "arguments": {"x": 1}}'):
        observation, _, _, _, info = env.step(action)
        told.append((observation, info))
    for text, more in told:
        assert not SECRET_KEYS & more.keys()
        seen = text + json.dumps(more, default=str)
        assert not any(query in seen for query in hidden)
        assert not re.search(r"(?<![a-z])_(breach|outcome|number|clock)\b", seen)


@pytest.mark.parametrize("name", ["reset", "seed", "sql", "execute", "verify", "query", "restore", "snapshot"])
def test_no_tool_reaches_seed_reset_verifier_or_sql(name: str) -> None:
    env = make(params={"distractors": 100}, pattern=DOUBLE, tier="easy")
    _, info = env.reset(seed=1)
    names = {schema["function"]["name"].rpartition(".")[2] for schema in info["tools"]}
    assert name not in names
    assert '"unknown_tool"' in env.step(ToolCall(name=name))[0]


def test_sql_in_arguments_is_text(task: Task) -> None:
    env = make(params={"distractors": 100})
    env.reset(options={"task": task})
    before = env.world.digest()
    for schema in env.reset(options={"task": task})[1]["tools"]:
        function = schema["function"]
        if function["name"].rpartition(".")[2] in ("submit", "refuse"):
            continue
        texts = [key for key, kind in function["parameters"]["properties"].items() if kind.get("type") == "string"]
        if set(function["parameters"].get("required", ())) <= set(texts):
            arguments = dict.fromkeys(texts, "x'; DELETE FROM users; --")
            env.step(ToolCall(name=function["name"], arguments=arguments))
    for part in parts_of(env.world, "email").values():
        assert part.execute("SELECT count(*) FROM users").fetchone()[0] > 0
        assert part.check() == []
    env.reset(options={"task": task})
    assert env.world.digest() == before


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tier": "impossible"}, "easy, expert, hard, medium"),
        ({"pattern": "email_file_mal"}, "email_file_mail"),
        ({"params": {"horizn": 3}}, "horizon"),
        ({"harness": "api"}, "tools"),
        ({"reward_mode": "sparse"}, "binary"),
    ],
)
def test_unknown_names_are_refused_at_make_with_what_exists(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistryError, match=message):
        make(**arguments)


@pytest.mark.parametrize("params", [{"horizon": 7}, {"size": "XL"}, {"infeasible": 1.5}, {"enforcement": "none"}])
def test_values_that_cannot_be_are_refused_at_make(params: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        make(params=params)
