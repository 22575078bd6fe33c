"""What the pictures show, as arrays: all figures and pages draw from here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dilemma.compare.measures import Axis
    from dilemma.result import Result

LABELS: dict[Axis, str] = {"iterations": "candidates", "nodes": "decisions", "seconds": "seconds"}


@dataclass(frozen=True)
class Convergence:
    """A run against its effort on one axis.

    Attributes
    ----------
    x, energy : array
        Some of the candidates, feasible ones only: at most as many as asked for.
    step_x, step_energy : array
        The incumbent as a staircase: a point at each improvement, and the end of the run.
    low, high : float
        A range of energies that shows the incumbent and nearly all candidates.
    outside : int
        Candidates above `high`.
    infeasible : int
        Candidates with infinite energy.
    """

    axis: Axis
    x: NDArray[np.float64]
    energy: NDArray[np.float64]
    step_x: NDArray[np.float64]
    step_energy: NDArray[np.float64]
    low: float
    high: float
    outside: int
    infeasible: int


def convergence(result: Result, axis: Axis = "iterations", *, points: int = 2000) -> Convergence:
    """Return what a convergence plot of a run shows; candidates are thinned evenly to `points`."""
    if axis not in LABELS:
        raise ValueError(f"axis: expected one of {', '.join(LABELS)}, got {axis!r}")
    trace = result.trace
    efforts = {"iterations": trace.iteration + 1.0, "nodes": trace.nodes, "seconds": trace.seconds}
    effort = np.asarray(efforts[axis], dtype=np.float64)
    energy, best = trace.energy, trace.incumbent
    feasible = np.isfinite(energy)
    fell = np.ones(len(best), dtype=np.bool_)
    fell[1:] = best[1:] < best[:-1]
    steps = np.flatnonzero(fell & np.isfinite(best))
    x, y = effort[feasible], energy[feasible]
    step_x, step_y = effort[steps], best[steps]
    if len(step_x):
        step_x, step_y = np.append(step_x, effort[-1]), np.append(step_y, step_y[-1])
    low, high = _range(y, step_y)
    shown = y <= high
    outside = int((~shown).sum())
    x, y = x[shown], y[shown]
    if len(x) > points:
        kept = np.unique(np.linspace(0, len(x) - 1, points).round().astype(int))
        x, y = x[kept], y[kept]
    return Convergence(axis, x, y, step_x, step_y, low, high, outside, int((~feasible).sum()))


def _range(energy: NDArray[np.float64], best: NDArray[np.float64]) -> tuple[float, float]:
    if not len(best):
        return 0.0, 1.0
    low = float(best[-1])
    high = max(float(best[0]), float(np.quantile(energy, 0.95)))
    if high <= low:
        high = low + max(abs(low) * 0.01, 1e-9)
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def wants_log(x: NDArray[np.float64]) -> bool:
    """Return whether a scale is better logarithmic: all positive, and over a factor of 30.

    >>> wants_log(np.array([1.0, 100.0])), wants_log(np.array([0.0, 100.0])), wants_log(np.array([]))
    (True, False, False)
    """
    return bool(len(x)) and bool(x.min() > 0) and bool(x.max() / x.min() > 30)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers in a range, 1, 2 or 5 times a power of ten apart.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers in a range for a log scale: powers of ten, with 2 and 5 where there is room.

    >>> log_ticks(1, 100)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for multiples in ((1.0, 2.0, 5.0), (1.0,)):
        found = [m * 10.0**e for e in exponents for m in multiples]
        found = [t for t in found if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]
        if len(found) <= most:
            return found
    return found[:: -(-len(found) // most)]
