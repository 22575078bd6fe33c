"""Runs one tree solver on one table and prints its improvements as JSON (a process of `trees.py`).

    python trees_runner.py SOLVER FILE DEPTH SECONDS

FILE is an .npz with `x` (rows by features: 0/1, or real numbers) and `y`. Times are CPU seconds since
the table was read and the solver imported. SECONDS limits CPU time for ours, wall time for the others.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np


class Clock:
    """CPU seconds since the start, and improvements with their time."""

    def __init__(self):
        self.start, self.trace = time.process_time(), []

    def now(self):
        return time.process_time() - self.start

    def note(self, errors):
        if not self.trace or errors < self.trace[-1][1]:
            self.trace.append((round(self.now(), 4), int(errors)))


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


def dilemma(x, y, depth, seconds, search="auto"):
    """Ours; binning is on the clock."""
    from dilemma.tree.engine import Data, Settings, TreeSearch

    clock = Clock()
    codes = coded(x) if x.dtype != np.uint8 else np.ascontiguousarray(x.T)
    n_codes = (codes.max(axis=1) + 1).astype(np.int32)
    data = Data(codes, n_codes, np.zeros(len(codes), bool), y.astype(np.int32), int(y.max()) + 1)
    run = TreeSearch(data, Settings(max_depth=depth, search=search))
    while True:
        run.run(time_limit=min(max(seconds - clock.now(), 0.001), 0.05 if clock.now() < 1 else 0.5))
        clock.note(run.energy)
        if run.stop_reason != "time_limit" or clock.now() >= seconds:
            return clock, run.optimal, run.energy


def pystreed(x, y, depth, seconds):
    """STreeD, for proofs: one entry, at its end."""
    from pystreed import STreeDClassifier

    clock = Clock()
    model = STreeDClassifier(max_depth=depth, max_num_nodes=2**depth - 1, time_limit=seconds)
    model.fit(x.astype(int), y)
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
    """pytrees-rs: greedy over optimal trees of depth two."""
    from pytrees import LGDTClassifier

    clock = Clock()
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
    """scikit-learn, entropy."""
    from sklearn.tree import DecisionTreeClassifier

    clock = Clock()
    model = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(x, y)
    spent = clock.now()
    errors = int((model.predict(x) != y).sum())
    clock.trace.append((round(spent, 4), errors))
    return clock, False, errors


def greedy(x, y, depth, seconds):
    """Our greedy tree alone."""
    return dilemma(x, y, depth, seconds, "greedy")


def proof(x, y, depth, seconds):
    """Our proof alone."""
    return dilemma(x, y, depth, seconds, "proof")


SOLVERS = {f.__name__: f for f in (dilemma, greedy, proof, pystreed, lds, lgdt, contree, cart)}


def main():
    """Read, solve, print."""
    solver, path, depth, seconds = sys.argv[1:5]
    with np.load(path, allow_pickle=False) as file:
        x, y = file["x"], file["y"]
    clock, optimal, errors = SOLVERS[solver](x, y, int(depth), float(seconds))
    answer = {"trace": clock.trace, "optimal": optimal, "errors": int(errors), "cpu": round(clock.now(), 4)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
