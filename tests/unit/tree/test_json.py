"""Trees as JSON: the way there and back, and files that lie."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor, dumps, load, loads, save

_spec = importlib.util.spec_from_file_location("tree_data", Path(__file__).with_name("tree_data.py"))
tree_data = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tree_data)


@pytest.fixture(params=["subset", "multiway", "regression"], scope="module")
def grown(request):
    frame, y = tree_data.mixed_table()
    if request.param == "regression":
        y = np.unique(y, return_inverse=True)[1].astype(float)
        return DilemmaTreeRegressor(max_depth=4, max_iter=20, leaf_penalty=0).fit(frame, y), frame
    model = DilemmaTreeClassifier(max_depth=4, max_iter=20, leaf_penalty=0, categorical_splits=request.param)
    return model.fit(frame, y), frame


def test_there_and_back_is_the_same_tree(grown, tmp_path):
    model, frame = grown
    save(model, tmp_path / "tree.json")
    tree = load(tmp_path / "tree.json")
    np.testing.assert_array_equal(tree.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(tree.apply(frame), model.apply(frame))
    for name in (
        "kind",
        "feature",
        "threshold",
        "mask",
        "missing",
        "branch",
        "branch_start",
        "value",
        "label",
    ):
        np.testing.assert_array_equal(getattr(tree, name), getattr(model.tree_, name))
    assert (tree.energy, tree.bound, tree.optimal) == (
        model.tree_.energy,
        model.tree_.bound,
        model.tree_.optimal,
    )
    assert dumps(tree) == dumps(model)


@pytest.mark.parametrize("labels", [[0, 1], ["a", "b"], [1.0, 2.0], [False, True]])
def test_labels_keep_their_type(labels):
    model = DilemmaTreeClassifier(leaf_penalty=0, max_iter=2).fit([[0.0], [1.0]], labels)
    back = loads(dumps(model))
    assert back.classes.dtype == model.classes_.dtype
    np.testing.assert_array_equal(back.predict([[0.0], [1.0]]), labels)


def document():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    model = DilemmaTreeClassifier(max_depth=2, leaf_penalty=0, max_iter=20).fit(X, [0, 1, 1, 0] * 5)
    return json.loads(dumps(model))


def broken(change):
    doc = document()
    change(doc)
    return json.dumps(doc)


INNER = 0


def put(path, value):
    def change(doc):
        at = doc
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        put(["format"], "other"),
        put(["version"], 2),
        put(["version"], None),
        put(["task"], "ranking"),
        put(["classes"], None),
        put(["classes"], []),
        put(["classes"], [0, 0]),
        put(["classes"], [0, "a"]),
        put(["classes"], [0, 2**70]),
        put(["classes"], [[0], [1]]),
        put(["features"], {}),
        put(["features", 0], None),
        put(["features", 0, "name"], 3),
        put(["features", 0, "categories"], ["a", "b"]),
        put(["features", 0, "categories"], ["a", 1.0]),
        put(["nodes"], []),
        put(["nodes"], None),
        put(["nodes", INNER], 5),
        put(["nodes", INNER, "kind"], "oblique"),
        put(["nodes", INNER, "kind"], []),
        put(["nodes", INNER, "feature"], 2),
        put(["nodes", INNER, "feature"], -1),
        put(["nodes", INNER, "feature"], True),
        put(["nodes", INNER, "feature"], 0.0),
        put(["nodes", INNER, "threshold"], None),
        put(["nodes", INNER, "threshold"], "0.5"),
        put(["nodes", INNER, "threshold"], 10**400),
        put(["nodes", INNER, "branches"], [1]),
        put(["nodes", INNER, "branches"], [0, 1]),
        put(["nodes", INNER, "branches"], [1, 1]),
        put(["nodes", INNER, "branches"], [1, 99]),
        put(["nodes", INNER, "branches"], [1, -4]),
        put(["nodes", INNER, "branches"], "12"),
        put(["nodes", INNER, "missing"], 0),
        put(["nodes", INNER, "missing"], 3),
        put(["nodes", INNER, "value"], [1.0]),
        put(["nodes", INNER, "value"], [1.0, None]),
        put(["nodes", INNER, "label"], 2),
        put(["nodes", INNER, "rows"], -1),
        put(["nodes", INNER, "rows"], 2**64),
        put(["nodes", INNER, "weight"], None),
        put(["nodes", INNER, "errors"], "x"),
        put(["energy"], "low"),
    ],
)
def test_a_file_that_lies_is_refused_naming_the_place(change):
    with pytest.raises(ValueError, match=r"expected|version|reads|range|fit"):
        loads(broken(change))


def test_a_node_that_nobody_leads_to_is_refused():
    doc = document()
    doc["nodes"].append(doc["nodes"][-1])
    with pytest.raises(ValueError, match="one parent"):
        loads(json.dumps(doc))


def test_a_node_with_two_parents_is_refused():
    doc = document()
    last = len(doc["nodes"]) - 1
    inner = [i for i, node in enumerate(doc["nodes"]) if node["kind"] != "leaf"]
    for i in inner[1:]:
        doc["nodes"][i]["branches"] = [last - 1, last]
        doc["nodes"][i]["missing"] = last
    with pytest.raises(ValueError, match="one parent"):
        loads(json.dumps(doc))


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", "3", '{"format": "dilemma-tree"}', "[" * 100_000, '{"format": NaN}']
)
def test_text_that_is_no_tree_is_refused(text):
    with pytest.raises(ValueError, match="tree file"):
        loads(text)


def test_infinity_is_not_a_threshold():
    text = json.dumps(document()).replace('"threshold": 0.5', '"threshold": Infinity', 1)
    with pytest.raises(ValueError, match="Infinity"):
        loads(text)


def test_random_damage_never_gets_past_the_reader_as_anything_but_a_tree():
    """Whatever loads must walk: no crash, no endless loop, an answer among the classes."""
    rng = np.random.default_rng(0)
    text = dumps(loads(json.dumps(document())))
    survived = 0
    for _ in range(1500):
        damaged = list(text)
        for _ in range(rng.integers(1, 4)):
            at = rng.integers(len(damaged))
            damaged[at] = rng.choice(list('0123456789,"-[]{}en.'))
        try:
            tree = loads("".join(damaged))
            answers = tree.predict(rng.normal(size=(20, len(tree.features))))
        except (ValueError, TypeError):
            continue
        survived += 1
        assert np.isin(answers, tree.classes).all()
    assert survived > 0
