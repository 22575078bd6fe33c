"""The knapsack as a problem of the engine."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import dilemma
from dilemma.knapsack import Knapsack, generate, solve_instance


def problem_of(name="weak", n=30, **options):
    instance = generate(name, n, seed=5, **options)
    return Knapsack.from_instance(instance), instance


def test_keeps_every_promise():
    problem, _ = problem_of()
    report = dilemma.check_problem(problem)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", ["weak", "strong", "uncorrelated", "circle"])
def test_first_candidate_is_the_fast_solvers_greedy(name):
    problem, instance = problem_of(name, 80)
    result = dilemma.minimize(problem, max_iter=1)
    assert -result.energy == solve_instance(instance).greedy_value


def test_engine_proves_the_same_optimum():
    problem, instance = problem_of("uncorrelated", 20)
    result = dilemma.minimize(problem, max_iter=20_000)
    fast = solve_instance(instance)
    assert result.optimal
    assert -result.energy == fast.value
    chosen = problem.chosen(result.solution)
    assert sum(int(instance.values[i]) for i in chosen) == fast.value
    assert sum(int(instance.weights[i]) for i in chosen) <= instance.capacity


def test_offers_only_what_fits_best_ratio_first():
    problem = Knapsack([10, 9, 8, 7], [5, 3, 2, 9], 6)
    state = problem.initial()
    items, ratios = problem.actions(state)
    assert items.tolist() == [2, 1, 0]  # item 3 is too heavy alone
    assert (np.diff(ratios) <= 0).all()
    state = problem.apply(state, 2)
    assert problem.actions(state)[0].tolist() == [1]
    assert problem.legal(state, 1)
    assert not problem.legal(state, 0)
    assert not problem.legal(state, 2)
    assert not problem.legal(state, 3)


def test_weightless_items_are_in_and_worthless_ones_never_offered():
    problem = Knapsack([5, 0, 3], [0, 1, 2], 2)
    state = problem.initial()
    assert problem.energy(state) == -5.0
    assert problem.actions(state)[0].tolist() == [2]
    assert problem.chosen(problem.apply(state, 2)) == [0, 2]


def test_bound_is_dantzigs_and_knows_what_is_banned():
    problem = Knapsack([60, 100, 120], [10, 20, 30], 50)
    state = problem.initial()
    assert problem.bound(state) == -240.0
    assert problem.bound(state, frozenset({0})) == -220.0
    assert problem.bound(state, frozenset({0, 1, 2})) == 0.0


def test_bound_is_rounded_down_for_integers():
    problem = Knapsack([10, 10], [2, 3], 3)
    assert problem.bound(problem.initial()) == -13.0


@pytest.mark.parametrize("scale", [1, 2**70])
def test_numbers_of_any_size(scale):
    problem = Knapsack(
        [60 * scale, 100 * scale, 120 * scale], [10 * scale, 20 * scale, 30 * scale], 50 * scale
    )
    result = dilemma.minimize(problem, max_iter=100)
    assert result.optimal
    assert problem.chosen(result.solution) == [1, 2]


def test_decimal_floats():
    problem = Knapsack([1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 0.6)
    assert dilemma.minimize(problem, max_iter=5).energy == -3.0


def test_states_and_problem_can_be_sent_to_workers():
    problem, _ = problem_of()
    state = problem.apply(problem.initial(), int(problem.actions(problem.initial())[0][0]))
    again = pickle.loads(pickle.dumps((problem, state)))
    assert again[0].energy(again[1]) == problem.energy(state)


def test_empty_instance_is_complete_at_once():
    problem = Knapsack([], [], 3)
    assert dilemma.minimize(problem).energy == 0.0


def test_items_have_names():
    problem = Knapsack([60, 100], [10, 20], 50)
    assert problem.describe(1) == "item 1 (value 100, weight 20)"


def naive_bound(values, weights, capacity, taken, banned):
    """Dantzig's bound from its definition."""
    room = capacity - sum(weights[i] for i in taken)
    value = sum(values[i] for i in taken)
    fits = [i for i in range(len(values)) if i not in taken and i not in banned and weights[i] <= room]
    for i in sorted(fits, key=lambda i: Fraction(values[i], weights[i]), reverse=True):
        if weights[i] > room:
            return -float(value + room * values[i] // weights[i])
        room, value = room - weights[i], value + values[i]
    return -float(value)


@pytest.mark.parametrize("seed", range(8))
def test_random_walks_agree_with_the_definitions(seed):
    rng = np.random.default_rng(seed)
    values, weights = rng.integers(1, 40, 25).tolist(), rng.integers(1, 40, 25).tolist()
    problem = Knapsack(values, weights, 130)
    state, taken = problem.initial(), set()
    while True:
        room = 130 - sum(weights[i] for i in taken)
        items, ratios = problem.actions(state)
        assert set(items.tolist()) == {i for i in range(25) if i not in taken and weights[i] <= room}
        assert (np.diff(ratios) <= 0).all()
        banned = frozenset(rng.choice(25, 5, replace=False).tolist())
        assert problem.bound(state) == naive_bound(values, weights, 130, taken, ())
        assert problem.bound(state, banned) == naive_bound(values, weights, 130, taken, banned)
        if not len(items):
            break
        item = int(rng.choice(items))
        before = pickle.dumps(state)
        taken.add(item)
        following = problem.apply(state, item)
        assert pickle.dumps(state) == before
        state = following
    assert problem.chosen(state) == sorted(taken)
