"""Maximum (weight) independent set: the most vertices of which no two are neighbours.

Greedy: least degree among the vertices left, weight / (degree + 1); Sakai, Togasaki and Yamazaki,
Discrete Applied Mathematics 126 (2003). Polish: one vertex out, two in; Andrade, Resende and Werneck,
Journal of Heuristics 18 (2012).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, vector
from dilemma.problems._graphs import adjacency, random_edges
from dilemma.problems.loaders import read_dimacs

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Chosen(NamedTuple):
    """The vertices chosen, in order; those still free as bits of an int; the weight."""

    vertices: tuple[int, ...]
    free: int
    weight: float


class IndependentSet:
    """Choose a vertex with no chosen neighbour, that of least degree by preference.

    Parameters
    ----------
    n : int
        Vertices are 0 to n - 1.
    edges : array_like of pairs
    weights : array_like, optional
        Positive; 1 each by default. The energy is minus the total weight.

    Examples
    --------
    >>> problem = IndependentSet(3, [(0, 1), (1, 2)])
    >>> problem.energy(problem.apply(problem.apply(problem.initial(), 0), 2))
    -2.0
    """

    commutative = True

    def __init__(self, n: int, edges: ArrayLike, weights: ArrayLike | None = None) -> None:
        self.n = count("n", n)
        self.adjacent = adjacency(self.n, edges)
        self.weights = vector("weights", np.ones(self.n) if weights is None else weights, length=self.n)
        if self.n and self.weights.min() <= 0:
            raise ValueError(
                f"weights: expected positive numbers, got {self.weights.min():g}; leave such vertices out"
            )
        self._counting = self.adjacent.astype(np.float32)
        rows = np.packbits(self.adjacent, axis=1, bitorder="little")
        self._neighbours = [int.from_bytes(row.tobytes(), "little") for row in rows]

    @classmethod
    def random(cls, n: int, seed: int = 0, *, density: float = 0.1) -> Self:
        """Each edge with probability `density`."""
        return cls(n, random_edges(n, seed, density))

    @classmethod
    def load(cls, path: str | PathLike[str], *, complement: bool = False) -> Self:
        """A DIMACS graph; with `complement` the independent sets are the cliques of the file's graph."""
        n, edges = read_dimacs(path)
        if complement:
            edges = np.argwhere(np.triu(~adjacency(n, edges), 1))
        return cls(n, edges)

    def initial(self) -> Chosen:
        return Chosen((), (1 << self.n) - 1, 0.0)

    def actions(self, state: Chosen) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        free = np.frombuffer(state.free.to_bytes(self.n // 8 + 1, "little"), dtype=np.uint8)
        vertices = np.unpackbits(free, bitorder="little", count=self.n).nonzero()[0]
        if 2 * len(vertices) < self.n:
            degrees = self._counting[vertices[:, None], vertices].sum(axis=1)
        else:
            inside = np.zeros(self.n, dtype=np.float32)
            inside[vertices] = 1.0
            degrees = (self._counting @ inside)[vertices]
        return vertices, self.weights[vertices] / (degrees + 1.0)

    def apply(self, state: Chosen, action: int) -> Chosen:
        free = state.free & ~(self._neighbours[action] | 1 << int(action))
        return Chosen((*state.vertices, action), free, state.weight + float(self.weights[action]))

    def energy(self, state: Chosen) -> float:
        return -state.weight

    def legal(self, state: Chosen, action: int) -> bool:
        return bool(state.free >> int(action) & 1)

    def bound(self, state: Chosen) -> float:
        """Cut the free vertices into cliques: no set has two vertices of one."""
        free, most = state.free, 0.0
        while free:
            candidates, best = free, 0.0
            while candidates:
                vertex = (candidates & -candidates).bit_length() - 1
                candidates &= self._neighbours[vertex]
                free ^= 1 << vertex
                best = max(best, float(self.weights[vertex]))
            most += best
        total = state.weight + most
        return -total - 1e-12 * total

    def polish(self, state: Chosen) -> Chosen:
        """Replace a vertex by two of its neighbours of more weight, while there are such."""
        chosen = np.zeros(self.n, dtype=np.bool_)
        chosen[list(state.vertices)] = True
        improved = True
        while improved:
            improved = False
            tight = np.where(chosen, -1, self.adjacent[:, chosen].sum(axis=1))
            for vertex in np.flatnonzero(chosen).tolist():
                near = np.flatnonzero(self.adjacent[vertex] & (tight == 1)).tolist()
                for u, v in combinations(near, 2):
                    if not self.adjacent[u, v] and self.weights[u] + self.weights[v] > self.weights[vertex]:
                        chosen[vertex], chosen[u], chosen[v] = False, True, True
                        improved = True
                        break
                if improved:
                    break
            while len(new := np.flatnonzero(~chosen & ~self.adjacent[:, chosen].any(axis=1))):
                chosen[new[self.weights[new].argmax()]] = True
        result = self.initial()
        for vertex in [*(v for v in state.vertices if chosen[v]), *np.flatnonzero(chosen).tolist()]:
            if self.legal(result, vertex):
                result = self.apply(result, int(vertex))
        return result

    def related(self, a: int, b: int) -> float:
        """How many neighbours two vertices share."""
        return float((self._neighbours[a] & self._neighbours[b]).bit_count())

    def decisions(self, state: Chosen) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.vertices

    def describe(self, action: int) -> str:
        return f"choose vertex {int(action)}"
