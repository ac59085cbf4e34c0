"""MockServer: both APIs on a local port, with replies and faults at will, for tests and examples."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from opsgym.baselines.chat import ChatReply, ChatRequest, Usage
from opsgym.baselines.models import anthropic_wire, openai_wire
from opsgym.baselines.models.scripted import Line, as_reply
from opsgym.core.errors import RegistryError
from opsgym.core.task import JsonDict

__all__ = ["FAULTS", "Fault", "MockServer", "Received"]


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with one answer.

    Attributes:
        kind: ``status`` (an error answer), ``slow`` (the answer comes late), ``cut_off`` (half a body), ``reset`` (the
            connection is torn down), ``malformed`` (half a JSON text, as a whole body), ``wrong_type`` (a page of HTML),
            ``empty`` (JSON without a reply), ``echo`` (an error answer that repeats the request's path and keys).
        status: Status of ``status`` and ``echo``.
        retry_after: The Retry-After header, as it is sent.
        seconds: How late a ``slow`` answer is.
        message: What an error answer says.
    """

    kind: Literal["status", "slow", "cut_off", "reset", "malformed", "wrong_type", "empty", "echo"]
    status: int = 500
    retry_after: str | None = None
    seconds: float = 60.0
    message: str = "the mock was told to fail"


FAULTS = MappingProxyType(
    {
        "rate_limited": Fault("status", 429, retry_after="2"),
        "error": Fault("status", 500),
        "unavailable": Fault("status", 503),
        "overloaded": Fault("status", 529),
        "slow": Fault("slow"),
        "cut_off": Fault("cut_off"),
        "reset": Fault("reset"),
        "malformed": Fault("malformed"),
        "wrong_type": Fault("wrong_type"),
        "empty": Fault("empty"),
    }
)
"""Faults by name that may pass: each is worth another attempt."""

KEY_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "api-key", "cookie")

FaultLike = Fault | str | None


@dataclass(frozen=True)
class Received:
    """A request that came in.

    Attributes:
        api: Which API it was for, or ``"unknown"``.
        path: Its path, without the query.
        headers: Its headers, in lower case; the values of those that hold keys are ``***``.
        body: Its body as JSON; ``None`` where it is none.
        fault: The fault that it got.
    """

    api: Literal["openai", "anthropic", "unknown"]
    path: str
    headers: dict[str, str]
    body: Any
    fault: Fault | None


