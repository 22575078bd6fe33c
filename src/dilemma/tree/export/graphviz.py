"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from typing import Any

from dilemma.tree.export import parts
from dilemma.tree.export.colours import node_colour
from dilemma.tree.model import LEAF


def export_graphviz(
    model: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    precision: int = 4,
    filled: bool = True,
    show_missing: bool | None = None,
) -> str:
    """The tree in the DOT language; ``dot -Tsvg`` draws it.

    Parameters
    ----------
    model : fitted estimator or Tree
    feature_names, class_names : sequence of str, default=None
    precision : int, default=4
        Significant digits.
    filled : bool, default=True
        Colour the nodes by what they predict.
    show_missing : bool or None, default=None
        Say which branch takes missing values and unseen labels; None: for columns that some branch asks about.

    Returns
    -------
    str
    """
    tree = parts.tree_of(model)
    names, labels = parts.names_of(tree, feature_names), parts.class_names_of(tree, class_names)
    told = parts.missing_told(tree, show_missing)
    lines = [
        "digraph Tree {",
        '  node [shape=box, style="filled, rounded", fontname="helvetica", fillcolor="#ffffff"];',
        '  edge [fontname="helvetica", fontsize=10];',
    ]
    for node in range(tree.n_nodes):
        text = [parts.outcome(tree, node, labels, precision), f"{tree.n_rows[node]} rows"]
        if tree.kind[node] != LEAF:
            text.insert(0, names[tree.feature[node]] + " ?")
        colour = f', fillcolor="{node_colour(tree, node)}"' if filled else ""
        lines.append(f"  {node} [label={_quoted(text)}{colour}];")
        if tree.kind[node] == LEAF:
            continue
        for side in parts.sides(tree, node):
            question = parts.condition(
                tree, node, side, "", precision=precision, show_missing=int(tree.feature[node]) in told
            )
            lines.append(f"  {node} -> {side.child} [label={_quoted([question.strip()])}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(lines: list[str]) -> str:
    # A backslash is doubled before our own line breaks are put in, so that no name can carry an escape.
    safe = [
        line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\0", " ") for line in lines
    ]
    return '"' + "\\n".join(safe) + '"'
