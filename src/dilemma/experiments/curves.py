"""From records of runs to curves and intervals."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dilemma.experiments.known import FloatArray

Record = dict[str, Any]


def curve(run: Record, length: int) -> FloatArray:
    """Return the best energy after candidate 0, 1, ..., length − 1; a run that ended keeps its last.

    >>> curve({"improvements": [[0, 5.0], [2, 3.0]]}, 4).tolist()
    [5.0, 5.0, 3.0, 3.0]
    """
    found = np.empty(length)
    for at, energy in run["improvements"]:
        found[int(at) :] = energy
    return found


def curves(record: Record, key: str) -> FloatArray:
    """Return the curves of all runs of a method, one a row."""
    length = int(record["max_iter"])
    return np.array([curve(run, length) for run in record["methods"][key]["runs"]])


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.6g} [{self.low:.6g}, {self.high:.6g}]"

    def as_dict(self) -> dict[str, float]:
        """Return plain data."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def mean_interval(values: Iterable[float], *, draws: int = 4000, seed: int = 0) -> Interval:
    """Return the mean and its 95 % bootstrap interval (percentiles).

    >>> mean_interval([2.0, 2.0, 2.0])
    Interval(mean=2.0, low=2.0, high=2.0)
    """
    x = np.asarray(list(values), dtype=float)
    if len(x) < 2:
        return Interval(float(x.mean()), math.nan, math.nan) if len(x) else Interval(*(math.nan,) * 3)
    rng = np.random.default_rng(seed)
    means = x[rng.integers(0, len(x), (draws, len(x)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(x.mean()), float(low), float(high))


def share_interval(hits: int, tried: int) -> Interval:
    """Return a share with its 95 % interval (Wilson's).

    >>> round(share_interval(0, 50).high, 4)
    0.0713
    """
    if not tried:
        return Interval(*(math.nan,) * 3)
    z, p = 1.959964, hits / tried
    middle = (p + z * z / (2 * tried)) / (1 + z * z / tried)
    half = z * math.sqrt(p * (1 - p) / tried + z * z / (4 * tried * tried)) / (1 + z * z / tried)
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True)
class Comparison:
    """Dilemma first against random selection on the same tree: one deterministic run against many.

    Attributes
    ----------
    greedy, dilemma : float
        Energy of candidate 0, and of the best in the end.
    first : int or None
        The first candidate better than the greedy.
    random : Interval
        Best energy in the end, over the random runs.
    best : float
        Of the luckiest random run.
    area : float
        Mean over all iterations of the dilemma run's best energy.
    random_area : Interval
        The same for the random runs.
    below_mean, below_best : float
        Share of iterations at which the dilemma run is better than the random mean, and than every random run.
    as_good_as_best : float
        Share of iterations at which it is at least as good as every random run.
    beaten_by : Interval
        Share of random runs that end better than it.
    found, random_found : int
        The iteration at which the dilemma run, and the luckiest random run, found what it ended with.
    reaches_mean : int or None
        The first iteration at which it is at least as good as the random runs are on average in the end.
    """

    greedy: float
    dilemma: float
    first: int | None
    random: Interval
    best: float
    area: float
    random_area: Interval
    below_mean: float
    below_best: float
    as_good_as_best: float
    beaten_by: Interval
    found: int
    random_found: int
    reaches_mean: int | None

    @property
    def against_mean(self) -> str:
        """Better, worse or not told apart: by the mean energy over the run, whose interval decides."""
        if self.area < self.random_area.low:
            return "better"
        return "worse" if self.area > self.random_area.high else "alike"

    @property
    def against_best(self) -> str:
        """Better or worse than the luckiest random run in the end; if equal: sooner, as soon, or later there."""
        if self.dilemma != self.best:
            return "better" if self.dilemma < self.best else "worse"
        if self.found == self.random_found:
            return "equal"
        return "equal, sooner" if self.found < self.random_found else "equal, later"

    @property
    def beats_best(self) -> bool:
        """Whether it ends better than every random run, or as well as the luckiest and sooner."""
        return self.against_best in ("better", "equal, sooner")


def compare(record: Record, dilemma: str, random: str) -> Comparison:
    """Return how two methods of one record compare."""
    own, others = curves(record, dilemma)[0], curves(record, random)
    mean, best = others.mean(axis=0), others.min(axis=0)
    better = np.flatnonzero(own < own[0])
    level = np.flatnonzero(own <= mean[-1] + 1e-9 * abs(mean[-1]))
    improved = len(level) and mean[-1] < mean[0]  # where random selection gains nothing, nothing is reached
    return Comparison(
        greedy=float(own[0]),
        dilemma=float(own[-1]),
        first=int(better[0]) if len(better) else None,
        random=mean_interval(others[:, -1]),
        best=float(best[-1]),
        area=float(own[1:].mean()),
        random_area=mean_interval(others[:, 1:].mean(axis=1)),
        below_mean=float((own[1:] < mean[1:]).mean()),
        below_best=float((own[1:] < best[1:]).mean()),
        as_good_as_best=float((own[1:] <= best[1:]).mean()),
        beaten_by=share_interval(int((others[:, -1] < own[-1]).sum()), len(others)),
        found=int(np.argmax(own == own[-1])),
        random_found=int(np.argmax(best == best[-1])),
        reaches_mean=int(level[0]) if improved else None,
    )


def csv_of(record: Record) -> str:
    """Return every curve of a record as CSV: one line a step, and one for the end of each run."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["panel", "reading", "tree", "order", "constant_of_log_b", "seed", "iteration", "best_energy"]
    )
    for method in record["methods"].values():
        for run in method["runs"]:
            head = [
                record["panel"],
                record["reading"],
                method["tree"],
                method["order"],
                method["constant"],
                run["seed"],
            ]
            steps = [*run["improvements"]]
            last = run["iterations"] - 1
            if steps[-1][0] < last:
                steps.append([last, steps[-1][1]])
            for iteration, energy in steps:
                writer.writerow([*head, iteration, f"{energy:.10g}"])
    return out.getvalue()
