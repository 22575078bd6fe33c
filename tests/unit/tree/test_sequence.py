"""The paper's tree: ID3's choices, its stopping rules, its energy, and what a change regrows."""

import itertools
import pickle

import numpy as np
import pytest

import dilemma
from dilemma.tree import rowsets
from dilemma.tree.sequence import SequenceTree, entropy


def table(seed=0, n=200, n_values=(2, 3, 4, 2, 1)):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k, n) for k in n_values])
    y = (X[:, 0] + X[:, 1] * X[:, 3] + (rng.random(n) < 0.2)) % 3
    return X, y


def grow(problem, pick=lambda attributes, gains: int(np.argmax(gains))):
    state = problem.initial()
    while True:
        attributes, gains = problem.actions(state)
        if not len(attributes):
            return state
        state = problem.apply(state, attributes[pick(attributes, gains)])


def naive_entropy(labels):
    _, counts = np.unique(labels, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log2(p)).sum())


def naive_id3(X, y, V, v, depth, used=(), min_entropy=0.0, fallback=0):
    """Errors on (V, v) of the greedy tree, written down from the paper."""
    label = np.bincount(y, minlength=3).argmax() if len(y) else fallback
    if depth == 0 or len(y) == 0 or naive_entropy(y) <= min_entropy + 1e-12:
        return int((v != label).sum())
    gains = {}
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        if j in used or len(values) == 1:
            continue
        gains[j] = naive_entropy(y) - sum(
            (X[:, j] == a).mean() * naive_entropy(y[X[:, j] == a]) for a in values
        )
    if not gains:
        return int((v != label).sum())
    best = max(gains, key=lambda j: (round(gains[j], 10), -j))
    return sum(
        naive_id3(
            X[X[:, best] == a], y[X[:, best] == a], V[V[:, best] == a], v[V[:, best] == a],
            depth - 1, (*used, best), min_entropy, label,
        )
        for a in range(10)
    )  # fmt: skip


@pytest.mark.parametrize("order", ["breadth", "depth"])
@pytest.mark.parametrize("depth", [0, 1, 3, 9])
@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_is_id3_judged_on_validation_rows(order, depth, seed):
    X, y = table(seed)
    problem = SequenceTree(X[:120], y[:120], X[120:], y[120:], max_depth=depth, order=order)
    assert problem.energy(grow(problem)) == naive_id3(X[:120], y[:120], X[120:], y[120:], depth)


@pytest.mark.parametrize("min_entropy", [0.3, 0.9, 3.0])
def test_a_node_of_small_entropy_is_a_leaf(min_entropy):
    X, y = table()
    problem = SequenceTree(X, y, max_depth=5, min_entropy=min_entropy)
    assert problem.energy(grow(problem)) == naive_id3(X, y, X, y, 5, min_entropy=min_entropy)


def test_without_validation_rows_the_energy_is_the_training_error():
    X, y = table()
    problem = SequenceTree(X, y, max_depth=3)
    state = grow(problem)
    tree = problem.tree(state)
    assert problem.energy(state) == (tree.predict(X) != y).sum() == tree.training_errors


