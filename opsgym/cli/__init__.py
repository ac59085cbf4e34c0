"""The command ``opsgym``: demo, play, validate, audit, replay, info, eval, report, tasks."""

from opsgym.cli.app import app, main

__all__ = ["app", "main"]
