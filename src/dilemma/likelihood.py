"""The probabilistic framework: scores to P(A|S), the likelihood of a candidate, and the dilemma.

Everything here is plain mathematics, to be read beside the paper (Section III). Where a probability could be
zero it is floored at ``exp(-FLOOR)`` of the best one: an action that is offered is possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Normalise = Literal["proportional", "reciprocal", "softmax", "log"]
NORMALISERS = ("proportional", "reciprocal", "softmax", "log")

FLOOR = 12 * math.log(10)  # an action scored 0 beside a positive one: 1e-12 as likely


def proportional(scores: ArrayLike) -> FloatArray:
    """Return P proportional to scores that are at least 0; all zero means all alike.

    >>> proportional([3.0, 1.0]).tolist()
    [0.75, 0.25]
    """
    return np.exp(log_probabilities(scores, "proportional"))


def softmax(scores: ArrayLike, temperature: float = 1.0) -> FloatArray:
    """Return P proportional to ``exp(score / temperature)``.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    return np.exp(log_probabilities(scores, "softmax", temperature))


def log_probabilities(scores: ArrayLike, kind: Normalise, temperature: float = 1.0) -> FloatArray:
    """Return log P(A|S) of one state's actions.

    Parameters
    ----------
    scores : array-like
        f(A|S), higher is better. No NaN.
    kind : {"proportional", "reciprocal", "softmax", "log"}
        ``proportional``: P ∝ f, for scores >= 0 (a negative one counts as 0). ``reciprocal``: P ∝ 1/|f|, for
        negated costs, f <= 0 (a positive one counts as 0). ``softmax``: P ∝ exp(f/T). ``log``: the scores are
        log-probabilities already, normalised again.
    temperature : float
        T of the softmax.

    Returns
    -------
    ndarray
        Sums to 1 after exp; nothing below ``-FLOOR`` beneath the best.
    """
    f = np.asarray(scores, dtype=float)
    if not len(f):
        return np.zeros(0)
    gaps = log_gap(np.full(len(f), f.max()), f, kind, temperature)
    return np.asarray(-gaps - math.log(np.exp(-gaps).sum()))


def log_gap(best: ArrayLike, other: ArrayLike, kind: Normalise, temperature: float = 1.0) -> FloatArray:
    """Return log P_best − log P_other, between 0 and `FLOOR`; the normaliser cancels.

    >>> log_gap([4.0, 1.0, 0.0], [2.0, 0.0, 0.0], "proportional").round(3).tolist()
    [0.693, 27.631, 0.0]
    >>> log_gap([-10.0], [-20.0], "reciprocal").round(3).tolist()
    [0.693]
    """
    top, low = np.asarray(best, dtype=float), np.asarray(other, dtype=float)
    if kind == "proportional" and low.ndim and low.size and low.min() > 0 and top.max() < math.inf:
        return np.asarray(np.minimum(np.log(top) - np.log(low), FLOOR))  # the common case, in one step
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if kind == "proportional":
            gap = np.log(np.maximum(top, 0.0)) - np.log(np.maximum(low, 0.0))
        elif kind == "reciprocal":
            gap = np.log(np.maximum(-low, 0.0)) - np.log(np.maximum(-top, 0.0))
        else:
            gap = (top - low) / (temperature if kind == "softmax" else 1.0)
    gap = np.where((top == low) | np.isnan(gap) & ~np.isnan(low), 0.0, gap)  # also 0/0 and inf/inf
    return np.clip(gap, 0.0, FLOOR)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How one run turns scores into probabilities: fixed once, so that states can be compared.

    Attributes
    ----------
    kind : str
        One of `NORMALISERS`.
    temperature : float
        For ``softmax``.
    custom : callable, optional
        A user's own ``scores (best first) -> probabilities``, used instead of `kind`.
    """

    kind: Normalise = "proportional"
    temperature: float = 1.0
    custom: Callable[[FloatArray], ArrayLike] | None = None

    def gap(self, best: ArrayLike, other: ArrayLike) -> FloatArray:
        """Return log P_best − log P_other for many states at once."""
        return log_gap(best, other, self.kind, self.temperature)

    def gap_of(self, best: float, other: float) -> float:
        """Return `gap` for one state."""
        if best == other:
            return 0.0
        if other != other:  # nothing left to try
            return math.nan
        if self.kind == "proportional" and 0 < other < best < math.inf:
            return min(math.log(best / other), FLOOR)
        return float(self.gap(best, other))

    def gaps_of(self, best: list[float], other: list[float]) -> list[float]:
        """Return `gap_of` for a few states: quicker than arrays."""
        if self.kind != "proportional":
            return [self.gap_of(b, o) for b, o in zip(best, other, strict=True)]
        log, top, least = math.log, math.inf, FLOOR
        gaps = []
        for b, o in zip(best, other, strict=True):
            if 0 < o < b < top:
                gap = log(b / o)
                gaps.append(gap if gap < least else least)
            else:
                gaps.append(self.gap_of(b, o))
        return gaps

    def log_p(self, scores: FloatArray) -> FloatArray:
        """Return log P(A|S) of one state's actions, in the order given."""
        if self.custom is None:
            return log_probabilities(scores, self.kind, self.temperature)
        p = np.asarray(self.custom(scores), dtype=float)
        if p.shape != scores.shape or not np.all(p >= 0) or not math.isclose(p.sum(), 1.0, rel_tol=1e-6):
            raise ValueError(
                f"problem.normalise: expected {len(scores)} probabilities that sum to 1, "
                f"got {np.array2string(p, threshold=6)}"
            )
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(np.log(p), math.log(p.max()) - FLOOR))


