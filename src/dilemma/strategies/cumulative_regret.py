"""Cumulative log-regret: the likelihood given up along the whole path, not only at the last deviation.

The exact form of what the corollary approximates, each unexplored level priced by its own greedy step: best-first
on it is uniform-cost search on −log P with greedy dives (Orseau et al., "Single-agent policy tree search with
guarantees", NeurIPS 2018), and the heap form of weighted discrepancy search (Bedrax-Weiss 1999). When to use:
the scores are calibrated, so that a ratio of scores means a ratio of chances. Cost: one regrowth a candidate, and
the queue's memory. Deviations: a state's actions are opened one at a time, best first, each completed greedily.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met


@dataclass(frozen=True, kw_only=True)
class CumulativeRegret(BestFirst):
    """The smallest sum of log P_max − log P_chosen first.

    Parameters
    ----------
    rank_price : bool, default False
        Add log(1 + rank) to every deviation: P of the r-th best ∝ f_r / (1 + r). It parts ties, and turns into a
        discrepancy search where scores are flat.
    max_queue, normalise
        See `BestFirst`.
    """

    name: ClassVar[str] = "cumulative_regret"

    rank_price: bool = False

    def keys(self) -> tuple[Key, ...]:
        return (functools.partial(path_regret, rank_price=self.rank_price),)


def path_regret(met: Met, scales: Scales, *, rank_price: bool) -> FloatArray:
    """Return the log-likelihood a candidate through the next action gives up."""
    regret = met.regret + met.gap
    return regret + met.log_ranks + np.log1p(met.rank) if rank_price else regret
