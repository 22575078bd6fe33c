"""Microseconds per call of the gallery's methods, along one greedy solution of a generated instance each.

    python benchmarks/speed/gallery.py [--out benchmarks/recorded/gallery_speed.json] [NAME ...]

CPU time, the best of three rounds. "replay" asks `legal` and then `apply` for every decision of the greedy
solution, "greedy" builds it, both in microseconds per solution.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dilemma import problems as gallery

CASES: dict[str, Callable[[], Any]] = {
    "TSP 100": lambda: gallery.TSP.random(100, 1),
    "TSP 500": lambda: gallery.TSP.random(500, 1),
    "TSPInsertion 100": lambda: gallery.TSPInsertion.random(100, 1),
    "MultiKnapsack 100 x 5": lambda: gallery.MultiKnapsack.random(100, 1),
    "MultiKnapsack 500 x 30": lambda: gallery.MultiKnapsack.random(500, 1, m=30),
    "SetCover 200 x 1000": lambda: gallery.SetCover.random(1000, 1),
    "SetCover 300 x 3000": lambda: gallery.SetCover.random(3000, 1, rows=300),
    "JobShop 10 x 10": lambda: gallery.JobShop.random(10, 1),
    "JobShop 20 x 10": lambda: gallery.JobShop.random(20, 1, m=10),
    "FlowShop 20 x 5": lambda: gallery.FlowShop.random(20, 1),
    "FlowShop 50 x 20": lambda: gallery.FlowShop.random(50, 1, m=20),
    "Colouring 125": lambda: gallery.Colouring.random(125, 1),
    "Colouring 250": lambda: gallery.Colouring.random(250, 1),
    "BinPacking 120": lambda: gallery.BinPacking.random(120, 1),
    "BinPacking 500": lambda: gallery.BinPacking.random(500, 1),
    "QuadraticAssignment 30": lambda: gallery.QuadraticAssignment.random(30, 1),
    "IndependentSet 200": lambda: gallery.IndependentSet.random(200, 1),
    "IndependentSet 500": lambda: gallery.IndependentSet.random(500, 1),
    "Tardiness 50": lambda: gallery.Tardiness.random(50, 1),
    "Tardiness 100": lambda: gallery.Tardiness.random(100, 1),
    "VehicleRouting 100": lambda: gallery.VehicleRouting.random(100, 1),
}


def microseconds(call: Callable[[], object], calls: int) -> float:
    """CPU time of one of the `calls` that one `call()` makes."""
    call()
    best = float("inf")
    for _ in range(3):
        rounds, start = 0, time.process_time()
        while (spent := time.process_time() - start) < 0.05:
            call()
            rounds += 1
        best = min(best, spent / rounds / calls)
    return round(best * 1e6, 2)


def measure(problem: Any) -> dict[str, float]:
    states, path = [problem.initial()], []
    while True:
        actions, scores = problem.actions(states[-1])
        if not len(actions):
            break
        best = actions[int(np.argmax(scores))]
        path.append(best.item() if isinstance(best, np.generic) else best)
        states.append(problem.apply(states[-1], path[-1]))
    steps = list(zip(states, path, strict=False))

    def replay() -> None:
        state = problem.initial()
        for action in path:
            if problem.legal(state, action):
                state = problem.apply(state, action)

    def greedy() -> None:
        state = problem.initial()
        while True:
            actions, scores = problem.actions(state)
            if not len(actions):
                return
            state = problem.apply(state, actions[int(np.argmax(scores))])

    result = {
        "decisions": len(path),
        "actions": microseconds(lambda: [problem.actions(s) for s in states], len(states)),
        "apply": microseconds(lambda: [problem.apply(s, a) for s, a in steps], len(steps)),
        "legal": microseconds(lambda: [problem.legal(s, a) for s, a in steps], len(steps)),
        "energy": microseconds(lambda: problem.energy(states[-1]), 1),
        "bound": microseconds(lambda: [problem.bound(s) for s in states], len(states)),
    }
    if hasattr(problem, "key"):
        result["key"] = microseconds(lambda: [problem.key(s) for s in states], len(states))
    result["replay"] = microseconds(replay, 1)
    result["greedy"] = microseconds(greedy, 1)
    result["polish"] = microseconds(lambda: problem.polish(states[-1]), 1)
    return result


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only cases whose name contains one of these")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    arguments = parser.parse_args()
    rows = {}
    for name, make in CASES.items():
        if not arguments.names or any(part.lower() in name.lower() for part in arguments.names):
            rows[name] = measure(make())
            print(f"{name:24s}", "  ".join(f"{k} {v:g}" for k, v in rows[name].items()), flush=True)
    if arguments.out:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        )
        record = {
            "command": "python benchmarks/speed/gallery.py",
            "commit": commit.stdout.strip(),
            "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "python": sys.version.split()[0]},
            "unit": "microseconds of CPU time per call; replay, greedy and polish per solution",
            "rows": rows,
        }
        arguments.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
