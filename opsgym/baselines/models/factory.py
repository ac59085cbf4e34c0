"""make_model: a model from its name."""

from __future__ import annotations

from typing import Any

from opsgym.baselines.chat import ChatModel
from opsgym.core.errors import OpsGymError, RegistryError, TaskError

__all__ = ["KINDS", "make_model"]

KINDS = ("anthropic", "openai", "scripted")
"""What may stand before the colon."""


def make_model(spec: str, *, base_url: str | None = None, key_env: str | None = None, **options: Any) -> ChatModel:
    """Make a model.

    Args:
        spec: ``openai:NAME`` for any OpenAI-compatible server, ``anthropic:NAME``, or ``scripted:FILE.jsonl``.
        base_url: Where it is served; by default the provider's own address.
        key_env: Environment variable that holds the key; by default ``OPENAI_API_KEY`` or ``ANTHROPIC_API_KEY``.
        **options: Further arguments of :class:`~opsgym.baselines.models.OpenAIModel` or
            :class:`~opsgym.baselines.models.AnthropicModel`, such as ``concurrency``, ``prices``, ``extra`` or ``structured``.

    Raises:
        RegistryError: Unknown kind of model.
        TaskError: There is no name, or an argument does not fit the kind.
        ModelError: ``unauthorized``: the key is absent.
        OpsGymError: The extra ``models`` is not installed.

    Example:
        >>> make_model("openai:smollm2", base_url="http://localhost:8000/v1", concurrency=2).name
        'smollm2'
    """
    kind, colon, name = spec.partition(":")
    if kind not in KINDS or not colon:
        raise RegistryError("model", spec, (f"{known}:NAME" for known in KINDS))
    if not name:
        raise TaskError(f"expected a name after the colon, got {spec!r}", field="model")
    given = {key: value for key, value in {"base_url": base_url, "key_env": key_env, **options}.items() if value is not None}
    if kind == "scripted":
        return _scripted(name, given)
    try:
        return _served(kind, name, given)
    except ImportError as error:
        raise OpsGymError('models behind HTTP need tenacity: pip install "opsgym[models]"') from error
    except TypeError as error:  # an unknown argument, by Python's own check
        raise TaskError(str(error), field=spec) from error


def _served(kind: str, name: str, options: dict[str, Any]) -> ChatModel:
    if kind == "openai":
        from opsgym.baselines.models.openai import OpenAIModel

        return OpenAIModel(name, **options)
    from opsgym.baselines.models.anthropic import AnthropicModel

    return AnthropicModel(name, **options)


def _scripted(path: str, options: dict[str, Any]) -> ChatModel:
    if options:
        raise TaskError(f"expected no options for a script, got {', '.join(sorted(options))}", field="model")
    from opsgym.baselines.models.scripted import ScriptedModel

    return ScriptedModel.from_file(path)
