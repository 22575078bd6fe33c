"""Proofs against brute force, bugs that must not come back, and the memory limit."""

import itertools

import numpy as np
import pytest

from dilemma.tree.engine import Data, Settings, TreeSearch
from dilemma.tree.engine_native import NativeSearch, module
from dilemma.tree.twin import TwinSearch

BACKENDS = ["python"] if module() is None else ["python", "native"]


def table(seed, rows, codes, classes=2, weighted=False):
    """A random table: `codes` lists the number of codes of each feature."""
    rng = np.random.default_rng(seed)
    x = np.stack([rng.integers(0, k, rows) for k in codes]).astype(np.uint8)
    y = rng.integers(0, classes, rows).astype(np.int32)
    weights = rng.integers(0, 4, rows).astype(np.float64) if weighted else None
    return Data(x, np.array(codes, np.int32), np.zeros(len(codes), np.bool_), y, classes, weights)


def brute_force(data, depth, penalty):
    """The least energy of any tree of thresholds, by trying them all."""
    weights = np.ones(data.n_rows) if data.weights is None else data.weights
    known = {}

    def best(rows, levels):
        key = (rows.tobytes(), levels)
        if key not in known:
            counts = np.bincount(data.target[rows], weights[rows], data.n_classes)
            low = counts.sum() - counts.max() + penalty
            if levels:
                for f, t in itertools.product(range(data.n_features), range(int(data.n_codes.max()) - 1)):
                    left = data.codes[f, rows] <= t
                    if left.any() and not left.all():
                        low = min(low, best(rows[left], levels - 1) + best(rows[~left], levels - 1))
            known[key] = low
        return known[key]

    return best(np.arange(data.n_rows), depth)


def search(backend, data, settings):
    """The search of one backend."""
    return TwinSearch(data, settings) if backend == "python" else NativeSearch(data, settings, None, "auto")


@pytest.mark.parametrize("penalty", [0.0, 0.7])
@pytest.mark.parametrize("how", ["auto", "proof"])
@pytest.mark.parametrize(
    ("depth", "rows", "codes", "classes", "weighted"),
    [
        (3, 40, [2] * 6, 2, False),  # bit sets
        (4, 60, [2] * 4, 3, False),
        (3, 36, [5, 5], 2, True),  # histograms
        (4, 40, [4, 4], 2, True),
        (4, 40, [5, 3], 3, True),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_proofs_are_true(backend, depth, rows, codes, classes, weighted, how, penalty):
    for seed in range(3):
        data = table(seed, rows, codes, classes, weighted)
        run = search(backend, data, Settings(max_depth=depth, search=how, leaf_penalty=penalty))
        assert run.run(1e9, -1, False) == "exhausted"
        assert run.optimal
        assert run.energy == pytest.approx(brute_force(data, depth, penalty))
        assert run.bound == pytest.approx(run.energy)


@pytest.mark.skipif(module() is None, reason="the native module was not built")
@pytest.mark.parametrize("seed", range(6))
def test_a_row_set_given_up_at_a_ceiling_is_not_taken_for_solved(seed):
    """At depth four the same rows are met again under other ceilings: histograms, no bit sets."""
    data = table(seed, 120, [9, 8, 7], weighted=True)
    energies = set()
    for how in ("proof", "auto"):
        run = search("native", data, Settings(max_depth=4, search=how))
        assert run.run(1e9, -1, False) == "exhausted"
        assert run.optimal
        energies.add(run.energy)
    halving = search("native", data, Settings(max_depth=4, search="halving"))
    halving.run(1e9, 20_000, False)
    assert min(energies) == max(energies) <= halving.energy


def shared_children():
    """A root whose second cut leads to row sets that were solved below its first one."""
    x = np.array(list(itertools.product([0, 1], repeat=4)), np.uint8).T
    y = ((x[0] ^ x[1]) & (x[2] | x[3])).astype(np.int32)
    return Data(np.ascontiguousarray(x), np.full(4, 2, np.int32), np.zeros(4, np.bool_), y, 2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("how", ["halving", "dilemma", "regret", "rank", "random"])
def test_a_node_counts_its_own_edge_when_its_children_were_known(backend, how):
    """Without it, exhausted searches report trees that are not the best met."""
    cases = [shared_children(), *(table(seed, 30, [2] * 4) for seed in range(5))]
    for data in cases:
        run = search(backend, data, Settings(max_depth=4, search=how))
        assert run.run(1e9, -1, False) == "exhausted"
        assert run.energy == brute_force(data, 4, 0.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_cache_knows_the_judging_rows_apart(backend):
    """Equal training rows with other validation rows are other nodes: their energies differ."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        train = table(seed, 12, [2] * 4)  # two columns agree on the training rows ...
        train.codes[1] = train.codes[0]
        judge = table(100 + seed, 30, [2] * 4)  # ... and not on those that judge
        settings = Settings(
            max_depth=3, energy="validation", search="rank", random_state=int(rng.integers(9))
        )
        run = TreeSearch(train, settings, judge)
        run._backend = (
            TwinSearch(train, settings, judge)
            if backend == "python"
            else NativeSearch(train, settings, judge, "auto")
        )
        run.run()
        assert run._backend.energy == run.tree().cost(judge)


@pytest.mark.skipif(module() is None, reason="the native module was not built")
def test_the_memory_limit_is_kept_and_reported():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (60, 2000)).astype(np.uint8)
    y = rng.integers(0, 3, 2000).astype(np.int32)
    data = Data(x, np.full(60, 2, np.int32), np.zeros(60, np.bool_), y, 3)
    limit = 12 << 20
    run = TreeSearch(data, Settings(max_depth=6, memory_limit=limit))
    run.run()
    assert run.stop_reason == "memory_limit"
    assert run._backend.bytes < 2 * limit  # one block of each pool at most beyond it
    assert run.energy == run._backend.energy  # and there is a tree
