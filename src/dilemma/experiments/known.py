"""Search trees whose P is known exactly: where the theory of Section III can be checked to the last leaf.

A tree has branching b and depth d. Every inner state carries the probabilities of its b actions, drawn from a
symmetric Dirichlet, and a leaf's P_opt is the product along its path (Eq. 1). The optimum is drawn from that
very distribution: either directly, or by giving every leaf an exponential energy with rate P_opt. The second
makes Definition 1 true word for word: the least of several exponential energies is leaf i's with probability
rate_i / sum of rates, and which child holds the best leaf of a state is independent of whether the state holds
the best of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
State = tuple[int, int]  # level, index within the level


class KnownTree:
    """A uniform tree with known P, as a problem.

    Parameters
    ----------
    levels : list of arrays
        ``levels[k][i]`` holds P(A|S) of the i-th state of level k: shape (b**k, b).
    energies : array, optional
        One energy a leaf. Default: the number of the leaf, which tells the order in which leaves are met.

    Examples
    --------
    >>> import numpy as np
    >>> tree = KnownTree([np.array([[0.75, 0.25]]), np.array([[0.5, 0.5], [0.0, 1.0]])])
    >>> tree.p_opt.tolist()
    [0.375, 0.375, 0.0, 0.25]
    >>> tree.greedy_leaf()
    0
    """

    normalise = "proportional"

    def __init__(self, levels: list[FloatArray], energies: FloatArray | None = None) -> None:
        self.levels = levels
        self.branching = int(levels[0].shape[1])
        self.depth = len(levels)
        p = np.ones(1)
        for own in levels:
            p = (p[:, None] * own).ravel()
        self.p_opt: FloatArray = p  # Eq. 1
        self.energies = np.arange(len(p), dtype=float) if energies is None else energies
        self._offers = [[row.tolist() for row in own] for own in levels]
        self._names = list(range(self.branching))

    def initial(self) -> State:
        return 0, 0

    def actions(self, state: State) -> tuple[list[int], list[float]]:
        level, index = state
        return ([], []) if level == self.depth else (self._names, self._offers[level][index])

    def apply(self, state: State, action: int) -> State:
        return state[0] + 1, state[1] * self.branching + action

    def energy(self, state: State) -> float:
        return float(self.energies[state[1]])

    def greedy_leaf(self) -> int:
        """Return the leaf that taking the most likely action everywhere leads to."""
        index = 0
        for own in self.levels:
            index = index * self.branching + int(own[index].argmax())
        return index

    def path(self, leaf: int) -> list[int]:
        """Return the actions that lead to a leaf."""
        return [leaf // self.branching**k % self.branching for k in reversed(range(self.depth))]

    def with_energies(self, energies: FloatArray) -> KnownTree:
        """Return the same tree with other energies."""
        return KnownTree(self.levels, energies)


def random_tree(
    rng: np.random.Generator, *, branching: int = 3, depth: int = 6, concentration: float = 1.0
) -> KnownTree:
    """Return a tree whose P are drawn from a symmetric Dirichlet.

    Parameters
    ----------
    rng : numpy Generator
        Where the draws come from.
    branching, depth : int
        b and d.
    concentration : float
        The Dirichlet's parameter: 1 is uniform over all distributions, less is more decided, more is flatter.
        E[P] is 1/b whatever it is, so Assumption 1 holds.
    """
    alpha = np.full(branching, concentration)
    return KnownTree([rng.dirichlet(alpha, size=branching**k) for k in range(depth)])


def exponential_energies(tree: KnownTree, rng: np.random.Generator) -> FloatArray:
    """Return one draw of leaf energies, exponential with rate P_opt: the least is leaf i's with P_opt(i)."""
    with np.errstate(divide="ignore"):
        return np.asarray(rng.standard_exponential(len(tree.p_opt)) / tree.p_opt)
