"""The sequence-form decision tree: ID3 as its greedy, and what a changed node keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dilemma import minimize
from dilemma.experiments.id3 import Rows, SequenceTree, entropy
from dilemma.strategies import DilemmaFirst, RandomState


def rows(seed: int, count: int = 60, attributes: int = 6, classes: int = 3, weighted: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (count, attributes), dtype=np.uint8)
    labels = (bits[:, 0] + bits[:, 1] * bits[:, 2] + (rng.random(count) < 0.2)) % classes
    weights = rng.integers(1, 6, count).astype(float) if weighted else None
    return Rows.of(bits, labels, weights)


def naive_gain(part: Rows, which: np.ndarray, attribute: int) -> float:
    def h(mask: np.ndarray) -> float:
        counts = np.array([part.weights[mask & (part.labels == c)].sum() for c in range(5)])
        return entropy(counts)

    total = part.weights[which].sum()
    found = h(which)
    for value in (0, 1):
        side = which & (part.bits[attribute] == value)
        if side.any():
            found -= part.weights[side].sum() / total * h(side)
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_gains_are_those_of_the_definition(weighted: bool) -> None:
    part = rows(3, weighted=weighted)
    tree = SequenceTree(part, part, depth=3)
    everything = np.ones(len(part.labels), dtype=bool)
    for attribute, gain in zip(tree.root.attributes, tree.root.gains, strict=True):
        assert gain == pytest.approx(naive_gain(part, everything, int(attribute)))
    assert np.all(np.diff(tree.root.gains) <= 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 4))
def test_the_greedy_is_a_plain_recursive_id3(seed: int, weighted: bool, depth: int) -> None:
    train, judge = rows(seed, weighted=weighted), rows(seed + 1, weighted=weighted)
    chosen: list[int] = []

    def grow(which: np.ndarray, left: int) -> np.ndarray:
        """Return the classes predicted for the judging rows, and note the attributes in preorder."""
        counts = np.bincount(train.labels[which], train.weights[which], minlength=3)
        label = np.full(len(judge.labels), int(counts.argmax()))
        gains = [naive_gain(train, which, a) for a in range(6)]
        best = int(np.argmax(np.round(gains, 10)))
        if not left or (counts > 0).sum() <= 1 or gains[best] <= 1e-12:
            return label
        chosen.append(best)
        zero = grow(which & (train.bits[best] == 0), left - 1)
        one = grow(which & (train.bits[best] == 1), left - 1)
        return np.where(judge.bits[best] == 1, one, zero)

    predicted = grow(np.ones(len(train.labels), dtype=bool), depth)
    tree = SequenceTree(train, judge, depth=depth)
    result = minimize(tree, max_iter=1)
    wrong = predicted != judge.labels
    assert list(result.actions) == chosen
    assert result.energy == judge.weights[wrong].sum()
    assert np.array_equal(tree.mistakes(result.actions), wrong)


def test_a_changed_node_keeps_what_comes_before_it() -> None:
    tree = SequenceTree(rows(1), rows(2), rows(4), depth=4)
    greedy = minimize(tree, max_iter=1).actions
    state = tree.initial()
    for action in greedy[:3]:
        state = tree.apply(state, action)
    other = int(tree.actions(state)[0][1])
    changed = tree.apply(state, other)
    while len(tree.actions(changed)[0]):
        changed = tree.apply(changed, int(tree.actions(changed)[0][0]))
    assert tree.energy(changed) != tree.energy(state) or other != greedy[3]


@pytest.mark.parametrize("order", ["depth", "breadth"])
@pytest.mark.parametrize("strategy", [DilemmaFirst(gap="raw"), RandomState()])
def test_energies_are_errors_of_the_trees_they_belong_to(strategy, order) -> None:
    tree = SequenceTree(rows(1, 200), rows(2, 100), rows(4, 100), depth=4).with_order(order)
    result = minimize(tree, strategy=strategy, max_iter=80, random_state=0)
    train, judged, test = tree.errors(result.actions)
    assert judged == result.energy == tree.mistakes(result.actions).sum()
    assert test == tree.mistakes(result.actions, 2).sum()
    assert train == tree.mistakes(result.actions, 0).sum()
    assert result.energy <= result.greedy_energy


def test_level_by_level_the_greedy_tree_is_the_same_and_a_change_keeps_the_levels_above() -> None:
    deep = SequenceTree(rows(1, 200), rows(2, 100), depth=3)
    level = deep.with_order("breadth")
    one, other = (minimize(tree, max_iter=1).actions for tree in (deep, level))
    assert deep.errors(one) == level.errors(other)
    assert one != other
    state, depths = level.initial(), []
    for action in other:
        depths.append(state[0][0].depth)
        state = level.apply(state, action)
    assert depths == sorted(depths)
    assert level.actions(state)[0].size == 0
    assert level.energy(state) == level.errors(other)[1]


def test_pure_rows_need_no_attribute() -> None:
    part = Rows.of(np.zeros((4, 3), dtype=np.uint8), np.zeros(4, dtype=int))
    result = minimize(SequenceTree(part, part))
    assert result.actions == ()
    assert result.energy == 0
    assert result.optimal


def test_equals_scikit_learn_in_training_errors() -> None:
    sklearn_tree = pytest.importorskip("sklearn.tree")
    part = rows(8, 400, 8)
    tree = SequenceTree(part, part, depth=3)
    other = sklearn_tree.DecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0)
    other.fit(part.bits.T, part.labels)
    assert minimize(tree, max_iter=1).energy == (other.predict(part.bits.T) != part.labels).sum()
