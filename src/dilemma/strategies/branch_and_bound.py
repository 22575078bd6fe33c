"""Branch and bound: what the bound rules out is never looked at.

Land and Doig, Econometrica 28 (1960); best-bound order and dives: Linderoth and Savelsbergh, INFORMS Journal
on Computing 11 (1999). When to use: the problem has a ``bound`` that is close to the truth, and a proof is
wanted. Cost: best-bound keeps all open states, depth-first only those along a path. Deviations: every state
opened is completed greedily at once (a dive), so that there is an incumbent from the first candidate on;
states are opened one child at a time, in the greedy's order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dilemma.errors import ProblemError
from dilemma.problem import Model
from dilemma.strategies.backtracking import deepest
from dilemma.strategies.base import Traits
from dilemma.strategies.best_first import BestFirst, BestFirstRun, Key, Scales
from dilemma.strategies.explored import FloatArray, Met

ORDERS = ("best_bound", "depth_first")


@dataclass(frozen=True, kw_only=True)
class BranchAndBound(BestFirst):
    """Open the state with the least bound, or the deepest one, and drop those that cannot beat the incumbent.

    Parameters
    ----------
    order : {"best_bound", "depth_first"}
        ``best_bound``: fewest states until the proof. ``depth_first``: least memory.
    max_queue, normalise, partition
        See `BestFirst`.
    """

    name: ClassVar[str] = "branch_and_bound"
    traits: ClassVar[Traits] = Traits(needs_bound=True)

    order: Literal["best_bound", "depth_first"] = "best_bound"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in ORDERS:
            raise ValueError(f"order: expected one of {', '.join(ORDERS)}, got {self.order!r}")

    def keys(self) -> tuple[Key, ...]:
        return (least_bound,) if self.order == "best_bound" else (deepest,)

    def start(self, model: Model, rng: np.random.Generator) -> BestFirstRun:
        """Return a fresh run."""
        if model.bound is None:
            raise ProblemError(
                f"branch_and_bound: expected a problem with a method bound(state), an optimistic energy of "
                f"anything below the state; {type(model.problem).__name__} lacks it. Add one, or choose a strategy "
                f"that needs none, such as 'backtracking'"
            )
        return super().start(model, rng)


def least_bound(met: Met, scales: Scales) -> FloatArray:
    """Return the bound on what is untried below each state; ties go to the queue's own rule."""
    rest = met.dive.rest
    return np.zeros(len(met)) if rest is None else rest[met.at]
