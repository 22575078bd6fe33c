"""No error is reported that the returned tree does not make: every stop path, on every kind of table and energy."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor, dumps, loads, prune  # noqa: E402

N = 240


def table(seed=0):
    """Numbers, whole numbers, labels with more than three values, and gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=N),
            "whole": rng.integers(0, 5, N).astype(float),
            "word": rng.choice(list("abcdef"), N),
            "flag": rng.random(N) < 0.5,
        }
    )
    frame.loc[rng.random(N) < 0.2, "number"] = np.nan
    frame.loc[rng.random(N) < 0.2, "word"] = None
    y = ((frame.number > 0).to_numpy() ^ frame.word.isin(["a", "c"]).to_numpy()).astype(int)
    return frame, (y + frame.flag.to_numpy() + (rng.random(N) < 0.2)) % 3


def interrupt(progress):
    if progress.iteration > 1:
        raise KeyboardInterrupt


STOPS = {
    "greedy": ({"search": "greedy"}, "exhausted"),
    "max_iter": ({"max_iter": 25}, "max_iter"),
    "no time": ({"time_limit": 0.0, "max_iter": None}, "time_limit"),
    "time": ({"time_limit": 0.05, "max_iter": None, "max_depth": 6, "search": "random"}, "time_limit"),
    "memory": ({"memory_limit": 1, "max_iter": None}, "memory_limit"),
    "interrupt": ({"callbacks": interrupt, "max_iter": None}, "interrupt"),
    "optimal": ({"max_depth": 1, "max_iter": None, "categorical_splits": "one_vs_rest"}, "optimal"),
    "exhausted": ({"max_depth": 1, "max_iter": None}, "exhausted"),
    "cv": ({"leaf_penalty": "cv", "max_iter": 10}, "max_iter"),
}


def cost(kind, model, X, y, weights, costs):
    """What the model's own predictions cost."""
    answers = model.predict(X)
    if kind == "regression":
        return float((weights * (answers - y) ** 2).sum())
    return float((weights * costs[y, answers]).sum())


@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("kind", ["errors", "costs", "regression"])
@pytest.mark.parametrize("stop", STOPS)
def test_what_is_reported_is_what_the_tree_does(stop, kind, validated):
    X, y = table()
    X_val, y_val = table(seed=1)
    parameters, reason = STOPS[stop]
    rng = np.random.default_rng(2)
    weights = rng.integers(0, 4, N).astype(float)
    costs = 1.0 - np.eye(3)
    if kind == "regression":
        y, y_val = y + rng.normal(size=N), y_val + rng.normal(size=N)
        model = DilemmaTreeRegressor(**{"max_depth": 3, "random_state": 0, **parameters})
    else:
        if kind == "costs":
            costs = np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
        given = {"cost_matrix": costs} if kind == "costs" else {}
        model = DilemmaTreeClassifier(**{"max_depth": 3, "random_state": 0, **given, **parameters})
    shown = {"X_val": X_val, "y_val": y_val} if validated else {}
    model.fit(X, y, sample_weight=weights, **shown)

    tree, trace = model.tree_, model.trace_
    if stop == "time":  # so fast a machine may be done
        assert model.stop_reason_ in ("time_limit", "exhausted")
    elif validated and stop in ("optimal", "exhausted"):  # whether there is a proof depends on the rows
        assert model.stop_reason_ in ("optimal", "exhausted")
    else:
        assert model.stop_reason_ == reason
    training = cost(kind, model, X, y, weights, costs)
    judged = cost(kind, model, X_val, y_val, np.ones(N), costs) if validated else training
    price = model.leaf_penalty_ * model._error_unit(model._engine.data)
    assert tree.training_errors == pytest.approx(training)
    assert trace.train_error[-1] == pytest.approx(training)
    assert tree.energy == pytest.approx(judged + price * tree.n_leaves)
    assert trace.energy[-1] == pytest.approx(tree.energy)
    if validated:
        assert trace.validation_error[-1] == pytest.approx(judged)
    assert tree.bound <= tree.energy + 1e-9
    if tree.optimal:
        assert tree.bound == pytest.approx(tree.energy)
    assert (np.diff(trace.energy) <= 1e-9).all()

    model.refine(max_iter=5)
    assert model.tree_.training_errors == pytest.approx(cost(kind, model, X, y, weights, costs))
    assert model.tree_.energy <= tree.energy + 1e-9


def test_every_stop_reason_is_met_here():
    assert {reason for _, reason in STOPS.values()} == {
        "optimal",
        "exhausted",
        "time_limit",
        "max_iter",
        "memory_limit",
        "interrupt",
    }


