"""Paired tests against brute force, and against SciPy where it is installed."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma.compare.paired import EXACT_UP_TO, holm, mid_ranks, sign_test, wilcoxon

DIFFERENCES = st.lists(st.integers(-4, 4), min_size=0, max_size=9)


def by_enumeration(differences):
    """Two-sided p of the signed-rank test: every assignment of signs tried."""
    kept = [d for d in differences if d]
    if not kept:
        return 1.0
    ranks = [sum(abs(e) < abs(d) for e in kept) + (sum(abs(e) == abs(d) for e in kept) + 1) / 2 for d in kept]
    seen = sum(r for r, d in zip(ranks, kept, strict=True) if d > 0)
    sums = [sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in
            itertools.product((0, 1), repeat=len(kept))]  # fmt: skip
    below, above = (sum(s <= seen for s in sums), sum(s >= seen for s in sums))
    return min(1.0, 2 * min(below, above) / len(sums))


@given(DIFFERENCES)
def test_wilcoxon_is_exact_with_ties_and_zeros(differences):
    assert wilcoxon(differences) == pytest.approx(by_enumeration(differences), abs=1e-12)


@given(DIFFERENCES)
def test_both_tests_do_not_care_who_is_called_first(differences):
    swapped = [-d for d in differences]
    assert wilcoxon(differences) == pytest.approx(wilcoxon(swapped), abs=1e-12)
    assert sign_test(differences) == sign_test(swapped)


@pytest.mark.parametrize("n", [5, 20, 50])
def test_wilcoxon_agrees_with_scipy_where_there_are_no_ties(n):
    stats = pytest.importorskip("scipy.stats")
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences) == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_beyond_the_exact_range_agrees_with_scipy_ties_included():
    stats = pytest.importorskip("scipy.stats")
    differences = np.random.default_rng(7).integers(-8, 11, 3 * EXACT_UP_TO).astype(float)
    expected = stats.wilcoxon(differences, method="asymptotic", correction=False).pvalue
    assert wilcoxon(differences) == pytest.approx(expected, rel=1e-9)


def test_the_approximation_continues_the_exact_range():
    """Just below and just above the switch the two ways nearly agree."""
    draw = np.random.default_rng(3).normal(0.2, 1, EXACT_UP_TO + 1)
    assert wilcoxon(draw) == pytest.approx(wilcoxon(draw[:-1]), rel=0.25)


@given(DIFFERENCES)
def test_sign_test_agrees_with_enumeration(differences):
    signs = [d > 0 for d in differences if d]
    n, wins = len(signs), sum(signs)
    counts = [sum(s) for s in itertools.product((0, 1), repeat=n)]
    extreme = sum(abs(c - n / 2) >= abs(wins - n / 2) for c in counts) / len(counts)
    assert sign_test(differences) == pytest.approx(min(1.0, extreme), abs=1e-12)


def test_infeasible_runs_count_as_the_largest_difference():
    assert wilcoxon([float("inf"), 1.0, 2.0]) == wilcoxon([9.0, 1.0, 2.0])


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        wilcoxon([1.0, float("nan")])
    with pytest.raises(ValueError, match="shape"):
        sign_test([[1.0], [2.0]])


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(p_values):
    corrected = holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))
    for i, j in itertools.combinations(range(len(p_values)), 2):
        if p_values[i] < p_values[j]:
            assert corrected[i] <= corrected[j]


@given(st.lists(st.integers(0, 5), max_size=8))
def test_mid_ranks_share_out_the_same_total(values):
    ranks = mid_ranks(values)
    assert ranks.sum() == len(values) * (len(values) + 1) / 2
    assert all(
        (a < b) == (r < s) for (a, r), (b, s) in itertools.combinations(zip(values, ranks, strict=True), 2)
    )
