"""Line charts as SVG text, for pages that need neither scripts nor other files. All text is escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dilemma.report.series import log_ticks, ticks

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 84, 18, 14, 46


def escape(value: object) -> str:
    """Return text that is safe in HTML and SVG, quotes and control characters included.

    >>> escape("</script> \\x00 'a'")
    '&lt;/script&gt; \\ufffd &#x27;a&#x27;'
    """
    text = "".join(c if c >= " " or c in "\t\n" else "\ufffd" for c in str(value))
    return html.escape(text, quote=True)


@dataclass(frozen=True)
class Line:
    """One series: its `kind` is "line", "step" (a staircase) or "dots"; its colour is CSS class ``s<colour>``."""

    name: str
    x: ArrayLike
    y: ArrayLike
    kind: str = "line"
    colour: int = 0
    notes: Sequence[str] = ()


def chart(
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    label: str,
    log_x: bool = False,
    whole_x: bool = False,
    y_range: tuple[float, float] | None = None,
    percent: bool = False,
) -> str:
    """Return an ``<svg>`` with axes, grid and the lines; `label` is what a screen reader says.

    `percent` prints the y ticks as per cent of 1, `whole_x` leaves out broken x ticks; a line's `notes` become
    tool tips at its points.
    """
    xs = np.concatenate([np.asarray(line.x, dtype=float) for line in lines] or [np.empty(0)])
    ys = np.concatenate([np.asarray(line.y, dtype=float) for line in lines] or [np.empty(0)])
    if not len(xs):
        return f'<p class="empty">{escape(label)}: nothing to draw.</p>'
    x0, x1 = float(xs.min()), float(xs.max())
    if x1 <= x0:
        x0, x1 = (x0 / 2, x1 * 2) if log_x else (x0 - 0.5, x1 + 0.5)
    y0, y1 = y_range if y_range is not None else (float(ys.min()), float(ys.max()))
    if y1 <= y0:
        y1 = y0 + 1.0
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    start, span = (math.log(x0), math.log(x1 / x0)) if log_x else (x0, x1 - x0)

    def px(x: float) -> float:
        return LEFT + across * ((math.log(x) if log_x else x) - start) / span

    def py(y: float) -> float:
        return TOP + down * (1 - (y - y0) / (y1 - y0))

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg">'
    ]
    for tick in ticks(y0, y1):
        text = f"{100 * tick:.6g} %" if percent else f"{tick:.7g}"
        y = py(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    across_ticks = log_ticks(x0, x1) if log_x else ticks(x0, x1, 7)
    for tick in (t for t in across_ticks if not whole_x or t == int(t)):
        parts.append(
            f'<line class="grid" x1="{px(tick):.1f}" x2="{px(tick):.1f}" y1="{TOP}" y2="{TOP + down}"/>'
        )
        parts.append(
            f'<text class="tick" x="{px(tick):.1f}" y="{TOP + down + 18}" text-anchor="middle">{tick:.7g}</text>'
        )
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{TOP + down}" y2="{TOP + down}"/>')
    parts.append(
        f'<text class="label" x="{LEFT + across / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(x_label)}</text>"
    )
    parts.append(
        f'<text class="label" transform="translate(14 {TOP + down / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_label)}</text>'
    )
    for line in lines:
        points = [
            (px(float(x)), py(float(y))) for x, y in zip(np.asarray(line.x), np.asarray(line.y), strict=True)
        ]
        parts.append(_drawn(line, points))
    parts.append("</svg>")
    return "\n".join(parts)


def _drawn(line: Line, points: list[tuple[float, float]]) -> str:
    if not points:
        return ""
    colour = f"s{line.colour % 8}"
    if line.kind == "dots":
        dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)  # zero-length strokes with round caps
        return f'<path class="dots {colour}" d="{dots}"/>'
    path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for x, y in points[1:]:
        path.append(f"H{x:.1f}V{y:.1f}" if line.kind == "step" else f"L{x:.1f} {y:.1f}")
    drawn = f'<path class="curve {colour}" d="{"".join(path)}"/>'
    for (x, y), note in zip(points, line.notes, strict=False):
        title = f"<title>{escape(note)}</title>"
        drawn += f'<circle class="point {colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">{title}</circle>'
    return drawn


def legend(lines: Sequence[Line]) -> str:
    """Return the names of the lines beside their colours."""
    items = "".join(
        f'<li><span class="key b{line.colour % 8}{" round" * (line.kind == "dots")}"></span>'
        f"{escape(line.name)}</li>"
        for line in lines
    )
    return f'<ul class="legend">{items}</ul>'
