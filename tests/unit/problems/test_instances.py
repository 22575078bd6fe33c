"""Constructors: what they refuse, and odd but valid data."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dilemma
from dilemma import problems as gallery

NAN, INF = math.nan, math.inf

REFUSED = [
    (lambda: gallery.TSP([[0, 1], [2, 0]]), "distances: expected a symmetric matrix"),
    (lambda: gallery.TSP([[0, 1, 2], [1, 0, 3]]), "distances: expected 2 entries along axis 1, got 3"),
    (lambda: gallery.TSP([[0, NAN], [NAN, 0]]), r"distances: expected finite numbers, got nan at \[0, 1\]"),
    (lambda: gallery.TSP([[0, -1], [-1, 0]]), "distances: expected numbers of at least 0, got -1"),
    (lambda: gallery.TSP("abc"), "distances"),
    (lambda: gallery.MultiKnapsack([1, 2], [[1]], [3]), "weights: expected 2 entries along axis 1, got 1"),
    (lambda: gallery.MultiKnapsack([1, -2], [[1, 1]], [3]), "profits: expected numbers of at least 0"),
    (lambda: gallery.MultiKnapsack([1, INF], [[1, 1]], [3]), "profits: expected finite"),
    (lambda: gallery.SetCover([1], 2, [[0]]), "covers: expected a column for every row, got none for row 1"),
    (lambda: gallery.SetCover([1], 2, [[0, 2]]), r"covers\[0\]: expected numbers from 0 to 1"),
    (lambda: gallery.SetCover([1], 1, [[0.5]]), r"covers\[0\]: expected whole numbers"),
    (lambda: gallery.SetCover([1, 2], 1, [[0]]), "costs: expected 1 entries"),
    (lambda: gallery.JobShop([[0, 0]], [[1, 1]]), "machines: expected each of 0 to 1 once"),
    (lambda: gallery.JobShop([[0, 1]], [[1, -1]]), "times: expected numbers of at least 0"),
    (lambda: gallery.JobShop([[0]], [[1]], rule="best"), "rule: expected one of mwkr"),
    (lambda: gallery.FlowShop([[1, NAN]]), "times: expected finite"),
    (lambda: gallery.Colouring(2, [(0, 2)]), "edges: expected numbers from 0 to 1"),
    (lambda: gallery.Colouring(2, [(1, 1)]), "edges: expected two different ends"),
    (lambda: gallery.Colouring(2, [0, 1]), "edges: expected pairs"),
    (lambda: gallery.Colouring.random(3, 0, density=2.0), "density: expected a number from 0 to 1"),
    (lambda: gallery.BinPacking(10, [11]), "sizes: expected at most the capacity 10, got 11"),
    (lambda: gallery.BinPacking(NAN, [1]), "capacity: expected finite"),
    (lambda: gallery.BinPacking(1, [1], rule="worst"), "rule: expected one of best, first"),
    (
        lambda: gallery.QuadraticAssignment([[0]], [[0, 1], [1, 0]]),
        "distances: expected 1 entries along axis 0",
    ),
    (lambda: gallery.IndependentSet(2, [], weights=[1, 0]), "weights: expected positive numbers, got 0"),
    (lambda: gallery.Tardiness([1], [1], [1], lookahead=0), "lookahead: expected a positive number"),
    (lambda: gallery.Tardiness([1], [1, 2], [1]), "weights: expected 1 entries"),
    (
        lambda: gallery.VehicleRouting([[0, 1], [1, 0]], [0, 5], 4),
        r"demands: expected at most .* got 5 at \[1\]",
    ),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_wrong_data_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_callers_arrays_stay_as_they_were_and_are_not_followed():
    profits = np.array([3.0, 2.0])
    problem = gallery.MultiKnapsack(profits, [[1, 1]], [1])
    profits[0] = 0.0
    assert problem.profits.tolist() == [3.0, 2.0]
    assert profits.flags.writeable


def test_knapsack_items_that_never_fit_or_never_pay_are_left():
    problem = gallery.MultiKnapsack([5, 0, 9, 4], [[1, 0, 8, 0], [1, 0, 1, 0]], [3, 1])
    result = dilemma.minimize(problem)
    assert sorted(result.actions) == [0, 3]
    assert (result.energy, result.optimal) == (-9.0, True)


def test_knapsack_bound_is_sharper_with_banned_items():
    problem = gallery.MultiKnapsack.random(10, 0)
    root = problem.initial()
    assert problem.bound(root, frozenset(range(10))) > problem.bound(root)
    assert problem.bound(root, frozenset(range(10))) >= -float(problem._prices @ problem.capacities) - 1


def test_fractional_weights_fit_in_any_order():
    """0.1 + 0.2 + 0.3 is more than 0.6 in floats, and 0.3 + 0.2 + 0.1 is not."""
    problem = gallery.MultiKnapsack([1, 1, 1], [[0.1, 0.2, 0.3]], [0.6])
    for order in ([0, 1, 2], [2, 1, 0]):
        state = problem.initial()
        for item in order:
            assert problem.legal(state, item)
            state = problem.apply(state, item)
    bins = gallery.BinPacking(0.6, [0.1, 0.2, 0.3])
    assert dilemma.minimize(bins).energy == bins.bound(bins.initial()) == 1.0


def test_free_columns_and_zero_distances_score_finitely():
    cover = gallery.SetCover([0, 5], 2, [[0], [0, 1]])
    actions, scores = cover.actions(cover.initial())
    assert actions.tolist() == [0, 1]
    assert np.isfinite(scores).all()
    assert dilemma.minimize(cover).energy == 5.0
    same_place = gallery.TSP(np.zeros((4, 4)))
    assert np.isfinite(same_place.actions(same_place.initial())[1]).all()
    assert dilemma.minimize(same_place).energy == 0.0


def test_operations_without_duration_do_not_lock_the_shop():
    problem = gallery.JobShop([[0, 1], [1, 0], [0, 1]], [[0, 3], [0, 0], [2, 0]])
    result = dilemma.minimize(problem)
    assert (result.energy, result.optimal) == (3.0, True)
    assert problem.energy(problem.polish(result.solution)) == 3.0


@pytest.mark.parametrize("rule", ["mwkr", "spt", "lpt", "mopnr"])
def test_dispatching_rules_rank_as_their_names_say(rule):
    problem = gallery.JobShop([[0, 1], [0, 1], [0, 1]], [[5, 1], [2, 9], [3, 3]], rule=rule)
    jobs, scores = problem.actions(problem.initial())
    assert jobs == [0, 1, 2]
    best = {"mwkr": 1, "spt": 1, "lpt": 0, "mopnr": 0}[rule]
    assert jobs[int(np.argmax(scores))] == best


def test_a_job_that_does_not_compete_is_offered_far_behind():
    problem = gallery.JobShop([[0, 1], [1, 0]], [[9, 1], [2, 1]])
    jobs, scores = problem.actions(problem.initial())
    assert jobs == [0, 1]
    assert scores == pytest.approx([0.01 * 10, 3.0])  # work that remains; machine 1 is free first


def test_flow_shop_scores_are_the_makespans_of_the_insertions():
    problem = gallery.FlowShop.random(8, 3, m=4)
    state = problem.initial()
    while (offer := problem.actions(state))[0]:
        for action, score in zip(*offer, strict=True):
            assert 1.0 / score == pytest.approx(problem.energy(problem.apply(state, action)))
        state = problem.apply(state, offer[0][-1])


def test_flow_shop_greedy_is_neh():
    """Worked by hand: 1 (work 9), then 0 behind it (12, not 13), then 2 in front, the first of three 14s."""
    problem = gallery.FlowShop([[4, 3, 2], [3, 6, 2]])
    assert problem.order == [1, 0, 2]
    result = dilemma.minimize(problem, max_iter=1)
    assert (result.energy, result.solution.jobs) == (14.0, (2, 1, 0))


def test_tour_insertion_scores_give_losses_of_length():
    problem = gallery.TSPInsertion.random(9, 0)
    state = problem.initial()
    for _ in range(4):
        state = problem.apply(state, problem.actions(state)[0][0])
    actions, scores = problem.actions(state)
    added = [problem.apply(state, a).length - state.length for a in actions]
    scale = problem._nearest.mean()
    assert np.log(scores) * -scale == pytest.approx(added)
    assert len(set(actions.tolist())) == len(actions) == 9 - 5 + 5 - 1


def test_first_fit_and_best_fit_differ_as_they_should():
    sizes = [6, 5, 3, 3]  # after 6 | 5: the 3 fits both; best fit takes the fuller, as first fit does
    first, best = (
        gallery.BinPacking(10, [5, 6, 4], rule="first"),
        gallery.BinPacking(10, [*sizes], rule="best"),
    )
    assert dilemma.minimize(first, max_iter=1).energy == dilemma.minimize(best, max_iter=1).energy == 2.0
    problem = gallery.BinPacking(10, [4, 6, 7, 3], rule="first")
    state = problem.initial()
    for action in [(2, 0), (1, 1)]:
        state = problem.apply(state, action)
    assert dict(zip(*problem.actions(state), strict=True))[(0, 1)] == 0.5  # 7 | 6, and 4 fits the second only


def test_independent_sets_of_the_complement_are_cliques(tmp_path):
    file = tmp_path / "house.clq"
    file.write_text("p edge 5 6\ne 1 2\ne 2 3\ne 3 4\ne 4 1\ne 1 5\ne 2 5\n")
    assert dilemma.minimize(gallery.IndependentSet.load(file, complement=True)).energy == -3.0
    assert dilemma.minimize(gallery.IndependentSet.load(file)).energy == -2.0


def test_weights_decide_among_independent_sets():
    star = [(0, 1), (0, 2), (0, 3)]
    assert dilemma.minimize(gallery.IndependentSet(4, star)).energy == -3.0
    assert dilemma.minimize(gallery.IndependentSet(4, star, weights=[7, 2, 2, 2])).energy == -7.0


def test_asymmetric_assignment_with_a_diagonal_is_polished_right():
    rng = np.random.default_rng(0)
    problem = gallery.QuadraticAssignment(rng.integers(0, 9, (7, 7)), rng.integers(0, 9, (7, 7)))
    for seed in range(20):
        location = np.random.default_rng(seed).permutation(7)
        change = problem._exchanges(location)
        energy = problem.energy(problem.state_of(location))
        for i in range(7):
            for j in range(7):
                other = location.copy()
                other[i], other[j] = other[j], other[i]
                assert change[i, j] == pytest.approx(problem.energy(problem.state_of(other)) - energy)


def test_tardiness_insertions_price_every_place():
    problem = gallery.Tardiness.random(9, 1)
    jobs = np.random.default_rng(0).permutation(9)
    rest, job = jobs[1:], int(jobs[0])
    direct = [problem._total(np.concatenate((rest[:i], [job], rest[i:]))) for i in range(9)]
    assert problem._insertions(rest, job) == pytest.approx(direct)


def test_routes_read_both_ways_round():
    d = np.abs(np.subtract.outer([0, 1, 2, 3, -5], [0, 1, 2, 3, -5])).astype(float)
    problem = gallery.VehicleRouting(d, [0, 1, 1, 1, 1], 3)
    state = problem.state_of([[3, 1, 2], [4]])
    assert problem.routes(state) == [[2, 1, 3], [4]]
    assert problem.energy(state) == 2 + 1 + 2 + 3 + 10
    assert problem.energy(problem.polish(state)) == 6 + 10
