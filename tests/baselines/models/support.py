"""What the tests of models share: requests, and clients that do not really wait."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest, Message, ModelCall
from opsgym.baselines.models import MockServer, make_model

APIS = ("openai", "anthropic")
LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at something.",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}


def ask(text: str = "hello", **fields: Any) -> ChatRequest:
    """A request with one message."""
    return ChatRequest(messages=(Message(role="user", content=text),), **fields)


def talk() -> ChatRequest:
    """A conversation with everything in it."""
    calls = tuple(ModelCall(id=f"c{n}", name="look", arguments=f'{{"name": "box {n}"}}') for n in (1, 2))
    return ChatRequest(
        messages=(
            Message(role="system", content="Be brief."),
            Message(role="user", content="Which box is the red one? Näher, 箱"),
            Message(role="assistant", content="I look.", calls=calls),
            Message(role="tool", content="blue", call_id="c1"),
            Message(role="tool", content="red", call_id="c2"),
            Message(role="user", content="And?"),
        ),
        tools=(LOOK,),
        tool_choice="required",
        max_tokens=77,
        temperature=0.5,
        stop=("END",),
    )


class Nap:
    """Sleeps no time and writes down how long it should have."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


class Highest(random.Random):
    """A source of jitter that always draws the upper end, so that waits can be told."""

    def uniform(self, a: float, b: float) -> float:
        return b


def client(api: str, server: MockServer, **options: Any) -> Any:
    """A client of the mock that does not really wait."""
    url = server.openai_url if api == "openai" else server.anthropic_url
    return make_model(f"{api}:some-model", base_url=url, **{"sleep": Nap(), "rng": random.Random(0), **options})


def run(model: ChatModel, *requests: ChatRequest) -> list[ChatReply]:
    """The replies to some requests, one after another, in an event loop of their own."""

    async def each() -> list[ChatReply]:
        try:
            return [await model.complete(request) for request in requests]
        finally:
            await model.aclose()

    return asyncio.run(each())


def together(model: ChatModel, job: Callable[[], Awaitable[Any]]) -> Any:
    """What a job gives, in an event loop of its own, after which the model is closed."""

    async def all_of_it() -> Any:
        try:
            return await job()
        finally:
            await model.aclose()

    return asyncio.run(all_of_it())
