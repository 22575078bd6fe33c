"""The engine's interface, on the kernel that this installation has."""

import numpy as np
import pytest

from dilemma.tree.engine import MISSING, Data, Settings, TreeSearch

CLASSIFY = ("auto", "halving", "proof", "dilemma", "regret", "rank", "random", "greedy")


def table(seed=0, rows=40, features=4, codes=3, classes=2, categorical=0, missing=0.0, weighted=False):
    """A random table; the target follows two columns with noise."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, codes, (features, rows)).astype(np.uint8)
    noise = rng.random(rows)
    y = np.where(noise < 0.2, rng.integers(0, max(classes, 1), rows), (x[0] + x[1]) % max(classes, 1))
    x[rng.random(x.shape) < missing] = MISSING
    return Data(
        x,
        np.full(features, codes, np.int32),
        np.arange(features) < categorical,
        y.astype(np.int32) if classes else y + noise,
        classes,
        rng.random(rows) if weighted else None,
    )


TABLES = {
    "binary": {"codes": 2},
    "numeric": {"codes": 6},
    "missing": {"codes": 4, "missing": 0.1},
    "categorical": {"codes": 5, "categorical": 3, "missing": 0.05},
    "classes": {"codes": 3, "classes": 5},
    "weights": {"codes": 3, "classes": 3, "weighted": True},
    "regression": {"codes": 4, "classes": 0, "missing": 0.1, "categorical": 2},
}


@pytest.mark.parametrize("search", CLASSIFY)
@pytest.mark.parametrize("name", TABLES)
def test_the_reported_energy_is_that_of_the_returned_tree(name, search):
    data = table(**TABLES[name])
    criterion = "entropy" if data.n_classes else "squared_error"
    run = TreeSearch(data, Settings(max_depth=3, search=search, leaf_penalty=0.5, criterion=criterion))
    for max_iter in (0, 1, 15):
        run.run(max_iter=max_iter)
        tree = run.tree()
        leaves = tree.kind == 0
        assert run.energy == pytest.approx(tree.errors[leaves].sum() + 0.5 * tree.n_leaves)
        assert run.energy == pytest.approx(run._backend.energy)
        assert run.trace.energy[-1] == pytest.approx(run.energy)
        assert run.bound <= run.energy + 1e-9
        assert tree.depth <= 3


def test_the_validation_energy_counts_errors_on_the_validation_set():
    data, other = table(0), table(1)
    run = TreeSearch(data, Settings(max_depth=3, energy="validation"), other, table(2))
    run.run(max_iter=50)
    assert run.energy == run.tree().cost(other) == run._backend.energy
    assert not np.isnan(run.trace.test_error).any()


def test_a_callback_is_told_of_each_recorded_improvement():
    seen = []
    run = TreeSearch(table(rows=200, features=8, codes=4), Settings(max_depth=4))
    run.run(max_iter=60, callback=lambda search: seen.append(search.energy))
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == len(run.trace.energy)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"codes": np.zeros((2, 3), np.int16)}, TypeError),
        ({"codes": np.full((2, 3), 2, np.uint8)}, ValueError),
        ({"codes": np.zeros((2, 0), np.uint8)}, ValueError),
        ({"codes": np.zeros((3, 2), np.uint8).T}, ValueError),
        ({"n_codes": np.array([0, 2], np.int32)}, ValueError),
        ({"n_codes": np.array([2], np.int32)}, ValueError),
        ({"target": np.array([0, 1, 2], np.int32)}, ValueError),
        ({"target": np.array([0.0, 1, 1])}, TypeError),
        ({"weights": np.array([1.0, -1, 1])}, ValueError),
        ({"weights": np.array([1.0, np.nan, 1])}, ValueError),
    ],
)
def test_data_refuses_what_it_cannot_hold(change, error):
    good = {
        "codes": np.zeros((2, 3), np.uint8),
        "n_codes": np.array([2, 2], np.int32),
        "categorical": np.zeros(2, np.bool_),
        "target": np.array([0, 1, 1], np.int32),
        "n_classes": 2,
    }
    Data(**good)
    with pytest.raises(error):
        Data(**(good | change))


@pytest.mark.parametrize(
    "change",
    [
        {"max_depth": -1},
        {"criterion": "gain"},
        {"leaf_penalty": float("nan")},
        {"min_samples_leaf": 0},
        {"search": "best"},
        {"energy": "test"},
        {"n_threads": 0},
        {"memory_limit": 0},
    ],
)
def test_settings_refuse_what_they_do_not_know(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        Settings(**({"max_depth": 2} | change))


def test_threads_change_nothing():
    """Enough rows and columns for the pair kernel to be shared among threads."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, (300, 3000)).astype(np.uint8)
    y = ((x[0] & x[1]) + x[2] + (rng.random(3000) < 0.2)).astype(np.int32)
    data = Data(x, np.full(300, 2, np.int32), np.zeros(300, np.bool_), y, 4)
    runs = [TreeSearch(data, Settings(max_depth=3, n_threads=threads)) for threads in (1, 2, 5)]
    for run in runs:
        run.run(max_iter=12)
    trees = [run.tree() for run in runs]
    assert len({run.energy for run in runs}) == 1
    for tree in trees[1:]:
        assert (tree.feature == trees[0].feature).all()
        assert (tree.threshold == trees[0].threshold).all()
