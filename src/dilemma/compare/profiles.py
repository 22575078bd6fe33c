"""Performance profiles: for each strategy, the share of runs solved within a factor of the fastest.

.. [1] E. D. Dolan and J. J. Moré, "Benchmarking optimization software with performance profiles",
   Mathematical Programming 91 (2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Profile:
    """Step functions, one a strategy: ``shares[name][i]`` of the runs are within ``within[name][i]``.

    Attributes
    ----------
    within, shares : dict of str to array
        Where each function steps, and its value from there on.
    label : str
        What `within` measures.
    """

    within: dict[str, NDArray[np.float64]]
    shares: dict[str, NDArray[np.float64]]
    label: str

    @property
    def limit(self) -> float:
        """The largest finite `within` of any strategy."""
        return max((float(w[-1]) for w in self.within.values() if len(w)), default=1.0)

    def share(self, name: str, within: float) -> float:
        """Return the share of the runs of a strategy that are within this."""
        where = int(np.searchsorted(self.within[name], within, side="right"))
        return float(self.shares[name][where - 1]) if where else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists."""
        return {
            "label": self.label,
            "within": {name: w.tolist() for name, w in self.within.items()},
            "shares": {name: s.tolist() for name, s in self.shares.items()},
        }


def performance_profile(costs: Mapping[str, ArrayLike], *, label: str = "times the least effort") -> Profile:
    """Return the profile of Dolan and Moré [1]_.

    Parameters
    ----------
    costs : mapping of str to array_like
        Per strategy, the cost of each run (time, decisions, ...), positive; inf where it failed. Run i is the
        same instance for every strategy.

    Examples
    --------
    >>> profile = performance_profile({"a": [1, 2, 4], "b": [2, 1, float("inf")]})
    >>> profile.share("a", 1), profile.share("a", 2), profile.share("b", 100)
    (0.6666666666666666, 1.0, 0.6666666666666666)
    """
    table = {name: np.asarray(cost, dtype=float) for name, cost in costs.items()}
    sizes = {len(cost) for cost in table.values()}
    if len(sizes) > 1:
        raise ValueError(f"costs: expected as many runs for every strategy, got {sorted(sizes)}")
    for name, cost in table.items():
        if np.isnan(cost).any() or (cost <= 0).any():
            raise ValueError(f"costs[{name!r}]: expected positive numbers, got {cost[~(cost > 0)][0]}")
    least = np.min(list(table.values()), axis=0) if table else np.empty(0)
    solved = np.isfinite(least)  # a run nobody solved counts for nobody, but counts
    ratios = {
        name: np.divide(cost, least, out=np.full(len(cost), np.inf), where=solved)
        for name, cost in table.items()
    }
    return distribution(ratios, label=label)


def distribution(values: Mapping[str, ArrayLike], *, label: str) -> Profile:
    """Return, per strategy, the share of runs whose value is at most this: one step a distinct value.

    >>> distribution({"a": [3.0, 1.0, 3.0, float("inf")]}, label="gap").shares["a"].tolist()
    [0.25, 0.75]
    """
    within, shares = {}, {}
    for name, value in values.items():
        array = np.asarray(value, dtype=float)
        steps, counts = np.unique(array[np.isfinite(array)], return_counts=True)
        within[name], shares[name] = steps, np.cumsum(counts) / max(1, len(array))
    return Profile(within, shares, label)
