"""Dilemma First Search: revisit the decision that was hardest to make.

Weissenberg, Riemenschneider, Dragon and Van Gool, "Dilemma First Search for effortless optimization of NP-hard
problems", ICPR 2016, Algorithm 1 with its gaps mended (`best_first`). When to use: the scores are comparable
from state to state, and few deviations from the greedy are expected. Cost: one regrowth a candidate, and the
queue's memory. Deviations: the printed algorithm is
`printed`; ties and re-filed states are defined here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met

GAPS = ("raw", "log", "relative")


@dataclass(frozen=True, kw_only=True)
class DilemmaFirst(BestFirst):
    """The smallest gap between the best action and the next untried one first.

    Parameters
    ----------
    gap : {"log", "raw", "relative"}
        ``raw``: f_best − f_next, as Sections V and VI of the paper use it. ``log``: log P_best − log P_next, as
        Eq. 5 defines it. ``relative``: (f_best − f_next) / |f_best|.
    depth_constant : float, default 0
        The corollary's constant: each level of depth makes a dilemma this much more urgent.
    max_queue, normalise
        See `BestFirst`.
    """

    name: ClassVar[str] = "dilemma_first"

    gap: Literal["log", "raw", "relative"] = "log"
    depth_constant: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gap not in GAPS:
            raise ValueError(f"gap: expected one of {', '.join(GAPS)}, got {self.gap!r}")

    def keys(self) -> tuple[Key, ...]:
        return (functools.partial(local_gap, kind=self.gap, constant=self.depth_constant),)


def local_gap(met: Met, scales: Scales, *, kind: str, constant: float) -> FloatArray:
    """Return what the next action loses against the best one; δ is its reciprocal."""  # Eq. 5
    if kind == "log":
        gap = met.gap
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.where(met.best == met.next, 0.0, met.best - met.next)
            if kind == "relative":
                gap = np.where(gap == 0.0, 0.0, gap / np.abs(met.best))
        gap = np.nan_to_num(gap, nan=np.inf, posinf=np.inf)
    return gap - constant * met.depth if constant else gap  # Corollary 1
