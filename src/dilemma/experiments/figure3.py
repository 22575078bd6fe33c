"""Figure 3: best energy against iterations, dilemma first and random selection, in six panels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dilemma.experiments.claims import main_tree
from dilemma.experiments.curves import curves
from dilemma.experiments.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    iterations_axis,
    new_figure,
    title,
)
from dilemma.experiments.panels import PANELS, told_reading

Record = dict[str, Any]


def draw(records: dict[str, Record]) -> Any:
    """Return the figure of the main reading of each panel."""
    chosen: dict[str, Record] = {}
    for record in records.values():
        chosen.setdefault(record["panel"], record)
    figure, axes = new_figure(12.5, 7.6, 2, 3)
    order = ("mnist", "ks_24a", "medium", "ecp2011", "ks_24e", "large")  # as in the paper: trees on the left
    for axis, key in zip(axes.ravel(), order, strict=True):
        if key in chosen:
            record = chosen[key]
            reading = f" ({told_reading(record['reading'])})" if record["reading"] else ""
            heading = record["title"] + reading if record["real"] else f"{record['title']}: stand-in"
            draw_panel(axis, record, main_tree(record), heading)
            if record["kind"] == "tree":
                draw_beyond(axis, record)
        else:
            title(axis, PANELS[key].title)
            axis.text(0.5, 0.5, "not run", ha="center", transform=axis.transAxes)
    _legend(figure, axes.ravel())
    return figure


def draw_readings(records: dict[str, Record], panel: str) -> Any:
    """Return one panel under every reading and every form of the tree."""
    own = [r for r in records.values() if r["panel"] == panel]
    trees = list(dict.fromkeys(m["tree"] for m in own[0]["methods"].values() if m["order"] == "random"))
    figure, axes = new_figure(3.6 * len(trees), 2.7 * len(own) + 0.8, len(own), len(trees))
    rows = np.array(axes).reshape(len(own), len(trees))
    for axis, tree in zip(rows[0], trees, strict=True):
        axis.annotate(_FORMS[tree], (0, 1), (0, 20), xycoords="axes fraction", textcoords="offset points",
                      fontsize=9, fontweight="bold")  # fmt: skip
    for row, record in zip(rows, own, strict=True):
        for axis, tree in zip(row, trees, strict=True):
            draw_panel(axis, record, tree, "")
            runs = len(record["methods"][f"{tree}-random"]["runs"])
            told = ", ".join(
                part for part in (told_reading(record["reading"]), f"{runs} random runs") if part
            )
            axis.set_title(told, fontsize=7.5, loc="left")
    stand_in = "" if own[0]["real"] else " (stand-in)"
    figure.suptitle(own[0]["title"] + stand_in, fontsize=11, fontweight="bold")
    _legend(figure, rows.ravel())
    return figure


def draw_panel(axis: Any, record: Record, tree: str, heading: str) -> None:
    """Draw dilemma first in black and random selection in red: a cloud for trees, mean and spread for knapsacks."""
    sign, unit, scale = _unit(record)
    x = np.arange(int(record["max_iter"]))
    random = sign * scale * curves(record, f"{tree}-random")
    if record["kind"] == "tree":
        _cloud(axis, x, random)
    else:
        low, high = np.quantile(random, [0.1, 0.9], axis=0)
        at = _turns(low, high)
        axis.fill_between(
            x[at],
            low[at],
            high[at],
            color=RED,
            alpha=0.15,
            lw=0,
            step="post",
            label="random state, 10 to 90 %",
        )
    best = random.min(axis=0) if sign > 0 else random.max(axis=0)
    _line(axis, x, random.mean(axis=0), color=RED, label=f"random state, mean of {len(random)} runs")
    _line(axis, x, best, color=RED, ls=":", lw=1.2, label="random state, the best at each moment")
    if f"{tree}-auto" in record["methods"]:
        own = sign * scale * curves(record, f"{tree}-auto")[0]
        _line(axis, x, own, color=BLUE, lw=1.2, label="default of this library")
    for order, style in (("raw", "-"), ("log", "--")):
        if f"{tree}-{order}" in record["methods"]:
            own = sign * scale * curves(record, f"{tree}-{order}")[0]
            _line(axis, x, own, color=INK, ls=style, lw=1.6, label=f"dilemma first, {order} gap")
    optimum = record["facts"].get("optimum")
    if optimum is not None:
        axis.axhline(optimum, color=GREEN, lw=0.9, ls="-.", label="optimum")
    _fit(axis)
    iterations_axis(axis, len(x) - 1)
    axis.set_ylabel(unit, fontsize=8)
    axis.ticklabel_format(axis="y", useOffset=False, style="plain")
    axis.tick_params(labelsize=7.5)
    title(axis, heading)
    axis.grid(axis="y", color="#ececec", lw=0.7)
    axis.set_axisbelow(True)


def _turns(*values: Any) -> Any:
    """Return where any of some curves changes, and both ends: the rest of a step's points draw nothing."""
    changed = np.any([np.diff(y, prepend=np.nan) != 0 for y in values], axis=0)
    changed[-1] = True
    return np.flatnonzero(changed)


