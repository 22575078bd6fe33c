"""From a tree over codes, as the engine grows it, to a tree over real values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.tree import engine_grown as codes
from dilemma.tree.model import LEAF, MULTIWAY, NUMERIC, SUBSET, Feature, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dilemma.tree.encoding import Column
    from dilemma.tree.engine_grown import Grown

_KIND = {
    codes.LEAF: LEAF,
    codes.NUMERIC: NUMERIC,
    codes.CATEGORY: SUBSET,
    codes.SUBSET: SUBSET,
    codes.MULTIWAY: MULTIWAY,
}

EVERY_NUMBER = float(np.finfo(np.float64).max)  # a threshold that every finite number is under


def to_tree(
    grown: Grown,
    columns: Sequence[Column],
    classes: NDArray[Any] | None,
    *,
    energy: float,
    bound: float,
    optimal: bool,
    offset: float = 0.0,
) -> Tree:
    """The same tree with real thresholds, which sends every row where its codes go.

    Parameters
    ----------
    grown : Grown
    columns : sequence of Column
        What the codes stand for.
    classes : NDArray or None
        Class labels, None for regression.
    energy, bound : float
    optimal : bool
    offset : float, default=0.0
        What was taken off the targets for the search.
    """
    n = grown.n_nodes
    kind = np.array([_KIND[int(k)] for k in grown.kind], dtype=np.uint8)
    threshold = np.full(n, np.nan)
    mask = np.zeros((n, 32), dtype=np.uint8)
    missing = np.full(n, -1, dtype=np.int32)
    branches: list[NDArray[np.int32]] = []
    for node in range(n):
        if kind[node] == LEAF:
            branches.append(np.empty(0, dtype=np.int32))
            continue
        to = grown.child_of_codes(node)
        missing[node] = to[codes.MISSING]
        first = grown.first_child[node]
        column = columns[grown.feature[node]]
        if kind[node] == MULTIWAY:
            branches.append(to[: column.n_codes].astype(np.int32))
            continue
        pair = grown.children[first : first + 2].astype(np.int32)
        branches.append(pair)
        if kind[node] == NUMERIC:
            cut = int(grown.threshold[node])
            if cut < 0:  # missing values alone went left: known ones go left now
                branches[-1] = pair[::-1]
            inside = 0 <= cut < column.n_codes - 1
            threshold[node] = column.threshold(cut, cut + 1) if inside else EVERY_NUMBER
        else:
            # Codes the column does not have mean nothing; missing has its own place.
            known = np.arange(256) < column.n_codes
            mask[node] = np.packbits(known & (to == branches[-1][0]), bitorder="little")
    return Tree(
        kind=kind,
        feature=grown.feature.astype(np.int32),
        threshold=threshold,
        mask=mask,
        missing=missing,
        branch_start=np.concatenate([[0], np.cumsum([len(b) for b in branches])]).astype(np.int32),
        branch=np.concatenate(branches).astype(np.int32),
        value=grown.value if offset == 0 else grown.value + offset,
        label=grown.label.astype(np.int32),
        n_rows=grown.n_rows,
        weight=grown.weight,
        impurity=grown.impurity,
        errors=grown.errors,
        features=tuple(Feature(column.name, column.categories) for column in columns),
        classes=classes,
        energy=float(energy),
        bound=float(bound),
        optimal=bool(optimal),
    )
