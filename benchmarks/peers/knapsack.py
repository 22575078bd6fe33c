"""Knapsack against its peers, in one run: quality after 0.1 and 1 CPU seconds and at the end, on all classes.

    python benchmarks/peers/knapsack.py --ortools PYTHON --others PYTHON [--seconds 10] [--out FILE]
    python benchmarks/peers/knapsack.py --show        # the tables of the recorded run

``--ortools`` names an interpreter with `ortools` installed (its CP-SAT and its knapsack solver), ``--others``
one with `didppy` and `treesearchsolverpy`; keep both out of this project's environment. Every solver runs in a
process of its own, on one thread, on instances that this script draws, with a limit of `--seconds` by the wall
clock. Improvements are stamped with the process's CPU seconds since it had read the instance and loaded its
modules; the last column of quality is what was there at the end.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from record import provenance  # noqa: E402

CHECKPOINTS = (0.1, 1.0, float("inf"))  # CPU seconds; the last: at the end
SIZES = ((1000, 10**6), (10_000, 10**6), (100, 10**3))
SOLVERS = ("dilemma", "ortools-knapsack", "cp-sat", "didppy", "treesearchsolverpy")


def run(python: str, solver: str, path: Path, seconds: float) -> dict[str, object]:
    """Run one solver: the best value at each checkpoint (null: none yet), CPU seconds, bound, claim of a proof."""
    command = [python, str(HERE / "knapsack_runner.py"), solver, str(path), str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=3 * seconds + 60)
        lines = done.stdout.strip().splitlines()
        if done.returncode or not lines:
            answer = {"error": done.stderr.strip()[-300:] or f"exit code {done.returncode}", "trace": []}
        else:
            answer = json.loads(lines[-1])
    except subprocess.TimeoutExpired:
        answer = {"error": "no answer in time", "trace": []}
    trace = answer.pop("trace")
    return {"values": [value_at(trace, t) for t in CHECKPOINTS], **answer}


def value_at(trace: list[tuple[float, float]], second: float) -> float | None:
    """Return the best value known after so many CPU seconds, None if there is none yet."""
    return max((value for at, value in trace if at <= second), default=None)


def main() -> None:
    """Draw, run, record, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ortools", help="interpreter with ortools")
    parser.add_argument("--others", help="interpreter with didppy and treesearchsolverpy")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=2025)
    parser.add_argument("--classes", nargs="*", help="default: all")
    parser.add_argument("--sizes", nargs="*", type=int, default=[n for n, _ in SIZES])
    parser.add_argument("--out", type=Path, default=HERE.parent / "recorded" / "knapsack_peers.json")
    parser.add_argument(
        "--show", action="store_true", help="print the tables of the recorded run, run nothing"
    )
    args = parser.parse_args()
    if args.show:
        recorded = json.loads(args.out.read_text())
        print(table(recorded))
        for n, size in SIZES:
            print(f"\n{n:,} items, numbers up to {size:,}\n\n{by_class(recorded, n)}")
        return

    from dilemma.knapsack import CLASSES, generate, write

    python = {"dilemma": sys.executable, "ortools-knapsack": args.ortools, "cp-sat": args.ortools}
    python |= {"didppy": args.others, "treesearchsolverpy": args.others}
    record: dict[str, object] = {
        **provenance(),
        "command": "python benchmarks/peers/knapsack.py --ortools PYTHON --others PYTHON "
        + f"--seconds {args.seconds:g} --seed {args.seed}",
        "checkpoints": ["0.1 CPU s", "1 CPU s", "end"],
        "runs": (runs := []),
    }
    with tempfile.TemporaryDirectory() as folder:
        for n, size in SIZES:
            for name in args.classes or CLASSES:
                if n not in args.sizes:
                    continue
                path = Path(folder) / "instance.kp"
                write(generate(name, n, seed=args.seed, range=size), path)
                row = {"class": name, "n": n, "range": size, "solvers": {}}
                for solver in SOLVERS:
                    if python[solver]:
                        row["solvers"][solver] = run(python[solver], solver, path, args.seconds)
                runs.append(row)
                print(line(row), flush=True)
                args.out.parent.mkdir(parents=True, exist_ok=True)
                args.out.write_text(json.dumps(record, indent=None) + "\n")
    print(table(record))


def line(row: dict) -> str:
    """One instance for the log."""
    parts = []
    for solver, answer in row["solvers"].items():
        proof = "*" if answer.get("optimal") else ""
        parts.append(f"{solver} {answer['values'][-1]}{proof} ({answer.get('cpu', answer.get('error'))})")
    return f"{row['class']} n={row['n']} R={row['range']}: " + ", ".join(parts)


def table(record: dict) -> str:
    """Per size and solver: mean gap to the best value any solver found, solved and proved, at each checkpoint."""
    lines = [
        "| n (range) | solver | "
        + " | ".join(f"gap, {t} (best on)" for t in record["checkpoints"])
        + " | proved | CPU s, median |",
        "|---|---|" + "---|" * (len(CHECKPOINTS) + 2),
    ]
    groups = defaultdict(list)
    for row in record["runs"]:
        groups[row["n"], row["range"]].append(row)
    for (n, size), rows in sorted(groups.items()):
        best = [max(a["values"][-1] or 0 for a in r["solvers"].values()) for r in rows]
        for solver in rows[0]["solvers"]:
            answers = [r["solvers"][solver] for r in rows]
            cells = [cell([a["values"][k] for a in answers], best) for k in range(len(CHECKPOINTS))]
            proved = sum(
                bool(a.get("optimal")) and a["values"][-1] == b for a, b in zip(answers, best, strict=True)
            )
            spent = sorted(a["cpu"] for a in answers if "cpu" in a)
            cells += [f"{proved}/{len(rows)}", f"{spent[len(spent) // 2]:.3g}" if spent else "–"]
            lines.append(f"| {n:,} ({size:,}) | {solver} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_class(record: dict, n: int) -> str:
    """Return one size class by class: each solver's gap at the three checkpoints, * where it claimed a proof."""
    rows = [row for row in record["runs"] if row["n"] == n]
    solvers = list(rows[0]["solvers"])
    lines = ["| class | " + " | ".join(solvers) + " |", "|---" * (len(solvers) + 1) + "|"]
    for row in rows:
        best = max(answer["values"][-1] or 0 for answer in row["solvers"].values())
        cells = []
        for answer in row["solvers"].values():
            gaps = ["–" if v is None else f"{100 * (best - v) / best:.2g}" for v in answer["values"]]
            cells.append(" / ".join(gaps) + ("*" if answer.get("optimal") else ""))
        lines.append(f"| {row['class']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(got: list[float | None], best: list[float]) -> str:
    """Mean gap over the instances with an answer, and on how many it is the best known."""
    hit = sum(g == b for g, b in zip(got, best, strict=True))
    gaps = [100 * (b - g) / b for g, b in zip(got, best, strict=True) if g is not None]
    missing = len(got) - len(gaps)
    mean = f"{sum(gaps) / len(gaps):.2g} %" if gaps else "–"
    return f"{mean} ({hit}/{len(got)}" + (f", {missing} none)" if missing else ")")


if __name__ == "__main__":
    main()
