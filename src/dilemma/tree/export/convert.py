"""A tree as a fitted scikit-learn tree, for the tools that take only that."""

from __future__ import annotations

from typing import Any

import numpy as np

from dilemma.tree.export import parts
from dilemma.tree.model import LEAF, NUMERIC


def to_sklearn(model: Any) -> Any:
    """A fitted ``DecisionTreeClassifier`` or ``DecisionTreeRegressor`` that holds the same tree.

    For scikit-learn's own ``plot_tree`` and ``export_text``, and for tools such as SHAP that read its
    trees. Numeric splits only. scikit-learn rounds what it predicts for to single precision, so a value
    within that rounding of a threshold may go the other way.

    Parameters
    ----------
    model : fitted estimator or Tree

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor

    Raises
    ------
    ValueError
        The tree splits on labels, or predicts by a cost matrix.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tree = parts.tree_of(model)
    if ((tree.kind != LEAF) & (tree.kind != NUMERIC)).any():
        raise ValueError(
            "scikit-learn's trees have no splits on labels: use export_text or plot_tree of dilemma.tree"
        )
    if tree.classes is not None and (tree.label != tree.value.argmax(axis=1)).any():
        raise ValueError("scikit-learn's trees predict the most frequent class, this one by its cost matrix")
    leaf = tree.kind == LEAF
    kind = DecisionTreeRegressor if tree.classes is None else DecisionTreeClassifier
    n_outputs = tree.value.shape[1]
    # Fitted on next to nothing, it has every attribute that this scikit-learn expects, but for the nodes.
    blank = np.zeros((max(n_outputs, 2), len(tree.features)))
    out = kind(max_depth=max(tree.max_depth, 1)).fit(blank, np.arange(len(blank)) % n_outputs)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        out.feature_names_in_ = names
    if tree.classes is not None:
        out.classes_ = tree.classes
    state = out.tree_.__getstate__()
    nodes = np.zeros(tree.n_nodes, dtype=state["nodes"].dtype)
    first = tree.branch_start[:-1]
    # Where there is no child scikit-learn writes -1, and -2 where there is no feature.
    nodes["left_child"] = [-1 if leaf[i] else tree.branch[first[i]] for i in range(tree.n_nodes)]
    nodes["right_child"] = [-1 if leaf[i] else tree.branch[first[i] + 1] for i in range(tree.n_nodes)]
    nodes["feature"] = np.where(leaf, -2, tree.feature)
    nodes["threshold"] = np.where(leaf, -2.0, tree.threshold)
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_rows
    nodes["weighted_n_node_samples"] = tree.weight
    nodes["missing_go_to_left"] = ~leaf & (tree.missing == nodes["left_child"])
    value = tree.value if tree.classes is None else tree.proba
    state.update(
        nodes=nodes,
        values=np.ascontiguousarray(value[:, np.newaxis, :]),
        node_count=tree.n_nodes,
        max_depth=tree.max_depth,
    )
    # State goes into a tree that has none: one that holds nodes already is not resized safely.
    counts = np.array([n_outputs if tree.classes is not None else 1], dtype=np.intp)
    out.tree_ = type(out.tree_)(len(tree.features), counts, 1)
    out.tree_.__setstate__(state)
    return out
