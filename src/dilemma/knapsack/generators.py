"""Pisinger's published classes of knapsack instances, seeded.

Sources: D. Pisinger, "Core problems in knapsack algorithms", Operations Research 47 (1999) 570-575, for the
classic classes; D. Pisinger, "Where are the hard knapsack problems?", Computers & Operations Research 32
(2005) 2271-2284, for spanner, multiple strongly correlated, profit ceiling and circle; S. Martello,
D. Pisinger and P. Toth, "Dynamic programming and strong bounds for the 0-1 knapsack problem", Management
Science 45 (1999) 414-424, for similar weights. The random numbers are NumPy's, not Pisinger's, so the
instances are of his classes but not his.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dilemma.arguments import generator

from .instance import Instance

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Pair = tuple[Ints, Ints]


MAX_RANGE = 10**12


def _uniform(rng: np.random.Generator, low: int, high: int, n: int) -> Ints:
    return rng.integers(low, high, size=n, endpoint=True, dtype=np.int64)


def _uncorrelated(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights and values in [1, R]."""
    weights = _uniform(rng, 1, r, n)
    return _uniform(rng, 1, r, n), weights


def _weak(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights in [1, R], values in [w - R/10, w + R/10] but at least 1."""
    weights = _uniform(rng, 1, r, n)
    return np.maximum(1, weights + _uniform(rng, -(r // 10), r // 10, n)), weights


def _strong(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights in [1, R], values w + R/10."""
    weights = _uniform(rng, 1, r, n)
    return weights + r // 10, weights


def _inverse_strong(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Values in [1, R], weights v + R/10."""
    values = _uniform(rng, 1, r, n)
    return values, values + r // 10


def _almost_strong(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights in [1, R], values in [w + R/10 - R/500, w + R/10 + R/500]."""
    weights = _uniform(rng, 1, r, n)
    return np.maximum(1, weights + r // 10 + _uniform(rng, -(r // 500), r // 500, n)), weights


def _subset_sum(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights in [1, R], values equal to them."""
    weights = _uniform(rng, 1, r, n)
    return weights.copy(), weights


def _similar_weights(rng: np.random.Generator, n: int, r: int) -> Pair:
    """Weights in [100 R, 100 R + R/10], values in [1, R]: [100000, 100100] and [1, 1000] for R = 1000."""
    weights = _uniform(rng, 100 * r, 100 * r + r // 10, n)
    return _uniform(rng, 1, r, n), weights


def _spanner(
    kernel: Callable[[np.random.Generator, int, int], Pair],
) -> Callable[[np.random.Generator, int, int], Pair]:
    def span(rng: np.random.Generator, n: int, r: int) -> Pair:
        v, m = 2, 10
        values, weights = kernel(rng, v, r)
        values, weights = -(-values // (m + 1)), -(-weights // (m + 1))  # rounded up: no zeros
        chosen = rng.integers(0, v, size=n)
        times = _uniform(rng, 1, m, n)
        return times * values[chosen], times * weights[chosen]

    span.__doc__ = f"""span(2, 10): multiples (1 to 10) of two items: {kernel.__doc__}"""
    return span


def _mstr(rng: np.random.Generator, n: int, r: int) -> Pair:
    """mstr(3R/10, 2R/10, 6): weights in [1, R], values w + 3R/10 if 6 divides w, otherwise w + 2R/10."""
    weights = _uniform(rng, 1, r, n)
    return weights + np.where(weights % 6 == 0, 3 * r // 10, 2 * r // 10), weights


def _profit_ceiling(rng: np.random.Generator, n: int, r: int) -> Pair:
    """pceil(3): weights in [1, R], values the weights rounded up to a multiple of 3."""
    weights = _uniform(rng, 1, r, n)
    return 3 * -(-weights // 3), weights


def _circle(rng: np.random.Generator, n: int, r: int) -> Pair:
    """circle(2/3): weights in [1, R], values on an arc of an ellipse, 2/3 sqrt(4 R^2 - (w - 2 R)^2)."""
    weights = _uniform(rng, 1, r, n)
    # 2/3 sqrt(x) rounded down is the integer root of 4x/9: exact for any R.
    values = [math.isqrt(4 * (4 * r * r - (w - 2 * r) ** 2) // 9) for w in weights.tolist()]
    return np.maximum(1, np.array(values, dtype=np.int64)), weights


CLASSES: dict[str, Callable[[np.random.Generator, int, int], Pair]] = {
    "uncorrelated": _uncorrelated,
    "weak": _weak,
    "strong": _strong,
    "inverse-strong": _inverse_strong,
    "almost-strong": _almost_strong,
    "subset-sum": _subset_sum,
    "similar-weights": _similar_weights,
    "spanner-uncorrelated": _spanner(_uncorrelated),
    "spanner-weak": _spanner(_weak),
    "spanner-strong": _spanner(_strong),
    "mstr": _mstr,
    "profit-ceiling": _profit_ceiling,
    "circle": _circle,
}
# Pisinger's own short names, and the plain word for the first of three.
ALIASES = {"spanner": "spanner-uncorrelated", "pceil": "profit-ceiling", "multiple-strong": "mstr"}


def generate(
    instance_class: str,
    n: int,
    *,
    seed: int | np.random.Generator | None = None,
    range: int = 1000,
    fill: float = 0.5,
) -> Instance:
    """Draw one instance of a published class.

    Parameters
    ----------
    instance_class : str
        A key of `CLASSES` (``"uncorrelated"``, ``"weak"``, ``"strong"``, ...); ``"spanner"``, ``"pceil"`` and
        ``"multiple-strong"`` are understood too.
    n : int
        How many items.
    seed : int or numpy.random.Generator, optional
        The same integer gives the same instance; a generator is used as it stands.
    range : int
        Pisinger's R, the size of the coefficients.
    fill : float
        Capacity as a part of the weight of all items, rounded down. Number h of Pisinger's series of H
        instances has ``fill = h / (H + 1)``. A tiny ``fill`` may leave nothing that fits.

    Returns
    -------
    Instance

    Examples
    --------
    >>> generate("strong", 4, seed=1)
    Instance(n=4, capacity=1346, kind='int')
    """
    name = ALIASES.get(instance_class, instance_class)
    if name not in CLASSES:
        raise ValueError(f"instance_class: expected one of {', '.join(CLASSES)} (got {instance_class!r})")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ValueError(f"n: expected a number of items >= 0 (got {n!r})")
    if not 1 <= range <= MAX_RANGE:
        raise ValueError(f"range: expected 1 to {MAX_RANGE} (got {range!r})")
    if not 0.0 <= fill <= 1.0:
        raise ValueError(f"fill: expected a part of the total weight between 0 and 1 (got {fill!r})")
    rng = generator(seed, "seed")
    values, weights = CLASSES[name](rng, int(n), int(range))
    # The sum in Python's integers, the product with the float's exact fraction: no overflow, no rounding.
    numerator, denominator = float(fill).as_integer_ratio()
    total = int(weights.sum(dtype=object)) if n else 0
    return Instance(values, weights, total * numerator // denominator)
