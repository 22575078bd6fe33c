"""Columns to codes: exact thresholds, weighted bins, labels, missing values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dilemma.tree import encoding
from dilemma.tree.encoding import MISSING, equal_weight_bins, learn_labels, learn_numeric, midpoint
from dilemma.tree.model import read

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
column = st.lists(finite | st.just(float("nan")), min_size=1, max_size=60).map(np.array)


@given(finite, finite)
def test_midpoint_separates_two_different_numbers(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low <= midpoint(low, high) < high


@given(column, st.integers(2, 255))
def test_codes_keep_the_order_of_values_and_mark_what_is_missing(values, max_bins):
    learned = learn_numeric(values, None, "x", max_bins)
    codes = learned.encode(values)
    known = ~np.isnan(values)
    assert (codes[~known] == MISSING).all()
    assert (codes[known] < max(learned.n_codes, 1)).all()
    assert learned.n_codes <= max_bins
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(codes[known][order].astype(int)) >= 0).all()
    if len(np.unique(values[known])) <= max_bins:
        assert len(np.unique(codes[known])) == len(np.unique(values[known]))


@given(column, st.integers(2, 20))
def test_a_cut_between_two_bins_sends_every_row_where_its_code_goes(values, max_bins):
    learned = learn_numeric(values, None, "x", max_bins)
    codes = learned.encode(values)
    for left in range(learned.n_codes - 1):
        threshold = learned.threshold(left, left + 1)
        known = codes != MISSING
        np.testing.assert_array_equal(values[known] <= threshold, codes[known] <= left)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 4)), min_size=1, max_size=80), st.integers(2, 12)
)
def test_a_weight_counts_as_that_many_rows(pairs, max_bins):
    values, weights = np.array(pairs, dtype=float).T
    weighted = learn_numeric(values, weights, "x", max_bins)
    repeated = learn_numeric(np.repeat(values, weights.astype(int)), None, "x", max_bins)
    np.testing.assert_array_equal(weighted.low, repeated.low)
    np.testing.assert_array_equal(weighted.high, repeated.high)


def test_bins_have_about_equal_weight():
    values = np.random.default_rng(0).normal(size=10_000)
    counts = np.bincount(learn_numeric(values, None, "x", 100).encode(values))
    assert len(counts) == 100
    assert counts.max() <= 102


def test_bins_of_many_rows_come_from_a_sample_and_still_agree_with_their_cuts(monkeypatch):
    monkeypatch.setattr(encoding, "SAMPLE", 100)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=2000), rng.integers(0, 5, 2000)])
    table = read(X)
    (fine, coarse), codes = encoding.learn(table, None, [None, None], 16)
    assert fine.n_codes == 16
    np.testing.assert_array_equal(coarse.low, [0, 1, 2, 3, 4])
    for left in range(15):
        for right in range(left + 1, 16):
            threshold = fine.threshold(left, right)
            assert (X[codes[0] <= left, 0] <= threshold).all()
            assert (X[codes[0] >= right, 0] > threshold).all()


def test_a_column_that_is_half_zeros_keeps_its_resolution_elsewhere():
    values = np.where(np.arange(10_000) % 2, np.random.default_rng(0).random(10_000) + 1, 0.0)
    assert learn_numeric(values, None, "x", 100).n_codes > 75


def test_bins_never_exceed_the_limit_on_skewed_weights():
    weight = np.ones(1000)
    weight[::7] = 1e6
    assert len(equal_weight_bins(np.cumsum(weight), 50)) <= 50


def test_labels_are_sorted_and_unseen_ones_are_missing():
    values = np.array(["b", None, "a", "b"], dtype=object)
    learned = learn_labels(values, "c")
    assert learned.categories == ("a", "b")
    np.testing.assert_array_equal(learned.encode(values), [1, MISSING, 0, 1])
    np.testing.assert_array_equal(learned.encode(np.array(["z"], dtype=object)), [MISSING])


def test_numbers_may_be_labels():
    learned = learn_labels(np.array([3.0, 1.0, np.nan]), "c")
    np.testing.assert_array_equal(learned.encode(np.array([1.0, 3.0, 2.0, np.nan])), [0, 1, MISSING, MISSING])


def test_too_many_labels_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match="256 categories, expected at most 255: join the rare ones"):
        learn_labels(np.arange(256.0), "c")


def test_negative_zero_and_zero_are_one_value():
    assert learn_numeric(np.array([-0.0, 0.0]), None, "x", 10).n_codes == 1


@pytest.mark.skipif(encoding._native is None, reason="native kernels not built")
@given(column, st.lists(finite, max_size=254, unique=True).map(sorted).map(np.array))
def test_native_search_equals_its_twin(values, cuts):
    cuts = cuts.astype(float)
    np.testing.assert_array_equal(encoding.search(values, cuts), encoding.search_python(values, cuts))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_zero_one_arrays_become_their_transpose(dtype, order):
    X = np.asarray(np.random.default_rng(0).random((130, 70)) < 0.3, dtype=dtype, order=order)
    codes = encoding.binary_codes(X)
    assert codes is not None
    np.testing.assert_array_equal(codes, X.T.astype(np.uint8))
    strided = encoding.binary_codes(X[::2, ::-3])
    np.testing.assert_array_equal(strided, X[::2, ::-3].T.astype(np.uint8))


def test_missing_among_zeros_and_ones_has_its_code():
    np.testing.assert_array_equal(
        encoding.binary_codes(np.array([[0.0, np.nan], [1.0, 1.0]])), [[0, 1], [255, 1]]
    )


@pytest.mark.parametrize("other", [2.0, 0.5, -1.0, np.inf])
def test_other_values_are_not_taken_for_zeros_and_ones(other):
    X = np.zeros((100, 100))
    X[99, 99] = other
    assert encoding.binary_codes(X) is None
