"""What the engine itself costs: per decision, as a share of real runs, in instructions, and per queued dilemma.

    python benchmarks/speed/engine_overhead.py [--part overhead|memory|instructions|reading] [--record]

1. A problem whose methods cost next to nothing: microseconds of CPU a decision, by strategy. What the methods do
   cost is measured as in 2 and taken off.
2. The gallery: every call of the user's methods in a run is recorded and then made again without the engine; the
   difference of the two CPU times is the engine's share. Once with every method the problems have, as a user runs
   them, and once with the four methods, `bound` and `key` alone; at small sizes, where a call costs a user least,
   and at those of the usual benchmark libraries.
3. Instructions (valgrind; minutes): of the engine a decision, and its share of the gallery's runs;
   the same whatever else the machine does.
4. A million dilemmas in the queue: resident memory added, in bytes a dilemma.
5. Reading one offer, natively and by the Python twin.

The first two are the part `overhead`; each part is recorded in a file of its own.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
from record import record

import dilemma
from dilemma import problems
from dilemma.ranking import front, front_plain, kernel

STRATEGIES = (
    "auto",
    "two_queues",
    "dilemma_first",
    "cumulative_regret",
    "limited_discrepancy",
    "random_state",
)


class Free:
    """Offers are looked up, states are numbers: what is left is the engine."""

    def __init__(self, depth: int, branching: int) -> None:
        draw = random.Random(1)
        self.offers = [[(i, draw.random()) for i in range(branching)] for _ in range(depth)] + [[]]

    def initial(self) -> int:
        return 0

    def actions(self, state: int) -> list[tuple[int, float]]:
        return self.offers[state]

    def apply(self, state: int, action: int) -> int:
        return state + 1

    def energy(self, state: int) -> float:
        return 0.0


FEW = ("initial", "actions", "apply", "energy", "bound", "key")
ALL = (*FEW, "polish", "decisions", "legal", "related")


class Recorded:
    """Passes a problem through and keeps every call."""

    def __init__(self, problem: object, methods: tuple[str, ...] = FEW) -> None:
        self.calls: list[tuple[object, tuple[object, ...]]] = []
        for name in methods:
            method = getattr(problem, name, None)
            if method is not None:
                setattr(self, name, self._keep(method))
        self.commutative = getattr(problem, "commutative", False)

    def _keep(self, method):  # type: ignore[no-untyped-def]
        @functools.wraps(method)
        def call(*args):  # type: ignore[no-untyped-def]
            self.calls.append((method, args))
            return method(*args)

        return call

    def again(self) -> None:
        """Make the same calls once more; what the engine tried on trust and gave up may fail again."""
        for method, args in self.calls:
            try:
                method(*args)  # type: ignore[operator]
            except Exception:
                continue


class Plain(Recorded):
    """The same methods without the record, so that both runs see the same problem."""

    def _keep(self, method):  # type: ignore[no-untyped-def]
        return method


def seconds(call, rounds: int = 3) -> float:  # type: ignore[no-untyped-def]
    """CPU seconds of a call, the least of a few."""
    least = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        call()
        least = min(least, time.process_time() - start)
    return least


def per_decision(candidates: int = 3000) -> list[dict[str, object]]:
    rows = []
    for depth, branching in ((50, 2), (50, 20), (200, 5), (6, 20)):
        for strategy in STRATEGIES:
            recorded = Recorded(Free(depth, branching))
            options = {"strategy": strategy, "max_iter": candidates, "random_state": 0}
            result = dilemma.minimize(recorded, **options)
            whole = seconds(lambda o=options: dilemma.minimize(Free(depth, branching), **o))  # noqa: B023
            engine = whole - seconds(recorded.again)
            rows.append(
                {
                    "depth": depth,
                    "branching": branching,
                    "strategy": strategy,
                    "us_per_decision": round(1e6 * engine / result.nodes, 2),
                    "us_per_candidate": round(1e6 * engine / result.iterations, 1),
                    "decisions_per_candidate": round(result.nodes / result.iterations, 1),
                }
            )
            print(rows[-1], flush=True)
    return rows


GALLERY = {
    "set cover 500": lambda: problems.SetCover.random(500, 1),
    "multi-knapsack 100": lambda: problems.MultiKnapsack.random(100, 1),
    "TSP 100": lambda: problems.TSP.random(100, 1),
    "TSP insertion 50": lambda: problems.TSPInsertion.random(50, 1),
    "vehicle routing 50": lambda: problems.VehicleRouting.random(50, 1),
    "job shop 10": lambda: problems.JobShop.random(10, 1),
    "flow shop 20": lambda: problems.FlowShop.random(20, 1),
    "colouring 60": lambda: problems.Colouring.random(60, 1),
    "bin packing 60": lambda: problems.BinPacking.random(60, 1),
    "quadratic assignment 20": lambda: problems.QuadraticAssignment.random(20, 1),
    "independent set 80": lambda: problems.IndependentSet.random(80, 1),
    "tardiness 40": lambda: problems.Tardiness.random(40, 1),
}


LIBRARY = {
    "set cover 1000": lambda: problems.SetCover.random(1000, 1),
    "multi-knapsack 500": lambda: problems.MultiKnapsack.random(500, 1),
    "TSP 280": lambda: problems.TSP.random(280, 1),
    "TSP insertion 100": lambda: problems.TSPInsertion.random(100, 1),
    "vehicle routing 100": lambda: problems.VehicleRouting.random(100, 1),
    "job shop 20": lambda: problems.JobShop.random(20, 1),
    "flow shop 50": lambda: problems.FlowShop.random(50, 1),
    "colouring 125": lambda: problems.Colouring.random(125, 1),
    "bin packing 120": lambda: problems.BinPacking.random(120, 1),
    "quadratic assignment 42": lambda: problems.QuadraticAssignment.random(42, 1),
    "independent set 200": lambda: problems.IndependentSet.random(200, 1),
    "tardiness 100": lambda: problems.Tardiness.random(100, 1),
}


def engine_share(
    strategy: str,
    methods: tuple[str, ...],
    sizes: dict[str, Callable[[], object]] = GALLERY,
    candidates: int = 100,
) -> list[dict[str, object]]:
    rows = []
    for name, make in sizes.items():
        problem = make()
        options = {"strategy": strategy, "max_iter": candidates, "random_state": 0}
        recorded = Recorded(problem, methods)
        dilemma.minimize(recorded, **options)
        whole = seconds(lambda p=problem, o=options: dilemma.minimize(Plain(p, methods), **o))
        users = seconds(recorded.again)
        rows.append(
            {
                "problem": name,
                "strategy": strategy,
                "methods": "all" if methods is ALL else "few",
                "seconds": round(whole, 4),
                "share": round(max(0.0, 1.0 - users / whole), 3),
                "user_calls": len(recorded.calls),
                "engine_us_per_user_call": round(1e6 * (whole - users) / len(recorded.calls), 2),
            }
        )
        print(rows[-1], flush=True)
    return rows


PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1]); import engine_overhead as e, dilemma
kind, name, strategy, candidates, call = sys.argv[2:]
options = dict(strategy=strategy, max_iter=int(candidates), random_state=0)
methods = e.ALL if kind == "all" else e.FEW
problem = e.Free(50, 2) if name == "free" else e.GALLERY[name]()
recorded = e.Recorded(problem, methods)
nodes = dilemma.minimize(recorded, **options).nodes
if call == "whole": dilemma.minimize(e.Plain(problem, methods), **options)
if call == "users": recorded.again()
print("decisions", nodes)
"""


