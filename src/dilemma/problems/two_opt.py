"""2-opt and Or-opt for symmetric tours, with neighbour lists and a queue of cities worth another look.

Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4 (1992).
The queue is his don't-look bits: only the ends of changed edges are looked at again. The tour is an array,
and a reversal turns the shorter side, so both orientations stand for the same tour.

`TwoOpt` uses the native kernel (`native/polish.hpp`) where it is built; `two_opt` below is its readable twin and
makes the same moves.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from dilemma.problems._checks import chosen

try:
    from dilemma.native import _polish  # type: ignore[attr-defined]
except ImportError:  # no compiler when this was installed
    _polish = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

EPS = 1e-9  # a gain has to be larger than rounding


def neighbour_lists(distances: NDArray[np.float64], k: int = 10) -> list[list[int]]:
    """For each city the k nearest others, nearest first."""
    n = len(distances)
    order = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1, kind="stable")
    neighbours: list[list[int]] = order[:, : max(0, min(k, n - 1))].tolist()
    return neighbours


class TwoOpt:
    """2-opt and Or-opt for one distance matrix: call it with a tour.

    Parameters
    ----------
    distances : array, n x n
        Symmetric.
    k : int
        How many nearest neighbours of a city are tried.
    backend : {"auto", "native", "python"}
        "auto" is native where it is built. Both give the same tours.
    """

    def __init__(self, distances: NDArray[np.float64], *, k: int = 10, backend: str = "auto") -> None:
        chosen("backend", backend, ("auto", "native", "python"))
        if backend == "native" and _polish is None:
            raise ValueError("backend: expected 'auto' or 'python', got 'native', which was not built")
        self.native = _polish is not None and backend != "python"
        neighbours = neighbour_lists(distances, k)
        if self.native:
            self._distances = np.ascontiguousarray(distances, dtype=np.float64)
            self._neighbours = np.array(neighbours, dtype=np.int32).reshape(
                len(distances), -1 if neighbours else 0
            )
        else:
            self._rows, self._lists = distances.tolist(), neighbours

    def __call__(self, tour: list[int]) -> list[int]:
        """The improved tour; the one given stays as it is."""
        if not self.native:
            return two_opt(list(tour), self._rows, self._lists)
        array = np.array(tour, dtype=np.int32)
        _polish.two_opt(array, self._distances, self._neighbours)
        improved: list[int] = array.tolist()
        return improved


def two_opt(tour: list[int], distances: list[list[float]], neighbours: list[list[int]]) -> list[int]:
    """Improve `tour` in place until no 2-opt move and no move of up to three cities helps; return it."""
    n = len(tour)
    if n < 4:
        return tour
    place = [0] * len(distances)
    for i, city in enumerate(tour):
        place[city] = i
    queue = deque(tour)
    waiting = [True] * len(distances)
    while queue:
        city = queue.popleft()
        waiting[city] = False
        while touched := (
            _two_opt_move(city, tour, place, distances, neighbours)
            or _or_opt_move(city, tour, place, distances, neighbours)
        ):
            for end in touched:
                if not waiting[end]:
                    waiting[end] = True
                    queue.append(end)
    return tour


def _two_opt_move(
    a: int, tour: list[int], place: list[int], distances: list[list[float]], neighbours: list[list[int]]
) -> tuple[int, ...]:
    """Replace a's edge to its successor (or predecessor) and one more by two shorter ones."""
    n = len(tour)
    row = distances[a]
    for step in (1, -1):
        b = tour[(place[a] + step) % n]
        old = row[b]
        for c in neighbours[a]:
            gain = old - row[c]
            if gain <= EPS:
                break
            d = tour[(place[c] + step) % n]
            if gain + distances[c][d] - distances[b][d] > EPS:
                if step == 1:  # a b ... c d becomes a c ... b d
                    _reverse(tour, place, place[b], place[c])
                else:  # d c ... b a becomes d b ... c a
                    _reverse(tour, place, place[c], place[b])
                return a, b, c, d
    return ()


def _or_opt_move(
    a: int, tour: list[int], place: list[int], distances: list[list[float]], neighbours: list[list[int]]
) -> tuple[int, ...]:
    """Take up to three cities that begin at a, and put them, a first or last, between two neighbours."""
    n = len(tour)
    row = distances[a]
    for step in (1, -1):
        before = tour[(place[a] - step) % n]  # a stays on this side of the segment a ... last
        for size in range(1, min(3, n - 3) + 1):
            last = tour[(place[a] + step * (size - 1)) % n]
            after = tour[(place[a] + step * size) % n]
            freed = row[before] + distances[last][after] - distances[before][after]
            if freed <= EPS:
                continue
            for c in neighbours[a]:
                if freed - row[c] <= EPS:
                    break
                if (place[c] - place[a]) * step % n < size:
                    continue  # c is in the segment
                for side in (step, -step):
                    d = tour[(place[c] + side) % n]
                    if (place[d] - place[a]) * step % n < size:
                        continue  # c is next to the segment, and d inside
                    if freed - row[c] - distances[last][d] + distances[c][d] > EPS:
                        _move(tour, place, a, last, c, d, step, side)
                        return before, a, last, after, c, d
    return ()


def _move(tour: list[int], place: list[int], a: int, last: int, c: int, d: int, step: int, side: int) -> None:
    """Put the segment a ... last between the adjacent c and d, with a next to c.

    Only the cities between the segment's old and new place move with it, on the side where they are fewer.
    """
    n = len(tour)
    start = place[a]
    size = (place[last] - start) * step % n + 1
    near = c if side == step else d  # the first of the two, read along `step`
    segment = [tour[(start + step * i) % n] for i in range(size)]
    if near != c:
        segment.reverse()
    ahead = (place[near] - place[last]) * step % n  # how many cities from behind the segment to `near`
    behind = n - size - ahead  # and how many from the other to before it
    if ahead <= behind:
        moved = [tour[(start + step * (size + i)) % n] for i in range(ahead)] + segment
    else:
        start -= step * behind
        moved = segment + [tour[(start + step * i) % n] for i in range(behind)]
    for i, city in enumerate(moved):
        at = (start + step * i) % n
        tour[at] = city
        place[city] = at


def _reverse(tour: list[int], place: list[int], i: int, j: int) -> None:
    """Reverse the places i to j (cyclic), or, what is the same tour, the rest, if that is shorter."""
    n = len(tour)
    inside = (j - i) % n + 1
    if 2 * inside > n:
        i, j = (j + 1) % n, (i - 1) % n
        inside = n - inside
    for _ in range(inside // 2):
        u, v = tour[i], tour[j]
        tour[i], tour[j] = v, u
        place[v], place[u] = i, j
        i = i + 1 if i + 1 < n else 0
        j = j - 1 if j else n - 1
