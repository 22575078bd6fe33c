"""Sending rows down a tree: native where built, with a NumPy twin that answers the same."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    _predict: Any = import_module("dilemma.native._predict")
except ImportError:  # installed without a compiler
    _predict = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dilemma.tree.model import Tree

LEAF, NUMERIC, SUBSET, MULTIWAY = range(4)
MISSING = 255


def kernel() -> str:
    """``"native"`` or ``"python"``."""
    return "python" if _predict is None else "native"


def leaves(tree: Tree, rows: NDArray[Any], feature: NDArray[np.int32]) -> NDArray[np.int32]:
    """The leaf each row ends in.

    Parameters
    ----------
    tree : Tree
    rows : NDArray of shape (n_rows, n_columns)
        Numbers, and label codes in categorical columns; NaN for missing or unseen.
    feature : NDArray[int32]
        The column of `rows` that each node asks about.
    """
    if _predict is None:
        return leaves_python(tree, rows, feature)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    out = np.empty(len(rows), dtype=np.int32)
    _predict.apply(
        tree.kind, feature, tree.threshold, tree.mask, tree.missing, tree.branch_start, tree.branch, rows, out
    )
    return out


def leaves_python(tree: Tree, rows: NDArray[Any], feature: NDArray[np.int32]) -> NDArray[np.int32]:
    """Twin of `leaves`: all rows one level at a time."""
    at = np.zeros(len(rows), dtype=np.int32)
    moving = np.flatnonzero(tree.kind[at] != LEAF)
    while len(moving):
        node = at[moving]
        at[moving] = step(tree, node, rows[moving, feature[node]].astype(np.float64))
        moving = moving[tree.kind[at[moving]] != LEAF]
    return at


def step(tree: Tree, node: NDArray[np.int32], x: NDArray[np.float64]) -> NDArray[np.int32]:
    """The children that values `x` go to from inner nodes `node`."""
    kind, start = tree.kind[node], tree.branch_start[node]
    with np.errstate(invalid="ignore"):
        code = np.where((x >= 0) & (x < MISSING), x, MISSING).astype(np.int64)
    bits = (tree.mask[node, code // 8] >> (code % 8)) & 1
    right = np.where(kind == NUMERIC, ~(x <= tree.threshold[node]), bits == 0)
    offset = np.where(kind == MULTIWAY, code, right)
    n_branches = tree.branch_start[node + 1] - start
    lost = np.where(kind == NUMERIC, np.isnan(x), code == MISSING) | (offset >= n_branches)
    picked = tree.branch[start + np.where(lost, 0, offset)]
    return np.where(lost, tree.missing[node], picked).astype(np.int32)
