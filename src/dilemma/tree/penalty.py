"""Choosing the price of a leaf by cross-validation: ``leaf_penalty="cv"``."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dilemma.tree import engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

GRID = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
DEFAULT = 2.0
FOLDS = 3


def rows_of(data: engine.Data, rows: NDArray[np.intp]) -> engine.Data:
    """Some rows of a data set."""
    return replace(
        data,
        codes=np.ascontiguousarray(data.codes[:, rows]),
        target=data.target[rows],
        weights=None if data.weights is None else data.weights[rows],
    )


class Choice(NamedTuple):
    """The price chosen, and whether Ctrl-C ended the choosing."""

    price: float
    interrupted: bool


def choose(
    data: engine.Data,
    settings: Callable[[engine.Data, float], engine.Settings],
    strata: NDArray[Any],
    rng: np.random.RandomState,
    *,
    time_limit: float | None,
    max_iter: int | None,
) -> Choice:
    """The price of `GRID` whose trees cost least on held-out thirds; the highest among equals.

    Thirds that there is no time for are left out; without a single one, and for a handful of rows, the price is
    `DEFAULT`.

    Parameters
    ----------
    data : Data
    settings : function of (Data, price)
        Settings of the search for a price.
    strata : NDArray
        What the folds are balanced by.
    rng : RandomState
    time_limit : float or None
        Seconds for all the searches together, shared evenly.
    max_iter : int or None
        Iterations of each search.
    """
    if data.n_rows < 2 * FOLDS:
        return Choice(DEFAULT, False)
    shuffled = rng.permutation(data.n_rows)
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    fold = np.empty(data.n_rows, dtype=np.intp)
    fold[order] = np.arange(data.n_rows) % FOLDS
    deadline = None if time_limit is None else time.perf_counter() + max(time_limit, 0.0)
    cost = np.zeros(len(GRID))
    left = FOLDS * len(GRID)
    interrupted = False
    for k in range(FOLDS):
        grow = rows_of(data, np.flatnonzero(fold != k))
        held_out = rows_of(data, np.flatnonzero(fold == k))
        here: list[float] = []
        for price in GRID:
            share = None if deadline is None else (deadline - time.perf_counter()) / left
            if share is not None and share <= 0:
                break
            chosen = settings(grow, price)
            search = engine.TreeSearch(grow, chosen)
            try:
                search.run(time_limit=share, max_iter=max_iter)
            except KeyboardInterrupt:
                interrupted = True
                break
            here.append(search.tree().cost(held_out, chosen.cost_matrix))
            left -= 1
        if len(here) < len(GRID):  # prices are compared on whole folds only
            break
        cost += here
    if left > (FOLDS - 1) * len(GRID):  # not one whole fold
        return Choice(DEFAULT, interrupted)
    return Choice(float(GRID[int(np.flatnonzero(cost <= cost.min() * (1 + 1e-9))[-1])]), interrupted)
