"""The rule catalogue of the ERPBench verifier; importing it fills :data:`~opsgym.envs.erp_bench.rules.registry.RULES`."""

from __future__ import annotations

from opsgym.envs.erp_bench.rules import invoices, manufacturing, records, repair, sales, sourcing, supply, traceability
from opsgym.envs.erp_bench.rules.context import Context
from opsgym.envs.erp_bench.rules.registry import FAMILIES, RULES, Family, Outcome, Rule, find_rule
from opsgym.envs.erp_bench.rules.tables import Tables, tables_of

__all__ = ["FAMILIES", "RULES", "Context", "Family", "Outcome", "Rule", "Tables", "find_rule", "tables_of"]

MODULES = (invoices, manufacturing, records, repair, sales, sourcing, supply, traceability)
"""The modules that define rules."""
