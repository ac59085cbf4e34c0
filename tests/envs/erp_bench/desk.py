"""A seeded world with its tools at hand, for tests: calls are made as an environment makes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import ToolResult
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.export import export_state
from opsgym.envs.erp_bench.spec import Scenario
from opsgym.envs.erp_bench.state import Change, ErpState
from opsgym.envs.erp_bench.tools import toolbox
from opsgym.envs.erp_bench.world import open_world


class Desk:
    """A clerk's desk over a fresh world of a scenario."""

    def __init__(self, scenario: Scenario, harness: str = "tools") -> None:
        self.scenario = scenario
        self.before = open_world(scenario)
        self.world = self.before.fork()
        self.erp = Erp(self.world)
        self.tools = toolbox(harness)

    def try_call(self, tool_name: str, /, **arguments: Any) -> ToolResult:
        """Make a call; a refusal is a result too."""
        tool = self.tools.find(tool_name)
        try:
            checked = tool.validate(arguments)
            with self.world.savepoint():
                return ToolResult(tool.name, tool.function(self.erp, **checked))
        except ToolError as error:
            return ToolResult(tool_name, error=error)

    def call(self, tool_name: str, /, **arguments: Any) -> Any:
        """Make a call that must be carried out; its JSON must be well-formed."""
        result = self.try_call(tool_name, **arguments)
        assert result.ok, f"{tool_name}({arguments}): {result.error and result.error.as_dict()}"
        assert result.to_json()
        return result.value

    def refused(self, tool_name: str, /, **arguments: Any) -> ToolError:
        """Make a call that must be refused and leave no trace; gives the refusal."""
        before = self.world.digest()
        result = self.try_call(tool_name, **arguments)
        assert result.error is not None, f"{tool_name}({arguments}) gave {result.value}"
        assert self.world.digest() == before
        return result.error

    def play(self, calls: Iterable[ToolCall]) -> None:
        """Make calls that must all be carried out."""
        for call in calls:
            self.call(call.name, **call.arguments)

    def everything(self, tool_name: str, /, **arguments: Any) -> list[Any]:
        """All items of a paged list."""
        items: list[Any] = []
        more = True
        while more:
            found = self.call(tool_name, offset=len(items), **arguments)
            items += found["items"]
            more = found["more"]
        assert len(items) == found["total"]
        return items

    def export(self) -> ErpState:
        """The state as the verifier sees it."""
        return export_state(self.before, self.world)

    def changes(self) -> tuple[Change, ...]:
        """What was changed besides documents."""
        return self.export().master_changes
