"""How small trees do on unseen data: the defaults against CART, tuned CART and the anytime peers.

Every method sees the same rows at the same depth. Test error is averaged over repeated stratified splits of
each data set; methods are compared over data sets, paired, by the mean difference, its standard error and
Wilcoxon's signed-rank test. Two groups of data sets share nothing: defaults are chosen on ``tune``, which is all
generated, figures are quoted from ``report``.

The peers (pytrees-rs: LGDT with the error criterion, and limited discrepancy search) take 0/1 columns; they
get every threshold of a column, or 30 quantiles of it, and run in a Python of their own:

    python benchmarks/quality/trees_generalisation.py --peers PEER_VENV/bin/python
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "trees"
MAX_ROWS = 4000  # of the larger sets, so that every split takes seconds
REPORT_BINARY = [
    "anneal", "audiology", "australian-credit", "breast-wisconsin", "diabetes", "german-credit",
    "heart-cleveland", "hepatitis", "segment", "splice-1", "tic-tac-toe", "vote",
]  # fmt: skip
REPORT_NUMERIC = ["bank", "eeg", "magic", "rice", "wilt", "htru"]


def shared_table(name: str, kind: str):
    """A data set of the shared folder, thinned to `MAX_ROWS`; None when it is not there."""
    path = SHARED / kind / (f"{name}.txt" if kind == "binary" else f"{name}.txt.gz")
    if not path.exists():
        return None
    opener = open if kind == "binary" else gzip.open
    with opener(path, "rt") as file:
        table = np.loadtxt(file)
    if len(table) > MAX_ROWS:
        table = table[np.random.default_rng(0).permutation(len(table))[:MAX_ROWS]]
    return table[:, 1:], table[:, 0].astype(int)


def checkerboard(seed: int, cells: int, noise: float, extra: int = 4, n: int = 1000):
    """Parity of grid cells: no single split helps."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2 + extra))
    y = (np.floor(X[:, 0] * cells) + np.floor(X[:, 1] * cells)).astype(int) % 2
    return X, np.where(rng.random(n) < noise, 1 - y, y)


def random_tree(seed: int, depth: int, noise: float, n: int = 1000, d: int = 12):
    """Labels of a random tree, some flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    node = np.zeros(n, dtype=int)
    feature, cut = rng.integers(d, size=2**depth), rng.normal(scale=0.6, size=2**depth)
    for _ in range(depth):
        node = 2 * node + 1 + (X[np.arange(n), feature[node % 2**depth]] > cut[node % 2**depth])
    y = rng.integers(3, size=node.max() + 1)[node]
    return X, np.where(rng.random(n) < noise, rng.integers(3, size=n), y)


def rules(seed: int, noise: float, n: int = 800, d: int = 40):
    """0/1 columns; the class is whether any of five conjunctions holds, some labels flipped."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)
    y = np.zeros(n, dtype=bool)
    for _ in range(5):
        columns = rng.choice(d, int(rng.integers(2, 4)), replace=False)
        y |= (X[:, columns] == rng.integers(0, 2, len(columns))).all(axis=1)
    return X, np.where(rng.random(n) < noise, ~y, y).astype(int)


