"""Pilot method, or rollout algorithm: decide by how well the greedy goes on from each alternative.

Duin and Voß, Networks 34 (1999); Bertsekas, Tsitsiklis and Wu, Journal of Heuristics 3 (1997), whose
fortified form this is: the best solution found is never left for a worse one. When to use: a budget of about
(decisions x alternatives) candidates, and a greedy that is better judged by its outcome than by its scores.
Cost: one candidate for every alternative of every state passed. Deviations: none; it ends after one pass, and
`beam` goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.problem import Model
from dilemma.stop import checked_count
from dilemma.strategies.base import Traits
from dilemma.strategies.beam import BeamRun


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """At every state, complete each alternative greedily and take the best one.

    Parameters
    ----------
    filter : int, optional
        Alternatives of a state tried, best scores first. Default: all.
    """

    name: ClassVar[str] = "pilot"
    traits: ClassVar[Traits] = Traits(space="little", optimal_in_the_limit=False)

    filter: int | None = None

    def __post_init__(self) -> None:
        if self.filter is not None:
            checked_count("filter", self.filter, least=2)

    def shape(self, turn: int) -> tuple[float, float] | None:
        """Return width and number of alternatives of the only pass."""
        if turn:
            return None
        return 1.0, float("inf") if self.filter is None else float(self.filter)

    def start(self, model: Model, rng: np.random.Generator) -> BeamRun:
        """Return a fresh run."""
        return BeamRun(self, model)
