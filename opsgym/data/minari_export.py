"""Trajectories as a data set of Minari, for offline reinforcement learning.

Minari's ``Text`` space has an alphabet and a greatest length, which OpsGym's open text has not: the spaces of the data set
are those of the characters and lengths that occur in it.  Its Arrow format stores text as UTF-8, which cannot say a lone
surrogate; such episodes are refused.  Minari wants infos of one structure in every step: they are left out, and what is said
of an episode as a whole stands in its metadata.  It needs Minari (``pip install "opsgym[minari]"``), imported when it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Text

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import canonical_json
from opsgym.data.trajectories import Trajectory

__all__ = ["export_minari"]


def export_minari(dataset_id: str, trajectories: Iterable[Trajectory], **details: Any) -> Any:
    """Make a local data set of trajectories; ``minari.load_dataset(dataset_id)`` opens it later.

    Observations are the brief and what answered each action; actions are text, those that were given in process as their
    JSON.  Where all trajectories are of one environment that can be named, the data set holds its spec.

    Args:
        dataset_id: Name in the form of Minari, such as ``"opsgym/erp-easy-v0"``.
        trajectories: The trajectories; all are held in memory.
        **details: Further arguments of ``minari.create_dataset_from_buffers``, such as ``description``, ``author`` or
            ``code_permalink``; Minari warns where it misses one.

    Returns:
        The ``MinariDataset``.

    Raises:
        OpsGymError: Minari is missing.
        TaskError: There is no trajectory, there is such a data set already, or a text cannot be written as UTF-8; says where.
    """
    minari, buffer = _minari()
    episodes = list(trajectories)
    if not episodes:
        raise TaskError("expected at least one trajectory, got none", field="trajectories")
    observations = [[each.brief, *(step.observation for step in each.steps)] for each in episodes]
    actions = [[_text(step.action) for step in each.steps] for each in episodes]
    for what, texts in (("observation", observations), ("action", actions)):
        _check_utf8(what, texts)
    buffers = [
        buffer(
            id=number,
            seed=each.seed,
            observations=observations[number],
            actions=actions[number],
            rewards=[step.reward for step in each.steps],
            terminations=[step.terminated for step in each.steps],
            truncations=[step.truncated for step in each.steps],
        )
        for number, each in enumerate(episodes)
    ]
    specs = {each.spec for each in episodes}
    spec = specs.pop() if len(specs) == 1 else None
    try:
        dataset = minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            env=EnvSpec.from_json(spec) if spec else None,
            observation_space=_space(observations),
            action_space=_space(actions),
            data_format="arrow",
            **details,
        )
    except ValueError as error:
        raise TaskError(f"Minari refuses the data set: {error}", field="dataset_id") from error
    dataset.storage.update_episode_metadata([_metadata(each) for each in episodes])
    return dataset


def _metadata(trajectory: Trajectory) -> dict[str, Any]:
    facts = {name: trajectory.task[name] for name in ("family", "tier", "pattern")}
    return {"task_id": trajectory.task_id, **facts, "total": trajectory.total, "is_success": trajectory.is_success}


def _text(action: Any) -> str:
    return action if isinstance(action, str) else canonical_json(action)


def _check_utf8(what: str, episodes: Sequence[Sequence[str]]) -> None:
    for number, texts in enumerate(episodes, start=1):
        for place, text in enumerate(texts):
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise TaskError(
                    f"episode {number}, {what} {place}: a lone surrogate, which Minari's UTF-8 cannot say; leave the episode out",
                    field="trajectories",
                )


def _space(episodes: Sequence[Sequence[str]]) -> Text:
    texts = [text for each in episodes for text in each]
    return Text(max_length=max(1, *map(len, texts)), min_length=0, charset="".join(sorted(set("".join(texts)) or {" "})))


def _minari() -> tuple[Any, Any]:
    try:
        import minari
        import PIL  # noqa: F401  # Minari's Arrow format asks for both only in the middle of its work
        import pyarrow  # noqa: F401  # only asked for, like Pillow
        from minari.data_collector.episode_buffer import EpisodeBuffer
    except ImportError as error:
        raise OpsGymError('Minari data sets need Minari, pyarrow and Pillow: pip install "opsgym[minari]"') from error
    return minari, EpisodeBuffer
