"""Which key should decide where to go next? Every best-first member over one engine, and keys that were tried.

    python benchmarks/quality/keys.py [--record]

Generated problems of eight families reduced to the four methods; every run may take `--dives` times as many
decisions as the greedy takes, so that a key that regrows little is paid for it. Gaps are to the best energy any run
found, in per cent; a key is judged by its gap relative to random state selection, family by family (the paper's
comparison). Two sets: one on which keys may be chosen, and one that nothing was chosen on (`--set held-out`, the
default). Counts decide, not the clock: the figures repeat on any machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from record import record

import dilemma
from dilemma import problems, strategies
from dilemma.knapsack import Knapsack
from dilemma.strategies.best_first import BestFirst, uniform
from dilemma.strategies.two_queues import few_deviations, scaled_regret

SETS = {"tuning": 100, "held-out": 7100}  # first seed of each
YARDSTICK = "random_state"
LEAST = 0.1  # per cent: where the yardstick is closer than that on average, a ratio of gaps says nothing


class Bare:
    """A problem reduced to the four methods (and whether order matters)."""

    def __init__(self, problem):
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy
        self.commutative = getattr(problem, "commutative", False)


FAMILIES = {
    "TSP": lambda s: problems.TSP.random(40, s),
    "set cover": lambda s: problems.SetCover.random(60, s),
    "multi-knapsack": lambda s: problems.MultiKnapsack.random(60, s),
    "knapsack": lambda s: Knapsack.random(200, s, kind="strong"),
    "job shop": lambda s: problems.JobShop.random(7, s),
    "flow shop": lambda s: problems.FlowShop.random(15, s),
    "assignment": lambda s: problems.QuadraticAssignment.random(15, s),
    "colouring": lambda s: problems.Colouring.random(50, s),
    "tardiness": lambda s: problems.Tardiness.random(30, s),
    "independent set": lambda s: problems.IndependentSet.random(60, s),
}


# Keys that were tried for the default, beside those of the package.


def policy(met, scales):
    """Log-regret with P of the r-th proportional to f_r / (1 + r): flat scores become discrepancies."""
    return met.regret + met.log_ranks + met.gap + np.log1p(met.rank)


def policy_deep(met, scales):
    """The same, deeper states first by one mean gap a level."""
    return policy(met, scales) - 0.5 * scales.gap * met.depth / max(1.0, scales.levels)


def local_gap(met, scales):
    """The paper's order: the gap of the decision itself."""
    return met.gap


@dataclass(frozen=True, kw_only=True)
class Tried(BestFirst):
    """Keys taking turns over one tree."""

    adaptive: ClassVar[bool] = True
    chosen: tuple = ()

    def keys(self):
        return self.chosen


def candidates():
    """Name -> strategy."""
    s = strategies
    return {
        "random_state": s.RandomState(),
        "dilemma_first, raw": s.DilemmaFirst(gap="raw"),
        "dilemma_first, log": s.DilemmaFirst(gap="log"),
        "dilemma_first, relative": s.DilemmaFirst(gap="relative"),
        "cumulative_regret": s.CumulativeRegret(),
        "likelihood": s.LikelihoodFirst(),
        "limited_discrepancy": s.LimitedDiscrepancy(),
        "depth_bounded": s.DepthBounded(),
        "printed": s.Printed(),
        "grasp": s.Grasp(),
        "scaled regret": Tried(chosen=(scaled_regret,)),
        "few deviations": Tried(chosen=(few_deviations,)),
        "policy": Tried(chosen=(policy,)),
        "policy, deep, random": Tried(chosen=(policy, policy_deep, uniform)),
        "scaled regret, gap": Tried(chosen=(scaled_regret, local_gap)),
        "two queues, random": Tried(chosen=(scaled_regret, few_deviations, uniform)),
        "two queues, policy": Tried(chosen=(scaled_regret, few_deviations, policy)),
        "two_queues": s.TwoQueues(),
        "large_neighbourhood": s.LargeNeighbourhood(),
        "auto": s.Auto(),
    }


