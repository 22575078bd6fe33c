"""Gaps, curves and primal integrals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma.compare.measures import Curve, equal, gap, primal_gap, primal_integral
from dilemma.compare.profiles import distribution, performance_profile
from dilemma.result import Trace, TraceRow

INF = math.inf


def curve(*points):
    """A curve of (effort, energy) with the same effort on every axis."""
    x, y = np.array(points, dtype=float).reshape(-1, 2).T
    return Curve(x, x, x, y)


def test_a_curve_keeps_only_improvements():
    rows = [(0, 5, 0.1, 9.0, 9.0), (1, 8, 0.2, 11.0, 9.0), (2, 12, 0.3, 7.0, 7.0), (3, 15, 0.4, 7.0, 7.0)]
    got = Curve.of(Trace(TraceRow(*row) for row in rows))
    assert got.energy.tolist() == [9.0, 7.0]
    assert got.nodes.tolist() == [5, 12]
    assert got.iterations.tolist() == [1, 3]
    assert got.seconds.tolist() == [0.1, 0.3]


def test_an_empty_trace_makes_an_empty_curve():
    assert len(Curve.of(Trace()).energy) == 0


def test_a_curve_says_what_was_known_when():
    got = curve((2, 9), (5, 7))
    assert got.at([1, 2, 4, 5, 99], "nodes").tolist() == [INF, 9, 9, 7, 7]
    assert (got.reached(8, "nodes"), got.reached(9, "nodes"), got.reached(1, "nodes")) == (5, 2, INF)


def test_a_curve_survives_json_with_an_infinite_first_energy():
    got = curve((1, INF), (3, 4))
    back = Curve.from_dict(got.to_dict())
    assert back.energy.tolist() == [INF, 4]
    with pytest.raises(ValueError, match="equal length"):
        Curve.from_dict({**got.to_dict(), "nodes": [1]})


def test_primal_integral_is_the_area_under_the_gap():
    """Gap 1 until 2, then 0.5 until 6, then 0 until 10."""
    assert primal_integral(curve((2, 20), (6, 10)), 10, 10, "nodes") == pytest.approx((2 + 2) / 10)


def test_primal_integral_ignores_what_came_after_the_budget():
    assert primal_integral(curve((2, 20), (60, 10)), 10, 10, "nodes") == pytest.approx((2 + 4) / 10)


def test_nothing_found_integrates_to_one_and_the_best_at_once_to_nothing():
    assert primal_integral(Curve(), 10, 5, "seconds") == 1.0
    assert primal_integral(curve((0, 10)), 10, 5, "seconds") == 0.0
    assert primal_integral(curve((0, 20)), 10, 0, "seconds") == 0.5


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_primal_gap_is_between_nothing_and_one(energy, reference):
    value = float(primal_gap([energy], reference)[0])
    assert 0 <= value <= 1
    assert (value == 0) == (energy <= reference)


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(1e-3, 1e3))
def test_gap_does_not_depend_on_the_unit(energy, reference, unit):
    assert gap(energy * unit, reference * unit) == pytest.approx(gap(energy, reference), rel=1e-6, abs=1e-9)


def test_gap_of_special_values():
    assert gap(INF, 5) == INF
    assert gap(INF, INF) == 0
    assert gap(-3, 0) == -1
    assert gap(-90, -100) == pytest.approx(0.1)


def test_energies_equal_but_for_rounding_are_equal():
    assert equal(1e9, 1e9 + 0.5)
    assert not equal(0.0, 1e-12)
    assert equal(INF, INF)


def test_profile_counts_failures_and_unsolved_runs_in_the_denominator():
    profile = performance_profile({"a": [1, 4, INF, INF], "b": [2, 2, 5, INF]})
    assert profile.share("a", 1) == 0.25
    assert profile.share("a", 2) == 0.5
    assert profile.share("b", 1) == 0.5
    assert profile.share("b", 1e9) == 0.75
    assert profile.share("a", 0.5) == 0
    assert profile.limit == 2


def test_profile_refuses_costs_that_are_not_positive_or_not_parallel():
    with pytest.raises(ValueError, match="positive"):
        performance_profile({"a": [0.0]})
    with pytest.raises(ValueError, match="as many runs"):
        performance_profile({"a": [1.0], "b": [1.0, 2.0]})


@given(st.lists(st.lists(st.integers(1, 9), min_size=4, max_size=4), min_size=1, max_size=4))
def test_profile_is_what_counting_says(table):
    costs = {str(i): row for i, row in enumerate(table)}
    profile = performance_profile(costs)
    least = [min(column) for column in zip(*table, strict=True)]
    for name, row in costs.items():
        for within in (1, 1.5, 2, 9):
            count = sum(c <= within * b for c, b in zip(row, least, strict=True))
            assert profile.share(name, within) == count / 4


def test_distribution_of_nothing_is_empty():
    assert distribution({"a": []}, label="x").shares["a"].tolist() == []
