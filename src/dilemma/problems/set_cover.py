"""Set cover: the cheapest columns that together cover every row.

Greedy: most rows newly covered per cost; Chvatal, Mathematics of Operations Research 4 (1979).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, integers, vector
from dilemma.problems.loaders import read_set_cover

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Cover(NamedTuple):
    """The columns chosen, in order; the open rows as bits of an int (bit r is row r); the cost."""

    columns: tuple[int, ...]
    open: int
    cost: float


class SetCover:
    """Choose a column that covers something new, the most rows per cost by preference.

    The order of the columns of a cover without redundant ones never matters, and a cover with one is
    no better than without it: hence `commutative`.

    Parameters
    ----------
    costs : array_like, n numbers
    rows : int
        How many rows there are to cover.
    covers : sequence of n sequences
        The rows (from 0) that each column covers.

    Examples
    --------
    >>> problem = SetCover([3, 1, 1], 3, [[0, 1, 2], [0, 1], [2]])
    >>> problem.energy(problem.apply(problem.apply(problem.initial(), 1), 2))
    2.0
    """

    commutative = True

    def __init__(self, costs: ArrayLike, rows: int, covers: Sequence[ArrayLike]) -> None:
        self.costs = vector("costs", costs, length=len(covers))
        self.rows = count("rows", rows)
        self.covers = [np.unique(integers(f"covers[{j}]", c, low=0, high=rows)) for j, c in enumerate(covers)]
        self._mask = [sum(1 << r for r in c.tolist()) for c in self.covers]
        columns = np.repeat(np.arange(len(self.covers)), [len(c) for c in self.covers])
        flat = np.concatenate([*self.covers, np.empty(0, dtype=np.int64)])
        by_row = columns[np.argsort(flat, kind="stable")]
        self._columns_of = np.split(by_row, np.cumsum(np.bincount(flat, minlength=self.rows))[:-1])[
            : self.rows
        ]
        bare = [row for row, columns in enumerate(self._columns_of) if not len(columns)]
        if bare:
            raise ValueError(f"covers: expected a column for every row, got none for row {bare[0]}")
        floor = 1e-9 * max(1.0, self.costs.max(initial=0.0))
        self._per_cost = frozen(1.0 / np.maximum(self.costs, floor))
        self._prices = self._dual_prices(flat, columns) if self.rows else np.zeros(0)
        self._whole = bool((self.costs == np.floor(self.costs)).all())

    @classmethod
    def random(
        cls, n: int, seed: int = 0, *, rows: int | None = None, density: float = 0.02, unicost: bool = False
    ) -> Self:
        """Balas and Ho's generator: costs 1 to 100, each row covered at least twice, no column empty."""
        rng = np.random.default_rng(seed)
        n = count("n", n)
        m = count("rows", max(1, n // 5) if rows is None else rows)
        if n < 2 and m:
            return cls(np.ones(max(n, 1)), m, [np.arange(m)])
        inside = rng.random((m, n)) < density
        for row in range(m):
            inside[row, rng.choice(n, 2, replace=False)] = True
        if m:
            inside[rng.integers(m, size=n), np.arange(n)] = True
        costs = np.ones(n) if unicost else rng.integers(1, 101, n)
        return cls(costs, m, [np.flatnonzero(inside[:, j]) for j in range(n)])

    @classmethod
    def load(cls, path: str | PathLike[str], *, layout: str = "rows") -> Self:
        """An OR-Library file: ``scp`` by default, ``rail`` with ``layout="columns"``."""
        return cls(*read_set_cover(path, layout=layout))

    def initial(self) -> Cover:
        return Cover((), (1 << self.rows) - 1, 0.0)

    def actions(self, state: Cover) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if not state.open:
            return np.empty(0, dtype=np.int64), np.empty(0)
        rows = self._open_rows(state.open).tolist()
        gains = np.bincount(np.concatenate([self._columns_of[row] for row in rows]))
        columns = gains.nonzero()[0]
        return columns, gains[columns] * self._per_cost[columns]

    def _open_rows(self, mask: int) -> NDArray[np.int64]:
        packed = np.frombuffer(mask.to_bytes(self.rows // 8 + 1, "little"), dtype=np.uint8)
        return np.unpackbits(packed, bitorder="little").nonzero()[0]

    def apply(self, state: Cover, action: int) -> Cover:
        return Cover(
            (*state.columns, action), state.open & ~self._mask[action], state.cost + float(self.costs[action])
        )

    def energy(self, state: Cover) -> float:
        return state.cost

    def legal(self, state: Cover, action: int) -> bool:
        return bool(state.open & self._mask[action])

    def key(self, state: Cover) -> tuple[int, float]:
        return state.open, state.cost

    def bound(self, state: Cover) -> float:
        """The open rows at dual prices: no column is worth more than its cost."""
        if not state.open:
            return state.cost
        bound = state.cost + float(self._prices[self._open_rows(state.open)].sum())
        bound -= 1e-9 * max(1.0, bound)
        return float(np.ceil(bound)) if self._whole else bound

    def _dual_prices(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """A price for each row such that no column covers more than it costs, and the sum is large.

        Subgradient steps on the Lagrangian dual, scaled back to feasible, then ascent row by row.
        """
        n, costs = len(self.costs), self.costs
        best, best_price, step = -1.0, np.zeros(self.rows), 0.1
        price = best_price
        for _ in range(150):
            reduced = costs - np.bincount(columns, price[rows], n)
            taken = reduced < 0.0
            dual = price.sum() + reduced[taken].sum()
            if dual > best:
                best, best_price = dual, price
            else:
                step *= 0.95
            slope = 1.0 - np.bincount(rows, taken[columns], self.rows)
            norm = float(slope @ slope)
            if norm == 0.0:
                break
            price = np.maximum(0.0, price + step * max(best, costs.mean()) / norm * slope)
        spent = np.bincount(columns, best_price[rows], n)
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.where(spent > costs, spent / costs, 1.0)
        worst = np.ones(self.rows)
        np.maximum.at(worst, rows, excess[columns])
        prices: NDArray[np.float64] = best_price / worst
        left = costs - np.bincount(columns, prices[rows], n)
        for row in np.argsort(-prices, kind="stable").tolist():
            more = max(0.0, left[self._columns_of[row]].min())
            prices[row] += more
            left[self._columns_of[row]] -= more
        return prices

    def polish(self, state: Cover) -> Cover:
        """Drop redundant columns, the dearest first."""
        kept = list(state.columns)
        for column in sorted(state.columns, key=lambda c: (-self.costs[c], len(self.covers[c]))):
            rest = 0
            for other in kept:
                if other != column:
                    rest |= self._mask[other]
            if not self._mask[column] & ~rest:
                kept.remove(column)
        return Cover(tuple(kept), 0, float(self.costs[kept].sum()))

    def related(self, a: int, b: int) -> float:
        """How many rows both columns cover."""
        return float((self._mask[a] & self._mask[b]).bit_count())

    def decisions(self, state: Cover) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.columns

    def describe(self, action: int) -> str:
        return f"choose column {int(action)} (cost {self.costs[action]:g}, {len(self.covers[action])} rows)"
