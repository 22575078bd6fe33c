"""Comparing strategies fairly: all runs in one go, taking turns, and what may be concluded from them.

`compare` runs, `Comparison` holds the runs and answers questions about them.
"""

from dilemma.compare.comparison import Comparison, Outcome
from dilemma.compare.measures import Curve, gap, primal_gap, primal_integral
from dilemma.compare.paired import holm, sign_test, wilcoxon
from dilemma.compare.profiles import Profile, performance_profile
from dilemma.compare.run import compare

__all__ = [
    "Comparison",
    "Curve",
    "Outcome",
    "Profile",
    "compare",
    "gap",
    "holm",
    "performance_profile",
    "primal_gap",
    "primal_integral",
    "sign_test",
    "wilcoxon",
]
