"""Adjacency of simple undirected graphs, for colouring and independent sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dilemma.problems._checks import count, frozen, integers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def adjacency(n: int, edges: ArrayLike) -> NDArray[np.bool_]:
    """The n x n matrix of an edge list; loops are refused, repeated edges are one."""
    pairs = integers("edges", edges, low=0, high=n)
    if pairs.size == 0:
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges: expected pairs of vertices, got shape {pairs.shape}")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        raise ValueError(
            f"edges: expected two different ends, got {pairs[loops[0]].tolist()} at [{loops[0]}]"
        )
    matrix = np.zeros((n, n), dtype=np.bool_)
    matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = True
    return frozen(matrix)


def random_edges(n: int, seed: int, density: float) -> NDArray[np.int64]:
    """Each pair of vertices with probability `density`."""
    if not 0.0 <= density <= 1.0:
        raise ValueError(f"density: expected a number from 0 to 1, got {density}")
    upper = np.triu(np.random.default_rng(seed).random((count("n", n), n)) < density, 1)
    return np.argwhere(upper)
