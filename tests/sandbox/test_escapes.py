"""The escape suite: every attempt is contained, the form goes on, and the host is unchanged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opsgym.cli import app
from opsgym.sandbox import Completed, Guarantees, Limits, Sandbox, check
from opsgym.sandbox.check import Host, escapes_for, try_escape
from opsgym.sandbox.escapes import ESCAPES, LIMITS
from opsgym.sandbox.sandbox import FORMS, Files, make_sandbox, why_not


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with check.host() as one:
        yield one


def _cases() -> Iterator[object]:
    for form in FORMS:
        for number, escape in enumerate(ESCAPES):
            # the second form keeps the same promises by other means; its attempts run with the slow tests
            marks = [pytest.mark.slow] if escape.slow or form != FORMS[0] else []
            yield pytest.param(form, number, id=f"{form}: {escape.name}", marks=marks)


@pytest.mark.parametrize(("form", "number"), list(_cases()))
def test_contained(form: str, number: int, host: Host) -> None:
    if why_not(form):
        pytest.skip(f"{form} does not work here: {why_not(form)}")
    sandbox = make_sandbox(form)
    if ESCAPES[number] not in escapes_for(sandbox):
        pytest.skip(f"{form} does not promise this here, and says so")
    outcome = try_escape(sandbox, ESCAPES[number], host)
    assert (outcome.problem, outcome.host, outcome.goes_on) == ("", "", True)


def test_there_are_many_attempts_and_each_has_a_name() -> None:
    assert len(ESCAPES) >= 40
    assert len({escape.name for escape in ESCAPES}) == len(ESCAPES)


class Naive:
    """No sandbox at all; for attempts that do no harm."""

    name = "naive"
    namespaces = True
    guarantees = Guarantees((), ())

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: Sequence[str], *, files: Files, limits: Limits = LIMITS, socket: Path | None = None) -> Completed:
        with open(self.folder / "said", "w+") as said:  # a pipe would be held open by what outlives the command
            done = subprocess.run(["python3", *command[1:]], stdout=said, stderr=said, cwd=self.folder, timeout=30, check=False)
            said.seek(0)
            return Completed(done.returncode, said.read(), "", {})


@pytest.mark.parametrize(
    "name",
    [
        "reading a file of the host",
        "a link out of the working folder",
        "a port of the host's loopback",
        "an abstract unix socket of the host",
        "a unix socket of the host by its path",
        "its own environment",
        "the environment of the host's processes",
        "the host's processes in /proc",
        "a process in the background",
        "memory in a file without a name",
        "open files without end",
        "a sparse file of a terabyte",
        "signals to a process of the host",
    ],
)
def test_the_suite_tells_an_escape(name: str, tmp_path: Path) -> None:
    (escape,) = [one for one in ESCAPES if one.name == name]
    with check.host() as own:
        outcome = try_escape(Naive(tmp_path), escape, own)
        assert outcome.problem or outcome.host, "nothing held it back, and the suite did not see it"
        assert not outcome.contained
        for left in check.marked(own.mark):
            os.kill(left, signal.SIGKILL)


def test_the_command_prints_a_table_and_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    working = [form for form in FORMS if not why_not(form)]
    if not working:
        pytest.skip("no form works here")
    monkeypatch.setattr(check, "ESCAPES", ESCAPES[6:8])
    shown = CliRunner().invoke(app, ["sandbox", "check", "--form", working[0]])
    assert shown.exit_code == 0, shown.output
    assert "2 of 2 attempts contained" in shown.output
    assert "It does not guarantee:" in shown.output
    listed = CliRunner().invoke(app, ["sandbox", "check", "--form", working[0], "--json"])
    result = json.loads(listed.output)[working[0]]
    assert result["works"] and [one["contained"] for one in result["attempts"]] == [True, True]


def test_the_command_fails_when_something_got_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (escape,) = [one for one in ESCAPES if one.name == "memory in a file without a name"]
    monkeypatch.setattr(check, "ESCAPES", (escape,))
    monkeypatch.setattr("opsgym.sandbox.sandbox.make_sandbox", lambda form: Naive(tmp_path))
    monkeypatch.setattr("opsgym.sandbox.sandbox.why_not", lambda form: "")
    shown = CliRunner().invoke(app, ["sandbox", "check", "--form", "plain"])
    assert shown.exit_code == 1
    assert "ESCAPED" in shown.output


def test_a_form_that_does_not_work_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opsgym.sandbox.sandbox.why_not", lambda form: "the kernel says no")
    shown = CliRunner().invoke(app, ["sandbox", "check", "--form", "plain"])
    assert shown.exit_code == 0
    assert "does not work here: the kernel says no" in shown.output


def test_a_sandbox_is_a_sandbox() -> None:
    forms: list[Sandbox] = [make_sandbox(form) for form in (*FORMS, "container")]
    assert [form.name for form in forms] == [*FORMS, "container"]
