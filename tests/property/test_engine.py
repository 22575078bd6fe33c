"""The engine against brute force, on thousands of small random problems."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import Bounded, Keyed, Subsets, greedy, keyed, leaves, sequences, subsets

import dilemma
from dilemma.strategies import (
    Backtracking,
    BreadthFirst,
    CumulativeRegret,
    DepthBounded,
    DilemmaFirst,
    LikelihoodFirst,
    LimitedDiscrepancy,
    RandomState,
    TwoQueues,
)  # fmt: skip

COVERING = [
    DilemmaFirst(gap="raw"),
    DilemmaFirst(gap="log", depth_constant=0.3),
    DilemmaFirst(gap="relative"),
    CumulativeRegret(),
    CumulativeRegret(rank_price=True),
    LikelihoodFirst(unexplored="certain"),
    LikelihoodFirst(unexplored="uniform"),
    LikelihoodFirst(unexplored="greedy"),
    LimitedDiscrepancy(),
    LimitedDiscrepancy(variant="rank"),
    LimitedDiscrepancy(variant="improved"),
    DepthBounded(),
    BreadthFirst(),
    Backtracking(),
    RandomState(),
    TwoQueues(),
]
any_strategy = st.sampled_from(COVERING)


def run(problem, strategy, **options):
    searching = dilemma.search(problem, strategy=strategy, random_state=0, **options)
    solutions = []
    for event in searching:
        solutions.append(event)
    return searching.result, solutions


class Recorder:
    """Passes a problem through and keeps every complete solution evaluated."""

    def __init__(self, problem):
        self.problem = problem
        self.initial, self.actions, self.apply = problem.initial, problem.actions, problem.apply
        self.commutative = getattr(problem, "commutative", False)
        for power in ("bound", "key"):
            if hasattr(problem, power):
                setattr(self, power, getattr(problem, power))
        self.evaluated = []

    def energy(self, state):
        self.evaluated.append(state)
        return self.problem.energy(state)


@settings(max_examples=400, deadline=None)
@given(sequences, any_strategy)
def test_every_leaf_is_reached_once_and_the_optimum_is_proved(problem, strategy):
    recorder = Recorder(problem)
    result, _ = run(recorder, strategy)
    expected = leaves(problem)
    assert sorted(recorder.evaluated) == sorted(path for path, _ in expected)
    assert result.iterations == len(expected) == result.distinct
    assert result.energy == min(energy for _, energy in expected)
    assert result.optimal
    assert result.stop_reason is dilemma.StopReason.OPTIMAL


@settings(max_examples=300, deadline=None)
@given(subsets, any_strategy)
def test_every_set_is_reached_once_in_the_partition_tree(problem, strategy):
    recorder = Recorder(problem)
    result, _ = run(recorder, strategy)
    expected = {frozenset(path) for path, _ in leaves(problem)}
    assert len(recorder.evaluated) == len(set(recorder.evaluated)) == len(expected)
    assert set(recorder.evaluated) == expected
    assert result.energy == min(problem.energy(s) for s in expected)
    assert result.optimal


@settings(max_examples=300, deadline=None)
@given(st.one_of(sequences, subsets), any_strategy)
def test_pruning_by_a_bound_keeps_the_optimum(problem, strategy):
    result, _ = run(Bounded(problem), strategy)
    assert result.energy == problem.least(problem.initial())
    assert result.optimal
    assert result.bound == result.energy


@settings(max_examples=200, deadline=None)
@given(subsets, any_strategy)
def test_a_bound_that_knows_what_is_banned_keeps_the_optimum(problem, strategy):
    result, _ = run(Bounded(problem, knows_banned=True), strategy)
    assert result.energy == problem.least(problem.initial())
    assert result.optimal


@settings(max_examples=300, deadline=None)
@given(keyed, any_strategy)
def test_keys_skip_duplicates_and_keep_the_optimum(problem, strategy):
    recorder = Recorder(Keyed(problem))
    result, _ = run(recorder, strategy)
    assert result.energy == problem.least(())
    assert result.optimal
    views = [problem._view(s) for s in recorder.evaluated]
    assert len(views) == len(set(views))  # one solution a key


@settings(max_examples=200, deadline=None)
@given(st.one_of(keyed, subsets), any_strategy)
def test_a_bound_and_keys_together_keep_the_optimum(problem, strategy):
    both = Bounded(problem)
    both.key = problem._view
    result, _ = run(both, strategy)
    assert result.energy == problem.least(problem.initial())
    assert result.optimal


@settings(max_examples=60, deadline=None)
@given(st.one_of(sequences, keyed, subsets), st.booleans(), st.integers(0, 3))
def test_the_default_finds_and_proves_the_optimum(problem, bounded, seed):
    if bounded:
        problem = Bounded(problem)
    result = dilemma.minimize(problem, random_state=seed)
    assert result.energy == problem.least(problem.initial())
    assert result.optimal


@settings(max_examples=300, deadline=None)
@given(st.one_of(sequences, subsets), any_strategy)
def test_first_candidate_is_the_greedy_and_the_incumbent_never_worsens(problem, strategy):
    result, events = run(problem, strategy)
    path, energy = greedy(problem)
    assert events[0].energy == energy == result.greedy_energy
    assert list(result.trace.incumbent) == sorted(result.trace.incumbent, reverse=True)
    assert result.energy == min(result.trace.energy)
    state = problem.initial()
    for action in result.actions:
        state = problem.apply(state, action)
    assert problem.energy(state) == result.energy
    one = dilemma.minimize(problem, strategy="greedy")
    assert one.actions == path


@settings(max_examples=100, deadline=None)
@given(st.one_of(sequences, subsets), any_strategy, st.integers(1, 30))
def test_same_seed_same_trace(problem, strategy, max_iter):
    first, second = (
        dilemma.minimize(problem, strategy=strategy, max_iter=max_iter, random_state=7) for _ in range(2)
    )
    assert list(first.trace.energy) == list(second.trace.energy)
    assert first.actions == second.actions
    assert first.iterations <= max_iter


@settings(max_examples=150, deadline=None)
@given(st.one_of(sequences, subsets), any_strategy, st.integers(2, 6))
def test_a_bounded_queue_never_claims_a_proof_it_has_not(problem, strategy, max_queue):
    result, _ = run(problem, dataclasses.replace(strategy, max_queue=max_queue))
    least = problem.least(problem.initial())
    assert result.energy >= least
    if result.optimal:
        assert result.energy == least
    else:
        assert result.stop_reason is dilemma.StopReason.EXHAUSTED


@settings(max_examples=100, deadline=None)
@given(st.one_of(sequences, subsets), any_strategy)
def test_bound_is_never_above_the_optimum_when_stopped_early(problem, strategy):
    bounded = Bounded(problem)
    least = problem.least(problem.initial())
    for max_iter in (1, 2, 5):
        result, _ = run(bounded, strategy, max_iter=max_iter)
        assert result.bound <= least
        if result.optimal:
            assert result.energy == least


@pytest.mark.parametrize("strategy", COVERING, ids=repr)
def test_partition_can_be_switched_off(strategy):
    """As printed, actions that commute are searched as sequences: the same set many times."""
    problem = Subsets(seed=2, items=5)
    recorder = Recorder(problem)
    result, _ = run(recorder, dataclasses.replace(strategy, partition=False))
    assert len(recorder.evaluated) == len(leaves(problem)) > len(set(recorder.evaluated))
    assert result.energy == problem.least(problem.initial())
