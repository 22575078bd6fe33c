"""``dilemma demo``: generated knapsacks and one decision tree, each better than its greedy, in under a minute."""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dilemma import knapsack
from dilemma.cli.info import kernels

KNAPSACKS = ((24, "weak", 10), (100, "weak", 3), (10_000, "strong", 1))  # items, class, seed
DEPTH = 4


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("demo", help="improve the greedy on generated problems, with a picture")
    parser.add_argument(
        "--out", type=Path, default=Path("demo"), help="where to leave the picture (default: demo)"
    )
    parser.add_argument("--seed", type=int, default=0, help="other instances (default: 0)")
    parser.set_defaults(func=run)


@dataclass
class Row:
    """One line of the table, and its convergence curve."""

    name: str
    greedy: str
    best: str
    gap_before: float  # to the proved optimum, in per cent of it; the greedy's and the best's
    gap: float
    proved: bool
    candidates: int
    seconds: float
    curve: Sequence[tuple[float, float]] = field(default_factory=list)  # candidates, gap


def run(args: argparse.Namespace) -> int:
    """Solve, print the table, leave the picture."""
    args.out.mkdir(parents=True, exist_ok=True)
    rows = [knapsack_row(n, kind, seed + 1000 * args.seed) for n, kind, seed in KNAPSACKS]
    rows += _with_sklearn(lambda: tree_row(args.seed))
    print_table(rows)
    path = _draw(rows, args.out)
    print(f"\nkernels: {_kernels()}")
    print(f"convergence: {path.resolve()}")
    return 0


def knapsack_row(n: int, kind: str, seed: int) -> Row:
    """Improve one generated knapsack and prove its optimum."""
    instance = knapsack.generate(kind, n, seed=seed)
    start = time.perf_counter()
    result = knapsack.solve_instance(instance, time_limit=20.0, trace="all")
    seconds = time.perf_counter() - start
    best, greedy, bound = float(result.value), float(result.greedy_value), float(result.bound)
    incumbent = 0.0
    curve: list[tuple[float, float]] = []
    for row in result.trace:
        incumbent = max(incumbent, float(row.value))
        curve.append((row.iteration, 100 * (bound - incumbent) / bound))
    return Row(
        name=f"knapsack, {n:,} items",
        greedy=f"{greedy:,.0f}",
        best=f"{best:,.0f}",
        gap_before=100 * (bound - greedy) / bound,
        gap=100 * (bound - best) / bound,
        proved=result.optimal,
        candidates=result.iterations,
        seconds=seconds,
        curve=curve,
    )


def tree_row(seed: int) -> Row:
    """Fit one tree to data whose best first split looks worthless to a greedy."""
    from dilemma.tree import DilemmaTreeClassifier

    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(3000, 16))
    y = x[:, 0] ^ (x[:, 1] & x[:, 2]) ^ x[:, 3]
    y = np.where(rng.random(len(y)) < 0.05, 1 - y, y)
    start = time.perf_counter()
    model = DilemmaTreeClassifier(max_depth=DEPTH, leaf_penalty=0, time_limit=10.0, max_iter=None).fit(x, y)
    seconds = time.perf_counter() - start
    trace = model.trace_
    errors = trace.train_error
    lower = float(model.tree_.bound)
    candidates = [1, *(int(i) + 1 for i in trace.iteration[1:])]  # the greedy, then alternatives tried
    curve = [(i, 100 * (e - lower) / len(y)) for i, e in zip(candidates, errors, strict=True)]
    return Row(
        name=f"decision tree, depth {DEPTH}",
        greedy=f"{errors[0]:,.0f} errors",
        best=f"{errors[-1]:,.0f} errors",
        gap_before=100 * (errors[0] - lower) / len(y),
        gap=100 * (errors[-1] - lower) / len(y),
        proved=bool(model.tree_.optimal),
        candidates=int(model.n_iter_),
        seconds=seconds,
        curve=curve,
    )


def _with_sklearn(make: Callable[[], Row]) -> list[Row]:
    try:
        return [make()]
    except ImportError as error:
        print(f"no decision tree: {error}")
        return []


def print_table(rows: Sequence[Row]) -> None:
    """Print the rows in columns."""
    heads = ("problem", "greedy", "best found", "greedy's gap", "gap", "proved", "candidates", "time")
    cells = [
        (
            r.name,
            r.greedy,
            r.best,
            f"{r.gap_before:.4f} %",
            f"{r.gap:.4f} %",
            "optimal" if r.proved else "no",
            f"{r.candidates:,}",
            f"{r.seconds:.2f} s",
        )
        for r in rows
    ]
    widths = [max(len(row[i]) for row in (heads, *cells)) for i in range(len(heads))]
    for row in (heads, tuple("-" * w for w in widths), *cells):
        first, *others = zip(row, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]))
    print(
        "\ngap: to the proved optimum, or to the bound where there is no proof; the tree's in per cent of its rows"
    )


def _kernels() -> str:
    """Return which kernels the figures come from, and how to get the fast ones where they are missing."""
    used = kernels()
    text = ", ".join(f"{subject} {name}" for subject, name in used.items())
    slow = any(name == "python" for name in used.values())
    return text + (" (install again with a C++17 compiler for full speed)" if slow else "")


def _draw(rows: list[Row], out: Path) -> Path:
    """Draw the curves, or write them as CSV where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        path = out / "convergence.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["problem", "candidate", "gap_percent"])
            writer.writerows((r.name, c, g) for r in rows for c, g in r.curve)
        print("\nmatplotlib is not installed (pip install 'dilemma[plot]'): the curves are left as numbers")
        return path
    figure = Figure(figsize=(3.4 * len(rows), 3.2), layout="constrained")
    for ax, row in zip(figure.subplots(1, len(rows), squeeze=False)[0], rows, strict=True):
        x, gaps = (np.array(c, dtype=float) for c in zip(*row.curve, strict=True))
        ax.step(x, gaps, where="post", color="#0b6e4f", linewidth=2)
        ax.axhline(row.gap_before, color="#b23a48", linewidth=1, linestyle="--")
        ax.annotate("greedy", (1, row.gap_before), xytext=(3, 4), textcoords="offset points", color="#b23a48")
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.xaxis.set_minor_formatter("")
        ax.set_xlim(left=1)
        ax.margins(y=0.12)
        ax.set_ylim(bottom=0)
        ax.set_title(row.name, fontsize=10, loc="left")
        ax.set_xlabel("candidates")
        ax.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("gap to the optimum (%)")
    path = out / "convergence.png"
    figure.savefig(path, dpi=130)
    return path
