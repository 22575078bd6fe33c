"""The statements of Section III on trees whose P is known: Eq. 1 and 2, the theorems, and the corollary's order.

An order of leaves is judged by the expected number of candidates until the optimum. The optimum's distribution
is P_opt itself, so the expectation is a sum over all leaves, not an average over draws: one run to exhaustion
gives it exactly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dilemma.experiments.known import FloatArray, KnownTree
from dilemma.experiments.whole import minimize
from dilemma.strategies.base import Strategy

IntArray = NDArray[np.int64]


def visited(tree: KnownTree, strategy: Strategy, *, seed: int = 0, max_iter: int | None = None) -> IntArray:
    """Return the leaves a strategy evaluates, in order, repeats included."""
    blind = tree.with_energies(np.arange(len(tree.p_opt), dtype=float))  # a leaf's energy is its number
    result = minimize(blind, strategy=strategy, random_state=seed, max_iter=max_iter)
    return result.trace.energy.astype(np.int64)


def positions(order: IntArray, leaves: int) -> FloatArray:
    """Return after how many candidates each leaf is first met; one that is never met counts as `leaves`.

    >>> positions(np.array([2, 0, 2]), 4).tolist()
    [2.0, 4.0, 1.0, 4.0]
    """
    found = np.full(leaves, float(leaves))
    met, first = np.unique(order, return_index=True)
    found[met] = first + 1
    return found


def expected_candidates(tree: KnownTree, order: IntArray) -> float:
    """Return the mean number of candidates until the optimum, over the optimum's own distribution."""
    return float(tree.p_opt @ positions(order, len(tree.p_opt)))


def omniscient(tree: KnownTree) -> IntArray:
    """Return the leaves by falling P_opt: no order needs fewer candidates on average."""
    return np.argsort(-tree.p_opt, kind="stable").astype(np.int64)


