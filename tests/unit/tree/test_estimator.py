"""The estimators: honest figures, every kind of table, budgets, and bad input."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor, prune


def noisy(n=300, seed=0, classes=3):
    return make_classification(
        n, 8, n_informative=5, n_classes=classes, flip_y=0.2, random_state=seed, n_clusters_per_class=1
    )


# Honest figures.


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        ({"max_iter": 0}, "max_iter"),
        ({"max_iter": 30}, "max_iter"),
        ({"max_iter": None, "time_limit": 0.05}, "time_limit"),
        ({"max_iter": None, "time_limit": 0.0}, "time_limit"),
        ({"max_iter": None, "max_depth": 1, "max_bins": 8}, "optimal"),
    ],
)
def test_the_errors_reported_are_those_the_tree_makes_on_every_stop_path(budget, reason):
    X, y = noisy()
    model = DilemmaTreeClassifier(**{"max_depth": 5, **budget}).fit(X, y)
    tree = model.tree_
    wrong = (model.predict(X) != y).sum()
    assert model.stop_reason_ == reason
    assert tree.training_errors == wrong
    assert tree.energy == wrong + 2 * tree.n_leaves
    assert model.trace_.train_error[-1] == wrong
    assert tree.bound <= tree.energy
    assert tree.optimal == (reason == "optimal")
    counts = np.stack([np.bincount(y[model.apply(X) == leaf], minlength=3) for leaf in range(tree.n_nodes)])
    np.testing.assert_array_equal(counts[tree.kind == 0], tree.value[tree.kind == 0])
    assert tree.n_rows[0] == len(y)


def test_ctrl_c_keeps_the_best_tree_and_says_so():
    X, y = noisy()

    def interrupt(progress):
        if progress.iteration > 0:
            raise KeyboardInterrupt

    model = DilemmaTreeClassifier(max_depth=4, max_iter=500, callbacks=interrupt).fit(X, y)
    assert model.stop_reason_ == "interrupt"
    assert model.tree_.training_errors == (model.predict(X) != y).sum()
    assert model.n_iter_ < 500


def test_a_callback_that_fails_is_heard():
    def fail(progress):
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        DilemmaTreeClassifier(callbacks=[fail]).fit(*noisy())


def test_callbacks_see_the_energy_fall(capsys):
    seen = []
    model = DilemmaTreeClassifier(max_depth=4, max_iter=300, callbacks=seen.append, verbose=1).fit(*noisy())
    energies = [progress.energy for progress in seen]
    assert energies == sorted(energies, reverse=True)
    assert energies[-1] == model.tree_.energy
    assert capsys.readouterr().out.count("energy") == len(seen)


def test_refining_goes_on_where_the_search_stopped():
    X, y = noisy(seed=3)
    model = DilemmaTreeClassifier(max_depth=4, max_iter=5).fit(X, y)
    before, iterations = model.tree_.energy, model.n_iter_
    assert model.refine(max_iter=300) is model
    whole = DilemmaTreeClassifier(max_depth=4, max_iter=305).fit(X, y)
    assert model.n_iter_ >= iterations + 300
    assert model.tree_.energy <= before
    assert model.tree_.energy == whole.tree_.energy
    assert model.tree_.training_errors == (model.predict(X) != y).sum()


def test_a_small_space_is_proved_optimal():
    X, y = load_iris(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=None).fit(X, y)
    assert model.stop_reason_ == "optimal"
    assert model.tree_.optimal
    assert model.tree_.bound == model.tree_.energy == 12.0


def test_the_time_limit_counts_reading_the_data():
    X, y = noisy(4000)
    start = time.perf_counter()
    model = DilemmaTreeClassifier(max_depth=8, max_iter=None, time_limit=0.3).fit(X, y)
    assert model.stop_reason_ == "time_limit"
    # Time is checked, not measured: whatever the machine does, the search got less than it was given.
    assert model._engine.seconds < time.perf_counter() - start


def test_more_iterations_never_cost_energy():
    X, y = noisy(seed=5)
    energies = [
        DilemmaTreeClassifier(max_depth=4, max_iter=i).fit(X, y).tree_.energy for i in (0, 3, 30, 300)
    ]
    assert energies == sorted(energies, reverse=True)
    assert energies[-1] < energies[0]


@pytest.mark.parametrize(
    "search", ["auto", "halving", "dilemma", "regret", "rank", "random", "proof", "greedy"]
)
def test_every_search_gives_a_tree_that_predicts(search):
    X, y = noisy()
    model = DilemmaTreeClassifier(max_depth=3, search=search, max_iter=20, random_state=1).fit(X, y)
    assert model.tree_.training_errors == (model.predict(X) != y).sum()


def test_the_answer_does_not_depend_on_threads_or_repetition():
    X, y = noisy(seed=7)
    one, two, again = (
        DilemmaTreeClassifier(max_depth=4, max_iter=100, n_jobs=jobs).fit(X, y).tree_ for jobs in (1, 2, 1)
    )
    for other in (two, again):
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_array_equal(one.feature, other.feature)


# Validation, penalties, costs, weights.


def test_validation_rows_are_the_energy_and_all_three_errors_are_shown_apart():
    X, y = noisy(600)
    model = DilemmaTreeClassifier(max_depth=4, max_iter=100, leaf_penalty=0)
    model.fit(X[:300], y[:300], X_val=X[300:450], y_val=y[300:450], X_test=X[450:], y_test=y[450:])
    trace = model.trace_
    assert model.tree_.energy == (model.predict(X[300:450]) != y[300:450]).sum() == trace.validation_error[-1]
    assert trace.train_error[-1] == (model.predict(X[:300]) != y[:300]).sum()
    assert trace.test_error[-1] == (model.predict(X[450:]) != y[450:]).sum()
    assert (np.diff(trace.energy) <= 0).all()


def test_test_rows_choose_nothing():
    X, y = noisy(400)
    plain = DilemmaTreeClassifier(max_iter=50).fit(X[:200], y[:200])
    shown = DilemmaTreeClassifier(max_iter=50).fit(
        X[:200], y[:200], X_test=X[200:], y_test=1 - y[200:].clip(0, 1)
    )
    np.testing.assert_array_equal(plain.tree_.threshold, shown.tree_.threshold)


def test_a_held_out_share_is_balanced_and_seeded():
    X, y = noisy(500)
    model = DilemmaTreeClassifier(validation_fraction=0.3, max_iter=20, random_state=4).fit(X, y)
    assert model.tree_.n_rows[0] == 350
    same = DilemmaTreeClassifier(validation_fraction=0.3, max_iter=20, random_state=4).fit(X, y)
    np.testing.assert_array_equal(model.tree_.threshold, same.tree_.threshold)
    share = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.tree_.value[0] / 350, share, atol=0.01)


def test_a_price_per_leaf_gives_smaller_trees_and_cross_validation_picks_one():
    X, y = noisy(seed=2)
    leaves = [
        DilemmaTreeClassifier(leaf_penalty=p, max_iter=50).fit(X, y).get_n_leaves() for p in (0, 2, 10, 1e9)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1
    chosen = DilemmaTreeClassifier(leaf_penalty="cv", max_iter=20, random_state=0).fit(X, y)
    assert chosen.leaf_penalty_ in (0, 0.5, 1, 2, 4, 8, 16)
    noise = np.random.default_rng(0).integers(0, 2, 300)
    assert (
        DilemmaTreeClassifier(leaf_penalty="cv", max_iter=20, random_state=0).fit(X, noise).leaf_penalty_ >= 4
    )


def test_costs_are_what_is_minimised_and_predicted_by():
    X, y = noisy(classes=2)
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    plain = DilemmaTreeClassifier(max_iter=50).fit(X, y)
    costly = DilemmaTreeClassifier(max_iter=50, cost_matrix=costs).fit(X, y)
    paid = [costs[y, model.predict(X)].sum() for model in (plain, costly)]
    assert paid[1] < paid[0]
    assert costly.tree_.training_errors == paid[1]
    assert costly.tree_.energy == paid[1] + 2 * costly.get_n_leaves()


def test_class_weights_move_the_errors():
    X, y = noisy(classes=2)
    model = DilemmaTreeClassifier(max_iter=20, class_weight={0: 1, 1: 20}).fit(X, y)
    wrong = model.predict(X) != y
    assert wrong[y == 1].sum() < 5
    assert model.tree_.training_errors == wrong[y == 0].sum() + 20 * wrong[y == 1].sum()


def test_rows_of_weight_zero_are_not_there():
    X, y = noisy()
    weights = (np.arange(len(y)) % 2).astype(float)
    X2 = X.copy()
    X2[::2] = np.random.default_rng(0).normal(size=X2[::2].shape) * 1e6
    with_zeros = DilemmaTreeClassifier(max_iter=20).fit(X2, y, sample_weight=weights)
    without = DilemmaTreeClassifier(max_iter=20).fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(with_zeros.tree_.threshold, without.tree_.threshold)


# Tables.


def frames(seed=0, n=250):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": rng.integers(0, 4, n),
            "flag": rng.random(n) < 0.5,
            "word": rng.choice(["a", "b", "c"], n),
        }
    )
    y = np.where((frame["word"] == "b") ^ frame["flag"], frame["whole"] > 1, frame["number"] > 0).astype(int)
    return frame, y


def test_a_frame_is_taken_as_it_is_in_pandas_polars_and_as_objects():
    pl = pytest.importorskip("polars")
    frame, y = frames()
    models = [
        (frame, DilemmaTreeClassifier(max_depth=4, max_iter=100).fit(frame, y)),
        (pl.DataFrame(frame.to_dict("list")), None),
        (frame.astype({"word": "category"}), None),
        (frame.astype(object).to_numpy(), None),
        (frame.astype(object).to_numpy().tolist(), None),
    ]
    expected = models[0][1].predict(frame)
    assert (expected == y).mean() > 0.9
    for table, _ in models[1:]:
        model = DilemmaTreeClassifier(max_depth=4, max_iter=100).fit(table, y)
        np.testing.assert_array_equal(model.predict(table), expected)
    assert list(models[0][1].feature_names_in_) == ["number", "whole", "flag", "word"]


@pytest.mark.parametrize("gap", ["None", "nan", "NA"])
def test_what_is_missing_is_learned_however_it_is_written(gap):
    pd = pytest.importorskip("pandas")
    frame, y = frames()
    hole = {"None": None, "nan": float("nan"), "NA": pd.NA}[gap]
    lost = np.random.default_rng(1).random(len(y)) < 0.3
    frame = frame.astype(object)
    frame.loc[lost, "number"] = hole
    frame.loc[lost, "word"] = hole
    y = np.where(lost, 1, y)  # missing tells the class
    model = DilemmaTreeClassifier(max_depth=4, max_iter=100).fit(frame, y)
    assert (model.predict(frame)[lost] == 1).mean() > 0.95


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_nullable_columns(dtype):
    pd = pytest.importorskip("pandas")
    column = pd.array([1, 0, None, 1, 0, None] * 10, dtype=dtype)
    y = [1, 0, 2, 1, 0, 2] * 10
    assert (
        DilemmaTreeClassifier(max_depth=2)
        .fit(pd.DataFrame({"a": column}), y)
        .score(pd.DataFrame({"a": column}), y)
        == 1.0
    )


def test_missing_values_go_the_way_that_was_learned_for_either_side():
    X = np.array([[0.0], [1.0], [np.nan]] * 20)
    for y in ([0, 1, 0] * 20, [0, 1, 1] * 20, [0, 0, 1] * 20):
        assert DilemmaTreeClassifier(max_depth=1).fit(X, y).score(X, y) == 1.0


def test_a_column_of_nothing_but_gaps_is_harmless():
    X, y = noisy()
    X = np.column_stack([X, np.full(len(y), np.nan)])
    model = DilemmaTreeClassifier(max_iter=20).fit(X, y)
    assert model.feature_importances_[-1] == 0
    np.testing.assert_array_equal(
        model.predict(X), DilemmaTreeClassifier(max_iter=20).fit(X[:, :-1], y).predict(X[:, :-1])
    )


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_input_is_the_same_as_dense(form):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = noisy()
    X = np.where(np.abs(X) < 0.8, 0.0, X)
    dense = DilemmaTreeClassifier(max_iter=20).fit(X, y)
    thin = DilemmaTreeClassifier(max_iter=20).fit(getattr(sparse, form)(X), y)
    np.testing.assert_array_equal(thin.predict(getattr(sparse, form)(X)), dense.predict(X))
    np.testing.assert_array_equal(thin.tree_.threshold, dense.tree_.threshold)


def test_layout_dtype_and_read_only_arrays_do_not_matter():
    X, y = noisy()
    X = np.round(X * 8) / 8  # exact in every float
    expected = DilemmaTreeClassifier(max_iter=20).fit(X, y).predict(X)
    wide = np.zeros((2 * len(X), 16))
    wide[::2, 15:0:-2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    for table in (
        np.asfortranarray(X),
        wide[::2, 15:0:-2],
        frozen,
        X.astype(np.float32),
        X.astype(np.float16),
    ):
        np.testing.assert_array_equal(
            DilemmaTreeClassifier(max_iter=20).fit(table, y).predict(table), expected
        )
    whole = np.round(X * 8)
    for dtype in (np.int8, np.int64, float):
        np.testing.assert_array_equal(
            DilemmaTreeClassifier(max_iter=20).fit(whole.astype(dtype), y).predict(whole.astype(dtype)),
            expected,
        )


def test_binary_columns_take_the_short_way_to_the_same_tree():
    X, y = noisy()
    bits = (X > 0).astype(np.uint8)
    fast = DilemmaTreeClassifier(max_iter=20).fit(bits, y)
    slow = DilemmaTreeClassifier(max_iter=20).fit(np.column_stack([bits, np.full(len(y), 7)]), y)
    np.testing.assert_array_equal(
        fast.predict(bits), slow.predict(np.column_stack([bits, np.full(len(y), 7)]))
    )


def test_categories_by_name_index_and_mask_agree():
    frame, y = frames()
    frame["word"] = frame["word"].map({"a": 7, "b": -1, "c": 100})
    by_name = DilemmaTreeClassifier(max_iter=50, categorical_features=["word"]).fit(frame, y)
    by_index = DilemmaTreeClassifier(max_iter=50, categorical_features=[3]).fit(frame.to_numpy(float), y)
    by_mask = DilemmaTreeClassifier(max_iter=50, categorical_features=[False, False, False, True]).fit(
        frame, y
    )
    assert by_name.tree_.features[3].categories == (-1.0, 7.0, 100.0)
    np.testing.assert_array_equal(by_name.predict(frame), by_index.predict(frame.to_numpy(float)))
    np.testing.assert_array_equal(by_name.predict(frame), by_mask.predict(frame))


@pytest.mark.parametrize("splits", ["subset", "one_vs_rest", "multiway"])
def test_unseen_categories_and_gaps_get_an_answer(splits):
    frame, y = frames()
    model = DilemmaTreeClassifier(max_depth=4, max_iter=50, categorical_splits=splits).fit(frame, y)
    other = frame.copy()
    other["word"] = "never seen"
    answers = model.predict(other)
    other["word"] = None
    np.testing.assert_array_equal(model.predict(other), answers)
    assert set(answers) <= {0, 1}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_training_rows_end_in_the_leaf_that_counted_them(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    X = rng.choice([rng.normal(size=(n, 3)), rng.integers(0, 4, (n, 3)).astype(float)])
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 3, n)
    model = DilemmaTreeClassifier(
        max_depth=3, max_iter=10, leaf_penalty=0, max_bins=int(rng.integers(2, 20))
    ).fit(X, y)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        assert model.tree_.n_rows[node] == (leaf == node).sum()
    assert model.tree_.training_errors == (model.predict(X) != y).sum()


# Regression.


def test_the_regressor_minimises_squared_error_and_reports_it():
    X, y = load_diabetes(return_X_y=True)
    model = DilemmaTreeRegressor(max_depth=3, max_iter=50, leaf_penalty=0).fit(X, y)
    squared = ((model.predict(X) - y) ** 2).sum()
    assert model.tree_.training_errors == pytest.approx(squared)
    assert model.tree_.energy == pytest.approx(squared)
    greedy = DilemmaTreeRegressor(max_depth=3, search="greedy", leaf_penalty=0).fit(X, y)
    assert model.tree_.energy < greedy.tree_.energy


def test_the_price_of_a_leaf_scales_with_the_target():
    X, y = load_diabetes(return_X_y=True)
    one = DilemmaTreeRegressor(max_depth=4, max_iter=20).fit(X, y)
    other = DilemmaTreeRegressor(max_depth=4, max_iter=20).fit(X, 1000 * y)
    np.testing.assert_allclose(other.predict(X), 1000 * one.predict(X))


# Pruning.


def test_the_pruning_path_nests_from_the_whole_tree_to_the_root():
    X, y = load_breast_cancer(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=4, max_iter=20)
    path = model.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert (np.diff(path.errors) >= 0).all()
    assert path.n_leaves[-1] == 1
    whole = DilemmaTreeClassifier(max_depth=4, max_iter=20, leaf_penalty=0).fit(X, y).tree_
    for alpha, errors, leaves in zip(path.ccp_alphas, path.errors, path.n_leaves, strict=True):
        pruned = prune(whole, alpha * (1 + 1e-9))
        assert (pruned.training_errors, pruned.n_leaves) == (errors, leaves)
        assert (pruned.predict(X) != y).sum() == errors


# Bad input.


def test_one_class_is_one_leaf():
    model = DilemmaTreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert list(model.predict([[5.0]])) == ["only"]
    assert model.predict_proba([[5.0]]) == [[1.0]]
    assert model.get_n_leaves() == 1


def test_constant_features_give_one_leaf():
    model = DilemmaTreeClassifier(leaf_penalty=0).fit(np.ones((10, 3)), [0, 1] * 5)
    assert model.get_depth() == 0
    np.testing.assert_array_equal(model.feature_importances_, [0, 0, 0])


def test_duplicate_rows_with_different_labels_are_shared_out():
    X = np.array([[0.0], [0.0], [0.0], [1.0]] * 10)
    model = DilemmaTreeClassifier(max_depth=3, leaf_penalty=0).fit(X, [0, 0, 1, 1] * 10)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])


def test_more_classes_than_255():
    X = np.arange(600.0)[:, None]
    y = np.repeat(np.arange(300), 2)
    model = DilemmaTreeClassifier(max_depth=3, max_iter=2, leaf_penalty=0).fit(X, y)
    assert model.predict_proba(X).shape == (600, 300)
    assert model.get_n_leaves() == 8
    assert model.tree_.training_errors == (model.predict(X) != y).sum()


def test_depth_zero_and_depth_thirty():
    X, y = noisy(60)
    flat = DilemmaTreeClassifier(max_depth=0).fit(X, y)
    assert flat.get_depth() == 0
    assert (flat.predict(X) == np.bincount(y).argmax()).all()
    deep = DilemmaTreeClassifier(max_depth=30, leaf_penalty=0, max_iter=5).fit(X, y)
    assert deep.score(X, y) == 1.0


def test_a_chain_of_thirty_is_grown_exported_and_walked():
    n = 31
    X = np.arange(float(n))[:, None]
    y = np.arange(n) % 2
    model = DilemmaTreeClassifier(max_depth=30, leaf_penalty=0, max_iter=0).fit(X, y)
    from dilemma.tree import dumps, export_c, export_python, export_sql, export_text, loads

    for export in (export_c, export_python, export_sql, export_text):
        export(model)
    np.testing.assert_array_equal(loads(dumps(model)).predict(X), model.predict(X))


def test_a_single_row():
    model = DilemmaTreeClassifier().fit([[1.0, 2.0]], ["a"])
    assert list(model.predict([[3.0, 4.0]])) == ["a"]
    assert DilemmaTreeRegressor().fit([[1.0]], [2.5]).predict([[0.0]]) == [2.5]


@pytest.mark.parametrize("estimator", [DilemmaTreeClassifier, DilemmaTreeRegressor])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_target_that_is_no_number_is_refused(estimator, value):
    with pytest.raises(ValueError, match="y contains NaN or infinity"):
        estimator().fit([[1.0], [2.0]], [1.0, value])


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="y contains NaN or None"):
        DilemmaTreeClassifier().fit([[1.0], [2.0]], np.array(["a", None], dtype=object))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("table", ["array", "float32", "frame", "sparse"])
def test_infinite_input_is_refused_in_fit_and_predict(value, table):
    pd, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    make = {
        "array": np.asarray,
        "float32": lambda x: np.asarray(x, np.float32),
        "frame": lambda x: pd.DataFrame(x, columns=["a", "b"]),
        "sparse": sparse.csr_matrix,
    }[table]
    good, bad = np.array([[0.0, 1], [1, 0], [0, 0], [1, 1]] * 3), np.array([[0.0, value]] * 12)
    with pytest.raises(ValueError, match="contains infinity"):
        DilemmaTreeClassifier().fit(make(bad), [0, 1] * 6)
    model = DilemmaTreeClassifier(leaf_penalty=0, max_iter=10).fit(make(good), [1, 1, 0, 0] * 3)
    assert len(model.tree_.used) == 2
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(make(bad))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.0, 0.0], "at least one non-zero"),
        ([1.0, -1.0], "Negative values"),
        ([1.0, np.nan], "NaN"),
        ([1.0], "shape"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        DilemmaTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=weights)


@pytest.mark.parametrize("fraction", [0.01, 0.99])
def test_an_empty_validation_part_is_refused(fraction):
    with pytest.raises(ValueError, match="leaves an empty part"):
        DilemmaTreeClassifier(validation_fraction=fraction).fit([[1.0], [2.0], [3.0]], [0, 1, 0])


def test_validation_rows_need_labels_that_are_known_and_come_in_pairs():
    X, y = [[1.0], [2.0]], [0, 1]
    with pytest.raises(ValueError, match="not among the classes"):
        DilemmaTreeClassifier().fit(X, y, X_val=X, y_val=[0, 7])
    with pytest.raises(ValueError, match="both X_val and y_val"):
        DilemmaTreeClassifier().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match="not both"):
        DilemmaTreeClassifier(validation_fraction=0.5).fit(X, y, X_val=X, y_val=y)


@pytest.mark.parametrize("estimator", [DilemmaTreeClassifier, DilemmaTreeRegressor])
def test_several_outputs_are_refused_with_the_remedy(estimator):
    with pytest.raises(ValueError, match="MultiOutput"):
        estimator().fit([[1.0], [2.0]], np.array([[0, 1], [1, 0]]))


def test_arrays_of_strings_are_refused_unless_the_columns_are_named():
    X = np.array([["1", "a"], ["2", "b"]] * 5)
    with pytest.raises(ValueError, match="pass a data frame"):
        DilemmaTreeClassifier().fit(X, [0, 1] * 5)
    model = DilemmaTreeClassifier(categorical_features=[0, 1]).fit(X, [0, 1] * 5)
    assert model.score(X, [0, 1] * 5) == 1.0


def test_dates_are_refused_with_a_remedy():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=4)})
    with pytest.raises(TypeError, match=r"column 'day' has dtype datetime64.*turn dates"):
        DilemmaTreeClassifier().fit(frame, [0, 1, 0, 1])


def test_a_column_that_mixes_strings_and_objects_is_refused():
    with pytest.raises(TypeError, match="mixes strings"):
        DilemmaTreeClassifier().fit(np.array([["a"], [(1, 2)]], dtype=object), [0, 1])


def test_a_numeric_column_that_holds_words_later_is_refused():
    pd = pytest.importorskip("pandas")
    model = DilemmaTreeClassifier(leaf_penalty=0).fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match="column 'a' is numeric but holds a label"):
        model.predict(pd.DataFrame({"a": ["low", "high"]}))


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"max_depth": -1}, ValueError),
        ({"max_depth": 31}, ValueError),
        ({"max_depth": None}, TypeError),
        ({"max_depth": 2.5}, TypeError),
        ({"max_depth": True}, TypeError),
        ({"max_iter": -1}, ValueError),
        ({"time_limit": -0.1}, ValueError),
        ({"time_limit": float("nan")}, ValueError),
        ({"time_limit": "1s"}, TypeError),
        ({"validation_fraction": 0.0}, ValueError),
        ({"validation_fraction": 1.0}, ValueError),
        ({"leaf_penalty": -1}, ValueError),
        ({"leaf_penalty": "auto"}, TypeError),
        ({"criterion": "mse"}, ValueError),
        ({"min_samples_leaf": 0}, ValueError),
        ({"min_samples_split": 1}, ValueError),
        ({"min_entropy": -0.5}, ValueError),
        ({"max_bins": 1}, ValueError),
        ({"max_bins": 256}, ValueError),
        ({"categorical_splits": "all"}, ValueError),
        ({"search": "fast"}, ValueError),
        ({"memory_limit": 0}, ValueError),
        ({"n_jobs": 0}, ValueError),
        ({"n_jobs": 1.5}, ValueError),
        ({"callbacks": "print"}, TypeError),
        ({"cost_matrix": [[0, 1, 2]]}, ValueError),
        ({"cost_matrix": "high"}, TypeError),
        ({"leaf_penalty": float("inf")}, ValueError),
        ({"cost_matrix": [[0, -1], [1, 0]]}, ValueError),
        ({"cost_matrix": [[0, np.nan], [1, 0]]}, ValueError),
        ({"categorical_features": ["a"]}, ValueError),
        ({"categorical_features": [5]}, ValueError),
        ({"categorical_features": [True]}, ValueError),
        ({"categorical_features": [0.5]}, ValueError),
        ({"class_weight": "even"}, ValueError),
    ],
)
def test_wrong_parameters_are_named(parameters, error):
    with pytest.raises(
        error, match=next(iter(parameters)) if "weight" not in next(iter(parameters)) else "weight"
    ):
        DilemmaTreeClassifier(**parameters).fit([[1.0, 0.0], [2.0, 1.0]] * 3, [0, 1] * 3)


def test_the_paths_of_rows_lead_from_the_root_to_their_leaves():
    X, y = load_iris(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=3, max_iter=10).fit(X, y)
    passed = model.decision_path(X)
    leaf = model.apply(X)
    assert passed.shape == (150, model.tree_.n_nodes)
    assert (passed[:, 0].toarray() == 1).all()
    for i in (0, 60, 149):
        assert list(passed[i].indices) == model.tree_.path(int(leaf[i]))


def test_labels_of_strings_and_numbers_together_are_refused():
    with pytest.raises(TypeError, match="y mixes labels of types int, str"):
        DilemmaTreeClassifier().fit([[1.0], [2.0]], np.array(["a", 1], dtype=object))


def test_an_array_of_dates_is_refused_with_a_remedy():
    with pytest.raises(TypeError, match=r"datetime64.*turn dates into numbers"):
        DilemmaTreeClassifier().fit(np.array([["2020-01-01"]] * 4, dtype="datetime64[D]"), [0, 1, 0, 1])


def test_a_target_whose_squares_overflow_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match="divide y by a constant"):
        DilemmaTreeRegressor().fit([[1.0], [2.0]], [1.0, 1e300])


def test_frames_of_plain_numbers_are_read_as_the_arrays_they_hold():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y = noisy()
    X[::7, 2] = np.nan
    array = DilemmaTreeClassifier(max_iter=20).fit(X, y)
    names = [f"c{j}" for j in range(X.shape[1])]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = DilemmaTreeClassifier(max_iter=20).fit(frame, y)
        assert [feature.name for feature in model.tree_.features] == names
        np.testing.assert_array_equal(model.tree_.threshold, array.tree_.threshold)
        np.testing.assert_array_equal(model.predict(frame), array.predict(X))
        np.testing.assert_array_equal(model.tree_.predict(frame), array.predict(X))


def test_gaps_among_strings_are_gaps_in_every_kind_of_column():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    words = ["a", None, "b", "a", "b", None] * 10
    y = [0, 2, 1, 0, 1, 2] * 10
    for column in (
        pd.Series(words, dtype=object),
        pd.Series(words, dtype="string"),
        pd.Series(words, dtype="category"),
        pl.Series(words),
        pl.Series(words, dtype=pl.Categorical),
    ):
        kind = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
        model = DilemmaTreeClassifier(max_depth=2).fit(kind({"w": column}), y)
        assert model.score(kind({"w": column}), y) == 1.0
        assert model.tree_.features[0].categories == ("a", "b")


def test_no_more_threads_are_used_than_there_are_cores():
    from dilemma.tree.estimator import _threads

    assert _threads(None) == _threads(1) == 1
    assert _threads(10**9) == _threads(-1) >= 1
    assert _threads(-(10**9)) == 1


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        ({"time_limit": -1}, ValueError),
        ({"time_limit": "1s"}, TypeError),
        ({"max_iter": -1}, ValueError),
        ({"max_iter": 2.5}, TypeError),
    ],
)
def test_wrong_limits_of_a_refinement_are_named(limits, error):
    model = DilemmaTreeClassifier(max_iter=1).fit(*noisy())
    with pytest.raises(error, match=next(iter(limits))):
        model.refine(**limits)


@pytest.mark.parametrize("weights", [{0: 10, 1: 1, 2: 2}, "balanced"])
def test_validation_and_test_rows_weigh_as_training_rows_of_their_class(weights):
    X, y = noisy(600)
    y[y == 2] = np.where(np.arange((y == 2).sum()) % 3 == 0, 2, 1)
    model = DilemmaTreeClassifier(max_depth=4, max_iter=30, leaf_penalty=0, class_weight=weights)
    model.fit(X[:300], y[:300], X_val=X[300:450], y_val=y[300:450], X_test=X[450:], y_test=y[450:])
    each = np.bincount(y[:300])
    each = len(y[:300]) / (3 * each) if weights == "balanced" else np.array([10.0, 1.0, 2.0])
    costs = [
        (each[y[part]] * (model.predict(X[part]) != y[part])).sum()
        for part in (slice(300, 450), slice(450, 600))
    ]
    assert model.tree_.energy == pytest.approx(costs[0])
    assert model.trace_.validation_error[-1] == pytest.approx(costs[0])
    assert model.trace_.test_error[-1] == pytest.approx(costs[1])


def test_what_is_wrong_with_validation_rows_is_said_of_them():
    X, y = noisy()
    with pytest.raises(ValueError, match="X_val: X has 3 features"):
        DilemmaTreeClassifier(max_iter=1).fit(X, y, X_val=X[:, :3], y_val=y)
    with pytest.raises(ValueError, match=r"X_test: .*0 sample"):
        DilemmaTreeClassifier(max_iter=1).fit(X, y, X_test=X[:0], y_test=y[:0])


def test_missing_labels_of_every_kind_are_refused():
    pd = pytest.importorskip("pandas")
    X = np.arange(12.0).reshape(6, 2)
    for values, dtype in (
        (["a", "b", None] * 2, "string"),
        ([0, 1, None] * 2, "Int64"),
        (["a", None, "b"] * 2, object),
    ):
        with pytest.raises(ValueError, match="y contains NaN"):
            DilemmaTreeClassifier().fit(X, pd.Series(values, dtype=dtype))


def test_an_integer_beyond_every_float_is_refused():
    with pytest.raises(ValueError, match="too large"):
        DilemmaTreeClassifier().fit(np.array([[10**400], [1]], dtype=object), [0, 1])


def test_whole_numbers_as_floats_are_classes_and_others_are_refused():
    X, y = noisy()
    model = DilemmaTreeClassifier(max_iter=5).fit(X, y.astype(float))
    assert model.classes_.tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_array_equal(model.predict(X), DilemmaTreeClassifier(max_iter=5).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="Unknown label type"):
        DilemmaTreeClassifier().fit(X, y + 0.5)


def test_numbers_near_the_largest_and_the_smallest_split_as_any_others():
    X, y = noisy()
    spread = X.copy()
    spread[:, 0] *= 1e308 / np.abs(X[:, 0]).max()
    spread[:, 1] *= 1e-300
    plain, wide = (DilemmaTreeClassifier(max_iter=30).fit(table, y) for table in (X, spread))
    np.testing.assert_array_equal(plain.predict(X), wide.predict(spread))
    np.testing.assert_array_equal(wide.tree_.predict(spread), wide.predict(spread))
    whole = np.array([[2**63], [2**64 - 1]] * 20, dtype=np.uint64)
    assert DilemmaTreeClassifier().fit(whole, [0, 1] * 20).score(whole, [0, 1] * 20) == 1.0


def test_columns_of_objects_that_hold_numbers_are_numbers():
    X, y = noisy()
    X = np.round(X)
    table = X.astype(object)
    table[::9, 0] = None
    X[::9, 0] = np.nan
    as_objects, as_numbers = (DilemmaTreeClassifier(max_iter=20).fit(part, y) for part in (table, X))
    np.testing.assert_array_equal(as_objects.predict(table), as_numbers.predict(X))
    assert all(feature.categories is None for feature in as_objects.tree_.features)


@pytest.mark.parametrize("offset", [1e6, -1e9, 1e12])
def test_targets_far_from_zero_are_told_apart(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] > 0, 1.0, 0.0) + np.where(X[:, 1] > 0, 0.5, 0.0)
    near, far = (DilemmaTreeRegressor(max_depth=3).fit(X, y + shift) for shift in (0.0, offset))
    np.testing.assert_array_equal(near.apply(X), far.apply(X))
    np.testing.assert_allclose(far.predict(X) - offset, near.predict(X), atol=abs(offset) * 1e-15)
    shown = DilemmaTreeRegressor(max_depth=3).fit(X, y + offset, X_val=X, y_val=y + offset)
    assert shown.trace_.validation_error[-1] == pytest.approx(0.0, abs=1e-6)


def test_targets_whose_squares_vanish_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match="multiply y by a constant"):
        DilemmaTreeRegressor().fit([[1.0], [2.0]], [1e-200, 2e-200])
