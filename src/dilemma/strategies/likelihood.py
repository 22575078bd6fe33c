"""Likelihood order: candidates by their expected probability of being the optimum.

Eq. 2 of the paper (ICPR 2016) as the key itself, L_α = Σ_path log P + log P(next) + (levels left)·u, where u is the
assumed log-probability of a level that is not explored yet. When to use: to see the paper's theory at work; it
needs P itself, so every state's scores are normalised. Cost: O(actions log actions) more a state than the others.
Deviations: depth, branching and u are estimated from the states met, where the paper takes them as known.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met

ASSUMPTIONS = ("certain", "uniform", "greedy")


@dataclass(frozen=True, kw_only=True)
class LikelihoodFirst(BestFirst):
    """The candidate most likely to be the optimum first.

    Parameters
    ----------
    unexplored : {"greedy", "certain", "uniform"} or float
        u: ``uniform`` is −log b (Assumption 1), ``greedy`` is log E[P_max] estimated from the greedy steps seen,
        ``certain`` is 0; a number is taken as it is.
    max_queue, normalise
        See `BestFirst`.
    """

    name: ClassVar[str] = "likelihood"
    full: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True

    unexplored: Literal["greedy", "certain", "uniform"] | float = "greedy"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.unexplored, str) and self.unexplored not in ASSUMPTIONS:
            raise ValueError(
                f"unexplored: expected one of {', '.join(ASSUMPTIONS)} or a number, got {self.unexplored!r}"
            )

    def keys(self) -> tuple[Key, ...]:
        return (functools.partial(negative_log_likelihood, unexplored=self.unexplored),)


def negative_log_likelihood(met: Met, scales: Scales, *, unexplored: str | float) -> FloatArray:
    """Return −L_α."""  # Eq. 2
    if unexplored == "certain":
        u = 0.0
    elif unexplored == "uniform":
        u = -math.log(scales.branching)
    elif unexplored == "greedy":
        u = scales.log_greedy
    else:
        u = float(unexplored)
    left = np.maximum(scales.levels - met.depth - 1, 0.0)
    return -(met.log_p + met.log_next + left * u)
