"""Commands that measure agents: eval, report."""

from __future__ import annotations

import os
import re
import shlex
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from opsgym.cli.shared import EnvId, Json, Seed, Split, assignment, err, out, print_json, progress_bars
from opsgym.core.errors import TaskError
from opsgym.evaluate.metrics import Estimate, Summary, summarise
from opsgym.evaluate.results import TrialResult
from opsgym.evaluate.run_desk import Limits, TrialError
from opsgym.evaluate.run_team import evaluate_team
from opsgym.evaluate.run_team_roles import RoleMeans, role_means
from opsgym.evaluate.run_view import RunView, describe
from opsgym.evaluate.runner import Run, evaluate

EXIT_CODES = {"complete": 0, "limit": 3, "outage": 4, "interrupted": 130}
"""Exit code of ``opsgym eval`` by how the run ended; 2 is an error."""

LOOK: dict[str, Any] = {"title_justify": "left", "box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
"""How tables look."""

Pairs = list[str] | None
Policy = Annotated[str | None, typer.Option(help="Name of a policy, or package.module:Class of your own.")]
Team = Annotated[
    str | None,
    typer.Option(help="For a team: a policy for all roles, or ROLE=POLICY,...,others=POLICY; each may go on with @MODEL."),
]
Form = Annotated[str, typer.Option(help="PettingZoo's form in which a team is played: aec or parallel.")]
Model = Annotated[str | None, typer.Option(help="openai:NAME, anthropic:NAME or scripted:FILE, for policies that ask a model.")]
BaseUrl = Annotated[str | None, typer.Option(help="Where the model is served.", metavar="URL")]
Tasks = Annotated[int | None, typer.Option(help="How many tasks; by default the split's fixed set, or one of each kind.", min=1)]
Pack = Annotated[Path | None, typer.Option(help="Play the tasks of this pack.")]
Tier = Annotated[str | None, typer.Option(help="Tasks of this tier only.")]
Pattern = Annotated[str | None, typer.Option(help="Tasks of this pattern only.")]
Trials = Annotated[int, typer.Option(help="Trials a task.", min=1)]
Workers = Annotated[int, typer.Option(help="Processes, or trials at the same time where a model is asked.", min=1)]
Rate = Annotated[float, typer.Option(help="Probability that a tool call fails on purpose.", min=0, max=1)]
PolicyOptions = Annotated[Pairs, typer.Option("--policy-option", help="Option of the policy as name=value; may be repeated.")]
EnvOptions = Annotated[Pairs, typer.Option("--env-option", help="Argument of the environment as name=value; may be repeated.")]
ModelOptions = Annotated[Pairs, typer.Option("--model-option", help="Argument of the model as name=value; may be repeated.")]
MaxCost = Annotated[float | None, typer.Option(help="Stop when so many dollars are spent.")]
MaxTokens = Annotated[int | None, typer.Option(help="Stop when so many tokens are used.")]
MaxTime = Annotated[float | None, typer.Option(help="Stop after so many seconds.")]
Trajectories = Annotated[bool, typer.Option(help="Whether to record the episodes.")]
Cache = Annotated[bool, typer.Option(help="Whether to keep the model's replies, so that none is paid twice.")]
RetryMasked = Annotated[bool, typer.Option("--retry-masked", help="Play masked trials again.")]
OutRun = Annotated[Path, typer.Option("--out", help="Directory of the run.")]


def eval_command(
    env_id: EnvId,
    out_run: OutRun,
    policy: Policy = None,
    team: Team = None,
    form: Form = "aec",
    model: Model = None,
    base_url: BaseUrl = None,
    split: Split = None,
    tasks: Tasks = None,
    pack: Pack = None,
    tier: Tier = None,
    pattern: Pattern = None,
    seed: Seed = 0,
    trials: Trials = 1,
    workers: Workers = 1,
    failure_rate: Rate = 0.0,
    policy_option: PolicyOptions = None,
    env_option: EnvOptions = None,
    model_option: ModelOptions = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_time: MaxTime = None,
    trajectories: Trajectories = True,
    request_cache: Cache = True,
    retry_masked: RetryMasked = False,
    as_json: Json = False,
) -> None:
    """Play tasks with a policy or a team and keep what comes of it; the same command goes on where an interrupted run ended.

    Exit codes: 0 when every trial was played, 2 for an error, 3 at a limit, 4 when nothing but masked trials came, 130 after
    Ctrl-C.
    """
    if pack is not None and tasks is not None:
        raise TaskError("expected --tasks or --pack, got both", field="tasks")
    play = _player(env_id, policy, team, form)
    _see_modules_here()
    try:
        with progress_bars() as progress, RunView(err) as view:
            run = play(
                out=out_run,
                tasks=tasks if pack is None else pack,
                split=split,
                tier=tier,
                pattern=pattern,
                trials=trials,
                seed=seed,
                workers=workers,
                failure_rate=failure_rate,
                model=model,
                base_url=base_url,
                model_options=_options(model_option),
                policy_options=_options(policy_option),
                env_options=_options(env_option),
                trajectories=trajectories,
                request_cache=request_cache,
                limits=Limits(cost=max_cost, tokens=max_tokens, seconds=max_time),
                retry_masked=retry_masked,
                observer=view,
                progress=progress,
            )
    except TrialError as error:
        err.print(escape("".join(traceback.format_exception(error.__cause__))), end="")
        raise
    _print_run(run, as_json=as_json)
    ending = "outage" if run.standing.masked and not run.standing.scored else run.ending
    if ending != "complete":
        raise typer.Exit(EXIT_CODES[ending])


def report_command(
    runs: Annotated[list[Path], typer.Argument(help="Directories of runs.", metavar="RUN...")],
    out_page: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    assets: Annotated[
        Path | None, typer.Option(help="Directory for figures and tables; by default NAME_files beside NAME.html.", metavar="DIR")
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "OpsGym report",
    max_episodes: Annotated[int, typer.Option(help="Most episodes that can be read in the page.", min=0)] = 100,
) -> None:
    """Write a page about one or more runs, and its figures and tables beside it.

    Exit codes: 0, or 2 for an error.
    """
    from opsgym.evaluate.report import write_report

    report = write_report(runs, out_page, assets=assets, title=title, max_episodes=max_episodes)
    out.print(escape(f"{report.path}: {report.trials} trials, {len(report.figures)} figures, {report.episodes} episodes"))


def _player(env_id: str, policy: str | None, team: str | None, form: str) -> Callable[..., Run]:
    """What plays the run: a policy or a team."""
    if policy is not None and team is None:
        return partial(evaluate, env_id, policy)
    if team is not None and policy is None:
        return partial(evaluate_team, env_id, team, form=form)
    raise TaskError(f"expected --policy or --team, got {'neither' if team is None else 'both'}", field="policy")


def _options(given: Pairs) -> dict[str, Any]:
    return dict(assignment(text) for text in given or ())


def _print_run(run: Run, *, as_json: bool) -> None:
    results = run.results
    roles = role_means(results)
    if as_json:
        tiers = {tier: summarise(_of_tier(results, tier)).as_dict() for tier in _tiers(results)}
        print_json(
            {
                "run": str(run.directory.path),
                "ending": run.ending,
                "message": run.message,
                "trials": run.standing.total,
                "played": run.standing.done,
                "summary": run.summary().as_dict(),
                "tiers": tiers,
                **({"roles": {name: asdict(mean) for name, mean in roles.items()}} if roles else {}),
            }
        )
    elif results:
        out.print(_table(run, results), soft_wrap=False)
        if roles:
            out.print(_role_table(roles, paid=any(result.cost for result in results)), soft_wrap=False)
    if run.standing.masked:
        err.print(escape(_why_masked(results)))
    if run.ending != "complete":
        higher = " with a higher limit" if run.ending == "limit" else ""
        err.print(escape(f"stopped: {run.message}; {describe(run.standing)}"))
        err.print(escape(f"to go on{higher}: {_command()}"))


def _why_masked(results: Sequence[TrialResult]) -> str:
    """How many trials say nothing of the agent, and the commonest reason."""
    (reason, _), *others = Counter(result.reason for result in results if result.status == "masked").most_common()
    count = sum(result.status == "masked" for result in results)
    trials = "1 trial is" if count == 1 else f"{count} trials are"
    more = f" (and {len(others)} other reasons)" if others else ""
    return f"{trials} masked, an external system failed: {reason}{more}; --retry-masked plays again what is masked"


def _see_modules_here() -> None:
    """Let policies be imported from the current directory, as ``python -m`` does; worker processes inherit the path."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


def _command() -> str:
    """The command that goes on: the one that was given, without what may be secret in it."""
    return shlex.join(["opsgym", *map(_masked, sys.argv[1:])])


def _masked(argument: str) -> str:
    """An argument; of a URL, user, password and query are masked.

    >>> _masked("--base-url=https://me:secret@host/v1?key=secret"), _masked("--tasks")
    ('--base-url=https://***@host/v1?***', '--tasks')
    """
    if "://" not in argument:
        return argument
    address, query, _ = argument.partition("?")
    return re.sub("//[^/]*@", "//***@", address) + (f"{query}***" if query else "")


def _table(run: Run, results: list[TrialResult]) -> Table:
    plan = run.directory.plan
    setting = [plan.form, *(f"{name}={value}" for name, value in plan.env_options.items())] if plan.form else []
    title = ", ".join(filter(None, [plan.env_id, " ".join(map(str, setting)), plan.policy, plan.model]))
    table = Table(title=escape(title), **LOOK)
    table.add_column("tier", no_wrap=True)
    paid = any(result.cost for result in results)
    for name in ("tasks", "trials", "pass@1 [95 %]", "score", "clean", "perfect", "calls", *(["cost"] if paid else [])):
        table.add_column(name, justify="right", no_wrap=True)
    tiers = _tiers(results)
    for tier in tiers if len(tiers) > 1 else ():
        table.add_row(*_row(tier, summarise(_of_tier(results, tier)), paid=paid))
    table.add_section()
    table.add_row(*_row("all", run.summary(), paid=paid))
    return table


def _role_table(roles: dict[str, RoleMeans], *, paid: bool) -> Table:
    """What each role did and earned, on average over the trials in which it was needed."""
    table = Table(**LOOK)
    table.add_column("role", no_wrap=True)
    for name in ("trials", "turns", "calls", "refused", "messages", "reward", "credit", *(["tokens", "cost"] if paid else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for name, mean in roles.items():
        counts = (f"{value:.1f}" for value in (mean.turns, mean.calls, mean.refused, mean.messages))
        credit = "-" if mean.credit is None else f"{mean.credit:.3f}"
        spent = (f"{mean.tokens:.0f}", f"${mean.cost:.4f}") if paid else ()
        table.add_row(name, str(mean.trials), *counts, f"{mean.reward:.3f}", credit, *spent)
    return table


def _row(name: str, summary: Summary, *, paid: bool) -> tuple[str, ...]:
    success = summary.success
    interval = f" \\[{success.low:.2f}, {success.high:.2f}]" if success.n else ""
    shares = (_share(summary.score), _share(summary.clean), _share(summary.perfect))
    calls = f"{summary.calls:.1f}" if summary.trials else "-"
    cost = (f"${summary.total_cost:.2f}",) if paid else ()
    return (name, str(summary.tasks), str(summary.trials), _share(success) + interval, *shares, calls, *cost)


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:.3f}" if estimate.n else "-"


def _tiers(results: list[TrialResult]) -> list[str]:
    """The tiers, in the order of the plan's tasks."""
    return list(dict.fromkeys(result.tier for result in results))


def _of_tier(results: list[TrialResult], tier: str) -> list[TrialResult]:
    return [result for result in results if result.tier == tier]