def logistic(seed: int, slope: float, n: int = 1000, d: int = 10):
    """Two classes, their odds a linear function of half the columns: no tree fits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    weights = np.where(np.arange(d) < d // 2, rng.normal(size=d), 0.0)
    return X, (rng.random(n) < 1 / (1 + np.exp(-slope * X @ weights))).astype(int)


def above_median(X, y):
    """A regression target as two classes."""
    return X, (y > np.median(y)).astype(int)


def data_sets(group: str) -> dict:
    """Name -> (X, y)."""
    from sklearn import datasets as sk

    out = {}
    if group == "tune":
        out["moons"] = sk.make_moons(600, noise=0.3, random_state=101)
        out["blobs"] = sk.make_blobs(600, n_features=6, centers=5, cluster_std=4.0, random_state=102)
        out["class-easy"] = sk.make_classification(800, 12, n_informative=5, flip_y=0.05, random_state=103)
        out["class-noisy"] = sk.make_classification(800, 20, n_informative=6, flip_y=0.25, random_state=104)
        out["class-multi"] = sk.make_classification(
            1200, 15, n_informative=8, n_classes=5, flip_y=0.1, random_state=105
        )
        out["class-small"] = sk.make_classification(150, 10, n_informative=4, flip_y=0.1, random_state=106)
        out["friedman2"] = above_median(*sk.make_friedman2(800, noise=100.0, random_state=107))
        out["friedman3"] = above_median(*sk.make_friedman3(800, noise=0.2, random_state=108))
        out["board-3"] = checkerboard(109, 3, 0.1)
        out["tree-4"] = random_tree(110, 4, 0.2)
        out["tree-6"] = random_tree(111, 6, 0.1, n=1500)
        out["hastie"] = sk.make_hastie_10_2(1500, random_state=112)
        out["class-large"] = sk.make_classification(4000, 15, n_informative=6, flip_y=0.1, random_state=113)
        out["class-rare"] = sk.make_classification(
            1500, 15, n_informative=5, weights=[0.9], flip_y=0.02, random_state=114
        )
        out["class-wide"] = sk.make_classification(150, 80, n_informative=5, flip_y=0.1, random_state=115)
        out["tree-3-small"] = random_tree(116, 3, 0.1, n=200)
        out["tree-4-large"] = random_tree(117, 4, 0.3, n=4000)
        out["noise"] = (np.random.default_rng(118).normal(size=(500, 8)), np.arange(500) % 2)
        for seed, noise in ((119, 0.05), (120, 0.2)):
            out[f"rules-{noise}"] = rules(seed, noise)
        out["rules-small"] = rules(121, 0.1, n=150, d=25)
        out["rules-wide"] = rules(122, 0.1, n=700, d=120)
        out["smooth"] = logistic(123, 1.0)
        out["smooth-steep"] = logistic(124, 3.0, n=2000)
        out["smooth-small"] = logistic(125, 2.0, n=200)
        return out
    for name in REPORT_BINARY:
        out[name] = shared_table(name, "binary")
    for name in REPORT_NUMERIC:
        out[name] = shared_table(name, "numeric")
    for name in ("iris", "wine", "breast_cancer", "digits"):
        out[name] = getattr(sk, f"load_{name}")(return_X_y=True)
    out["diabetes-median"] = above_median(*sk.load_diabetes(return_X_y=True))
    out["linnerud-like"] = above_median(
        *sk.make_regression(400, 8, n_informative=4, noise=40, random_state=1)
    )
    out["circles"] = sk.make_circles(600, noise=0.15, factor=0.6, random_state=2)
    out["quantiles"] = sk.make_gaussian_quantiles(n_samples=900, n_features=5, n_classes=3, random_state=3)
    out["friedman1"] = above_median(*sk.make_friedman1(1000, noise=1.5, random_state=4))
    out["class-15"] = sk.make_classification(1000, 20, n_informative=5, flip_y=0.15, random_state=5)
    out["class-4way"] = sk.make_classification(
        1500, 12, n_informative=7, n_classes=4, flip_y=0.05, random_state=6
    )
    out["class-wide"] = sk.make_classification(200, 60, n_informative=6, flip_y=0.1, random_state=7)
    out["board-2"] = checkerboard(8, 2, 0.15)
    out["board-4"] = checkerboard(9, 4, 0.05, extra=2, n=2000)
    out["tree-5"] = random_tree(10, 5, 0.15, n=1200)
    return {name: data for name, data in out.items() if data is not None}


def binarise(X_train: np.ndarray, X_test: np.ndarray, most: int = 30):
    """0/1 columns ``x <= t`` for every midpoint of a column, or its quantiles."""
    train, test = [], []
    for j in range(X_train.shape[1]):
        values = np.unique(X_train[:, j])
        cuts = (values[:-1] + values[1:]) / 2
        if len(cuts) > most:
            cuts = np.unique(np.quantile(X_train[:, j], np.linspace(0, 1, most + 2)[1:-1]))
        for cut in cuts:
            train.append(X_train[:, j] <= cut)
            test.append(X_test[:, j] <= cut)
    return np.array(train, dtype=np.uint8).T, np.array(test, dtype=np.uint8).T


def ours(depth: int, **parameters):
    """A method: (X, y, X_test) -> predictions."""
    from dilemma.tree import DilemmaTreeClassifier

    return lambda X, y, Z: (
        DilemmaTreeClassifier(max_depth=depth, random_state=0, **parameters).fit(X, y).predict(Z)
    )


def cart(depth: int):
    """Greedy CART with entropy."""
    from sklearn.tree import DecisionTreeClassifier

    return lambda X, y, Z: (
        DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(X, y).predict(Z)
    )


def tuned_cart(depth: int):
    """CART with ccp_alpha (and the criterion) chosen by five-fold cross-validation."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    def run(X, y, Z):
        alphas = (
            DecisionTreeClassifier(max_depth=depth, random_state=0)
            .cost_complexity_pruning_path(X, y)
            .ccp_alphas
        )
        alphas = np.unique(np.clip(alphas, 0, None))
        if len(alphas) > 30:
            alphas = alphas[np.linspace(0, len(alphas) - 1, 30).astype(int)]
        search = GridSearchCV(
            DecisionTreeClassifier(max_depth=depth, random_state=0),
            {"ccp_alpha": alphas, "criterion": ["gini", "entropy"]},
            cv=StratifiedKFold(5, shuffle=True, random_state=0),
        )
        return search.fit(X, y).predict(Z)

    return run


