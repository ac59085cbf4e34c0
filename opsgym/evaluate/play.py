"""Play: a person solves a task, with short commands instead of JSON."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.tool_env import ToolEnv

HELP = """Call a tool:   tool name=value name=value ...   (values are JSON or plain text), or paste a JSON call.
help           the tools, one line each
help TOOL      a tool and its arguments
brief          the task again
undo           take back the last step
quit           leave without submitting"""


class Player:
    """A session at the terminal, or with commands from a file.

    Args:
        env: The environment.
        read: Gives the next line, or raises ``EOFError``; by default standard input with tool completion.
        write: Shows a text.
    """

    def __init__(self, env: ToolEnv, *, read: Callable[[], str] | None = None, write: Callable[[str], None] = print) -> None:
        self._env = env
        self._read = read or (lambda: input("> " if sys.stdin.isatty() else ""))
        self._write = write

    def run(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> bool:
        """Play one episode and say whether the task was solved.

        Args:
            seed: Seed of the reset.
            options: Reset options.
        """
        brief, _ = self._env.reset(seed=seed, options=dict(options or {}))
        self._states = [self._env.snapshot()]
        self._write(f"{brief}\n{HELP}\n")
        with completion(self._env.tools):
            while True:
                try:
                    line = self._read().strip()
                except EOFError:
                    line = "quit"
                if line == "quit":
                    self._write("left without submitting; as it stands: " + self._summary(self._env.verdict().as_dict()))
                    return False
                if line and self._answer(line, brief):
                    return self._env.verdict().is_success

    def _answer(self, line: str, brief: str) -> bool:
        """Carry out one line; whether the episode has ended."""
        word, _, rest = line.partition(" ")
        if word in ("help", "brief", "undo"):
            self._write({"help": self._help, "brief": lambda _: brief, "undo": self._undo}[word](rest.strip()))
            return False
        try:
            action = parse_command(line, self._env.tools)
        except ToolError as error:
            self._write(f"{error}  {error.hint}".rstrip())
            return False
        observation, _, terminated, truncated, info = self._env.step(action)
        self._states.append(self._env.snapshot())
        self._write(_indented(observation))
        if terminated or truncated:
            self._write(self._summary(info.get("verdict", {})))
        return terminated or truncated

    def _help(self, name: str) -> str:
        tools = self._env.tools
        if not name:
            return HELP + "\n\n" + "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
        if name not in tools:
            return f"there is no tool {name!r}"
        arguments = [f"  {key}: {schema.get('description', '')}" for key, schema in tools[name].parameters["properties"].items()]
        return "\n".join([f"{name}({tools[name].usage})", tools[name].description, *arguments])

    def _undo(self, _: str) -> str:
        if len(self._states) == 1:
            return "there is nothing to take back"
        self._states.pop()
        self._env.restore(self._states[-1])
        return "taken back"

    @staticmethod
    def _summary(verdict: Mapping[str, Any]) -> str:
        if not verdict:
            return "not graded"
        failed = [f"  {check['rule']}: {check['message']}" for check in verdict["checks"] if check["status"] == "fail"]
        solved = "solved" if verdict["is_success"] else "not solved"
        return "\n".join([f"reward {verdict['reward']:.4f}, {solved}, {len(failed)} checks failed", *failed])


def parse_command(line: str, tools: Toolbox) -> str | ToolCall:
    """A short command as a call; anything that does not begin with a tool's name is left as it is.

    Example:
        >>> from opsgym.core.tools import tool
        >>> @tool()
        ... def buy(session: object, vendor: str, units: int = 1) -> None:
        ...     '''Buy.'''
        >>> parse_command("buy vendor='ACME Ltd' units=3", Toolbox([buy]))
        ToolCall(name='buy', arguments={'vendor': 'ACME Ltd', 'units': 3})

    Raises:
        ToolError: The command cannot be read.
    """
    name = line.split(maxsplit=1)[0]
    if name not in tools:
        return line
    try:
        words = shlex.split(line)[1:]
    except ValueError as error:
        raise ToolError("malformed_call", f"the command cannot be read: {error}") from None
    arguments = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ToolError("malformed_call", f"expected name=value, got {word!r}", f"{name}: {tools[name].usage}")
        arguments[key] = _value(value, tools[name], key)
    return ToolCall(name=name, arguments=arguments)


def _value(text: str, tool: Tool, key: str) -> Any:
    """Text where the tool wants text, else JSON where it is some."""
    schema = tool.parameters["properties"].get(key, {})
    kinds = {option.get("type") for option in (schema, *schema.get("anyOf", ()))} - {None, "null"}
    if kinds == {"string"}:
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _indented(observation: str) -> str:
    """Observation lines as JSON that a person can read; a line that was cut stays as it is."""
    shown = []
    for line in observation.splitlines():
        try:
            shown.append(json.dumps(json.loads(line), indent=1, ensure_ascii=False))
        except json.JSONDecodeError:
            shown.append(line)
    return "\n".join(shown)


@contextmanager
def completion(tools: Toolbox) -> Iterator[None]:
    """Tab completes tools and their arguments, where readline is at hand."""
    try:
        import readline
    except ImportError:  # not on every platform; completion is a convenience
        yield
        return
    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(lambda text, state: complete(readline.get_line_buffer(), text, tools, state))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)


def complete(line: str, text: str, tools: Toolbox, state: int) -> str | None:
    """The ``state``-th way to complete ``text`` at the end of ``line``: a tool first, then its arguments."""
    head = line.split(" ", 1)[0] if " " in line.lstrip() else ""
    if head == "help" or not head:
        options = [name for name in (*tools, "help", "brief", "undo", "quit") if name.startswith(text)]
    else:
        known = tools[head].parameters["properties"] if head in tools else {}
        options = [f"{key}=" for key in known if key.startswith(text)]
    return options[state] if state < len(options) else None
