"""OpsGym: Gymnasium environments for enterprise-operations work by language-model agents.

Importing the package registers its environments; what they need is imported when one is made.
"""

from __future__ import annotations

import gymnasium

__version__ = "0.1.0"

_ENVS = {
    "ERPBench-v0": ("opsgym.envs.erp_bench.env", "ERPBenchEnv", "ERPBenchVectorEnv"),
    "ACEBench-v0": ("opsgym.envs.ace_bench.env", "ACEBenchEnv", "ACEBenchVectorEnv"),
    "EnterpriseOps-v0": ("opsgym.envs.enterprise_ops.env", "EnterpriseOpsEnv", "EnterpriseOpsVectorEnv"),
    "ORAgentBench-v0": ("opsgym.envs.or_agent_bench.env", "ORAgentBenchEnv", "ORAgentBenchVectorEnv"),
    "EnterpriseBench-v0": ("opsgym.envs.enterprise_bench.env", "EnterpriseBenchEnv", "EnterpriseBenchVectorEnv"),
}

ENV_IDS: tuple[str, ...] = tuple(_ENVS)
"""Ids for ``gymnasium.make`` and ``gymnasium.make_vec``."""

for _id, (_module, _single, _vector) in _ENVS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point=f"{_module}:{_single}", vector_entry_point=f"{_module}:{_vector}")
