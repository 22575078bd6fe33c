"""Breadth-first: the shallowest state first, in the order met. A reference, not a recommendation.

Moore, "The shortest path through a maze" (1959). When to use: to see what the other orders are worth. Cost: one
regrowth a candidate, nearly always from near the root; the queue grows as wide as the tree. Deviations: a state is
completed greedily when it is opened, so that there are candidates from the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met


@dataclass(frozen=True, kw_only=True)
class BreadthFirst(BestFirst):
    """The shallowest state with an untried action first."""

    name: ClassVar[str] = "breadth_first"

    def keys(self) -> tuple[Key, ...]:
        return (shallowest,)


def shallowest(met: Met, scales: Scales) -> FloatArray:
    """Return the depth."""
    return met.depth
