"""The book's widgets: live in JupyterLab, complete on a page without a kernel, still on paper."""

from .associativity import Associativity
from .bug_lab import BugLab
from .cost import Cost
from .feature_map_explorer import FeatureMapExplorer
from .position_0 import Position0
from .quiz import Quiz
from .recall import Recall
from .state_explorer import StateExplorer
from .three_forms import ThreeForms

__all__ = [
    "Associativity",
    "BugLab",
    "Cost",
    "FeatureMapExplorer",
    "Position0",
    "Quiz",
    "Recall",
    "StateExplorer",
    "ThreeForms",
]
