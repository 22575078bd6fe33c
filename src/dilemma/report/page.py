"""One HTML file that tells of a run or of a comparison: no scripts, nothing fetched, everything escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dilemma.compare import table
from dilemma.report.series import LABELS, Convergence, convergence, wants_log
from dilemma.report.style import CSS
from dilemma.report.svg import Line, chart, escape, legend

if TYPE_CHECKING:
    from dilemma.compare.comparison import Comparison
    from dilemma.compare.measures import Axis
    from dilemma.compare.profiles import Profile
    from dilemma.result import Result, TraceRow

MOST_ROWS = 200
MOST_ACTIONS = 2000


def result_page(result: Result, *, title: str | None = None) -> str:
    """Return a page about a run: summary, why it ended, convergence, improvements, decisions."""
    heading = title if title is not None else f"{result.strategy or 'search'}: energy {result.energy:.10g}"
    return document(
        heading,
        [
            f"<header><p class='kicker'>dilemma run</p><h1>{escape(heading)}</h1></header>",
            _cards(result),
            f"<p class='banner'><b>Stopped: {escape(result.stop_reason.value)}.</b> "
            f"{escape(result.stop_reason.advice)}</p>",
            "<h2>Convergence</h2>",
            _convergence(result),
            "<h2>Improvements</h2>",
            _improvements(result),
            f"<h2>Decisions <small>{len(result.actions)}</small></h2>",
            _decisions(result),
        ],
    )


def comparison_page(comparison: Comparison, *, title: str | None = None) -> str:
    """Return a page about a comparison: both tables, anytime curves, profiles."""
    heading = title if title is not None else f"{len(comparison.strategies)} strategies compared"
    curves = comparison.curves()
    axis = comparison.axis
    lines = [
        Line(name, curves[axis], curves[name], colour=i)
        for i, name in enumerate(comparison.strategies)
        if curves[name]
    ]
    anytime = chart(
        lines,
        x_label=LABELS[axis],
        y_label="mean primal gap",
        label="mean gap of each strategy against effort",
        log_x=wants_log(np.asarray(curves[axis])),
        y_range=(
            0.0,
            1.05 * max((max(curves[name]) for name in comparison.strategies if curves[name]), default=1.0),
        ),
        percent=True,
    )
    return document(
        heading,
        [
            f"<header><p class='kicker'>dilemma comparison</p><h1>{escape(heading)}</h1>"
            f"<p>{escape(table.title(comparison))}</p></header>",
            _table(comparison, "strategy"),
            "<h2>Anytime: mean gap against effort</h2>",
            f"<figure>{anytime}{legend(lines)}</figure>",
            "<h2>Performance profile</h2>",
            _profile(comparison.performance_profile(), log_x=True),
            "<h2>Final gaps</h2>",
            _profile(comparison.gap_profile(), log_x=False, scale=100.0),
            "<h2>By problem</h2>",
            _table(comparison, "problem"),
        ],
    )


def write(page: str, path: str | Path) -> Path:
    """Write a page to a file and return its path."""
    target = Path(path)
    target.write_text(page, encoding="utf-8", errors="xmlcharrefreplace")
    return target


def document(title: str, parts: Sequence[str]) -> str:
    """Return a whole HTML document; its policy forbids scripts and anything from outside."""
    from dilemma import __version__

    body = "\n".join(parts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{CSS}</style>
</head>
<body>
<main>
{body}
<footer>Written by dilemma {escape(__version__)}. This page needs no network.</footer>
</main>
</body>
</html>
"""


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _cards(result: Result) -> str:
    share = ""
    if result.greedy_energy and math.isfinite(result.greedy_energy):
        share = f"{100 * result.improvement / abs(result.greedy_energy):.3g} % of the greedy's"
    if result.optimal:
        proof = ("proof", "optimal", "nothing better exists")
    elif math.isfinite(result.bound):
        proof = ("gap to bound", f"{100 * result.gap:.3g} %", f"bound {result.bound:.10g}")
    else:
        proof = ("proof", "none", "no bound is known")
    seed = "" if result.random_state is None else f"seed {result.random_state}"
    rate = f"{_rate(result.iterations / result.runtime)} candidates a second" if result.runtime > 0 else ""
    cards = [
        ("energy", f"{result.energy:.10g}", result.strategy),
        ("greedy", f"{result.greedy_energy:.10g}", "where it started"),
        ("improvement", f"{result.improvement:.10g}", share),
        proof,
        ("candidates", f"{result.iterations:,}", f"{result.distinct:,} distinct"),
        ("decisions", f"{result.nodes:,}", rate),
        ("run time", f"{result.runtime:.3g} s", seed),
    ]
    inside = "".join(
        f"<div class='card'><dt>{escape(a)}</dt><dd>{escape(b)}</dd><p>{escape(c)}</p></div>"
        for a, b, c in cards
    )
    return f"<dl class='cards'>{inside}</dl>"


