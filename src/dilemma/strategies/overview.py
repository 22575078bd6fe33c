"""The paper's Table I as living documentation: one row a strategy, from what each declares of itself.

``dilemma strategies`` prints it, ``docs/strategies.md`` holds it, and a test measures every column.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

from dilemma.strategies.base import Traits

COLUMNS = {
    "stochastic": "draws random numbers: seeds differ",
    "needs bound": "cannot run without the problem's `bound`",
    "needs heuristic": "the scores of the greedy guide it",
    "redundant": "may evaluate a solution more than once",
    "space": "memory of a run: *small* is constant, *little* is bounded, *adjustable* grows up to a limit one can "
    "set, *grows* grows with the candidates",
    "fast first": "the first candidate is the greedy's, at the greedy's cost",
    "reuses": "candidates share decisions already taken: they are grown from inside the tree",
    "optimal": "in the limit: *proved* means that it ends with a proof, *in time* that it is found with "
    "probability 1 but not recognised, *no* that it may never be found",
}


@dataclass(frozen=True)
class Row:
    """What Table I says of one strategy."""

    name: str
    summary: str
    traits: Traits

    def cells(self) -> list[str]:
        """Return the row as text, in the order of `COLUMNS`."""
        t = self.traits
        optimal = ("proved" if t.finite else "in time") if t.optimal_in_the_limit else "no"
        yes = [_mark(v) for v in (t.stochastic, t.needs_bound, t.needs_heuristic, t.redundant)]
        return [*yes, t.space, _mark(t.fast_first_solution), _mark(t.reuses), optimal]


def rows(strategies: dict[str, Any]) -> list[Row]:
    """Return one row for each strategy class, under the name it is registered by."""
    return [Row(name, _summary(cls), cls.traits) for name, cls in strategies.items()]


def _summary(cls: Any) -> str:
    """Return the first sentence of the documentation of the module a strategy lives in."""
    module = importlib.import_module(cls.__module__)
    return (inspect.getdoc(module) or "").split("\n")[0].rstrip(".")


def _mark(value: bool) -> str:
    return "yes" if value else "-"


def as_text(table: list[Row]) -> str:
    """Return the table for a terminal.

    >>> from dilemma.strategies import table
    >>> print(as_text(table()[1:2]))
    strategy  stochastic  needs bound  needs heuristic  redundant  space  fast first  reuses  optimal
    greedy    -           -            yes              -          small  yes         -       no
    """
    lines = [["strategy", *COLUMNS], *([row.name, *row.cells()] for row in table)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(table: list[Row]) -> str:
    """Return the page ``docs/strategies.md``: the table, what its columns mean, and each method in a sentence."""
    head = "| strategy | " + " | ".join(COLUMNS) + " |"
    rule = "|---" * (len(COLUMNS) + 1) + "|"
    body = [f"| `{row.name}` | " + " | ".join(row.cells()) + " |" for row in table]
    meaning = [f"- **{name}**: {text}." for name, text in COLUMNS.items()]
    methods = [f"- `{row.name}`: {row.summary}." for row in table]
    return "\n".join(
        [INTRODUCTION, head, rule, *body, "", *meaning, "", *NOTES, "", "## In a sentence", "", *methods, ""]
    )


INTRODUCTION = """\
# Strategies

The paper's Table I for every strategy there is, written by `dilemma strategies --format markdown` from what each
declares of itself. Each column is measured by a test (`tests/contract/test_table.py`).
"""

NOTES = (
    "Where this differs from the paper's table: every method here begins with the greedy and lets it complete",
    "what is left open, so that all need the decision heuristic and all have a fast first solution; the genetic",
    "algorithm and simulated annealing regrow a candidate only from where it changes; tabu search meets",
    "solutions again by other moves, and its list of candidates leaves neighbours out, so that it may miss the",
    "optimum, while a temperature that rises again and again finds it in time.",
)
