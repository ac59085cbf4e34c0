"""sb3_callback: logs a curriculum and saves it beside the checkpoints of stable-baselines3."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from opsgym.core.errors import OpsGymError
from opsgym.curricula.desk import Desk
from opsgym.curricula.sampler import Sampler

__all__ = ["load_state", "save_state", "sb3_callback"]


def sb3_callback(curriculum: Sampler | Desk, *, path: str | os.PathLike[str] | None = None, save_every: int = 0) -> Any:
    """A ``BaseCallback`` for ``model.learn``.

    After each rollout it logs ``metrics()`` under ``curriculum/``; every ``save_every`` steps, and at the end of training, it
    writes the state to ``path``, whole or not at all.  Environments of a ``DummyVecEnv`` share the sampler or desk; those of
    a ``SubprocVecEnv`` get ``Server(desk).client()``.

    Args:
        curriculum: The sampler or desk that the environments draw from.
        path: File of the state; ``{steps}`` in its name is replaced, so that it fits a checkpoint.
        save_every: Calls of the environments' step between two saves; 0 saves at the end only.

    Raises:
        OpsGymError: stable-baselines3, of the extra ``train``, is not installed.
    """
    try:
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError as error:
        raise OpsGymError('the callback needs stable-baselines3: pip install "opsgym[train]"') from error

    class CurriculumCallback(BaseCallback):  # type: ignore[misc,unused-ignore]  # untyped where the extra is absent
        def _on_step(self) -> bool:
            if save_every and self.n_calls % save_every == 0:
                self._save()
            return True

        def _on_rollout_end(self) -> None:
            for name, value in curriculum.metrics().items():
                self.logger.record(f"curriculum/{name}", value)

        def _on_training_end(self) -> None:
            self._save()

        def _save(self) -> None:
            if path is not None:
                save_state(curriculum, os.fspath(path).replace("{steps}", str(self.num_timesteps)))

    return CurriculumCallback()


def save_state(curriculum: Sampler | Desk, path: str | os.PathLike[str]) -> None:
    """Write ``state_dict()`` to a file as JSON, whole or not at all."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    draft.write_text(json.dumps(curriculum.state_dict()), encoding="utf-8")
    draft.replace(target)


def load_state(curriculum: Sampler | Desk, path: str | os.PathLike[str]) -> None:
    """Read what :func:`save_state` wrote.

    Raises:
        TaskError: The state is of another sampler.
    """
    curriculum.load_state_dict(json.loads(Path(path).read_text(encoding="utf-8")))
