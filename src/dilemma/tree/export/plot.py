"""A picture of a tree with matplotlib."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

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
        Drawn into. None: the current figure if it is empty, else a new one of fitting size.
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
    if ax is None and plt.get_fignums() and not plt.gcf().axes:
        ax = plt.gca()  # a figure that was opened for this
    elif ax is None:
        _, ax = plt.subplots(
            figsize=(min(max(1.5 * width, 4.0), 40.0), 1.25 * height + 0.4), layout="constrained"
        )
    nodes: list[_Words] = []
    branches: list[_Words] = []
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
            branches.append(
                _Words(across + 0.62 * (end[0] - across), down + 0.62 * (end[1] - down), _short(question))
            )
        text = [parts.outcome(tree, node, labels, precision), f"n = {tree.n_rows[node]}"]
        if tree.kind[node] != LEAF:
            text = [names[tree.feature[node]] + " ?", *text[1:]] if not cut else [*text, "..."]
        nodes.append(_Words(across, down, "\n".join(map(_short, text)), node_colour(tree, node)))
    size = fontsize if fontsize is not None else _font_size(ax, [*nodes, *branches], width)
    frame = {"boxstyle": "round,pad=0.35", "edgecolor": "#555555", "linewidth": 0.8}
    plain = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for words in [*branches, *nodes]:
        box = plain if words.colour is None else {**frame, "facecolor": words.colour}
        # No mathtext: a column name with dollar signs is a name.
        ax.text(
            words.x, words.y, words.text, ha="center", va="center", zorder=3, parse_math=False, bbox=box,
            fontsize=size if words.colour else 0.9 * size,
        )  # fmt: skip
    ax.set_xlim(-0.6, width - 0.4)
    ax.set_ylim(-height + 0.55, 0.45)
    ax.axis("off")
    return ax


class _Words(NamedTuple):
    x: float
    y: float
    text: str
    colour: str | None = None  # of a node


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


def _font_size(ax: Any, words: list[_Words], width: float) -> float:
    """The largest size, up to 10 points, at which neighbours on one line keep apart."""
    inch = ax.get_figure().get_size_inches()[0] * ax.get_position().width / width
    size = 10.0
    lines: dict[float, list[_Words]] = {}
    for item in words:
        lines.setdefault(item.y, []).append(item)
    for line in lines.values():
        line.sort(key=lambda item: item.x)
        for one, next_ in itertools.pairwise(line):
            # A letter is about 0.6 of the size wide, and a box has some room around its words.
            letters = sum(max(map(len, item.text.split("\n"))) for item in (one, next_)) / 2
            size = min(size, 72 * inch * (next_.x - one.x) / (0.6 * letters + 1.4))
    return max(size, 3.0)


def _short(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
