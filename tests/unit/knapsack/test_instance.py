"""What numbers an instance takes, and what it makes of them."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dilemma.knapsack import Instance
from dilemma.knapsack.instance import exact_sum, to_integers


def test_plain_integers_become_int64():
    instance = Instance([1, 2], (3, 4), 5)
    assert instance.values.dtype == np.int64
    assert instance.kind == "int"
    assert (instance.n, instance.capacity) == (2, 5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64, np.bool_])
def test_numpy_integers_are_taken(dtype):
    instance = Instance(np.array([1, 0, 1], dtype=dtype), np.array([1, 1, 1], dtype=dtype), np.int64(3))
    assert instance.values.tolist() == [1, 0, 1]
    assert instance.kind == "int"


def test_integers_beyond_64_bits_stay_exact():
    instance = Instance([2**64 - 1, 2**200 + 1], np.array([2**63, 1], dtype=np.uint64), 2**300)
    assert instance.values.tolist() == [2**64 - 1, 2**200 + 1]
    assert instance.weights.tolist() == [2**63, 1]
    assert instance.integers().capacity == 2**300


def test_big_integers_beside_floats_stay_exact():
    data = Instance([2**60 + 1, 0.5], [1, 1], 1).integers()
    assert data.values.tolist() == [2 * (2**60 + 1), 1]
    assert data.value_scale == 2


@pytest.mark.parametrize(
    ("column", "integers", "scale"),
    [
        ([0.1, 0.2, 0.3], [1, 2, 3], 10),
        ([1.0, 2.0], [1, 2], 1),
        ([481.069368, 0.000001], [481069368, 1], 10**6),
        ([0.1 + 0.2], [7500000000000001], 25 * 10**15),  # the float beside 0.3 is another number
        ([1e300, 1.0], [10**300, 1], 1),
        ([Decimal("0.25"), Decimal("1")], [1, 4], 4),
        ([Fraction(1, 3), Fraction(1, 2)], [2, 3], 6),
    ],
)
def test_numbers_become_exact_integers(column, integers, scale):
    got, got_scale = to_integers(Instance(column, column, 1).values)
    assert got.tolist() == integers
    assert got_scale == scale


def test_float32_means_the_decimal_that_prints_it():
    assert Instance(np.array([0.1], dtype=np.float32), [1], 1).integers().values.tolist() == [1]


def test_random_doubles_survive_the_round_trip():
    values = np.random.default_rng(5).random(200)
    data = Instance(values, values, 1.0).integers()
    assert [v / data.value_scale for v in data.values.tolist()] == values.tolist()


def test_weights_and_capacity_share_a_scale():
    data = Instance([1], [Fraction(1, 3)], 0.5).integers()
    assert (data.weights.tolist(), data.capacity, data.weight_scale) == ([10], 15, 30)


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [([1, 2.5], "float"), ([1, Decimal(2)], "decimal"), ([1, Fraction(2)], "fraction"), ([1, 2], "int")],
)
def test_kind_follows_the_numbers(numbers, kind):
    instance = Instance(numbers, [1, 1], 1)
    assert instance.kind == kind
    assert {"float": float, "decimal": Decimal, "fraction": Fraction, "int": int}[kind] is type(
        instance.report(7, 1)
    )


@pytest.mark.parametrize(
    ("values", "weights", "capacity", "message"),
    [
        ([1, -2], [1, 1], 3, r"values: expected numbers >= 0 \(got -2 at index 1\)"),
        ([1, 2], [1, -0.5], 3, r"weights: .*got -0.5 at index 1"),
        ([1, float("nan")], [1, 1], 3, r"values: expected finite numbers \(got nan at index 1\)"),
        ([1, 2], [float("inf"), 1], 3, r"weights: expected finite"),
        ([1], [1], float("inf"), r"capacity: expected finite"),
        ([1], [1], -1, r"capacity: expected a number >= 0 \(got -1\)"),
        ([1, 2], [1], 3, r"one of each per item \(got 2 values and 1 weights\)"),
        ([[1, 2]], [1], 3, r"one dimension"),
        ([Decimal("NaN")], [1], 3, r"values: expected finite"),
        ([-(2**80)], [1], 3, r"values: expected numbers >= 0"),
    ],
)
def test_bad_numbers_are_named(values, weights, capacity, message):
    with pytest.raises(ValueError, match=message):
        Instance(values, weights, capacity)


@pytest.mark.parametrize(
    ("values", "capacity", "message"),
    [
        (["1"], 3, "values: expected int, float"),
        ("12", 3, "values: expected a sequence"),
        (7, 3, "values: expected a sequence"),
        ([1j], 3, "values: expected int, float"),
        (np.array([1.0], dtype=np.longdouble), 3, "convert it first"),
        ([None], 3, "values: expected int, float"),
        ([1], [3], "capacity: expected one number"),
        ([1], None, "capacity: expected int"),
    ],
)
def test_wrong_types_are_named(values, capacity, message):
    with pytest.raises(TypeError, match=message):
        Instance(values, [1], capacity)


def test_the_callers_arrays_are_not_changed():
    values, weights = np.array([3, 1, 2]), np.array([1.5, 2.5, 3.5])
    Instance(values, weights, 4).integers()
    assert values.tolist() == [3, 1, 2]
    assert weights.tolist() == [1.5, 2.5, 3.5]


def test_sums_never_overflow():
    assert exact_sum(np.full(1000, 2**63 - 1)) == 1000 * (2**63 - 1)
