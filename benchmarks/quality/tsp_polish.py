"""How close to the best known tour does ``dilemma.minimize`` come, with the gallery's `polish`?

Files of TSPLIB up to 500 cities, the default strategy, ten processor seconds a run::

    python benchmarks/quality/tsp_polish.py --data DATA/tsp
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from record import provenance, record

import dilemma
from dilemma.problems import TSP

BEST = {
    "eil51": 426,
    "berlin52": 7542,
    "st70": 675,
    "kroA100": 21282,
    "kroB100": 22141,
    "a280": 2579,
    "pcb442": 50778,
}
AFTER = (1.0, 2.0, 5.0, 10.0)


def gaps(path: Path, best: float, seed: int) -> list[float]:
    """Return the gap in per cent after each of these processor seconds."""
    began = time.process_time()
    problem = TSP.load(path)
    search = dilemma.search(
        problem, random_state=seed, stop=lambda progress: time.process_time() - began > max(AFTER)
    )
    found = [(time.process_time() - began, event.energy) for event in search if event.improved]
    return [100.0 * (min(e for at, e in found if at <= max(s, found[0][0])) / best - 1.0) for s in AFTER]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the .tsp files")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--no-record", action="store_true", help="do not write recorded/tsp_polish.json")
    args = parser.parse_args()
    sys.argv = ["DATA/tsp" if a == str(args.data) else a for a in sys.argv]
    facts = provenance()
    rows = [[name, seed, *gaps(args.data / f"{name}.tsp", best, seed)] for name, best in BEST.items()
            for seed in range(args.seeds)]  # fmt: skip
    print(f"`{facts['command']}`, commit {facts['commit']}\n")
    print(f"| gap % after | {' | '.join(f'{s:g} s' for s in AFTER)} |")
    print("|---|" + "---:|" * len(AFTER))
    for name, _, *found in rows:
        print(f"| {name} | {' | '.join(f'{gap:.2f}' for gap in found)} |")
    if not args.no_record:
        print(record("tsp_polish", {"after": AFTER, "rows": rows}, compact=True), file=sys.stderr)


if __name__ == "__main__":
    main()
