"""The paper's decision tree (Section VI): a state is the sequence of attribute choices.

Nodes are decided in a fixed order. Changing the choice at node i keeps the choices before it, and everything
after is chosen again, as in Algorithm 1. The estimators of `dilemma.tree` use another form of search, in
which subtrees are independent; this one is for the paper's experiments and for study.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from dilemma.tree.model import LEAF, MULTIWAY, Feature, Tree
from dilemma.tree.rowsets import BitTable, Rows, WeightTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


class Node:
    """A node of the tree: which rows it holds, and what is known about splitting them."""

    __slots__ = (
        "attributes",
        "counts",
        "depth",
        "errors",
        "gains",
        "label",
        "parts",
        "rows",
        "used",
        "validation",
    )

    def __init__(self, rows: Rows, validation: Rows | None, depth: int, used: frozenset[int]) -> None:
        self.rows, self.validation, self.depth, self.used = rows, validation, depth, used
        self.counts = rows.class_weights()
        self.label = 0
        self.errors = 0.0
        self.attributes: NDArray[np.intp] | None = None
        self.gains = np.empty(0)
        self.parts: dict[int, tuple[Node, ...]] = {}


class State(NamedTuple):
    """A partly established tree.

    Attributes
    ----------
    choices : tuple, or None
        The last attribute chosen and the choices before it, as ``(before, attribute)``.
    open : tuple of Node
        Nodes still to be decided, the next one first.
    errors : float
        Energy of the leaves made so far.
    """

    choices: Any
    open: tuple[Node, ...]
    errors: float


class SequenceTree:
    """ID3 as a `dilemma` problem, its tree improved by any strategy of `dilemma.minimize`.

    The score of an attribute is its information gain (Eq. 7), a split has a child for each value, and the
    energy is the number of misclassified rows of the validation part (Eq. 9), or of the training rows where
    there is none. A node is a leaf when the depth is reached, every attribute is used on its path or splits
    nothing, or its entropy is small.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_attributes)
        Small whole numbers: the values of categorical attributes, 0 to 254.
    y : array-like of shape (n_rows,)
        Class labels.
    X_val, y_val : array-like, default=None
        Validation rows, disjoint from the training rows.
    max_depth : int, default=8
    min_entropy : float, default=0.0
        A node of no more class entropy (bits) than this is a leaf.
    sample_weight, val_weight : array-like, default=None
        Weights of the rows, for tables in which a row stands for many.
    order : {"breadth", "depth"}, default="breadth"
        Whether nodes are decided level by level, or subtree by subtree.
    feature_names : sequence of str, default=None
    memory : int, default=50_000
        Nodes kept, so that a node met again is not computed again.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> problem = SequenceTree(X, X[:, 0] ^ X[:, 1], max_depth=2)
    >>> state = problem.initial()
    >>> while True:
    ...     attributes, gains = problem.actions(state)
    ...     if not len(attributes):
    ...         break
    ...     state = problem.apply(state, attributes[int(np.argmax(gains))])
    >>> problem.energy(state)
    0.0
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        *,
        max_depth: int = 8,
        min_entropy: float = 0.0,
        sample_weight: ArrayLike | None = None,
        val_weight: ArrayLike | None = None,
        order: Literal["breadth", "depth"] = "breadth",
        feature_names: Sequence[str] | None = None,
        memory: int = 50_000,
    ) -> None:
        if max_depth < 0:
            raise ValueError(f"max_depth: expected 0 or more, got {max_depth}")
        if not min_entropy >= 0:
            raise ValueError(f"min_entropy: expected bits, 0 or more, got {min_entropy}")
        if order not in ("breadth", "depth"):
            raise ValueError(f"order: expected 'breadth' or 'depth', got {order!r}")
        if (X_val is None) != (y_val is None):
            raise ValueError("pass both X_val and y_val, or neither")
        codes = _codes(X, "X")
        parts = [codes] if X_val is None else [codes, _codes(X_val, "X_val")]
        if parts[-1].shape[1] != codes.shape[1]:
            raise ValueError(f"X has {codes.shape[1]} attributes and X_val has {parts[-1].shape[1]}")
        top = np.max([part.max(axis=0, initial=0) for part in parts], axis=0)
        self.n_values = top.astype(np.int64) + 1
        self.classes, indices = np.unique(np.asarray(y), return_inverse=True)
        target: NDArray[np.int32] = np.asarray(indices.reshape(-1), dtype=np.int32)
        self.max_depth, self.min_entropy, self.order, self.memory = max_depth, min_entropy, order, memory
        names = feature_names if feature_names is not None else [f"x[{j}]" for j in range(codes.shape[1])]
        if len(names) != codes.shape[1]:
            raise ValueError(f"feature_names: expected {codes.shape[1]}, got {len(names)}")
        self.feature_names = tuple(str(name) for name in names)
        self.weighted = sample_weight is not None or val_weight is not None
        rows = self._table(codes, target, sample_weight, "y")
        validation = None
        if y_val is not None:
            labels = np.asarray(y_val)
            known = np.isin(labels, self.classes)
            if not known.all():
                raise ValueError(f"y_val holds {labels[~known][0]!r}, which is not among the classes of y")
            target_val = np.asarray(np.searchsorted(self.classes, labels), dtype=np.int32)
            validation = self._table(parts[1], target_val, val_weight, "y_val")
        self._cache: OrderedDict[tuple[int, int], tuple[Node, ...]] = OrderedDict()
        self.root = self._node(rows, validation, 0, frozenset(), 0)

    def _table(
        self, codes: NDArray[np.uint8], target: NDArray[np.int32], weights: ArrayLike | None, name: str
    ) -> Rows:
        if target.shape != (len(codes),) or not len(target):
            raise ValueError(f"{name}: expected {len(codes)} labels, at least one, got shape {target.shape}")
        if not self.weighted:
            return BitTable(codes, self.n_values, target, len(self.classes)).all
        weight = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
        if weight.shape != target.shape or not np.isfinite(weight).all() or (weight < 0).any():
            raise ValueError(f"weights: expected {len(target)} finite weights of zero or more")
        return WeightTable(codes, self.n_values, target, len(self.classes), weight).all

    def _node(
        self, rows: Rows, validation: Rows | None, depth: int, used: frozenset[int], fallback: int
    ) -> Node:
        node = Node(rows, validation, depth, used)
        total = float(node.counts.sum())
        # A value that no training row has here predicts what its parent does.
        node.label = int(np.argmax(node.counts)) if total > 0 else fallback
        judged = node.counts if validation is None else validation.class_weights()
        node.errors = float(judged.sum() - judged[node.label])
        closed = depth >= self.max_depth or total == 0 or float(entropy(node.counts)) <= self.min_entropy
        if closed:
            node.attributes = np.empty(0, dtype=np.intp)
        return node

    def _rank(self, node: Node) -> NDArray[np.intp]:
        """Attributes that split the node, and their gains (Eq. 7)."""
        if node.attributes is not None:
            return node.attributes
        counts = node.rows.value_counts()
        size = counts.sum(axis=1)
        starts = np.cumsum(self.n_values) - self.n_values
        spread = np.add.reduceat((size > 0).astype(np.int64), starts)
        remainder = np.add.reduceat(size * entropy(counts), starts) / node.counts.sum()
        usable = spread > 1
        usable[list(node.used)] = False
        node.attributes = np.flatnonzero(usable)
        node.gains = np.maximum(float(entropy(node.counts)) - remainder[usable], 0.0)
        return node.attributes

    def _settle(self, node: Node) -> bool:
        """Whether the node is to be decided; otherwise it is a leaf."""
        return len(self._rank(node)) > 0

    # The four methods of a problem.

    def initial(self) -> State:
        """The tree of which nothing is decided."""
        if self._settle(self.root):
            return State(None, (self.root,), 0.0)
        return State(None, (), self.root.errors)

    def actions(self, state: State) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Attributes for the next node, with their information gain."""
        if not state.open:
            return np.empty(0, dtype=np.intp), np.empty(0)
        node = state.open[0]
        return self._rank(node), node.gains

    def apply(self, state: State, action: int) -> State:
        """Split the next node by an attribute."""
        attribute = int(action)
        children = self._children(state.open[0], attribute)
        errors, fresh = state.errors, []
        for child in children:
            if self._settle(child):
                fresh.append(child)
            else:
                errors += child.errors
        rest = state.open[1:]
        following = (*rest, *fresh) if self.order == "breadth" else (*fresh, *rest)
        return State((state.choices, attribute), following, errors)

    def energy(self, state: State) -> float:
        """Misclassified rows of the validation part, or of the training rows (Eq. 9)."""
        return state.errors + sum(node.errors for node in state.open)

    def legal(self, state: State, action: int) -> bool:
        """Whether the attribute may decide the next node."""
        return bool(state.open) and bool(np.isin(int(action), self._rank(state.open[0])))

    def describe(self, action: int) -> str:
        """The name of an attribute."""
        return self.feature_names[int(action)]

    def _children(self, node: Node, attribute: int) -> tuple[Node, ...]:
        key = (id(node), attribute)
        children = node.parts.get(attribute)
        if children is not None:
            self._cache.move_to_end(key)
            return children
        used = node.used | {attribute}
        judged_rows: Sequence[Rows | None] = [None] * int(self.n_values[attribute])
        if node.validation is not None:
            judged_rows = node.validation.split(attribute)
        children = tuple(
            self._node(rows, judged, node.depth + 1, used, node.label)
            for rows, judged in zip(node.rows.split(attribute), judged_rows, strict=True)
        )
        node.parts[attribute] = children
        self._cache[key] = (node,)
        if len(self._cache) > self.memory:
            old, (parent,) = self._cache.popitem(last=False)
            parent.parts.pop(old[1], None)
        return children

    # What became of it.

    def tree(self, state: State) -> Tree:
        """The tree of a state, nodes still open counted as leaves; for predicting, drawing and saving."""
        choices = []
        link = state.choices
        while link is not None:
            link, attribute = link
            choices.append(attribute)
        choices.reverse()
        nodes, picked = [self.root], [-1]
        kids: list[list[int]] = [[]]
        todo = [0] if self._settle(self.root) else []
        for attribute in choices:
            place = todo.pop(0)
            fresh = []
            picked[place] = attribute
            for child in self._children(nodes[place], attribute):
                kids[place].append(len(nodes))
                if self._settle(child):
                    fresh.append(len(nodes))
                nodes.append(child)
                picked.append(-1)
                kids.append([])
            todo = [*todo, *fresh] if self.order == "breadth" else [*fresh, *todo]
        return self._arrays(nodes, picked, kids)

    def _arrays(self, nodes: list[Node], picked: list[int], kids: list[list[int]]) -> Tree:
        value = np.array([node.counts for node in nodes])
        weight = value.sum(axis=1)
        heaviest = [k[int(np.argmax(weight[k]))] if k else -1 for k in kids]
        return Tree(
            kind=np.array([MULTIWAY if k else LEAF for k in kids], dtype=np.uint8),
            feature=np.array(picked, dtype=np.int32),
            threshold=np.full(len(nodes), np.nan),
            mask=np.zeros((len(nodes), 32), dtype=np.uint8),
            missing=np.array(heaviest, dtype=np.int32),
            branch_start=np.concatenate([[0], np.cumsum([len(k) for k in kids])]).astype(np.int32),
            branch=np.array([child for k in kids for child in k], dtype=np.int32),
            value=value,
            label=np.array([node.label for node in nodes], dtype=np.int32),
            n_rows=np.rint(weight).astype(np.int64),
            weight=weight,
            impurity=np.asarray(entropy(value)),
            errors=weight - value[np.arange(len(nodes)), [node.label for node in nodes]],
            features=tuple(
                Feature(name, tuple(float(v) for v in range(count)))
                for name, count in zip(self.feature_names, self.n_values, strict=True)
            ),
            classes=self.classes,
        )

    def __getstate__(self) -> dict[str, Any]:
        # A worker starts with an empty memory: sending it would cost more than filling it.
        fresh = self._node(self.root.rows, self.root.validation, 0, frozenset(), 0)
        return {**self.__dict__, "_cache": OrderedDict(), "root": fresh}


def entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class entropy in bits along the last axis; 0 where there is nothing (Eq. 8)."""
    total = counts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log2(np.where(counts > 0, counts, 1.0)), 0.0)
        bits = np.log2(np.where(total > 0, total, 1.0)) - terms.sum(axis=-1) / np.where(total > 0, total, 1.0)
    return np.asarray(np.maximum(bits, 0.0))


def _codes(X: ArrayLike, name: str) -> NDArray[np.uint8]:
    array = np.asarray(X)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 1:
        raise ValueError(
            f"{name}: expected rows by attributes, at least one of each, got shape {array.shape}"
        )
    if array.dtype.kind not in "biu" and not (array.dtype.kind == "f" and (array == np.floor(array)).all()):
        raise ValueError(f"{name}: expected whole numbers as attribute values, got dtype {array.dtype}")
    if array.min() < 0 or array.max() > 254:
        raise ValueError(f"{name}: expected values from 0 to 254, got {array.min()} to {array.max()}")
    return array.astype(np.uint8)
