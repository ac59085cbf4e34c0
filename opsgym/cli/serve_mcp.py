"""The command ``opsgym serve mcp``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from opsgym.cli.shared import EnvId, Pattern, Seed, Split, Tier, assignment, err
from opsgym.core.errors import OpsGymError

Flag = typer.Option


def mcp_command(
    env_id: EnvId,
    tier: Tier = None,
    pattern: Pattern = None,
    split: Split = None,
    pack: Annotated[Path | None, Flag(help="Play the tasks of this pack.")] = None,
    seed: Seed = 0,
    index: Annotated[
        int | None, Flag(help="Which task of the pack or of the split's fixed set, instead of a seed.", min=0)
    ] = None,
    task_per_session: Annotated[
        bool, Flag("--task-per-session", help="Count the seed or index up from session to session.")
    ] = False,
    next_task: Annotated[bool, Flag("--next-task", help="Offer a tool by which a session goes on to another task.")] = False,
    env_option: Annotated[list[str] | None, Flag(help="Argument of the environment as name=value; may be repeated.")] = None,
    reveal_score: Annotated[bool, Flag("--reveal-score", help="Tell the agent at the end what it earned.")] = False,
    record: Annotated[Path | None, Flag(help="Add every finished episode to this file of trajectories.", metavar="FILE")] = None,
    transport: Annotated[Literal["stdio", "http"], Flag(help="How clients connect.")] = "stdio",
    host: Annotated[str, Flag(help="Address to listen at, with --transport http.")] = "127.0.0.1",
    port: Annotated[int, Flag(help="Port to listen at; 0 takes a free one.", min=0, max=65535)] = 8000,
    allowed_host: Annotated[
        list[str] | None, Flag(help="Name by which clients may address the server, beside the loopback's; may be repeated.")
    ] = None,
    idle_timeout: Annotated[float, Flag(help="Seconds of silence after which a session is ended.", min=0.1)] = 1800.0,
    max_sessions: Annotated[int, Flag(help="Most sessions at a time.", min=1)] = 256,
) -> None:
    """Serve an environment's tasks to MCP clients, each session in a world of its own.

    With stdio, the client starts this command and there is one session; with http, there are many, and the URL is printed.
    """
    try:
        import mcp  # noqa: F401  # only asked for: what else may be missing is a bug, and not to be hidden
        import uvicorn  # noqa: F401  # as above
    except ImportError as error:
        raise OpsGymError('serving MCP needs mcp, starlette and uvicorn: pip install "opsgym[serve]"') from error

    from opsgym.serve.mcp_session import Offer, Sessions
    from opsgym.serve.mcp_transports import serve_http, serve_stdio

    given: dict[str, Any] = {"tier": tier, "pattern": pattern, "split": split, "tasks": str(pack) if pack else None}
    options = {name: value for name, value in given.items() if value is not None}
    options |= dict(assignment(text) for text in env_option or ())
    offer = Offer(
        env_id=env_id,
        env_options=options,
        number=seed if index is None else index,
        by_index=index is not None,
        task_per_session=task_per_session,
        next_task=next_task,
        reveal_score=reveal_score,
        record=record,
    )
    if transport == "stdio":
        if sys.stdin.isatty():
            err.print("waiting for the messages of an MCP client on standard input; --transport http serves clients that connect")
        serve_stdio(Sessions(offer))
    else:
        serve_http(
            Sessions(offer),
            host=host,
            port=port,
            allowed_hosts=allowed_host or (),
            idle_timeout=idle_timeout,
            max_sessions=max_sessions,
            on_ready=lambda url: print(f"{env_id} at {url}", flush=True),
        )
