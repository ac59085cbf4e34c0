"""What the sandbox costs: one ``python -c pass`` in each form beside a bare one, timed in the same run.

Run with ``python benchmarks/sandbox.py [--runs 40] [--json]``.  The bare one is the same interpreter with the same environment.
The forms take turns with it, so that whatever else the machine does meets all alike; the
overhead is the difference of the medians.  The last two rows are the coding harness of ERPBench: a command while this episode's
ERP is served, and a program that makes one call of it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from opsgym.core.task import ToolCall
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.coding.desk import KEY, URL
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.sandbox.machine import this_machine
from opsgym.sandbox.sandbox import FORMS, make_sandbox, why_not

ALLOWED = 60.0
"""Milliseconds that a sandboxed run may take more than a bare one."""

CALL = f"""
import urllib.request
headers = {{"Authorization": "Bearer {KEY}", "Content-Type": "application/json"}}
request = urllib.request.Request("{URL}/json/2/res.users/context_get", b"{{}}", headers)
urllib.request.urlopen(request).read()
"""


def bare() -> None:
    """The interpreter on the host, as the forms start it inside."""
    machine = this_machine()
    folders = sorted(machine.folders, key=lambda pair: -len(pair[1]))
    outside, inside = next(pair for pair in folders if machine.python.startswith(f"{pair[1]}/"))
    python = machine.python.replace(inside, outside, 1)
    environment = {name: _outside(value) for name, value in machine.environment}
    done = subprocess.run([python, "-c", "pass"], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def _outside(value: str) -> str:
    for outside, inside in this_machine().folders:
        value = value.replace(inside, outside)
    return value


def sandboxed(form: str) -> Callable[[], None]:
    """The same in a form of the sandbox."""
    sandbox = make_sandbox(form)

    def run() -> None:
        done = sandbox.run(["python", "-c", "pass"], files={})
        assert done.exit_code == 0, done.stderr

    return run


def coding(tool: str, **arguments: str) -> Callable[[], None]:
    """A command of the coding harness."""
    env = ERPBenchEnv(harness="coding", cache=None, tasks=list(shipped(ErpBenchFamily(), "test") or ())[:1], max_steps=10**6)
    env.reset(seed=0)
    env.step(ToolCall(name="write_file", arguments={"path": "call.py", "content": CALL}))

    def run() -> None:
        observation = env.step(ToolCall(name=tool, arguments=arguments))[0]
        assert '"exit_code":0' in observation, observation

    return run


def measure(rows: dict[str, Callable[[], None]], runs: int) -> dict[str, list[float]]:
    """Wall milliseconds of each row, in turns."""
    times: dict[str, list[float]] = {name: [] for name in rows}
    for number in range(runs + 2):
        for name, run in rows.items():
            start = time.perf_counter()
            run()
            if number >= 2:  # the first ones load what is loaded once
                times[name].append(1000 * (time.perf_counter() - start))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, help="write the figures there as JSON too")
    given = parser.parse_args()
    forms = [form for form in FORMS if not why_not(form)]
    rows = {"bare": bare} | {form: sandboxed(form) for form in forms}
    if forms:
        rows |= {"coding: true": coding("run_command", command="true"), "coding: one call": coding("run_python", path="call.py")}
    times = measure(rows, given.runs)
    base = statistics.median(times["bare"])
    figures = {
        name: {
            "median_ms": round(statistics.median(taken), 1),
            "fastest_ms": round(min(taken), 1),
            "p90_ms": round(statistics.quantiles(taken, n=10)[-1], 1),
            "over_bare_ms": round(statistics.median(taken) - base, 1),
        }
        for name, taken in times.items()
    }
    if given.out:
        given.out.write_text(json.dumps(figures, indent=2))
    if given.json:
        print(json.dumps(figures, indent=2))
        return
    table = Table("what runs", "median ms", "fastest", "90th percentile", "over bare", "allowed")
    for name, row in figures.items():
        allowed = f"{ALLOWED:g}" if name in forms else ""
        table.add_row(name, *(f"{value:.1f}" for value in row.values()), allowed)
    Console().print(table)
    for form in FORMS:
        if form not in forms:
            Console().print(f"{form} does not work here: {why_not(form)}")


if __name__ == "__main__":
    main()