def _line(axis: Any, x: Any, y: Any, **style: Any) -> None:
    at = _turns(y)
    axis.step(x[at], y[at], where="post", **style)


def _fit(axis: Any) -> None:
    """Set the y limits to what is drawn: left alone, flat curves get a range of their own size."""
    lines = [line.get_ydata() for line in axis.get_lines()]
    clouds = [cloud.get_offsets()[:, 1] for cloud in axis.collections if len(cloud.get_offsets()) > 1]
    drawn = np.concatenate([*lines, *clouds]).astype(float)
    low, high = float(drawn.min()), float(drawn.max())
    pad = 0.06 * (high - low)
    if high - low <= 1e-9 * abs(high):  # flat but for rounding
        pad = max(1e-3 * abs(high), 1e-9)
    axis.set_ylim(low - pad, high + pad)


def draw_beyond(axis: Any, record: Record) -> None:
    """Add the AND/OR trees: subtrees searched on their own."""
    sign, _, scale = _unit(record)
    x = np.arange(int(record["max_iter"]))
    for key, colour, label in (
        ("and-or-raw", ORANGE, "AND/OR tree, dilemma order"),
        ("and-or-auto", PURPLE, "AND/OR tree, default (never sees these rows)"),
    ):
        _line(axis, x, sign * scale * curves(record, key)[0], color=colour, lw=1.2, label=label)
    other = record["facts"]["scikit_learn_errors"]
    if other is not None:
        judged = list(record["facts"]["rows"])[1]
        axis.axhline(
            scale * other[judged], color=GREY, lw=0.9, ls=(0, (1, 2)), label="scikit-learn, equal depth"
        )
    _fit(axis)


def _legend(figure: Any, axes: Any) -> None:
    """Put one legend below all panels."""
    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    means = [label for label in found if label.startswith("random state, mean of ")]
    if len(means) > 1:  # the number is told above each plot
        found = {
            ("random state, mean" if k == means[0] else k): v for k, v in found.items() if k not in means[1:]
        }
    shown = figure.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=4, fontsize=8, frameon=False
    )
    for handle in shown.legend_handles:
        if hasattr(handle, "get_offsets"):  # points are faint in the plot, being many
            handle.set_alpha(0.7)


_FORMS = {
    "printed": "as printed", "sequence": "sequences", "levels": "by levels", "partition": "partition tree",
    "and-or": "AND/OR tree",
}  # fmt: skip


def _unit(record: Record) -> tuple[float, str, float]:
    """Return the sign and scale that turn energies into what is drawn, and its name."""
    if record["kind"] == "knapsack":
        return -1.0, "value packed", 1.0
    judged = list(record["facts"]["rows"])[1]
    return 1.0, f"{judged} error (%)", 100.0 / record["facts"]["rows"][judged]


def _cloud(axis: Any, x: Any, runs: Any) -> None:
    """Draw some points of every run, evenly on the logarithmic axis."""
    at = np.unique([0, *np.geomspace(1, len(x) - 1, 60).astype(int)])
    axis.scatter(
        np.tile(x[at], len(runs)),
        runs[:, at].ravel(),
        s=7,
        color=RED,
        alpha=0.25,
        lw=0,
        rasterized=True,  # tens of thousands of points: megabytes of SVG
        label="random runs, one point each",
    )
