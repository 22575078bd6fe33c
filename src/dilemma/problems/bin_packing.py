"""Bin packing: the fewest bins of one capacity that hold all items.

Greedy: best fit (or first fit) decreasing; Johnson, Journal of Computer and System Sciences 8 (1974).
Bound: Martello and Toth's L2, Discrete Applied Mathematics 28 (1990).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import chosen, count, frozen, vector
from dilemma.problems.loaders import read_bin_packing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Bins(NamedTuple):
    """The bin of each item (-1: none yet), how many have one, the room in each open bin, the size to come."""

    bin: NDArray[np.int32]
    done: int
    room: NDArray[np.float64]
    rest: float


class BinPacking:
    """Put the largest free item into a bin with room, the fullest by preference, or into a new one.

    The action is ``(item, bin)``. Bins with equal room are offered once. `legal` also allows any other item.

    Parameters
    ----------
    capacity : float
    sizes : array_like
    rule : {"best", "first"}
        Best fit prefers the bin left with least room, first fit the bin opened first.

    Examples
    --------
    >>> problem = BinPacking(10, [6, 5, 5, 4])
    >>> state = problem.initial()
    >>> while (offered := problem.actions(state))[0]:
    ...     state = problem.apply(state, max(zip(*offered), key=lambda pair: pair[1])[0])
    >>> problem.energy(state)
    2.0
    """

    def __init__(self, capacity: float, sizes: ArrayLike, *, rule: str = "best") -> None:
        self.sizes = vector("sizes", sizes)
        self.capacity = float(vector("capacity", [capacity])[0])
        self.rule = chosen("rule", rule, ("best", "first"))
        self.n = len(self.sizes)
        self._size: list[float] = self.sizes.tolist()
        self._slack = 1e-9 * self.capacity  # sizes such as 0.1 do not add up exactly
        if self.sizes.max(initial=0.0) > self.capacity:
            item = int(self.sizes.argmax())
            raise ValueError(
                f"sizes: expected at most the capacity {capacity:g}, got {self.sizes[item]:g} at [{item}]"
            )
        self.order = np.argsort(-self.sizes, kind="stable")
        self._bound = self._martello_toth()

    @classmethod
    def random(cls, n: int, seed: int = 0, *, capacity: int = 150, low: int = 20, high: int = 100) -> Self:
        """Falkenauer's uniform class: sizes from `low` to `high`, by default 20 to 100 in bins of 150."""
        return cls(capacity, np.random.default_rng(seed).integers(low, high + 1, count("n", n)))

    @classmethod
    def load(cls, path: str | PathLike[str], *, rule: str = "best") -> Self:
        """``n``, the capacity, then the sizes."""
        return cls(*read_bin_packing(path), rule=rule)

    def initial(self) -> Bins:
        nowhere = np.full(self.n, -1, dtype=np.int32)
        return Bins(frozen(nowhere), 0, frozen(np.empty(0)), float(self.sizes.sum()))

    def actions(self, state: Bins) -> tuple[list[tuple[int, int]], list[float]]:
        if state.done == self.n:
            return [], []
        item = int(self.order[state.bin[self.order].argmin()])
        left = state.room - (self.sizes[item] - self._slack)
        fits = (left >= 0.0).nonzero()[0]
        if len(fits):
            fits = fits[np.sort(np.unique(left[fits], return_index=True)[1])]
        bins = [*fits.tolist(), len(state.room)]
        if self.rule == "first":
            scores = [1.0 / (1.0 + bin) for bin in bins]
        else:
            unit = self.capacity / 100 or 1.0
            scores = [*(unit / (unit + left[fits])).tolist(), 1.0 / 200.0]  # a new bin last
        return [(item, bin) for bin in bins], scores

    def apply(self, state: Bins, action: tuple[int, int]) -> Bins:
        item, bin = action
        if bin == len(state.room):
            room = np.empty(bin + 1)
            room[:bin] = state.room
            room[bin] = self.capacity - self.sizes[item]
        else:
            room = state.room.copy()
            room[bin] -= self.sizes[item]
        room.setflags(write=False)
        bins = state.bin.copy()
        bins[item] = bin
        bins.setflags(write=False)
        return Bins(bins, state.done + 1, room, state.rest - float(self.sizes[item]))

    def energy(self, state: Bins) -> float:
        return float(len(state.room))

    def legal(self, state: Bins, action: tuple[int, int]) -> bool:
        item, bin = action
        if state.bin[item] >= 0 or bin > len(state.room):
            return False
        return bool(bin == len(state.room) or self.sizes[item] <= state.room[bin] + self._slack)

    def key(self, state: Bins) -> tuple[bytes, bytes]:
        """Which item sizes are to come, and how much room the bins have, whatever their names."""
        return np.sort(self.sizes[state.bin < 0]).tobytes(), np.sort(state.room).tobytes()

    def bound(self, state: Bins) -> float:
        """What does not fit into the open bins' room needs new ones; and L2 at the start."""
        over = (state.rest - state.room.sum()) / self.capacity if self.capacity else 0.0
        return max(self._bound, len(state.room) + float(np.ceil(max(0.0, over - 1e-6))))

    def _martello_toth(self) -> float:
        """L2: for a threshold k, items above capacity - k share no bin with those of k or more."""
        if not self.n or not self.capacity:
            return float(min(self.n, 1))
        best = np.ceil(self.sizes.sum() / self.capacity - 1e-6)
        for k in np.unique(self.sizes[self.sizes <= self.capacity / 2]):
            alone = self.sizes > self.capacity - k + self._slack
            large = (self.sizes > self.capacity / 2 + self._slack) & ~alone
            small = self.sizes[(self.sizes >= k) & (self.sizes <= self.capacity / 2 + self._slack)]
            room = large.sum() * self.capacity - self.sizes[large].sum()
            best = max(
                best, alone.sum() + large.sum() + np.ceil(max(0.0, small.sum() - room) / self.capacity - 1e-6)
            )
        return float(best)

    def polish(self, state: Bins) -> Bins:
        """Empty the least filled bins into the others, as long as fewer or fuller bins come of it."""
        bins = sorted(self.bins(state), key=self._load)
        again = True
        while again:
            again = False
            for emptied in (1, 2, 3):
                other = self._repacked(bins, emptied)
                if self._fullness(other) > self._fullness(bins):
                    bins, again = sorted(other, key=self._load), True
                    break
        if len(bins) >= len(state.room):
            return state
        result = self.initial()
        for name, items in enumerate(bins):
            for item in items:
                result = self.apply(result, (item, name))
        return result

    def _load(self, items: Iterable[int]) -> float:
        return sum(self._size[item] for item in items)

    def _fullness(self, bins: list[list[int]]) -> tuple[int, float]:
        """Fewer bins first; then some full and some empty ones rather than all alike."""
        return -len(bins), round(sum(self._load(items) ** 2 for items in bins), 6)

    def _repacked(self, bins: list[list[int]], emptied: int) -> list[list[int]]:
        """Free the items of the first bins; exchange them for smaller ones elsewhere; pack the rest best fit."""
        free = sorted((i for items in bins[:emptied] for i in items), key=lambda i: -self._size[i])
        kept = [list(items) for items in bins[emptied:]]
        for items in kept:
            while swap := self._better_fill(items, free):
                out, into = swap
                items[:] = [*(i for i in items if i not in out), *into]
                free = [*(i for i in free if i not in into), *out]
        room = [self.capacity + self._slack - self._load(items) for items in kept]
        for item in sorted(free, key=lambda i: -self._size[i]):
            size = self._size[item]
            left, where = min(((r - size, b) for b, r in enumerate(room) if r >= size), default=(0.0, -1))
            if where < 0:
                kept.append([])
                room.append(self.capacity + self._slack)
                left = room[-1] - size
            kept[where].append(item)
            room[where] = left
        return kept

    def _better_fill(
        self, items: list[int], free: list[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Up to two items of a bin, for up to two free ones that together are larger and still fit."""
        room = self.capacity + self._slack - self._load(items)
        best, swap = 2e-9 * self.capacity, None
        if room <= best:
            return None
        offers = [(self._load(c), c) for k in (1, 2) for c in combinations(free, k)]
        for out in [c for k in (0, 1, 2) for c in combinations(items, k)]:
            size = self._load(out)
            for offer, into in offers:
                if best < offer - size <= room:
                    best, swap = offer - size, (out, into)
        return swap

    def related(self, a: tuple[int, int], b: tuple[int, int]) -> float:
        """Items of one bin belong together."""
        return float(a[1] == b[1])

    def decisions(self, state: Bins) -> tuple[tuple[int, int], ...]:
        """Actions that lead to `state`, bin by bin."""
        return tuple((item, bin) for bin, items in enumerate(self.bins(state)) for item in items)

    def bins(self, state: Bins) -> list[list[int]]:
        """The items of each bin."""
        result: list[list[int]] = [[] for _ in state.room]
        for item, bin in enumerate(state.bin.tolist()):
            if bin >= 0:
                result[bin].append(item)
        return result

    def describe(self, action: tuple[int, int]) -> str:
        return f"put item {action[0]} (size {self.sizes[action[0]]:g}) into bin {action[1]}"
