"""BudgetedModel: a limit on money and tokens, over all that share it."""

from __future__ import annotations

from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest, Usage
from opsgym.core.errors import ModelError, TaskError

__all__ = ["BudgetedModel"]


class BudgetedModel:
    """Refuses further requests once a limit is reached.

    What a reply costs is known only when it is there: requests under way when the limit is reached are carried out and counted,
    so that spending passes it by at most their replies.  Replayed replies cost nothing and count for no limit.

    Args:
        model: The model; it is closed with this.
        dollars: Most money to spend; a model without a known price is then refused after its first reply.
        tokens: Most tokens to read and write.

    Attributes:
        usage: What was used so far.

    Raises:
        TaskError: A limit is negative.
    """

    def __init__(self, model: ChatModel, *, dollars: float | None = None, tokens: int | None = None) -> None:
        for field, limit in (("dollars", dollars), ("tokens", tokens)):
            if limit is not None and not limit >= 0:
                raise TaskError(f"expected a limit of at least 0, got {limit!r}", field=field)
        self._model, self._dollars, self._tokens = model, dollars, tokens
        self._counted = 0
        self.usage = Usage()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    @property
    def identity(self) -> str:
        """As the model's; see :class:`~opsgym.baselines.models.RequestCache`."""
        return str(getattr(self._model, "identity", self._model.name))

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request.

        Raises:
            ModelError: ``budget``: a limit is reached; or whatever the model raises.
        """
        self._check()
        reply = await self._model.complete(request)
        self.usage += reply.usage
        if not reply.usage.replayed:
            self._counted += reply.usage.prompt_tokens + reply.usage.completion_tokens
        return reply

    async def aclose(self) -> None:
        """Close the model."""
        await self._model.aclose()

    def _check(self) -> None:
        if self._tokens is not None and self._counted >= self._tokens:
            raise ModelError("budget", f"the limit of {self._tokens} tokens is reached: {self._counted} were used")
        if self._dollars is None:
            return
        if self.usage.unpriced:
            raise ModelError("budget", f"a limit of money needs a price, and none is known for {self.name!r}: give a price file")
        if self.usage.cost >= self._dollars:
            raise ModelError("budget", f"the limit of ${self._dollars:g} is reached: ${self.usage.cost:.4f} were spent")
