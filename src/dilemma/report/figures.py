"""Pictures with matplotlib: convergence of a run, and what a comparison shows. Needs ``dilemma[plot]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.report.series import LABELS, convergence, log_ticks, wants_log
from dilemma.report.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dilemma.compare.comparison import Comparison
    from dilemma.compare.measures import Axis
    from dilemma.compare.profiles import Profile
    from dilemma.result import Result


def plot_result(
    result: Result, path: str | Path | None = None, *, axis: Axis = "iterations", ax: Any = None
) -> Figure:
    """Draw a run's candidates and its incumbent; see `dilemma.Result.plot`."""
    data = convergence(result, axis)
    figure, ax = _axes(ax)
    ax.plot(
        data.x,
        data.energy,
        ".",
        color=COLOURS[1],
        alpha=0.35,
        markersize=5,
        label="candidates",
        rasterized=True,
    )
    ax.step(data.step_x, data.step_energy, where="post", color=COLOURS[0], linewidth=2, label="best so far")
    if np.isfinite(result.bound):
        if data.low - (data.high - data.low) <= result.bound:
            ax.axhline(result.bound, color=COLOURS[7], linewidth=1, linestyle="--", label="bound")
            ax.set_ylim(min(data.low, result.bound - 0.02 * (data.high - data.low)), data.high)
        else:
            ax.set_ylim(data.low, data.high)
    else:
        ax.set_ylim(data.low, data.high)
    if wants_log(data.step_x):
        ax.set_xscale("log")
    ax.set_xlabel(LABELS[axis])
    ax.set_ylabel("energy")
    ax.set_title(f"{result.strategy}: {result.greedy_energy:.7g} → {result.energy:.7g}", loc="left")
    ax.legend(frameon=False)
    return _saved(figure, path)


def plot_comparison(comparison: Comparison, path: str | Path | None = None) -> Figure:
    """Draw anytime curves, the performance profile and the distribution of final gaps."""
    figure = _figure((13.5, 4.3))
    left, middle, right = figure.subplots(1, 3)
    axis = comparison.axis
    curves = comparison.curves()
    for i, name in enumerate(comparison.strategies):
        if curves[name]:
            left.plot(curves[axis], 100 * np.array(curves[name]), label=name, **_style(i))
    if wants_log(np.asarray(curves[axis])):
        left.set_xscale("log")
    left.set_xlabel(LABELS[axis])
    left.set_ylabel("mean primal gap (%)")
    left.set_title("Anytime", loc="left")
    left.set_ylim(bottom=0)
    plot_profile(comparison.performance_profile(), ax=middle, log=True)
    middle.set_title("Performance profile", loc="left")
    plot_profile(comparison.gap_profile(), ax=right, scale=100.0)
    right.set_title("Final gaps", loc="left")
    for ax in (left, middle, right):
        _clean(ax)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(6, max(1, len(labels))), frameon=False
    )
    return _saved(figure, path)


def plot_profile(
    profile: Profile, path: str | Path | None = None, *, ax: Any = None, log: bool = False, scale: float = 1.0
) -> Figure:
    """Draw a profile: one staircase a strategy; `scale` multiplies what it is drawn against."""
    figure, ax = _axes(ax)
    start = 1.0 if log else 0.0
    end = max(1.05 * scale * profile.limit, 10.0 if log else 0.01 * scale)
    for i, name in enumerate(profile.within):
        shares = profile.shares[name]
        x = np.concatenate(([start], scale * profile.within[name], [end]))
        y = np.concatenate(([0.0], shares, shares[-1:] if len(shares) else [0.0]))
        ax.step(x, y, where="post", label=name, **_style(i))
    if log:
        ax.set_xscale("log")
        ax.set_xlim(start, end)
        ax.set_xticks(log_ticks(start, end), [f"{tick:g}" for tick in log_ticks(start, end)])
        ax.minorticks_off()
    ax.set_ylim(0, 1.03)
    ax.set_xlabel(profile.label)
    ax.set_ylabel("share of runs")
    return _saved(figure, path)


def _style(i: int) -> dict[str, Any]:
    """A colour and, past the eighth strategy, another dash, so that all lines differ."""
    dashes = ("-", "--", ":", "-.")
    return {"color": COLOURS[i % 8], "linestyle": dashes[i // 8 % 4], "linewidth": 1.8}


def _figure(size: tuple[float, float]) -> Figure:
    """A figure of its own: no window, no global state."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as NewFigure
    except ImportError:
        raise ImportError("plot: needs matplotlib; install it with: pip install 'dilemma[plot]'") from None
    figure: Figure = NewFigure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _axes(ax: Any) -> tuple[Figure, Any]:
    if ax is not None:
        return ax.figure, ax
    figure = _figure((7.5, 4.3))
    ax = figure.subplots()
    _clean(ax)
    return figure, ax


def _clean(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


def _saved(figure: Figure, path: str | Path | None) -> Figure:
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
