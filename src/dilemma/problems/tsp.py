"""Travelling salesman: the shortest closed tour, built city by city (nearest neighbour) or by insertion.

Greedy: nearest neighbour (`TSP`), cheapest insertion (`TSPInsertion`); Rosenkrantz, Stearns and Lewis,
SIAM Journal on Computing 6 (1977). Polish: 2-opt and Or-opt with neighbour lists.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, square, symmetric
from dilemma.problems.tsplib import distances as tsplib_distances
from dilemma.problems.tsplib import read_tsplib
from dilemma.problems.two_opt import TwoOpt

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Tour(NamedTuple):
    """The cities in the order of the visit, those still free as bits, and the length so far."""

    cities: tuple[int, ...]
    free: int
    length: float


class _Cities:
    """What both TSP classes share: the instance, its readers, and the local improvement."""

    def __init__(self, distances: ArrayLike) -> None:
        self.distances = symmetric("distances", square("distances", distances))
        self.n = len(self.distances)
        self._rows: list[list[float]] = self.distances.tolist()
        self._improved = TwoOpt(self.distances)
        apart = self.distances + np.diag(np.full(self.n, np.inf))
        nearest = np.sort(apart, axis=1)[:, :2] if self.n > 2 else np.zeros((self.n, 2))
        self._nearest, self._half = nearest[:, 0], nearest.sum(axis=1) / 2
        positive = self.distances[self.distances > 0]
        floor = positive.min() / 2 if positive.size else 1.0
        self._closeness = frozen(1.0 / np.maximum(self.distances, floor))

    @classmethod
    def random(cls, n: int, seed: int = 0, *, kind: str = "EUC_2D") -> Self:
        """n cities uniform in a square of side 1000."""
        points = np.random.default_rng(seed).uniform(0, 1000, (count("n", n), 2))
        return cls(tsplib_distances(points, kind))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A TSPLIB ``.tsp`` file."""
        return cls(read_tsplib(path).distances)

    def related(self, a: int, b: int) -> float:
        """How much two decisions have to do with each other: the nearer their cities, the more."""
        return float(self._closeness[a % self.n, b % self.n])


