"""Isolation: commands of agents run as a function of files to files, outside this process and without a view of the host."""

from opsgym.sandbox.limits import Limits
from opsgym.sandbox.sandbox import Completed, Guarantees, Sandbox, default_sandbox
from opsgym.sandbox.workspace import Workspace

__all__ = ["Completed", "Guarantees", "Limits", "Sandbox", "Workspace", "default_sandbox"]
