"""The searches the figures compare, as plain data: name, tree, strategy, number of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from dilemma.strategies import Auto, DilemmaFirst, Printed, RandomState
from dilemma.strategies.base import Strategy

Tree = Literal["printed", "sequence", "levels", "partition", "and-or"]
Order = Literal["raw", "log", "random", "auto"]
RUNS = 50  # of everything random: the paper's number
OTHERS = 20  # under readings that are not drawn in Figure 3
CONSTANTS = (0.25, 0.5, 0.75, 1.0)  # of log b, the range of the corollary's constant


@dataclass(frozen=True)
class Method:
    """One search.

    Attributes
    ----------
    tree : str
        ``printed``: Algorithm 1 to the letter. ``sequence``: mended, on sequences of actions (nodes of a decision
        tree in preorder). ``levels``: the same with the nodes of a decision tree level by level. ``partition``:
        mended, each set of actions once. ``and-or``: subtrees searched on their own (decision trees only).
    order : str
        ``raw`` or ``log`` gap (a relative gap orders as the log one does), ``random``, or ``auto``, the library's
        default.
    constant : float
        The corollary's constant, as a fraction of log b.
    runs : int
        How often, with seeds 0, 1, ...
    """

    tree: Tree
    order: Order
    constant: float = 0.0
    runs: int = 1

    @property
    def key(self) -> str:
        """Short name, for files."""
        return f"{self.tree}-{self.order}" + (f"-c{self.constant:g}" if self.constant else "")

    @property
    def title(self) -> str:
        """Name for people."""
        order = {
            "raw": "dilemma first, raw gap",
            "log": "dilemma first, log gap",
            "random": "random state",
            "auto": "default of this library",
        }[self.order]
        tree = {
            "printed": "as printed",
            "sequence": "mended, sequences",
            "levels": "mended, sequences level by level",
            "partition": "mended, partition tree",
            "and-or": "AND/OR tree",
        }[self.tree]
        constant = f", constant {self.constant:g} log b" if self.constant else ""
        return f"{order}{constant} ({tree})"

    def strategy(self, branching: float) -> Strategy:
        """Return the strategy for the generic engine; `branching` is b."""
        if self.tree == "printed":
            return Printed(order="random") if self.order == "random" else Printed(gap=_gap(self.order))
        partition = self.tree == "partition"
        if self.order == "random":
            return RandomState(partition=partition)
        if self.order == "auto":
            return Auto(partition=partition)
        return DilemmaFirst(
            gap=_gap(self.order), depth_constant=self.constant * math.log(branching), partition=partition
        )


def _gap(order: Order) -> Literal["raw", "log"]:
    return "log" if order == "log" else "raw"


def methods_for(kind: str, runs: int = RUNS) -> list[Method]:
    """Return what is run in a panel of a kind, ``knapsack`` or ``tree``."""
    found = [Method("printed", "raw"), Method("printed", "log"), Method("printed", "random", runs=runs)]
    for tree in ("sequence", "partition") if kind == "knapsack" else ("sequence",):
        found += [Method(tree, "raw"), Method(tree, "log")]
        found += [Method(tree, "random", runs=runs), Method(tree, "auto")]
    main: Tree = "partition" if kind == "knapsack" else "sequence"
    found += [Method(main, "log", constant=c) for c in CONSTANTS]
    if kind == "tree":
        found += [
            Method("levels", "raw"),
            Method("levels", "log"),
            Method("levels", "random", runs=runs),
            Method("and-or", "raw"),
            Method("and-or", "random", runs=runs),
            Method("and-or", "auto"),
        ]
    return found
