"""Settings and technical records: company, users, parameters, sequences, external ids."""

from __future__ import annotations

from typing import Any

from opsgym.envs.erp_bench.erp.errors import bad_value
from opsgym.envs.erp_bench.erp.fields import Boolean, Char, Float, Integer, Many2one, Text
from opsgym.envs.erp_bench.erp.model import READ_ONLY, Model, public


class Currency(Model):
    """Currencies."""

    _name = "res.currency"
    _description = "Currency"
    _access = READ_ONLY

    name = Char("Currency", required=True)
    symbol = Char()
    rounding = Float("Rounding Factor", default=0.01)
    active = Boolean(default=True)


class Company(Model):
    """The company that the ERP belongs to; there is one."""

    _name = "res.company"
    _description = "Company"
    _access = READ_ONLY

    name = Char("Company Name", required=True)
    partner_id = Many2one("res.partner")
    currency_id = Many2one("res.currency")
    account_sale_tax_id = Many2one("account.tax", "Default Sale Tax")
    account_purchase_tax_id = Many2one("account.tax", "Default Purchase Tax")


class User(Model):
    """Users; the agent is user 2."""

    _name = "res.users"
    _description = "User"
    _access = READ_ONLY

    name = Char(required=True)
    login = Char(required=True)
    partner_id = Many2one("res.partner", "Related Partner")
    company_id = Many2one("res.company")
    active = Boolean(default=True)

    @public(on="model", mutates=False)
    def context_get(self) -> dict[str, Any]:
        """Language, time zone and id of the calling user."""
        return {"lang": "en_US", "tz": False, "uid": 2}


class ConfigParameter(Model):
    """System parameters."""

    _name = "ir.config_parameter"
    _description = "System Parameter"
    _rec_name = "key"
    _order = "key"
    _access = READ_ONLY
    _names_search = ("key",)
    _sql_constraints = ("UNIQUE (key)",)

    key = Char(required=True)
    value = Text(required=True)

    @public(on="model", mutates=False)
    def get_param(self, key: Any, default: Any = False) -> Any:
        """Value of a parameter, or ``default``."""
        if not isinstance(key, str):
            raise bad_value(f"Wrong value for key: {key!r}; expected text")
        found = self.rows("SELECT value FROM ir_config_parameter WHERE key = ?", key.encode("utf-8", "replace").decode())
        return found[0][0] if found else default


class IrSequence(Model):
    """Numbering of documents."""

    _name = "ir.sequence"
    _description = "Sequence"
    _access = READ_ONLY
    _sql_constraints = ("UNIQUE (code)",)

    name = Char(required=True)
    code = Char("Sequence Code", required=True)
    prefix = Char()
    padding = Integer("Sequence Size", default=5)
    number_next = Integer("Next Number", default=1)

    def take(self, code: str) -> str:
        """The next name of a sequence; given back when the running call fails."""
        prefix, padding, number = self.rows("SELECT prefix, padding, number_next FROM ir_sequence WHERE code = ?", code)[0]
        self.alter("ir_sequence", "UPDATE ir_sequence SET number_next = number_next + 1 WHERE code = ?", code)
        return f"{prefix}{number:0{padding}d}"


class IrModel(Model):
    """The models of this ERP."""

    _name = "ir.model"
    _description = "Models"
    _order = "model"
    _access = READ_ONLY
    _names_search = ("name", "model")

    name = Char("Model Description", required=True)
    model = Char(required=True)


class ModelData(Model):
    """External ids of base records."""

    _name = "ir.model.data"
    _description = "Model Data"
    _order = "module, name"
    _access = READ_ONLY

    module = Char(required=True)
    name = Char("External Identifier", required=True)
    complete_name = Char("Complete ID", readonly=True, sql="({t}.module || '.' || {t}.name)")
    model = Char("Model Name", required=True)
    res_id = Integer("Record ID")
