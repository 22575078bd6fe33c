"""Answers from the runs of a comparison: averages, ranks, wins, profiles, curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dilemma.compare.measures import AXES, Axis, equal, primal_gap
from dilemma.compare.paired import holm, mid_ranks, sign_test, wilcoxon
from dilemma.compare.profiles import Profile, distribution, performance_profile

if TYPE_CHECKING:
    from dilemma.compare.comparison import Comparison, Outcome

TESTS = {"wilcoxon": wilcoxon, "sign": sign_test}
LEAST = {"seconds": 1e-6, "nodes": 1.0, "iterations": 1.0}  # efforts below it count as this


@dataclass(frozen=True)
class Versus:
    """Wins, ties and losses of a strategy against another over `pairs`, and the p-value of a paired test."""

    strategy: str
    baseline: str
    wins: int
    ties: int
    losses: int
    p: float
    test: str
    unit: str

    @property
    def pairs(self) -> int:
        """How many pairs were compared."""
        return self.wins + self.ties + self.losses

    def __str__(self) -> str:
        return (
            f"{self.strategy} against {self.baseline}: {self.wins} wins, {self.ties} ties, {self.losses} losses "
            f"over {self.pairs} {self.unit}s; {self.test} p = {self.p:.3g}"
        )


@dataclass(frozen=True)
class Row:
    """What a comparison says of one strategy.

    Attributes
    ----------
    mean_gap, worst_gap : float
        Of the runs' final gaps, as shares of the reference.
    primal_integral : float
        Mean gap over the whole budget, between 0 and 1.
    rank : float
        Mean rank among the strategies on the same problem and seed; 1 is best, ties share.
    best : float
        Share of runs no other strategy beat.
    proved : float
        Share of runs that proved their optimum.
    failed : int
        Runs without a feasible solution.
    versus : Versus or None
        Against the baseline; None for the baseline itself.
    p_holm : float or None
        The test's p-value, corrected for testing every strategy against the baseline.
    iterations, nodes, seconds : float
        Means.
    """

    strategy: str
    mean_gap: float
    worst_gap: float
    primal_integral: float
    rank: float
    best: float
    proved: float
    failed: int
    versus: Versus | None
    p_holm: float | None
    iterations: float
    nodes: float
    seconds: float


def energies(outcomes: Sequence[Outcome]) -> list[float]:
    """Return the energies of runs on one instance; those equal but for rounding are made equal."""
    values = [o.energy for o in outcomes]
    for i in sorted(range(len(values)), key=values.__getitem__):
        values[i] = next((v for v in sorted(values) if equal(v, values[i])), values[i])
    return values


def summary(comparison: Comparison) -> list[Row]:
    """Return one row a strategy, in the order given."""
    ranks: dict[str, list[float]] = {name: [] for name in comparison.strategies}
    best: dict[str, list[bool]] = {name: [] for name in comparison.strategies}
    for problem, seed in comparison.blocks:
        values = energies([comparison.runs[problem, seed, name] for name in comparison.strategies])
        for name, value, rank in zip(comparison.strategies, values, mid_ranks(values), strict=True):
            ranks[name].append(float(rank))
            best[name].append(value == min(values) and math.isfinite(value))
    others = [name for name in comparison.strategies if name != comparison.baseline]
    against = {name: versus(comparison, name) for name in others}
    corrected = dict(zip(others, holm([against[name].p for name in others]), strict=True))
    rows = []
    for name in comparison.strategies:
        runs = [comparison.runs[problem, seed, name] for problem, seed in comparison.blocks]
        gaps = [comparison.gap(run) for run in runs]
        rows.append(
            Row(
                strategy=name,
                mean_gap=_mean(gaps),
                worst_gap=max(gaps, default=math.nan),
                primal_integral=_mean([comparison.integral(run) for run in runs]),
                rank=_mean(ranks[name]),
                best=_mean(best[name]),
                proved=_mean([run.optimal for run in runs]),
                failed=sum(math.isinf(run.energy) for run in runs),
                versus=against.get(name),
                p_holm=corrected.get(name),
                iterations=_mean([run.iterations for run in runs]),
                nodes=_mean([run.nodes for run in runs]),
                seconds=_mean([run.seconds for run in runs]),
            )
        )
    return rows


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def versus(
    comparison: Comparison,
    strategy: str,
    baseline: str | None = None,
    *,
    unit: str = "auto",
    test: str = "wilcoxon",
) -> Versus:
    """See `Comparison.versus`."""
    baseline = comparison.baseline if baseline is None else baseline
    for name in (strategy, baseline):
        if name not in comparison.strategies:
            raise ValueError(f"strategy: expected one of {', '.join(comparison.strategies)}, got {name!r}")
    if unit not in ("auto", "problem", "run"):
        raise ValueError(f"unit: expected 'auto', 'problem' or 'run', got {unit!r}")
    if test not in TESTS:
        raise ValueError(f"test: expected one of {', '.join(TESTS)}, got {test!r}")
    if unit == "auto":
        unit = "problem" if len({problem for problem, _ in comparison.blocks}) > 1 else "run"
    ours, theirs = [], []
    for problem in comparison.problems:
        pairs = [
            (comparison.runs[p, s, strategy], comparison.runs[p, s, baseline])
            for p, s in comparison.blocks
            if p == problem
        ]
        # A pair of copies is the first pair again, and no evidence.
        pairs = [(a, b) for a, b in pairs if not (a.repeated and b.repeated)]
        gaps = [(comparison.gap(a), comparison.gap(b)) for a, b in pairs]
        if unit == "problem" and gaps:
            gaps = [(_mean([a for a, _ in gaps]), _mean([b for _, b in gaps]))]
        ours += [a for a, _ in gaps]
        theirs += [b for _, b in gaps]
    differences = [0.0 if _level(a, b) else a - b for a, b in zip(ours, theirs, strict=True)]
    return Versus(
        strategy=strategy,
        baseline=baseline,
        wins=sum(d < 0 for d in differences),
        ties=sum(d == 0 for d in differences),
        losses=sum(d > 0 for d in differences),
        p=TESTS[test](differences),
        test=test,
        unit=unit,
    )


def _level(a: float, b: float) -> bool:
    """Whether two gaps are the same but for rounding: shares of the reference, so 1e-9 is tiny."""
    return a == b or abs(a - b) <= 1e-9


def time_profile(comparison: Comparison, within: float, axis: Axis | None) -> Profile:
    """See `Comparison.performance_profile`."""
    if not within >= 0:
        raise ValueError(f"within: expected a gap >= 0, such as 0.01 for 1 %, got {within}")
    on = _axis(comparison, axis)
    costs: dict[str, list[float]] = {}
    for name in comparison.strategies:
        costs[name] = []
        for problem, seed in comparison.blocks:
            reference = comparison.references[problem]
            goal = reference + abs(reference) * max(within, 1e-9)
            effort = comparison.runs[problem, seed, name].curve.reached(goal, on)
            costs[name].append(max(effort, LEAST[on]))
    return performance_profile(
        costs, label=f"{on} to a gap of {100 * within:.3g} %, over the least of any strategy"
    )


def gap_profile(comparison: Comparison) -> Profile:
    """See `Comparison.gap_profile`."""
    gaps = {
        name: [max(0.0, comparison.gap(comparison.runs[p, s, name])) for p, s in comparison.blocks]
        for name in comparison.strategies
    }
    return distribution(gaps, label="final gap (%)")


def curves(comparison: Comparison, axis: Axis | None, points: int) -> dict[str, list[float]]:
    """See `Comparison.curves`."""
    if points < 2:
        raise ValueError(f"points: expected at least 2, got {points}")
    on = _axis(comparison, axis)
    runs = [comparison.runs[p, s, n] for p, s in comparison.blocks for n in comparison.strategies]
    firsts = [float(getattr(run.curve, on)[0]) for run in runs if len(run.curve.energy)]
    last = max((comparison.effort(r) if on == comparison.axis else getattr(r, on) for r in runs), default=1.0)
    first = min(max(max(firsts, default=LEAST[on]), LEAST[on]), last)  # from when every run has something
    efforts = np.geomspace(first, last, points) if last > first else np.array([first, last])
    result: dict[str, list[float]] = {on: efforts.tolist()}
    for name in comparison.strategies:
        gaps = [
            primal_gap(comparison.runs[p, s, name].curve.at(efforts, on), comparison.references[p])
            for p, s in comparison.blocks
        ]
        result[name] = np.mean(gaps, axis=0).tolist() if gaps else []
    return result


def _axis(comparison: Comparison, axis: Axis | None) -> Axis:
    if axis is not None and axis not in AXES:
        raise ValueError(f"axis: expected one of {', '.join(AXES)}, got {axis!r}")
    return comparison.axis if axis is None else axis
