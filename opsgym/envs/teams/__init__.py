"""Teams: the same tasks for several agents, in PettingZoo's AEC and Parallel form.

Each game is a module in PettingZoo's usual form: ``erp_bench_team_v0.env(tier="medium")`` and ``.parallel_env(...)``.
Importing the package also registers the games where PettingZoo has a registry (1.27 and later).
"""

from __future__ import annotations

import pettingzoo

_FORMS = (
    ("aec", "ERPBenchTeam-v0", "erp_bench_team_v0:env"),
    ("parallel", "ERPBenchTeam-v0", "erp_bench_team_v0:parallel_env"),
    ("aec", "PlannerExecutor-v0", "planner_executor_v0:env"),
)

if hasattr(pettingzoo, "register"):
    for _form, _id, _entry in _FORMS:
        pettingzoo.register(_form, _id, entry_point=f"{__name__}.{_entry}")
