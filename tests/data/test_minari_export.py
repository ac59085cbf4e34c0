"""Minari opens what was exported and gives back every text, reward and end; what it cannot hold is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import canonical_json
from opsgym.data.minari_export import export_minari
from opsgym.data.trajectories import Trajectory
from tests.data.recordings import forget, record, toy_id
from tests.envs.toy_family import ToyEnv

minari = pytest.importorskip("minari", reason="Minari is an extra")
pytestmark = pytest.mark.filterwarnings("ignore:(`[a-z_]+` is set to|env_spec is) None")


@pytest.fixture
def trajectories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Trajectory]]:
    """A few episodes, and a place for data sets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    with toy_id():
        yield record(tmp_path / "episodes.jsonl", 6)


def test_a_data_set_gives_back_every_step(trajectories: list[Trajectory]) -> None:
    export_minari("opsgym/toy-v0", trajectories, description="Toy episodes.")
    dataset = minari.load_dataset("opsgym/toy-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (6, sum(len(each.steps) for each in trajectories))
    for each, episode in zip(trajectories, dataset.iterate_episodes(), strict=True):
        assert episode.observations == [each.brief, *(step.observation for step in each.steps)]
        assert episode.actions == [
            step.action if isinstance(step.action, str) else canonical_json(step.action) for step in each.steps
        ]
        assert episode.rewards.tolist() == [step.reward for step in each.steps]
        assert episode.terminations.tolist() == [step.terminated for step in each.steps]
        assert episode.truncations.tolist() == [step.truncated for step in each.steps]
        assert all(text in dataset.observation_space for text in episode.observations)
        assert all(text in dataset.action_space for text in episode.actions)


def test_episodes_and_the_environment_can_be_told(trajectories: list[Trajectory]) -> None:
    export_minari("opsgym/toy-v0", trajectories)
    dataset = minari.load_dataset("opsgym/toy-v0")
    told = list(dataset.storage.get_episode_metadata(range(6)))
    assert [each["is_success"] for each in told] == [True, False] * 3
    assert [each["seed"] for each in told] == list(range(6))
    assert [each["task_id"] for each in told] == [each.task_id for each in trajectories]
    solved = dataset.filter_episodes(lambda episode: episode.rewards.sum() == 1.0)
    assert solved.total_episodes == 3
    assert isinstance(dataset.recover_environment().unwrapped, ToyEnv)


def test_trajectories_of_several_environments_make_a_data_set_without_one(trajectories: list[Trajectory]) -> None:
    export_minari("opsgym/mixed-v0", [replace(trajectories[0], spec=None), *trajectories[1:]])
    assert minari.load_dataset("opsgym/mixed-v0").env_spec is None


def test_a_text_beyond_utf8_is_refused_by_place(trajectories: list[Trajectory]) -> None:
    step = replace(trajectories[1].steps[0], action="half \ud800")
    broken = replace(trajectories[1], steps=(step, *trajectories[1].steps[1:]))
    with pytest.raises(TaskError, match="episode 2, action 0: a lone surrogate"):
        export_minari("opsgym/toy-v0", [trajectories[0], broken])
    assert "opsgym/toy-v0" not in minari.list_local_datasets()


def test_what_makes_no_data_set_is_refused(trajectories: list[Trajectory]) -> None:
    with pytest.raises(TaskError, match="at least one trajectory"):
        export_minari("opsgym/toy-v0", [])
    export_minari("opsgym/toy-v0", trajectories)
    with pytest.raises(TaskError, match="Minari refuses"):
        export_minari("opsgym/toy-v0", trajectories)
    with pytest.raises(TaskError, match="Minari refuses"):
        export_minari("not a name!", trajectories)


@pytest.mark.parametrize("package", ["minari", "pyarrow", "PIL"])
def test_without_its_packages_it_says_what_to_install(
    package: str, trajectories: list[Trajectory], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch, package)
    with pytest.raises(OpsGymError, match=r"opsgym\[minari\]"):
        export_minari("opsgym/toy-v0", trajectories)
