"""Graph colouring: the fewest colours such that neighbours differ.

Greedy: DSATUR; Brélaz, Communications of the ACM 22 (1979). Polish: one colour fewer by tabu search over partial
colourings; Blöchliger and Zufferey, Computers & Operations Research 35 (2008).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen
from dilemma.problems._graphs import adjacency, random_edges
from dilemma.problems.loaders import read_dimacs

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Colours(NamedTuple):
    """The colour of each vertex (-1: none yet), how many have one, and who may not have each colour in use."""

    colour: NDArray[np.int32]
    done: int
    barred: NDArray[np.bool_]


class Colouring:
    """Colour the vertex with the fewest choices left (DSATUR), with the lowest colour by preference.

    The action is ``(vertex, colour)``; offered are the colours in use that fit and one new colour, which
    reaches every colouring up to the names of the colours. `legal` also allows any other vertex.

    Parameters
    ----------
    n : int
        Vertices are 0 to n - 1.
    edges : array_like of pairs

    Examples
    --------
    >>> problem = Colouring(3, [(0, 1), (1, 2)])
    >>> state = problem.initial()
    >>> while offered := problem.actions(state)[0]:
    ...     state = problem.apply(state, offered[0])
    >>> problem.energy(state)
    2.0
    """

    def __init__(self, n: int, edges: ArrayLike) -> None:
        self.n = count("n", n)
        self.adjacent = adjacency(self.n, edges)
        self._counting = self.adjacent.astype(np.float32)
        self.degree = self.adjacent.sum(axis=1)
        self._clique = self._greedy_clique()

    @classmethod
    def random(cls, n: int, seed: int = 0, *, density: float = 0.5) -> Self:
        """Each edge with probability `density`, as in the DSJC graphs."""
        return cls(n, random_edges(n, seed, density))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A DIMACS ``.col`` file."""
        return cls(*read_dimacs(path))

    def initial(self) -> Colours:
        nobody, nothing = np.full(self.n, -1, dtype=np.int32), np.zeros((0, self.n), dtype=np.bool_)
        return Colours(frozen(nobody), 0, frozen(nothing))

    def actions(self, state: Colours) -> tuple[list[tuple[int, int]], list[float]]:
        if state.done == self.n:
            return [], []
        saturation = state.barred.sum(axis=0)
        vertex = int(np.where(state.colour >= 0, -1, saturation * self.n + self.degree).argmax())
        colours = (~state.barred[:, vertex]).nonzero()[0].tolist()
        colours.append(len(state.barred))
        return [(vertex, colour) for colour in colours], [1.0 / (1.0 + colour) for colour in colours]

    def apply(self, state: Colours, action: tuple[int, int]) -> Colours:
        vertex, colour = action
        if colour == len(state.barred):
            barred = np.concatenate((state.barred, self.adjacent[vertex : vertex + 1]))
        else:
            barred = state.barred.copy()
            barred[colour] |= self.adjacent[vertex]
        barred.setflags(write=False)
        colours = state.colour.copy()
        colours[vertex] = colour
        colours.setflags(write=False)
        return Colours(colours, state.done + 1, barred)

    def energy(self, state: Colours) -> float:
        return float(len(state.barred))

    def legal(self, state: Colours, action: tuple[int, int]) -> bool:
        vertex, colour = action
        if state.colour[vertex] >= 0 or colour > len(state.barred):
            return False
        return colour == len(state.barred) or not state.barred[colour, vertex]

    def bound(self, state: Colours) -> float:
        """No fewer colours than are in use, nor than a clique has vertices."""
        return float(max(len(state.barred), self._clique))

    def _greedy_clique(self) -> int:
        best = 0
        for start in np.argsort(-self.degree, kind="stable")[:50]:
            size, candidates = 1, self.adjacent[start]
            while candidates.any():
                inside = np.where(candidates, self.adjacent[:, candidates].sum(axis=1), -1)
                candidates = candidates & self.adjacent[int(inside.argmax())]
                size += 1
            best = max(best, size)
        return best

    def polish(self, state: Colours) -> Colours:
        """Give up the smallest colour and find its vertices others, while that works (see `_placed`)."""
        colour = state.colour
        while self.n and colour.max() >= self._clique:
            smallest, last = int(np.bincount(colour).argmin()), int(colour.max())
            fewer = np.where(colour == smallest, -1, np.where(colour == last, smallest, colour))
            if not self._placed(fewer, last):
                break
            colour = fewer
        if colour is state.colour:
            return state
        result = self.initial()
        for vertex in np.argsort(
            colour, kind="stable"
        ).tolist():  # the colours in order, as `apply` wants them
            result = self.apply(result, (vertex, int(colour[vertex])))
        return result

    def _placed(self, colour: NDArray[np.int32], k: int, turns_each: int = 5) -> bool:
        """Give the vertices of colour -1 one of k colours, in place: PartialCol, a tabu search.

        A vertex takes the colour that fewest neighbours have; those lose it, and may not have it for a while.
        """
        near = self._counting @ (colour[:, None] == np.arange(k)).astype(np.float32)  # neighbours by colour
        barred_until = np.zeros((self.n, k))
        for turn in range(turns_each * self.n):
            waiting = (colour < 0).nonzero()[0]
            if not len(waiting):
                return True
            cost = near[waiting] + self.n * (barred_until[waiting] > turn)
            at, c = divmod(int(cost.argmin()), k)
            vertex = waiting[at]
            for other in (self.adjacent[vertex] & (colour == c)).nonzero()[0]:
                colour[other] = -1
                near[:, c] -= self._counting[other]
                barred_until[other, c] = turn + 0.6 * len(waiting) + turn % 10 + 1
            colour[vertex] = c
            near[:, c] += self._counting[vertex]
        return not (colour < 0).any()

    def classes(self, state: Colours) -> list[list[int]]:
        """The vertices of each colour."""
        result: list[list[int]] = [[] for _ in state.barred]
        for vertex, colour in enumerate(state.colour.tolist()):
            if colour >= 0:
                result[colour].append(vertex)
        return result

    def related(self, a: tuple[int, int], b: tuple[int, int]) -> float:
        """Neighbours, and vertices of one colour, belong together."""
        return float(self.adjacent[a[0], b[0]]) + float(a[1] == b[1])

    def decisions(self, state: Colours) -> tuple[tuple[int, int], ...]:
        """Actions that lead to `state`, colour by colour."""
        return tuple(
            (vertex, colour) for colour, members in enumerate(self.classes(state)) for vertex in members
        )

    def describe(self, action: tuple[int, int]) -> str:
        return f"give vertex {action[0]} colour {action[1]}"
