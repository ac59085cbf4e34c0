"""ChatAgent: what the agents that ask a language model have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from opsgym.baselines.agents.conversation import Conversation
from opsgym.baselines.agents.move import Move, read_move, results_of, with_own_ids
from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest, Message, Usage
from opsgym.baselines.prompt import Prompt, load_prompt
from opsgym.baselines.scripted import finishing_call
from opsgym.core.actions import MalformedAction
from opsgym.core.errors import TaskError
from opsgym.core.task import JsonDict, ToolCall, canonical_json
from opsgym.envs.tool_env import ToolEnv

__all__ = ["ChatAgent"]


@dataclass(eq=False)
class ChatAgent(ABC):
    """An agent that asks a language model in every turn; see the subclasses.

    The requests of an episode follow from the task, the options and the replies alone.

    Args:
        model: The model.
        seed: Sampling seed of the requests, for servers that know one.
        max_turns: Turns of the episode in which the model is asked; then the agent ends the episode as it stands.
        retries: How often in one turn a reply without a readable call is answered with what is wrong with it and asked for
            again, at no cost of a turn; after that the environment gets it.
        max_context_chars: Most characters of a request, tools included; see
            :class:`~opsgym.baselines.agents.conversation.Conversation`.
        self_check: Whether the model is told, once, to check its work against the brief when it first wants to end the
            episode.
        max_tokens: Most tokens of a reply.
        temperature: Sampling temperature; ``None`` leaves it to the server.

    Attributes:
        usage: Tokens and cost of the running episode.

    Raises:
        TaskError: A number is out of range; at the start of an episode: the brief does not fit into ``max_context_chars``.
    """

    model: ChatModel
    _: KW_ONLY
    seed: int = 0
    max_turns: int = 200
    retries: int = 2
    max_context_chars: int = 200_000
    self_check: bool = False
    max_tokens: int = 2048
    temperature: float | None = 0.0
    usage: Usage = field(default_factory=Usage, init=False, repr=False)

    prompts: ClassVar[tuple[str, ...]] = ()
    """Names of the prompts that the agent uses, beside ``self_check`` and ``no_call``."""
    prefix: ClassVar[str] = ""
    """What stands before results that answer calls in text."""
    stop: ClassVar[tuple[str, ...]] = ()
    """Texts before which a reply ends."""

    def __post_init__(self) -> None:
        for name, least in (("max_turns", 1), ("retries", 0), ("max_tokens", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise TaskError(f"expected at least {least}, got {getattr(self, name)!r}", field=name)

    @classmethod
    def used_prompts(cls) -> tuple[Prompt, ...]:
        """The prompts that make up the agent, for results."""
        return tuple(load_prompt(name) for name in (*cls.prompts, "self_check", "no_call"))

    # -- episodes -----------------------------------------------------------------------------------------

    async def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        """Start an episode; see :meth:`AsyncPolicy.begin <opsgym.baselines.policy.AsyncPolicy.begin>`."""
        self.usage = Usage()
        self.env, self.tools, self.brief, self.info = env, env.tools, observation, info
        self._turns, self._checked = 0, not self.self_check
        self._move: Move | None = None
        await self.open()

    async def act(self, observation: str) -> Any:
        """Hear what came of the last move, and ask the model for the next."""
        if self._move is not None:
            await self.hear(self._move, results_of(observation, self._move.sent))
            self._move = None
        if self._turns >= self.max_turns or self.is_done():
            return finishing_call(self.tools)
        self._turns += 1
        self._move = await self._next_move()
        return self._move.action if self._move else finishing_call(self.tools)

    # -- what agents differ in ----------------------------------------------------------------------------

    @abstractmethod
    async def open(self) -> None:
        """Make ready for the episode: call :meth:`start_talk`."""

    def offer(self) -> tuple[JsonDict, ...]:
        """The tools that the model may call natively; none for agents that read and write text."""
        return ()

    def schema(self) -> JsonDict | None:
        """The JSON schema of the next reply, where it is to be enforced."""
        return None

    def objections(self, move: Move) -> Sequence[str] | None:
        """An answer to each call of a move that is to be asked for again: by default one of which not every call can be read."""
        if move.readable:
            return None
        return [_objection(call) for call in move.calls]

    def hold(self, move: Move) -> Move:
        """Hold back calls that the agent answers itself; by default the first that would end the episode, for the self-check."""
        place = self.place_of_end(move)
        if self._checked or place is None:
            return move
        self._checked = True
        return move.upto(place, load_prompt("self_check").fill(finish=self.finish))

    async def hear(self, move: Move, results: Sequence[str]) -> None:
        """Take up the results of a move."""
        answers = move.answers([*results, *move.held], self.prefix)
        self.talk.add(move.message, (*answers, *await self.remarks(move, results)))

    async def remarks(self, move: Move, results: Sequence[str]) -> Sequence[Message]:
        """What the agent says to the model beside the results."""
        return ()

    def is_done(self) -> bool:
        """Whether the agent wants to end the episode without asking the model again."""
        return False

    def messages(self) -> tuple[Message, ...]:
        """The messages of the next request."""
        return self.talk.messages

    @property
    def extra_chars(self) -> int:
        """Characters that requests hold beside the conversation."""
        return sum(len(canonical_json(schema)) for schema in self.offer())

    # -- tools for agents ---------------------------------------------------------------------------------

    @property
    def finish(self) -> str:
        """Name of the tool that ends the episode."""
        return finishing_call(self.tools).name

    @property
    def common(self) -> dict[str, str]:
        """Values for the places that most prompts have."""
        return {"policy": str(self.info.get("policy", "")), "finish": self.finish}

    def start_talk(self, system: str, brief: str) -> None:
        """Start a conversation with the model."""
        head = (Message(role="system", content=system), Message(role="user", content=brief))
        self.talk = Conversation(head, limit=self.max_context_chars, extra=self.extra_chars)

    def place_of_end(self, move: Move) -> int | None:
        """Which call of a move would end the episode."""
        return next((place for place, call in enumerate(move.calls) if self._ends(call)), None)

    async def ask(self, model: ChatModel, messages: Sequence[Message]) -> str:
        """Ask for a text, outside the conversation."""
        return (await self._complete(model, ChatRequest(messages=tuple(messages), **self._sampling))).message.content

    def _ends(self, call: ToolCall | MalformedAction) -> bool:
        return isinstance(call, ToolCall) and call.name in self.tools and self.tools[call.name].terminal

    # -- inside -------------------------------------------------------------------------------------------

    async def _next_move(self) -> Move | None:
        """Ask until there is a move for the environment; ``None`` when the agent itself wants to end the episode."""
        retries = 0
        while True:
            move = self._read(await self._reply())
            objections = self.objections(move)
            if objections is not None and retries >= self.retries:
                return move
            if objections is not None:
                retries += 1
                await self.hear(move.upto(0, *objections), ())
                continue
            move = self.hold(move)
            if move.sent:
                return move
            await self.hear(move, ())
            if self.is_done():
                return None

    def _read(self, message: Message) -> Move:
        return read_move(message, self.tools, max_calls=self.env.max_calls_per_step, max_chars=self.env.max_action_chars)

    async def _reply(self) -> Message:
        tools = self.offer()
        request = ChatRequest(
            messages=self.messages(), tools=tools, stop=self.stop, response_schema=self.schema(), **self._sampling
        )
        message = (await self._complete(self.model, request)).message
        return with_own_ids(self._stopped(message))

    def _stopped(self, message: Message) -> Message:
        """The message up to a stop text: not every server knows them, and what follows is made up."""
        for text in self.stop:
            if text in message.content:
                message = message.model_copy(update={"content": message.content.split(text)[0], "native": ()})
        return message

    async def _complete(self, model: ChatModel, request: ChatRequest) -> ChatReply:
        reply = await model.complete(request)
        self.usage = self.usage + reply.usage
        return reply

    @property
    def _sampling(self) -> dict[str, Any]:
        return {"max_tokens": self.max_tokens, "temperature": self.temperature, "seed": self.seed % 2**31}


def _objection(call: ToolCall | MalformedAction) -> str:
    if isinstance(call, ToolCall):
        return "Not carried out, because another call could not be read."
    return load_prompt("no_call").fill(problem=f"{call.message} {call.hint}")
