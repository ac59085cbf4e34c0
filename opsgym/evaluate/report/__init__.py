"""Reports: runs as one self-contained HTML page, with figures and tables beside it."""

from opsgym.evaluate.report.runs import Run, read_run, read_runs
from opsgym.evaluate.report.write import Report, write_report

__all__ = ["Report", "Run", "read_run", "read_runs", "write_report"]
