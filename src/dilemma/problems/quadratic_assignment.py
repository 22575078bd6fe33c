"""Quadratic assignment: facilities to locations, at least flow times distance.

Greedy: the facility of most flow to where that flow travels least, as in Gilmore, SIAM Journal 10 (1962).
Bound: the smallest scalar product of what is open. Polish: pairwise exchange, all differences at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, square
from dilemma.problems.loaders import read_qap

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Assignment(NamedTuple):
    """The locations of the facilities that have one, in the order in which they got it."""

    sites: tuple[int, ...]


class QuadraticAssignment:
    """Give the facility with the most flow that has no place yet a free location.

    The action is the location. Facilities take their turns in `order`, by flow.

    Parameters
    ----------
    flows, distances : array_like
        Two n x n matrices; the energy is the sum of ``flows[i, j] * distances[location[i], location[j]]``.

    Examples
    --------
    >>> problem = QuadraticAssignment([[0, 5], [3, 0]], [[0, 1], [2, 0]])
    >>> state = problem.apply(problem.apply(problem.initial(), 1), 0)
    >>> problem.energy(state), problem.location(state).tolist()
    (13.0, [1, 0])
    """

    def __init__(self, flows: ArrayLike, distances: ArrayLike) -> None:
        self.flows = square("flows", flows, low=-np.inf)
        self.distances = square("distances", distances, size=len(self.flows), low=-np.inf)
        self.n = len(self.flows)
        flow = np.abs(self.flows).sum(axis=0) + np.abs(self.flows).sum(axis=1)
        self._order = np.argsort(-flow, kind="stable")
        self.order: list[int] = self._order.tolist()
        # By turn: what flows to and from the facilities before, and what all its flow costs at average distances.
        self._turn = np.ascontiguousarray(self.flows[self._order[:, None], self._order])
        self._later = np.outer(
            flow[self._order] / max(1, 2 * self.n), self.distances.sum(axis=0) + self.distances.sum(axis=1)
        )
        self._later += np.outer(self._turn.diagonal(), self.distances.diagonal())

    @classmethod
    def random(cls, n: int, seed: int = 0) -> Self:
        """Symmetric flows and distances, uniform from 0 to 99, as in Taillard's ``tai..a``."""
        rng = np.random.default_rng(seed)
        matrices = np.triu(rng.integers(0, 100, (2, count("n", n), n)), 1)
        return cls(*(matrices + matrices.transpose(0, 2, 1)))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A QAPLIB ``.dat`` file: its first matrix as flows, its second as distances."""
        return cls(*read_qap(path))

    def initial(self) -> Assignment:
        return Assignment(())

    def actions(self, state: Assignment) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        turn, at = len(state.sites), list(state.sites)
        if turn == self.n:
            return np.empty(0, dtype=np.int64), np.empty(0)
        free = np.ones(self.n, dtype=np.bool_)
        free[at] = False
        sites = free.nonzero()[0]
        added = self.distances[:, at] @ self._turn[turn, :turn] + self._turn[:turn, turn] @ self.distances[at]
        # What is still to come travels, so far as anyone knows, an average distance.
        added = (added + self._later[turn])[sites]
        low = added.min()
        scale = max(added.max() - low, 1e-12) + abs(low)
        return sites, scale / (added - low + max(abs(low), 0.01 * scale))

    def apply(self, state: Assignment, action: int) -> Assignment:
        return Assignment((*state.sites, int(action)))

    def energy(self, state: Assignment) -> float:
        at = np.array(state.sites, dtype=np.int64)
        return float((self._turn * self.distances[at[:, None], at]).sum())

    def legal(self, state: Assignment, action: int) -> bool:
        return action not in state.sites

    def location(self, state: Assignment) -> NDArray[np.int64]:
        """The location of each facility, -1 while it has none."""
        location = np.full(self.n, -1)
        location[self._order[: len(state.sites)]] = state.sites
        return location

    def state_of(self, location: NDArray[np.int64]) -> Assignment:
        """The complete state with these locations of the facilities."""
        return Assignment(tuple(location[self._order].tolist()))

    def bound(self, state: Assignment) -> float:
        """The pairs placed, and for the others flows and distances paired largest with smallest."""
        placed, at = self._order[: len(state.sites)], np.array(state.sites, dtype=np.int64)
        open_flows, open_distances = np.ones((2, self.n, self.n), dtype=np.bool_)
        open_flows[placed[:, None], placed] = False
        open_distances[at[:, None], at] = False
        fixed = (self.flows[placed[:, None], placed] * self.distances[at[:, None], at]).sum()
        least = np.sort(self.flows[open_flows]) @ np.sort(self.distances[open_distances])[::-1]
        return float(fixed + least) - 1e-9 * max(1.0, abs(float(fixed)), abs(float(least)))

    def polish(self, state: Assignment) -> Assignment:
        """Exchange the two facilities that gain most, until no exchange gains."""
        location = self.location(state)
        while self.n > 1:
            change = self._exchanges(location)
            i, j = divmod(int(change.argmin()), self.n)
            if change[i, j] >= -1e-9 * max(1.0, np.abs(change).max()):
                break
            location[i], location[j] = location[j], location[i]
        return self.state_of(location)

    def _exchanges(self, location: NDArray[np.int64]) -> NDArray[np.float64]:
        """The change of energy by exchanging each pair, as a matrix."""
        f, d = self.flows, self.distances[location[:, None], location]
        cross = f.T @ d + f @ d.T  # [i, j]: i's flows over j's distances, both ways
        fi, fj = f.diagonal()[:, None], f.diagonal()
        di, dj = d.diagonal()[:, None], d.diagonal()
        change = cross + cross.T - cross.diagonal()[:, None] - cross.diagonal()
        # The sums above ran over i and j themselves too: take those terms out, and put the true ones in.
        change -= (
            (fi - f) * (d - di) + (fi - f.T) * (d.T - di) + (fj - f) * (d - dj) + (fj - f.T) * (d.T - dj)
        )
        change += fi * (dj - di) + fj * (di - dj) + f * (d.T - d) + f.T * (d - d.T)
        np.fill_diagonal(change, 0.0)
        return change

    def related(self, a: int, b: int) -> float:
        """The nearer two locations, the more."""
        return 1.0 / (1.0 + abs(float(self.distances[a, b])) + abs(float(self.distances[b, a])))

    def decisions(self, state: Assignment) -> tuple[int, ...]:
        """Actions that lead to `state`."""
        return state.sites

    def describe(self, action: int) -> str:
        return f"put the next facility at location {int(action)}"
