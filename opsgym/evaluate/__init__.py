"""Running policies over tasks, and the proofs that an environment keeps its promises.

:func:`evaluate` plays every task with a policy; what it is made of is imported when it is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsgym.evaluate.results import TrialResult
    from opsgym.evaluate.run_desk import Limits, TrialError
    from opsgym.evaluate.run_directory import RunDirectory
    from opsgym.evaluate.runner import Run, evaluate

__all__ = ["Limits", "Run", "RunDirectory", "TrialError", "TrialResult", "evaluate"]

_MODULES = {
    "Limits": "run_desk",
    "Run": "runner",
    "RunDirectory": "run_directory",
    "TrialError": "run_desk",
    "TrialResult": "results",
    "evaluate": "runner",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
