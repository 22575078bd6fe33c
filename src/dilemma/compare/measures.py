"""How good a run was: its gap, and how good it was at every moment.

.. [1] T. Berthold, "Measuring the impact of primal heuristics", Operations Research Letters 41 (2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dilemma.encoding import decode, encode
from dilemma.result import Trace

Axis: TypeAlias = Literal["seconds", "nodes", "iterations"]
AXES: tuple[Axis, ...] = get_args(Axis)
SAME = 1e-9  # energies this close, relative to their size, count as equal


@dataclass(frozen=True)
class Curve:
    """The incumbent of a run against its effort: one entry an improvement, the first candidate included.

    ``energy[i]`` is the best known after ``seconds[i]``, ``nodes[i]`` decisions, ``iterations[i]`` candidates.
    """

    seconds: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    nodes: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    iterations: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    energy: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, trace: Trace) -> Curve:
        """Return the improvements of a trace."""
        best = trace.incumbent
        falls = np.ones(len(best), dtype=np.bool_)
        falls[1:] = best[1:] < best[:-1]
        return cls(
            trace.seconds[falls],
            trace.nodes[falls].astype(np.float64),
            (trace.iteration[falls] + 1).astype(np.float64),
            best[falls],
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists JSON can hold."""
        return {name: [encode(v) for v in getattr(self, name).tolist()] for name in (*AXES, "energy")}

    @classmethod
    def from_dict(cls, columns: dict[str, list[Any]]) -> Curve:
        """Return the curve whose `to_dict` this is."""
        parts = {n: np.array([decode(v) for v in columns[n]], dtype=float) for n in (*AXES, "energy")}
        if len({len(part) for part in parts.values()}) != 1:
            raise ValueError(
                f"curve: expected columns of equal length, got {[len(p) for p in parts.values()]}"
            )
        return cls(**parts)

    def at(self, effort: ArrayLike, axis: Axis) -> NDArray[np.float64]:
        """Return the best energy known after each effort; inf before the first candidate."""
        where = np.searchsorted(getattr(self, axis), np.asarray(effort, dtype=float), side="right")
        return np.concatenate(([math.inf], self.energy))[where]

    def reached(self, energy: float, axis: Axis) -> float:
        """Return the effort after which the incumbent was at or below an energy; inf if it never was."""
        where = np.flatnonzero(self.energy <= energy)
        return float(getattr(self, axis)[where[0]]) if len(where) else math.inf


def gap(energy: float, reference: float) -> float:
    """Return how far an energy is above the reference, as a share of the reference.

    Negative if it is better than the reference. Where the reference is 0 there is no share of it, and any
    other energy counts as 1 (100 %); an infeasible one is infinitely far.

    >>> gap(103.0, 100.0), gap(-97.0, -100.0), gap(0.0, 0.0), gap(5.0, 0.0)
    (0.03, 0.03, 0.0, 1.0)
    """
    if energy == reference:
        return 0.0
    if math.isinf(energy):
        return energy
    if reference == 0 or math.isinf(reference):
        return math.copysign(1.0, energy - reference)
    return (energy - reference) / abs(reference)


def primal_gap(energy: ArrayLike, reference: float) -> NDArray[np.float64]:
    """Return Berthold's gap [1]_: from 0 (the reference, or better) to 1 (nothing feasible, or another sign).

    >>> primal_gap([125.0, 100.0, 90.0, float("inf")], 100.0).tolist()
    [0.2, 0.0, 0.0, 1.0]
    """
    given = np.asarray(energy, dtype=float)
    if not math.isfinite(reference):
        return np.where(given <= reference, 0.0, 1.0)
    finite = np.isfinite(given)
    known = np.where(finite, given, 0.0)
    size = np.maximum(np.abs(known), abs(reference))
    shares = np.abs(known - reference) / np.where(size == 0, 1.0, size)
    shares = np.where(known * reference < 0, 1.0, shares)
    return np.where(given <= reference, 0.0, np.where(finite, shares, 1.0))


def primal_integral(curve: Curve, reference: float, budget: float, axis: Axis) -> float:
    """Return the mean of Berthold's gap over a budget [1]_: 0 for the reference at once, 1 for nothing ever.

    Nothing found counts as a gap of 1, and after the run's end its last gap counts on.
    """
    at = np.minimum(getattr(curve, axis), budget)
    edges = np.concatenate(([0.0], at, [budget]))
    gaps = np.concatenate(([1.0], primal_gap(curve.energy, reference)))
    return float((np.diff(edges) * gaps).sum() / budget) if budget > 0 else float(gaps[-1])


def equal(a: float, b: float) -> bool:
    """Return whether two energies are the same but for rounding.

    >>> equal(0.1 + 0.2, 0.3), equal(1.0, 1.001)
    (True, False)
    """
    return a == b or abs(a - b) <= SAME * max(abs(a), abs(b))
