"""Section III on trees with known P: Eq. 1, Eq. 2, Lemma 1, the base case and the induction."""

import math

import numpy as np
import pytest

from dilemma.experiments.exploring import best_policy, greedy_policy
from dilemma.experiments.known import KnownTree, exponential_energies, random_tree
from dilemma.experiments.theory import (
    expected_p_opt,
    explored_by,
    induction_steps,
    uniform_cost,
    visited,
)
from dilemma.likelihood import p_opt, p_opt_partial
from dilemma.strategies import DilemmaFirst, LikelihoodFirst

SHAPES = [(2, 5), (3, 4), (4, 3)]


def trees(count: int, *, branching: int = 3, depth: int = 4, concentration: float = 1.0) -> list[KnownTree]:
    return [
        random_tree(np.random.default_rng(s), branching=branching, depth=depth, concentration=concentration)
        for s in range(count)
    ]


@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_eq_1_is_a_distribution_over_leaves(branching: int, depth: int) -> None:
    for tree in trees(5, branching=branching, depth=depth):
        assert tree.p_opt.sum() == pytest.approx(1.0)
        for leaf in range(0, len(tree.p_opt), 7):
            index, along = 0, []
            for own, action in zip(tree.levels, tree.path(leaf), strict=True):
                along.append(float(own[index, action]))
                index = index * branching + action
            assert index == leaf
            assert (
                len(along) == depth
            )  # d factors on a path of d actions: the printed product has one too many
            assert p_opt(along) == pytest.approx(tree.p_opt[leaf])


def test_eq_1_is_how_often_a_leaf_has_the_least_energy() -> None:
    """With exponential energies of rate P_opt, the argmin is leaf i's with probability P_opt(i)."""
    tree = random_tree(np.random.default_rng(3), branching=2, depth=3)
    rng, draws = np.random.default_rng(4), 20_000
    wins = np.bincount([int(exponential_energies(tree, rng).argmin()) for _ in range(draws)], minlength=8)
    error = np.sqrt(tree.p_opt * (1 - tree.p_opt) / draws)
    assert np.all(np.abs(wins / draws - tree.p_opt) < 4.5 * error + 1e-9)


def test_definition_1_does_not_depend_on_where_the_global_best_is() -> None:
    """The assumption Eq. 1 needs: which child of S has S's best leaf is independent of S having the best of all."""
    tree = random_tree(np.random.default_rng(5), branching=2, depth=3, concentration=3.0)
    rng, inside, first = np.random.default_rng(6), [], []
    for _ in range(20_000):
        energies = exponential_energies(tree, rng)
        inside.append(energies.argmin() < 4)  # the best of all lies below the first child of the root
        first.append(energies[:4].argmin() < 2)
    given, otherwise = np.mean(np.array(first)[inside]), np.mean(np.array(first)[~np.array(inside)])
    assert given == pytest.approx(tree.levels[1][0, 0], abs=0.025)
    assert otherwise == pytest.approx(tree.levels[1][0, 0], abs=0.025)


@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_eq_2_is_the_expectation_of_eq_1_over_what_is_unexplored(branching: int, depth: int) -> None:
    """Keep what the greedy explored, draw everything else anew many times: the mean P_opt is Eq. 2."""
    known = random_tree(np.random.default_rng(1), branching=branching, depth=depth)
    explored = explored_by(known, [known.greedy_leaf()])
    rng, draws, total = np.random.default_rng(2), 4000, np.zeros(branching**depth)
    square = np.zeros_like(total)
    for _ in range(draws):
        fresh = random_tree(rng, branching=branching, depth=depth).levels
        mixed = [np.where(e[:, None], k, f) for e, k, f in zip(explored, known.levels, fresh, strict=True)]
        p = KnownTree(mixed).p_opt
        total, square = total + p, square + p * p
    mean = total / draws
    error = np.sqrt(np.maximum(square / draws - mean**2, 0) / draws)
    assert np.all(np.abs(mean - expected_p_opt(known, explored)) < 5 * error + 1e-12)


def test_eq_2_agrees_with_the_library() -> None:
    tree = random_tree(np.random.default_rng(0), branching=3, depth=4)
    values = expected_p_opt(tree, explored_by(tree, [0]))
    leaf = 1 * 27 + 5  # leaves the explored path at the root
    want = p_opt_partial([float(tree.levels[0][0, 1])], depth=4, branching=3)
    assert values[leaf] == pytest.approx(want)


@pytest.mark.parametrize("concentration", [0.1, 1.0, 10.0])
def test_lemma_1_the_greedy_action_is_at_least_as_likely_as_any_other(concentration: float) -> None:
    for tree in trees(10, concentration=concentration):
        for own in tree.levels:
            assert np.all(own.max(axis=1) >= 1 / tree.branching - 1e-12)
            assert np.all(own.max(axis=1) <= 1.0)


