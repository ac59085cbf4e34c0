"""Wrappers of single agents on teams: faults and budgets of calls, through PettingZoo's own wrapper bases."""

from __future__ import annotations

from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from opsgym.envs.teams.forms import TeamAEC, TeamParallel
from opsgym.envs.teams.game import AroundCalls

__all__ = ["SurroundTeam", "SurroundTeamParallel"]


class SurroundTeam(BaseWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """Puts a wrapper of :mod:`opsgym.wrappers` around the calls that a team makes on its world.

    It must be one that concerns calls, such as :class:`~opsgym.wrappers.ToolFailureInjection`,
    :class:`~opsgym.wrappers.ToolBudget` or :class:`~opsgym.wrappers.TimeBudget`.  It meets the calls of all
    agents that their rights allow, but not the team's own tools, such as `message`; a budget is one for the team.  At the end
    every agent's info holds the `faults`.  Snapshots hold its state; forks and copies have it too.

    Args:
        env: A team, wrapped or not.
        wrap: Makes the wrapper; to be pickled with the team, it must be importable.

    Raises:
        TaskError: It changes what is observed or done, rather than what becomes of calls.

    Example:
        >>> from functools import partial
        >>> from opsgym.envs.teams import erp_bench_team_v0
        >>> from opsgym.wrappers import ToolBudget
        >>> env = SurroundTeam(erp_bench_team_v0.env(tier="easy", cache=None), partial(ToolBudget, calls=1))
        >>> env.reset(seed=7)
        >>> env.step('{"name": "get_current_date"}')
        >>> env.step('{"name": "get_current_date"}')
        >>> print(env.observe("purchasing_0")["text"].partition('"message":')[2])
        "The budget of calls (1) is used up.","hint":"Finish the task."}}
    """

    def __init__(self, env: TeamAEC, wrap: AroundCalls) -> None:
        super().__init__(env)
        self.unwrapped.surround(wrap)


class SurroundTeamParallel(BaseParallelWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """The same for the Parallel form.

    Args:
        env: A team, wrapped or not.
        wrap: Makes the wrapper.
    """

    def __init__(self, env: TeamParallel, wrap: AroundCalls) -> None:
        super().__init__(env)
        self.unwrapped.surround(wrap)
