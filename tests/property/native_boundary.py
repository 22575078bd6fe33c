"""Calls at the boundary of the native modules: right ones, and the same with one or two arguments spoilt.

A spoilt call must raise one of `REFUSALS` or do no harm; a right one must agree with its Python twin. Under
`make sanitize` the modules are built with AddressSanitizer and UBSan, which end the process at the first access
out of bounds or undefined operation; the suite runs a few rounds without them.

    python tests/property/native_boundary.py --seed 0 --rounds 3000
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import time
from collections import Counter

import numpy as np

REFUSALS = (TypeError, ValueError, KeyError, OverflowError, RuntimeError, IndexError)
NUMBERS = [0, 1, -1, 2, 3, 7, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, 2**64, 10**40]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 5e-324, float("nan"), float("inf"), float("-inf")]
DTYPES = [bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64, object]


def module(name):
    """A native module, or None where it was not built."""
    try:
        return importlib.import_module(f"dilemma.native._{name}")
    except ImportError:
        return None


# Spoiling arguments.


def spoil(value, rng):
    """Another value of about the same kind: wrong in shape, dtype, layout, range or altogether."""
    if isinstance(value, np.ndarray):
        return spoil_array(value, rng)
    if isinstance(value, dict):
        key = rng.choice(list(value))
        out = dict(value)
        if rng.random() < 0.1:
            del out[key]
        else:
            out[key] = spoil(value[key], rng)
        return out
    if isinstance(value, bool):
        return pick(rng, [not value, None, 2, "yes"])
    if isinstance(value, int):
        return pick(rng, [*NUMBERS, 0.5, None, "1"])
    if isinstance(value, float):
        return pick(rng, [*REALS, None, "1", 3])
    if isinstance(value, str):
        return pick(rng, ["", "no such thing", value + "\0", None, 1, b"bytes"])
    return pick(rng, [None, 0, "x", np.zeros(3), np.zeros((2, 2), np.int32), object()])


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def spoil_array(array, rng):
    """One fault in an array."""
    if array.ndim == 0:
        return array
    fault = int(rng.integers(9))
    if fault == 0:
        return array.astype(pick(rng, DTYPES))
    if fault == 1:  # one more or fewer along an axis
        axis = int(rng.integers(array.ndim))
        if rng.random() < 0.5:
            return np.concatenate([array, array], axis=axis)
        return np.ascontiguousarray(np.take(array, range(max(array.shape[axis] - 1, 0)), axis=axis))
    if fault == 2:
        return array[:, None].copy() if array.ndim == 1 else array.reshape(-1)
    if fault == 3:
        return np.zeros((*array.shape[:-1], 0), array.dtype)
    if fault == 4:  # not contiguous
        return np.repeat(array, 2, axis=-1)[..., ::2] if rng.random() < 0.5 else array[::-1]
    if fault == 5:
        out = array.copy()
        out.flags.writeable = False
        return out
    if fault == 6:
        return pick(rng, [None, 0, "array", [], array.tolist(), np.array(3.0)])
    out = array.copy()  # some entries out of range
    if out.size:
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(out.size))
            if out.dtype.kind == "f":
                out.flat[at] = pick(rng, REALS)
            elif out.dtype.kind in "iu":
                info = np.iinfo(out.dtype)
                near = int(out.flat[at]) + pick(rng, [-2, -1, 1, 2, 100])
                out.flat[at] = min(max(pick(rng, [near, info.min, info.max, 0]), info.min), info.max)
    return out


def spoilt(arguments, rng, *, share=0.8):
    """`arguments`, in a `share` of the calls with one or two of them spoilt, and how many were."""
    out = list(arguments)
    faults = int(rng.choice([1, 1, 1, 2])) if rng.random() < share else 0
    for _ in range(faults if out else 0):
        at = int(rng.integers(len(out)))
        out[at] = spoil(out[at], rng)
    return out, faults


def attempt(function, arguments):
    """What a call answers, or None when it refuses."""
    try:
        return function(*arguments)
    except REFUSALS:
        return None


# Right calls, one function a kernel. Each answers what it ran, for the count.


def tree_table(rng, n_codes, n_classes, rows):
    codes = np.stack([rng.integers(0, k, rows) for k in n_codes] or [np.zeros(rows)])[: len(n_codes)]
    codes = np.ascontiguousarray(codes.astype(np.uint8)).reshape(len(n_codes), rows)
    codes[rng.random(codes.shape) < rng.choice([0, 0.2])] = 255
    categorical = rng.random(len(n_codes)) < rng.choice([0.0, 0.5])
    classes = rng.integers(0, n_classes, rows).astype(np.int32) if n_classes else None
    values = None if n_classes else rng.normal(size=rows)
    weights = rng.integers(0, 4, rows).astype(float) if rng.random() < 0.3 else None
    return [codes, n_codes, categorical, classes, values, n_classes, weights]


def fuzz_tree(native, rng):
    """Tables, settings, runs and plans of the tree engine."""
    features = int(rng.choice([0, 1, 2, 3, 5, 20, 70]))
    most = int(rng.choice([2, 3, 8, 255]))
    n_codes = rng.integers(1, most + 1, features).astype(np.int32)
    n_classes = int(rng.choice([0, 1, 2, 3, 10, 300]))
    rows = int(rng.choice([1, 2, 15, 16, 17, 64, 65, 200, 700]))
    given = tree_table(rng, n_codes, n_classes, rows)
    judge = tree_table(rng, n_codes, n_classes, int(rng.integers(1, 30)))
    judge[2] = given[2]
    options = {
        "max_depth": int(rng.choice([0, 1, 2, 3, 4, 6, 30, 255])),
        "criterion": str(rng.choice(["entropy", "gini", "error"])) if n_classes else "squared_error",
        "leaf_penalty": float(rng.choice([0.0, 0.5, 2.0])),
        "min_samples_leaf": int(rng.choice([1, 1, 5, 2**31])),
        "min_samples_split": int(rng.choice([2, 2, 6])),
        "min_entropy": float(rng.choice([0.0, 0.0, 0.5])) if n_classes else 0.0,
        "categorical_splits": str(rng.choice(["subset", "one_vs_rest", "multiway"])),
        "search": str(
            rng.choice(["auto", "halving", "proof", "dilemma", "regret", "rank", "random", "greedy"])
        ),
        "validation": bool(rng.random() < 0.3),
        "memory_limit": int(rng.choice([0, 1, 10**5, 10**8])),
        "n_threads": int(rng.choice([1, 1, 2, 3])),
        "random_state": int(rng.integers(2**63)),
        "kernel": str(rng.choice(native.kernels())),
    }
    costs = rng.integers(0, 3, (n_classes, n_classes)).astype(float) if n_classes else None
    given, faults = spoilt(given, rng, share=0.4)
    table = attempt(native.Table, given)
    judge, wrong = spoilt(judge, rng, share=0.2)
    judge = attempt(native.Table, judge)
    if table is None:
        assert faults, "a right table was refused"
        return
    call, more = spoilt([table, judge, options, costs if rng.random() < 0.3 else None], rng, share=0.4)
    engine = attempt(native.make_engine, call)
    if engine is None:
        assert faults or wrong or more, "a right call was refused"
        return
    for _ in range(int(rng.integers(1, 4))):
        # A quarter of a second at most: huge spaces are meant.
        run, _ = spoilt([0.25, int(rng.choice([0, 1, 20, 500])), bool(rng.random() < 0.5)], rng, share=0.3)
        if not isinstance(run[0], float) or not run[0] <= 0.25:
            run[0] = 0.25 if isinstance(run[0], float) else run[0]
        attempt(engine.run, run)
        assert len(engine.plan()) >= 1
        assert engine.bytes >= 0
        assert isinstance(engine.optimal, bool)
        assert engine.energy is not None
        assert engine.space in ("", "bits", "histograms")


def random_tree(rng, features):
    """Arrays of a tree, children behind their parents."""
    kind, feature, missing, start, branch, threshold = [], [], [], [0], [], []
    pending, total = 1, 1
    while pending:
        pending -= 1
        leaf = total > 40 or rng.random() < 0.4
        k = 0 if leaf else int(rng.integers(1, 4))
        kind.append(k)
        feature.append(-1 if leaf else int(rng.integers(features)))
        threshold.append(float(rng.normal()))
        width = 0 if leaf else (int(rng.integers(1, 9)) if k == 3 else 2)
        branch += list(range(total, total + width))
        missing.append(-1 if leaf else int(rng.integers(total, total + width)))
        start.append(len(branch))
        pending, total = pending + width, total + width
    n = len(kind)
    mask = rng.integers(0, 256, (n, 32)).astype(np.uint8)
    as32 = [np.array(a, np.int32) for a in (feature, missing, start, branch)]
    return np.array(kind, np.uint8), as32[0], np.array(threshold), mask, as32[1], as32[2], as32[3]


def fuzz_predict(native, rng):
    """Walking rows down a tree, reading tables, counting classes."""
    from types import SimpleNamespace

    from dilemma.tree import encoding, rowsets, walk

    which = int(rng.integers(5))
    rows = int(rng.choice([0, 1, 7, 8, 9, 63, 64, 65, 130]))
    features = int(rng.choice([1, 2, 7, 8, 9, 17]))
    if which == 0:
        tree = random_tree(rng, features)
        x = pick(rng, [rng.normal(size=(rows, features)), rng.integers(0, 9, (rows, features)) * 1.0])
        x[rng.random(x.shape) < 0.1] = pick(rng, REALS)
        x = pick(
            rng, [x, x.astype(np.float32), np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1]]
        )
        leaf = np.empty(rows, np.int32)
        call, faults = spoilt([*tree, x, leaf], rng)
        attempt(native.apply, call)
        if not faults:
            names = ("kind", "feature", "threshold", "mask", "missing", "branch_start", "branch")
            twin = walk.leaves_python(SimpleNamespace(**dict(zip(names, tree, strict=True))), x, tree[1])
            np.testing.assert_array_equal(leaf, twin)
    elif which == 1:
        x = rng.integers(0, 2, (rows, features))
        x = x.astype(pick(rng, [np.uint8, np.float32, np.float64]))
        if rng.random() < 0.3 and x.size:
            x.flat[int(rng.integers(x.size))] = 2
        x = pick(rng, [x, np.asfortranarray(x), np.repeat(x, 3, axis=1)[:, ::3], x[::-1, ::-1]])
        codes = np.empty((features, rows), np.uint8)
        call, faults = spoilt([x, codes], rng)
        fine = attempt(native.binary, call)
        if not faults:
            assert fine == bool(((x == 0) | (x == 1)).all())
            if fine:
                np.testing.assert_array_equal(codes, x.T)
    elif which == 2:
        words = int(rng.choice([1, 2, 5, 40]))
        n_classes = int(rng.integers(1, 5))
        columns = rng.integers(0, 2**64, (features, words), dtype=np.uint64)
        at = np.flatnonzero(rng.random(words) < 0.6).astype(np.int32)
        held = rng.integers(0, 2**64, len(at), dtype=np.uint64)
        word_class = np.sort(rng.integers(0, n_classes, words)).astype(np.int32)
        out = np.zeros((features, n_classes), np.int64)
        call, faults = spoilt([columns, at, held, word_class, out], rng)
        attempt(native.counts, call)
        if not faults:
            np.testing.assert_array_equal(
                out, rowsets.counts_python(columns, at, held, word_class, n_classes)
            )
    elif which == 3:
        x = pick(rng, [rng.normal(size=(rows, features)), rng.integers(-3, 3, (rows, features))])
        x = x.astype(pick(rng, [np.uint8, np.int32, np.int64, np.float32, np.float64]))
        x = pick(rng, [x, np.asfortranarray(x), np.repeat(x, 3, axis=1)[:, ::3], x[::-1, ::-1]])
        columns = np.flatnonzero(rng.random(features) < 0.7).astype(np.int32)
        cuts = [np.sort(rng.normal(size=int(rng.choice([0, 1, 2, 63, 254])))) for _ in columns]
        start = np.append(0, np.cumsum([len(c) for c in cuts])).astype(np.int32)
        codes = np.zeros((features, rows), np.uint8)
        call, faults = spoilt([x, columns, start, np.concatenate([[], *cuts]), codes], rng)
        attempt(native.encode, call)
        if not faults:
            for j, own in zip(columns, cuts, strict=True):
                np.testing.assert_array_equal(codes[j], encoding.search_python(x[:, j].astype(float), own))
    else:
        values = np.append(rng.normal(size=rows), REALS)
        cuts = np.sort(rng.normal(size=int(rng.choice([0, 1, 5, 254]))))
        codes = np.empty(len(values), np.uint8)
        call, faults = spoilt([values, cuts, codes], rng)
        attempt(native.search, call)
        if not faults:
            np.testing.assert_array_equal(codes, encoding.search_python(values, cuts))


def fuzz_knapsack(native, rng):
    """Both widths of the knapsack solver."""
    n = int(rng.choice([0, 1, 2, 10, 40]))
    most = int(rng.choice([3, 100, 10**9, 2**54]))
    values, weights = rng.integers(1, most, n), rng.integers(1, most, n)
    total = int(sum(int(w) for w in weights))
    capacity = max(total // 2, int(weights.max(initial=0)))
    options = {
        "time_limit": 0.2,
        "max_iter": int(rng.choice([1, 5, 200])),
        "target": None if rng.random() < 0.7 else int(values.sum() // 2),
        "trace_all": bool(rng.random() < 0.5),
        "core_after": int(rng.choice([-1, 0, 3, 100])),
        "max_states": int(rng.choice([1, 50, 10**5])),
        "max_queue": int(rng.choice([2, 10, 10**4])),
        "bounded": True,
    }
    wide = rng.random() < 0.4
    if wide:
        columns = [
            np.stack([c, rng.integers(0, 2**20, n)], axis=1).astype(np.uint64) for c in (values, weights)
        ]
        total = sum(int(a) + (int(b) << 64) for a, b in columns[1])
        capacity = max([total // 2, *(int(a) + (int(b) << 64) for a, b in columns[1])])
    else:
        columns = [values.astype(np.int64), weights.astype(np.int64)]
    (values, weights, capacity, options), faults = spoilt([*columns, capacity, options], rng)
    if not isinstance(options, dict):
        return
    if isinstance(options.get("time_limit"), float) and not 0 <= options["time_limit"] <= 0.2:
        options["time_limit"] = 0.2
    solve = native.solve128 if wide else native.solve64
    out = attempt(lambda: solve(values, weights, capacity, **options), [])
    if out is not None and not faults:
        size = np.array([1, 2**64], dtype=object) if wide else np.array([1], dtype=object)
        value, weight = (c.reshape(n, len(size)).astype(object) @ size for c in (values, weights))
        assert sum(weight[out["chosen"]]) <= capacity
        assert sum(value[out["chosen"]]) == out["value"] <= out["bound"]


def fuzz_polish(native, rng):
    """Tours and flow shops."""
    from dilemma.problems.insertion import Insertion
    from dilemma.problems.two_opt import neighbour_lists, two_opt

    n = int(rng.choice([0, 1, 2, 3, 4, 5, 8, 20]))
    if rng.random() < 0.5:
        points = rng.integers(0, 50, (n, 2)).astype(float)
        distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        near = neighbour_lists(distances, int(rng.choice([0, 1, 3, 10])))
        near = np.array(near, np.int32).reshape(n, -1 if n and near[0] else 0)
        tour = rng.permutation(n).astype(np.int32)
        start = tour.tolist()
        call, faults = spoilt([tour, near], rng)  # spoilt distances might improve for ever
        attempt(native.two_opt, [call[0], distances, call[1]])
        if rng.random() < 0.3:
            attempt(native.two_opt, [rng.permutation(n).astype(np.int32), distances[:-1].copy(), near])
        if not faults:
            assert tour.tolist() == two_opt(start, distances.tolist(), near.tolist())
        return
    machines = int(rng.integers(0, 5))
    times = rng.integers(0, 20, (n, machines)).astype(float)
    if rng.random() < 0.5 and n:
        jobs = rng.permutation(n)[:-1].astype(np.int32)
        spans = np.empty(n)
        call, faults = spoilt([times, jobs, int(rng.integers(n)), spans], rng)
        attempt(native.insertions, call)
        if not faults:
            twin = Insertion(times.T, backend="python")
            np.testing.assert_array_equal(spans, twin.spans(jobs.tolist(), call[2]))
    else:
        attempt(
            native.descend,
            spoilt([times, rng.permutation(n).astype(np.int32), rng.permutation(n).astype(np.int32)], rng)[0],
        )


def fuzz_ranking(native, rng):
    """Offers in every layout, whole and spoilt."""
    from dilemma.ranking import front_at_plain, front_plain

    n = int(rng.choice([0, 1, 2, 3, 10, 100]))
    scores = pick(rng, [rng.normal(size=n), rng.integers(-2, 3, n) * 1.0])
    names = pick(
        rng, [np.arange(n), np.arange(n).astype(pick(rng, DTYPES[1:])), np.repeat(np.arange(n), 2)[::2]]
    )
    banned = frozenset(rng.integers(0, max(n, 1), int(rng.choice([0, 0, 1, 5]))).tolist())
    (names, scores), faults = spoilt([names, scores], rng, share=0.5)
    listed = [x.tolist() if isinstance(x, np.ndarray) else x for x in (names, scores)]
    offer = pick(rng, [(names, scores), (listed[0], scores), (names, listed[1]), tuple(listed)])
    if rng.random() < 0.4 and all(isinstance(x, list) for x in listed):
        offer = list(zip(*listed, strict=False))
        for _ in range(int(rng.choice([0, 0, 1]))):
            offer.append(
                pick(rng, [None, (), (1,), (1, None), [1, 2.0], (1, 2.0, 3), ([], 9.0), (1, float("nan"))])
            )
            faults += 1
    found = native.front(offer, banned)
    if found is not None:
        assert repr(found) == repr(front_plain(offer, banned))
    elif not faults:
        assert not isinstance(scores, np.ndarray) or scores.dtype != np.float64 or offer == []
    rank = pick(rng, [0, 1, 2, 5, n, -1, 2**40, 2**70, None])
    ordered = attempt(native.front_at, [offer, banned, rank])
    if ordered is not None:
        assert repr(ordered) == repr(front_at_plain(offer, banned, rank))
    attempt(native.front, [offer, pick(rng, [None, [], 3, {1}])])
    attempt(native.front_at, [offer, pick(rng, [None, [], 3, {1}]), 0])


FUZZED = {
    "tree": fuzz_tree, "predict": fuzz_predict, "knapsack": fuzz_knapsack, "polish": fuzz_polish,
    "ranking": fuzz_ranking,
}  # fmt: skip


def rounds(name, first, count):
    """Run `count` rounds on a native module; the seed of a round alone repeats it."""
    native = module(name)
    for seed in range(first, first + count):
        try:
            FUZZED[name](native, np.random.default_rng([seed, *name.encode()]))
        except Exception as error:
            error.add_note(
                f"repeat: python tests/property/native_boundary.py --only {name} --seed {seed} --rounds 1"
            )
            raise


def sanitized(native):
    """Whether a module was built with AddressSanitizer."""
    return b"__asan_report_load" in pathlib.Path(native.__file__).read_bytes()


def main():
    np.seterr(all="ignore")  # casts that overflow are meant
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the first round")
    parser.add_argument("--rounds", type=int, default=1000, help="of each module")
    parser.add_argument("--only", choices=list(FUZZED))
    parser.add_argument(
        "--sanitized", action="store_true", help="refuse modules built without AddressSanitizer"
    )
    parser.add_argument("--verbose", action="store_true", help="print the seed of each round before it runs")
    options = parser.parse_args()
    done = Counter()
    for name in [options.only] if options.only else FUZZED:
        if module(name) is None:
            raise SystemExit(f"dilemma.native._{name} was not built")
        if options.sanitized and not sanitized(module(name)):
            raise SystemExit(f"dilemma.native._{name} was built without AddressSanitizer")
        start = time.process_time()
        for seed in range(options.seed, options.seed + options.rounds):
            if options.verbose:
                print(name, seed, flush=True)
            rounds(name, seed, 1)
            done[name] += 1
        print(f"{name}: {done[name]} rounds, {time.process_time() - start:.1f} CPU seconds", flush=True)


if __name__ == "__main__":
    main()
