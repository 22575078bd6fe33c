"""The paper's knapsack: what is offered, and that the cap on offers is not seen."""

import numpy as np
import pytest

from dilemma import minimize
from dilemma.experiments.packing import PaperKnapsack
from dilemma.strategies import DilemmaFirst, RandomState


def instance(seed: int, count: int = 60) -> tuple[list[int], list[int], int]:
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, count)
    return rng.integers(1, 100, count).tolist(), weights.tolist(), int(weights.sum()) // 3


def test_offers_what_fits_by_falling_value_per_weight() -> None:
    values, weights, capacity = instance(0)
    problem = PaperKnapsack(values, weights, capacity)
    state = problem.initial()
    while True:
        items, scores = problem.actions(state)
        fits = {i for i in range(60) if state.free[i] and problem.weights[i] <= state.room}
        assert set(items.tolist()) == fits
        assert np.all(np.diff(scores) <= 0)
        if not fits:
            break
        before = state.free.copy()
        problem.apply(state, int(items[-1]))
        assert np.array_equal(state.free, before)
        state = problem.apply(state, int(items[0]))
    taken = ~state.free
    assert problem.energy(state) == -problem.values[taken].sum()
    assert problem.weights[taken].sum() <= capacity


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("partition", [True, False])
def test_a_cap_above_the_number_of_candidates_is_not_seen(seed: int, partition: bool) -> None:
    values, weights, capacity = instance(seed)
    for strategy in (DilemmaFirst(gap="raw", partition=partition), RandomState(partition=partition)):
        traces = [
            minimize(
                PaperKnapsack(values, weights, capacity, most=most),
                strategy=strategy,
                max_iter=20,
                random_state=1,
            ).trace.energy.tolist()
            for most in (22, 1000)
        ]
        assert traces[0] == traces[1]


def test_an_item_without_weight_comes_first() -> None:
    problem = PaperKnapsack([1, 5], [0, 1], 0)
    assert minimize(problem).energy == -1


def test_branching_counts_every_item_that_fits_whatever_the_cap() -> None:
    values, weights, capacity = [3.0, 2.0, 1.0], [1.0, 1.0, 1.0], 2.0
    assert PaperKnapsack(values, weights, capacity).branching() == pytest.approx(6**0.5)
    assert PaperKnapsack(values, weights, capacity, most=1).branching() == pytest.approx(6**0.5)
