"""Quadratic assignment: facilities to locations, at least flow times distance.

Greedy: the facility of most flow to where that flow travels least, as in Gilmore, SIAM Journal 10 (1962).
Bound: the smallest scalar product of what is open. Polish: pairwise exchange, all differences at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, square
from dilemma.problems.loaders import read_qap

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Assignment(NamedTuple):
    """The location of each facility, -1 while it has none."""

    location: NDArray[np.int64]


class QuadraticAssignment:
    """Give the facility with the most flow that has no place yet a free location.

    The action is ``(facility, location)``; offered are all free locations of the next facility. `legal` also
    allows any other facility.

    Parameters
    ----------
    flows, distances : array_like
        Two n x n matrices; the energy is the sum of ``flows[i, j] * distances[location[i], location[j]]``.

    Examples
    --------
    >>> problem = QuadraticAssignment([[0, 5], [3, 0]], [[0, 1], [2, 0]])
    >>> problem.energy(problem.apply(problem.apply(problem.initial(), (0, 1)), (1, 0)))
    13.0
    """

    def __init__(self, flows: ArrayLike, distances: ArrayLike) -> None:
        self.flows = square("flows", flows, low=-np.inf)
        self.distances = square("distances", distances, size=len(self.flows), low=-np.inf)
        self.n = len(self.flows)
        self._flow = np.abs(self.flows).sum(axis=0) + np.abs(self.flows).sum(axis=1)
        self._reach = self.distances.sum(axis=0) + self.distances.sum(axis=1)
        self._order = np.argsort(-self._flow, kind="stable")
        self.order: list[int] = self._order.tolist()
        self._diagonal = self.distances.diagonal()

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
        return Assignment(frozen(np.full(self.n, -1)))

    def actions(self, state: Assignment) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
        if not self.n or state.location[self._order].min() >= 0:
            return [], np.empty(0)
        facility = int(self._order[state.location[self._order].argmin()])
        # By location: is it free, and what flows between the facility there and this one? The last
        # entry takes what belongs to location -1.
        free, out, back = np.ones(self.n + 1, dtype=np.bool_), np.zeros(self.n + 1), np.zeros(self.n + 1)
        free[state.location] = False
        out[state.location], back[state.location] = self.flows[facility], self.flows[:, facility]
        sites = free[:-1].nonzero()[0]
        added = (self.distances @ out[:-1] + back[:-1] @ self.distances)[sites]
        added += self.flows[facility, facility] * self._diagonal[sites]
        # What is still to come travels, so far as anyone knows, an average distance.
        added += self._reach[sites] * (self._flow[facility] / (2 * self.n))
        low = added.min()
        scale = max(added.max() - low, 1e-12) + abs(low)
        return [(facility, site) for site in sites.tolist()], scale / (
            added - low + max(abs(low), 0.01 * scale)
        )

    def apply(self, state: Assignment, action: tuple[int, int]) -> Assignment:
        location = state.location.copy()
        location[action[0]] = action[1]
        location.setflags(write=False)
        return Assignment(location)

    def energy(self, state: Assignment) -> float:
        return self._cost(state.location)

    def _cost(self, location: NDArray[np.int64]) -> float:
        return float((self.flows * self.distances[location[:, None], location]).sum())

    def legal(self, state: Assignment, action: tuple[int, int]) -> bool:
        return bool(state.location[action[0]] < 0) and not (state.location == action[1]).any()

    def bound(self, state: Assignment) -> float:
        """The pairs placed, and for the others flows and distances paired largest with smallest."""
        placed = np.flatnonzero(state.location >= 0)
        at = state.location[placed]
        open_flows, open_distances = np.ones((2, self.n, self.n), dtype=np.bool_)
        open_flows[placed[:, None], placed] = False
        open_distances[at[:, None], at] = False
        fixed = (self.flows[placed[:, None], placed] * self.distances[at[:, None], at]).sum()
        least = np.sort(self.flows[open_flows]) @ np.sort(self.distances[open_distances])[::-1]
        return float(fixed + least) - 1e-9 * max(1.0, abs(float(fixed)), abs(float(least)))

    def polish(self, state: Assignment) -> Assignment:
        """Exchange the two facilities that gain most, until no exchange gains."""
        location = state.location.copy()
        while self.n > 1:
            change = self._exchanges(location)
            i, j = divmod(int(change.argmin()), self.n)
            if change[i, j] >= -1e-9 * max(1.0, np.abs(change).max()):
                break
            location[i], location[j] = location[j], location[i]
        return Assignment(frozen(location))

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

    def related(self, a: tuple[int, int], b: tuple[int, int]) -> float:
        """The flow between the two facilities."""
        return float(abs(self.flows[a[0], b[0]]) + abs(self.flows[b[0], a[0]]))

    def decisions(self, state: Assignment) -> tuple[tuple[int, int], ...]:
        """Actions that lead to `state`, in the order of the greedy."""
        return tuple((f, int(state.location[f])) for f in self.order if state.location[f] >= 0)

    def describe(self, action: tuple[int, int]) -> str:
        return f"put facility {action[0]} at location {action[1]}"
