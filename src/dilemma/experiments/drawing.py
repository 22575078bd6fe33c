"""Shared drawing: figures without a window, written as PNG and SVG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

INK, GREY, LIGHT = "#1b1b1b", "#6b6b6b", "#d9d9d9"
RED, BLUE, GREEN, ORANGE, PURPLE = "#c8322b", "#2a6fb0", "#2f8f5b", "#d98a00", "#7a4fa3"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "dilemma",
    "figure.dpi": 110,
}


def new_figure(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    layout: Literal["constrained"] | None = "constrained",
) -> tuple[Any, Any]:
    """Return a figure and its axes (an array if there are several), with no global state touched."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'dilemma[plot]'") from None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout=layout)
        return figure, figure.subplots(rows, columns)


def title(axis: Any, text: str, size: float = 9.5) -> None:
    """Put a title on the left above a plot."""
    axis.set_title(text, fontsize=size, fontweight="bold", loc="left")


def iterations_axis(axis: Any, last: int) -> None:
    """Make the x axis one of iterations, 0 (the greedy) to `last`: linear up to 1, logarithmic from there."""
    axis.set_xscale("symlog", linthresh=1, linscale=0.35)
    ticks = [0, *(10**k for k in range(7) if 10**k <= last)]
    axis.set_xticks(ticks, [f"{t:,}" for t in ticks])
    axis.minorticks_off()
    axis.set_xlim(-0.15, last * 1.15)
    axis.set_xlabel("iteration (0: the greedy)", fontsize=8)


def save(figure: Any, path: Path) -> list[Path]:
    """Write a figure as PNG and SVG beside each other and return the files."""
    import matplotlib as mpl

    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context(STYLE):
        for ending in ("png", "svg"):
            target = path.with_suffix(f".{ending}")
            metadata = {"Date": None} if ending == "svg" else None
            figure.savefig(target, metadata=metadata, facecolor="white", dpi=130)
            written.append(target)
    return written


def svg_text(path: Path, prefix: str) -> str:
    """Return an SVG file written here, without the XML prologue, its ids begun with `prefix`.

    Several drawings in one page must not share ids: what refers to a clip path of a hidden drawing is clipped
    away altogether.
    """
    text = path.read_text(encoding="utf-8")
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}", text[text.index("<svg") :])
