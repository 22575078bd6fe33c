"""A tree as indented text, and as one rule per leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.tree.export import parts
from dilemma.tree.grown import EVERY_NUMBER
from dilemma.tree.model import LEAF, NUMERIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dilemma.tree.model import Tree


def export_text(
    model: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    precision: int = 4,
    show_weights: bool = False,
    show_missing: bool | None = None,
) -> str:
    """The tree as indented text, one line a branch.

    Parameters
    ----------
    model : fitted estimator or Tree
    feature_names, class_names : sequence of str, default=None
        Names to show in place of those the tree knows.
    precision : int, default=4
        Significant digits of thresholds and means.
    show_weights : bool, default=False
        Add the class weights (or weight and squared error) of each leaf.
    show_missing : bool or None, default=None
        Say which branch takes missing values and unseen labels; None: for columns that some branch asks about.

    Returns
    -------
    str
    """
    tree = parts.tree_of(model)
    names, labels = parts.names_of(tree, feature_names), parts.class_names_of(tree, class_names)
    told = parts.missing_told(tree, show_missing)
    lines: list[str] = []

    def leaf(node: int) -> str:
        text = ("class: " if tree.classes is not None else "value: ") + parts.outcome(
            tree, node, labels, precision
        )
        if not show_weights:
            return text
        if tree.classes is None:
            return f"{text} (weight {tree.weight[node]:g}, squared error {tree.errors[node]:.{precision}g})"
        return f"{text} [{', '.join(f'{weight:g}' for weight in tree.value[node])}]"

    def walk(node: int, indent: str) -> None:
        if tree.kind[node] == LEAF:
            lines.append(f"{indent}|--- {leaf(node)}")
            return
        for side in parts.sides(tree, node):
            feature = int(tree.feature[node])
            question = parts.condition(
                tree, node, side, names[feature], precision=precision, show_missing=feature in told
            )
            lines.append(f"{indent}|--- {question}")
            walk(side.child, indent + "|   ")

    walk(0, "")
    return "\n".join(lines) + "\n"


def export_rules(
    model: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    precision: int = 4,
    show_missing: bool | None = None,
) -> str:
    """One rule per leaf: conditions joined by AND, what is predicted, and on how many training rows.

    Conditions on one column along a path are joined into one.

    Parameters
    ----------
    model : fitted estimator or Tree
    feature_names, class_names : sequence of str, default=None
    precision : int, default=4
    show_missing : bool or None, default=None
        Say which rules take missing values and unseen labels; None: for columns that some branch asks about.

    Returns
    -------
    str
    """
    tree = parts.tree_of(model)
    names, labels = parts.names_of(tree, feature_names), parts.class_names_of(tree, class_names)
    told = parts.missing_told(tree, show_missing)
    lines = []
    for leaf, path in _paths(tree, 0, []):
        conditions = _joined(tree, path, names, precision, told)
        result = parts.outcome(tree, leaf, labels, precision)
        rows = f"{tree.n_rows[leaf]} rows"
        if tree.classes is not None:
            share = tree.proba[leaf, tree.label[leaf]]
            rows += f", {share:.1%}"
        head = " AND ".join(conditions) if conditions else "always"
        lines.append(f"IF {head} THEN {result}  ({rows})")
    return "\n".join(lines) + "\n"


def _paths(
    tree: Tree, node: int, path: list[tuple[int, parts.Side]]
) -> Iterator[tuple[int, list[tuple[int, parts.Side]]]]:
    if tree.kind[node] == LEAF:
        yield node, path
        return
    for side in parts.sides(tree, node):
        yield from _paths(tree, side.child, [*path, (node, side)])


def _joined(
    tree: Tree, path: list[tuple[int, parts.Side]], names: list[str], precision: int, told: set[int]
) -> list[str]:
    out = []
    for feature in dict.fromkeys(int(tree.feature[node]) for node, _ in path):
        steps = [(node, side) for node, side in path if tree.feature[node] == feature]
        missing = feature in told and all(side.missing for _, side in steps)
        if tree.kind[steps[0][0]] != NUMERIC:
            allowed = [set(side.labels or ()) for _, side in steps]
            both = [
                label for label in tree.features[feature].categories or () if all(label in s for s in allowed)
            ]
            side = parts.Side(0, tuple(both), False, missing)
            text = parts.condition(
                tree, steps[0][0], side, names[feature], precision=precision, show_missing=True
            )
            out.append(f"({text})" if " or " in text else text)
            continue
        low = max((float(tree.threshold[node]) for node, side in steps if not side.below), default=-np.inf)
        high = min((float(tree.threshold[node]) for node, side in steps if side.below), default=np.inf)
        out.append(_interval(names[feature], low, high, missing, precision))
    return out


def _interval(name: str, low: float, high: float, missing: bool, precision: int) -> str:
    if low == EVERY_NUMBER:
        return f"{name} is missing"
    bounded = high < EVERY_NUMBER
    if low == -np.inf and not bounded:
        return f"{name} is known"
    text = name
    if low > -np.inf:
        text = (
            f"{parts.number(low, precision)} < {name}"
            if bounded
            else f"{name} > {parts.number(low, precision)}"
        )
    if bounded:
        text += f" <= {parts.number(high, precision)}"
    return f"({text} or missing)" if missing else text
