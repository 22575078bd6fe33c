"""Paired tests of two methods over the same instances: exact where that can be counted, else approximate.

Both ask whether a difference this one-sided would be likely if it were equally likely to be positive and
negative (sign test), and of equal size both ways (signed ranks).

.. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945).
.. [2] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
   6 (1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

EXACT_UP_TO = 100  # pairs; the count below takes n^3 / 2 additions


def mid_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return the ranks of the values, 1 the least; equal ones share the mean of their ranks.

    >>> mid_ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    array = np.asarray(values, dtype=float)
    ordered = np.sort(array)
    below = np.searchsorted(ordered, array, side="left")
    upto = np.searchsorted(ordered, array, side="right")
    return (below + upto + 1) / 2.0


def wilcoxon(differences: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test [1]_.

    Differences of zero are left out, equal sizes share their rank. Up to 100 pairs the p-value is exact (every
    assignment of signs counted, ties included); beyond that it is the normal approximation, corrected for ties.

    >>> wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0])
    0.0625
    """
    given = _finite(differences)
    given = given[given != 0]
    n = len(given)
    if not n:
        return 1.0
    ranks = mid_ranks(np.abs(given))
    positive = float(ranks[given > 0].sum())
    if n <= EXACT_UP_TO:
        doubled = np.rint(2 * ranks).astype(np.int64)  # ties have halves
        ways = _subset_sums(doubled)
        at = round(2 * positive)
        tail = min(ways[: at + 1].sum(), ways[at:].sum())
        return min(1.0, 2.0 * float(tail))
    _, tied = np.unique(ranks, return_counts=True)
    mean = n * (n + 1) / 4.0
    variance = n * (n + 1) * (2 * n + 1) / 24.0 - float((tied**3 - tied).sum()) / 48.0
    return math.erfc(abs(positive - mean) / math.sqrt(2.0 * variance))


def _subset_sums(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for every sum, how likely a random subset of the ranks has it."""
    share = np.zeros(int(ranks.sum()) + 1)
    share[0] = 1.0
    for rank in ranks.tolist():
        share[rank:] += share[:-rank].copy()
        share /= 2.0  # halved at each rank, so that no count overflows
    return share


def sign_test(differences: ArrayLike) -> float:
    """Return the two-sided p-value of the sign test, exact for any number of pairs; zeros are left out.

    >>> sign_test([1.0, 2.0, -3.0, 0.0])
    1.0
    """
    given = _finite(differences)
    wins, losses = int((given > 0).sum()), int((given < 0).sum())
    n, few = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(few + 1)) / 2**n) if n else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for having made several tests at once [2]_.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [1.0] * len(p_values)
    worst = 0.0
    for step, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - step) * p_values[index]))
        corrected[index] = worst
    return corrected


def _finite(differences: ArrayLike) -> NDArray[np.float64]:
    """Return the differences as a vector; infinite ones (no feasible solution) are the largest there are."""
    array = np.asarray(differences, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"differences: expected one number a pair, got an array of shape {array.shape}")
    if np.isnan(array).any():
        raise ValueError("differences: expected numbers, got NaN; leave such a pair out")
    return array
