"""The mutation audit: for every check an end state that it must catch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from opsgym.core.task import CheckSpec
from opsgym.envs.or_agent_bench.judging import Play
from opsgym.envs.or_agent_bench.verifier import judge
from opsgym.envs.or_agent_bench.world import Handed, with_last

Ledger = tuple[Handed, ...]


def mutants(play: Play, ledger: Ledger) -> Iterator[tuple[str, Ledger]]:
    """Pairs of a rule and a ledger that breaks it, made of a solved one."""
    yield "submission", ()
    yield "submission", with_last(ledger, problem="the program ended with exit code 1", text="")
    yield "schema", with_last(ledger, text="{}")
    yield "schema", with_last(ledger, text='{"plan": NaN')
    plan = json.loads(ledger[-1].text)
    yield "schema", with_last(ledger, text=json.dumps(plan | {"comment": "unnamed"}))
    previous = json.loads(ledger[-2].text) if len(ledger) > 1 else None
    for rule, broken in play.problem.mutants(play.views[-1], plan, previous):
        mutant = with_last(ledger, text=json.dumps(broken))
        yield rule, mutant
        yield "quality", mutant


def audit(play: Play, ledger: Ledger, checks: Sequence[CheckSpec]) -> list[tuple[str, bool]]:
    """For every mutant its rule, and whether that very check fails on it and the task does not count as solved."""
    found = []
    for rule, mutant in mutants(play, ledger):
        verdict = judge(play, mutant, checks)
        caught = any(result.spec.rule == rule and result.status == "fail" for result in verdict.checks)
        found.append((rule, caught and not verdict.is_success))
    return found
