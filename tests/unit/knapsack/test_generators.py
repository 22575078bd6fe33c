"""Each class is what its source says."""

import math

import numpy as np
import pytest

from dilemma.knapsack import CLASSES, generate

R = 1000


def draw(name, n=400, seed=1, **options):
    instance = generate(name, n, seed=seed, range=options.pop("range", R), **options)
    return instance.values, instance.weights, instance.capacity


@pytest.mark.parametrize("name", CLASSES)
def test_the_same_seed_gives_the_same_instance(name):
    assert generate(name, 50, seed=3) == generate(name, 50, seed=3)
    assert generate(name, 50, seed=3) != generate(name, 50, seed=4)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("size", [1, 30, 1000, 10**9])
def test_numbers_are_positive_and_the_capacity_is_the_part_asked_for(name, size):
    values, weights, capacity = draw(name, range=size, fill=0.25)
    assert values.min() >= 1
    assert weights.min() >= 1
    assert capacity == weights.sum() // 4


def test_uncorrelated():
    values, weights, _ = draw("uncorrelated")
    assert max(values.max(), weights.max()) <= R
    assert abs(np.corrcoef(values, weights)[0, 1]) < 0.2


def test_weak():
    values, weights, _ = draw("weak")
    assert np.abs(values - weights).max() <= R // 10
    assert len(set((values - weights).tolist())) > 50


def test_strong_and_inverse():
    values, weights, _ = draw("strong")
    assert set((values - weights).tolist()) == {R // 10}
    values, weights, _ = draw("inverse-strong")
    assert set((weights - values).tolist()) == {R // 10}


def test_almost_strong():
    values, weights, _ = draw("almost-strong")
    assert set((values - weights).tolist()) == set(range(98, 103))


def test_subset_sum():
    values, weights, _ = draw("subset-sum")
    assert values.tolist() == weights.tolist()


def test_similar_weights():
    values, weights, _ = draw("similar-weights")
    assert weights.min() >= 100_000
    assert weights.max() <= 100_100
    assert values.max() <= 1000


@pytest.mark.parametrize("kind", ["uncorrelated", "weak", "strong"])
def test_spanner(kind):
    values, weights, _ = draw(f"spanner-{kind}")
    directions = {(v // math.gcd(v, w), w // math.gcd(v, w)) for v, w in zip(values, weights, strict=True)}
    assert len(directions) <= 2
    assert len(set(zip(values.tolist(), weights.tolist(), strict=True))) <= 20


def test_mstr():
    values, weights, _ = draw("mstr")
    assert ((values - weights) == np.where(weights % 6 == 0, 300, 200)).all()


def test_profit_ceiling():
    values, weights, _ = draw("profit-ceiling")
    assert (values % 3 == 0).all()
    assert set((values - weights).tolist()) == {0, 1, 2}


def test_circle():
    values, weights, _ = draw("circle")
    expected = np.floor(2 / 3 * np.sqrt(4.0 * R * R - (weights - 2.0 * R) ** 2))
    assert np.abs(values - expected).max() <= 1


def test_short_names():
    assert generate("pceil", 9, seed=1) == generate("profit-ceiling", 9, seed=1)
    assert generate("spanner", 9, seed=1) == generate("spanner-uncorrelated", 9, seed=1)


def test_a_generator_is_used_as_it_stands():
    rng = np.random.default_rng(7)
    assert generate("weak", 9, seed=rng) == generate("weak", 9, seed=7)
    assert generate("weak", 9, seed=rng) != generate("weak", 9, seed=7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"instance_class": "easy", "n": 3}, "instance_class: expected one of uncorrelated, "),
        ({"instance_class": "weak", "n": -1}, "n: expected"),
        ({"instance_class": "weak", "n": 2.5}, "n: expected"),
        ({"instance_class": "weak", "n": 3, "range": 0}, "range: expected"),
        ({"instance_class": "weak", "n": 3, "fill": 1.5}, "fill: expected"),
        ({"instance_class": "weak", "n": 3, "seed": -1}, "seed: expected an int >= 0"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(**{"seed": 1, **arguments})
