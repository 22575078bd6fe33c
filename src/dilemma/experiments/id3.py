"""The decision tree of Section VI as a sequence of attribute choices, with caches that make 50 runs feasible.

A state is the sequence of attributes chosen for the nodes of the tree, in preorder (the order in which a recursive
ID3 grows it) or level by level: the paper does not say. Changing the attribute of node i keeps nodes 1 to i − 1,
and what follows is grown again. f(A|S) is the information gain (Eq. 7); the energy is the number of errors on rows
the tree was not grown on (Eq. 9).

Nodes are shared: the same attributes chosen above give the same node object, whatever was chosen beside it, so its
ranking is worked out once for all candidates of all runs.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dilemma.experiments.known import FloatArray

State: TypeAlias = "tuple[tuple[Node, ...], float]"  # nodes to be decided, the next one first; errors so far
Order = Literal["depth", "breadth"]
LEAST_GAIN = 1e-12


@dataclass(frozen=True)
class Rows:
    """Binary rows with a class, and a weight each.

    Attributes
    ----------
    bits : array of shape (attributes, rows), 0 or 1
    labels : array of int
    weights : array of float
    """

    bits: NDArray[np.uint8]
    labels: NDArray[np.int64]
    weights: FloatArray

    @classmethod
    def of(cls, bits: NDArray[np.uint8], labels: NDArray[Any], weights: FloatArray | None = None) -> Rows:
        """Return rows given as (rows, attributes), as most data sets are."""
        w = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=float)
        return cls(np.ascontiguousarray(bits.T), np.asarray(labels, dtype=np.int64), w)

    def take(self, which: NDArray[np.int64]) -> Rows:
        """Return some of the rows."""
        return Rows(np.ascontiguousarray(self.bits[:, which]), self.labels[which], self.weights[which])


class Node:
    """A subset of the rows, as large as the attributes chosen above it leave it."""

    __slots__ = ("attributes", "children", "depth", "errors", "gains", "label", "rows", "terminal")

    def __init__(self, tree: SequenceTree, rows: tuple[NDArray[np.int32], ...], depth: int) -> None:
        own = rows[0]
        weights, labels = tree.sets[0].weights[own], tree.sets[0].labels[own]
        counts = np.bincount(labels, weights, minlength=tree.classes).astype(float)
        self.depth = depth
        self.label = int(counts.argmax())  # ties: the first class
        self.errors = tuple(
            float(part.weights[r][part.labels[r] != self.label].sum())
            for part, r in zip(tree.sets, rows, strict=True)
        )
        self.terminal = depth == tree.depth or entropy(counts) <= tree.min_entropy
        self.attributes = tree.no_attributes
        self.gains = tree.no_gains
        self.children: dict[int, tuple[Node, Node]] = {}
        self.rows = rows
        if not self.terminal:
            self.attributes, self.gains = tree.rank(own, counts)
            self.terminal = not len(self.attributes)
        if self.terminal:
            self.rows = ()


def entropy(counts: FloatArray) -> float:
    """Return the class entropy in bits."""  # Eq. 8
    total = counts.sum()
    p = counts[counts > 0] / total if total > 0 else np.ones(1)
    return float(-(p * np.log2(p)).sum()) + 0.0


def _x_log_x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(np.maximum(x, 1e-300)))


class SequenceTree:
    """Growing a decision tree over binary attributes, as a problem.

    Parameters
    ----------
    train : Rows
        What gains are computed on.
    validation : Rows
        What the energy is counted on.
    test : Rows, optional
        Errors on these are told apart; the search does not see them.
    depth : int
        Most attributes on a path.
    min_entropy : float
        A node of at most this class entropy is a leaf.
    order : {"depth", "breadth"}
        In which order nodes are decided: preorder, or level by level.
    most : int
        Offer at most this many attributes a node, those of largest gain. A run of fewer candidates than this sees
        no difference.
    """

    normalise = "proportional"

    def __init__(
        self,
        train: Rows,
        validation: Rows,
        test: Rows | None = None,
        *,
        depth: int = 8,
        min_entropy: float = 0.0,
        order: Order = "depth",
        most: int = 512,
    ) -> None:
        self.sets = (train, validation, *(() if test is None else (test,)))
        self.classes = 1 + max(int(part.labels.max()) for part in self.sets)
        self.depth, self.min_entropy, self.order, self.most = depth, min_entropy, order, most
        self.no_attributes, self.no_gains = np.empty(0, dtype=np.int16), np.empty(0)
        # Class counts are one matrix product away; whole weights below 2**24 are exact in single precision.
        exact = bool(np.all(train.weights == np.round(train.weights))) and train.weights.sum() < 2**24
        kind = np.float32 if exact else np.float64
        self._matrix = np.ascontiguousarray(train.bits.T, dtype=kind)
        self._classes = np.zeros((self.classes, len(train.labels)), dtype=kind)
        self._classes[train.labels, np.arange(len(train.labels))] = train.weights
        self.root = Node(self, tuple(np.arange(len(s.labels), dtype=np.int32) for s in self.sets), 0)

    def with_order(self, order: Order) -> SequenceTree:
        """Return the same problem with another order of nodes; nodes worked out already are shared."""
        other = copy.copy(self)
        other.order = order
        return other

    def initial(self) -> State:
        return self._settle((), (self.root,), 0.0)

    def actions(self, state: State) -> tuple[Any, Any]:
        waiting = state[0]
        return (waiting[0].attributes, waiting[0].gains) if waiting else (self.no_attributes, self.no_gains)

    def apply(self, state: State, action: int) -> State:
        waiting, errors = state
        if not waiting:
            raise ValueError("state: the tree is complete, no attribute can be chosen")
        return self._settle(waiting[1:], self.split(waiting[0], action), errors)

    def energy(self, state: State) -> float:
        return state[1]  # Eq. 9

    def describe(self, action: int) -> str:
        return f"x{action}"

    def _settle(self, rest: tuple[Node, ...], fresh: tuple[Node, ...], errors: float) -> State:
        """Return the state in which `fresh` nodes join those that wait: leaves are counted at once."""
        for node in fresh:
            if node.terminal:
                errors += node.errors[1]
        fresh = tuple(node for node in fresh if not node.terminal)
        return self._queued(rest, fresh), errors

    def _queued(self, rest: tuple[Any, ...], fresh: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*fresh, *rest) if self.order == "depth" else (*rest, *fresh)

    def split(self, node: Node, attribute: int) -> tuple[Node, Node]:
        """Return the two children of a node, 0 first."""
        found = node.children.get(attribute)
        if found is None:
            zero, one = [], []
            for part, rows in zip(self.sets, node.rows, strict=True):
                bit = part.bits[attribute].take(rows).astype(bool)
                zero.append(rows[~bit])
                one.append(rows[bit])
            depth = node.depth + 1
            found = (Node(self, tuple(zero), depth), Node(self, tuple(one), depth))
            node.children[attribute] = found
        return found

    def rank(self, rows: NDArray[np.int32], counts: FloatArray) -> tuple[NDArray[np.int16], FloatArray]:
        """Return the attributes worth choosing for some rows, best first, with their information gains."""
        every = len(rows) == self._matrix.shape[0]
        bits = self._matrix if every else self._matrix.take(rows, axis=0)
        labels = self._classes if every else self._classes.take(rows, axis=1)
        ones = (labels @ bits).astype(float)
        zeros = counts[:, None] - ones
        total, n1, n0 = counts.sum(), ones.sum(axis=0), zeros.sum(axis=0)
        inside = _x_log_x(n1) + _x_log_x(n0) - _x_log_x(ones).sum(axis=0) - _x_log_x(zeros).sum(axis=0)
        gains = entropy(counts) - inside / total  # Eq. 7
        gains = np.round(gains, 12)  # what differs by rounding only is a tie
        order = np.argsort(-gains, kind="stable")[: self.most]
        order = order[(gains[order] > LEAST_GAIN) & (n1[order] > 0) & (n0[order] > 0)]
        return order.astype(np.int16), gains[order]

    def errors(self, actions: tuple[int, ...]) -> tuple[float, ...]:
        """Return the errors of a tree on each of the sets: training, validation, and test if there is one."""
        totals = np.zeros(len(self.sets))
        waiting: tuple[Node, ...] = (self.root,)
        following = iter(actions)
        while waiting:
            node, *rest = waiting
            if node.terminal:
                totals += node.errors
                waiting = tuple(rest)
            else:
                waiting = self._queued(tuple(rest), self.split(node, next(following)))
        return tuple(totals.tolist())

    def mistakes(self, actions: tuple[int, ...], which: int = 1) -> NDArray[np.bool_]:
        """Return which rows of a set a tree gets wrong."""
        part = self.sets[which]
        wrong = np.zeros(len(part.labels), dtype=bool)
        waiting: tuple[tuple[Node, NDArray[np.int64]], ...] = ((self.root, np.arange(len(part.labels))),)
        following = iter(actions)
        while waiting:
            (node, rows), *rest = waiting
            if node.terminal:
                wrong[rows] = part.labels[rows] != node.label
                waiting = tuple(rest)
            else:
                attribute = next(following)
                left, right = self.split(node, attribute)
                bit = part.bits[attribute, rows].astype(bool)
                waiting = self._queued(tuple(rest), ((left, rows[~bit]), (right, rows[bit])))
        return wrong