def measure(first, count, dives, seeds):
    """Return one row a run."""
    rows = []
    for family, make in FAMILIES.items():
        for seed in range(first, first + count):
            problem = Bare(make(seed))
            depth = len(dilemma.minimize(problem, strategy="greedy").actions)
            of_instance = []
            for name, strategy in candidates().items():
                for draw in range(seeds if strategy.traits.stochastic else 1):
                    began = time.process_time()
                    result = dilemma.minimize(
                        problem,
                        strategy=strategy,
                        max_nodes=dives * depth,
                        max_iter=50 * dives,
                        random_state=draw,
                    )
                    of_instance.append({"family": family, "instance": seed, "strategy": name, "seed": draw,
                                        "energy": result.energy, "greedy": result.greedy_energy,
                                        "candidates": result.iterations,
                                        "cpu": round(time.process_time() - began, 2)})  # fmt: skip
            best = min(row["energy"] for row in of_instance)
            for row in of_instance:
                row["gap"] = 100.0 * (row["energy"] - best) / (abs(best) or 1.0)
                row["greedy_gap"] = 100.0 * (row.pop("greedy") - best) / (abs(best) or 1.0)
            rows += of_instance
        print(f"{family}: done", file=sys.stderr, flush=True)
    return rows


def table(rows):
    """Return the mean gaps, the mean of gap / yardstick's gap over families, and instances better and worse."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    mean = {
        (n, f): float(np.mean([r["gap"] for r in rows if r["strategy"] == n and r["family"] == f]))
        for n in names for f in families
    }  # fmt: skip
    by_instance = {
        (n, r["family"], r["instance"]): np.mean([
            x["gap"] for x in rows
            if x["strategy"] == n and x["family"] == r["family"] and x["instance"] == r["instance"]
        ])
        for n in names for r in rows
    }  # fmt: skip
    instances = sorted({(r["family"], r["instance"]) for r in rows})
    rank = {}
    for i in instances:
        gaps = {n: round(float(by_instance[(n, *i)]), 9) for n in names}
        for n in names:  # ties share their mean rank
            below, level = (
                sum(compare(g, gaps[n]) for g in gaps.values()) for compare in (float.__lt__, float.__eq__)
            )
            rank[(n, *i)] = below + (level + 1) / 2
    out = []
    for n in names:
        relative = [mean[n, f] / mean[YARDSTICK, f] for f in families if mean[YARDSTICK, f] >= LEAST]
        own = [(by_instance[(n, *i)], by_instance[(YARDSTICK, *i)]) for i in instances]
        out.append({
            "strategy": n,
            "relative": round(float(np.mean(relative)), 3),
            "better": sum(bool(a < b - 1e-9) for a, b in own),
            "worse": sum(bool(a > b + 1e-9) for a, b in own),
            "best_found": sum(bool(a <= 1e-9) for a, _ in own),
            "mean_rank": round(float(np.mean([rank[(n, *i)] for i in instances])), 2),
            "mean_gap": {f: round(mean[n, f], 3) for f in families},
        })  # fmt: skip
    return sorted(out, key=lambda row: row["relative"])


def show(rows, instances):
    """Print the table as markdown."""
    families = list(rows[0]["mean_gap"])
    heads = [
        "strategy",
        "gap / random's",
        "mean rank",
        "better, worse",
        f"best found, of {instances}",
        *families,
    ]
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for row in rows:
        gaps = " | ".join(f"{g:.2f}" for g in row["mean_gap"].values())
        cells = (
            row["strategy"],
            f"{row['relative']:.2f}",
            f"{row['mean_rank']:.1f}",
            f"{row['better']}, {row['worse']}",
            str(row["best_found"]),
            gaps,
        )
        print(f"| {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dives", type=int, default=300, help="decisions, in multiples of the greedy's")
    parser.add_argument("--instances", type=int, default=4, help="of each family")
    parser.add_argument("--seeds", type=int, default=3, help="runs of a strategy that draws random numbers")
    parser.add_argument("--set", choices=SETS, default="held-out")
    parser.add_argument("--record", action="store_true", help="write benchmarks/recorded/keys.json")
    args = parser.parse_args()
    rows = measure(SETS[args.set], args.instances, args.dives, args.seeds)
    summary = table(rows)
    show(summary, len({(r["family"], r["instance"]) for r in rows}))
    if args.record:
        print(record("keys", {"summary": summary, "runs": rows}, compact=True))


if __name__ == "__main__":
    main()
