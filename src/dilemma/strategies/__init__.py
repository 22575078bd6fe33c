"""Search methods, one a file, under the names the literature gives them.

`names` lists them; `resolve` turns a name into a strategy with its default settings.
"""

from __future__ import annotations

from typing import Any

from dilemma.strategies.auto import Auto
from dilemma.strategies.backtracking import Backtracking
from dilemma.strategies.base import Run, Strategy, Traits
from dilemma.strategies.beam import Beam
from dilemma.strategies.best_first import BestFirst
from dilemma.strategies.branch_and_bound import BranchAndBound
from dilemma.strategies.breadth_first import BreadthFirst
from dilemma.strategies.cumulative_regret import CumulativeRegret
from dilemma.strategies.depth_bounded import DepthBounded
from dilemma.strategies.dilemma_first import DilemmaFirst
from dilemma.strategies.genetic import Genetic
from dilemma.strategies.grasp import Grasp
from dilemma.strategies.greedy import Greedy
from dilemma.strategies.halving import Halving
from dilemma.strategies.large_neighbourhood import LargeNeighbourhood
from dilemma.strategies.likelihood import LikelihoodFirst
from dilemma.strategies.limited_discrepancy import LimitedDiscrepancy
from dilemma.strategies.mcts import MCTS
from dilemma.strategies.overview import Row, rows
from dilemma.strategies.pilot import Pilot
from dilemma.strategies.printed import Printed
from dilemma.strategies.r_max import RMax
from dilemma.strategies.random_state import RandomState
from dilemma.strategies.simulated_annealing import SimulatedAnnealing
from dilemma.strategies.tabu import Tabu
from dilemma.strategies.two_queues import TwoQueues

_CLASSES: tuple[Any, ...] = (
    Auto,
    Greedy,
    TwoQueues,
    Halving,
    DilemmaFirst,
    Printed,
    CumulativeRegret,
    LikelihoodFirst,
    LimitedDiscrepancy,
    LargeNeighbourhood,
    DepthBounded,
    BreadthFirst,
    Backtracking,
    RandomState,
    BranchAndBound,
    Beam,
    Pilot,
    Grasp,
    Tabu,
    SimulatedAnnealing,
    Genetic,
    MCTS,
    RMax,
)
STRATEGIES = {cls.name: cls for cls in _CLASSES}


def names() -> list[str]:
    """Return the names `minimize` takes as ``strategy``."""
    return list(STRATEGIES)


def table() -> list[Row]:
    """Return the paper's Table I: one row a strategy, from what each declares of itself."""
    return rows(STRATEGIES)


def resolve(strategy: object) -> Strategy:
    """Return the strategy of that name, or the object itself if it is one."""
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy: expected one of {', '.join(STRATEGIES)}, got {strategy!r}")
        made: Strategy = STRATEGIES[strategy]()
        return made
    if isinstance(strategy, type) or not isinstance(strategy, Strategy):
        raise TypeError(
            f"strategy: expected a name or a configured strategy, got "
            f"{strategy.__name__ if isinstance(strategy, type) else type(strategy).__name__}"
            + ("; call it to make an instance" if isinstance(strategy, type) else "")
        )
    return strategy


__all__ = [
    "MCTS",
    "STRATEGIES",
    "Auto",
    "Backtracking",
    "Beam",
    "BestFirst",
    "BranchAndBound",
    "BreadthFirst",
    "CumulativeRegret",
    "DepthBounded",
    "DilemmaFirst",
    "Genetic",
    "Grasp",
    "Greedy",
    "Halving",
    "LargeNeighbourhood",
    "LikelihoodFirst",
    "LimitedDiscrepancy",
    "Pilot",
    "Printed",
    "RMax",
    "RandomState",
    "Row",
    "Run",
    "SimulatedAnnealing",
    "Strategy",
    "Tabu",
    "Traits",
    "TwoQueues",
    "names",
    "resolve",
    "table",
]
