"""CodingDesk: the working folder of an episode, from which commands reach its ERP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from opsgym.core.errors import BackendError
from opsgym.core.world import World
from opsgym.sandbox.desk import Desk
from opsgym.sandbox.limits import MIB, Limits
from opsgym.sandbox.sandbox import PORT, Completed

DATABASE = "bench"
"""Name of the database, as the agent's programs give it."""

KEY = "coding-harness-of-this-episode"
"""The agent's key; no secret, since nothing but the episode's own sandbox can reach the server."""

URL = f"http://127.0.0.1:{PORT}"
"""Where programs in the sandbox reach the ERP."""

LIMITS = Limits(wall=120, cpu=120, memory=1024 * MIB, disk=32 * MIB)
"""What one command may take."""


@dataclass(slots=True)
class CodingDesk(Desk):
    """A desk whose commands reach the ERP at :data:`URL`, and nothing else.

    Attributes:
        erp: The ERP's records.
    """

    limits: Limits = LIMITS
    erp: World = field(kw_only=True)

    def run(self, command: Sequence[str], limits: Limits) -> tuple[Completed, list[str]]:
        """See :meth:`Desk.run <opsgym.sandbox.desk.Desk.run>`; the server is there while the command runs.

        Raises:
            BackendError: The sandbox broke, or the extra ``serve`` is not installed.
        """
        try:
            from opsgym.serve.episode import serve_world
        except ImportError as error:
            raise BackendError(f"the coding harness needs the extra serve: pip install 'opsgym[serve]' ({error})") from error
        with serve_world(self.erp, database=DATABASE, key=KEY) as path:
            self.socket = path
            try:
                return Desk.run(self, command, limits)
            finally:
                self.socket = None