def peer_main() -> None:
    """Run in the peers' Python: tables in, predictions out."""
    from pytrees import DL85Classifier, LGDTClassifier
    from pytrees.rules import DiscrepancyRule

    for line in sys.stdin:
        job = json.loads(line)
        data = np.load(job["path"])
        X, y, Z = data["X"].astype(float), data["y"], data["Z"].astype(float)
        if job["method"] == "LGDT-error":
            model = LGDTClassifier(max_depth=job["depth"], criterion="error")
        else:
            model = DL85Classifier(
                max_depth=job["depth"],
                heuristic="information_gain",
                discrepancy=DiscrepancyRule(),
                max_time=job["seconds"],
            )
        start = time.process_time()
        model.fit(X, y)
        print(
            json.dumps({"cpu": time.process_time() - start, "predictions": model.predict(Z).tolist()}),
            flush=True,
        )


class Peers:
    """The peers' process."""

    def __init__(self, python: str, seconds: float) -> None:
        self.seconds = seconds
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [python, __file__, "--peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": ""},
        )  # fmt: skip

    def run(self, method: str, depth: int, X, y, Z):
        """Predictions and CPU seconds of a peer."""
        path = str(Path(self.folder.name) / "job.npz")
        np.savez(path, X=X, y=y, Z=Z)
        job = {"path": path, "method": method, "depth": depth, "seconds": self.seconds}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return np.array(answer["predictions"]), answer["cpu"]


def compare(errors: dict[str, dict[str, float]], ours_name: str) -> dict:
    """Our mean test error less each rival's, over data sets: mean, standard error, wins and Wilcoxon's p."""
    from scipy.stats import wilcoxon

    out = {}
    for name in errors:
        if name == ours_name:
            continue
        both = [s for s in errors[ours_name] if s in errors[name]]
        difference = np.array([errors[ours_name][s] - errors[name][s] for s in both])
        p = 1.0 if not difference.any() else float(wilcoxon(difference).pvalue)
        out[name] = {
            "sets": len(both),
            "mean_difference": round(float(difference.mean()), 3),
            "standard_error": round(float(difference.std(ddof=1) / np.sqrt(len(difference))), 3),
            "better": int((difference < 0).sum()),
            "equal": int((difference == 0).sum()),
            "worse": int((difference > 0).sum()),
            "wilcoxon_p": round(p, 5),
        }
    return out


