"""The tools: those of a coding agent over the working folder, the look at a submission's form, and the handing in."""

from __future__ import annotations

from functools import cache
from typing import Any

from opsgym.core.tools import Toolbox, tool
from opsgym.envs.or_agent_bench.session import Session
from opsgym.sandbox.tools import COMMANDS, FILES


@tool()
def check_submission(session: Session) -> dict[str, Any]:
    """Check the form of submission.json in the working folder against the schema; rules are not checked."""
    faults = session.faults()
    return {"keeps_schema": not faults, "faults": faults[:20], "more": len(faults) > 20}


@tool(mutates=True)
def close_period(session: Session) -> dict[str, Any]:
    """Run solve.py for the present period and, when its plan is accepted, open the next one. For tasks with several periods."""
    before = session.epoch
    opened = session.close_period()
    accepted = opened > before
    told = {"accepted": accepted, "period": opened + 1, "of": session.play.epochs}
    if accepted:
        return {**told, "notice": f"notes/notice_{opened}.md"}
    return {**told, "reason": session.world.ledger[-1].problem or "the plan does not keep all rules, or is far from good"}


@tool(mutates=True, terminal=True)
def submit(session: Session) -> dict[str, Any]:
    """Run solve.py for the last time and finish: what it leaves in submission.json is the decision."""
    problem = session.submit()
    return {"submitted": not problem, **({"reason": problem} if problem else {})}


@cache
def toolbox(has_periods: bool = True) -> Toolbox:
    """The tools of a task.

    Args:
        has_periods: Whether the decision is made in several periods.
    """
    return Toolbox([*FILES, *COMMANDS, check_submission, *([close_period] if has_periods else []), submit])
