"""Every exported program answers what the tree answers; nothing in a name can break out of its quotes."""

import ctypes
import importlib.util
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from sklearn.datasets import load_diabetes, load_iris  # noqa: E402

from dilemma.tree import (  # noqa: E402
    DilemmaTreeClassifier,
    DilemmaTreeRegressor,
    export_c,
    export_graphviz,
    export_python,
    export_rules,
    export_sql,
    export_text,
    plot_tree,
    to_sklearn,
)

_spec = importlib.util.spec_from_file_location("tree_data", Path(__file__).with_name("tree_data.py"))
tree_data = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tree_data)


@pytest.fixture(params=["subset", "one_vs_rest", "multiway", "regression"])
def grown(request):
    frame, y = tree_data.mixed_table()
    if request.param == "regression":
        values = np.unique(y, return_inverse=True)[1] + np.nan_to_num(frame["count"].to_numpy())
        return DilemmaTreeRegressor(max_depth=4, max_iter=30, leaf_penalty=0).fit(frame, values), frame
    model = DilemmaTreeClassifier(max_depth=4, max_iter=30, leaf_penalty=0, categorical_splits=request.param)
    return model.fit(frame, y), frame


@pytest.fixture
def unseen(grown):
    """Other rows, with labels and gaps that training did not have."""
    frame = tree_data.mixed_table(400, seed=1, missing=0.25)[0]
    frame.iloc[:20, 0] = "never seen"
    return frame


def rows(frame):
    return [[None if pd.isna(v) else v for v in row] for row in frame.to_numpy(dtype=object)]


def test_python_source_predicts_the_same(grown, unseen):
    model, _ = grown
    space = {}
    exec(export_python(model, function="answer"), space)
    got = [space["answer"](row) for row in rows(unseen)]
    np.testing.assert_array_equal(got, model.predict(unseen))
    with pytest.raises(ValueError, match="expected 4 values"):
        space["answer"]([1.0])


def test_sql_predicts_the_same(grown, unseen):
    model, _ = grown
    db = sqlite3.connect(":memory:")
    db.execute('create table "t" (a text, b real, c real, d real)')
    db.executemany('insert into "t" values (?, ?, ?, ?)', rows(unseen))
    query = export_sql(model, feature_names=["a", "b", "c", "d"], table="t")
    got = [row[-1] for row in db.execute(query + " order by rowid")]
    np.testing.assert_array_equal(got, model.predict(unseen))


def test_sql_quotes_hostile_names_and_labels(grown, unseen):
    model, frame = grown
    names = [name.replace('"', '""') for name in frame.columns]
    db = sqlite3.connect(":memory:")
    db.execute("create table t (" + ", ".join(f'"{name}"' for name in names) + ")")
    db.executemany("insert into t values (?, ?, ?, ?)", rows(unseen))
    got = [row[-1] for row in db.execute(export_sql(model, table="t") + " order by rowid")]
    np.testing.assert_array_equal(got, model.predict(unseen))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_c_source_compiles_cleanly_and_predicts_the_same(grown, unseen, tmp_path):
    model, _ = grown
    (tmp_path / "model.c").write_text(export_c(model), encoding="ascii")
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1"]
    subprocess.run([*command, "model.c", "-o", "model.so"], cwd=tmp_path, check=True, timeout=60)
    library = ctypes.CDLL(str(tmp_path / "model.so"))
    regression = isinstance(model, DilemmaTreeRegressor)
    library.predict.restype = ctypes.c_double if regression else ctypes.c_int
    columns = []
    for j in range(4):
        encode = getattr(library, f"predict_code_{j}", None)
        values = unseen.iloc[:, j].tolist()
        if encode is not None:
            encode.restype = ctypes.c_double
            encode.argtypes = [ctypes.c_char_p if j == 0 else ctypes.c_double]
            given = [v.encode() if isinstance(v, str) else v for v in values]
            columns.append([np.nan if pd.isna(v) else encode(v) for v in given])
        else:
            columns.append([np.nan if pd.isna(v) or isinstance(v, str) else float(v) for v in values])
    table = np.ascontiguousarray(np.array(columns).T)
    got = [library.predict(ctypes.c_void_p(row.ctypes.data)) for row in table]
    if not regression:
        labels = (ctypes.c_char_p * len(model.classes_)).in_dll(library, "predict_classes")
        got = [labels[i].decode() for i in got]
    np.testing.assert_array_equal(got, model.predict(unseen))


