"""An ERP in memory: a small, faithful subset of Odoo 19 Community's public behaviour on a World.

Model, field and method names, states, error kinds and the surprises of the API are Odoo's; see the modules by area.
It is smaller and, where a planning task needs it, different:

- one company, warehouse, currency, unit of measure and variant per product; no pricelists, calendars or journal items;
- ``mrp.routing.workcenter`` has ``unit_cost`` and ``is_alternative``: a bill names every center that can do its work;
- the planner keeps the dates it is given; stock is reserved first come, first served, when a move is confirmed;
- names of documents, states and amounts are read-only through the public API, and so are settings and technical models;
- patterns ignore the case of ASCII letters only.
"""

from __future__ import annotations

from opsgym.envs.erp_bench.erp import (
    accounting,
    billing,
    mail,
    manufacturing,
    partners,
    products,
    purchases,
    sales,
    settings,
    stock,
)
from opsgym.envs.erp_bench.erp.data import base_data
from opsgym.envs.erp_bench.erp.engine import Erp
from opsgym.envs.erp_bench.erp.errors import ErpError
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.envs.erp_bench.erp.schema import ddl

__all__ = ["DDL", "Erp", "ErpError", "accounting", "billing", "mail", "manufacturing", "partners", "products", "purchases",
           "sales", "settings", "stock"]  # fmt: skip

DDL: str = ddl(MODELS.values()) + "\n" + base_data()
"""Schema and base records, for :class:`~opsgym.core.world.World`."""
