"""Limited Discrepancy Search: candidates that follow the greedy almost everywhere first.

Harvey and Ginsberg, IJCAI 1995; improved: Korf, AAAI 1996. Order: by the number of decisions that are not greedy.
In best-first form every candidate is grown once, so the repeats of the original do not occur. When to use: the
scores say which action is best but not by how much. Cost: one regrowth a candidate, and the queue's memory.
Deviations: iterations are a queue order, not a depth-first
probe; ``improved`` differs in taking late deviations first.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar, Literal

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met

VARIANTS = ("original", "rank", "improved")
TIE = 1e-9  # a level of depth, against a whole discrepancy


@dataclass(frozen=True, kw_only=True)
class LimitedDiscrepancy(BestFirst):
    """The fewest discrepancies first.

    Parameters
    ----------
    variant : {"original", "rank", "improved"}
        ``original``: any action but the best is one discrepancy, early ones first. ``rank``: the r-th best counts
        r. ``improved``: as original, late ones first.
    max_queue, normalise
        See `BestFirst`.
    """

    name: ClassVar[str] = "limited_discrepancy"

    variant: Literal["original", "rank", "improved"] = "original"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant not in VARIANTS:
            raise ValueError(f"variant: expected one of {', '.join(VARIANTS)}, got {self.variant!r}")

    def keys(self) -> tuple[Key, ...]:
        return (functools.partial(discrepancies, variant=self.variant),)


def discrepancies(met: Met, scales: Scales, *, variant: str) -> FloatArray:
    """Return how many discrepancies the candidate through the next action has."""
    if variant == "rank":
        return met.ranks + met.rank
    if variant == "improved":
        return met.deviations + 1.0 - TIE * met.depth
    return met.deviations + 1.0
