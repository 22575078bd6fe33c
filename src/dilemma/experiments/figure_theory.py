"""A picture of the theory's simulations."""

from __future__ import annotations

from typing import Any

import numpy as np

from dilemma.experiments.drawing import BLUE, GREEN, GREY, INK, RED, new_figure, title

Record = dict[str, Any]


def draw(theory: Record) -> Any:
    """Return the figure: orders, the corollary level by level, the base case, the printed algorithm's reach."""
    figure, axes = new_figure(12.5, 7.8, 2, 2)
    _orders(axes[0, 0], theory)
    _levels(axes[0, 1], theory)
    _base_case(axes[1, 0], theory)
    _reach(axes[1, 1], theory)
    return figure


def _orders(axis: Any, theory: Record) -> None:
    blocks = theory["orders"]
    names = [row["name"] for row in blocks[0]["rows"]]
    y = np.arange(len(names))[::-1]
    for block, colour in zip(blocks, (INK, BLUE, GREEN), strict=False):
        ratio = np.array([row["ratio"] for row in block["rows"]])
        error = np.array([row["error"] for row in block["rows"]])
        axis.errorbar(ratio, y, xerr=1.96 * error, fmt="o", ms=4, color=colour, lw=1,
                      label=f"Dirichlet {block['concentration']:g}")  # fmt: skip
    axis.set_yticks(y, names, fontsize=7)
    axis.set_xscale("log")
    ticks = [1, 1.5, 2, 3, 5, 10, 20]
    axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.axvline(1, color=GREY, lw=0.8)
    axis.grid(axis="x", color="#ececec")
    axis.set_axisbelow(True)
    axis.set_xlabel("candidates until the optimum, as a multiple of the omniscient order's", fontsize=8)
    title(axis, "Corollary 1: the exact key, its local form, and the rest")
    axis.legend(fontsize=7)


def _levels(axis: Any, theory: Record) -> None:
    depth = np.arange(theory["depth"])
    named = {"uniform": ("u = −log b (Assumption 1)", INK), "greedy": ("u = log E[m], estimated", BLUE)}
    for block in theory["levels"]:
        label, colour = named[block["assumed"]]
        axis.errorbar(depth, block["mean"], yerr=1.96 * np.array(block["error"]), fmt="o", ms=4, color=colour,
                      label=f"{label}: measured")  # fmt: skip
        axis.plot(
            depth, block["predicted"], color=colour, lw=1, label=f"(d − 1 − k)·c, c = {block['constant']:.3f}"
        )
    axis.set_xlabel("depth k of the state α on the greedy's path", fontsize=8)
    axis.set_ylabel("mean of L_opt − L_α − gap", fontsize=8)
    title(axis, "What the corollary drops: c for every level grown again")
    axis.grid(axis="y", color="#ececec")
    axis.legend(fontsize=7)


def _base_case(axis: Any, theory: Record) -> None:
    rows = theory["base_case"]["known"]
    names = [f"b={r['branching']} d={r['depth']}\nDirichlet {r['concentration']:g}" for r in rows]
    shares = np.array([r["likeliest"] for r in rows])
    error = 1.96 * np.sqrt(shares * (1 - shares) / np.array([r["trees"] for r in rows]))
    axis.bar(names, 100 * shares, yerr=100 * error, color=BLUE, width=0.6, ecolor=INK)
    axis.axhline(100, color=GREEN, lw=1.2, ls="--", label="largest Eq. 2 value after d states: every tree")
    axis.tick_params(axis="x", labelsize=7)
    axis.set_ylim(0, 112)
    axis.set_ylabel("% of trees", fontsize=8)
    title(axis, "Base case: is the greedy leaf the likeliest of a known tree?")
    axis.legend(fontsize=7, loc="upper right")


def _reach(axis: Any, theory: Record) -> None:
    rows = theory["printed"]["reach"]
    names = [f"b={r['branching']} d={r['depth']}" for r in rows]
    x = np.arange(len(rows))
    axis.bar(
        x - 0.2, [r["leaves"] for r in rows], width=0.38, color=GREEN, label="mended: all leaves, once each"
    )
    axis.bar(
        x + 0.2,
        [r["reached"] for r in rows],
        width=0.38,
        color=RED,
        label="Algorithm 1 as printed, twice each",
    )
    for i, row in enumerate(rows):
        axis.text(i - 0.2, row["leaves"] * 1.06, row["leaves"], ha="center", fontsize=8)
        axis.text(i + 0.2, row["reached"] * 1.06, row["reached"], ha="center", fontsize=8)
    axis.set_yscale("log")
    axis.set_ylim(1, 3 * max(r["leaves"] for r in rows))
    axis.set_xticks(x, names)
    axis.set_ylabel("leaves reached", fontsize=8)
    title(axis, "Convergence: what each search can reach")
    axis.legend(fontsize=7, loc="upper left")
