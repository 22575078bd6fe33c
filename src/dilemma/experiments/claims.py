"""Every claim of the paper, with a verdict and the numbers behind it.

What a verdict rests on is stated with it: the main reading is the mended algorithm with the raw gap (Sections V and
VI use the scores themselves), on the partition tree where actions commute and on sequences of attributes for
decision trees; the other readings, AND/OR trees among them, are told beside it.
Verdicts on data sets rest on the real ones; what is found on generated stand-ins is told, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from dilemma.experiments.curves import Comparison, compare

Record = dict[str, Any]
Verdict = Literal["holds", "holds in part", "does not hold", "cannot be tested"]
STAND_INS = "Only stand-ins were run; the numbers are theirs."


@dataclass
class Claim:
    """One claim.

    Attributes
    ----------
    key : str
        Short name.
    where : str
        Where the paper says it.
    says : str
        What it says, in short.
    verdict : str
        One of the four.
    because : str
        One or two sentences.
    table : list of dict
        The numbers, one row a panel or reading.
    """

    key: str
    where: str
    says: str
    verdict: Verdict = "cannot be tested"
    because: str = "Nothing was run that bears on it."
    table: list[Record] = field(default_factory=list)

    def as_dict(self) -> Record:
        """Return plain data."""
        return {
            "key": self.key, "where": self.where, "says": self.says, "verdict": self.verdict,
            "because": self.because, "numbers": self.table,
        }  # fmt: skip


def judge(
    records: dict[str, Record],
    theory: Record | None,
    queue: list[Record] | None,
    table: Record | None = None,
) -> list[Claim]:
    """Return all claims with their verdicts, from whatever was run."""
    from dilemma.experiments.claims_cost import cost_claims
    from dilemma.experiments.claims_knapsack import knapsack_claims
    from dilemma.experiments.claims_reduction import reduction_claims
    from dilemma.experiments.claims_search import search_claims
    from dilemma.experiments.claims_theory import theory_claims
    from dilemma.experiments.claims_tree import tree_claims

    knapsacks = {n: r for n, r in records.items() if r["kind"] == "knapsack"}
    trees = {n: r for n, r in records.items() if r["kind"] == "tree"}
    return [
        *search_claims(records, table),
        *knapsack_claims(knapsacks),
        *tree_claims(trees),
        *reduction_claims(trees),
        *cost_claims(records, queue),
        *theory_claims(theory),
    ]


def share(outcomes: list[bool]) -> Verdict:
    """Return the verdict of a claim about several cases."""
    if not outcomes:
        return "cannot be tested"
    return "holds" if all(outcomes) else "holds in part" if any(outcomes) else "does not hold"


def forms(record: Record) -> list[tuple[str, str]]:
    """Return the (tree, order) pairs of dilemma first in a record, the main reading first."""
    pairs = [
        (m["tree"], m["order"])
        for m in record["methods"].values()
        if m["order"] in ("raw", "log") and not m["constant"]
    ]
    return sorted(pairs, key=lambda pair: (pair[0] != main_tree(record), pair[0], pair[1] != "raw"))


def main_tree(record: Record) -> str:
    """Return the form of the tree the verdicts rest on."""
    return "partition" if record["kind"] == "knapsack" else "sequence"


def label(name: str, record: Record) -> str:
    """Return the name of a record for people."""
    return name if record["real"] else f"{name} (stand-in)"


@dataclass(frozen=True)
class Reading:
    """Dilemma first and random selection, compared under one reading of the paper."""

    name: str
    record: Record
    tree: str
    order: str
    result: Comparison

    @property
    def main(self) -> bool:
        """Whether verdicts rest on it."""
        return self.record["real"] and (self.tree, self.order) == (main_tree(self.record), "raw")

    def row(self) -> Record:
        """Return the numbers."""
        c = self.result
        return {
            "data": label(self.name, self.record),
            "tree": self.tree,
            "gap": self.order,
            "greedy": c.greedy,
            "dilemma_first": c.dilemma,
            "random_mean": c.random.mean,
            "random_mean_95": [c.random.low, c.random.high],
            "random_best": c.best,
            "mean_over_the_run": c.area,
            "random_mean_over_the_run": c.random_area.mean,
            "random_mean_over_the_run_95": [c.random_area.low, c.random_area.high],
            "first_improvement": c.first,
            "found_at": c.found,
            "random_best_found_at": c.random_found,
            "as_good_as_random_mean_at": c.reaches_mean,
            "against_the_mean": c.against_mean,
            "against_the_best": c.against_best,
            "random_runs_that_end_better_%": 100 * c.beaten_by.mean,
            "random_runs_that_end_better_95": [100 * c.beaten_by.low, 100 * c.beaten_by.high],
            "iterations_better_than_mean_%": 100 * c.below_mean,
            "iterations_at_least_as_good_as_all_%": 100 * c.as_good_as_best,
        }


def readings(records: dict[str, Record]) -> list[Reading]:
    """Return every comparison of dilemma first with random selection on the same tree."""
    return [
        Reading(name, record, tree, order, compare(record, f"{tree}-{order}", f"{tree}-random"))
        for name, record in records.items()
        for tree, order in forms(record)
    ]


def told(rows: list[Reading], what: Callable[[Comparison], object]) -> str:
    """Return what there is to tell of each reading."""
    values = [(row.name, what(row.result)) for row in rows]
    return ", ".join(f"{name} {'never' if value is None else value}" for name, value in values)


def elsewhere(rows: list[Reading], test: Callable[[Comparison], bool]) -> str:
    """Return how often a test holds in each of the readings."""
    counts: dict[str, list[bool]] = {}
    for row in rows:
        counts.setdefault(f"{row.tree}, {row.order} gap", []).append(test(row.result))
    cases = "; ".join(f"{name}: {sum(v)} of {len(v)}" for name, v in counts.items())
    return f"Cases in which it holds, by reading: {cases}."
