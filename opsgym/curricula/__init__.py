"""Curricula: samplers of difficulty parameters that follow an agent's progress.

A sampler is asked for tickets (parameters, seed, failure rate) and told how they went; see :class:`Sampler`.
:class:`CurriculumWrapper` does both for an environment, :class:`CurriculumVectorEnv` for a batch.
"""

from __future__ import annotations

from opsgym.curricula.alp_gmm import ALPGMM
from opsgym.curricula.anneal import Anneal
from opsgym.curricula.axes import Choice, FloatRange, IntRange
from opsgym.curricula.bandit import Bandit
from opsgym.curricula.certify import certifier
from opsgym.curricula.desk import Desk, Source, replay
from opsgym.curricula.domain_randomization import DomainRandomization
from opsgym.curricula.gates import Admission, BudgetGate, Gate, RangeGate, ZeroVarianceGate
from opsgym.curricula.ladder import Ladder
from opsgym.curricula.learnability import Learnability
from opsgym.curricula.learning_progress import LearningProgress
from opsgym.curricula.level_editor import LevelEditor
from opsgym.curricula.mixture import Mixture
from opsgym.curricula.prioritized_level_replay import PrioritizedLevelReplay
from opsgym.curricula.product import Product
from opsgym.curricula.ray_actor import RayDesk
from opsgym.curricula.sampler import Distribution, Sampler
from opsgym.curricula.sb3 import load_state, save_state, sb3_callback
from opsgym.curricula.sequence import Sequence, Stage
from opsgym.curricula.server import Client, Server
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.student import SimulatedStudent, episodes_to_mastery
from opsgym.curricula.target_success import TargetSuccess
from opsgym.curricula.thompson_target import ThompsonTarget
from opsgym.curricula.ticket import Outcome, Ticket
from opsgym.curricula.trl import TRLCurriculum
from opsgym.curricula.uniform import Fixed, Uniform, Weighted
from opsgym.curricula.vector import CurriculumVectorEnv
from opsgym.curricula.wrapper import FAILURE_SCHEDULE, CurriculumWrapper

__all__ = [
    "ALPGMM",
    "FAILURE_SCHEDULE",
    "Admission",
    "Anneal",
    "Bandit",
    "BudgetGate",
    "Choice",
    "Client",
    "CurriculumVectorEnv",
    "CurriculumWrapper",
    "Desk",
    "Distribution",
    "DomainRandomization",
    "Fixed",
    "FloatRange",
    "Gate",
    "IntRange",
    "Ladder",
    "Learnability",
    "LearningProgress",
    "LevelEditor",
    "Mixture",
    "Outcome",
    "PrioritizedLevelReplay",
    "Product",
    "RangeGate",
    "RayDesk",
    "Sampler",
    "Sequence",
    "Server",
    "SimulatedStudent",
    "Source",
    "Stage",
    "TRLCurriculum",
    "TargetSuccess",
    "TaskSpace",
    "ThompsonTarget",
    "Ticket",
    "Uniform",
    "Weighted",
    "ZeroVarianceGate",
    "certifier",
    "episodes_to_mastery",
    "load_state",
    "replay",
    "save_state",
    "sb3_callback",
]
