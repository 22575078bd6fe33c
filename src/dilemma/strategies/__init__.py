"""Search methods, one a file, under the names the literature gives them.

`names` lists them; `resolve` turns a name into a strategy with its default settings.
"""

from __future__ import annotations

from typing import Any

from dilemma.strategies.auto import Auto
from dilemma.strategies.backtracking import Backtracking
from dilemma.strategies.base import Run, Strategy, Traits
from dilemma.strategies.best_first import BestFirst
from dilemma.strategies.breadth_first import BreadthFirst
from dilemma.strategies.cumulative_regret import CumulativeRegret
from dilemma.strategies.depth_bounded import DepthBounded
from dilemma.strategies.dilemma_first import DilemmaFirst
from dilemma.strategies.greedy import Greedy
from dilemma.strategies.likelihood import LikelihoodFirst
from dilemma.strategies.limited_discrepancy import LimitedDiscrepancy
from dilemma.strategies.printed import Printed
from dilemma.strategies.random_state import RandomState

_CLASSES: tuple[Any, ...] = (
    Auto,
    Greedy,
    DilemmaFirst,
    Printed,
    CumulativeRegret,
    LikelihoodFirst,
    LimitedDiscrepancy,
    DepthBounded,
    BreadthFirst,
    Backtracking,
    RandomState,
)
STRATEGIES = {cls.name: cls for cls in _CLASSES}


def names() -> list[str]:
    """Return the names `minimize` takes as ``strategy``."""
    return list(STRATEGIES)


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
    "STRATEGIES",
    "Auto",
    "Backtracking",
    "BestFirst",
    "BreadthFirst",
    "CumulativeRegret",
    "DepthBounded",
    "DilemmaFirst",
    "Greedy",
    "LikelihoodFirst",
    "LimitedDiscrepancy",
    "Printed",
    "RandomState",
    "Run",
    "Strategy",
    "Traits",
    "names",
    "resolve",
]
