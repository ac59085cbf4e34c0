"""TRLCurriculum: public methods are the tools, a group has one ticket and is told at once; and TRL itself, where it is."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.core.errors import BackendError, RegistryError, TaskError
from opsgym.curricula import (
    Bandit,
    CurriculumWrapper,
    Fixed,
    Ladder,
    Outcome,
    PrioritizedLevelReplay,
    Sampler,
    TaskSpace,
    TRLCurriculum,
    Uniform,
)
from opsgym.curricula.trl import OVER
from opsgym.wrappers import BinaryReward, ObservationLimit, ToolFailureInjection

SPACE = TaskSpace({"counters": (1, 5)})


def made(toy_id: str, sampler: Sampler | None = None, **arguments: Any) -> TRLCurriculum:
    own = Uniform(SPACE, seed=3) if sampler is None else sampler
    return TRLCurriculum(partial(gym.make, toy_id), own, **{"generations": 3, **arguments})


def tools_of(rollout: Any) -> dict[str, Any]:
    """What TRL offers: every public function of the class but two."""
    found = inspect.getmembers(type(rollout), predicate=inspect.isfunction)
    return {name: method for name, method in found if not name.startswith("_") and name not in ("reset", "get_reward")}


def solve(rollout: Any) -> None:
    """Play the reference solution as TRL would, by named methods."""
    for call in rollout._env.unwrapped.task.oracle:
        getattr(rollout, call.name)(**call.arguments)


def test_the_tools_are_the_public_methods_and_nothing_else_is(toy_id: str) -> None:
    rollout = made(toy_id).environment_factory()
    assert list(tools_of(rollout)) == sorted(gym.make(toy_id).unwrapped.tools)  # type: ignore[attr-defined]  # of ToolEnv
    narrow = made(toy_id, tools=["submit", "add"]).environment_factory()
    assert list(tools_of(narrow)) == ["add", "submit"]
    with pytest.raises(RegistryError, match="unknown tool 'addd'"):
        made(toy_id, tools=["addd"])


def test_a_tool_tells_its_types_and_what_it_is_for(toy_id: str) -> None:
    method = tools_of(made(toy_id).environment_factory())["add"]
    assert str(inspect.signature(method)) == "(self, *, name: str, amount: int) -> str"
    assert method.__doc__.splitlines()[0] == "Add to a counter and return its new value."
    assert "    amount: What to add; may be negative." in method.__doc__.splitlines()


def test_all_rollouts_of_a_group_play_one_ticket_whatever_the_order(toy_id: str) -> None:
    curriculum = made(toy_id)
    seats = [curriculum.environment_factory() for _ in range(6)]
    briefs = {
        index: seat.reset(prompt=[], group=index % 2) for index, seat in enumerate(seats)
    }  # interleaved, as after a shuffle
    assert curriculum.sampler.metrics()["asked"] == 2
    assert len({briefs[0], briefs[2], briefs[4]}) == 1 and len({briefs[1], briefs[3], briefs[5]}) == 1
    assert briefs[0] != briefs[1]
    assert sorted(seat._env.trial for seat in seats) == [0, 0, 1, 1, 2, 2]


def test_a_group_is_told_at_once_when_its_last_reward_is_known(toy_id: str) -> None:
    curriculum = made(toy_id)
    told: list[list[Outcome]] = []
    curriculum.sampler.tell = told.append  # type: ignore[assignment]  # a spy
    seats = [curriculum.environment_factory() for _ in range(3)]
    for seat in seats:
        seat.reset(group=7)
    solve(seats[0])
    for number, seat in enumerate(seats):
        assert seat.get_reward() == (number == 0)
        assert len(told) == (number == 2)
    assert [outcome.trial for outcome in told[0]] == [0, 1, 2]
    assert [outcome.success for outcome in told[0]] == [True, False, False]
    assert [round(outcome.extra["abs_advantage"], 6) for outcome in told[0]] == [0.666667, 0.333333, 0.333333]


@pytest.mark.parametrize(
    "sampler", [Bandit(SPACE, payoff="abs_advantage", refresh=1), PrioritizedLevelReplay(SPACE, score="abs_advantage", least=1)]
)
def test_samplers_that_want_advantages_get_them(toy_id: str, sampler: Sampler) -> None:
    curriculum = made(toy_id, sampler, generations=2)
    seats = [curriculum.environment_factory() for _ in range(2)]
    before = sampler.distribution()
    for seat in seats:
        seat.reset(group=0)
    solve(seats[0])
    assert [seat.get_reward() for seat in seats] == [1.0, 0.0]
    assert sampler.metrics()["done"] == 2
    after = sampler.distribution()
    assert list(after.probabilities) != list(before.probabilities)


def test_the_next_epoch_may_use_a_row_again_and_gets_another_ticket(toy_id: str) -> None:
    curriculum = made(toy_id, generations=2)
    seats = [curriculum.environment_factory() for _ in range(2)]
    tickets = []
    for _ in range(2):
        for seat in seats:
            seat.reset(group=0)
        tickets.append(seats[0]._env.ticket.id)
        for seat in seats:
            seat.get_reward()
    assert tickets == [0, 1]
    assert curriculum.sampler.metrics()["open"] == 0


def test_after_the_end_every_call_gets_one_answer_and_changes_nothing(toy_id: str) -> None:
    rollout = made(toy_id).environment_factory()
    assert rollout.look() == OVER, "before the first reset too"
    rollout.reset(group=0)
    rollout.submit()
    digest = rollout._env.unwrapped.world.digest()
    assert rollout.add(name="red", amount=1) == rollout.submit() == OVER
    assert rollout._env.unwrapped.world.digest() == digest
    assert rollout.get_reward() == rollout.get_reward() == 0.0


def test_an_episode_whose_model_stops_calling_is_judged_as_it_stands(toy_id: str) -> None:
    curriculum = made(toy_id)
    rollout = curriculum.environment_factory()
    rollout.reset(group=0)
    calls = [call for call in rollout._env.unwrapped.task.oracle if call.name != "submit"]
    for call in calls:
        getattr(rollout, call.name)(**call.arguments)
    assert rollout.get_reward() == 1.0
    assert rollout.look() == OVER


def test_a_wrong_call_is_answered_in_text_and_does_not_raise(toy_id: str) -> None:
    rollout = made(toy_id).environment_factory()
    rollout.reset(group=0)
    assert json.loads(rollout.add(name="red", wrong=1))["error"]["code"] == "invalid_arguments"
    assert json.loads(rollout.add(name="nobody", amount=1))["error"]["code"] == "not_found"


def test_nulls_that_need_not_be_given_are_left_out_and_others_are_not(toy_id: str) -> None:
    rollout = made(toy_id).environment_factory()
    rollout.reset(group=0)
    assert json.loads(rollout.look(name=None, amount=None))["ok"]
    assert json.loads(rollout.add(name="red", amount=None))["error"]["code"] == "invalid_arguments"


def test_wrappers_hold_inside(toy_id: str) -> None:
    curriculum = TRLCurriculum(
        lambda: ObservationLimit(BinaryReward(gym.make(toy_id)), max_chars=60), Fixed(SPACE, {"counters": 5}), generations=2
    )
    rollout = curriculum.environment_factory()
    assert len(rollout.reset(group=0)) > 60
    assert len(rollout.look()) == 60


def test_evaluation_plays_its_tickets_and_tells_nobody(toy_id: str) -> None:
    curriculum = made(toy_id)
    ticket = Uniform(SPACE, seed=50).ask()[0]
    rollout = curriculum.environment_factory()
    brief = rollout.reset(prompt=[], ticket=json.dumps(ticket.as_dict()))
    assert brief == gym.make(toy_id).reset(seed=ticket.seed, options=ticket.options())[0]
    solve(rollout)
    assert rollout.get_reward() == 1.0
    assert curriculum.sampler.metrics()["asked"] == curriculum.sampler.metrics()["unknown"] == 0


def test_an_infeasible_ticket_is_told_and_another_takes_its_place(toy_id: str) -> None:
    sampler = Uniform(TaskSpace({"counters": (1, 12)}), seed=2)  # the toy family has up to nine
    curriculum = made(toy_id, sampler, generations=2)
    for group in range(30):
        seats = [curriculum.environment_factory() for _ in range(2)]
        assert len({seat.reset(group=group) for seat in seats}) == 1
        assert all(seat._env.ticket.params["counters"] <= 9 for seat in seats)
        for seat in seats:
            seat.get_reward()
    metrics = sampler.metrics()
    assert metrics["infeasible"] > 0 and metrics["infeasible"] % 2 == 0
    assert (metrics["done"], metrics["open"], metrics["duplicate"]) == (60, 0, 0)


def test_a_rollout_that_is_broken_off_is_lost_to_its_own_group(toy_id: str) -> None:
    curriculum = made(toy_id, generations=2)
    first, second = (curriculum.environment_factory() for _ in range(2))
    first.reset(group=0)
    first.reset(group=1)
    second.reset(group=0)
    second.get_reward()
    metrics = curriculum.sampler.metrics()
    assert (metrics["asked"], metrics["lost"], metrics["done"], metrics["open"]) == (2, 1, 1, 1)


def test_a_broken_system_is_no_score_and_no_failure(toy_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    curriculum = made(toy_id, generations=2)
    seats = [curriculum.environment_factory() for _ in range(2)]
    for seat in seats:
        seat.reset(group=0)

    def breaks(call: object) -> object:
        raise BackendError("the database is gone")

    monkeypatch.setattr(seats[0]._env.unwrapped, "_carry_out", breaks)
    seats[0].look()
    assert [seat.get_reward() for seat in seats] == [None, 0.0]
    metrics = curriculum.sampler.metrics()
    assert (metrics["error"], metrics["done"]) == (1, 1)


def test_what_makes_no_sense_is_refused(toy_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TaskError, match="generations: expected at least 2, got 1"):
        made(toy_id, generations=1)
    made_of = made(toy_id)
    rollout = made_of.environment_factory()
    with pytest.raises(TaskError, match="row: expected 'group' or 'ticket'"):
        rollout.reset(prompt=[])
    with pytest.raises(TaskError, match="group 0 has more rollouts than generations=3"):
        for seat in [made_of.environment_factory() for _ in range(4)]:
            seat.reset(group=0)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TaskError, match="WORLD_SIZE: expected one process, got 2"):
        made(toy_id)


def test_failure_rates_need_faults_that_follow_them(toy_id: str) -> None:
    rates = Fixed(TaskSpace({"failure_rate": (0.0, 1.0)}), {"failure_rate": 0.5})
    with pytest.raises(TaskError, match="FAILURE_SCHEDULE"):
        made(toy_id, rates).environment_factory().reset(group=0)
    assert CurriculumWrapper(ToolFailureInjection(gym.make(toy_id), rate=((0.0, 0.0), (1.0, 1.0))), rates).reset()


# -- with TRL ---------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_trl_grpo.py"


@pytest.mark.train
@pytest.mark.parametrize("env_id", ["ACEBench-v0", "ERPBench-v0"])
def test_transformers_makes_the_schemas_again(env_id: str) -> None:
    utils = pytest.importorskip("transformers.utils")
    sampler = Uniform(TaskSpace({"tier": ["easy"]}))
    curriculum = TRLCurriculum(partial(gym.make, env_id, cache=None), sampler, generations=2)
    rollout = curriculum.environment_factory()
    tools = rollout._env.get_wrapper_attr("tools")
    for name in tools_of(rollout):
        schema = utils.get_json_schema(getattr(rollout, name))["function"]
        own = tools[name].parameters
        assert schema["name"] == name and schema["description"].startswith(tools[name].description)
        assert list(schema["parameters"]["properties"]) == list(own["properties"])
        assert schema["parameters"].get("required", []) == own.get("required", [])
        for argument, given in schema["parameters"]["properties"].items():
            expected = own["properties"][argument]
            assert given["description"] == (expected.get("description") or argument)
            assert "enum" not in expected or given["enum"] == expected["enum"]
            assert "type" not in expected or given["type"] == expected["type"]


@pytest.mark.slow
@pytest.mark.train
@pytest.mark.filterwarnings("default")  # of TRL and transformers, which are not ours
def test_grpo_plays_whole_groups_through_the_tools_and_resumes(
    toy_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trl, torch = pytest.importorskip("trl"), pytest.importorskip("torch")
    torch.set_num_threads(1)
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    sys.path.insert(0, str(EXAMPLE.parent))
    try:
        import train_trl_grpo as example  # type: ignore[import-not-found]  # the path of an example
    finally:
        sys.path.pop(0)
    tokenizer = example.make_tokenizer([{"messages": [{"role": "user", "content": "red green blue"}], "tools": "[]"}])

    def run(max_steps: int, resume: bool) -> tuple[Any, TRLCurriculum]:
        sampler = Ladder(SPACE, levels=5, window=4, demote=0.0, promote=0.4, seed=1)
        curriculum = made(toy_id, sampler, generations=2)
        model = example.make_model(tokenizer)

        def generate(input_ids: Any, **_: Any) -> Any:
            """A model that solves every other rollout, in one message of several calls, and then has said enough."""
            texts = []
            for row, ids in enumerate(input_ids):
                prompt = tokenizer.decode(ids)
                first = "<tool_response>" not in prompt
                assert not first or trainer.environments[row]._env.get_wrapper_attr("episode").brief in prompt
                calls = trainer.environments[row]._env.unwrapped.task.oracle if row % 2 == 0 else []
                spoken = [json.dumps({"name": call.name, "arguments": call.arguments}) for call in calls]
                blocks = "\n".join(f"<tool_call>\n{text}\n</tool_call>" for text in spoken) if first else ""
                texts.append((blocks or "Done.") + "<|im_end|>")
            ids = tokenizer(texts, padding=True, padding_side="right", return_tensors="pt")["input_ids"]
            return torch.cat([input_ids, ids], dim=1)

        model.generate = generate
        config = trl.GRPOConfig(
            output_dir=str(tmp_path), max_steps=max_steps, per_device_train_batch_size=4, num_generations=2, save_steps=2,
            max_completion_length=600, report_to=[], use_cpu=True, bf16=False, logging_steps=1, disable_tqdm=True,
        )  # fmt: skip
        trainer = trl.GRPOTrainer(
            model, args=config, processing_class=tokenizer, train_dataset=curriculum.dataset(50),
            environment_factory=curriculum.environment_factory, callbacks=[curriculum.callback()],
        )  # fmt: skip
        trainer.train(resume_from_checkpoint=resume)
        return trainer, curriculum

    trainer, curriculum = run(2, resume=False)
    metrics = curriculum.sampler.metrics()
    assert (metrics["asked"], metrics["done"], metrics["open"], metrics["success_rate"]) == (4, 8, 0, 0.5)
    log = next(entry for entry in trainer.state.log_history if "reward" in entry)
    assert log["reward"] == 0.5 and log["tools/failure_frequency"] == 0 and log["curriculum/done"] == 4
    assert curriculum.sampler.metrics()["level"] == 2, "half of each window succeeded, which is more than 0.4"

    trainer, curriculum = run(4, resume=True)
    assert curriculum.sampler.metrics()["done"] == 16, "the state came from the checkpoint"


@pytest.mark.slow
@pytest.mark.train
def test_the_grpo_example_runs_from_end_to_end() -> None:
    pytest.importorskip("trl")
    arguments = ["--warmup", "0", "--steps", "2", "--tokens", "64"]
    done = subprocess.run([sys.executable, str(EXAMPLE), *arguments], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert "4 tickets, 16 rollouts told" in done.stdout


def test_without_trl_the_example_says_what_it_needs() -> None:
    try:
        import trl  # noqa: F401  # only whether it is there
    except ImportError:
        done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert "pip install" in done.stdout
