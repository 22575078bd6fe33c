"""No error is reported that the returned tree does not make: every stop path, on every kind of table and energy."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor  # noqa: E402

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
