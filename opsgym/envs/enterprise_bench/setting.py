"""Setting: where a task plays, by reference to a generated company; and who asks."""

from __future__ import annotations

from opsgym.core.errors import TaskError
from opsgym.core.task import Frozen
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.access import Preset
from opsgym.envs.enterprise_bench.company import Size
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.system import base, sign_in


class Setting(Frozen):
    """Where a task plays.

    Attributes:
        seed: Seed of the company.
        size: Its size.
        base: Digest of its world; a task of another generator's world is refused.
        access: Name of the rules of access.
        emp_id: The employee who asks.
        name: The employee's name.
        title: Department and level.
    """

    seed: int
    size: Size
    base: str
    access: Preset
    emp_id: str
    name: str
    title: str

    def open(self) -> World:
        """A fresh world.

        Raises:
            TaskError: The base world is another one.
        """
        found = base(self.seed, self.size)
        if found.digest != self.base:
            raise TaskError(f"expected the base world {self.base}, this version makes {found.digest}", field="world.base")
        return World.from_snapshot(found.snapshot)

    def sign_in(self, world: World) -> Desk:
        """What the tools act on, with the rights of who asks."""
        return sign_in(world, self.emp_id, self.access, base(self.seed, self.size).retriever)