def test_text_and_rules_name_every_leaf(grown):
    model, _ = grown
    text, rules = (
        export_text(model, show_weights=True, show_missing=True),
        export_rules(model, show_missing=True),
    )
    kind = "value:" if isinstance(model, DilemmaTreeRegressor) else "class:"
    assert text.count(kind) == model.get_n_leaves()
    assert rules.count("THEN") == model.get_n_leaves()


def test_text_is_stable_and_readable():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=0).fit(X, y)
    assert export_text(model, class_names=["setosa", "versicolor", "virginica"]) == (
        "|--- petal length (cm) <= 2.45\n"
        "|   |--- class: setosa\n"
        "|--- petal length (cm) > 2.45\n"
        "|   |--- petal width (cm) <= 1.75\n"
        "|   |   |--- class: versicolor\n"
        "|   |--- petal width (cm) > 1.75\n"
        "|   |   |--- class: virginica\n"
    )
    assert export_rules(model).splitlines()[1] == (
        "IF petal length (cm) > 2.45 AND petal width (cm) <= 1.75 THEN 1  (54 rows, 90.7%)"
    )


def test_graphviz_escapes_names(grown):
    dot = export_graphviz(grown[0])
    assert dot.startswith("digraph Tree {")
    for line in dot.splitlines()[3:-1]:
        inside = line.split("[label=", 1)[1].replace("\\\\", "").replace('\\"', "")
        assert inside.count('"') in (2, 4)


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs graphviz")
def test_graphviz_draws_it(grown):
    subprocess.run(
        ["dot", "-Tsvg"], input=export_graphviz(grown[0]), text=True, check=True, capture_output=True
    )


def test_plot_draws_every_node(grown):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    model, _ = grown
    ax = plot_tree(model, show_missing=True)
    assert len(ax.texts) == 2 * model.tree_.n_nodes - 1  # nodes and branches
    ax.figure.canvas.draw()
    assert len(plot_tree(model, max_depth=1).texts) < len(ax.texts)
    opened = plt.figure(figsize=(20, 10))
    assert plot_tree(model).figure is opened  # as scikit-learn's does
    assert plot_tree(model).figure is not opened
    plt.close("all")


def test_words_of_neighbours_in_a_plot_do_not_overlap(grown):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = plot_tree(grown[0])
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]
    assert not [pair for pair in pairs if pair[0].overlaps(pair[1])]
    plt.close("all")


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_scikit_learn_tree_predicts_the_same_and_its_tools_take_it(kind):
    from sklearn.tree import export_text as sklearn_text

    if kind == "classifier":
        X, y = load_iris(return_X_y=True)
        model = DilemmaTreeClassifier(max_depth=4, max_iter=20, leaf_penalty=0).fit(X, y)
    else:
        X, y = load_diabetes(return_X_y=True)
        model = DilemmaTreeRegressor(max_depth=4, max_iter=20, leaf_penalty=0).fit(X, y)
    other = to_sklearn(model)
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    np.testing.assert_array_equal(other.apply(X), model.apply(X))
    np.testing.assert_array_equal(other.decision_path(X).toarray(), model.decision_path(X).toarray())
    np.testing.assert_allclose(other.feature_importances_, model.feature_importances_, atol=1e-12)
    assert other.get_depth() == model.get_depth()
    assert sklearn_text(other).count("---") > 3


def test_scikit_learn_tree_of_one_leaf():
    other = to_sklearn(DilemmaTreeClassifier(max_depth=0).fit([[1.0], [2.0]], ["a", "b"]))
    assert list(other.predict([[1.0]])) == ["a"]


