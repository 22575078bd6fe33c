"""A picture of a tree with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.tree.export import parts
from dilemma.tree.export.colours import node_colour
from dilemma.tree.model import LEAF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dilemma.tree.model import Tree

_LONG = 24  # characters of a line before it is cut


def plot_tree(
    model: Any,
    *,
    ax: Any = None,
    feature_names: Any = None,
    class_names: Any = None,
    precision: int = 3,
    max_depth: int | None = None,
    fontsize: float | None = None,
    show_missing: bool | None = None,
) -> Any:
    """Draw the tree.

    Parameters
    ----------
    model : fitted estimator or Tree
    ax : matplotlib Axes, default=None
        Drawn into; a new figure of fitting size otherwise.
    feature_names, class_names : sequence of str, default=None
    precision : int, default=3
        Significant digits.
    max_depth : int, default=None
        Draw no further down than this.
    fontsize : float, default=None
        Chosen to fit when None.
    show_missing : bool or None, default=None
        Say which branch takes missing values and unseen labels; None: for columns that some branch asks about.

    Returns
    -------
    matplotlib Axes
    """
    import matplotlib.pyplot as plt

    tree = parts.tree_of(model)
    names, labels = parts.names_of(tree, feature_names), parts.class_names_of(tree, class_names)
    told = parts.missing_told(tree, show_missing)
    limit = tree.max_depth if max_depth is None else max_depth
    x = _layout(tree, limit)
    width, height = max(x.values()) + 1.0, min(tree.max_depth, limit) + 1.0
    if ax is None:
        _, ax = plt.subplots(
            figsize=(min(max(1.5 * width, 4.0), 40.0), 1.25 * height + 0.4), layout="constrained"
        )
    size = fontsize if fontsize is not None else _font_size(ax, width)
    box = {"boxstyle": "round,pad=0.35", "edgecolor": "#555555", "linewidth": 0.8}
    for node, across in x.items():
        down = -float(tree.depth[node])
        cut = tree.kind[node] != LEAF and tree.depth[node] >= limit
        for side in [] if tree.kind[node] == LEAF or cut else parts.sides(tree, node):
            end = (x[side.child], -float(tree.depth[side.child]))
            ax.plot([across, end[0]], [down, end[1]], color="#888888", linewidth=0.9, zorder=1)
            question = parts.condition(
                tree, node, side, "", precision=precision, show_missing=int(tree.feature[node]) in told
            ).strip()
            # Nearer the child, so that the words of two sides keep apart.
            spot = (across + 0.62 * (end[0] - across), down + 0.62 * (end[1] - down))
            _write(
                ax,
                spot,
                _short(question),
                0.9 * size,
                {"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
        text = [parts.outcome(tree, node, labels, precision), f"n = {tree.n_rows[node]}"]
        if tree.kind[node] != LEAF:
            text = [names[tree.feature[node]] + " ?", *text[1:]] if not cut else [*text, "..."]
        text_lines = "\n".join(_short(line) for line in text)
        _write(ax, (across, down), text_lines, size, {**box, "facecolor": node_colour(tree, node)})
    ax.set_xlim(-0.6, width - 0.4)
    ax.set_ylim(-height + 0.55, 0.45)
    ax.axis("off")
    return ax


def _write(ax: Any, spot: tuple[float, float], text: str, size: float, box: dict[str, Any]) -> None:
    # No mathtext: a column name with dollar signs is a name.
    ax.text(*spot, text, ha="center", va="center", fontsize=size, zorder=3, parse_math=False, bbox=box)


def _layout(tree: Tree, limit: int) -> dict[int, float]:
    """Leaves side by side, every other node over the middle of its children."""
    x: dict[int, float] = {}
    shown = np.flatnonzero(tree.depth <= limit)
    order: NDArray[np.int32] = np.array(_preorder(tree, 0, limit), dtype=np.int32)
    place = 0.0
    for node in order:
        if tree.kind[node] == LEAF or tree.depth[node] >= limit:
            x[int(node)] = place
            place += 1.0
    for node in shown[::-1]:
        if int(node) not in x:
            x[int(node)] = float(np.mean([x[int(child)] for child in tree.children(int(node))]))
    return x


def _preorder(tree: Tree, node: int, limit: int) -> list[int]:
    below = [] if tree.depth[node] >= limit else [int(child) for child in tree.children(node)]
    return [node, *(n for child in below for n in _preorder(tree, child, limit))]


def _font_size(ax: Any, width: float) -> float:
    inches = ax.get_figure().get_size_inches()[0] * ax.get_position().width
    return float(np.clip(8.0 * inches / (1.25 * width), 3.0, 10.0))


def _short(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
