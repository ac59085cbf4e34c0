"""Verdict: what the results of a judge come to."""

from __future__ import annotations

from collections.abc import Sequence

from opsgym.core.verify import CheckResult, Verdict, grouped_score

DIMENSIONS = ("completion", "policy", "integrity")


def verdict(results: Sequence[CheckResult]) -> Verdict:
    """The fraction of completion, gated by policy and integrity; success is everything.

    A breach of a rule, or a change that nothing grants, makes the reward 0.
    """
    by_dimension = {name: [item for item in results if item.spec.dimension == name] for name in DIMENSIONS}
    failed = [item for item in results if item.status == "fail"]
    gates = tuple(sorted(item.spec.rule for item in failed if item.spec.dimension != "completion"))
    scores = {name: grouped_score(found) for name, found in by_dimension.items()}
    return Verdict(
        reward=0.0 if gates else scores["completion"],
        is_success=not failed,
        scores=scores,
        checks=tuple(results),
        gates=gates,
        failure_families=tuple(sorted({item.spec.dimension for item in failed})),
    )
