"""One panel under one reading of the protocol: the problem, and how a method is run on it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from dilemma.experiments.id3 import Rows, SequenceTree
from dilemma.experiments.known import FloatArray
from dilemma.experiments.methods import Method
from dilemma.experiments.packing import PaperKnapsack
from dilemma.experiments.whole import minimize, run_tree
from dilemma.strategies import RandomState
from dilemma.strategies.base import Strategy

Record = dict[str, Any]
Mistakes = Callable[[int], Any]  # of a set of rows: which of them a tree gets wrong


def greedy_of(problem: Any) -> tuple[Any, ...]:
    """Return the actions of the plain greedy, built without the engine: the best one until there is none."""
    state, taken = problem.initial(), []
    while len((offer := problem.actions(state))[0]):
        taken.append(offer[0][int(np.argmax(offer[1]))].item())
        state = problem.apply(state, taken[-1])
    return tuple(taken)


def ties_of(problem: Any, actions: tuple[Any, ...]) -> int:
    """Return in how many of the states on the way the best two scores are equal: dilemmas of gap 0."""
    state, count = problem.initial(), 0
    for action in actions:
        scores = np.sort(problem.actions(state)[1])[::-1]
        count += len(scores) > 1 and bool(scores[0] == scores[1])
        state = problem.apply(state, action)
    return count


def energy_of(problem: Any, actions: tuple[Any, ...]) -> float:
    """Return the energy of what some actions lead to."""
    state = problem.initial()
    for action in actions:
        state = problem.apply(state, action)
    return float(problem.energy(state))


def run_generic(
    problem: Any, strategy: Strategy, *, seed: int, max_iter: int
) -> tuple[Record, tuple[Any, ...]]:
    """Run the engine and return a record of it with the best actions."""
    marks: list[float] = []
    start = time.process_time()
    result = minimize(
        problem,
        strategy=strategy,
        max_iter=max_iter,
        random_state=seed,
        callbacks=lambda event: marks.append(time.process_time()),
    )
    milliseconds = np.diff([start, *marks]) * 1e3
    record: Record = {
        "seed": seed,
        "improvements": [[row.iteration, row.energy] for row in result.trace.improvements()],
        "iterations": result.iterations,
        "greedy": result.greedy_energy,
        "energy": result.energy,
        "distinct": result.distinct,
        "stop": result.stop_reason.value,
        "first_ms": float(milliseconds[0]),
        "mean_ms": float(milliseconds[1:].mean()) if len(milliseconds) > 1 else math.nan,
        "worst_ms": float(milliseconds[1:].max()) if len(milliseconds) > 1 else math.nan,
    }
    return record, result.actions


@dataclass
class KnapsackArena:
    """A knapsack panel."""

    problem: PaperKnapsack

    def __post_init__(self) -> None:
        self.branching = self.problem.branching()
        self.greedy = greedy_of(self.problem)

    def run(self, method: Method, seed: int, max_iter: int) -> Record:
        """Return the record of one run."""
        strategy = method.strategy(self.branching)
        return run_generic(self.problem, strategy, seed=seed, max_iter=max_iter)[0]

    def beyond(self, seconds: float) -> Record:
        """Return what the knapsack solver of this library makes of the instance in a given time."""
        from dilemma import knapsack

        start = time.process_time()
        # Sections V and VII speak of whole numbers; the solver is exact on them.
        result = knapsack.solve(
            self.problem.values, self.problem.weights, self.problem.capacity, time_limit=seconds
        )
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        return {
            "cpu_seconds": time.process_time() - start,
            "value": float(result.value),
            "optimal": bool(result.optimal),
        }

    def optimum(self, seconds: float = 20.0) -> float | None:
        """Return the optimum, proved by the knapsack solver, or None if that takes too long."""
        own = self.beyond(seconds)
        return float(own["value"]) if own["optimal"] else None

    def facts(self) -> Record:
        """Return what the tables say of the instance."""
        return {
            "greedy_energy": energy_of(self.problem, self.greedy),
            "items": len(self.problem.values),
            "greedy_nodes": len(self.greedy),
            "greedy_ties": ties_of(self.problem, self.greedy),
            "capacity": self.problem.capacity,
            "optimum": self.optimum(),
            "branching": self.branching,
        }


@dataclass
class TreeArena:
    """A decision-tree panel: energy on the second set; the third, if any, is only told."""

    train: Rows
    judge: Rows
    test: Rows | None
    depth: int = 8
    min_entropy: float = 0.0

    def __post_init__(self) -> None:
        self.names = ("training", "test") if self.test is None else ("training", "validation", "test")
        self.problem = SequenceTree(
            self.train, self.judge, self.test, depth=self.depth, min_entropy=self.min_entropy
        )
        self.levels = self.problem.with_order("breadth")
        # What a candidate costs before the caches are warm: the greedy, and random changes of it.
        self.cold, _ = run_generic(self.problem, RandomState(), seed=1000, max_iter=101)
        self.branching = float(self.train.bits.shape[0])
        self.greedy = greedy_of(self.problem)

    def run(self, method: Method, seed: int, max_iter: int) -> Record:
        """Return the record of one run."""
        if method.tree == "and-or":
            return self._and_or(method, seed, max_iter)
        tree = self.levels if method.tree == "levels" else self.problem
        record, actions = run_generic(tree, method.strategy(self.branching), seed=seed, max_iter=max_iter)
        record["errors"] = dict(zip(self.names, tree.errors(actions), strict=True))
        if method.runs == 1:
            record["paired"] = self._paired(self._greedy_mistakes, partial(tree.mistakes, actions))
        if method.constant:
            strategy = replace(method, constant=0.0).strategy(self.branching)
            without = run_generic(tree, strategy, seed=0, max_iter=max_iter)[1]
            record["against_no_constant"] = self._paired(
                partial(tree.mistakes, without), partial(tree.mistakes, actions)
            )
        return record

    def _greedy_mistakes(self, which: int) -> Any:
        return self.problem.mistakes(self.greedy, which)

    def _paired(self, before: Mistakes, after: Mistakes) -> Record:
        """Return how two trees compare, row by row, on the sets they were not grown on."""
        return {
            name: paired(part.weights, before(i), after(i))
            for i, (name, part) in enumerate(zip(self.names, self.problem.sets, strict=True))
            if i
        }

    def beyond(self, seconds: float) -> Record:
        """Return the errors of the tree engine with its own defaults: training energy, some seconds of CPU time."""
        from dilemma.tree.engine import Settings, TreeSearch

        search = TreeSearch(self.coded[0], Settings(max_depth=self.depth), *self.coded[1:])
        start = time.process_time()
        while (left := seconds - (time.process_time() - start)) > 0.01:  # whatever else the machine does
            run_tree(search, time_limit=left)
            if search.stop_reason != "time_limit":
                break
        last = search.trace
        errors = (last.train_error[-1], last.validation_error[-1], last.test_error[-1])
        return {
            "cpu_seconds": time.process_time() - start,
            "errors": {n: float(e) for n, e in zip(self.names, errors, strict=False)},
        }

    @cached_property
    def coded(self) -> list[Any]:
        """The sets in the coding of the tree engine."""
        return [coded_rows(part, self.problem.classes) for part in self.problem.sets]

    def _and_or(self, method: Method, seed: int, max_iter: int) -> Record:
        """Search subtrees on their own, with the tree engine; an iteration tries one split of one node."""
        from dilemma.tree.engine import Settings, TreeSearch

        default = method.order == "auto"  # it looks at training rows alone
        settings = Settings(
            max_depth=self.depth,
            min_entropy=self.min_entropy,
            search={"raw": "dilemma", "random": "random", "auto": "auto"}[method.order],
            energy="training" if default else "validation",
            random_state=seed,
        )
        coded = self.coded
        search = TreeSearch(coded[0], settings, coded[1], coded[2] if len(coded) > 2 else None)
        start = time.process_time()
        run_tree(search, max_iter=0)
        first = time.process_time() - start
        run_tree(search, max_iter=max_iter - 1)
        spent = time.process_time() - start - first
        trace = search.trace
        judged = trace.validation_error if default else trace.energy
        rows = list(zip(trace.iteration.tolist(), judged.tolist(), strict=True))
        rows = [row for before, row in pairwise([(-1, math.nan), *rows]) if row[1] != before[1]]
        rows[0] = (0, rows[0][1])
        last = (trace.train_error[-1], trace.validation_error[-1], trace.test_error[-1])
        pairs = {}
        if method.runs == 1:
            grown = search.tree()

            def mistakes(which: int) -> Any:
                part = self.problem.sets[which]
                return grown.label[grown.apply(part.bits)] != part.labels

            pairs["paired"] = self._paired(self._greedy_mistakes, mistakes)
        return {
            **pairs,
            "seed": seed,
            "improvements": [list(row) for row in rows],
            "iterations": search.iterations + 1,
            "greedy": rows[0][1],
            "energy": rows[-1][1],
            "distinct": None,
            "stop": search.stop_reason,
            "first_ms": first * 1e3,
            "mean_ms": spent * 1e3 / max(1, search.iterations),
            "worst_ms": None,
            "errors": {n: float(e) for n, e in zip(self.names, last, strict=False)},
        }

    def facts(self) -> Record:
        """Return what the tables say of the data and the greedy tree."""
        return {
            "greedy_energy": energy_of(self.problem, self.greedy),
            "rows": {
                n: float(part.weights.sum()) for n, part in zip(self.names, self.problem.sets, strict=True)
            },
            "attributes": int(self.train.bits.shape[0]),
            "classes": self.problem.classes,
            "depth": self.depth,
            "branching": self.branching,
            "greedy_errors": dict(zip(self.names, self.problem.errors(self.greedy), strict=True)),
            "greedy_nodes": len(self.greedy),
            "greedy_ties": ties_of(self.problem, self.greedy),
            "cold_ms": {k: self.cold[k] for k in ("first_ms", "mean_ms", "worst_ms")},
            "scikit_learn_errors": sklearn_errors(self) if scikit_learn() else None,
        }


def paired(weights: FloatArray, before: Any, after: Any) -> Record:
    """Return how many rows are mended and spoiled, by weight, and the interval of the change in error rate.

    The interval is the usual one of two proportions on the same rows (95 %), each row weighing alike.
    """
    total = float(weights.sum())
    mended, spoiled = float(weights[before & ~after].sum()), float(weights[~before & after].sum())
    change = (mended - spoiled) / total
    spread = math.sqrt(max(0.0, (mended + spoiled) / total - change**2) / total)
    return {"mended": mended, "spoiled": spoiled, "change": change, "low": change - 1.96 * spread,
            "high": change + 1.96 * spread}  # fmt: skip


def coded_rows(part: Rows, classes: int) -> Any:
    """Return rows in the coding of the tree engine."""
    from dilemma.tree.engine import Data

    count = part.bits.shape[0]
    return Data(
        codes=part.bits,
        n_codes=np.full(count, 2, dtype=np.int32),
        categorical=np.zeros(count, dtype=bool),
        target=part.labels.astype(np.int32),
        n_classes=classes,
        weights=None if np.all(part.weights == 1) else part.weights,
    )


def scikit_learn() -> bool:
    """Return whether scikit-learn is there to compare with."""
    try:
        import sklearn.tree  # noqa: F401
    except ImportError:
        return False
    return True


def sklearn_errors(arena: TreeArena) -> dict[str, float]:
    """Return the errors of scikit-learn's entropy tree of equal depth on each set."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", max_depth=arena.depth, random_state=0)
    tree.fit(arena.train.bits.T, arena.train.labels, sample_weight=arena.train.weights)
    found = {}
    for name, part in zip(arena.names, arena.problem.sets, strict=True):
        wrong = tree.predict(part.bits.T) != part.labels
        found[name] = float(part.weights[wrong].sum())
    return found
