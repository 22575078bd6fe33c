"""How fast the knapsack kernel makes candidates, reads a million items, and proves.

    python benchmarks/speed/knapsack.py [--instructions] [--out FILE]

CPU seconds of this process throughout. ``--instructions`` also counts instructions a candidate under valgrind
(some minutes): the difference of two runs of different length, so that start-up cancels.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from record import record

import dilemma
from dilemma.knapsack import CLASSES, Knapsack, generate, read, solve_instance, write

SEED = 11
SEEDS = range(100, 110)  # of the proofs: none of these instances was used to set anything
LIMIT = 5.0  # seconds a proof may take
COUNTED = """
import sys
from dilemma.knapsack import generate, solve_instance
instance = generate("circle", 10_000, seed=11, range=10**6)
print(solve_instance(instance, core_after=None, max_iter=int(sys.argv[1])).iterations)
"""


def cpu(call):
    """Return a call's result and its CPU seconds."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def candidates(n, limit):
    """Candidates a second of the tree search alone, per class; a class whose tree ends early is marked."""
    rows = []
    for name in CLASSES:
        for size in (10**3, 10**6):
            instance = generate(name, n, seed=SEED, range=size)
            _, greedy = cpu(lambda i=instance: solve_instance(i, core_after=None, max_iter=1))
            result, seconds = cpu(lambda i=instance: solve_instance(i, core_after=None, max_iter=limit))
            rate = (result.iterations - 1) / max(seconds - greedy, 1e-9) if result.iterations > 1000 else None
            rows.append(
                {
                    "class": name,
                    "n": n,
                    "range": size,
                    "candidates": result.iterations,
                    "greedy_seconds": round(greedy, 5),
                    "seconds": round(seconds, 5),
                    "candidates_per_second": rate and round(rate),
                    "proved": result.optimal,
                }
            )
            print(rows[-1], flush=True)
    return rows


def proofs(n, limit, seeds):
    """CPU seconds to the proof, per class and size of numbers, over several seeds."""
    rows = []
    for name in CLASSES:
        for size in (10**3, 10**6):
            runs = []
            for seed in seeds:
                instance = generate(name, n, seed=seed, range=size)
                runs.append(cpu(lambda i=instance: solve_instance(i, time_limit=limit)))
            rows.append(
                {
                    "class": name,
                    "n": n,
                    "range": size,
                    "instances": len(runs),
                    "proved": sum(result.optimal for result, _ in runs),
                    "mean_seconds": round(sum(s for _, s in runs) / len(runs), 5),
                    "most_seconds": round(max(s for _, s in runs), 5),
                    "largest_gap": max(result.gap for result, _ in runs),
                    "greedy_gap": max(float(r.bound - r.greedy_value) / float(r.bound) for r, _ in runs),
                }
            )
            print(rows[-1], flush=True)
    return rows


def million():
    """A million items: from the file to a thousand candidates, and on to the proof."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("uncorrelated", "weak", "strong", "circle"):
            path = Path(folder) / "million.kp"
            write(generate(name, 10**6, seed=SEED, range=10**6), path)
            instance, loaded = cpu(lambda p=path: read(p))
            first, greedy = cpu(lambda i=instance: solve_instance(i, core_after=None, max_iter=1))
            more, thousand = cpu(lambda i=instance: solve_instance(i, core_after=None, max_iter=1000))
            last, proof = cpu(lambda i=instance: solve_instance(i, time_limit=20))
            rows.append(
                {
                    "class": name,
                    "load_seconds": round(loaded, 3),
                    "greedy_seconds": round(greedy, 3),
                    "thousand_candidates_seconds": round(thousand, 3),
                    "candidates": more.iterations,
                    "solve_seconds": round(proof, 3),
                    "proved": last.optimal,
                    "gap": last.gap,
                    "improvement": int(last.value - first.value),
                }
            )
            print(rows[-1], flush=True)
    return rows


def engines():
    """The same problem through the generic engine and through the readable kernel."""
    instance = generate("circle", 10_000, seed=SEED, range=10**6)
    problem = Knapsack.from_instance(instance)
    generic, seconds = cpu(lambda: dilemma.minimize(problem, max_iter=20))
    rows = {"generic": round(generic.iterations / seconds, 1)}
    for kernel, limit in (("python", 2000), ("native", 100_000)):
        if kernel == "native" and dilemma.knapsack.kernel() != "native":
            continue
        call = {"core_after": None, "kernel": kernel}
        _, short = cpu(lambda c=call: solve_instance(instance, max_iter=1, **c))
        _, long = cpu(lambda c=call, k=limit: solve_instance(instance, max_iter=k, **c))
        rows[kernel] = round((limit - 1) / (long - short))
    print(rows, flush=True)
    return rows


def instructions():
    """Instructions a candidate, n = 10,000, from two runs under valgrind."""
    counts = {}
    for limit in (1000, 11_000):
        command = [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            sys.executable,
            "-c",
            COUNTED,
        ]
        done = subprocess.run([*command, str(limit)], capture_output=True, text=True, check=True)
        counts[limit] = int(re.search(r"Collected : (\d+)", done.stderr)[1])
    return {"runs": counts, "per_candidate": round((counts[11_000] - counts[1000]) / 10_000)}


def main() -> None:
    """Measure and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--instructions", action="store_true", help="count instructions under valgrind, too")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    results = {
        "engines_n_10000_candidates_per_second": engines(),
        "candidates": candidates(10_000, 50_000),
        "proofs": [row for n in (100, 1000, 10_000) for row in proofs(n, LIMIT, SEEDS)],
        "million": million(),
    }
    if args.instructions:
        results["instructions"] = instructions()
        print(results["instructions"])
    print(record("knapsack_speed", results, path=args.out))


if __name__ == "__main__":
    main()
