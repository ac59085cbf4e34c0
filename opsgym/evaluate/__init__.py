"""Running policies over tasks, and the proofs that an environment keeps its promises.

:func:`evaluate` plays every task with a policy, :func:`evaluate_team` with a team; what they are made of is
imported when it is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsgym.evaluate.results import RoleResult, TrialResult
    from opsgym.evaluate.run_desk import Limits, TrialError
    from opsgym.evaluate.run_directory import RunDirectory
    from opsgym.evaluate.run_team import evaluate_team
    from opsgym.evaluate.runner import Run, evaluate

__all__ = ["Limits", "RoleResult", "Run", "RunDirectory", "TrialError", "TrialResult", "evaluate", "evaluate_team"]

_MODULES = {
    "Limits": "run_desk",
    "RoleResult": "results",
    "Run": "runner",
    "RunDirectory": "run_directory",
    "TrialError": "run_desk",
    "TrialResult": "results",
    "evaluate": "runner",
    "evaluate_team": "run_team",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
