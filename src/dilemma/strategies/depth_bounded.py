"""Depth-bounded Discrepancy Search: deviations near the root first.

Walsh, IJCAI 1997. In iteration i the last deviation is at depth i, whatever happened above; within a depth the
fewest deviations come first. When to use: the greedy errs early (it knows little) rather than late. Cost: one
regrowth a candidate, and the queue's memory. Deviations: iterations are a queue order: no candidate is grown twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met


@dataclass(frozen=True, kw_only=True)
class DepthBounded(BestFirst):
    """The shallowest last deviation first, then the fewest deviations."""

    name: ClassVar[str] = "depth_bounded"

    def keys(self) -> tuple[Key, ...]:
        return (deviation_depth,)


def deviation_depth(met: Met, scales: Scales) -> FloatArray:
    """Return the depth of the deviation; the number of deviations parts equal depths."""
    return met.depth + 1e-6 * met.deviations
