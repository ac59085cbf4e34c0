"""Play: a person solves a task, with short commands instead of JSON."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.tool_env import ToolEnv

HELP = """tool a=1 b="x y" c=[{"d": 2}]   call a tool; a JSON call works too
help                            the tools, one line each
help TOOL                       a tool and its arguments
brief                           the task again
undo                            take back the last step
quit                            leave without submitting"""


class Player:
    """A session at the terminal, or with commands from a file.

    Args:
        env: The environment.
        read: Gives the next line, or raises ``EOFError``; by default the terminal with tool completion, or standard input,
            whose lines are shown as they are read.
        write: Shows a text.
    """

    def __init__(self, env: ToolEnv, *, read: Callable[[], str] | None = None, write: Callable[[str], None] = print) -> None:
        self._env = env
        self._read = read or (_ask if sys.stdin.isatty() else self._next_line)
        self._write = write

    def run(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> bool:
        """Play one episode and say whether the task was solved.

        Args:
            seed: Seed of the reset.
            options: Reset options.
        """
        brief, _ = self._env.reset(seed=seed, options=dict(options or {}))
        self._states = [("", self._env.snapshot())]
        self._write(f"{brief}\n{HELP}\n")
        with completion(self._env.tools):
            while True:
                try:
                    line = self._read().strip()
                except (EOFError, KeyboardInterrupt):
                    self._write("")
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
            self._write(_told(error))
            return False
        observation, _, terminated, truncated, info = self._env.step(action)
        self._states.append((line, self._env.snapshot()))
        self._write(_readable(observation))
        if terminated or truncated:
            self._write(self._summary(info.get("verdict", {})))
        return terminated or truncated

    def _help(self, name: str) -> str:
        tools = self._env.tools
        if not name:
            return HELP + "\n\n" + "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())
        if name not in tools:
            return _told(_no_such_tool(name, tools))
        arguments = [f"  {key}: {schema.get('description', '')}" for key, schema in tools[name].parameters["properties"].items()]
        return "\n".join([f"{name}({tools[name].usage})", tools[name].description, *arguments])

    def _undo(self, _: str) -> str:
        if len(self._states) == 1:
            return "there is nothing to take back"
        line = self._states.pop()[0]
        self._env.restore(self._states[-1][1])
        return f"taken back: {line}"

    def _next_line(self) -> str:
        line = input()
        self._write(f"> {line}")
        return line

    @staticmethod
    def _summary(verdict: Mapping[str, Any]) -> str:
        if not verdict:
            return "not graded"
        failed = [f"  {check['rule']}: {check['message']}" for check in verdict["checks"] if check["status"] == "fail"]
        solved = "solved" if verdict["is_success"] else "not solved"
        return "\n".join([f"reward {verdict['reward']:.4f}, {solved}, {len(failed)} checks failed", *failed])


def parse_command(line: str, tools: Toolbox) -> str | ToolCall:
    """A short command as a call; what may be a call in another form is left as it is.

    Example:
        >>> from opsgym.core.tools import tool
        >>> @tool()
        ... def buy(session: object, vendor: str, units: int = 1) -> None:
        ...     '''Buy.'''
        >>> parse_command("buy vendor='ACME Ltd' units=3", Toolbox([buy]))
        ToolCall(name='buy', arguments={'vendor': 'ACME Ltd', 'units': 3})
        >>> parse_command('buy vendor=[{"name": "ACME Ltd"}]', Toolbox([buy])).arguments
        {'vendor': '[{"name": "ACME Ltd"}]'}

    Raises:
        ToolError: The command cannot be read, or there is no such tool.
    """
    name = line.split(maxsplit=1)[0]
    if name not in tools:
        if name.isidentifier() and "{" not in line:
            raise _no_such_tool(name, tools)
        return line
    try:
        words = shlex.split(_with_json_quoted(line))[1:]
    except ValueError as error:
        raise ToolError("malformed_call", f"the command cannot be read: {error}.") from None
    arguments = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ToolError("malformed_call", f"expected name=value, got {word!r}.", f"{name}: {tools[name].usage}")
        arguments[key] = _value(value, tools[name], key)
    return ToolCall(name=name, arguments=arguments)


def _with_json_quoted(line: str) -> str:
    """The line with quotes around lists and objects, so that their own quotes survive."""
    parts, end = [], 0
    for match in re.finditer(r"(?<=\s)\w+=(?=[\[{])", line):
        start = match.end()
        if match.start() < end or line.count('"', end, start) % 2:
            continue
        try:
            stop = json.JSONDecoder().raw_decode(line, start)[1]
        except json.JSONDecodeError:
            continue
        parts += [line[end:start], shlex.quote(line[start:stop])]
        end = stop
    return "".join([*parts, line[end:]])


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


def _told(error: ToolError) -> str:
    return f"{error} {error.hint}".rstrip()


def _no_such_tool(name: str, tools: Toolbox) -> ToolError:
    near = get_close_matches(name, tools, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Type help for the tools."
    return ToolError("unknown_tool", f"there is no tool {name!r}.", hint)


def _ask() -> str:
    return input("> ")


def _readable(observation: str) -> str:
    """Observation lines as JSON that a person can read; a line that was cut stays as it is."""
    shown = []
    for line in observation.splitlines():
        try:
            shown.append(_laid_out(json.loads(line)))
        except json.JSONDecodeError:
            shown.append(line)
    return "\n".join(shown)


def _laid_out(value: Any, margin: str = "") -> str:
    """JSON in which what holds no further list or object stands on one line."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(item, dict | list) and item for item in items):
        return json.dumps(value, ensure_ascii=False)
    inner = margin + "  "
    keys = [json.dumps(key, ensure_ascii=False) + ": " for key in value] if isinstance(value, dict) else [""] * len(items)
    lines = ",\n".join(f"{inner}{key}{_laid_out(item, inner)}" for key, item in zip(keys, items, strict=True))
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n{lines}\n{margin}{right}"


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
    readline.parse_and_bind("set show-all-if-ambiguous on")
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
