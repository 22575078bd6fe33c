"""The knapsack of Section V: add the item of most value per weight that still fits (Eq. 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Filled(NamedTuple):
    """A partly filled knapsack."""

    room: float
    value: float
    free: NDArray[np.bool_]


class PaperKnapsack:
    """The paper's problem: no bound, no polish, nothing but the greedy's scores.

    Parameters
    ----------
    values, weights : sequences of numbers
        One an item. Items are renumbered by falling value per weight, so that the greedy takes the first that
        fits; ``order`` maps back.
    capacity : number
        Feasible means a weight of at most this (the paper prints < in one place and <= in another).
    most : int
        Offer at most this many of the items that fit, the best ones. Each candidate passes over at most one more
        action than those before it, so a run of fewer candidates than this sees no difference.
    """

    commutative = True
    normalise = "proportional"

    def __init__(
        self, values: Sequence[float], weights: Sequence[float], capacity: float, *, most: int = 512
    ) -> None:
        v, w = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(w > 0, v / w, np.inf)
        self.order = np.argsort(-score, kind="stable")
        self.values, self.weights, self.scores = v[self.order], w[self.order], score[self.order]
        self.capacity = float(capacity)
        self.most = most

    def initial(self) -> Filled:
        return Filled(self.capacity, 0.0, np.ones(len(self.values), dtype=bool))

    def actions(self, state: Filled) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        start = int(state.free.argmax())
        end = start + 2 * self.most  # as a rule the best of these are enough; otherwise look at all
        fitting = start + np.flatnonzero((self.weights[start:end] <= state.room) & state.free[start:end])
        if len(fitting) < self.most and end < len(self.weights):
            fitting = np.flatnonzero((self.weights <= state.room) & state.free)
        fitting = fitting[: self.most]
        return fitting, self.scores[fitting]  # Eq. 6

    def apply(self, state: Filled, action: int) -> Filled:
        free = state.free.copy()
        free[action] = False
        return Filled(state.room - self.weights[action], state.value + self.values[action], free)

    def branching(self) -> float:
        """Return b: the geometric mean number of items that fit, along the greedy's path."""
        state, counts = self.initial(), []
        while fitting := int(((self.weights <= state.room) & state.free).sum()):
            counts.append(fitting)
            state = self.apply(state, int(self.actions(state)[0][0]))
        return float(np.exp(np.mean(np.log(counts)))) if counts else 1.0

    def energy(self, state: Filled) -> float:
        return -float(state.value)  # printed as the value itself, under arg min
