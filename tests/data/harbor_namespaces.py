"""An environment for Harbor in which namespaces stand in for containers, so that its own trial can be run without an engine.

It is imported by the Python that has Harbor, not by the one that has OpsGym.  Each box has a root directory, a mount namespace
and the files that its Dockerfile copies; the agent's box has the system's Python and no network but loopback, which the box of
the server shares.  Images are not built: the server's and the verifier's boxes see the OpsGym that runs the tests.
"""

# Harbor is not installed where types are checked.
# mypy: disable-error-code="import-not-found, misc, no-untyped-def"

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

SYSTEM = ("usr", "bin", "sbin", "lib", "lib64", "proc", "dev")
"""What every box sees of the machine."""
OPSGYM = os.environ.get("OPSGYM_PLACES", "").split(os.pathsep)
"""Directories of OpsGym and its Python; the first one is the Python's."""
LOOPBACK = (
    "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh', b'lo', 0x41))"  # SIOCSIFFLAGS: up
)


class Box:
    """A container without an engine.

    Args:
        context: Its build context.
        has_opsgym: Whether it sees OpsGym.
        network_of: The box whose network it shares; by default it has one of its own.
    """

    def __init__(self, context: Path, *, has_opsgym: bool, network_of: Box | None = None) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="opsgym-box-"))
        recipe = (context / "Dockerfile").read_text()
        self._copy(context, recipe)
        seen = [f"/{name}" for name in SYSTEM if Path(f"/{name}").exists()] + (OPSGYM if has_opsgym else [])
        for path in (*seen, "/tmp", "/workspace"):
            self.host(path).mkdir(parents=True, exist_ok=True)
        program = re.findall(r'^CMD \["sh", "(.*)"\]$', recipe, re.M)
        self.environ = {
            "PATH": ":".join([*([f"{OPSGYM[0]}/bin"] if has_opsgym else []), "/usr/bin", "/bin", "/usr/sbin", "/sbin"])
        }
        mounts = [f"mount --rbind {shlex.quote(path)} {shlex.quote(str(self.host(path)))}" for path in seen]
        up = [] if network_of else [f"python3 -c {shlex.quote(LOOPBACK)}"]
        last = f"exec chroot {shlex.quote(str(self.root))} {'sh ' + program[0] if program else 'sleep infinity'}"
        enter = ["nsenter", "-t", str(network_of.pid), "-n"] if network_of else []
        self._process = subprocess.Popen(
            [*enter, "unshare", "-m", *([] if network_of else ["-n"]), "sh", "-c", " && ".join([*mounts, *up, last])],
            env=self.environ,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its first process."""
        return self._process.pid

    def host(self, path: str) -> Path:
        """Where a path of the box is on this machine."""
        return self.root / str(path).lstrip("/")

    async def exec(self, command: str, cwd: str | None, env: dict[str, str] | None, seconds: float | None) -> ExecResult:
        """Run a command in the box."""
        script = f"cd {shlex.quote(cwd or '/')} && {command}"
        process = await asyncio.create_subprocess_exec(
            *("nsenter", "-t", str(self.pid), "-m", "-n", "-r", "sh", "-c", script),
            env={**self.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        stdout, stderr = await asyncio.wait_for(process.communicate(), seconds)
        return ExecResult(stdout=stdout.decode(), stderr=stderr.decode(), return_code=process.returncode)

    def stop(self) -> None:
        """Stop its first process; its files stay until it is removed."""
        if self._process.poll() is None:
            os.killpg(self.pid, signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.pid, signal.SIGKILL)
                self._process.wait()

    def remove(self) -> None:
        """Stop it and remove its files.

        What was mounted went with its namespace.  That is looked up: else the machine's own files would be removed.
        """
        self.stop()
        if str(self.root) in Path("/proc/self/mounts").read_text():
            raise RuntimeError(f"something is mounted below {self.root}")
        shutil.rmtree(self.root)

    def _copy(self, context: Path, recipe: str) -> None:
        for source, place in re.findall(r"^COPY (\S+) (\S+)$", recipe, re.M):
            target = self.host(place)
            if source == ".":
                shutil.copytree(context, target, dirs_exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(context / source, target)


class NamespaceEnvironment(BaseEnvironment):
    """The boxes of an environment with the services ``main`` and ``erp``, or of a verifier with the first alone."""

    boxes: dict[str, Box]

    @staticmethod
    def type() -> str:
        return "namespaces"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True, docker_compose=True)

    def _validate_definition(self) -> None:
        self.boxes = {}

    async def start(self, force_build: bool) -> None:
        has_server = (self.environment_dir / "docker-compose.yaml").is_file()
        main = self.boxes["main"] = Box(self.environment_dir, has_opsgym=not has_server)
        await asyncio.sleep(0.5)  # until it is in its namespaces
        if has_server:
            self.boxes["erp"] = Box(self.environment_dir / "erp", has_opsgym=True, network_of=main)
        await self.ensure_dirs(["/logs/agent", "/logs/verifier", "/logs/artifacts"])

    async def stop(self, delete: bool) -> None:
        for box in reversed(self.boxes.values()):
            box.remove()

    async def stop_service(self, service: str) -> None:
        self.boxes[service].stop()

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        return await self.boxes["main"].exec(command, cwd, env, timeout_sec)

    async def service_exec(self, command, *, service=None, cwd=None, env=None, timeout_sec=None, user=None):
        return await self.boxes[service or "main"].exec(command, cwd, env, timeout_sec)

    async def service_is_dir(self, path, *, service=None, user=None):
        return self.boxes[service or "main"].host(path).is_dir()

    async def upload_file(self, source_path, target_path):
        shutil.copy(source_path, self.boxes["main"].host(target_path))

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self.boxes["main"].host(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path, target_path):
        shutil.copy(self.boxes["main"].host(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self.boxes["main"].host(source_dir), target_dir, dirs_exist_ok=True)

    async def service_download_file(self, source_path, target_path, *, service=None):
        shutil.copy(self.boxes[service or "main"].host(source_path), target_path)

    async def service_download_dir(self, source_dir, target_dir, *, service=None):
        shutil.copytree(self.boxes[service or "main"].host(source_dir), target_dir, dirs_exist_ok=True)
