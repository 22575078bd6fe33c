"""scikit-learn's own checks, and the ways its users combine estimators."""

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor

_mark = parametrize_with_checks(
    [
        DilemmaTreeClassifier(max_iter=50),
        DilemmaTreeClassifier(max_iter=20, max_depth=3, leaf_penalty=1, criterion="gini", n_jobs=2),
        DilemmaTreeRegressor(max_iter=50),
    ]
)
# scikit-learn before 1.6 hands pytest a generator, which pytest is giving up.
every_check = pytest.mark.parametrize(_mark.args[0], list(_mark.args[1]), **_mark.kwargs)


@pytest.mark.filterwarnings("ignore:the sample weights sum")
@every_check
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_kinds_are_recognised():
    assert is_classifier(DilemmaTreeClassifier())
    assert is_regressor(DilemmaTreeRegressor())


def test_clone_keeps_parameters_and_drops_the_fit():
    X, y = load_iris(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=10, leaf_penalty=0.5).fit(X, y)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copied.predict(X)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_predict_the_same_keep_the_trace_and_say_that_the_search_is_gone(duplicate):
    X, y = load_breast_cancer(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=3, max_iter=20).fit(X, y)
    other = duplicate(model)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(model.trace_.energy, other.trace_.energy)
    with pytest.raises(ValueError, match="fit again"):
        other.refine(max_iter=1)
    model.refine(max_iter=1)


def test_pipeline_and_grid_search():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), DilemmaTreeClassifier(max_iter=20)),
        {"dilemmatreeclassifier__max_depth": [1, 2], "dilemmatreeclassifier__leaf_penalty": [0, 2]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_["dilemmatreeclassifier__max_depth"] == 2
    assert search.best_score_ > 0.9


def test_cross_validation_of_the_regressor_beats_the_mean():
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(DilemmaTreeRegressor(max_depth=2, max_iter=20), X, y, cv=3).mean() > 0.15


@pytest.mark.filterwarnings("ignore:The SAMME.R algorithm")  # scikit-learn 1.4
def test_ensembles_and_wrappers_take_it():
    X, y = make_classification(200, 6, random_state=0)
    base = DilemmaTreeClassifier(max_depth=2, max_iter=5)
    assert BaggingClassifier(base, n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.8
    relative = clone(base).set_params(leaf_penalty=0)  # boosting scales the weights to a sum of one
    assert AdaBoostClassifier(relative, n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.85
    both = MultiOutputClassifier(base).fit(X, np.column_stack([y, 1 - y]))
    np.testing.assert_array_equal(both.predict(X)[:, 0], 1 - both.predict(X)[:, 1])


def test_weights_that_sum_to_less_than_a_leaf_warn():
    X, y = make_classification(100, 4, random_state=0)
    with pytest.warns(UserWarning, match="scale them to a mean of one"):
        DilemmaTreeClassifier(max_iter=1).fit(X, y, sample_weight=np.full(100, 0.01))


def test_permutation_importance_finds_the_column_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 1] > 0).astype(int)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=5).fit(X, y)
    assert permutation_importance(model, X, y, random_state=0).importances_mean.argmax() == 1
    np.testing.assert_allclose(model.feature_importances_, [0, 1, 0])


def test_set_output_frames_pass_through_a_pipeline():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["x", "y"], 60)})
    columns = make_column_transformer((StandardScaler(), ["a"]), remainder="passthrough")
    columns.set_output(transform="pandas")
    pipe = make_pipeline(columns, DilemmaTreeClassifier(max_iter=5))
    pipe.fit(frame, (frame.b == "x").to_numpy())
    assert pipe.score(frame, (frame.b == "x").to_numpy()) == 1.0
    assert list(pipe[-1].feature_names_in_) == ["standardscaler__a", "remainder__b"]


def test_metadata_routing_passes_sample_weight():
    import sklearn

    X, y = load_iris(return_X_y=True)
    with sklearn.config_context(enable_metadata_routing=True):
        model = DilemmaTreeClassifier(max_iter=2).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"max_depth": [1]}, cv=2)
        search.fit(X, y, sample_weight=np.where(y == 2, 1.0, 0.0) + 1e-6)
    assert set(search.predict(X)) == {2}