def measure(tables: dict, depth: int, split: int, methods: dict, peers: Peers | None, sums: dict) -> None:
    """Add the test error and CPU seconds of each method on one split of each data set to `sums`."""
    from sklearn.model_selection import train_test_split

    for name, (X, y) in tables.items():
        rows = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y)
        A, B, a, b = X[rows[0]], X[rows[1]], y[rows[0]], y[rows[1]]
        here: dict[str, tuple[float, float]] = {}
        for method, make in methods.items():
            start = time.process_time()
            wrong = float((make(depth)(A, a, B) != b).mean())
            here[method] = (wrong, time.process_time() - start)
        if peers is not None:
            A2, B2 = binarise(A, B)
            for method in ("LGDT-error", "LDS"):
                predictions, seconds = peers.run(method, depth, A2, np.unique(a, return_inverse=True)[1], B2)
                here[method] = (float((np.unique(a)[predictions.astype(int)] != b).mean()), seconds)
        for method, pair in here.items():
            sums.setdefault(method, {}).setdefault(name, []).append(pair)
        line = "  ".join(f"{m} {100 * e:6.2f} ({t:.2f}s)" for m, (e, t) in here.items())
        print(f"depth {depth} split {split} {name:18s} {len(y):5d}x{X.shape[1]:<4d} {line}", flush=True)


def summary(sums: dict, splits: int) -> dict:
    """Mean test error (%) and CPU seconds of each method, and the paired comparisons."""
    errors = {m: {s: round(100 * float(np.mean([e for e, _ in p])), 3) for s, p in by.items()}
              for m, by in sums.items()}  # fmt: skip
    cpu = {m: float(np.mean([t for p in by.values() for _, t in p])) for m, by in sums.items()}
    return {
        "splits": splits,
        "mean_test_error": {m: round(float(np.mean(list(e.values()))), 3) for m, e in errors.items()},
        "mean_cpu_seconds": {m: round(t, 3) for m, t in cpu.items()},
        "default_less_rival": compare(errors, next(iter(sums))),
        "test_error_percent": errors,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--group", choices=["tune", "report"], default="report")
    parser.add_argument("--depths", type=int, nargs="+", default=[4, 6])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--peers", help="Python interpreter that has pytrees-rs")
    parser.add_argument("--peer-seconds", type=float, default=1.0, help="time limit of LDS")
    parser.add_argument("--only", nargs="+", help="these data sets alone")
    parser.add_argument("--no-record", action="store_true")
    options = parser.parse_args()
    if options.peer:
        peer_main()
        return
    methods = {
        "default": ours,
        "penalty 0": lambda depth: ours(depth, leaf_penalty=0),
        "penalty cv": lambda depth: ours(depth, leaf_penalty="cv", max_iter=300),
        "validation 0.3": lambda depth: ours(depth, validation_fraction=0.3, leaf_penalty=0),
        "CART": cart,
        "CART tuned": tuned_cart,
    }
    peers = Peers(options.peers, options.peer_seconds) if options.peers else None
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from record import record

    tables = {n: t for n, t in data_sets(options.group).items() if not options.only or n in options.only}
    for depth in options.depths:
        sums: dict = {}
        for split in range(options.splits):
            measure(tables, depth, split, methods, peers, sums)
            facts = summary(sums, split + 1)
            print(json.dumps({k: v for k, v in facts.items() if k != "test_error_percent"}, indent=1))
            if not options.no_record:  # after each split, so that a run cut short leaves what it has
                group = "" if options.group == "report" else f"{options.group}_"
                name = f"trees_generalisation_{group}depth_{depth}"
                print(record(name, {"lds_seconds": options.peer_seconds, **facts}), flush=True)


if __name__ == "__main__":
    main()
