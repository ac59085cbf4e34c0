"""DistractorTools: tools that are on offer and of no use."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from opsgym.core.errors import TaskError
from opsgym.core.spaces import ToolCallText
from opsgym.core.task import ToolCall
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.middleware import Proceed, Reply
from opsgym.wrappers.base import Step, ToolWrapper
from opsgym.wrappers.distractors import FORBIDDEN, UNRELATED, retired, sandboxed

__all__ = ["DistractorTools"]


class DistractorTools(ToolWrapper):
    """Offers tools that no task needs, so that choosing a tool becomes part of the task.

    - ``unrelated``: other office services; a call succeeds, with a canned answer.
    - ``near_duplicate``: ``<tool>_sandbox`` takes the arguments of a real tool; a call succeeds and changes nothing.
    - ``deprecated``: ``<tool>_v1`` takes them too; a call is refused with ``unsupported``, and names the real tool.
    - ``forbidden``: tools of administrators, marked as such; a call is refused with ``not_allowed``.

    No call of a distractor changes the world.  At the end ``info["distractors"]`` counts the calls by kind and by tool.
    Which tools are taken, and where they stand in the list, follows from ``seed`` alone: one offer for all episodes.

    Args:
        env: A ToolEnv, wrapped or not.
        unrelated: Number of unrelated tools, at most 8.
        near_duplicate: Number of near-duplicates, at most the number of tools that do not end the episode.
        deprecated: Number of retired versions; likewise.
        forbidden: Number of forbidden tools, at most 6.
        seed: Seed of the choice.

    Raises:
        TaskError: There are not so many.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = DistractorTools(gym.make("ERPBench-v0", tier="easy", cache=None), unrelated=8, forbidden=6)
        >>> brief, info = env.reset(seed=7)
        >>> "get_weather" in [schema["function"]["name"] for schema in info["tools"]]
        True
        >>> info = env.step('{"name": "run_sql", "arguments": {"query": "SELECT 1"}}')[4]
        >>> env.step('{"name": "submit"}')[4]["distractors"]
        {'kinds': {'forbidden': 1}, 'tools': {'run_sql': 1}}
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        unrelated: int = 3,
        near_duplicate: int = 0,
        deprecated: int = 0,
        forbidden: int = 0,
        seed: int = 0,
    ) -> None:
        self._counts = {
            "unrelated": unrelated,
            "near_duplicate": near_duplicate,
            "deprecated": deprecated,
            "forbidden": forbidden,
        }
        self._seed = seed
        self._kinds: dict[str, str] = {}
        self._made: tuple[Toolbox, Toolbox] | None = None
        self._used: Counter[str] = Counter()
        super().__init__(env, **self._counts, seed=seed)
        if any(self._counts.values()):
            self.action_space = ToolCallText(self.base.tools, max_length=self.base.max_action_chars)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._used = Counter()
        return observation, info

    def step(self, action: Any) -> Step:
        """As inside; at the end the info counts the calls of distractors."""
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            kinds: Counter[str] = Counter()
            for name, count in self._used.items():
                kinds[self._kinds[name]] += count
            info["distractors"] = {"kinds": dict(sorted(kinds.items())), "tools": dict(sorted(self._used.items()))}
        return observation, reward, terminated, truncated, info

    def extend(self, toolbox: Toolbox) -> Toolbox:
        """The tools, and the distractors among them."""
        if self._made is None or self._made[0] is not toolbox:
            self._made = toolbox, self._mixed(toolbox)
        return self._made[1]

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Count a call of a distractor."""
        if call.name in self._kinds:
            self._used[call.name] += 1
        return proceed(call)

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return dict(self._used)

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._used = Counter(state)

    def _mixed(self, toolbox: Toolbox) -> Toolbox:
        rng = random.Random(self._seed)
        real = [each for each in toolbox.values() if not each.terminal]
        pools: dict[str, Sequence[Tool]] = {
            "unrelated": UNRELATED,
            "near_duplicate": [sandboxed(each) for each in real],
            "deprecated": [retired(each) for each in real],
            "forbidden": FORBIDDEN,
        }
        offered = list(toolbox.values())
        self._kinds = {}
        for kind, pool in pools.items():
            count, free = self._counts[kind], [each for each in pool if each.name not in toolbox]
            if not 0 <= count <= len(free):
                raise TaskError(f"expected a number from 0 to {len(free)}, got {count!r}", field=kind)
            for each in rng.sample(free, count):
                self._kinds[each.name] = kind
                offered.insert(rng.randint(0, len(offered)), each)
        return Toolbox(offered) if self._kinds else toolbox
