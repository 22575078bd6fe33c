"""How fast a fitted tree predicts a million rows, how fast a table is read, and how well time limits are kept.

    python benchmarks/speed/tree_estimator.py predict
    python benchmarks/speed/tree_estimator.py limits

CPU seconds of this process on one core (best of three), with scikit-learn's DecisionTreeClassifier walking the
very same tree beside it; time limits in seconds by the clock, with the CPU seconds of `fit` and the machine's load
beside them: on a busy machine the clock counts what other programs do.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from record import record

from dilemma.tree import DilemmaTreeClassifier, DilemmaTreeRegressor, to_sklearn

ROWS = 1_000_000


def cpu(call, repeats=3):
    """Least CPU seconds of some calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return round(min(seconds), 3)


def labelled(X, rng):
    return ((X[:, 0] * X[:, 1] > 0) ^ (X[:, 2] > 0.3) ^ (rng.random(len(X)) < 0.1)).astype(int)


def prediction(rng):
    """Seconds to predict a million rows of 20 columns, by kind of table."""
    import pandas as pd
    import polars as pl
    from scipy.sparse import csr_matrix

    X = rng.normal(size=(ROWS, 20))
    small = X[:5000].astype(np.float32)
    model = DilemmaTreeClassifier(max_depth=6, leaf_penalty=0, max_iter=200).fit(small, labelled(small, rng))
    peer = to_sklearn(model)
    single = X.astype(np.float32)
    assert (peer.predict(single) == model.predict(single)).all()
    thin = csr_matrix(np.where(np.abs(X) > 1.8, X, 0.0))
    word = np.array(["red", "green", "blue", "grey"], dtype=object)[rng.integers(0, 4, ROWS)]
    mixed = pd.DataFrame({"number": X[:, 0], "word": word, "other": X[:, 1]})
    on_mixed = DilemmaTreeClassifier(max_depth=6, max_iter=200).fit(
        mixed[:5000], (mixed.number[:5000] > 0) ^ (mixed.word[:5000] == "red")
    )
    return {
        "leaves": model.get_n_leaves(),
        "float32": cpu(lambda: model.predict(single)),
        "float32, scikit-learn": cpu(lambda: peer.predict(single)),
        "float64": cpu(lambda: model.predict(X)),
        "float64, scikit-learn": cpu(lambda: peer.predict(X)),
        "float64, columns in memory": cpu(lambda: model.predict(np.asfortranarray(X))),
        "pandas": cpu(lambda: model.tree_.predict(pd.DataFrame(X))),
        "polars": cpu(lambda: model.tree_.predict(pl.DataFrame(X))),
        "sparse": cpu(lambda: model.predict(thin)),
        "pandas, two numbers and a string": cpu(lambda: on_mixed.predict(mixed)),
        "probabilities, float64": cpu(lambda: model.predict_proba(X)),
    }


def limits(rng):
    """Seconds `fit` took by the clock under a time limit, reading the table and serving the tree included."""
    rows = []
    for n, d in ((2000, 20), (100_000, 50), (ROWS, 100)):
        X = rng.random((n, d), dtype=np.float32)
        y = labelled(X - 0.5, rng)
        reading = cpu(lambda X=X, y=y: DilemmaTreeClassifier(max_depth=0).fit(X, y), 1)
        for limit in (0.5, 2.0):
            for kind in (DilemmaTreeClassifier, DilemmaTreeRegressor):
                start, used = time.perf_counter(), time.process_time()
                model = kind(max_depth=6, max_iter=None, time_limit=limit).fit(X, y)
                took, used = time.perf_counter() - start, time.process_time() - used
                greedy, last = model.trace_.energy[0], model.trace_.energy[-1]
                rows.append(
                    {
                        "rows": n,
                        "columns": d,
                        "kind": kind.__name__,
                        "limit": limit,
                        "seconds": round(took, 3),
                        "cpu_seconds": round(used, 3),
                        "kept": took <= limit + max(0.1 * limit, 0.2),
                        "load": round(os.getloadavg()[0], 1),
                        "reading_cpu": reading,
                        "iterations": model.n_iter_,
                        "energy_of_first_tree": round(float(greedy), 1),
                        "energy": round(float(last), 1),
                    }
                )
                print(rows[-1], flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["predict", "limits"])
    part = parser.parse_args().part
    rng = np.random.default_rng(0)
    if part == "predict":
        results = {"predict_a_million_rows_cpu_seconds": prediction(rng)}
        print(results, record("tree_estimator", results))
    else:
        print(record("tree_estimator_limits", {"time_limits": limits(rng)}))


if __name__ == "__main__":
    main()
