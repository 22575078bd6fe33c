"""From a tree over codes, as the engine grows it, to a tree over real values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.tree import engine_grown as codes
from dilemma.tree.model import LEAF, MULTIWAY, NUMERIC, SUBSET, Feature, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dilemma.tree.encoding import Column
    from dilemma.tree.engine import Data
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
    data: Data,
    columns: Sequence[Column],
    classes: NDArray[Any] | None,
    *,
    energy: float,
    bound: float,
    optimal: bool,
) -> Tree:
    """The same tree with real thresholds, which sends every training row where its codes went.

    Parameters
    ----------
    grown : Grown
    data : Data
        The rows it was grown on.
    columns : sequence of Column
        What the codes stand for.
    classes : NDArray or None
        Class labels, None for regression.
    energy, bound : float
    optimal : bool
    """
    n = grown.n_nodes
    kind = np.array([_KIND[int(k)] for k in grown.kind], dtype=np.uint8)
    threshold = np.full(n, np.nan)
    mask = np.zeros((n, 32), dtype=np.uint8)
    missing = np.full(n, -1, dtype=np.int32)
    branches: list[NDArray[np.int32]] = []
    sides = dict(_sides(grown, data))
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
            left, right = sides[node]
            if left is None:  # missing values alone went left: known ones go left now
                branches[-1] = pair[::-1]
            if left is None or right is None:
                threshold[node] = EVERY_NUMBER
            else:
                threshold[node] = column.threshold(left, right)
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
        value=grown.value,
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


def _sides(grown: Grown, data: Data) -> Iterator[tuple[int, tuple[int | None, int | None]]]:
    """For each numeric split the greatest code of its own rows on the left and the least on the right."""
    numeric = np.flatnonzero(grown.kind == codes.NUMERIC)
    asked = np.unique(grown.feature[numeric])
    if (data.n_codes[asked] <= 2).all() and not (data.codes[asked] == codes.MISSING).any():
        for place in numeric:  # two values: nothing to find out
            yield int(place), (0, 1)
        return
    pending = [(0, np.arange(data.n_rows))]
    while pending:
        node, rows = pending.pop()
        if grown.kind[node] == codes.LEAF:
            continue
        column = data.codes[grown.feature[node], rows]
        to = grown.child_of_codes(node)
        if grown.kind[node] == codes.NUMERIC:
            present = np.flatnonzero(np.bincount(column, minlength=256)[: codes.MISSING])
            below = present[present <= grown.threshold[node]]
            above = present[present > grown.threshold[node]]
            yield node, (int(below[-1]) if len(below) else None, int(above[0]) if len(above) else None)
        arrived = to[column]
        first = grown.first_child[node]
        for child in grown.children[first : first + grown.n_children[node]]:
            pending.append((int(child), rows[arrived == child]))
