"""The plain greedy: one candidate and done. Candidate 0 of every other strategy, and the baseline of them all.

Edmonds, "Matroids and the greedy algorithm", Mathematical Programming 1 (1971), says when that is enough. When to
use: as a baseline. Cost: one candidate. Deviations: none.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout
from dilemma.strategies.base import Traits


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """The best action everywhere, once."""

    name: ClassVar[str] = "greedy"
    traits: ClassVar[Traits] = Traits(space="small", reuses=False, optimal_in_the_limit=False)

    def start(self, model: Model, rng: np.random.Generator) -> GreedyRun:
        """Return a fresh run."""
        return GreedyRun()


class GreedyRun:
    """One proposal."""

    def __init__(self) -> None:
        self._asked = False
        self._only = False

    def ask(self, count: int) -> list[Proposal]:
        first, self._asked = not self._asked, True
        return [Proposal()] if first else []

    def tell(self, rollout: Rollout) -> None:
        self._only = all(n == 1 for n in rollout.count)  # no choice was to be made: nothing else exists

    def seen(self) -> Container[Hashable]:
        return ()

    def proves(self) -> bool:
        return self._only

    def bound(self) -> float:
        return -math.inf
