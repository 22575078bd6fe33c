"""Weakest-link pruning: the nested subtrees that rising prices per leaf would leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dilemma.tree.model import LEAF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dilemma.tree.model import Tree


class PruningPath(NamedTuple):
    """Subtrees from the whole tree to its root alone.

    Attributes
    ----------
    ccp_alphas : NDArray[float64]
        The price per leaf (unit of `leaf_penalty`: errors, or squared error) from which each subtree is
        the cheapest.
    errors : NDArray[float64]
        Training errors of each subtree.
    impurities : NDArray[float64]
        Impurity of its leaves, averaged by weight.
    n_leaves : NDArray[int64]
    """

    ccp_alphas: NDArray[np.float64]
    errors: NDArray[np.float64]
    impurities: NDArray[np.float64]
    n_leaves: NDArray[np.int64]


def _below(tree: Tree, leaf: NDArray[np.bool_], amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of `amount` over the leaves under each node."""
    total = np.where(leaf, amount, 0.0)
    for node in range(tree.n_nodes - 1, -1, -1):
        if not leaf[node]:
            total[node] = total[tree.children(node)].sum()
    return total


def path(tree: Tree) -> PruningPath:
    """The weakest-link path of a tree (Breiman et al., 1984, chapter 3)."""
    leaf = tree.kind == LEAF
    alpha = 0.0
    rows: list[tuple[float, float, float, int]] = []
    while True:
        errors = _below(tree, leaf, tree.errors)
        leaves = _below(tree, leaf, np.ones(tree.n_nodes))
        impurity = _below(tree, leaf, tree.weight * tree.impurity)
        gain = np.where(leaf, np.inf, (tree.errors - errors) / np.maximum(leaves - 1, 1))
        gain[_hidden(tree, leaf)] = np.inf
        weakest = float(gain.min())
        if not rows and weakest <= 0:  # subtrees that save nothing go at no price
            leaf = leaf | (gain <= 0)
            continue
        rows.append((alpha, float(errors[0]), float(impurity[0] / tree.weight[0]), int(leaves[0])))
        if leaf[0]:
            break
        alpha = max(weakest, alpha)
        leaf = leaf | (gain <= alpha)
    alphas, errors_, impurities, counts = zip(*rows, strict=True)
    return PruningPath(
        np.array(alphas), np.array(errors_), np.array(impurities), np.array(counts, dtype=np.int64)
    )


def _hidden(tree: Tree, leaf: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes below a leaf."""
    hidden = np.zeros(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes):
        if (hidden[node] or leaf[node]) and tree.kind[node] != LEAF:
            hidden[tree.children(node)] = True
    return hidden


def prune(tree: Tree, alpha: float) -> Tree:
    """The cheapest subtree when each leaf costs `alpha` errors; the smallest among equals."""
    if not alpha >= 0:
        raise ValueError(f"alpha: expected a price per leaf of zero or more, got {alpha!r}")
    cost = tree.errors + alpha
    leaf = tree.kind == LEAF
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node] == LEAF:
            continue
        below = float(cost[tree.children(node)].sum())
        if cost[node] <= below * (1 + 1e-12):
            leaf[node] = True
        else:
            cost[node] = below
    return tree.subset(leaf)
