"""The knapsack as a `dilemma.Problem`: the readable way, for any strategy of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .formats import read
from .generators import generate
from .instance import Column, Instance, Number
from .items import ratio_order

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt


class State(NamedTuple):
    """Items taken so far, by their rank in ratio order. Never changed once made."""

    taken: npt.NDArray[np.bool_]
    room: int  # in the instance's integer units
    value: int
    start: int  # every item ranked before is taken or too heavy by now


class Knapsack:
    """Choose items of most value whose weights fit the capacity (the paper's Section V).

    The greedy takes the item of best value per weight that still fits (Eq. 4); the energy is minus the value;
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
        self._values = data.values[live][order]
        self._weights = data.weights[live][order]
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
        return State(np.zeros(len(self._items), dtype=bool), self._capacity, self._base, 0)

    def actions(self, state: State) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Items that still fit, best ratio first, with their ratios."""
        ranks = self._open(state)
        return self._items[ranks], self._ratios[ranks]

    def apply(self, state: State, action: int) -> State:
        """Take one item."""
        rank = self._rank[int(action)]
        taken = state.taken.copy()
        taken[rank] = True
        room = state.room - int(self._weights[rank])
        start = state.start
        while start < len(taken) and (taken[start] or self._weights[start] > room):
            start += 1
        return State(taken, room, state.value + int(self._values[rank]), start)

    def energy(self, state: State) -> float:
        """Minus the value."""
        return -float(self.instance.report(state.value, self._scale))

    def bound(self, state: State, banned: frozenset[int] = frozenset()) -> float:
        """Minus Dantzig's bound: items by ratio while they fit, then a part of the next, rounded down."""
        ranks = self._open(state)
        if banned:
            out = np.zeros(len(self._items), dtype=bool)
            out[[self._rank[int(a)] for a in banned if int(a) in self._rank]] = True
            ranks = ranks[~out[ranks]]
        weight = np.cumsum(self._weights[ranks])
        whole = int(np.searchsorted(weight, state.room, side="right"))
        value = state.value + int(self._values[ranks[:whole]].sum()) if whole else state.value
        if whole < len(ranks):
            room = state.room - (int(weight[whole - 1]) if whole else 0)
            # In Python's integers: no overflow.
            value += room * int(self._values[ranks[whole]]) // int(self._weights[ranks[whole]])
        return -float(self.instance.report(value, self._scale))

    def legal(self, state: State, action: int) -> bool:
        """Return whether the item may still be taken."""
        rank = self._rank.get(int(action))
        return rank is not None and not state.taken[rank] and bool(self._weights[rank] <= state.room)

    def describe(self, action: int) -> str:
        """Name an item for people."""
        i = int(action)
        return f"item {i} (value {self.instance.values[i]}, weight {self.instance.weights[i]})"

    def chosen(self, state: State) -> list[int]:
        """Return the indices of the items in a state, ascending."""
        return sorted([*self._free, *self._items[state.taken].tolist()])

    def _open(self, state: State) -> npt.NDArray[Any]:
        start = state.start
        fits = (self._weights[start:] <= state.room) & ~state.taken[start:]
        return np.flatnonzero(fits) + start
