"""Scores to probabilities: defined for zeros, negatives, infinities and ties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma.likelihood import (
    FLOOR,
    Likelihood,
    dilemma,
    likelihood_for,
    log_gap,
    log_probabilities,
    p_opt,
    p_opt_partial,
    proportional,
    softmax,
)  # fmt: skip

scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)
KINDS = ("proportional", "reciprocal", "softmax", "log")


@given(scores, st.sampled_from(KINDS))
def test_probabilities_sum_to_one_and_keep_the_order(values, kind):
    p = np.exp(log_probabilities(values, kind, temperature=3.0))
    assert math.isclose(p.sum(), 1.0, rel_tol=1e-9)
    assert (p > 0).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(p[order]) >= -1e-12).all()


@given(scores, st.sampled_from(KINDS))
def test_gap_is_the_difference_of_log_probabilities(values, kind):
    log_p = log_probabilities(values, kind, temperature=3.0)
    top = max(values)
    gaps = log_gap([top] * len(values), values, kind, temperature=3.0)
    assert np.allclose(gaps, log_p.max() - log_p)
    assert all(
        math.isclose(Likelihood(kind, 3.0).gap_of(top, v), g, abs_tol=1e-12)
        for v, g in zip(values, gaps, strict=True)
    )


def test_proportional_is_what_the_paper_normalises():
    assert proportional([4.0, 3.0, 1.0]).tolist() == pytest.approx([0.5, 0.375, 0.125])


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.0, 0.0], [0.5, 0.5]), ([2.0, 0.0], [1.0, 0.0]), ([2.0, -5.0], [1.0, 0.0]), ([math.inf, 1.0], [1.0, 0.0]),
     ([math.inf, math.inf], [0.5, 0.5]), ([-1.0, -1.0], [0.5, 0.5])],
)  # fmt: skip
def test_zeros_negatives_and_infinities_are_defined(values, expected):
    assert proportional(values).tolist() == pytest.approx(expected, abs=1e-11)


def test_zero_beside_a_positive_score_is_floored_not_impossible():
    assert log_gap([1.0], [0.0], "proportional")[0] == FLOOR
    assert proportional([1.0, 0.0])[1] > 0


def test_softmax_temperature_flattens():
    cold, warm = softmax([1.0, 0.0], 0.1), softmax([1.0, 0.0], 10.0)
    assert cold[0] > 0.99
    assert warm[0] < 0.53


@pytest.mark.parametrize(
    ("best", "other", "kind"),
    [([2.0, 1.0], [1.0, 0.0], "proportional"), ([-1.0, -2.0], [-2.0, math.nan], "reciprocal"),
     ([1.0, -1.0], [0.5, -2.0], "softmax"), ([], [], "proportional")],
)  # fmt: skip
def test_kind_follows_from_the_signs_the_greedy_met(best, other, kind):
    assert likelihood_for(None, best, other).kind == kind


def test_mixed_signs_take_their_temperature_from_the_mean_gap():
    assert likelihood_for(None, [1.0, -1.0], [0.0, -4.0]) == Likelihood("softmax", 2.0)


def test_custom_normaliser_is_checked():
    good = likelihood_for(lambda f: f / f.sum(), [1.0], [1.0])
    assert np.exp(good.log_p(np.array([3.0, 1.0]))).tolist() == pytest.approx([0.75, 0.25])
    bad = likelihood_for(lambda f: f, [1.0], [1.0])
    with pytest.raises(ValueError, match="sum to 1"):
        bad.log_p(np.array([3.0, 1.0]))


@pytest.mark.parametrize(("wanted", "error"), [("sharp", ValueError), (3, TypeError)])
def test_unknown_normaliser_is_refused(wanted, error):
    with pytest.raises(error, match="normalise"):
        likelihood_for(wanted, [1.0], [1.0])


def test_eq1_and_eq2():
    assert p_opt([0.5, 0.25]) == 0.125  # Eq. 1
    assert p_opt_partial([0.5], depth=3, branching=4) == 0.5 / 16  # Eq. 2
    assert p_opt_partial([0.5, 0.25], depth=2, branching=4) == p_opt([0.5, 0.25])
    with pytest.raises(ValueError, match="explored"):
        p_opt_partial([0.5, 0.5], depth=1, branching=2)
    with pytest.raises(ValueError, match="branching"):
        p_opt_partial([0.5], depth=1, branching=0.5)


def test_eq5_dilemma_is_the_reciprocal_of_the_gap():
    assert dilemma(5.0, 3.0) == 0.5
    assert dilemma(5.0, 5.0) == math.inf
    with pytest.raises(ValueError, match="other"):
        dilemma(1.0, 2.0)
