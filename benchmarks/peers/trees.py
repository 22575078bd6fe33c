"""Small trees against their peers: proofs, and errors after so many CPU seconds.

    python benchmarks/peers/trees.py --peers PYTHON [--part mnist proofs numeric million anytime] [--out FILE]

``--peers`` names an interpreter with `pystreed`, `pytrees-rs` and `scikit-learn` installed, out of this
project's environment. Every solver runs in a process of its own on one thread, on the same array. Times
are CPU seconds since the table was read, so that other jobs on the machine matter little; our binning
of real columns is included. The peers know only limits by the wall clock: they get a generous one, and
are read off their CPU-stamped improvements. Data sets are those of `../shared/data` where present,
and generated ones (noisy rules over random bits) that nothing was tuned on.

A file that is there already is gone on with: what it holds is not run again. So parts may run one by one,
or side by side into files of their own; ``--merge FILE ...`` makes one record and its tables (`trees_tables.py`).
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
from record import RECORDED, ROOT, record  # noqa: E402

SHARED = ROOT.parent / "shared" / "data"
CHECKPOINTS = (0.1, 1.0, 10.0, 60.0)
LITERATURE = [
    "anneal", "audiology", "australian-credit", "breast-wisconsin", "diabetes", "german-credit",
    "heart-cleveland", "hepatitis", "segment", "splice-1", "tic-tac-toe", "vote",
]  # fmt: skip
GENERATED = ["rules-1", "rules-2"]
ANYTIME = [
    "anneal", "australian-credit", "diabetes", "german-credit", "heart-cleveland", "splice-1",
    "tic-tac-toe", "vote", "rules-1", "rules-2",
]  # fmt: skip
NUMERIC = ["bank", "eeg", "htru", "magic", "rice", "wilt"]
PARTS = ("mnist", "proofs", "numeric", "million", "anytime")


def plan(part, seconds):
    """The runs of a part: data set, depths, solver, CPU seconds. What matters most comes first."""
    if part == "mnist":
        runs = [("mnist", (8,), s, 10) for s in ("greedy", "cart")] + [("mnist", (8,), "dilemma", 60)]
        runs += [("mnist", (5, 6), "dilemma", 1), ("mnist", (5, 6), "lds", 10)]
        return [*runs, ("mnist", (8,), "lds", 60), ("mnist", (5,), "lgdt", 60), ("mnist", (8,), "lgdt", 60)]
    if part == "proofs":
        short, long = (2, 3), (4, 5)
        return [
            (n, d if n != "splice-1" or d == short else (4,), s, 40)
            for d in (long, short)
            for n in LITERATURE + GENERATED
            for s in ("dilemma", "pystreed")
        ]
    if part == "numeric":
        peers = ("dilemma", "contree", "lgdt")
        return [(n, d, s, seconds) for d in ((4, 6, 8), (2, 3)) for n in NUMERIC for s in peers]
    if part == "million":
        return [("million", (6,), "million", 60)]
    return [(n, (6, 7, 8), s, seconds) for n in ANYTIME for s in ("dilemma", "lds", "lgdt", "pystreed")]


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
    if name in ("mnist", "mnist test"):
        half = "t10k" if name.endswith("test") else "train"
        images, labels = (
            SHARED / "mnist" / f"{half}-{n}-idx{d}-ubyte.gz" for n, d in (("images", 3), ("labels", 1))
        )
        if not images.exists():
            return None
        x = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16).reshape(-1, 784)
        y = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
        return (x > 127).astype(np.uint8), y.astype(np.int64)
    if name == "million":
        return np.zeros((1, 1), np.uint8), np.zeros(1, np.int64)  # made by its runner
    for path in (
        SHARED / "trees" / "binary" / f"{name}.txt",
        SHARED / "trees" / "numeric" / f"{name}.txt.gz",
    ):
        if path.exists():
            values = np.loadtxt(path)
            x = values[:, 1:]
            return (x.astype(np.uint8) if path.suffix == ".txt" else x), values[:, 0].astype(np.int64)
    return None


def run(python, solver, path, depths, seconds):
    """One solver in its own process: an answer for each depth."""
    names = ",".join(map(str, depths))
    command = [python, str(HERE / "trees_runner.py"), solver, str(path), names, str(seconds)]
    try:
        # the wall may be several times the CPU time on a busy machine
        limit = len(depths) * (20 * seconds + 60) + 60
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        out, error = done.stdout, done.stderr.strip()[-200:] or f"exit code {done.returncode}"
    except subprocess.TimeoutExpired as late:
        out, error = (late.stdout or b"").decode(), "no answer in time"
    answers = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return answers + [{"error": error, "trace": []} for _ in depths[len(answers) :]]


def saved(path):
    """The rows of a file written before."""
    return json.loads(path.read_text())["results"] if path and path.exists() else []


def main():
    """Run the parts, print as they come, record after each data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", help="interpreter with the peers")
    parser.add_argument("--part", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="CPU seconds of the anytime and numeric parts"
    )
    parser.add_argument("--wall", type=float, default=3.0, help="wall limit of the peers, per CPU second")
    parser.add_argument("--only", nargs="*", help="data sets")
    parser.add_argument("--merge", nargs="*", type=Path, help="files to join instead of running")
    parser.add_argument("--out", type=Path, default=RECORDED / "trees_peers.json")
    options = parser.parse_args()
    if options.merge:
        files = [json.loads(path.read_text()) for path in options.merge]
        rows = [row for file in files for row in file["results"]]
        made = {key: sorted({str(file[key]) for file in files}) for key in ("command", "commit", "date")}
        print("recorded in", record("trees_peers", {"made": made, "rows": rows}, path=options.out))
        return
    if not options.peers:
        parser.error("--peers is needed to run anything")
    results = saved(options.out)
    done = {(r["part"], r["data"], r["depth"], r["solver"]) for r in results}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.part:
            spent = {}
            for name, wanted, solver, seconds in plan(part, options.seconds):
                depths = [d for d in wanted if (part, name, d, solver) not in done]
                if not depths or (options.only and name not in options.only):
                    continue
                path = Path(folder) / f"{name}.npz"
                if not path.exists() and not write(name, path):
                    continue
                ours = solver in ("dilemma", "greedy", "proof", "million")
                if not ours and part == "proofs":  # long enough to tell whether it is ten times slower
                    seconds = min(max(12 * max(spent.get((name, d), 40) for d in depths), 2.0), 40)
                answers = run(
                    sys.executable if ours else options.peers,
                    solver,
                    path,
                    depths,
                    seconds if ours else seconds * options.wall,
                )
                for depth, answer in zip(depths, answers, strict=True):
                    spent[name, depth] = answer.get("cpu", seconds) if ours else spent.get((name, depth))
                    results.append(row_of(part, name, depth, solver, seconds, answer))
                    print(results[-1], flush=True)
                record("trees_peers", results, path=options.out)


def row_of(part, name, depth, solver, seconds, answer):
    """What is recorded of one run."""
    trace = answer.pop("trace")
    row = {"part": part, "data": name, "depth": depth, "solver": solver, "limit": round(seconds, 2)}
    row["at"] = {
        str(c): min((e for at, e in trace if at <= c), default=None) for c in CHECKPOINTS if c <= seconds
    }
    if trace:
        row |= {"first": trace[0], "found": trace[-1][0]}
    return row | answer


def write(name, path):
    """A data set as a file for the runners; False where it is not there."""
    data, more = table(name), {}
    if data is None:
        print(f"{name}: not there, left out")
        return False
    if name == "mnist":
        more = dict(zip(("x_test", "y_test"), table("mnist test"), strict=True))
    np.savez(path, x=data[0], y=data[1], **more)
    return True


if __name__ == "__main__":
    main()
