"""Multi-dimensional 0-1 knapsack: the most profit within several capacities.

Greedy: profit per unit of a surrogate weight, the constraints priced by Lagrange multipliers; Pirkul,
Naval Research Logistics 34 (1987). Instances: Chu and Beasley, Journal of Heuristics 4 (1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, matrix, vector
from dilemma.problems.loaders import read_multi_knapsack

if TYPE_CHECKING:
    from collections.abc import Collection
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Packing(NamedTuple):
    """The items taken, in order; which are still free; the capacities left; the profit."""

    items: tuple[int, ...]
    free: NDArray[np.bool_]
    room: NDArray[np.float64]
    profit: float


class MultiKnapsack:
    """Take an item that still fits, the one of most profit per priced weight by preference.

    Parameters
    ----------
    profits : array_like, n numbers
    weights : array_like, m x n
        One row a constraint.
    capacities : array_like, m numbers

    Examples
    --------
    >>> problem = MultiKnapsack([6, 5, 4], [[3, 2, 2], [1, 2, 2]], [4, 4])
    >>> state = problem.apply(problem.apply(problem.initial(), 1), 2)
    >>> problem.energy(state)
    -9.0
    """

    commutative = True

    def __init__(self, profits: ArrayLike, weights: ArrayLike, capacities: ArrayLike) -> None:
        self.profits = vector("profits", profits)
        self.capacities = vector("capacities", capacities)
        empty = np.empty((len(self.capacities), len(self.profits)))
        given = weights if empty.size else empty
        self.weights = matrix("weights", given, rows=len(self.capacities), columns=len(self.profits))
        self._room = frozen(self.capacities * (1 + 1e-12))  # in any order the same: sums of floats round
        self._of_item = frozen(np.ascontiguousarray(self.weights.T))
        self._prices = _prices(self.profits, self.weights, self.capacities)
        priced = self._prices @ self.weights
        self._reduced = np.maximum(self.profits - priced, 0.0)
        self._score = frozen(
            self.profits / np.maximum(priced, 1e-9 * max(1.0, self.profits.max(initial=0.0)))
        )
        self._whole = bool((self.profits == np.floor(self.profits)).all())

    @classmethod
    def random(cls, n: int, seed: int = 0, *, m: int = 5, tightness: float = 0.5) -> Self:
        """Chu and Beasley's generator: profits follow the mean weight, capacities share the total."""
        rng = np.random.default_rng(seed)
        weights = rng.integers(1, 1001, (count("m", m, low=1), count("n", n))).astype(np.float64)
        profits = np.floor(weights.mean(axis=0) + 500 * rng.random(n))
        return cls(profits, weights, np.floor(tightness * weights.sum(axis=1)))

    @classmethod
    def load_all(cls, path: str | PathLike[str]) -> list[Self]:
        """Every instance of an OR-Library ``mknap`` or ``mknapcb`` file."""
        return [cls(data.profits, data.weights, data.capacities) for data in read_multi_knapsack(path)]

    @classmethod
    def load(cls, path: str | PathLike[str], index: int = 0) -> Self:
        """One instance of an OR-Library file."""
        instances = read_multi_knapsack(path)
        if not 0 <= index < len(instances):
            raise ValueError(f"index: expected 0 to {len(instances) - 1} for {path}, got {index}")
        return cls(*instances[index][:3])

    def initial(self) -> Packing:
        return Packing((), frozen(self.profits > 0), self._room, 0.0)

    def actions(self, state: Packing) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        items = self._fitting(state).nonzero()[0]
        return items, self._score[items]

    def _fitting(self, state: Packing) -> NDArray[np.bool_]:
        return np.logical_and((self.weights <= state.room[:, None]).all(axis=0), state.free)

    def apply(self, state: Packing, action: int) -> Packing:
        free = state.free.copy()
        free[action] = False
        free.setflags(write=False)
        room = state.room - self._of_item[action]
        room.setflags(write=False)
        return Packing((*state.items, action), free, room, state.profit + float(self.profits[action]))

    def energy(self, state: Packing) -> float:
        return -state.profit

    def legal(self, state: Packing, action: int) -> bool:
        return bool(state.free[action] and (self._of_item[action] <= state.room).all())

    def bound(self, state: Packing, banned: Collection[int] = frozenset()) -> float:
        """Lagrangian: the room left at its price, and what the free items earn beyond theirs."""
        fits = self._fitting(state)
        if banned:
            fits[list(banned)] = False
        best = state.profit + float(self._prices @ state.room + self._reduced[fits].sum())
        best += 1e-9 * max(1.0, best)
        return -float(np.floor(best)) if self._whole else -best

    def polish(self, state: Packing) -> Packing:
        """Swap an item for one of more profit, or add one, while that fits."""
        items, free, room = list(state.items), state.free.copy(), state.room.copy()
        improved = True
        while improved:
            improved = False
            for place, item in enumerate(items):
                better = free & (self.profits > self.profits[item])
                better &= (self.weights <= (room + self._of_item[item])[:, None]).all(axis=0)
                if better.any():
                    new = int(np.where(better, self.profits, -1.0).argmax())
                    room += self._of_item[item] - self._of_item[new]
                    free[item], free[new], items[place] = True, False, new
                    improved = True
            while (fits := (self.weights <= room[:, None]).all(axis=0) & free).any():
                new = int(np.where(fits, self._score, -1.0).argmax())
                room -= self._of_item[new]
                free[new] = False
                items.append(new)
                improved = True
        return self._state_of(items)

    def _state_of(self, items: list[int]) -> Packing:
        state = self.initial()
        for item in items:
            state = self.apply(state, item)
        return state

    def decisions(self, state: Packing) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.items

    def describe(self, action: int) -> str:
        return f"take item {int(action)} (profit {self.profits[action]:g})"


def _prices(
    profits: NDArray[np.float64],
    weights: NDArray[np.float64],
    capacities: NDArray[np.float64],
    rounds: int = 300,
) -> NDArray[np.float64]:
    """Multipliers of the capacities that make the Lagrangian bound small, by subgradient steps."""
    m = len(capacities)
    if not m or not profits.any():
        return np.zeros(m)
    scale = np.where(capacities > 0, capacities, 1.0)
    shares = weights / scale[:, None]
    price = np.full(m, profits.sum() / max(shares.sum(), 1e-12) / 2)
    best, best_price, step = np.inf, price, 1.0
    for _ in range(rounds):
        reduced = profits - price @ shares
        dual = price.sum() + np.maximum(reduced, 0.0).sum()
        if dual < best:
            best, best_price = dual, price
        else:
            step *= 0.95
        slope = 1.0 - shares[:, reduced > 0].sum(axis=1)
        norm = float(slope @ slope)
        if norm < 1e-12:
            break
        price = np.maximum(0.0, price - step * 0.05 * best / norm * slope)
    return np.where(capacities > 0, best_price / scale, best_price)
