"""The corollary's order, and how the family fares on trees of branching 3 and depth 6 whose P is known."""

import math

import numpy as np
import pytest

from dilemma.experiments.known import KnownTree, exponential_energies, random_tree
from dilemma.experiments.theory import (
    Ratio,
    compare_orders,
    differences,
    expected_candidates,
    log_mean_greedy,
    mean_log_greedy,
    omniscient,
    visited,
)
from dilemma.search import minimize
from dilemma.strategies import (
    CumulativeRegret,
    DilemmaFirst,
    LikelihoodFirst,
    LimitedDiscrepancy,
    Printed,
    RandomState,
)


def trees(count: int, concentration: float, depth: int = 6) -> list[KnownTree]:
    return [
        random_tree(np.random.default_rng([s, 77]), branching=3, depth=depth, concentration=concentration)
        for s in range(count)
    ]


STRATEGIES = {
    "estimated u": LikelihoodFirst(unexplored="greedy"),
    "cumulative": CumulativeRegret(),
    "u = 0": LikelihoodFirst(unexplored="certain"),
    "u = -log b": LikelihoodFirst(unexplored="uniform"),
    "local log gap": DilemmaFirst(gap="log"),
    "local raw gap": DilemmaFirst(gap="raw"),
    "discrepancies": LimitedDiscrepancy(),
    "random": RandomState(),
    "printed": Printed(),
}


@pytest.fixture(scope="module")
def ratios() -> dict[str, Ratio]:
    return {row.name: row for row in compare_orders(trees(14, 0.4), STRATEGIES)}


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("estimated u", 1.0, 1.05),
        ("cumulative", 1.03, 1.12),
        ("u = 0", 1.02, 1.12),
        ("u = -log b", 1.15, 1.55),
        ("local log gap", 1.25, 1.8),
        ("local raw gap", 1.7, 4.2),
        ("discrepancies", 2.0, 4.0),
        ("random", 2.5, 8.0),
        ("printed", 11.0, 25.0),
    ],
)
def test_candidates_until_the_optimum_as_a_multiple_of_the_omniscient_order(
    ratios: dict[str, Ratio], name: str, low: float, high: float
) -> None:
    row = ratios[name]
    assert low <= row.ratio <= high
    assert 4 * row.error < row.ratio  # the figure means something on this many trees


def test_path_keys_beat_the_local_gap_which_beats_random_selection(ratios: dict[str, Ratio]) -> None:
    """The theory's order: exact forms, then the corollary's local form, then no order; the printed text last."""
    order = [
        "estimated u", "cumulative", "u = -log b", "local log gap", "local raw gap", "random", "printed"
    ]  # fmt: skip
    found = [ratios[name].ratio for name in order]
    assert found == sorted(found)


def test_no_order_beats_the_omniscient_one(ratios: dict[str, Ratio]) -> None:
    assert all(row.ratio >= 1 for row in ratios.values())


def test_the_expectation_agrees_with_drawn_optima() -> None:
    """Exponential energies, the optimum as the target: the mean count is the sum over leaves."""
    tree = trees(1, 0.4, depth=4)[0]
    strategy, rng = CumulativeRegret(), np.random.default_rng(8)
    counts = []
    for _ in range(300):
        energies = exponential_energies(tree, rng)
        run = minimize(tree.with_energies(energies), strategy=strategy, target=float(energies.min()))
        assert run.energy == energies.min()
        counts.append(run.iterations)
    want = expected_candidates(tree, visited(tree, strategy))
    assert np.mean(counts) == pytest.approx(want, abs=4.5 * np.std(counts) / math.sqrt(len(counts)))


def test_the_omniscient_order_needs_fewest_candidates_of_all_orders() -> None:
    tree = random_tree(np.random.default_rng(0), branching=2, depth=3)
    least, rng = expected_candidates(tree, omniscient(tree)), np.random.default_rng(1)
    assert all(expected_candidates(tree, rng.permutation(8)) >= least for _ in range(2000))


@pytest.mark.parametrize("assumed", ["uniform", "greedy"])
def test_the_corollary_drops_a_constant_for_each_regrown_level(assumed: str) -> None:
    """E[L_opt − L_α − gap] at depth k is (d − 1 − k)·c with c = E[log P_max] − u."""
    forest = trees(400, 1.0)
    u = -math.log(3) if assumed == "uniform" else log_mean_greedy(forest)
    c = mean_log_greedy(forest) - u
    if assumed == "uniform":
        assert 0 < c < math.log(3)  # the lower and upper bound of the constant under Assumption 1
    else:
        assert -0.1 < c <= 0  # Jensen: the regrown part is greedy too, and next to nothing is lost
    rest = np.array([[x.exact - x.gap for x in differences(t, u)] for t in forest])
    for k in range(6):
        error = rest[:, k].std() / math.sqrt(len(forest))
        assert rest[:, k].mean() == pytest.approx((5 - k) * c, abs=4.5 * error + 1e-9)


def test_in_a_global_queue_no_constant_is_better_than_none() -> None:
    """The corollary compares states of one path; over its range, 0 to log b, its constant only costs candidates."""
    forest = trees(8, 0.4, depth=5)
    constants = (0.0, 0.5 * math.log(3), math.log(3))
    rows = compare_orders(forest, {f"{c}": DilemmaFirst(depth_constant=c) for c in constants})
    none, half, full = (row.ratio for row in rows)
    assert 1.1 * none < half
    assert 1.1 * half < full
