"""Models: clients of language-model servers, and what stands around and in for them.

:func:`make_model` makes one from a name such as ``openai:gpt-5-mini``.  :class:`OpenAIModel` speaks chat completions to any
server that knows them, :class:`AnthropicModel` Anthropic's messages.  :class:`RequestCache` keeps replies for resumption,
:class:`BudgetedModel` stops at a limit, :class:`ScriptedModel` and :class:`MockServer` stand in for a model in tests.

Everything is imported when it is first named, so that a scripted model needs no HTTP library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsgym.baselines.models.anthropic import AnthropicModel
    from opsgym.baselines.models.budget import BudgetedModel
    from opsgym.baselines.models.factory import make_model
    from opsgym.baselines.models.http import Retries, Timeouts
    from opsgym.baselines.models.mock_server import FAULTS, Fault, MockServer
    from opsgym.baselines.models.openai import OpenAIModel
    from opsgym.baselines.models.prices import Price, PriceList
    from opsgym.baselines.models.request_cache import RequestCache
    from opsgym.baselines.models.scripted import ScriptedModel

__all__ = [
    "FAULTS",
    "AnthropicModel",
    "BudgetedModel",
    "Fault",
    "MockServer",
    "OpenAIModel",
    "Price",
    "PriceList",
    "RequestCache",
    "Retries",
    "ScriptedModel",
    "Timeouts",
    "make_model",
]

_MODULES = {
    "FAULTS": "mock_server",
    "AnthropicModel": "anthropic",
    "BudgetedModel": "budget",
    "Fault": "mock_server",
    "MockServer": "mock_server",
    "OpenAIModel": "openai",
    "Price": "prices",
    "PriceList": "prices",
    "RequestCache": "request_cache",
    "Retries": "http",
    "ScriptedModel": "scripted",
    "Timeouts": "http",
    "make_model": "factory",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
