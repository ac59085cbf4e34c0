"""What a server says of its API: the pages that Odoo's module ``api_doc`` serves."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from opsgym.envs.erp_bench.erp.model import Model
from opsgym.envs.erp_bench.erp.orm import Method
from opsgym.envs.erp_bench.erp.registry import MODELS


@cache
def index_page() -> dict[str, Any]:
    """Every model with the names of its fields and methods."""
    return {"models": [_listed(name) for name in MODELS]}


@cache
def model_page(name: str) -> dict[str, Any]:
    """Fields and methods of a model; clients take the names of positional arguments from here."""
    model = MODELS[name]
    assert issubclass(model, Model)
    fields = {field.name: {"name": field.name, "type": field.type, "string": field.string} for field in model.fields.values()}
    methods = {method: _described(found) for method, found in model.methods.items()}
    return {"model": name, "name": model._description, "doc": inspect.getdoc(model) or "", "fields": fields, "methods": methods}


def _listed(name: str) -> dict[str, Any]:
    model = MODELS[name]
    return {"model": name, "name": model._description, "fields": list(model.fields), "methods": list(model.methods)}


def _described(method: Method) -> dict[str, Any]:
    kinds = [] if method.on_records else ["model"]
    kinds += [] if method.mutates else ["readonly"]
    parameters = {
        name: {} if parameter.default is parameter.empty else {"default": parameter.default}
        for name, parameter in method.signature.parameters.items()
    }
    signature = str(inspect.Signature([p.replace(annotation=p.empty) for p in method.signature.parameters.values()]))
    return {"signature": signature, "parameters": parameters, "api": kinds, "doc": inspect.getdoc(method.function) or ""}