@pytest.mark.parametrize("concentration", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_base_case_holds_for_eq_2(branching: int, depth: int, concentration: float) -> None:
    """Once the greedy has explored its d states, no leaf has a larger expected P_opt than its own."""
    for tree in trees(40, branching=branching, depth=depth, concentration=concentration):
        (step,) = induction_steps(tree, np.array([tree.greedy_leaf()]))
        assert step.nodes == depth
        assert step.after == pytest.approx(step.best_after)
        assert step.after >= branching**-depth - 1e-12


ROWS = [
    ((0.9, 0.1),),
    ((0.9, 0.1), (0.5, 0.5)),
    ((0.99, 0.01), (0.6, 0.4), (0.5, 0.5)),
]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("depth", [2, 3])
def test_base_case_no_policy_beats_the_greedy_with_d_states(rows: tuple, depth: int) -> None:
    """Of all adaptive ways of exploring at most d states, none names a likelier candidate than the greedy."""
    assert best_policy(rows, depth=depth, states=depth) == pytest.approx(greedy_policy(rows, depth=depth))


def test_more_states_than_d_can_name_a_likelier_candidate() -> None:
    """The bound of d states is part of the theorem: with more of them another policy wins."""
    rows = ((0.99, 0.01), (0.5, 0.5))
    assert best_policy(rows, depth=2, states=3) > greedy_policy(rows, depth=2) + 0.01


def greedy_is_likeliest(branching: int, depth: int, concentration: float, count: int = 400) -> float:
    found = trees(count, branching=branching, depth=depth, concentration=concentration)
    return float(np.mean([t.greedy_leaf() == int(t.p_opt.argmax()) for t in found]))


def test_base_case_is_false_as_stated_on_a_fully_known_tree() -> None:
    """The greedy leaf is the likeliest of all in some trees only, the fewer the flatter and deeper they are."""
    small = greedy_is_likeliest(2, 3, 1.0)
    even = greedy_is_likeliest(3, 6, 1.0)
    flat = greedy_is_likeliest(4, 5, 5.0)
    assert 0.75 < small < 0.95
    assert 0.4 < even < 0.6
    assert 0.25 < flat < 0.45


@pytest.mark.parametrize("concentration", [0.3, 1.0])
@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_induction_holds_for_eq_2(branching: int, depth: int, concentration: float) -> None:
    """Each next candidate is the likeliest left, before and after it is grown, and costs at most d states."""
    for tree in trees(6, branching=branching, depth=depth, concentration=concentration):
        order = visited(tree, LikelihoodFirst(unexplored="uniform"), max_iter=60)
        for step in induction_steps(tree, order):
            assert step.nodes <= depth
            assert step.before == pytest.approx(step.best_before)
            assert step.after == pytest.approx(step.best_after)


def test_induction_fails_for_the_local_gap() -> None:
    """The check can fail: the corollary's local form does not visit candidates in order of Eq. 2."""
    tree = trees(1)[0]
    steps = induction_steps(tree, visited(tree, DilemmaFirst(), max_iter=60))
    assert any(s.before < s.best_before * 0.99 for s in steps)


def test_induction_is_false_as_stated_for_what_is_then_found() -> None:
    """Realised P_opt does not fall from candidate to candidate: growing may turn up a likelier one."""
    rises = 0
    for tree in trees(20):
        p = tree.p_opt[visited(tree, LikelihoodFirst(unexplored="uniform"), max_iter=20)]
        rises += bool(np.any(np.diff(p) > 1e-12))
    assert rises >= 15


def test_every_leaf_is_found_within_depth_over_its_probability() -> None:
    """Best-first on −log P with greedy dives needs at most d / P_opt candidates for any leaf."""
    for tree in trees(10, depth=5):
        order = visited(tree, LikelihoodFirst(unexplored="certain"), max_iter=64)
        found = np.unique(order, return_index=True)
        for leaf, position in zip(*found, strict=True):
            assert position + 1 <= math.ceil(tree.depth / tree.p_opt[leaf])


def test_uniform_cost_without_dives_visits_leaves_exactly_by_p_opt() -> None:
    """The order that is exact when P is known in explored states only, at the price of more of them."""
    for tree in trees(10, depth=5):
        order, explored = uniform_cost(tree)
        assert sorted(order.tolist()) == list(range(len(tree.p_opt)))
        assert np.all(np.diff(tree.p_opt[order]) <= 1e-15)
        assert np.all(explored <= tree.depth / tree.p_opt[order] + 1e-9)
        assert explored[0] >= tree.depth