def instructions() -> list[dict[str, object]]:
    """Count instructions: a program that records a run, the same that also repeats it, or its calls alone."""
    if shutil.which("valgrind") is None:
        return []
    rows: list[dict[str, object]] = []
    cases = [("few", "free", "dilemma_first", 300), ("all", "job shop 10", "auto", 20)]
    cases += [("few", "free", "two_queues", 300), ("all", "set cover 500", "auto", 20)]
    for case in cases:
        counts = {}
        for call in ("nothing", "whole", "users"):
            counts[call], decisions = _count(*map(str, case), call)
        whole, users = counts["whole"] - counts["nothing"], counts["users"] - counts["nothing"]
        kind, name, strategy, candidates = case
        rows.append(
            {
                "problem": name,
                "strategy": strategy,
                "methods": kind,
                "candidates": candidates,
                "decisions": decisions,
                "engine_instructions_per_decision": round((whole - users) / decisions),
                "share": round(1.0 - users / whole, 3),
            }
        )
        print(rows[-1], flush=True)
    return rows


def _count(*arguments: str) -> tuple[int, int]:
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", sys.executable,
         "-c", PROGRAM, str(Path(__file__).resolve().parent), *arguments],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    total = int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))  # type: ignore[union-attr]
    return total, int(done.stdout.split()[1])


