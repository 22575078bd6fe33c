"""The theory's simulations as one set of figures: what `dilemma reproduce theory` writes and the verdicts read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dilemma.experiments.exploring import best_policy, greedy_policy
from dilemma.experiments.known import FloatArray, KnownTree, random_tree
from dilemma.experiments.theory import (
    compare_orders,
    differences,
    expected_candidates,
    induction_steps,
    log_mean_greedy,
    mean_log_greedy,
    omniscient,
    uniform_cost,
    visited,
)
from dilemma.experiments.whole import minimize
from dilemma.strategies import (
    CumulativeRegret,
    DilemmaFirst,
    LikelihoodFirst,
    LimitedDiscrepancy,
    Printed,
    RandomState,
)
from dilemma.strategies.base import Strategy

Record = dict[str, Any]
Say = Callable[[str], None]
BRANCHING, DEPTH = 3, 6


def strategies() -> dict[str, Strategy]:
    """Return the orders that are compared, under names for people."""
    log_b = math.log(BRANCHING)
    found: dict[str, Strategy] = {
        "likelihood, u = log E[m] estimated": LikelihoodFirst(unexplored="greedy"),
        "likelihood, u = 0": LikelihoodFirst(unexplored="certain"),
        "cumulative log-regret": CumulativeRegret(),
        "likelihood, u = −log b (Assumption 1)": LikelihoodFirst(unexplored="uniform"),
        "local log gap (Eq. 5)": DilemmaFirst(gap="log"),
    }
    for fraction in (0.25, 0.5, 0.75, 1.0):
        found[f"local log gap, constant {fraction:g} log b"] = DilemmaFirst(depth_constant=fraction * log_b)
    return found | {
        "local raw gap": DilemmaFirst(gap="raw"),
        "limited discrepancy, by rank": LimitedDiscrepancy(variant="rank"),
        "limited discrepancy": LimitedDiscrepancy(),
        "random state selection": RandomState(),
        "Algorithm 1 as printed": Printed(),
        "Algorithm 1 as printed, random order": Printed(order="random"),
    }


def forest(
    count: int, concentration: float, branching: int = BRANCHING, depth: int = DEPTH
) -> list[KnownTree]:
    """Return trees with fixed seeds."""
    return [
        random_tree(
            np.random.default_rng([s, 5]), branching=branching, depth=depth, concentration=concentration
        )
        for s in range(count)
    ]


def simulate(*, quick: bool = False, say: Say = lambda line: None) -> Record:
    """Return every simulation of docs/theory as plain data."""
    count = 6 if quick else 40
    parts: dict[str, Callable[[], Any]] = {
        "orders": lambda: [_orders(c, count) for c in ([0.5, 1.0] if quick else [0.3, 0.5, 1.0])],
        "base_case": lambda: _base_case(100 if quick else 400),
        "policies": _policies,
        "lemma": lambda: _lemma(count),
        "induction": lambda: _induction(4 if quick else 12),
        "altering": lambda: [_altering(c, 100 if quick else 400) for c in (0.3, 0.5, 1.0)],
        "levels": lambda: [_levels(u, 100 if quick else 4000) for u in ("uniform", "greedy")],
        "printed": _printed,
        "exact": lambda: _exact(10),
    }
    found: Record = {"branching": BRANCHING, "depth": DEPTH, "quick": quick}
    for name, part in parts.items():
        say(f"theory: {name.replace('_', ' ')}")
        found[name] = part()
    return found


def _orders(concentration: float, count: int) -> Record:
    trees = forest(count, concentration)
    rows = compare_orders(trees, strategies())
    return {
        "concentration": concentration,
        "trees": count,
        "entropy": float(np.mean(np.concatenate([_entropies(own) for t in trees for own in t.levels]))),
        "omniscient": float(np.mean([expected_candidates(t, omniscient(t)) for t in trees])),
        "rows": [
            {"name": r.name, "ratio": r.ratio, "error": r.error, "candidates": r.candidates} for r in rows
        ],
    }


def _entropies(own: FloatArray) -> FloatArray:
    """Return the entropy of every state's P, in bits."""
    return np.asarray(-(own * np.log2(np.maximum(own, 1e-300))).sum(axis=1))


def _lemma(count: int) -> Record:
    largest = np.concatenate(
        [own.max(axis=1) for c in (0.3, 1.0, 5.0) for tree in forest(count, c) for own in tree.levels]
    )
    return {"states": len(largest), "least": float(largest.min()), "most": float(largest.max())}


