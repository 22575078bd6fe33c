"""Capacitated vehicle routing: the shortest routes from a depot that serve every customer's demand.

Greedy: savings; Clarke and Wright, Operations Research 12 (1964). Polish: 2-opt and Or-opt within a route,
moving and exchanging customers between routes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, square, symmetric, vector
from dilemma.problems.tsplib import distances as tsplib_distances
from dilemma.problems.tsplib import read_tsplib
from dilemma.problems.two_opt import TwoOpt

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

EPS = 1e-9


class Routes(NamedTuple):
    """The edges joined, in order; for each end of a route its other end (-1 inside) and load; the saving."""

    edges: tuple[int, ...]
    other_end: NDArray[np.int64]
    load: NDArray[np.float64]
    saved: float


class VehicleRouting:
    """Start with one route a customer; join the ends of two routes, where most is saved by preference.

    The action ``i * n + j`` (i < j) joins customers i and j. Any number of vehicles may be used. Edges that
    save nothing are never offered: with the triangle inequality no optimum needs one.

    Parameters
    ----------
    distances : array_like
        Symmetric n x n matrix; node 0 is the depot.
    demands : array_like
        One for each node; the depot's is ignored.
    capacity : float

    Examples
    --------
    >>> problem = VehicleRouting([[0, 5, 5], [5, 0, 1], [5, 1, 0]], [0, 1, 1], 2)
    >>> problem.energy(problem.initial())
    20.0
    >>> problem.energy(problem.apply(problem.initial(), 1 * 3 + 2))
    11.0
    """

    commutative = True

    def __init__(self, distances: ArrayLike, demands: ArrayLike, capacity: float) -> None:
        self.distances = symmetric("distances", square("distances", distances))
        self.n = len(self.distances)
        demand = np.array(vector("demands", demands, length=self.n))
        demand[:1] = 0.0
        self.demands = frozen(demand)
        self.capacity = float(vector("capacity", [capacity])[0])
        self._room = self.capacity * (1 + 1e-12)  # in any order the same: sums of floats round
        if demand.max(initial=0.0) > self.capacity:
            node = int(demand.argmax())
            raise ValueError(
                f"demands: expected at most the capacity {self.capacity:g}, got {demand[node]:g} at [{node}]"
            )
        depot = self.distances[:1].ravel()
        saving = depot[:, None] + depot - self.distances if self.n else np.zeros((0, 0))
        saving[:1] = 0.0
        self._saving = frozen(np.triu(saving, 1))  # each pair once
        # Half of the two shortest edges at each node (both may lead to the depot), and the depot's own half.
        apart = np.hstack((self.distances + np.diag(np.full(self.n, np.inf)), depot[:, None]))
        self._nearest = np.sort(apart, axis=1)[:, :2] / 2
        fewest = int(np.ceil(demand.sum() / self.capacity - 1e-9)) if self.capacity else min(1, self.n - 1)
        self._depot_share = float(np.sort(depot[1:])[: max(1, fewest)].sum())
        self._alone = 2.0 * float(depot.sum())

    @classmethod
    def random(cls, n: int, seed: int = 0, *, per_route: float = 8.0) -> Self:
        """n customers uniform in a square of side 1000 round a central depot; demands 1 to 100."""
        rng = np.random.default_rng(seed)
        points = np.vstack(([[500.0, 500.0]], rng.integers(0, 1001, (count("n", n), 2))))
        demands = np.concatenate(([0], rng.integers(1, 101, n)))
        capacity = max(float(demands.max()), float(np.ceil(per_route * demands.sum() / max(n, 1))))
        return cls(tsplib_distances(points, "EUC_2D"), demands, capacity)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A TSPLIB or CVRPLIB ``.vrp`` file."""
        data = read_tsplib(path)
        if not len(data.demands):
            raise ValueError(f"{path}, line 1: expected a DEMAND_SECTION (a .vrp file), got none")
        order = np.concatenate(([data.depot], np.delete(np.arange(len(data.demands)), data.depot)))
        demands = data.demands[order]
        demands[:1] = 0.0
        return cls(data.distances[order[:, None], order], demands, data.capacity)

    def initial(self) -> Routes:
        ends = np.arange(self.n)
        ends[:1] = -1
        return Routes((), frozen(ends), self.demands, 0.0)

    def actions(self, state: Routes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        ends = (state.other_end >= 0).nonzero()[0]
        saving, load = self._saving[ends[:, None], ends], state.load[ends]
        joinable = (
            (saving > 0) & (load[:, None] + load <= self._room) & (state.other_end[ends][:, None] != ends)
        )
        rows, columns = joinable.nonzero()
        return ends[rows] * self.n + ends[columns], saving[rows, columns]

    def apply(self, state: Routes, action: int) -> Routes:
        i, j = divmod(int(action), self.n)
        other_end, load = state.other_end.copy(), state.load.copy()
        a, b = int(other_end[i]), int(other_end[j])
        other_end[i] = other_end[j] = -1
        other_end[a], other_end[b] = b, a  # after the line above: a may be i, b may be j
        load[a] = load[b] = load[i] + load[j]
        other_end.setflags(write=False)
        load.setflags(write=False)
        return Routes((*state.edges, action), other_end, load, state.saved + float(self._saving[i, j]))

    def energy(self, state: Routes) -> float:
        return self._alone - state.saved

    def legal(self, state: Routes, action: int) -> bool:
        i, j = divmod(int(action), self.n)
        a, b = state.other_end[i], state.other_end[j]
        if a < 0 or b < 0 or a == j:
            return False
        return bool(state.load[i] + state.load[j] <= self._room and self._saving[i, j] > 0)

    def bound(self, state: Routes) -> float:
        """The edges joined; at each place still open half of the shortest edge; and what the depot needs."""
        if self.n < 2:
            return 0.0
        ends = (state.other_end >= 0).nonzero()[0]
        single = ends[state.other_end[ends] == ends]  # these still have two places open
        depot = self.distances[0]
        joined = self.energy(state) - depot[ends].sum() - depot[single].sum()
        return (
            float(joined + self._nearest[ends, 0].sum() + self._nearest[single, 1].sum() + self._depot_share)
            - 1e-9
        )

    def routes(self, state: Routes) -> list[list[int]]:
        """The customers of each route, in order."""
        near: list[list[int]] = [[] for _ in range(self.n)]
        for edge in state.edges:
            i, j = divmod(int(edge), self.n)
            near[i].append(j)
            near[j].append(i)
        routes = []
        for start in (state.other_end >= 0).nonzero()[0].tolist():
            if start <= state.other_end[start]:
                route, previous = [start], -1
                while onward := [c for c in near[route[-1]] if c != previous]:
                    previous = route[-1]
                    route.append(onward[0])
                routes.append(route)
        return routes

    def polish(self, state: Routes) -> Routes:
        """Improve each route as a tour, and move or exchange customers between them, until nothing helps."""
        routes = self.routes(state)
        while True:
            routes = [self._toured(route) for route in routes]
            if not (self._relocate(routes) or self._exchange(routes)):
                break
        result = self.state_of(routes)
        return result if self.energy(result) < self.energy(state) else state

    def _toured(self, route: list[int]) -> list[int]:
        nodes = [0, *route]
        tour = TwoOpt(self.distances[np.ix_(nodes, nodes)], k=8)(list(range(len(nodes))))
        start = tour.index(0)
        return [nodes[i] for i in tour[start + 1 :] + tour[:start]]

    def _relocate(self, routes: list[list[int]]) -> bool:
        """Move customers to better places in other routes."""
        moved = False
        d = self.distances
        for home in routes:
            for customer in list(home):
                at = home.index(customer)
                before, after = home[at - 1] if at else 0, home[at + 1] if at + 1 < len(home) else 0
                freed = d[before, customer] + d[customer, after] - d[before, after]
                if freed <= EPS:
                    continue
                best, target, place = freed - EPS, None, 0
                for route in routes:
                    if route is home or not route or self.demands[[*route, customer]].sum() > self._room:
                        continue
                    ahead, behind = [0, *route], [*route, 0]
                    added = d[customer, ahead] + d[customer, behind] - d[ahead, behind]
                    if added.min() < best:
                        best, target, place = added.min(), route, int(added.argmin())
                if target is not None:
                    home.remove(customer)
                    target.insert(place, customer)
                    moved = True
        routes[:] = [route for route in routes if route]
        return moved

    def _exchange(self, routes: list[list[int]]) -> bool:
        """Exchange two customers of different routes, each taking the other's place."""
        customers = np.array([c for route in routes for c in route], dtype=np.int64)
        if not len(customers):
            return False
        before = np.array([b for route in routes for b in [0, *route[:-1]]])
        after = np.array([a for route in routes for a in [*route[1:], 0]])
        where = np.repeat(np.arange(len(routes)), [len(route) for route in routes])
        load = np.array([self.demands[route].sum() for route in routes])[where]
        d, q = self.distances, self.demands[customers]
        there = d[customers[:, None], before] + d[customers[:, None], after]  # i in the place of j
        change = there + there.T - there.diagonal()[:, None] - there.diagonal()
        grown = load[:, None] - q[:, None] + q  # the load of i's route with j instead
        change[(where[:, None] == where) | (grown > self._room) | (self._room < grown.T)] = 0.0
        i, j = divmod(int(change.argmin()), len(customers))
        if change[i, j] >= -EPS * max(1.0, d.max()):
            return False
        first, second = routes[where[i]], routes[where[j]]
        a, b = int(customers[i]), int(customers[j])
        first[first.index(a)], second[second.index(b)] = b, a
        return True

    def state_of(self, routes: list[list[int]]) -> Routes:
        """The state with these routes."""
        state = self.initial()
        for route in routes:
            for a, b in pairwise(route):
                state = self.apply(state, min(a, b) * self.n + max(a, b))
        return state

    def related(self, a: int, b: int) -> float:
        """How near two edges are: by the closest of their ends."""
        first, second = divmod(int(a), self.n), divmod(int(b), self.n)
        return 1.0 / (1.0 + min(float(self.distances[i, j]) for i in first for j in second))

    def decisions(self, state: Routes) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.edges

    def describe(self, action: int) -> str:
        i, j = divmod(int(action), self.n)
        return f"join customers {i} and {j} (saves {self._saving[i, j]:g})"
