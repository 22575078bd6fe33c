"""From a table to a shipped model, as a user would; and the published optima of small sets."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")

from dilemma.tree import DilemmaTreeClassifier, load

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "trees"


def published():
    path = SHARED / "optimal_training_errors.csv"
    if not path.exists():
        return []
    with path.open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["depth"]) <= 3]
    return [
        (row["name"], int(row["depth"]), int(row["optimal_errors"]))
        for row in rows
        if (SHARED / "binary" / f"{row['name']}.txt").exists() and int(row["rows"]) < 1000
    ]


@pytest.mark.skipif(not published(), reason="shared data sets are not there")
@pytest.mark.parametrize(("name", "depth", "errors"), published())
def test_published_optima_are_found_and_proved(name, depth, errors):
    table = np.loadtxt(SHARED / "binary" / f"{name}.txt", dtype=np.uint8)
    model = DilemmaTreeClassifier(depth, leaf_penalty=0, max_iter=None, time_limit=None)
    model.fit(table[:, 1:], table[:, 0])
    assert model.tree_.training_errors == errors == (model.predict(table[:, 1:]) != table[:, 0]).sum()
    assert model.tree_.optimal
    assert model.tree_.bound == errors


INTERRUPTED = """
import numpy as np, os, signal, sys, threading
from sklearn.datasets import make_classification
from dilemma.tree import DilemmaTreeClassifier
X, y = make_classification(3000, 30, n_informative=15, n_classes=4, random_state=0)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
model = DilemmaTreeClassifier(max_depth=8, max_iter=None, time_limit=120).fit(X, y)
assert model.tree_.training_errors == (model.predict(X) != y).sum()
print(model.stop_reason_)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_returns_the_best_tree_so_far():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.strip() == "interrupt", done.stderr
    assert done.returncode == 0


def test_a_model_is_fitted_refined_saved_and_served_by_another_process(tmp_path):
    from sklearn.datasets import load_breast_cancer

    from dilemma.tree import save

    X, y = load_breast_cancer(return_X_y=True)
    model = DilemmaTreeClassifier(max_depth=3, max_iter=5).fit(X[:400], y[:400]).refine(max_iter=50)
    save(model, tmp_path / "tree.json")
    np.save(tmp_path / "X.npy", X[400:])
    code = (
        "import sys, numpy as np\n"
        "from dilemma.tree import load\n"
        f"answers = load({str(tmp_path / 'tree.json')!r}).predict(np.load({str(tmp_path / 'X.npy')!r}))\n"
        "assert 'sklearn' not in sys.modules\n"
        "print(*answers)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    np.testing.assert_array_equal(np.array(out.split(), dtype=int), model.predict(X[400:]))
    np.testing.assert_array_equal(load(tmp_path / "tree.json").predict_proba(X), model.predict_proba(X))
