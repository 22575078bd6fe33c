"""Prediction: native and NumPy walk agree, and neither is led astray."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from dilemma.tree import DilemmaTreeClassifier, walk
from dilemma.tree.model import LEAF, MULTIWAY, NUMERIC, SUBSET, Feature, Tree

native = pytest.mark.skipif(walk.kernel() != "native", reason="native kernels not built")


def random_tree(rng, n_inner=12, n_columns=5):
    """A tree of all kinds of split at random."""
    kinds, feature, threshold, mask, missing, branches = [], [], [], [], [], []
    n_nodes, made = 1, 0
    while len(kinds) < n_nodes:
        node = len(kinds)
        inner = made < n_inner and (rng.random() < 0.8 or node == n_nodes - 1)
        column = int(rng.integers(n_columns))
        kind = [NUMERIC, SUBSET, MULTIWAY][column % 3] if inner else LEAF
        width = {LEAF: 0, NUMERIC: 2, SUBSET: 2, MULTIWAY: 4}[kind]
        made += inner
        kinds.append(kind)
        feature.append(column if inner else -1)
        threshold.append(rng.normal() if kind == NUMERIC else np.nan)
        mask.append(rng.integers(0, 256, 32) if kind == SUBSET else np.zeros(32))
        branches.append(list(range(n_nodes, n_nodes + width)))
        missing.append(int(rng.choice(branches[-1])) if inner else -1)
        n_nodes += width
    n = len(kinds)
    return Tree(
        kind=np.array(kinds, np.uint8),
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, float),
        mask=np.array(mask, np.uint8),
        missing=np.array(missing, np.int32),
        branch_start=np.concatenate([[0], np.cumsum([len(b) for b in branches])]).astype(np.int32),
        branch=np.array([b for part in branches for b in part], np.int32),
        value=np.zeros((n, 1)),
        label=np.full(n, -1, np.int32),
        n_rows=np.zeros(n, np.int64),
        weight=np.zeros(n),
        impurity=np.zeros(n),
        errors=np.zeros(n),
        features=tuple(
            Feature(f"x{j}", None if j % 3 == 0 else ("a", "b", "c", "d")) for j in range(n_columns)
        ),
    )


def random_rows(rng, n=200, n_columns=5):
    rows = np.where(
        np.arange(n_columns) % 3 == 0, rng.normal(size=(n, n_columns)), rng.integers(0, 7, (n, n_columns))
    )
    rows[rng.random(rows.shape) < 0.15] = np.nan
    return rows


@native
@pytest.mark.parametrize("seed", range(30))
def test_native_walk_equals_its_twin(seed):
    rng = np.random.default_rng(seed)
    tree, rows = random_tree(rng), random_rows(rng)
    expected = walk.leaves_python(tree, rows, tree.feature)
    np.testing.assert_array_equal(walk.leaves(tree, rows, tree.feature), expected)
    np.testing.assert_array_equal(walk.leaves(tree, np.asfortranarray(rows), tree.feature), expected)
    wide = np.full((len(rows) * 2, 7), 9.0)
    wide[::2, 5:0:-1] = rows
    np.testing.assert_array_equal(walk.leaves(tree, wide[::2, 5:0:-1], tree.feature), expected)
    assert (tree.kind[expected] == LEAF).all()


@native
@pytest.mark.parametrize("value", [-1.0, 254.5, 255.0, 1e300, -np.inf, np.inf])
def test_codes_out_of_range_are_missing_in_both_walks(value):
    rng = np.random.default_rng(1)
    tree = random_tree(rng)
    rows = np.full((3, 5), value)
    np.testing.assert_array_equal(
        walk.leaves(tree, rows, tree.feature), walk.leaves_python(tree, rows, tree.feature)
    )


@native
@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("branch", 0, 0),
        ("branch", 0, -1),
        ("branch", 0, 10_000),
        ("missing", 0, 0),
        ("missing", 0, -5),
        ("feature", 0, 5),
        ("feature", 0, -1),
        ("kind", 0, 4),
        ("kind", 0, 200),
        ("branch_start", 1, -3),
        ("branch_start", 1, 1_000),
        ("branch_start", -1, 1),
    ],
)
def test_native_walk_refuses_arrays_that_lead_astray(name, index, value):
    tree = random_tree(np.random.default_rng(2))
    array = getattr(tree, name).copy()
    array[index] = value
    arrays = {
        part: getattr(tree, part)
        for part in ("kind", "feature", "threshold", "mask", "missing", "branch_start", "branch")
    }
    arrays[name] = array
    with pytest.raises(ValueError, match="tree:"):
        walk._predict.apply(**arrays, x=np.zeros((4, 5)), leaf=np.empty(4, np.int32))


def test_a_wrong_dtype_is_an_error_not_a_copy():
    if walk.kernel() != "native":
        pytest.skip("native kernels not built")
    tree = random_tree(np.random.default_rng(3))
    with pytest.raises(TypeError):
        walk._predict.apply(
            tree.kind, tree.feature.astype(np.int64), tree.threshold, tree.mask, tree.missing,
            tree.branch_start, tree.branch, np.zeros((4, 5)), np.empty(4, np.int32),
        )  # fmt: skip


def test_trees_are_read_only():
    tree = DilemmaTreeClassifier(max_depth=1, max_iter=1).fit([[0.0], [1.0]] * 5, [0, 1] * 5).tree_
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 3.0


def test_a_tree_refuses_another_number_of_columns():
    tree = DilemmaTreeClassifier(max_depth=1, max_iter=1).fit([[0.0], [1.0]] * 5, [0, 1] * 5).tree_
    with pytest.raises(ValueError, match="2 features, but the tree was grown with 1"):
        tree.predict([[1.0, 2.0]])
