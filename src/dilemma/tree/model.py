"""A grown tree as plain arrays over real values: what is predicted with, exported and saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dilemma.tree import encoding, walk
from dilemma.tree.table import (
    Label,
    Table,
    is_frame,
    is_sparse,
    needs_columns,
    plain_numbers,
    read_columns,
    read_dense,
    read_sparse,
)
from dilemma.tree.walk import LEAF, MULTIWAY, NUMERIC, SUBSET

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LEAF", "MULTIWAY", "NUMERIC", "SUBSET", "Feature", "Tree", "read"]


class Feature(NamedTuple):
    """A column by name, with its labels in code order if it is categorical."""

    name: str
    categories: tuple[Label, ...] | None = None


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree.

    Nodes are numbered parents first; node 0 is the root. Where node ``i`` sends a row stands in
    ``branch[branch_start[i]:branch_start[i + 1]]``: left and right of a two-way split, or the child of each
    label of a multiway split (labels may share one).

    Attributes
    ----------
    kind : NDArray[uint8]
        `LEAF`, `NUMERIC` (``x <= threshold`` goes left), `SUBSET` (labels in `mask` go left) or
        `MULTIWAY` (label code k goes to the k-th branch).
    feature : NDArray[int32]
        Column asked about; -1 in leaves.
    threshold : NDArray[float64]
        NaN except in numeric splits.
    mask : NDArray[uint8], shape (n_nodes, 32)
        Bit c of a `SUBSET` node (byte c // 8, bit c % 8) says whether code c goes left.
    missing : NDArray[int32]
        The child that takes missing values and unseen labels; -1 in leaves.
    branch_start, branch : NDArray[int32]
    value : NDArray[float64], shape (n_nodes, n_outputs)
        Weight of each class among the training rows of the node, or their mean target.
    label : NDArray[int32]
        Predicted class index; -1 everywhere in a regression tree.
    n_rows : NDArray[int64]
    weight, impurity, errors : NDArray[float64]
        Of the training rows of each node: total weight, impurity, and what predicting here would cost
        (weight of the rows misclassified, their cost under a cost matrix, or squared error).
    features : tuple of Feature
    classes : NDArray or None
        Class labels; None for regression.
    energy, bound : float
        What the search minimised, and a proved lower bound on it (-inf when nothing is proved).
    optimal : bool
        Whether the search proved that no tree it may build has less energy.
    """

    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    mask: NDArray[np.uint8]
    missing: NDArray[np.int32]
    branch_start: NDArray[np.int32]
    branch: NDArray[np.int32]
    value: NDArray[np.float64]
    label: NDArray[np.int32]
    n_rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    impurity: NDArray[np.float64]
    errors: NDArray[np.float64]
    features: tuple[Feature, ...]
    classes: NDArray[Any] | None = None
    energy: float = float("nan")
    bound: float = float("-inf")
    optimal: bool = False

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.kind == LEAF).sum())

    @property
    def max_depth(self) -> int:
        """Splits on the longest path."""
        return int(self.depth.max())

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Depth of each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int32)
        for node in range(self.n_nodes):
            depth[self.children(node)] = depth[node] + 1
        return depth

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node, -1 for the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int32)
        for node in range(self.n_nodes):
            parent[self.children(node)] = node
        return parent

    @cached_property
    def used(self) -> NDArray[np.int32]:
        """The columns some node asks about, ascending."""
        return np.unique(self.feature[self.kind != LEAF]).astype(np.int32)

    def children(self, node: int) -> NDArray[np.int32]:
        """Children of a node, each once, left first; empty for a leaf."""
        branches = self.branch[self.branch_start[node] : self.branch_start[node + 1]]
        if self.kind[node] != MULTIWAY:
            return branches
        return np.unique(np.append(branches, self.missing[node]))

    def branches(self, node: int) -> NDArray[np.int32]:
        """The child of each side (two-way) or of each label code (multiway)."""
        return self.branch[self.branch_start[node] : self.branch_start[node + 1]]

    def left_codes(self, node: int) -> list[int]:
        """Label codes that go left at a `SUBSET` node."""
        bits = np.unpackbits(self.mask[node], bitorder="little")
        return [int(code) for code in np.flatnonzero(bits)]

    # -- prediction ------------------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf (node number) each row of `X` ends in."""
        return self.apply_table(read(X))

    def apply_table(self, table: Table) -> NDArray[np.int32]:
        """`apply` for a table that is already read."""
        if table.n_columns != len(self.features):
            raise ValueError(
                f"X has {table.n_columns} features, but the tree was grown with {len(self.features)}"
            )
        if table.dense is not None and all(self.features[j].categories is None for j in self.used):
            return walk.leaves(self, table.dense, self.feature)
        where = np.full(len(self.features), -1, dtype=np.int32)
        where[self.used] = np.arange(len(self.used))
        rows = encoding.matrix(table, self.features, [int(j) for j in self.used])
        return walk.leaves(self, rows, np.where(self.feature < 0, -1, where[self.feature]).astype(np.int32))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels, or means for a regression tree."""
        leaf = self.apply(X)
        if self.classes is None:
            return np.asarray(self.value[leaf, 0])
        return np.asarray(self.classes[self.label[leaf]])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among the training weight of the leaf."""
        if self.classes is None:
            raise ValueError("a regression tree has no class probabilities: use predict")
        return np.asarray(self.proba[self.apply(X)])

    @cached_property
    def proba(self) -> NDArray[np.float64]:
        """Class shares of each node."""
        return np.asarray(self.value / np.maximum(self.value.sum(axis=1, keepdims=True), 1e-300))

    def path(self, leaf: int) -> list[int]:
        """Nodes from the root to `leaf`."""
        nodes = [leaf]
        while nodes[-1]:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    # -- statistics ------------------------------------------------------------------------------------

    @property
    def training_errors(self) -> float:
        """Sum of `errors` over the leaves: what this very tree costs on its training rows."""
        return float(self.errors[self.kind == LEAF].sum())

    def importances(self) -> NDArray[np.float64]:
        """Share of each column in the total decrease of impurity."""
        total = np.zeros(len(self.features))
        mass = self.weight * self.impurity
        for node in np.flatnonzero(self.kind != LEAF):
            total[self.feature[node]] += mass[node] - mass[self.children(int(node))].sum()
        total = np.maximum(total, 0.0)
        return total / total.sum() if total.sum() > 0 else total

    def subset(self, leaf: NDArray[np.bool_]) -> Tree:
        """The tree with the nodes marked in `leaf` made leaves, and what is below them dropped."""
        keep = np.zeros(self.n_nodes, dtype=bool)
        keep[0] = True
        kind = np.where(leaf, LEAF, self.kind).astype(np.uint8)
        for node in range(self.n_nodes):
            if keep[node] and kind[node] != LEAF:
                keep[self.children(node)] = True
        new = np.full(self.n_nodes, -1, dtype=np.int32)
        new[keep] = np.arange(keep.sum(), dtype=np.int32)
        inner = kind != LEAF
        kept = np.flatnonzero(keep)
        lists = [new[self.branches(int(node))] if inner[node] else new[:0] for node in kept]
        return replace(
            self,
            kind=kind[keep],
            feature=np.where(inner, self.feature, -1).astype(np.int32)[keep],
            threshold=np.where(inner, self.threshold, np.nan)[keep],
            mask=np.where(inner[:, None], self.mask, 0).astype(np.uint8)[keep],
            missing=np.where(inner, new[self.missing], -1).astype(np.int32)[keep],
            branch_start=np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int32),
            branch=np.concatenate(lists).astype(np.int32),
            **{
                name: getattr(self, name)[keep]
                for name in ("value", "label", "n_rows", "weight", "impurity", "errors")
            },
            energy=float("nan"),
            bound=float("-inf"),
            optimal=False,
        )


def read(X: Any) -> Table:
    """Any table a tree can predict for, checked as far as prediction needs."""
    if is_sparse(X):
        return read_sparse(X)
    numbers = plain_numbers(X) if is_frame(X) else None
    if numbers is None and needs_columns(X):
        return read_columns(X)
    X = X if numbers is None else numbers
    array = np.asarray(X)
    if array.dtype.kind not in "biuf":
        if array.dtype.kind in "OUST":
            return read_columns(np.asarray(X, dtype=object))
        raise ValueError(f"X has dtype {array.dtype}; expected numbers, labels or a data frame")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: reshape X to (rows, features)")
    with np.errstate(over="ignore", invalid="ignore"):
        doubtful = array.dtype.kind == "f" and not np.isfinite(array.sum())
    if doubtful and np.isinf(array).any():
        raise ValueError(f"Input X contains infinity or a value too large for dtype('{array.dtype}').")
    return read_dense(array)
