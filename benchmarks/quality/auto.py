"""Is the default as good as the best single strategy, without anybody choosing?

Every strategy runs on generated problems, with the greedy's four methods alone and for the same processor seconds;
"auto" also for two and four times as many. Gaps are to the best energy any of these runs found. Counted are
the problems on which "auto" is at least as good as the strategy that turned out best there::

    python benchmarks/quality/auto.py --seconds 1 --instances 2
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from classic import Bare, instances  # noqa: E402
from record import provenance, record  # noqa: E402

import dilemma  # noqa: E402
from dilemma.strategies import STRATEGIES  # noqa: E402

FACTORS = (1, 2, 4)
OFFSET = 7001  # seeds on which nothing was ever tuned
NEAR = 0.1  # per cent: as good as


def run(problem: Any, strategy: str, budgets: list[float], seed: int) -> list[float]:
    """Return the least energy found by each of these processor seconds, in one run."""
    began = time.process_time()
    search = dilemma.search(
        problem,
        strategy=strategy,
        random_state=seed,
        stop=lambda progress: time.process_time() - began > max(budgets),
    )
    found = [(time.process_time() - began, event.energy) for event in search if event.improved]
    return [min((e for at, e in found if at <= b), default=found[0][1]) for b in budgets]


def measure(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return, for each problem, the energies of the single strategies, and of auto at each budget."""
    alone = [n for n, cls in STRATEGIES.items() if n not in ("auto", "greedy") and not cls.traits.needs_bound]
    names = args.only or alone
    rows = []
    for number, (family, problem) in enumerate(instances(args.instances, args.offset)):
        bare = Bare(problem)
        single = {name: run(bare, name, [args.seconds], 0)[0] for name in names}
        mine = run(bare, "auto", [args.seconds * factor for factor in FACTORS], 0)
        rows.append({"family": family, "instance": number, "single": single, "auto": mine})
        print(
            f"{family}: {min(single, key=single.__getitem__)} {min(single.values()):g}, auto {mine}",
            file=sys.stderr,
        )
    return rows


def summary(rows: list[dict[str, Any]]) -> tuple[list[list[str]], dict[str, Any]]:
    """Return a table, one line a strategy with its mean gap, and the counts."""
    best = [min(*row["single"].values(), *row["auto"]) for row in rows]

    def gaps(energies: list[float]) -> np.ndarray[Any, Any]:
        return np.array(
            [100.0 * (e - b) / abs(b) if b else e - b for e, b in zip(energies, best, strict=True)]
        )

    rival = gaps([min(row["single"].values()) for row in rows])
    runs = {f"auto, x{f}": gaps([row["auto"][k] for row in rows]) for k, f in enumerate(FACTORS)}
    runs |= {name: gaps([row["single"][name] for row in rows]) for name in rows[0]["single"]}
    families = list(dict.fromkeys(row["family"] for row in rows))
    inside = {f: [k for k, row in enumerate(rows) if row["family"] == f] for f in families}
    order = [*list(runs)[: len(FACTORS)], *sorted(rows[0]["single"], key=lambda name: runs[name].mean())]
    lines = [["mean gap %", *families, "mean", f"within {NEAR} % of the best single one, or better"]]
    for name in order:
        near = int((runs[name] <= rival + NEAR).sum())
        lines.append([name, *(f"{runs[name][inside[f]].mean():.2f}" for f in families), f"{runs[name].mean():.2f}",
                      f"{near} of {len(rows)}"])  # fmt: skip
    return lines, {name: int((runs[name] <= rival + NEAR).sum()) for name in order}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="processor seconds of a run")
    parser.add_argument("--instances", type=int, default=2, help="of each family")
    parser.add_argument("--offset", type=int, default=OFFSET, help="seed of the first instance")
    parser.add_argument(
        "--only", nargs="+", choices=list(STRATEGIES), help="these single strategies (default: all)"
    )
    parser.add_argument("--no-record", action="store_true", help="do not write recorded/auto.json")
    args = parser.parse_args()
    facts = provenance()
    rows = measure(args)
    lines, near = summary(rows)
    table = "\n".join(["| " + " | ".join(line) + " |" for line in lines[:1]]
                      + ["|---|" + "---:|" * (len(lines[0]) - 1)]
                      + ["| " + " | ".join(line) + " |" for line in lines[1:]])  # fmt: skip
    print(f"`{facts['command']}`, commit {facts['commit']}\n\n{table}")
    if not args.no_record:
        print(record("auto", {"table": lines, "near": near, "rows": rows}, compact=True), file=sys.stderr)


if __name__ == "__main__":
    main()
