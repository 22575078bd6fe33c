"""What the exporters share: which tree is meant, and what each branch asks in words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dilemma.tree.grown import EVERY_NUMBER
from dilemma.tree.model import LEAF, MULTIWAY, NUMERIC, Tree

if TYPE_CHECKING:
    from dilemma.tree.table import Label


def tree_of(model: Any) -> Tree:
    """The tree of a fitted estimator, or the tree itself."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"expected a fitted DilemmaTree estimator or a Tree, got {type(model).__name__}: call fit first"
        )
    return tree


def names_of(tree: Tree, feature_names: Any) -> list[str]:
    """Column names: those given, else those the tree was grown with."""
    if feature_names is None:
        return [feature.name for feature in tree.features]
    names = [str(name) for name in feature_names]
    if len(names) != len(tree.features):
        raise ValueError(f"feature_names: expected {len(tree.features)} names, got {len(names)}")
    return names


class Side(NamedTuple):
    """One way out of a node.

    Attributes
    ----------
    child : int
    labels : tuple or None
        Labels that arrive at the node and go here; None at a numeric split.
    below : bool
        At a numeric split: values up to the threshold go here.
    missing : bool
        Missing values and unseen labels go here.
    """

    child: int
    labels: tuple[Label, ...] | None
    below: bool
    missing: bool


def sides(tree: Tree, node: int) -> list[Side]:
    """The ways out of an inner node."""
    branches = tree.branches(node)
    lost = int(tree.missing[node])
    if tree.kind[node] == NUMERIC:
        return [Side(int(child), None, i == 0, int(child) == lost) for i, child in enumerate(branches)]
    categories = tree.features[tree.feature[node]].categories or ()
    if tree.kind[node] == MULTIWAY:
        to = {code: int(branches[code]) for code in range(len(categories))}
    else:
        left = set(tree.left_codes(node))
        to = {code: int(branches[0] if code in left else branches[1]) for code in range(len(categories))}
    arriving = _arriving(tree, node)
    return [
        Side(
            int(child),
            tuple(label for code, label in enumerate(categories) if code in arriving and to[code] == child),
            False,
            int(child) == lost,
        )
        for child in tree.children(node)
    ]


def _arriving(tree: Tree, node: int) -> set[int]:
    """The codes of the node's categorical column that the splits above let through."""
    feature = tree.feature[node]
    codes = set(range(len(tree.features[feature].categories or ())))
    path = tree.path(node)
    for above, below in itertools.pairwise(path):
        if tree.feature[above] != feature:
            continue
        branches = tree.branches(above)
        if tree.kind[above] == MULTIWAY:
            codes = {code for code in codes if branches[code] == below}
        else:
            left = set(tree.left_codes(above))
            codes = {code for code in codes if (code in left) == (branches[0] == below)}
    return codes


def missing_told(tree: Tree, wish: bool | None) -> set[int]:
    """Columns of which every branch says whether it takes missing values.

    All of them, none, or (None) those that some branch asks about: "is missing" below a branch that does not
    mention it would read as a contradiction.
    """
    if wish is not None:
        return set(range(len(tree.features))) if wish else set()
    return {
        int(tree.feature[node])
        for node in np.flatnonzero(tree.kind != LEAF)
        if tree.threshold[node] == EVERY_NUMBER or any(side.labels == () for side in sides(tree, int(node)))
    }


def number(value: float, precision: int | None = None) -> str:
    """A number for people: short, and an integer where it is one."""
    text = repr(float(value)) if precision is None else f"{value:.{precision}g}"
    return text.removesuffix(".0")


def label_text(label: Any) -> str:
    """A label for people."""
    return number(label) if isinstance(label, float) else str(label)


def python_value(value: Any) -> Any:
    """A NumPy scalar as the plain Python value."""
    return value.item() if isinstance(value, np.generic) else value


def condition(tree: Tree, node: int, side: Side, name: str, *, precision: int, show_missing: bool) -> str:
    """What must hold to leave `node` by `side`."""
    threshold = float(tree.threshold[node])
    if side.labels is None:
        if threshold == EVERY_NUMBER:
            return f"{name} is known" if side.below else f"{name} is missing"
        text = f"{name} {'<=' if side.below else '>'} {number(threshold, precision)}"
    elif len(side.labels) == 1:
        text = f"{name} = {label_text(side.labels[0])}"
    elif side.labels:
        text = f"{name} in {{{', '.join(label_text(label) for label in side.labels)}}}"
    else:
        return f"{name} is missing"
    return f"{text} or missing" if side.missing and show_missing else text


def outcome(tree: Tree, node: int, class_names: list[str] | None, precision: int) -> str:
    """What is predicted at a node."""
    if tree.classes is None:
        return number(float(tree.value[node, 0]), precision)
    index = int(tree.label[node])
    return class_names[index] if class_names else str(tree.classes[index])


def class_names_of(tree: Tree, class_names: Any) -> list[str] | None:
    """Names for the classes, checked."""
    if class_names is None or tree.classes is None:
        return None
    names = [str(name) for name in class_names]
    if len(names) != len(tree.classes):
        raise ValueError(f"class_names: expected {len(tree.classes)} names, got {len(names)}")
    return names


def is_leaf(tree: Tree, node: int) -> bool:
    """Whether a node is a leaf."""
    return bool(tree.kind[node] == LEAF)
