"""Choosing the price of a leaf by cross-validation: within the time limit, and when Ctrl-C comes."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import make_classification

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor, engine, penalty


def noisy(n=300):
    return make_classification(n, 8, n_informative=5, n_classes=3, flip_y=0.2, random_state=0)


class Clock:
    """Seconds that pass only when a search runs."""

    def __init__(self, monkeypatch, price):
        self.now, self.searches = 0.0, 0
        run = engine.TreeSearch.run

        def slow(search, **limits):
            self.now += price
            self.searches += 1
            run(search, **{**limits, "time_limit": None})

        monkeypatch.setattr(engine.TreeSearch, "run", slow)
        monkeypatch.setattr(penalty.time, "perf_counter", lambda: self.now)


@pytest.mark.parametrize(("seconds", "searches"), [(0.0, 0), (3.5, 4), (7.5, 8), (1000.0, 21)])
def test_no_search_is_started_when_the_time_is_up(monkeypatch, seconds, searches):
    X, y = noisy(60)
    clock = Clock(monkeypatch, price=1.0)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=1, leaf_penalty="cv", random_state=0)
    model.time_limit = 2 * seconds  # half of it is for the choice
    model.fit(X, y)
    assert clock.searches == searches + 1
    if searches < len(penalty.GRID):  # not a single fold: nothing was learned
        assert model.leaf_penalty_ == penalty.DEFAULT


def test_what_one_fold_says_counts_when_there_is_no_time_for_more(monkeypatch):
    X = np.random.default_rng(0).normal(size=(90, 3))
    y = np.random.default_rng(1).integers(0, 2, 90)  # noise: every leaf is one too many
    Clock(monkeypatch, price=1.0)
    model = DilemmaTreeClassifier(3, max_iter=5, leaf_penalty="cv", time_limit=15.0, random_state=0).fit(X, y)
    assert model.leaf_penalty_ > penalty.DEFAULT


def test_ctrl_c_while_choosing_gives_the_greedy_tree_and_says_so(monkeypatch):
    run = engine.TreeSearch.run
    calls = []

    def interrupted(search, **limits):
        calls.append(limits)
        if len(calls) == 3:
            raise KeyboardInterrupt
        run(search, **limits)

    monkeypatch.setattr(engine.TreeSearch, "run", interrupted)
    X, y = noisy()
    model = DilemmaTreeClassifier(max_depth=3, leaf_penalty="cv", random_state=0).fit(X, y)
    assert (model.stop_reason_, model.leaf_penalty_) == ("interrupt", penalty.DEFAULT)
    assert calls[-1]["max_iter"] == 0
    assert model.tree_.training_errors == (model.predict(X) != y).sum()


def test_regression_chooses_a_price_as_well():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    signal, noise = X[:, 0] * (X[:, 1] > 0), rng.normal(size=200)
    few = DilemmaTreeRegressor(4, max_iter=5, leaf_penalty="cv", random_state=0).fit(X, noise)
    many = DilemmaTreeRegressor(4, max_iter=5, leaf_penalty="cv", random_state=0).fit(X, signal)
    assert few.get_n_leaves() < many.get_n_leaves()


def test_a_handful_of_rows_takes_the_usual_price():
    model = DilemmaTreeClassifier(leaf_penalty="cv").fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert model.leaf_penalty_ == penalty.DEFAULT
