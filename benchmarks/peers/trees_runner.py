"""Runs one tree solver on one table and prints its improvements as JSON (a process of `trees.py`).

    python trees_runner.py SOLVER FILE DEPTHS SECONDS

One line of JSON for each of DEPTHS ("4,5,6"), so that they share a start. FILE is an .npz with `x` (rows
by features: 0/1, or real numbers) and `y`. Times are CPU seconds since the table was read and the solver
imported. SECONDS limits CPU time for ours, wall time for the others.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import numpy as np

REPEATS = 3  # of fits of a fraction of a second: the first may wait for memory


class Clock:
    """CPU seconds since the start, and improvements with their time."""

    def __init__(self):
        self.start, self.trace, self.end = time.process_time(), [], None
        self.test_errors = self.wall = None

    def now(self):
        return time.process_time() - self.start if self.end is None else self.end

    def stop(self):
        self.end = self.now()

    def note(self, errors, at=None):
        if not self.trace or errors < self.trace[-1][1]:
            self.trace.append((round(self.now() if at is None else float(at), 4), int(errors)))


def coded(x):
    """One-byte codes of at most 255 values a column: the values, or ranks among 255 quantiles."""
    codes = []
    for column in x.T:
        values = np.unique(column)
        if len(values) > 255:
            cuts = np.unique(np.quantile(column, np.linspace(0, 1, 256)[1:-1]))
            column = np.searchsorted(cuts, column)
            values = np.unique(column)
        codes.append(np.searchsorted(values, column))
    return np.ascontiguousarray(np.stack(codes).astype(np.uint8))


def dilemma(x, y, depth, seconds, search="auto", test=None):
    """Ours; binning is on the clock."""
    from dilemma.tree.encoding import binary_codes
    from dilemma.tree.engine import Data, Settings, TreeSearch

    clock = Clock()
    codes = coded(x) if x.dtype != np.uint8 else binary_codes(x)  # as `fit` reads them
    n_codes = np.maximum(codes.max(axis=1) + 1, 2).astype(np.int32)  # a test set may hold the other value
    classes = int(y.max()) + 1
    data = Data(codes, n_codes, np.zeros(len(codes), bool), y.astype(np.int32), classes)
    run = TreeSearch(data, Settings(max_depth=depth, search=search))
    stamps = []
    run.run(max_iter=0, callback=lambda _: stamps.append(clock.now()))
    while run.stop_reason in ("max_iter", "time_limit") and clock.now() < seconds and search != "greedy":
        # the limit is one of the wall clock: CPU time needs slices, which end at the checkpoints
        now = clock.now()
        until = min([c for c in (0.1, 1.0, 10.0, seconds) if c > now], default=seconds)
        limit = min(max(until - now, 0.001), max(0.02, now / 2))
        run.run(time_limit=limit, callback=lambda _: stamps.append(clock.now()))
    clock.stop()
    for at, errors in zip(stamps, run.trace.train_error, strict=True):
        clock.note(errors, at)
    if test is not None:
        there = Data(
            np.ascontiguousarray(test[0].T), n_codes, data.categorical, test[1].astype(np.int32), classes
        )
        clock.test_errors = int(run.tree().cost(there))
    return clock, run.optimal, run.energy


def million(x, y, depth, seconds):
    """The estimator on a million rows by 100 real columns, by the wall clock."""
    from dilemma.tree import DilemmaTreeClassifier

    rng = np.random.default_rng(0)
    x = rng.standard_normal((1_000_000, 100)).astype(np.float32)
    y = ((x[:, 0] > 0) ^ (x[:, 1] > 0.3) ^ (x[:, 2] + x[:, 3] > 0)) ^ (rng.random(len(x)) < 0.1)
    clock, wall = Clock(), time.perf_counter()
    model = DilemmaTreeClassifier(max_depth=depth, max_iter=None, time_limit=seconds).fit(x, y.astype(int))
    clock.wall = round(time.perf_counter() - wall, 2)
    clock.stop()
    for at, errors in zip(model.trace_.seconds, model.trace_.train_error, strict=True):
        clock.note(errors, at)
    return clock, bool(model.tree_.optimal), int((model.predict(x) != y).sum())


def pystreed(x, y, depth, seconds):
    """STreeD, for proofs: one entry, at its end."""
    from pystreed import STreeDClassifier

    clock = Clock()
    model = STreeDClassifier(max_depth=depth, max_num_nodes=2**depth - 1, time_limit=seconds)
    model.fit(x.astype(int), y)
    clock.stop()
    errors = int((model.predict(x.astype(int)) != y).sum())
    clock.note(errors)
    return clock, bool(model.fit_result.is_optimal()), errors


def lds(x, y, depth, seconds):
    """pytrees-rs: limited discrepancy search; its reported errors, stamped as they come."""
    from pytrees import DL85Classifier
    from pytrees.rules import DiscrepancyRule

    clock = Clock()
    model = DL85Classifier(
        max_depth=depth, max_time=seconds, heuristic="information_gain", discrepancy=DiscrepancyRule()
    )
    model.fit_anytime(x, y, lambda error, *_: clock.note(error))
    return clock, model.status_ == "optimal", clock.trace[-1][1]


def lgdt(x, y, depth, seconds):
    """pytrees-rs: greedy over optimal trees of depth two. Takes bits: real columns as 16 thresholds each."""
    from pytrees import LGDTClassifier

    clock = Clock()
    if x.dtype != np.uint8:
        cuts = [np.unique(np.quantile(c, np.linspace(0, 1, 18)[1:-1])) for c in x.T]
        x = np.concatenate([c[:, None] > t for c, t in zip(x.T, cuts, strict=True)], axis=1).astype(np.uint8)
    model = LGDTClassifier(max_depth=depth, criterion="error").fit(x, y)
    errors = int((model.predict(x) != y).sum())
    clock.note(errors)
    return clock, False, errors


def contree(x, y, depth, seconds):
    """pytrees-rs: ConTree over real columns, its anytime search."""
    from pytrees import ConTreeClassifier

    clock = Clock()
    model = ConTreeClassifier(max_depth=depth, max_time=seconds, use_lds=True, sort_by_heuristic=True)
    model.fit_anytime(x, y, lambda error, *_: clock.note(error))
    errors = int((model.predict(x) != y).sum())
    clock.note(errors)
    return clock, model.status_ == "optimal", errors


def cart(x, y, depth, seconds):
    """scikit-learn, entropy: the quickest of three fits."""
    from sklearn.tree import DecisionTreeClassifier

    best = None
    for _ in range(REPEATS):
        clock = Clock()
        model = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(x, y)
        spent = clock.now()
        clock.stop()
        clock.note(int((model.predict(x) != y).sum()), spent)
        best = clock if best is None or spent < best.trace[0][0] else best
    return best, False, best.trace[0][1]


def greedy(x, y, depth, seconds):
    """Our greedy tree alone: the quickest of three."""
    runs = [dilemma(x, y, depth, seconds, "greedy") for _ in range(REPEATS)]
    return min(runs, key=lambda run: run[0].trace[0][0])


def proof(x, y, depth, seconds):
    """Our proof alone."""
    return dilemma(x, y, depth, seconds, "proof")


SOLVERS = {f.__name__: f for f in (dilemma, greedy, proof, million, pystreed, lds, lgdt, contree, cart)}


def main():
    """Read, solve, print."""
    solver, path, depths, seconds = sys.argv[1:5]
    with np.load(path, allow_pickle=False) as file:
        x, y = file["x"], file["y"]
        more = {"test": (file["x_test"], file["y_test"])} if solver == "dilemma" and "x_test" in file else {}
    for depth in depths.split(","):
        clock, optimal, errors = SOLVERS[solver](x, y, int(depth), float(seconds), **more)
        answer = {
            "trace": clock.trace,
            "optimal": optimal,
            "errors": int(errors),
            "cpu": round(clock.now(), 4),
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,  # of all depths so far
            "test_errors": clock.test_errors,
            "wall": clock.wall,
        }
        print(json.dumps({k: v for k, v in answer.items() if v is not None}), flush=True)


if __name__ == "__main__":
    main()
