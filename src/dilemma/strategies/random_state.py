"""Random state selection: the paper's own baseline (ICPR 2016, Section IV).

The same search with the dilemma queue in random order: any state that has an untried action is revisited with
equal probability. Every figure of the paper compares the two over 50 runs. When to use: as the yardstick of every
other order. Cost: one regrowth a candidate, and the queue's memory. Deviations: those of `dilemma_first`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dilemma.strategies.base import Traits
from dilemma.strategies.best_first import BestFirst, Key, uniform


@dataclass(frozen=True, kw_only=True)
class RandomState(BestFirst):
    """Any filed state, with equal probability."""

    name: ClassVar[str] = "random_state"
    traits: ClassVar[Traits] = Traits(stochastic=True)

    def keys(self) -> tuple[Key, ...]:
        return (uniform,)