@pytest.mark.parametrize("splits", ["subset", "one_vs_rest", "multiway"])
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
@pytest.mark.parametrize("seed", range(4))
def test_validation_and_test_errors_are_those_of_the_tree_that_is_handed_out(seed, kind, splits):
    """Deep trees and many bins: validation and test rows fall where no training row of a node lies."""
    X, y = table(seed)
    X_val, y_val = table(seed + 10)
    X_test, y_test = table(seed + 20)
    X_val.loc[:20, "word"] = "never seen"
    rng = np.random.default_rng(seed)
    shared = {"max_depth": 8, "max_iter": 30, "leaf_penalty": 0.5, "categorical_splits": splits}
    model = (DilemmaTreeClassifier if kind == "classifier" else DilemmaTreeRegressor)(**shared)
    if kind == "regressor":
        y, y_val, y_test = (part + rng.normal(size=N) for part in (y, y_val, y_test))
    model.set_params(max_bins=[8, 64, 255, 16][seed])
    model.fit(X, y, X_val=X_val, y_val=y_val, X_test=X_test, y_test=y_test)
    ones, costs = np.ones(N), 1.0 - np.eye(3)
    kind = "regression" if kind == "regressor" else kind
    judged = cost(kind, model, X_val, y_val, ones, costs)
    assert model.trace_.validation_error[-1] == pytest.approx(judged)
    assert model.trace_.test_error[-1] == pytest.approx(cost(kind, model, X_test, y_test, ones, costs))
    energy = judged + model._engine.settings.leaf_penalty * model.get_n_leaves()
    assert model.tree_.energy == pytest.approx(energy)
    # What the search compared trees by is what the tree costs.
    assert model._engine._backend.energy == pytest.approx(energy)
    assert (np.diff(model.trace_.energy) <= 1e-9).all()


def test_refining_a_validated_search_never_makes_it_worse():
    X, y = table(3)
    X_val, y_val = table(4)
    model = DilemmaTreeClassifier(max_depth=6, max_iter=0, leaf_penalty=0).fit(X, y, X_val=X_val, y_val=y_val)
    for _ in range(8):
        before = model.tree_.energy
        model.refine(max_iter=10)
        assert model.tree_.energy <= before
        assert model.tree_.energy == (model.predict(X_val) != y_val).sum()


@pytest.mark.parametrize("kind", ["errors", "costs", "regression"])
def test_pruned_and_reloaded_trees_report_what_they_do(kind):
    X, y = table(5)
    weights = np.random.default_rng(6).integers(0, 4, N).astype(float)
    costs = (
        np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [1.0, 3.0, 0.0]]) if kind == "costs" else 1.0 - np.eye(3)
    )
    shared = {"max_depth": 6, "max_iter": 30, "leaf_penalty": 0}
    if kind == "regression":
        y = y + np.random.default_rng(7).normal(size=N)
        model = DilemmaTreeRegressor(**shared)
    else:
        model = DilemmaTreeClassifier(**shared, cost_matrix=costs if kind == "costs" else None)
    model.fit(X, y, sample_weight=weights)
    for alpha in [0.0, *model.cost_complexity_pruning_path(X, y, sample_weight=weights).ccp_alphas[1:6]]:
        pruned = prune(model.tree_, alpha * model._error_unit(model._engine.data))
        for tree in (pruned, loads(dumps(pruned))):
            assert tree.training_errors == pytest.approx(cost(kind, tree, X, y, weights, costs))
            leaf = tree.apply(X)
            reached = np.bincount(leaf, weights, tree.n_nodes)
            np.testing.assert_allclose(tree.weight[tree.kind == 0], reached[tree.kind == 0])
        assert not pruned.optimal  # that was said of the whole tree
    assert loads(dumps(model)).energy == model.tree_.energy


def test_a_refinement_that_is_interrupted_reports_what_its_tree_does():
    X, y = table(1)
    X_val, y_val = table(51)
    stop = []

    def interrupt_later(progress):
        if stop:
            raise KeyboardInterrupt

    model = DilemmaTreeClassifier(max_depth=5, max_iter=0, callbacks=interrupt_later, leaf_penalty=0.5)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    before = model.tree_.energy
    stop.append(True)
    model.refine(max_iter=1000)
    assert model.stop_reason_ == "interrupt"
    assert model.n_iter_ < 1000
    assert model.tree_.energy < before
    assert model.tree_.energy == (model.predict(X_val) != y_val).sum() + 0.5 * model.get_n_leaves()
    assert model.tree_.training_errors == (model.predict(X) != y).sum()
    assert model.trace_.energy[-1] == model.tree_.energy
