"""Is each classic strategy a fair one? All of them on generated problems, with the greedy's four methods alone.

Every run takes the same number of decisions (`--dives` times those of the greedy), so that a strategy that regrows
little of a candidate is paid for it. Gaps are to the best energy any run found; ``noise`` rows are the yardstick:
a local search that does not beat noisy restarts is not a fair implementation of itself.

    python benchmarks/quality/classic.py --dives 300 --seeds 3 --out benchmarks/recorded/classic.json
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import dilemma
from dilemma import problems
from dilemma.strategies import MCTS, STRATEGIES, Genetic, Halving

STRATEGY_NAMES = (
    "greedy", "random_state", "dilemma_first", "limited_discrepancy", "two_queues", "halving", "auto",
    "large_neighbourhood", "beam", "pilot", "grasp", "tabu", "simulated_annealing", "genetic", "mcts", "r_max",
)  # fmt: skip
VARIANTS = {
    "halving, breadth 1.5": Halving(breadth=1.5),
    "halving, breadth 3": Halving(breadth=3.0),
    "genetic, priorities": Genetic(keys="priorities"),
    "mcts, sampled": MCTS(playout="sampled"),
}


class Bare:
    """A problem reduced to the four methods (and whether order matters)."""

    def __init__(self, problem):
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy
        self.commutative = getattr(problem, "commutative", False)


def instances(count, offset):
    """Yield (family, problem): seeds from `offset` on, so that other instances are one option away."""
    for i in range(offset, offset + count):
        yield "tsp", problems.TSP.random(50, i)
        yield "set cover", problems.SetCover.random(60, i)
        yield "knapsack", problems.MultiKnapsack.random(80, i)
        yield "job shop", problems.JobShop.random(8, i)
        yield "flow shop", problems.FlowShop.random(20, i)
        yield "assignment", problems.QuadraticAssignment.random(20, i)
        yield "colouring", problems.Colouring.random(60, i)
        yield "tardiness", problems.Tardiness.random(40, i)


def one(problem, strategy, dives, seed):
    """Return the energy reached, candidates, CPU seconds and duplicates of one run."""
    depth = len(dilemma.minimize(problem, strategy="greedy").actions)
    began = time.process_time()
    result = dilemma.minimize(
        problem, strategy=strategy, max_nodes=dives * depth, max_iter=50 * dives, random_state=seed
    )
    return result.energy, result.iterations, time.process_time() - began, result.iterations - result.distinct


def measure(args):
    """Return one row a run."""
    chosen = {name: STRATEGIES[name]() for name in STRATEGY_NAMES} | VARIANTS
    if args.only:
        chosen = {name: s for name, s in chosen.items() if name in args.only}
    rows = []
    for family, problem in instances(args.instances, args.offset):
        if args.families and family not in args.families:
            continue
        bare, number = Bare(problem), len(rows)
        for name, strategy in chosen.items():
            for seed in range(args.seeds if strategy.traits.stochastic else 1):
                energy, candidates, cpu, repeated = one(bare, strategy, args.dives, seed)
                rows.append({"family": family, "strategy": name, "seed": seed, "energy": energy,
                             "candidates": candidates, "cpu": round(cpu, 3), "repeated": repeated})  # fmt: skip
        best = min(row["energy"] for row in rows[number:])
        for row in rows[number:]:
            row["instance"] = number
            row["gap"] = (
                100.0 * (row["energy"] - best) / abs(best) if best else 100.0 * (row["energy"] - best)
            )
    return rows


def table(rows):
    """Return the mean gap in % of every strategy on every family, as text."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    lines = [
        f"{'':22}" + "".join(f"{f:>12}" for f in families) + f"{'mean':>9}{'repeat %':>10}{'cand./s':>9}"
    ]
    for name in names:
        own = [row for row in rows if row["strategy"] == name]
        means = [np.mean([row["gap"] for row in own if row["family"] == f]) for f in families]
        repeated = 100.0 * sum(r["repeated"] for r in own) / sum(r["candidates"] for r in own)
        speed = sum(r["candidates"] for r in own) / max(1e-9, sum(r["cpu"] for r in own))
        cells = "".join(f"{m:12.2f}" for m in means)
        lines.append(f"{name:22}{cells}{np.mean(means):9.2f}{repeated:10.1f}{speed:9.0f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dives", type=int, default=300, help="decisions, in multiples of the greedy's")
    parser.add_argument("--instances", type=int, default=2, help="of each family")
    parser.add_argument("--offset", type=int, default=0, help="seed of the first instance")
    parser.add_argument("--seeds", type=int, default=3, help="runs of a strategy that draws random numbers")
    parser.add_argument("--only", nargs="*", help="strategies")
    parser.add_argument("--families", nargs="*")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows = measure(args)
    print(table(rows))
    if args.out:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())  # fmt: skip
        record = {"command": " ".join(["python", *sys.argv]), "commit": commit.stdout.strip(),
                  "machine": {"cpu": model, "python": platform.python_version()}, "rows": rows}  # fmt: skip
        args.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
