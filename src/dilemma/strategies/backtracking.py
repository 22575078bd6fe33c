"""Chronological backtracking: undo the last decision first.

The classical depth-first search with the greedy's order of actions (Golomb and Baumert, J. ACM 1965). The queue
stays as short as a path is long. When to use: small problems to be exhausted in little memory. Cost:
one regrowth a candidate, nearly always from near its end. Deviations: none; every leaf is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dilemma.strategies.base import Traits
from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met


@dataclass(frozen=True, kw_only=True)
class Backtracking(BestFirst):
    """The deepest state with an untried action first."""

    name: ClassVar[str] = "backtracking"
    traits: ClassVar[Traits] = Traits(space="little")

    def keys(self) -> tuple[Key, ...]:
        return (deepest,)


def deepest(met: Met, scales: Scales) -> FloatArray:
    """Return minus the depth."""
    return -met.depth