def _altering(concentration: float, count: int) -> Record:
    """Return P_opt after one decision is changed and the rest grown greedily, over the mean of all leaves."""
    best, drawn = [], []
    for number, tree in enumerate(forest(count, concentration)):
        rng = np.random.default_rng([number, 7])
        every = len(tree.p_opt)
        best.append(every * _neighbours(tree, int(tree.p_opt.argmax())))
        drawn.append(every * _neighbours(tree, int(rng.integers(every))))
    return {
        "concentration": concentration,
        "trees": count,
        "best": float(np.mean(best)),
        "best_error": float(np.std(best, ddof=1) / math.sqrt(count)),
        "random": float(np.mean(drawn)),
        "random_error": float(np.std(drawn, ddof=1) / math.sqrt(count)),
    }


def _neighbours(tree: KnownTree, leaf: int) -> float:
    """Return the mean P_opt of the leaves that change one decision of a leaf and go on greedily."""
    path, found, index = tree.path(leaf), [], 0
    for level, taken in enumerate(path):
        for action in range(tree.branching):
            if action != taken:
                other = index * tree.branching + action
                for own in tree.levels[level + 1 :]:
                    other = other * tree.branching + int(own[other].argmax())
                found.append(tree.p_opt[other])
        index = index * tree.branching + taken
    return float(np.mean(found))


def _base_case(count: int) -> Record:
    shares, kept, tried = [], 0, 0
    for branching, depth, concentration in (
        (2, 3, 1.0),
        (3, 4, 1.0),
        (3, 6, 0.4),
        (3, 6, 1.0),
        (4, 5, 1.0),
        (4, 5, 5.0),
    ):
        trees = forest(count, concentration, branching, depth)
        likeliest = sum(t.greedy_leaf() == int(t.p_opt.argmax()) for t in trees)
        shares.append({"branching": branching, "depth": depth, "concentration": concentration, "trees": count,
                       "likeliest": likeliest / count})  # fmt: skip
        for tree in trees:
            (step,) = induction_steps(tree, np.array([tree.greedy_leaf()]))
            tried += 1
            kept += step.nodes == depth and step.after >= step.best_after * (1 - 1e-9)
    return {"known": shares, "expected_tried": tried, "expected_kept": kept}


def _policies() -> list[Record]:
    rows = ((0.99, 0.01), (0.5, 0.5))
    return [
        {
            "depth": d,
            "states": n,
            "best": best_policy(rows, depth=d, states=n),
            "greedy": greedy_policy(rows, depth=d),
        }
        for d, n in ((2, 2), (3, 3), (4, 4), (2, 3))
    ]


def _induction(count: int) -> Record:
    steps = kept = rising = 0
    for tree in forest(count, 1.0, 3, 4):
        order = visited(tree, LikelihoodFirst(unexplored="uniform"), max_iter=60)
        for step in induction_steps(tree, order):
            steps += 1
            before = step.before >= step.best_before * (1 - 1e-9)
            kept += before and step.after >= step.best_after * (1 - 1e-9) and step.nodes <= tree.depth
        rising += bool(np.any(np.diff(tree.p_opt[order]) > 1e-12))
    return {"trees": count, "steps": steps, "kept": kept, "trees_where_found_values_rise": rising}


def _levels(assumed: str, count: int) -> Record:
    trees = forest(count, 1.0)
    u = -math.log(BRANCHING) if assumed == "uniform" else log_mean_greedy(trees)
    constant = mean_log_greedy(trees) - u
    rest = np.array([[x.exact - x.gap for x in differences(t, u)] for t in trees])
    return {
        "assumed": assumed,
        "constant": constant,
        "mean": rest.mean(axis=0).tolist(),
        "error": (rest.std(axis=0, ddof=1) / math.sqrt(count)).tolist(),
        "predicted": [(DEPTH - 1 - k) * constant for k in range(DEPTH)],
    }


def _printed() -> Record:
    reach = []
    for branching, depth in ((2, 3), (4, 3), (3, 6)):
        (tree,) = forest(1, 1.0, branching, depth)
        met = visited(tree, Printed())
        reach.append({"branching": branching, "depth": depth, "leaves": branching**depth,
                      "reached": len(set(met.tolist())), "candidates": len(met)})  # fmt: skip
    missed = proved = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, branching=3, depth=4)
        energies = np.zeros(len(tree.p_opt))
        energies[rng.choice(len(energies), p=tree.p_opt)] = -1.0
        own = tree.with_energies(energies)
        missed += minimize(own, strategy=Printed()).energy > -1.0
        mended = minimize(own, strategy=DilemmaFirst())
        proved += mended.optimal and mended.energy == -1.0
    return {"reach": reach, "trees": 40, "missed": missed, "mended_proved": proved}


def _exact(count: int) -> Record:
    trees = forest(count, 1.0, 3, 5)
    same, first = 0, []
    for tree in trees:
        order, explored = uniform_cost(tree)
        same += bool(np.all(np.diff(tree.p_opt[order]) <= 1e-15))
        first.append(int(explored[0]))
    return {"trees": count, "in_order": same, "states_before_the_first": float(np.mean(first)), "depth": 5}