class TSP(_Cities):
    """Go to a free city, the nearest by preference; the tour starts at city 0 and closes by itself.

    Parameters
    ----------
    distances : array_like
        Symmetric n x n matrix.

    Examples
    --------
    >>> problem = TSP([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    >>> state = problem.initial()
    >>> state = problem.apply(state, 1)
    >>> problem.energy(problem.apply(state, 2))
    7.0
    """

    def initial(self) -> Tour:
        return Tour((0,), (1 << self.n) - 2, 0.0) if self.n else Tour((), 0, 0.0)

    def actions(self, state: Tour) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        cities = self._free(state)
        return cities, self._closeness[state.cities[-1]][cities] if self.n else np.empty(0)

    def _free(self, state: Tour) -> NDArray[np.int64]:
        bits = np.frombuffer(state.free.to_bytes(self.n // 8 + 1, "little"), dtype=np.uint8)
        return np.unpackbits(bits, bitorder="little", count=self.n).nonzero()[0]

    def apply(self, state: Tour, action: int) -> Tour:
        city, (cities, free, length) = int(action), state
        longer = cities + (city,)  # noqa: RUF005 - twice as fast as unpacking
        return Tour(longer, free & ~(1 << city), length + self._rows[cities[-1]][city])

    def energy(self, state: Tour) -> float:
        return state.length + (self._rows[state.cities[-1]][0] if self.n else 0.0)

    def legal(self, state: Tour, action: int) -> bool:
        return bool(state.free >> int(action) & 1)

    def bound(self, state: Tour) -> float:
        """Every city to come needs two edges, each end of the path one: half of the shortest there are."""
        if not self.n:
            return 0.0
        if not state.free:
            return self.energy(state)
        ends = (self._nearest[state.cities[-1]] + self._nearest[0]) / 2
        return float(state.length + self._half[self._free(state)].sum() + ends) * (1 - 1e-12)

    def polish(self, state: Tour) -> Tour:
        """2-opt and Or-opt until neither finds anything."""
        return self.state_of(self._improved(list(state.cities)))

    def state_of(self, cities: list[int]) -> Tour:
        """The complete state that visits `cities` in this order, turned to begin at city 0."""
        start = cities.index(0) if cities else 0
        tour = cities[start:] + cities[:start]
        return Tour(tuple(tour), 0, float(sum(self._rows[a][b] for a, b in pairwise(tour))))

    def decisions(self, state: Tour) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.cities[1:]

    def describe(self, action: int) -> str:
        return f"go to city {int(action)}"


class Loop(NamedTuple):
    """A closed tour through some of the cities, in order, and its length."""

    cities: tuple[int, ...]
    length: float


class TSPInsertion(_Cities):
    """Insert a city into the closed tour where that costs least; the tour starts as city 0 alone.

    The action ``after * n + city`` puts `city` behind `after`. Offered are every free city at its
    cheapest place, and the cheapest city at every place: enough to reach every tour, and only O(n) of them.
    """

    def initial(self) -> Loop:
        return Loop((0,) if self.n else (), 0.0)

    def actions(self, state: Loop) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        free = np.ones(self.n, dtype=np.bool_)
        tour = np.array(state.cities, dtype=np.int64)
        free[tour] = False
        cities = free.nonzero()[0]
        if not len(cities):
            return cities, cities.astype(np.float64)
        following = np.roll(tour, -1)
        row = self.distances[cities]
        added = row[:, tour] + row[:, following] - self.distances[tour, following]  # cities x places
        place = added.argmin(axis=1)
        cost = added[np.arange(len(cities)), place]
        best = int(cost.argmin())
        elsewhere = np.arange(len(tour)) != place[best]
        action = np.concatenate((tour[place] * self.n + cities, tour[elsewhere] * self.n + cities[best]))
        return action, self._score(np.concatenate((cost, added[best][elsewhere])))

    def _score(self, added: NDArray[np.float64]) -> NDArray[np.float64]:
        """exp(-added length), in units of a typical short edge: the log of a ratio is a loss of length."""
        scale = float(self._nearest.mean()) or 1.0
        return np.exp(np.clip(-added / scale, -700.0, 700.0))

    def apply(self, state: Loop, action: int) -> Loop:
        after, city = divmod(int(action), self.n)
        tour = state.cities
        at = tour.index(after) + 1
        row, following = self._rows[city], tour[at % len(tour)]
        length = state.length + row[after] + row[following] - self._rows[after][following]
        return Loop((*tour[:at], city, *tour[at:]), length)

    def energy(self, state: Loop) -> float:
        return state.length

    def legal(self, state: Loop, action: int) -> bool:
        """Any free city may go behind any city of the tour, offered or not."""
        after, city = divmod(int(action), self.n)
        return after in state.cities and city not in state.cities

    def bound(self, state: Loop) -> float:
        """Two edges at every city: half of the shortest there are, whatever is inserted so far."""
        if len(state.cities) == self.n:
            return state.length
        two = self._half.sum() if self.n > 2 else self.distances.sum()
        return float(two) * (1 - 1e-12)

    def polish(self, state: Loop) -> Loop:
        """2-opt and Or-opt until neither finds anything."""
        tour = self._improved(list(state.cities))
        start = tour.index(0) if tour else 0
        tour = tour[start:] + tour[:start]
        length = sum(self._rows[a][b] for a, b in zip(tour, tour[1:] + tour[:1], strict=True))
        return Loop(tuple(tour), float(length))

    def decisions(self, state: Loop) -> tuple[int, ...]:
        """Actions that lead to `state`: the middle city first, then the middles of both halves, and so on.

        So each decision rests on few others: whoever takes one back need not take back the rest of the tour.
        """
        result = []
        stretches = [(0, len(state.cities))]  # the first city of each is placed, the others are not
        for first, end in stretches:
            if end - first > 1:
                middle = (first + end) // 2
                result.append(state.cities[first] * self.n + state.cities[middle])
                stretches += [(first, middle), (middle, end)]
        return tuple(result)

    def describe(self, action: int) -> str:
        after, city = divmod(int(action), self.n)
        return f"insert city {city} after city {after}"