class MockServer:
    """Serves ``/v1/chat/completions`` and ``/v1/messages`` on 127.0.0.1, while it is entered as a context.

    Args:
        answer: A function of the request that gives the reply, or a script: see
            :class:`~opsgym.baselines.models.ScriptedModel`.  An exception becomes an answer with status 400.
        faults: What goes wrong with the first requests, in order of arrival (``None``: nothing), by name from ``FAULTS`` or
            spelt out; or a function of the request's number, from 0.  A request with a fault gets no reply from the script.
        usage: Tokens of each reply; by default a quarter of its characters.

    Attributes:
        received: The requests so far, without the values of keys.

    Raises:
        RegistryError: Unknown fault.

    Example:
        >>> import asyncio
        >>> from opsgym.baselines.chat import Message
        >>> from opsgym.baselines.models import OpenAIModel
        >>> async def ask(url):
        ...     model = OpenAIModel("any", base_url=url)
        ...     reply = await model.complete(ChatRequest(messages=(Message(role="user", content="hello"),)))
        ...     await model.aclose()
        ...     return reply.message.content
        >>> with MockServer(lambda request: request.messages[-1].content.upper()) as server:
        ...     asyncio.run(ask(server.openai_url))
        'HELLO'
    """

    def __init__(
        self,
        answer: Sequence[Line] | Callable[[ChatRequest], Line] = ("ok",),
        *,
        faults: Sequence[FaultLike] | Callable[[int], FaultLike] = (),
        usage: Usage | None = None,
    ) -> None:
        self._answer: Sequence[Line] | Callable[[ChatRequest], Line] = answer if callable(answer) else list(answer)
        self._faults = faults if callable(faults) else [_fault(fault) for fault in faults]
        self._usage = usage
        self._lock = threading.Lock()
        self._answered = 0
        self.closing = threading.Event()
        self.received: list[Received] = []
        self._http: _Server | None = None

    def __enter__(self) -> Self:
        self._http = _Server(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._http is not None
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Address of the server, which is the base URL of the Anthropic API."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def anthropic_url(self) -> str:
        """Base URL for :class:`~opsgym.baselines.models.AnthropicModel`."""
        return self.url

    @property
    def openai_url(self) -> str:
        """Base URL for :class:`~opsgym.baselines.models.OpenAIModel`."""
        return f"{self.url}/v1"

    def receive(self, path: str, headers: dict[str, str], body: Any) -> Received:
        """Write down a request and choose its fault."""
        api: dict[str, Literal["openai", "anthropic"]] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
        path = urlsplit(path).path
        with self._lock:
            number = len(self.received)
            if callable(self._faults):
                fault = _fault(self._faults(number))
            else:
                fault = self._faults[number] if number < len(self._faults) else None
            received = Received(api.get(path, "unknown"), path, headers, body, fault)
            self.received.append(received)
        return received

    def reply(self, request: ChatRequest) -> tuple[ChatReply, int]:
        """The reply to a request, and its number."""
        with self._lock:
            number, self._answered = self._answered, self._answered + 1
        if callable(self._answer):
            line: Line = self._answer
        elif number < len(self._answer):
            line = self._answer[number]
        else:
            raise LookupError(f"the script of {len(self._answer)} replies is used up")
        reply = as_reply(line, request, name="mock", usage=self._usage or Usage(), number=number)
        if reply.usage == Usage():
            reply = reply.model_copy(update={"usage": _estimate(request, reply)})
        return reply, number


def _fault(fault: FaultLike) -> Fault | None:
    if isinstance(fault, str):
        if fault not in FAULTS:
            raise RegistryError("fault", fault, FAULTS)
        return FAULTS[fault]
    return fault


def _estimate(request: ChatRequest, reply: ChatReply) -> Usage:
    read = sum(len(message.content) for message in request.messages)
    written = len(reply.message.content) + sum(len(call.arguments) for call in reply.message.calls)
    return Usage(prompt_tokens=-(-read // 4), completion_tokens=-(-written // 4))


class _Server(ThreadingHTTPServer):
    def __init__(self, mock: MockServer) -> None:
        self.mock = mock
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; everything else is answered before it gets here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # header and body leave in one piece
    server: _Server

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        mock = self.server.mock
        received = mock.receive(self.path, _without_keys(self.headers.items()), _json(content))
        fault = received.fault
        if fault is not None and fault.kind == "slow":
            self.close_connection = mock.closing.wait(fault.seconds)
            fault = None
        if fault is not None and fault.kind == "reset":
            self._reset()
        elif fault is not None and fault.kind in ("status", "echo"):
            self._refuse(fault, received)
        elif received.api == "unknown":
            self._send(404, _error(f"no such path: {received.path}"))
        else:
            self._answer(received.api, content, fault)

    def _answer(self, api: Literal["openai", "anthropic"], content: bytes, fault: Fault | None) -> None:
        wire: Any = openai_wire if api == "openai" else anthropic_wire
        if fault is not None and fault.kind == "wrong_type":
            return self._send(200, b"<html><body>Welcome to the gateway</body></html>", kind="text/html")
        if fault is not None and fault.kind == "empty":
            return self._send(200, b'{"id": "none", "object": "chat.completion", "choices": []}')
        try:
            # A broken answer holds a reply that nobody should read, and takes none from the script.
            reply, number = (_UNREAD, 0) if fault else self.server.mock.reply(wire.decode_request(content))
        except Exception as error:
            return self._send(400, _error(f"{type(error).__name__}: {error}"))
        body = json.dumps(wire.encode_reply(reply, number)).encode()
        if fault is None:
            return self._send(200, body)
        half = body[: len(body) // 2]
        return self._send(200, half, length=len(body) if fault.kind == "cut_off" else None)

    def _refuse(self, fault: Fault, received: Received) -> None:
        text = fault.message
        if fault.kind == "echo":
            keys = {name: value for name, value in self.headers.items() if name.lower() in KEY_HEADERS}
            text += f": {self.path} {keys}"
        self._send(fault.status, _error(text), {"Retry-After": fault.retry_after} if fault.retry_after is not None else {})

    def _send(
        self,
        status: int,
        body: bytes,
        headers: JsonDict | None = None,
        *,
        kind: str = "application/json",
        length: int | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": length or len(body), **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = self.close_connection or length is not None

    def _reset(self) -> None:
        """Close the socket so that the system answers with a reset rather than an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


_UNREAD = ChatReply(message=as_reply("unread", ChatRequest(messages=()), name="mock", usage=Usage(), number=0).message)


def _without_keys(headers: Any) -> dict[str, str]:
    return {name.lower(): "***" if name.lower() in KEY_HEADERS else value for name, value in headers}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _error(message: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": "mock", "message": message}}).encode()
