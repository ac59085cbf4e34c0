"""Backends: one protocol for the ERPs on which ERPBench tasks are played, the embedded one and those that speak Odoo's JSON-2."""

from opsgym.envs.erp_bench.backends.embedded import EmbeddedBackend
from opsgym.envs.erp_bench.backends.odoo import Database, OdooBackend, Provision, renewed
from opsgym.envs.erp_bench.backends.playing import Played, play
from opsgym.envs.erp_bench.backends.protocol import (
    Capability,
    ErpBackend,
    fingerprint,
    needs,
    neutral,
    require,
    verdict_of,
)
from opsgym.envs.erp_bench.backends.rebase import rebased

__all__ = [
    "Capability",
    "Database",
    "EmbeddedBackend",
    "ErpBackend",
    "OdooBackend",
    "Played",
    "Provision",
    "fingerprint",
    "needs",
    "neutral",
    "play",
    "rebased",
    "renewed",
    "require",
    "verdict_of",
]
