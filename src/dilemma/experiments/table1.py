"""Table I: what each search method needs and does, as the paper marks it, as declared here, and as measured.

The measurements run each method on small trees whose energies are known: whether two seeds differ, how many
candidates repeat, whether the first is the greedy, and whether the optimum is found, proved or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dilemma.errors import DilemmaError
from dilemma.experiments.known import KnownTree, exponential_energies, random_tree
from dilemma.experiments.whole import minimize
from dilemma.strategies import resolve

Record = dict[str, Any]

# name in the paper -> strategy here, and the marks of the paper's rows in order
COLUMNS: dict[str, str] = {
    "Greedy": "greedy", "GA": "genetic", "BB": "branch_and_bound", "LDS": "limited_discrepancy",
    "Tabu": "tabu", "SA": "simulated_annealing", "DFS": "dilemma_first",
}  # fmt: skip
ROWS: dict[str, tuple[str, str]] = {
    "stochastic": ("Stochastic", "- x - - - x -"),
    "needs_bound": ("Needs a lower bound", "- - x - - - -"),
    "needs_heuristic": ("Needs a decision heuristic", "x - - x - - x"),
    "redundant": ("Redundant computation", "- x - - - x -"),
    "space": ("Space requirement", "small little little adjustable adjustable little adjustable"),
    "fast_first_solution": ("Fast initial solution", "x - - x x x x"),
    "reuses": ("Reuses computation", "- - x x - - x"),
    "optimal_in_the_limit": ("Optimal solution", "- - x x x - x"),
}
BUDGET = 400
DEPTH = 5


class BoundedTree(KnownTree):
    """A tree that also knows an optimistic energy: nine tenths of the least below."""

    def bound(self, state: tuple[int, int]) -> float:
        level, index = state
        width = self.branching ** (self.depth - level)
        return 0.9 * float(self.energies[index * width : (index + 1) * width].min())


def build() -> Record:
    """Return the table: paper, declared and measured, by row and column."""
    marks: dict[str, dict[str, Any]] = {}
    for row, (_, line) in ROWS.items():
        marks[row] = dict(zip(COLUMNS, line.split(), strict=True))
    declared = {
        column: {row: _mark(getattr(resolve(name).traits, row)) for row in ROWS}
        for column, name in COLUMNS.items()
    }
    measured = {column: _measure(name) for column, name in COLUMNS.items()}
    rows = []
    for row, (title, _) in ROWS.items():
        for column in COLUMNS:
            found = measured[column].get(row)
            rows.append({
                "row": title, "method": column, "strategy": COLUMNS[column], "paper": marks[row][column],
                "declared": declared[column][row], "measured": found,
                "agrees": (found if found in ("x", "-") else declared[column][row]) == marks[row][column],
            })  # fmt: skip
    return {"rows": rows, "details": {c: m["details"] for c, m in measured.items()}}


def _mark(value: object) -> str:
    return ("x" if value else "-") if isinstance(value, bool) else str(value)


def _trees() -> list[BoundedTree]:
    found = []
    for seed in range(4):
        rng = np.random.default_rng([seed, 9])
        tree = random_tree(rng, branching=3, depth=DEPTH, concentration=0.7)
        found.append(BoundedTree(tree.levels, exponential_energies(tree, rng)))
    return found


def _measure(name: str) -> Record:
    trees: list[Any] = list(_trees())
    needs_bound = not _works(lambda: minimize(_plain(trees[0]), strategy=name, max_iter=5))
    if not needs_bound:  # and then it gets none: what it proves, it proves by itself
        trees = [_plain(tree) for tree in trees]
    runs = [minimize(t, strategy=name, max_iter=BUDGET, random_state=1) for t in trees]
    again = [minimize(t, strategy=name, max_iter=BUDGET, random_state=2) for t in trees]
    stochastic = any(
        a.trace.energy.tolist() != b.trace.energy.tolist() for a, b in zip(runs, again, strict=True)
    )
    repeats = [1 - r.distinct / r.iterations for r in runs]
    greedy = all(
        r.trace.energy[0] == t.energy((t.depth, t.greedy_leaf())) for r, t in zip(runs, trees, strict=True)
    )
    optimal = [r.energy == float(t.energies.min()) for r, t in zip(runs, trees, strict=True)]
    proved = [r.optimal for r in runs]
    return {
        "stochastic": _mark(stochastic),
        "needs_bound": _mark(needs_bound),
        "redundant": _mark(max(repeats) > 0),
        "fast_first_solution": _mark(greedy),
        "optimal_in_the_limit": _mark(all(proved)),
        "details": {
            "candidates": sum(r.iterations for r in runs),
            "repeated_%": 100 * float(np.mean(repeats)),
            "optimum_found": f"{sum(optimal)} of {len(trees)}",
            "optimum_proved": f"{sum(proved)} of {len(trees)}",
        },
    }


def _plain(tree: KnownTree) -> KnownTree:
    return KnownTree(tree.levels, tree.energies)


def _works(run: Callable[[], object]) -> bool:
    try:
        run()
    except DilemmaError:
        return False
    return True