def test_conversion_refuses_what_scikit_learn_cannot_hold():
    X = pd.DataFrame({"c": ["a", "b", "c"] * 20})
    model = DilemmaTreeClassifier(leaf_penalty=0, max_iter=5).fit(X, ["x", "y", "x"] * 20)
    with pytest.raises(ValueError, match="no splits on labels"):
        to_sklearn(model)


@pytest.mark.parametrize(
    "export", [export_c, export_python, export_sql, export_text, export_rules, export_graphviz]
)
def test_exporters_refuse_what_is_not_a_fitted_tree(export):
    with pytest.raises(TypeError, match="call fit first"):
        export(DilemmaTreeClassifier())


@pytest.mark.parametrize("export", [export_c, export_python])
@pytest.mark.parametrize("name", ["", "a b", "x;y", "1a"])
def test_function_names_are_checked(export, name):
    model = DilemmaTreeClassifier(max_depth=0).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="function"):
        export(model, function=name)


def test_wrong_number_of_names_is_refused(grown):
    with pytest.raises(ValueError, match="feature_names: expected 4 names, got 1"):
        export_text(grown[0], feature_names=["a"])


def test_exporting_needs_no_scikit_learn(tmp_path):
    from dilemma.tree import save

    X, y = load_iris(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=2, max_iter=5).fit(X, y)
    save(model, tmp_path / "tree.json")
    code = (
        "import sys; sys.modules['sklearn'] = None; sys.modules['scipy'] = None\n"
        "from dilemma.tree import load, export_text\n"
        f"tree = load({str(tmp_path / 'tree.json')!r})\n"
        "print(export_text(tree), tree.predict([[5.1, 3.5, 1.4, 0.2]]))\n"
        "try:\n    from dilemma.tree import DilemmaTreeClassifier\n"
        "except ImportError as error:\n    print(error)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "class: " in out
    assert 'pip install "dilemma[sklearn]"' in out


def test_the_words_of_a_path_do_not_contradict_each_other():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 600), "city": rng.choice(["B", "C", "G", "Z"], 600)})
    y = np.where(frame.city.isin(["B", "C"]) ^ (frame.age > 45), "x", "y")
    frame.loc[::4, "city"] = None
    y[::4] = np.where(frame.age[::4] > 30, "x", "y")
    model = DilemmaTreeClassifier(max_depth=4).fit(frame, y)
    text = export_text(model)
    assert "city is missing" in text  # the case that is meant
    assert "or missing" in text  # said above it, though nobody asked
    assert "or missing" not in export_text(model, show_missing=False)
    stack = []  # labels that may arrive at each level
    for line in text.splitlines():
        level, words = line.count("|   "), line.split("|--- ")[1]
        stack = stack[: level + 1] or [{"B", "C", "G", "Z", None}]
        allowed = set(stack[level])
        if words.startswith("city"):
            named = words.split("city ")[1].replace(" or missing", "")
            labels = set() if "is missing" in named else set(named.strip("=in {}").split(", "))
            labels |= {None} if "missing" in words else set()
            assert labels <= allowed, line
            allowed = labels
        stack = [*stack[: level + 1], allowed]


def test_integers_that_no_double_holds_are_rounded_as_in_training():
    number = 2**53 + np.arange(40)
    X = pd.DataFrame({"id": number, "other": np.tile([0.0, 1.0], 20)})
    model = DilemmaTreeClassifier(max_depth=4, leaf_penalty=0, max_iter=20).fit(X, number // 3 % 2)
    space = {}
    exec(export_python(model), space)
    np.testing.assert_array_equal([space["predict"](row) for row in X.to_numpy().tolist()], model.predict(X))
    whole = [[int(a), b] for a, b in zip(number, X["other"], strict=True)]
    np.testing.assert_array_equal([space["predict"](row) for row in whole], model.predict(X))
    db = sqlite3.connect(":memory:")
    db.execute('create table "t" ("id" integer, "other" real)')
    db.executemany('insert into "t" values (?, ?)', whole)
    got = [row[-1] for row in db.execute(export_sql(model, table="t") + " order by rowid")]
    np.testing.assert_array_equal(got, model.predict(X))
