"""Metrics: what trials say of an agent, with intervals and tests that respect that trials of one task belong together."""

from opsgym.evaluate.metrics.correlation import Correlation, correlations, spearman
from opsgym.evaluate.metrics.failures import FailureShare, failed_rules, failure_families
from opsgym.evaluate.metrics.groups import grouped
from opsgym.evaluate.metrics.intervals import Estimate, bootstrap_mean, bootstrap_ratio, wilson
from opsgym.evaluate.metrics.paired import Paired, compare, holm, sign_flip
from opsgym.evaluate.metrics.pareto import frontier
from opsgym.evaluate.metrics.pass_at_k import pass_at_k, pass_hat_k
from opsgym.evaluate.metrics.robustness import RobustnessPoint, robustness
from opsgym.evaluate.metrics.summary import Summary, summarise
from opsgym.evaluate.metrics.table import TrialTable

__all__ = [
    "Correlation",
    "Estimate",
    "FailureShare",
    "Paired",
    "RobustnessPoint",
    "Summary",
    "TrialTable",
    "bootstrap_mean",
    "bootstrap_ratio",
    "compare",
    "correlations",
    "failed_rules",
    "failure_families",
    "frontier",
    "grouped",
    "holm",
    "pass_at_k",
    "pass_hat_k",
    "robustness",
    "sign_flip",
    "spearman",
    "summarise",
    "wilson",
]