def _convergence(result: Result) -> str:
    """Return one chart an axis, with a choice among them that works without a script."""
    axes: tuple[Axis, ...] = ("iterations", "nodes", "seconds")
    inputs, labels, figures = [], [], []
    for i, axis in enumerate(axes):
        data = convergence(result, axis, points=800)
        lines = [
            Line("candidates", data.x, data.energy, kind="dots", colour=1),
            Line("best so far", data.step_x, data.step_energy, kind="step", colour=0, notes=_notes(data)),
        ]
        drawn = chart(
            lines,
            x_label=LABELS[axis],
            y_label="energy",
            label=f"energy against {LABELS[axis]}",
            log_x=wants_log(data.step_x),
            whole_x=axis != "seconds",
            y_range=(data.low, data.high),
        )
        inputs.append(f"<input type='radio' name='axis' id='axis{i}'{' checked' * (not i)}>")
        labels.append(f"<label for='axis{i}'>{escape(LABELS[axis])}</label>")
        omitted = _omitted(data.outside, data.infeasible)
        figures.append(f"<figure class='axis{i}'>{drawn}{legend(lines)}{omitted}</figure>")
    choice = f"{''.join(inputs)}<div class='labels'>{''.join(labels)}</div>"
    return f"<div class='tabs'>{choice}{''.join(figures)}</div>"


def _notes(data: Convergence) -> list[str]:
    """Return a tool tip for each improvement, unless there are too many to point at."""
    if len(data.step_x) > 61:
        return []
    pairs = zip(data.step_x[:-1].tolist(), data.step_energy[:-1].tolist(), strict=True)
    return [f"energy {energy:.10g} after {x:.6g} {LABELS[data.axis]}" for x, energy in pairs]


def _omitted(outside: int, infeasible: int) -> str:
    notes = []
    if outside:
        notes.append(f"{outside:,} candidates lie above the frame")
    if infeasible:
        notes.append(f"{infeasible:,} were not feasible")
    return f"<figcaption>{'; '.join(notes)}.</figcaption>" if notes else ""


def _improvements(result: Result) -> str:
    rows: list[TraceRow] = result.trace.improvements()
    if not rows:
        return "<p class='empty'>No candidate was finished.</p>"
    note = ""
    if len(rows) > MOST_ROWS:
        note = f"<p>The first {MOST_ROWS // 2} and the last {MOST_ROWS // 2} of {len(rows):,}.</p>"
        rows = rows[: MOST_ROWS // 2] + rows[-MOST_ROWS // 2 :]
    body = "".join(
        f"<tr><td>{row.iteration:,}</td><td>{row.nodes:,}</td><td>{row.seconds:.3f}</td>"
        f"<td>{row.energy:.10g}</td><td>{_gain(result.greedy_energy, row.energy)}</td></tr>"
        for row in rows
    )
    head = "".join(
        f"<th>{h}</th>" for h in ("candidate", "decisions", "seconds", "energy", "better than the greedy by")
    )
    return (
        f"{note}<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _gain(greedy: float, energy: float) -> str:
    gain = greedy - energy
    if not math.isfinite(gain):
        return ""
    share = f" ({100 * gain / abs(greedy):.3g} %)" if greedy else ""
    return f"{gain:.10g}{share}"


def _decisions(result: Result) -> str:
    names = result.names if result.names is not None else result.actions
    if not len(names):
        return "<p class='empty'>No decisions: the empty solution is the best found.</p>"
    shown = "".join(f"<li>{escape(name)}</li>" for name in names[:MOST_ACTIONS])
    more = len(names) - MOST_ACTIONS
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    return (
        f"<details{' open' * (len(names) <= 60)}><summary>in order</summary>"
        f"<ol class='actions'>{shown}</ol>{rest}</details>"
    )


def _profile(profile: Profile, *, log_x: bool, scale: float = 1.0) -> str:
    end = max(1.05 * scale * profile.limit, 10.0 if log_x else 0.01 * scale)
    start = 1.0 if log_x else 0.0
    lines = []
    for i, name in enumerate(profile.within):
        x = np.concatenate(([start], scale * profile.within[name], [end]))
        shares = profile.shares[name]
        y = np.concatenate(([0.0], shares, shares[-1:] if len(shares) else [0.0]))
        lines.append(Line(name, x, y, kind="step", colour=i))
    drawn = chart(
        lines, x_label=profile.label, y_label="share of runs", label=f"share of runs by {profile.label}",
        log_x=log_x, y_range=(0.0, 1.03), percent=True,
    )  # fmt: skip
    return f"<figure>{drawn}{legend(lines)}</figure>"


def _table(comparison: Comparison, by: str) -> str:
    """Return a comparison's table with its notes."""
    head, *rows = table.cells(comparison, by)
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    told = "".join(f"<p class='empty'>{escape(note)}</p>" for note in table.notes(comparison, by))
    grid = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='scroll named'>{grid}</div>{told}"
