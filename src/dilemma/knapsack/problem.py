"""The knapsack as a `dilemma.Problem`: the readable way, for any strategy of the engine."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .formats import read
from .generators import generate
from .instance import Column, Instance, Number
from .items import Items, ratio_order

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt


class State(NamedTuple):
    """Items taken so far, by their rank in ratio order. Never changed once made."""

    taken: npt.NDArray[np.bool_]
    room: int  # in the instance's integer units
    value: int
    start: int  # from here on nothing is taken; it still fits
    holes: tuple[int, ...]  # what can still be taken before: items passed over, ascending


class Knapsack:
    """Choose items of most value whose weights fit the capacity (the paper's Section V).

    The greedy takes the item of best value per weight that still fits (Eq. 6); the energy is minus the value;
    feasible means weight <= capacity. Items that weigh nothing are in from the start and worthless ones are
    never offered, so every score is finite and positive. Equal ratios are offered heavier first.

    Parameters
    ----------
    values, weights : sequence or array of numbers
    capacity : number
        As for `dilemma.knapsack.solve`, which is the fast way to solve one instance.

    Examples
    --------
    >>> problem = Knapsack([60, 100, 120], [10, 20, 30], 50)
    >>> items, ratios = problem.actions(problem.initial())
    >>> items.tolist(), ratios.tolist()
    ([0, 1, 2], [6.0, 5.0, 4.0])
    """

    commutative = True

    def __init__(self, values: Column, weights: Column, capacity: Number) -> None:
        self.instance = Instance(values, weights, capacity)
        data = self.instance.integers()
        free = np.flatnonzero((data.weights == 0) & (data.values > 0))
        live = np.flatnonzero((data.weights > 0) & (data.values > 0) & (data.weights <= data.capacity))
        v, w = data.values[live].tolist(), data.weights[live].tolist()
        order = ratio_order(v, w)
        self._free = tuple(free.tolist())
        self._base = sum(data.values[free].tolist())
        self._items = live[order].astype(np.int64)
        self._sorted = Items([v[i] for i in order], [w[i] for i in order], data.capacity)
        self._weights = data.weights[live][order]
        self._heaviest = np.maximum.accumulate(self._weights[::-1])[::-1].tolist()  # from each rank on
        self._ratios = np.array([v[i] / w[i] for i in order], dtype=np.float64)
        self._rank = {item: rank for rank, item in enumerate(self._items.tolist())}
        self._capacity, self._scale = data.capacity, data.value_scale

    @classmethod
    def from_instance(cls, instance: Instance) -> Knapsack:
        """Return the problem of an `Instance`, as files and generators give it."""
        return cls(instance.values, instance.weights, instance.capacity)

    @classmethod
    def random(cls, n: int, seed: int = 0, *, kind: str = "uncorrelated") -> Knapsack:
        """An instance of one of Pisinger's classes (`dilemma.knapsack.CLASSES`)."""
        return cls.from_instance(generate(kind, n, seed=seed))

    @classmethod
    def load(cls, path: str | PathLike[str], *, format: str = "auto") -> Knapsack:
        """An instance from a file in any of the formats of `dilemma.knapsack.read`."""
        return cls.from_instance(read(path, format=format))

    def initial(self) -> State:
        """Nothing taken but what weighs nothing."""
        start = self._sorted.next_fitting(0, self._capacity)
        return State(np.zeros(len(self._items), dtype=bool), self._capacity, self._base, start, ())

    def actions(self, state: State) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Items that still fit, best ratio first, with their ratios."""
        start, holes = state.start, list(state.holes)
        if start == len(self._items) or self._heaviest[start] <= state.room:  # all of them from there on
            items, ratios = self._items[start:], self._ratios[start:]
        else:
            fitting = np.flatnonzero(self._weights[start:] <= state.room) + start
            items, ratios = self._items[fitting], self._ratios[fitting]
        if holes:
            items = np.concatenate((self._items[holes], items))
            ratios = np.concatenate((self._ratios[holes], ratios))
        return items, ratios

    def apply(self, state: State, action: int) -> State:
        """Take one item."""
        items, rank = self._sorted, self._rank[int(action)]
        taken = state.taken.copy()
        taken[rank] = True
        room, start, holes = state.room - items.weight[rank], state.start, state.holes
        if rank < start:
            at = bisect_left(holes, rank)
            holes = holes[:at] + holes[at + 1 :]
        elif rank > start:
            holes = holes + tuple(range(start, rank))
        if holes and room < self._heaviest[0]:  # something may not fit any more
            holes = tuple(r for r in holes if items.weight[r] <= room)
        start = items.next_fitting(max(start, rank + 1) if rank >= start else start, room)
        return State(taken, room, state.value + items.value[rank], start, holes)

    def energy(self, state: State) -> float:
        """Minus the value."""
        return -float(self.instance.report(state.value, self._scale))

    def bound(self, state: State, banned: frozenset[int] = frozenset()) -> float:
        """Minus Dantzig's bound: items by ratio while they fit, then a part of the next, rounded down."""
        items, at, room, value = self._sorted, state.start, state.room, state.value
        ranks = {self._rank.get(int(a), -1) for a in banned}
        for hole in state.holes:
            if hole in ranks:
                continue
            if items.weight[hole] > room:  # the break item: a part of it, rounded down
                return self._bound_energy(value + room * items.value[hole] // items.weight[hole])
            value, room = value + items.value[hole], room - items.weight[hole]
        closed = sorted((r for r in ranks if r >= at), reverse=True)
        while (at := items.next_fitting(at, state.room)) < items.n:  # passes what is too heavy for the state
            while closed and closed[-1] < at:
                closed.pop()
            if closed and closed[-1] == at:
                at += 1
                continue
            end = items.run_end(at, room)
            if closed:
                end = min(end, closed[-1])
            if end == at:
                return self._bound_energy(value + room * items.value[at] // items.weight[at])
            value += items.value_sum[end] - items.value_sum[at]
            room -= items.weight_sum[end] - items.weight_sum[at]
            at = end
        return self._bound_energy(value)

    def _bound_energy(self, value: int) -> float:
        return -float(self.instance.report(value, self._scale))

    def legal(self, state: State, action: int) -> bool:
        """Return whether the item may still be taken."""
        rank = self._rank.get(int(action))
        return rank is not None and not state.taken[rank] and self._sorted.weight[rank] <= state.room

    def describe(self, action: int) -> str:
        """Name an item for people."""
        i = int(action)
        return f"item {i} (value {self.instance.values[i]}, weight {self.instance.weights[i]})"

    def chosen(self, state: State) -> list[int]:
        """Return the indices of the items in a state, ascending."""
        return sorted([*self._free, *self._items[state.taken].tolist()])