def likelihood_for(normalise: Any, best: list[float], other: list[float]) -> Likelihood:
    """Return the `Likelihood` a problem asked for, or the one its greedy's scores suggest.

    With nothing asked: scores that are all >= 0 are taken in proportion, scores that are all <= 0 as negated
    costs, and mixed signs by a softmax whose temperature is the mean gap the greedy met.
    """
    if isinstance(normalise, Likelihood):
        return normalise
    if isinstance(normalise, str):
        if normalise not in NORMALISERS:
            raise ValueError(f"normalise: expected one of {', '.join(NORMALISERS)}, got {normalise!r}")
        if normalise != "softmax":
            return Likelihood(normalise)  # type: ignore[arg-type]
        return Likelihood("softmax", _mean_gap(best, other))
    if callable(normalise):
        return Likelihood(custom=normalise)
    if normalise is not None:
        raise TypeError(
            f"normalise: expected a name, a function or a Likelihood, got {type(normalise).__name__}"
        )
    met = np.array([*best, *other], dtype=float)
    met = met[~np.isnan(met)]
    if not len(met) or met.min() >= 0:
        return Likelihood("proportional")
    if met.max() <= 0:
        return Likelihood("reciprocal")
    return Likelihood("softmax", _mean_gap(best, other))


def _mean_gap(best: list[float], other: list[float]) -> float:
    with np.errstate(invalid="ignore"):
        gaps = np.array(best, dtype=float) - np.array(other, dtype=float)
    gaps = gaps[np.isfinite(gaps) & (gaps > 0)]
    return float(gaps.mean()) if len(gaps) else 1.0


def p_opt(probabilities: Iterable[float]) -> float:
    """Return how likely a candidate is the optimum: the product along its path.  # Eq. 1

    >>> p_opt([0.5, 0.5, 0.8])
    0.2
    """
    return math.prod(probabilities)


def p_opt_partial(explored: Iterable[float], *, depth: int, branching: float) -> float:
    """Return the expected P_opt of a candidate whose path is explored only at its start.  # Eq. 2

    Parameters
    ----------
    explored : iterable of float
        P_best of the actions taken in explored states.
    depth : int
        d, the number of levels of the tree (Assumption 2: uniform and known).
    branching : float
        b; every unexplored level counts 1/b (Assumptions 1 and 3).

    >>> p_opt_partial([0.5], depth=3, branching=2)
    0.125
    """
    known = list(explored)
    if len(known) > depth:
        raise ValueError(f"explored: expected at most depth={depth} probabilities, got {len(known)}")
    if branching < 1:
        raise ValueError(f"branching: expected at least 1, got {branching}")
    return math.prod(known) * branching ** -(depth - len(known))


def dilemma(best: float, other: float) -> float:
    """Return the dilemma estimator δ = 1 / (L_best − L'_best), infinite on a tie.  # Eq. 5

    Orders use the gap itself, smallest first: the same order, and defined on ties.

    >>> dilemma(3.0, 1.0)
    0.5
    >>> dilemma(1.0, 1.0)
    inf
    """
    gap = best - other
    if gap < 0:
        raise ValueError(f"other: expected at most best={best}, got {other}")
    return math.inf if gap == 0 else 1.0 / gap
