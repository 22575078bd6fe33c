"""A comparison as a table for people, and as a data frame."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma.compare.comparison import Comparison

FRAMES = ("pandas", "polars")


def render(comparison: Comparison, by: str, *, markdown: bool) -> str:
    """See `Comparison.table`."""
    lines = cells(comparison, by)
    text = _markdown(lines) if markdown else _aligned(lines)
    return "\n".join([title(comparison), "", text, "", *notes(comparison, by)])


def cells(comparison: Comparison, by: str) -> list[list[str]]:
    """Return the table as texts, headings first."""
    if by not in ("strategy", "problem"):
        raise ValueError(f"by: expected 'strategy' or 'problem', got {by!r}")
    return _by_strategy(comparison) if by == "strategy" else _by_problem(comparison)


def title(comparison: Comparison) -> str:
    """Return how much was run, in a line."""
    budget = ", ".join(f"{k} {v:g}" for k, v in comparison.budget.items() if v is not None)
    seeds = f"{len(comparison.seeds)} seed{'s' * (len(comparison.seeds) != 1)}"
    problems = f"{len(comparison.problems)} problem{'s' * (len(comparison.problems) != 1)}"
    done = f"{len(comparison.blocks)} of {len(comparison.problems) * len(comparison.seeds)} finished"
    return f"{problems} x {seeds}, {budget or 'no budget'}" + (
        f" (interrupted: {done})" if comparison.interrupted else ""
    )


def _by_strategy(comparison: Comparison) -> list[list[str]]:
    lines = [
        ["strategy", "mean gap %", "worst gap %", "primal integral %", "mean rank", "best %", "proved %",
         "candidates", f"against {comparison.baseline}", "p"]
    ]  # fmt: skip
    for row in comparison.summary():
        versus = row.versus
        lines.append(
            [
                row.strategy,
                percent(row.mean_gap),
                percent(row.worst_gap),
                percent(row.primal_integral),
                f"{row.rank:.2f}",
                f"{100 * row.best:.0f}",
                f"{100 * row.proved:.0f}",
                f"{row.iterations:.0f}",
                "" if versus is None else f"{versus.wins}/{versus.ties}/{versus.losses}",
                "" if row.p_holm is None else p_value(row.p_holm),
            ]
        )
    return lines


def _by_problem(comparison: Comparison) -> list[list[str]]:
    lines = [["problem", "reference", *comparison.strategies]]
    for problem in comparison.problems:
        seeds = [s for p, s in comparison.blocks if p == problem]
        if not seeds:
            continue
        gaps = [
            [comparison.gap(comparison.runs[problem, s, name]) for s in seeds]
            for name in comparison.strategies
        ]
        mark = "" if problem in comparison.best_known else " *"
        lines.append(
            [problem, f"{comparison.references[problem]:.10g}{mark}"]
            + [percent(math.fsum(g) / len(g)) for g in gaps]
        )
    return lines


def notes(comparison: Comparison, by: str = "strategy") -> list[str]:
    """Return what one must know to read the table."""
    said = []
    guessed = [p for p in comparison.problems if p not in comparison.best_known]
    if guessed and len(guessed) == len(comparison.problems):
        said.append("Gaps are to the best energy found here: give best_known where you know better.")
    elif guessed:
        said.append(f"Gaps are to the best known energy; to the best found here (*) for {_listed(guessed)}.")
    else:
        said.append("Gaps are to the best known energy.")
    beaten = [
        p
        for p, known in comparison.best_known.items()
        if min((o.energy for o in comparison if o.problem == p), default=math.inf) < known - 1e-9 * abs(known)
    ]
    if beaten:
        said.append(f"Better than best_known was found for {_listed(beaten)}: check those values.")
    rows = [row for row in comparison.summary() if row.versus is not None]
    if by == "strategy" and rows and rows[0].versus is not None:
        unit = rows[0].versus.unit
        each = "problem (gaps averaged over seeds)" if unit == "problem" else "run"
        said.append(
            f"Wins/ties/losses over {rows[0].versus.pairs} pairs, one a {each}; p: Wilcoxon signed ranks, "
            f"two-sided, corrected by Holm."
        )
    failed = sum(row.failed for row in comparison.summary())
    if failed:
        said.append(f"{failed} runs found nothing feasible or failed; their gap is inf.")
    return said


def _listed(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def percent(share: float) -> str:
    """Return a share in per cent, three digits that matter.

    >>> percent(0.01234), percent(0.0), percent(1.5), percent(float("inf"))
    ('1.23', '0', '150', 'inf')
    """
    if not math.isfinite(share):
        return "-" if math.isnan(share) else f"{share:g}"
    value = 100.0 * share
    if abs(value) < 5e-5:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 4)}f}"


def p_value(p: float) -> str:
    """Return a p-value as it is usually printed.

    >>> p_value(0.04321), p_value(1.2e-7)
    ('0.043', '<0.001')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [
        "  ".join(
            cell.ljust(w) if not i else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([text[0], "  ".join("-" * w for w in widths), *text[1:]])


def _markdown(lines: list[list[str]]) -> str:
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([rows[0], "|---|" + "---:|" * (len(lines[0]) - 1), *rows[1:]])


def frame(rows: list[dict[str, Any]], kind: str | None) -> Any:
    """See `Comparison.to_frame`."""
    if kind is not None and kind not in FRAMES:
        raise ValueError(f"kind: expected 'pandas' or 'polars', got {kind!r}")
    for name in FRAMES if kind is None else (kind,):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return module.DataFrame(rows)
    raise ImportError(
        f"to_frame: needs {kind or 'pandas or polars'}, which is not installed; "
        f"install it, or use `rows`, a list of dicts"
    )