def memory(dilemmas: int = 1_000_000) -> list[dict[str, object]]:
    """Fill a queue to a million open dilemmas and see what the process grew by, on deep and on shallow trees."""
    rows = []
    cases = [(d, "limited_discrepancy") for d in (1000, 40, 12)] + [(d, "two_queues") for d in (1000, 40, 12)]
    for depth, strategy in cases:
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import engine_overhead as e; "
            f"print(*e.grow_queue({depth}, 20, {dilemmas}, {strategy!r}))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).resolve().parent)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        count, grown, candidates = map(int, done.stdout.split())
        rows.append(
            {
                "depth": depth,
                "strategy": strategy,
                "dilemmas": count,
                "candidates": candidates,
                "megabytes": round(grown / 1e6),
                "bytes_per_dilemma": round(grown / count),
            }
        )
        print(rows[-1], flush=True)
    return rows


def grow_queue(depth: int, branching: int, dilemmas: int, strategy: str) -> tuple[int, int, int]:
    before = _resident()
    searching = dilemma.search(Free(depth, branching), strategy=strategy, max_iter=10**9)
    for event in searching:
        queue = searching._run.queues[0]  # type: ignore[attr-defined]  # a new one whenever keys are computed anew
        if len(queue) >= dilemmas:
            return len(queue), _resident() - before, event.iteration + 1
    raise RuntimeError(f"the tree held only {len(queue)} dilemmas")


def _resident() -> int:
    """Return the bytes held now (a peak would count what the parent process held)."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def overhead() -> dict[str, object]:
    return {
        "per_decision": per_decision(),
        "gallery": [
            *engine_share("auto", ALL),
            *engine_share("auto", FEW),
            *engine_share("dilemma_first", FEW),
            *engine_share("auto", ALL, LIBRARY, candidates=50),
            *engine_share("dilemma_first", FEW, LIBRARY, candidates=50),
        ],
    }


def reading(calls: int = 2000) -> list[dict[str, object]]:
    """Microseconds of `front` and of its twin for one offer of some lengths and layouts."""
    rows = []
    for n in (2, 20, 100, 500):
        draw = random.Random(n)
        scores = [draw.random() for _ in range(n)]
        offers = {"pairs": list(enumerate(scores)), "lists": (list(range(n)), scores),
                  "arrays": (np.arange(n), np.array(scores))}  # fmt: skip
        for layout, offer in offers.items():
            for banned in (frozenset(), frozenset({0, 1})):
                times = []
                for read in (front, front_plain):
                    spent = timeit.repeat(lambda r=read, o=offer, b=banned: r(o, b), number=calls, repeat=5)
                    times.append(1e6 * min(spent) / calls)
                rows.append(
                    {"actions": n, "layout": layout, "banned": len(banned), "us": round(times[0], 2),
                     "us_twin": round(times[1], 2), "kernel": kernel()}
                )  # fmt: skip
                print(rows[-1], flush=True)
    return rows


PARTS = {"overhead": overhead, "memory": memory, "instructions": instructions, "reading": reading}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, default="overhead")
    parser.add_argument("--record", action="store_true", help="write benchmarks/recorded/engine_PART.json")
    args = parser.parse_args()
    results = PARTS[args.part]()
    if args.record:
        print(record(f"engine_{args.part}", results))


if __name__ == "__main__":
    main()
