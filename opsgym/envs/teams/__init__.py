"""Teams: the same tasks for several agents, in PettingZoo's AEC and Parallel form.

Each game is a module in PettingZoo's usual form: ``erp_bench_team_v0.env(tier="medium")`` and ``.parallel_env(...)``.
Importing the package also registers the games where PettingZoo has a registry (1.27 and later).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pettingzoo

from opsgym.core.errors import RegistryError

__all__ = ["GAMES", "TEAMS", "make"]

TEAMS = {
    "ERPBenchTeam-v0": {"aec": "erp_bench_team_v0:env", "parallel": "erp_bench_team_v0:parallel_env"},
    "PlannerExecutor-v0": {"aec": "planner_executor_v0:env"},
}
"""The games whose roles write text by id, and for each its forms; `opsgym eval --team` plays them."""

GAMES = {**TEAMS, "PlannerExecutorGrid-v0": {"aec": "planner_executor_grid_v0:env"}}
"""The same, and those in numbers for classical RL."""


def make(form: str, id: str, **arguments: Any) -> Any:
    """A game, with any version of PettingZoo.

    Args:
        form: ``"aec"`` or ``"parallel"``.
        id: One of :data:`GAMES`.
        **arguments: Arguments of the game.

    Raises:
        RegistryError: There is no such game, or it has no such form.

    Example:
        >>> make("parallel", "ERPBenchTeam-v0", tier="easy", cache=None).possible_agents
        ['sales_0', 'purchasing_0', 'production_0', 'finance_0']
    """
    if id not in GAMES:
        raise RegistryError("team", id, GAMES)
    if form not in GAMES[id]:
        raise RegistryError(f"form of {id}", form, GAMES[id])
    module, _, name = GAMES[id][form].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), name)(**arguments)


if hasattr(pettingzoo, "register"):
    for _id, _forms in GAMES.items():
        for _form, _entry in _forms.items():
            pettingzoo.register(_form, _id, entry_point=f"{__name__}.{_entry}")
