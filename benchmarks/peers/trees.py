"""Small trees against their peers, in one run: proofs, and errors after so many CPU seconds.

    python benchmarks/peers/trees.py --peers PYTHON [--part proofs anytime numeric mnist] [--seconds 10]

``--peers`` names an interpreter with `pystreed`, `pytrees-rs` and `scikit-learn` installed, out of this
project's environment. Every solver runs in a process of its own on one thread, on the same array. Times
are CPU seconds since the table was read, so that other jobs on the machine matter little; our binning
of real columns is included. The peers know only limits by the wall clock: they get a generous one, and
are read off their CPU-stamped improvements. Data sets are those of `../shared/data` where present,
and generated ones (noisy rules over random bits) that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from record import ROOT, record  # noqa: E402

SHARED = ROOT.parent / "shared" / "data"
CHECKPOINTS = (0.1, 1.0, 10.0, 60.0)
PROOFS = [
    ("anneal", 4), ("anneal", 5), ("audiology", 4), ("australian-credit", 4), ("breast-wisconsin", 4),
    ("diabetes", 4), ("german-credit", 4), ("heart-cleveland", 4), ("heart-cleveland", 5), ("hepatitis", 4),
    ("segment", 3), ("tic-tac-toe", 4), ("tic-tac-toe", 5), ("vote", 4), ("vote", 5), ("splice-1", 3),
    ("splice-1", 4), ("german-credit", 5), ("rules-1", 4), ("rules-2", 4),
]  # fmt: skip
ANYTIME = [
    "anneal", "australian-credit", "breast-wisconsin", "diabetes", "german-credit", "heart-cleveland",
    "splice-1", "tic-tac-toe", "rules-1", "rules-2",
]  # fmt: skip
NUMERIC = ["bank", "eeg", "htru", "magic", "rice", "wilt"]


def rules(seed):
    """A generated table: three random conjunctions of bits vote, one label in ten is flipped."""
    rng = np.random.default_rng(seed)
    rows, columns = 1500, 70
    x = (rng.random((rows, columns)) < rng.uniform(0.2, 0.8, columns)).astype(np.uint8)
    votes = sum(x[:, rng.choice(columns, 3, replace=False)].all(axis=1) for _ in range(5))
    y = (votes > 0) ^ (rng.random(rows) < 0.1)
    return x, y.astype(np.int64)


def table(name):
    """A data set by name, or None where its file is not there."""
    if name.startswith("rules-"):
        return rules(int(name[6:]))
    if name == "mnist":
        images, labels = (
            SHARED / "mnist" / f"train-{n}-idx{d}-ubyte.gz" for n, d in (("images", 3), ("labels", 1))
        )
        if not images.exists():
            return None
        x = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16).reshape(-1, 784)
        y = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
        return (x > 127).astype(np.uint8), y.astype(np.int64)
    for path in (
        SHARED / "trees" / "binary" / f"{name}.txt",
        SHARED / "trees" / "numeric" / f"{name}.txt.gz",
    ):
        if path.exists():
            values = np.loadtxt(path)
            x = values[:, 1:]
            return (x.astype(np.uint8) if path.suffix == ".txt" else x), values[:, 0].astype(np.int64)
    return None


def run(python, solver, path, depth, seconds):
    """One solver in its own process."""
    command = [python, str(HERE / "trees_runner.py"), solver, str(path), str(depth), str(seconds)]
    try:
        # the wall may be several times the CPU time on a busy machine
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * seconds + 120)
    except subprocess.TimeoutExpired:
        return {"error": "no answer in time", "trace": []}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return {"error": done.stderr.strip()[-200:] or f"exit code {done.returncode}", "trace": []}
    return json.loads(lines[-1])


def errors_at(answer, second):
    """The fewest errors known after so many CPU seconds."""
    return min((e for at, e in answer["trace"] if at <= second), default=None)


def main():
    """Run the parts, print as they come, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", required=True, help="interpreter with the peers")
    parser.add_argument("--part", nargs="*", default=["proofs", "anytime", "numeric", "mnist"])
    parser.add_argument("--seconds", type=float, default=10.0, help="of CPU time a run")
    parser.add_argument("--wall", type=float, default=5.0, help="wall limit of the peers, per CPU second")
    parser.add_argument("--depths", nargs="*", type=int, default=[6, 8], help="of the anytime part")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    plans = {
        "proofs": [(n, d, ["dilemma", "pystreed"]) for n, d in PROOFS],
        "anytime": [(n, d, ["dilemma", "lds", "lgdt"]) for d in options.depths for n in ANYTIME],
        "numeric": [(n, d, ["dilemma", "contree"]) for d in (4, 6) for n in NUMERIC],
        "mnist": [("mnist", d, ["greedy", "cart", "dilemma"]) for d in (8,)]
        + [("mnist", d, ["dilemma"]) for d in (5, 6)],
    }
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for part in options.part:
            for name, depth, solvers in plans[part]:
                data = table(name)
                if data is None:
                    print(f"{name}: not there, left out")
                    continue
                path = Path(folder) / f"{name}.npz"
                if not path.exists():
                    np.savez(path, x=data[0], y=data[1])
                for solver in solvers:
                    ours = solver in ("dilemma", "greedy", "proof")
                    if ours:
                        answer = run(sys.executable, solver, path, depth, options.seconds)
                    else:
                        answer = run(options.peers, solver, path, depth, options.seconds * options.wall)
                    at = {str(c): errors_at(answer, c) for c in CHECKPOINTS if c <= options.seconds}
                    row = {"part": part, "data": name, "depth": depth, "solver": solver, "at": at, **answer}
                    row.pop("trace")
                    results.append(row)
                    print({k: v for k, v in row.items() if k != "part"}, flush=True)
                path.unlink()
    print("recorded in", record("trees_peers", results, path=options.out))


if __name__ == "__main__":
    main()