def test_the_tree_of_a_state_makes_the_errors_the_energy_says():
    X, y = table(3)
    problem = SequenceTree(X[:100], y[:100], X[100:], y[100:], max_depth=4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        state = grow(problem, lambda attributes, gains: int(rng.integers(len(attributes))))
        assert problem.energy(state) == (problem.tree(state).predict(X[100:]) != y[100:]).sum()


def test_an_attribute_is_asked_once_on_a_path_and_only_where_it_splits():
    X, y = table(1)
    problem = SequenceTree(X, y, max_depth=10)
    tree = problem.tree(grow(problem))
    for leaf in np.flatnonzero(tree.kind == 0):
        asked = [int(tree.feature[node]) for node in tree.path(int(leaf))[:-1]]
        assert len(set(asked)) == len(asked)
    assert 4 not in tree.feature  # one value only


def test_changing_one_choice_keeps_those_before_and_chooses_the_rest_again():
    X, y = table(2)
    problem = SequenceTree(X, y, max_depth=3)
    kept = problem.initial()
    for _ in range(2):
        attributes, gains = problem.actions(kept)
        kept = problem.apply(kept, attributes[int(np.argmax(gains))])
    attributes, gains = problem.actions(kept)
    other = problem.apply(kept, attributes[int(np.argsort(gains)[-2])])
    first, second = problem.tree(grow(problem)), problem.tree(other)
    assert first.feature[0] == second.feature[0]
    assert kept.choices[0][0] is None  # applying changed nothing


def test_weights_count_as_rows_and_rows_without_weights_as_one():
    X, y = table(4)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = SequenceTree(np.repeat(X, weights, axis=0), np.repeat(y, weights), max_depth=3)
    weighted = SequenceTree(X, y, max_depth=3, sample_weight=weights)
    first, second = grow(repeated), grow(weighted)
    assert repeated.energy(first) == weighted.energy(second)
    np.testing.assert_array_equal(repeated.tree(first).value, weighted.tree(second).value)


def test_the_search_improves_on_its_greedy_and_is_deterministic():
    X, y = table(5, n=400, n_values=(2, 3, 2, 2, 3, 2))
    problem = SequenceTree(X[:300], y[:300], X[300:], y[300:], max_depth=3)
    runs = [dilemma.minimize(problem, strategy="dilemma_first", max_iter=200) for _ in range(2)]
    assert runs[0].energy <= runs[0].greedy_energy
    assert runs[0].energy == runs[1].energy == problem.energy(runs[0].solution)
    assert list(runs[0].actions) == list(runs[1].actions)


def test_the_whole_space_of_a_small_table_holds_the_best_tree():
    X, y = table(6, n=60, n_values=(2, 2, 2, 2))
    problem = SequenceTree(X, y, max_depth=2)
    energies = []
    for picks in itertools.product(range(4), repeat=3):
        turn = iter(picks)
        energies.append(problem.energy(grow(problem, lambda a, g, turn=turn: next(turn) % len(a))))
    result = dilemma.minimize(problem, strategy="backtracking")
    assert result.energy == min(energies)


def test_a_small_memory_changes_nothing_but_time():
    X, y = table(7)
    large, small = (SequenceTree(X, y, max_depth=4, memory=m) for m in (10_000, 2))
    a = dilemma.minimize(large, strategy="limited_discrepancy", max_iter=50)
    b = dilemma.minimize(small, strategy="limited_discrepancy", max_iter=50)
    assert (a.energy, list(a.actions)) == (b.energy, list(b.actions))
    assert len(small._cache) <= 2


def test_a_pickled_problem_answers_the_same():
    X, y = table(8)
    problem = SequenceTree(X, y, max_depth=3)
    energy = problem.energy(grow(problem))
    copied = pickle.loads(pickle.dumps(problem))
    assert copied.energy(grow(copied)) == energy
    assert len(pickle.dumps(problem)) < 20_000


def test_check_problem_finds_no_broken_promise():
    X, y = table(9)
    dilemma.check_problem(SequenceTree(X, y, max_depth=3))


def test_names_are_shown():
    X, y = table()
    problem = SequenceTree(X, y, feature_names=["a", "b", "c", "d", "e"])
    assert problem.describe(2) == "c"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[0.5]]}, "whole numbers"),
        ({"X": [[-1]]}, "0 to 254"),
        ({"X": [[300]]}, "0 to 254"),
        ({"X": [["a"]]}, "whole numbers"),
        ({"X": [0]}, "rows by attributes"),
        ({"X": [[float("nan")]]}, "whole numbers"),
        ({"y": [0, 1]}, "expected 1 labels"),
        ({"X_val": [[0]]}, "both X_val and y_val"),
        ({"X_val": [[0, 1]], "y_val": [0]}, "X has 1 attributes and X_val has 2"),
        ({"X_val": [[0]], "y_val": [7]}, "not among the classes"),
        ({"max_depth": -1}, "max_depth"),
        ({"min_entropy": float("nan")}, "min_entropy"),
        ({"order": "random"}, "order"),
        ({"sample_weight": [-1.0]}, "weights"),
        ({"sample_weight": [1.0, 2.0]}, "weights"),
        ({"feature_names": ["a", "b"]}, "feature_names"),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        SequenceTree(**{"X": [[0]], "y": [0], **change})


def test_one_row_and_one_class_are_a_leaf():
    problem = SequenceTree([[0]], ["a"])
    assert problem.energy(problem.initial()) == 0.0
    assert list(problem.tree(problem.initial()).predict([[0.0]])) == ["a"]


def test_entropy_of_nothing_is_zero():
    np.testing.assert_allclose(entropy(np.array([[0, 0], [5, 0], [2, 2]])), [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_native_counts_equal_their_twin(seed):
    X, y = table(seed, n=500)
    rows = SequenceTree(X, y).root.rows
    part = rows.split(2)[1]
    t = part.table
    twin = rowsets.counts_python(t.columns, part.at, part.words, t.word_class, t.n_classes)
    if rowsets._native is not None:
        native = np.empty_like(twin)
        rowsets._native.counts(t.columns, part.at, part.words, t.word_class, native)
        np.testing.assert_array_equal(native, twin)
    mine = X[:, 2] == 1
    for j in range(4):
        for value in range(t.n_values[j] - 1):
            expected = np.bincount(y[mine & (X[:, j] == value)], minlength=3)
            np.testing.assert_array_equal(twin[t.first[j] + value], expected)


@pytest.mark.skipif(rowsets._native is None, reason="native kernels not built")
@pytest.mark.parametrize(("name", "value"), [("at", 99), ("at", -1), ("word_class", 3), ("word_class", -1)])
def test_native_counts_refuse_indices_out_of_range(name, value):
    arrays = {
        "columns": np.zeros((2, 4), np.uint64),
        "at": np.zeros(3, np.int32),
        "words": np.zeros(3, np.uint64),
        "word_class": np.zeros(4, np.int32),
        "out": np.zeros((2, 3), np.int64),
    }
    arrays[name][1] = value
    with pytest.raises(ValueError, match="out of range"):
        rowsets._native.counts(**arrays)
