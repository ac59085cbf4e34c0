"""Container: the contract of a form that runs commands with a container engine; there is no engine here to run it with."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from opsgym.core.errors import BackendError
from opsgym.sandbox.limits import DEFAULT_LIMITS, Limits
from opsgym.sandbox.running import check_command
from opsgym.sandbox.sandbox import FOLDER, Completed, Files, Guarantees

ENGINES = ("podman", "docker")
"""Programs that are looked for, best first."""


class Container:
    """A form for machines with an engine; so far it says what would be run, and runs nothing.

    Args:
        image: Image with Python and the packages that commands need.
        engine: Program of the engine; by default the first of :data:`ENGINES` that is installed.
    """

    name = "container"

    def __init__(self, image: str = "opsgym-sandbox", *, engine: str | None = None) -> None:
        self.image = image
        self.engine = engine or next(filter(shutil.which, ENGINES), None)

    @property
    def guarantees(self) -> Guarantees:
        """Nothing: it was never run."""
        return Guarantees(kept=(), not_kept=("this form runs nothing yet",))

    def words(self, command: Sequence[str], *, folder: Path, limits: Limits, socket: Path | None = None) -> list[str]:
        """The engine's command line for a run: the contract.

        Args:
            command: Program and arguments.
            folder: Folder of the host that is the working folder.
            limits: What the command may take.
            socket: Socket that is passed in.

        Example:
            >>> words = Container("image", engine="podman").words(["true"], folder=Path("/f"), limits=Limits())
            >>> words[:4], words[-2:]
            (['podman', 'run', '--rm', '--init'], ['image', 'true'])
        """
        check_command(command)
        words = [self.engine or ENGINES[0], "run", "--rm", "--init", "--network=none", "--read-only", "--cap-drop=ALL"]
        words += ["--security-opt=no-new-privileges", f"--pids-limit={limits.processes}", f"--memory={limits.memory}"]
        words += [f"--memory-swap={limits.memory}", "--cpus=1", f"--tmpfs=/tmp:size={limits.disk}", "--user=1000:1000"]
        words += [f"--volume={folder}:{FOLDER}", f"--workdir={FOLDER}"]
        if socket is not None:
            words.append(f"--volume={socket}:/run/opsgym/api.sock:ro")
        return [*words, self.image, *command]

    def run(
        self, command: Sequence[str], *, files: Files, limits: Limits = DEFAULT_LIMITS, socket: Path | None = None
    ) -> Completed:
        """Refused.

        Raises:
            BackendError: Always: without an engine, or because this form is a contract only.
        """
        check_command(command)
        if self.engine is None:
            raise BackendError(f"there is no container engine here; looked for: {', '.join(ENGINES)}")
        raise BackendError("the container form is a contract only and runs nothing yet; use bubblewrap or the plain form")
