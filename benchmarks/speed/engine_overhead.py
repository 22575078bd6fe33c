"""What the engine itself costs: per decision, as a share of real runs, in instructions, and per queued dilemma.

    python benchmarks/speed/engine_overhead.py [--record]

1. A problem whose methods cost next to nothing: microseconds of CPU a decision, by strategy.
2. The gallery: every call of the user's methods in a run is recorded and then made again without the engine; the
   difference of the two CPU times is the engine's share.
3. Instructions a decision (valgrind --tool=callgrind, if it is there): the same whatever else the machine does.
4. A million dilemmas in the queue: resident memory added, in bytes a dilemma.
"""

from __future__ import annotations

import argparse
import functools
import gc
import random
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from record import record

import dilemma
from dilemma import problems
from dilemma.strategies import LimitedDiscrepancy

STRATEGIES = ("auto", "dilemma_first", "cumulative_regret", "limited_discrepancy", "random_state")


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


class Recorded:
    """Passes a problem through and keeps every call."""

    def __init__(self, problem: object) -> None:
        self.calls: list[tuple[object, tuple[object, ...]]] = []
        for name in ("initial", "actions", "apply", "energy", "bound", "key"):
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


class Plain(Recorded):
    """The same methods without the record, so that both runs see the same problem."""

    def _keep(self, method):  # type: ignore[no-untyped-def]
        return method


def per_decision(candidates: int = 3000) -> list[dict[str, object]]:
    rows = []
    for depth, branching in ((50, 2), (50, 20), (200, 5)):
        for strategy in STRATEGIES:
            best = float("inf")
            for _ in range(3):
                gc.collect()
                start = time.process_time()
                result = dilemma.minimize(
                    Free(depth, branching), strategy=strategy, max_iter=candidates, random_state=0
                )
                best = min(best, time.process_time() - start)
            rows.append(
                {
                    "depth": depth,
                    "branching": branching,
                    "strategy": strategy,
                    "us_per_decision": round(1e6 * best / result.nodes, 2),
                    "us_per_candidate": round(1e6 * best / result.iterations, 1),
                    "decisions_per_candidate": round(result.nodes / result.iterations, 1),
                }
            )
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


def engine_share(strategy: str, candidates: int = 30) -> list[dict[str, object]]:
    rows = []
    for name, make in GALLERY.items():
        problem = make()
        recorded = Recorded(problem)
        dilemma.minimize(recorded, strategy=strategy, max_iter=candidates, random_state=0)
        whole, users = float("inf"), float("inf")
        for _ in range(3):
            gc.collect()
            start = time.process_time()
            dilemma.minimize(Plain(problem), strategy=strategy, max_iter=candidates, random_state=0)
            whole = min(whole, time.process_time() - start)
            start = time.process_time()
            for method, args in recorded.calls:
                method(*args)  # type: ignore[operator]
            users = min(users, time.process_time() - start)
        share = max(0.0, 1.0 - users / whole)
        rows.append(
            {"problem": name, "strategy": strategy, "seconds": round(whole, 3), "share": round(share, 3)}
        )
    return rows


def instructions(strategy: str) -> dict[str, object] | None:
    if shutil.which("valgrind") is None:
        return None
    counts = [_callgrind(strategy, n) for n in (200, 1200)]
    decisions = counts[1][1] - counts[0][1]
    return {
        "strategy": strategy,
        "instructions_per_decision": round((counts[1][0] - counts[0][0]) / decisions),
        "decisions": decisions,
    }


def _callgrind(strategy: str, candidates: int) -> tuple[int, int]:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import engine_overhead as e, dilemma;"
        f"r = dilemma.minimize(e.Free(50, 2), strategy={strategy!r}, max_iter={candidates}, random_state=0);"
        "print('decisions', r.nodes)"
    )
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, "-c", program,
         str(Path(__file__).resolve().parent)],
        capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "0"},
    )  # fmt: skip
    total = int(re.search(r"Collected : (\d+)", done.stderr).group(1))  # type: ignore[union-attr]
    return total, int(done.stdout.split()[1])


def memory(dilemmas: int = 1_000_000) -> list[dict[str, object]]:
    """Fill a queue to a million open dilemmas and see what the process grew by, on deep and on shallow trees."""
    rows = []
    for depth, branching in ((1000, 20), (40, 20), (12, 20)):
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import engine_overhead as e; "
            f"print(*e.grow_queue({depth}, {branching}, {dilemmas}))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).resolve().parent)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        count, grown, candidates = map(int, done.stdout.split())
        rows.append(
            {
                "depth": depth,
                "dilemmas": count,
                "candidates": candidates,
                "megabytes": round(grown / 1e6),
                "bytes_per_dilemma": round(grown / count),
            }
        )
    return rows


def grow_queue(depth: int, branching: int, dilemmas: int) -> tuple[int, int, int]:
    before = _resident()
    searching = dilemma.search(Free(depth, branching), strategy=LimitedDiscrepancy(), max_iter=10**9)
    queue = searching._run.queues[0]  # type: ignore[attr-defined]
    for event in searching:
        if len(queue) >= dilemmas:
            return len(queue), _resident() - before, event.iteration + 1
    raise RuntimeError(f"the tree held only {len(queue)} dilemmas")


def _resident() -> int:
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--record", action="store_true", help="write benchmarks/recorded/engine_overhead.json"
    )
    args = parser.parse_args()
    results = {
        "per_decision": per_decision(),
        "gallery": engine_share("auto") + engine_share("dilemma_first"),
        "instructions": [r for s in ("auto", "dilemma_first") if (r := instructions(s)) is not None],
        "memory": memory(),
    }
    for title, rows in results.items():
        print(title)
        for row in rows:
            print("  " + "  ".join(f"{k} {v}" for k, v in row.items()))
    if args.record:
        print(record("engine_overhead", results))


if __name__ == "__main__":
    main()
