"""Results: one record a trial, which the runner appends and metrics and reports read.

A run is a directory::

    run.json             the plan: environment, policy, prompts, model, tasks, trials, seed, failure rate, versions
    tasks.jsonl          the tasks, as a pack: instructions, oracles, certificates
    results.jsonl        one TrialResult a line, appended as trials end; of a trial that was played again the last line counts
    trajectories.jsonl   one recorded episode a line (opsgym.data.trajectories), where they are kept
    requests.sqlite      the model's replies, where they are kept

:class:`~opsgym.evaluate.run_directory.RunDirectory` reads and writes it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from opsgym.core.task import Frozen


class RoleResult(Frozen):
    """What came of one role of a team in one trial.

    Attributes:
        turns: Its turns.
        calls: Its tool calls, those of the team's own tools such as ``message`` included.
        refused: Those of them that were refused.
        messages: Messages that it sent.
        reward: What it earned.
        credit: Its part of the team's score, by the passed checks for which it is responsible; the parts of all roles add up to
            the score.  ``None`` where the game does not divide it.
        prompt_tokens: Tokens read by its model.
        completion_tokens: Tokens written by it.
        cost: US dollars charged for them, as in :class:`TrialResult`.
    """

    turns: int = 0
    calls: int = 0
    refused: int = 0
    messages: int = 0
    reward: float = 0.0
    credit: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class TrialResult(Frozen):
    """What came of one trial: one policy playing one task once.

    Attributes:
        task_id: The task.
        trial: Number of the trial of this task, from 0.
        family: Family of the task.
        tier: Its tier.
        pattern: Its pattern.
        params: Its difficulty parameters.
        status: ``"scored"``, or ``"masked"`` when an external system failed: such a trial says nothing of the agent.
        reason: Why it is masked; empty when scored.
        score: Reward of the episode, in [0, 1].
        is_success: Whether the verifier calls the task solved.
        clean: Whether every check of dimension ``constraint`` that applies passed (every check, in a family without dimensions).
        perfect: Whether the verifier's own reward is 1.
        optimality: The verifier's optimality score in [0, 1], or ``None`` where the family has none.
        refused: Whether the agent refused the task, as ``metrics["refused"]`` of the verdict says; ``None`` where the family
            knows no refusal.
        terminated: Whether the agent ended the episode itself, rather than its budget.
        checks_passed: Checks that passed.
        checks_applicable: Checks that apply.
        failed_rules: Rules with a failed check, sorted.
        failure_families: Failure families of the verdict, sorted.
        calls: Tool calls.
        oracle_calls: Tool calls of the reference solution.
        turns: Steps.
        errors: Refused calls by error code.
        faults: Injected faults, by kind.
        prompt_tokens: Tokens read by the model.
        completion_tokens: Tokens written by it.
        cost: US dollars that the trial's requests were charged, replies that were replayed from the request cache included at
            what they had cost; 0 without a model, and for replies without a known price.
        seconds: Wall time of the episode; not compared.
        episode_seed: Seed of faults and of the policy's random streams.
        roles: What came of each role of a team; empty for one agent.
    """

    task_id: str
    trial: int
    family: str
    tier: str
    pattern: str
    params: dict[str, Any] = Field(default_factory=dict)
    status: Literal["scored", "masked"] = "scored"
    reason: str = ""
    score: float = 0.0
    is_success: bool = False
    clean: bool = False
    perfect: bool = False
    optimality: float | None = None
    refused: bool | None = None
    terminated: bool = False
    checks_passed: int = 0
    checks_applicable: int = 0
    failed_rules: tuple[str, ...] = ()
    failure_families: tuple[str, ...] = ()
    calls: int = 0
    oracle_calls: int = 0
    turns: int = 0
    errors: dict[str, int] = Field(default_factory=dict)
    faults: dict[str, int] = Field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    episode_seed: int = 0
    roles: dict[str, RoleResult] = Field(default_factory=dict)
