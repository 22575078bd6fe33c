"""R-max-style exploration: what was never tried is taken to be as good as anything.

Brafman and Tennenholtz, "R-max", Journal of Machine Learning Research 3 (2003). The model is the explored
tree. Its transitions are deterministic, so that trying an action once makes it known; an unknown action
promises the largest reward, so that the agent goes to the one it reaches at the least known loss: an untried
action of a state on the best path known. Cost: one regrowth a candidate, and the
queue's memory. When to use: a baseline for exploration that trusts energies alone;
scores only order a state's own actions. Deviations: ties, which the original leaves open, go to the
shallowest state, and each trial is continued greedily to a complete solution instead of by a plan of fixed
length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met


@dataclass(frozen=True, kw_only=True)
class RMax(BestFirst):
    """The untried action nearest to the best trajectory known."""

    name: ClassVar[str] = "r_max"

    def keys(self) -> tuple[Key, ...]:
        return (known_loss,)


def known_loss(met: Met, scales: Scales) -> FloatArray:
    """Return the energy of the candidate on which a state was met."""
    return np.nan_to_num(met.energy, nan=np.inf, posinf=np.inf)
