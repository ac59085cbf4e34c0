"""A run is a function of files and a command to files and output, whatever the form."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import gettempdir

import pytest

from opsgym.core.errors import BackendError, RegistryError, TaskError
from opsgym.sandbox import Limits, Sandbox, default_sandbox
from opsgym.sandbox import sandbox as forms
from opsgym.sandbox.check import host, marked
from opsgym.sandbox.container import Container
from opsgym.sandbox.folder import MEMORY, sweep
from opsgym.sandbox.plain import PlainProcess
from opsgym.sandbox.sandbox import ALLOW_WEAK, FORMS, has_view, make_sandbox, why_no_default, why_not

QUICK = Limits(wall=20, cpu=5, memory=512 * 2**20, disk=2**20, files=50)


def test_files_go_in_and_come_out_sorted(sandbox: Sandbox) -> None:
    files = {"data/in.txt": b"3 4", "unchanged.bin": bytes(range(256)), "hollow/": b""}
    program = "numbers = open('data/in.txt').read().split()\nopen('a_sum', 'w').write(str(sum(map(int, numbers))))\nprint('done')"
    done = sandbox.run(["python", "-c", program], files=files, limits=QUICK)
    assert (done.exit_code, done.stdout, done.stderr, done.stopped) == (0, "done\n", "", "")
    assert dict(done.files) == {**files, "a_sum": b"7"}
    assert list(done.files) == sorted(done.files)


def test_the_same_run_gives_the_same_result(sandbox: Sandbox) -> None:
    files = {f"f{number}": b"x" for number in (3, 1, 2)}
    program = "import os, random; print(os.listdir(), hash('a'), os.getcwd(), os.getpid() < 100, os.getuid(), sorted(os.environ))"
    command = ["sh", "-c", f'ls -l; id; hostname; python -c "{program}"']
    runs = [sandbox.run(command, files=dict(sorted(files.items(), reverse=turn)), limits=QUICK) for turn in (False, True)]
    assert runs[0] == runs[1]
    assert "agent" in runs[0].stdout


def test_deleted_files_are_gone(sandbox: Sandbox) -> None:
    assert dict(sandbox.run(["rm", "a"], files={"a": b"", "b": b""}, limits=QUICK).files) == {"b": b""}


def test_the_exit_status_is_the_commands(sandbox: Sandbox) -> None:
    assert sandbox.run(["sh", "-c", "exit 7"], files={}, limits=QUICK).exit_code == 7
    assert sandbox.run(["sh", "-c", "kill -TERM $$"], files={}, limits=QUICK).exit_code == 128 + 15
    missing = sandbox.run(["no-such-program"], files={}, limits=QUICK)
    assert missing.exit_code == 127
    assert "no-such-program" in missing.stderr


def test_standard_input_is_empty(sandbox: Sandbox) -> None:
    assert sandbox.run(["cat"], files={}, limits=QUICK).stdout == ""


def test_solvers_are_there(sandbox: Sandbox) -> None:
    done = sandbox.run(
        ["python", "-c", "import numpy, ortools, sys; print(numpy.arange(3).sum())"], files={}, limits=Limits(wall=60)
    )
    assert done.stdout == "3\n", done.stderr


def test_programs_with_a_first_line_can_be_started(sandbox: Sandbox) -> None:
    assert sandbox.run(["./hello"], files={"hello": b"#!/bin/sh\necho hello\n"}, limits=QUICK).stdout == "hello\n"


def test_links_and_special_files_are_dropped_and_named(sandbox: Sandbox) -> None:
    done = sandbox.run(["sh", "-c", "ln -s /etc link; mkfifo pipe; echo x > kept"], files={}, limits=QUICK)
    assert dict(done.files) == {"kept": b"x\n"}
    assert done.dropped == ("link (link)", "pipe (pipe)")


def test_what_was_printed_before_the_end_is_kept(sandbox: Sandbox) -> None:
    program = "import time; print('first'); open('best', 'w').write('1'); time.sleep(60)"
    done = sandbox.run(["python", "-c", program], files={}, limits=Limits(wall=1))
    assert (done.stopped, done.stdout, dict(done.files)) == ("wall", "first\n", {"best": b"1"})
    assert done.exit_code == 137


def test_output_is_cut_at_its_limit(sandbox: Sandbox) -> None:
    done = sandbox.run(["yes"], files={}, limits=Limits(wall=20, output=1000))
    assert (done.stopped, done.stdout) == ("output", "y\n" * 500)


def test_a_folder_that_is_too_full_stays_as_it_was(sandbox: Sandbox) -> None:
    script = "for n in 1 2 3 4; do head -c 400000 /dev/zero > big$n; done; rm given"
    done = sandbox.run(["sh", "-c", script], files={"given": b"1"}, limits=QUICK)
    assert (done.stopped, dict(done.files)) == ("disk", {"given": b"1"})


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", "", "a//b", "a\nb", "x" * 300, "/".join("d" * 40)])
def test_paths_that_lead_outside_are_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(TaskError, match="expected a relative path"):
        sandbox.run(["true"], files={path: b""}, limits=QUICK)


@pytest.mark.parametrize("command", [[], "true", ["a\0b"], ["echo", "\ud800"]])
def test_commands_that_are_none_are_refused(sandbox: Sandbox, command: list[str]) -> None:
    with pytest.raises(TaskError, match=r"expected (a program|text)"):
        sandbox.run(command, files={}, limits=QUICK)


def test_runs_side_by_side_do_not_meet(sandbox: Sandbox) -> None:
    def one(number: int) -> str:
        return sandbox.run(["sh", "-c", f"echo {number} > x; sleep 0.2; cat x"], files={}, limits=QUICK).stdout

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(4))) == [f"{number}\n" for number in range(4)]


def test_nothing_is_left_on_the_host(sandbox: Sandbox) -> None:
    with host() as watched:
        sandbox.run(["sh", "-c", f"(setsid sh -c 'sleep 60; :' {watched.mark} &); mkdir a; chmod 0 a"], files={}, limits=QUICK)
        assert watched.difference() == ""


def test_a_run_ends_with_the_process_that_asked_for_it(sandbox: Sandbox) -> None:
    with host() as watched:
        program = (
            "from opsgym.sandbox.sandbox import make_sandbox\n"
            f"command = ['sh', '-c', 'setsid sh -c \"sleep 60; :\" {watched.mark} & echo on; sleep 60; :', '{watched.mark}']\n"
            f"make_sandbox({sandbox.name!r}).run(command, files={{}})"
        )
        asking = subprocess.Popen([sys.executable, "-c", program])
        try:
            while not any(_arguments(one)[:3] == ["sh", "-c", "sleep 60; :"] for one in marked(watched.mark)):
                assert asking.poll() is None
                time.sleep(0.02)
        finally:
            asking.kill()
            asking.wait()
            for left in (
                *MEMORY.glob(f"opsgym-sandbox-{asking.pid}-*"),
                *Path(gettempdir()).glob(f"opsgym-sandbox-{asking.pid}-*"),
            ):
                sweep(left)
        end = time.monotonic() + 10
        while marked(watched.mark) and time.monotonic() < end:
            time.sleep(0.02)
        assert marked(watched.mark) == []


def _arguments(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def test_cpu_time_counts_of_children_whose_end_nobody_is_told(sandbox: Sandbox) -> None:
    program = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "while True:\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 0.3: pass\n"
        "        os._exit(0)\n"
        "    try: os.wait()\n"
        "    except ChildProcessError: pass\n"
    )
    assert sandbox.run(["python", "-c", program], files={}, limits=Limits(wall=60, cpu=1)).stopped == "cpu"


@pytest.mark.parametrize("length", [900, 1100, 4040, 4060, 4078, 4090, 6000])
def test_what_one_run_leaves_the_next_one_can_be_given(sandbox: Sandbox, length: int) -> None:
    program = (
        f"import os\nleft = {length}\n"
        "while left > 250:\n"
        "    os.mkdir('d' * 200); os.chdir('d' * 200); left -= 201\n"
        "open('f' * left, 'w').close()"
    )
    first = sandbox.run(["python", "-c", program], files={}, limits=QUICK)
    assert (first.exit_code, first.stopped) == (0, "")
    assert [len(path) for path in first.files] == ([900] if length == 900 else [])
    assert first.dropped if length > 1000 else not first.dropped
    assert sandbox.run(["true"], files=first.files, limits=QUICK).files == first.files


def test_folders_count_as_files(sandbox: Sandbox) -> None:
    files = {"/".join([str(number), *"abcdefghi"]): b"" for number in range(6)}
    with pytest.raises(TaskError, match="at most 50 files"):
        sandbox.run(["true"], files=files, limits=QUICK)


def test_scratch_folders_hold_no_more_files_than_the_working_folder(sandbox: Sandbox) -> None:
    if not has_view(sandbox):
        pytest.skip("scratch folders are the host's here")
    program = "import time\nfor n in range(99999): open(f'/tmp/{n}', 'w').close()\ntime.sleep(30)"
    done = sandbox.run(["python", "-c", program], files={}, limits=QUICK)
    assert done.stopped == "disk" or "No space" in done.stderr


def test_many_runs_leave_no_descriptor_process_or_folder(sandbox: Sandbox) -> None:
    def look() -> tuple[int, int, int]:
        folders = [*MEMORY.glob(f"opsgym-sandbox-{os.getpid()}-*")]
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
        return len(os.listdir("/proc/self/fd")), len(children), len(folders)

    before = look()
    for number in range(12):
        command = [["true"], ["no-such-program"], ["sh", "-c", "kill -9 $$"], ["sleep", "9"]][number % 4]
        sandbox.run(command, files={"a": b""}, limits=Limits(wall=0.2 if number % 4 == 3 else 20))
    with pytest.raises(TaskError):
        sandbox.run(["true"], files={"../a": b""})
    assert look() == before


def test_what_the_host_refuses_is_a_fault_of_the_form(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(BackendError, match="Too many open files"):
        sandbox.run(["true"], files={})


def test_limits_are_positive_numbers() -> None:
    for wrong in ({"wall": 0}, {"memory": -1}, {"cpu": float("nan")}, {"files": True}, {"disk": 1.5}):
        with pytest.raises(TaskError, match="expected a positive number"):
            Limits(**wrong)


# -- a socket passed in -----------------------------------------------------------------------------------------------


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Path]:
    """A server at a unix socket that answers with what it hears, in capitals."""
    path = tmp_path / "s"
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.stat().st_uid == os.getuid() and str(folder) != "/":
            folder.chmod(folder.stat().st_mode | 0o711)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        path.chmod(0o666)
        listening.listen()

        def serve() -> None:
            try:
                while True:
                    client, _ = listening.accept()
                    with client:
                        client.sendall(client.recv(1000).upper())
            except OSError:
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_a_socket_passed_in_is_a_port_of_loopback(sandbox: Sandbox, echo: Path) -> None:
    program = (
        "import socket\n"
        "for _ in range(3):\n"
        "    with socket.create_connection(('127.0.0.1', 8069)) as one:\n"
        "        one.sendall(b'hello')\n"
        "        print(one.recv(100))\n"
    )
    done = sandbox.run(["python", "-c", program], files={}, limits=QUICK, socket=echo)
    assert done.stdout == "b'HELLO'\n" * 3, done.stderr
    assert sandbox.run(["python", "-c", program], files={}, limits=QUICK).exit_code != 0


def test_the_command_behind_a_socket_keeps_its_exit_status(sandbox: Sandbox, echo: Path) -> None:
    assert sandbox.run(["sh", "-c", "exit 5"], files={}, limits=QUICK, socket=echo).exit_code == 5
    assert sandbox.run(["no-such-program"], files={}, limits=QUICK, socket=echo).exit_code == 127


# -- the choice of a form ---------------------------------------------------------------------------------------------


def test_the_default_is_the_strongest_form_that_works() -> None:
    working = [form for form in FORMS if not why_not(form) and has_view(make_sandbox(form))]
    if not working:
        pytest.skip(why_no_default())
    assert default_sandbox().name == working[0]
    assert default_sandbox() is default_sandbox()


@pytest.fixture
def only_the_weak_form(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(forms, "why_not", {"bubblewrap": "it is not installed", "plain": ""}.get)
    monkeypatch.setattr(PlainProcess, "namespaces", False)
    monkeypatch.delenv(ALLOW_WEAK, raising=False)
    for cached in (default_sandbox, why_no_default):
        cached.cache_clear()
    yield
    for cached in (default_sandbox, why_no_default):
        cached.cache_clear()


@pytest.mark.usefixtures("only_the_weak_form")
def test_a_form_that_shows_the_hosts_files_is_no_default_unless_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BackendError, match=f"{ALLOW_WEAK}=1 allows that"):
        default_sandbox()
    assert "bubblewrap: it is not installed" in why_no_default()
    monkeypatch.setenv(ALLOW_WEAK, "1")
    assert default_sandbox().name == "plain"


def test_every_form_says_what_it_does_not_guarantee(sandbox: Sandbox) -> None:
    promises = sandbox.guarantees
    assert promises.kept
    assert any("kernel" in one for one in promises.not_kept)


def test_an_unknown_form_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RegistryError, match="bubblewrap"):
        make_sandbox("bubblewarp")


def test_a_missing_bwrap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(BackendError, match="apt-get install bubblewrap"):
        make_sandbox("bubblewrap").run(["true"], files={})


def test_a_bwrap_that_fails_is_no_result_of_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from opsgym.sandbox import bubblewrap

    monkeypatch.setattr(bubblewrap, "_NAMESPACES", ("user", "nonsense"))
    if why_not("bubblewrap"):
        pytest.skip("bubblewrap does not work here")
    with pytest.raises(BackendError, match="bwrap failed"):
        bubblewrap.Bubblewrap().run(["true"], files={})


def test_a_command_cannot_pass_for_a_failure_of_the_sandbox(sandbox: Sandbox) -> None:
    done = sandbox.run(["sh", "-c", "echo 'bwrap: setting up failed' >&2; exit 1"], files={}, limits=QUICK)
    assert done.exit_code == 1


def test_the_container_form_is_a_contract_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(BackendError, match="no container engine here"):
        Container().run(["true"], files={})
    with pytest.raises(BackendError, match="contract only"):
        Container(engine="podman").run(["true"], files={})
    words = Container(engine="podman").words(["true"], folder=Path("/f"), limits=QUICK, socket=Path("/s"))
    assert "--network=none" in words and "--volume=/s:/run/opsgym/api.sock:ro" in words


# -- the plain form where the kernel allows no namespaces -------------------------------------------------------------


def test_without_namespaces_survivors_are_ended_and_limits_hold() -> None:
    form = PlainProcess(namespaces=False)
    with host() as watched:
        wait = f"sh -c 'sleep 60; :' {watched.mark}"
        script = f"(setsid {wait} &); env; for n in 1 2 3 4; do ({wait} &); done; echo on > out"
        done = form.run(["sh", "-c", script], files={"in": b"1"}, limits=QUICK)
        assert watched.difference() == ""
    assert (done.exit_code, dict(done.files)) == (0, {"in": b"1", "out": b"on\n"})
    assert "OPSGYM_SECRET" not in done.stdout


def test_without_namespaces_a_run_that_is_stopped_ends_whole() -> None:
    form = PlainProcess(namespaces=False)
    with host() as watched:
        wait = f"sh -c 'sleep 60; :' {watched.mark}"
        script = f"(setsid {wait} &); {wait}"
        assert form.run(["sh", "-c", script], files={}, limits=Limits(wall=0.5)).stopped == "wall"
        assert watched.difference() == ""


def test_without_namespaces_the_form_says_so() -> None:
    weak, strong = PlainProcess(namespaces=False).guarantees, PlainProcess(namespaces=True).guarantees
    assert any("validators and solutions" in one for one in weak.not_kept)
    assert not any("validators and solutions" in one for one in strong.not_kept)
    assert len(weak.kept) < len(strong.kept)


def test_without_namespaces_a_socket_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="cannot pass a socket in"):
        PlainProcess(namespaces=False).run(["true"], files={}, socket=tmp_path / "s")