def explored_by(tree: KnownTree, leaves: Iterable[int]) -> list[NDArray[np.bool_]]:
    """Return which states, level by level, lie on the paths to some leaves."""
    marks = [np.zeros(len(own), dtype=bool) for own in tree.levels]
    for leaf in leaves:
        for k, mark in enumerate(marks):
            mark[leaf // tree.branching ** (tree.depth - k)] = True
    return marks


def expected_p_opt(tree: KnownTree, explored: list[NDArray[np.bool_]]) -> FloatArray:
    """Return every leaf's P_opt as Eq. 2 has it: P where the state is explored, 1/b where it is not."""
    p = np.ones(1)
    for own, mark in zip(tree.levels, explored, strict=True):
        p = (p[:, None] * np.where(mark[:, None], own, 1.0 / tree.branching)).ravel()  # Eq. 2
    return p


@dataclass(frozen=True)
class Step:
    """One candidate of a run, seen through Eq. 2 before and after it was grown.

    Attributes
    ----------
    leaf : int
        The candidate.
    before, best_before : float
        Its Eq. 2 value, and the largest among all leaves not yet evaluated, before it was grown.
    after, best_after : float
        The same with the states on its path explored; `best_after` is over all leaves not evaluated before it.
    nodes : int
        States explored in growing it.
    """

    leaf: int
    before: float
    best_before: float
    after: float
    best_after: float
    nodes: int


def induction_steps(tree: KnownTree, order: IntArray) -> list[Step]:
    """Return what Theorem 1 (the first step) and Theorem 2 (the others) speak of, by brute force."""
    explored = explored_by(tree, ())
    waiting = np.ones(len(tree.p_opt), dtype=bool)
    before = expected_p_opt(tree, explored)
    steps = []
    for leaf in order.tolist():
        grown = explored_by(tree, (leaf,))
        nodes = sum(int((new & ~old).sum()) for new, old in zip(grown, explored, strict=True))
        explored = [old | new for old, new in zip(explored, grown, strict=True)]
        after = expected_p_opt(tree, explored)
        steps.append(
            Step(
                leaf,
                before=float(before[leaf]),
                best_before=float(before[waiting].max()),
                after=float(after[leaf]),
                best_after=float(after[waiting].max()),
                nodes=nodes,
            )
        )
        waiting[leaf] = False
        before = after
    return steps


@dataclass(frozen=True)
class Difference:
    """The corollary at one state of the greedy path.

    Attributes
    ----------
    depth : int
        k, decisions above the state.
    gap : float
        L_best − L'_best there.
    exact : float
        L_opt − L_α: the log-likelihood of the greedy candidate less that of the alternative.
    """

    depth: int
    gap: float
    exact: float


def differences(tree: KnownTree, unexplored: float) -> list[Difference]:
    """Return L_opt − L_α and the local gap for every state of the greedy path.

    `unexplored` is u, the log-likelihood put on each level the alternative has still to grow.
    """
    index, taken, second = 0, [], []
    for own in tree.levels:
        row = np.sort(own[index])[::-1]
        taken.append(math.log(row[0]))
        second.append(math.log(row[1]))
        index = index * tree.branching + int(own[index].argmax())
    likelihood = math.fsum(taken)  # L_opt, Eq. 1
    found = []
    for k in range(tree.depth):
        alternative = math.fsum(taken[:k]) + second[k] + (tree.depth - 1 - k) * unexplored  # L_α, Eq. 2
        found.append(Difference(k, taken[k] - second[k], likelihood - alternative))
    return found


def log_mean_greedy(trees: Iterable[KnownTree]) -> float:
    """Return log E[P_max] over the states of some trees."""
    return math.log(float(np.mean(np.concatenate([own.max(axis=1) for t in trees for own in t.levels]))))


def mean_log_greedy(trees: Iterable[KnownTree]) -> float:
    """Return E[log P_max] over the states of some trees."""
    return float(np.mean(np.log(np.concatenate([own.max(axis=1) for t in trees for own in t.levels]))))


def uniform_cost(tree: KnownTree) -> tuple[IntArray, IntArray]:
    """Return the leaves by uniform-cost search on −log P, and how many states were explored before each.

    Nothing is grown greedily: a leaf is evaluated only when it is the most likely thing left. The order is
    exactly that of P_opt, and P is looked up in explored states only.
    """
    queue: list[tuple[float, int, int]] = [(0.0, 0, 0)]
    order, explored, count = [], [], 0
    while queue:
        cost, level, index = heapq.heappop(queue)
        if level == tree.depth:
            order.append(index)
            explored.append(count)
            continue
        count += 1
        for action, p in enumerate(tree.levels[level][index].tolist()):
            child = math.inf if p == 0 else cost - math.log(p)
            heapq.heappush(queue, (child, level + 1, index * tree.branching + action))
    return np.array(order), np.array(explored)


@dataclass(frozen=True)
class Ratio:
    """Mean candidates until the optimum as a multiple of the omniscient order's, with its standard error."""

    name: str
    ratio: float
    error: float
    candidates: float


def compare_orders(trees: list[KnownTree], strategies: dict[str, Strategy], *, seed: int = 0) -> list[Ratio]:
    """Return how each strategy fares on the same trees against the order that knows every P."""
    least = np.array([expected_candidates(t, omniscient(t)) for t in trees])
    rows = []
    for name, strategy in strategies.items():
        own = np.array(
            [expected_candidates(t, visited(t, strategy, seed=seed + i)) for i, t in enumerate(trees)]
        )
        ratio = float(own.sum() / least.sum())
        rows.append(Ratio(name, ratio, _ratio_error(own, least), float(own.mean())))
    return rows


def _ratio_error(top: FloatArray, bottom: FloatArray) -> float:
    """Return the standard error of sum(top) / sum(bottom), by linearisation."""
    if len(top) < 2:
        return math.nan
    residual = top - top.sum() / bottom.sum() * bottom
    return float(residual.std(ddof=1) / math.sqrt(len(top)) / bottom.mean())
