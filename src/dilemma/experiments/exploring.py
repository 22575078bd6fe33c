"""Which states to explore when only d may be: the base case among all adaptive policies, by exhaustion.

The base case says that the greedy finds the most likely candidate "exploring at most d nodes". Here every way of
exploring at most n states of a small tree is tried, each choice free to depend on what was seen before, and the
best one's expected P_opt is compared with the greedy's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

Row = tuple[float, ...]
Path = tuple[int, ...]
Known = frozenset[tuple[Path, Row]]


def best_policy(rows: tuple[Row, ...], *, depth: int, states: int) -> float:
    """Return the largest expected P_opt of a candidate any policy can name after exploring some states.

    Parameters
    ----------
    rows : tuple of tuples
        The values P(A|S) can have in a state, each as likely as its permutations and as the others.
    depth : int
        d of the tree.
    states : int
        How many states may be explored, each reached from an explored one.
    """
    branching = len(rows[0])
    draws = [row for base in rows for row in itertools.permutations(base)]

    @cache
    def value(known: Known, left: int) -> float:
        seen = dict(known)
        stop = max(_likelihoods(seen, depth, branching))
        if not left:
            return stop
        frontier = [p for p in _reachable(seen, branching) if p not in seen and len(p) < depth]
        choices = (
            sum(value(known | {(path, row)}, left - 1) for row in draws) / len(draws) for path in frontier
        )
        return max(stop, *choices) if frontier else stop

    return value(frozenset(), states)


def greedy_policy(rows: tuple[Row, ...], *, depth: int) -> float:
    """Return the greedy's expected P_opt after exploring the d states of its path: E[P_max]**d."""
    return float((sum(max(row) for row in rows) / len(rows)) ** depth)


def _reachable(seen: dict[Path, Row], branching: int) -> Iterator[Path]:
    yield ()
    for path in seen:
        yield from ((*path, a) for a in range(branching))


def _likelihoods(seen: dict[Path, Row], depth: int, branching: int) -> Iterator[float]:
    """Yield the Eq. 2 value below every end of the explored part."""
    for path in _reachable(seen, branching):
        p = float(branching) ** (len(path) - depth)
        for k, action in enumerate(path):
            p *= seen[path[:k]][action]
        yield p
