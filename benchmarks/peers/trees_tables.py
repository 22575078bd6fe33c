"""The tables of a recorded run of `trees.py`, with a verdict for each aim.

    python benchmarks/peers/trees_tables.py [FILE] > benchmarks/recorded/trees_peers.md

Errors are training errors after so many CPU seconds; "-" says that there was no tree yet.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "recorded"


def main():
    """Read, print."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDED / "trees_peers.json"
    facts = json.loads(path.read_text())
    results = facts["results"]
    rows = results if isinstance(results, list) else results["rows"]
    machine = facts["machine"]
    print("# Trees against their peers\n")
    print(
        f"On {machine['cpu']}, {machine['cores']} cores shared with other jobs, Python {machine['python']}."
    )
    for key, value in ({} if isinstance(results, list) else results["made"]).items():
        print(f"\n{key}: " + ", ".join(f"`{v}`" for v in value))
    for title, part, table in (
        ("MNIST, pixel > 127, 60,000 rows", "mnist", mnist),
        ("Proofs", "proofs", proofs),
        ("Errors at a moment, binary sets", "anytime", anytime),
        ("Numeric sets", "numeric", numeric),
        ("A million rows by 100 real columns", "million", million),
    ):
        mine = {(r["data"], r["depth"], r["solver"]): r for r in rows if r["part"] == part}
        if mine:
            print(f"\n## {title}\n")
            table(mine)


def line(*cells):
    """One row of a table."""
    print("| " + " | ".join("-" if c is None else str(c) for c in cells) + " |")


def head(*cells):
    """The first two rows of a table."""
    line(*cells)
    print("|" + "---|" * len(cells))


def verdict(aim, met, detail=""):
    """One aim, met or not."""
    print(f"- {aim}: **{'met' if met else 'not met'}**{detail and ' (' + detail + ')'}")


def at(row, second):
    """Errors at a checkpoint; a run that ended before it keeps its last."""
    if row is None or "error" in row:
        return None
    if str(second) in row["at"]:
        return row["at"][str(second)]
    return row["errors"] if row.get("optimal") or row.get("cpu", 9e9) <= second else None


def least(values):
    """The smallest that is there, or None."""
    return min((v for v in values if v is not None), default=None)


def mnist(rows):
    """Depths 5, 6, 8."""
    head("depth", "solver", "CPU s of the run", "0.1 s", "1 s", "10 s", "60 s", "test errors of 10,000", "MB")
    for (_, depth, solver), r in sorted(rows.items(), key=lambda x: (x[0][1], x[0][2] != "dilemma")):
        marks = [at(r, c) for c in (0.1, 1.0, 10.0, 60.0)]
        line(depth, solver, r.get("cpu"), *marks, r.get("test_errors"), r.get("megabytes"))
    print()
    ours, greedy, cart = (rows.get(("mnist", 8, s)) for s in ("dilemma", "greedy", "cart"))
    if greedy and cart:
        ratio = cart["cpu"] / greedy["cpu"]
        verdict(
            "greedy tree in a twentieth of scikit-learn's fit time", ratio >= 20, f"{ratio:.0f} times as fast"
        )
    if ours:
        for second, aim in ((1.0, 10600), (10.0, 10000), (60.0, 9850)):
            verdict(
                f"depth 8, fewer than {aim} errors after {second:g} s",
                at(ours, second) < aim,
                str(at(ours, second)),
            )
        verdict(
            "test error below 17 % after 60 s",
            ours["test_errors"] < 1700,
            f"{ours['test_errors'] / 100:.2f} %",
        )
        verdict("under 1 GB", ours["megabytes"] < 1000, f"{ours['megabytes']} MB")
    for depth in (5, 6):
        mine, peers = (
            rows.get(("mnist", depth, "dilemma")),
            [rows.get(("mnist", depth, s)) for s in ("lds", "lgdt")],
        )
        theirs = least(at(p, 10.0) for p in peers)
        if mine and theirs:
            met = at(mine, 1.0) < theirs
            verdict(
                f"depth {depth}: 1 s better than the peers' 10 s", met, f"{at(mine, 1.0)} against {theirs}"
            )


def proofs(rows):
    """Seconds to a proof."""
    head("set", "depth", "errors", "found, s", "proved, s", "pystreed proved, s", "times faster")
    slow, unproved, late = [], [], []
    for name, depth in sorted({k[:2] for k in rows}, key=lambda k: (k[1], k[0])):
        ours, peer = rows.get((name, depth, "dilemma")), rows.get((name, depth, "pystreed"))
        if ours is None or peer is None:
            continue
        proved = peer.get("optimal") and peer["errors"] == ours["errors"]
        ratio = peer.get("cpu", 0) / max(ours["cpu"], 1e-4)
        shown = f"{peer['cpu']:.3f}" if proved else f"not within {peer.get('cpu', peer['limit']):.1f}"
        faster = f"{'' if proved else '> '}{ratio:.1f}"
        mine = f"{ours['cpu']:.3f}" if ours["optimal"] else "no"
        line(name, depth, ours["errors"], f"{ours['found']:.3f}", mine, shown, faster)
        what = f"{name} {depth}"
        unproved += [what] * (not ours["optimal"])
        slow += [f"{what}: {ratio:.1f}"] * (ratio < 10)
        late += [what] * (ours["found"] > 1)
    print()
    verdict("every set proved", not unproved, ", ".join(unproved))
    verdict("the optimum found within a second", not late, ", ".join(late))
    verdict(
        "ten times faster than pystreed", not slow, f"{len(slow)} below: " + ", ".join(slow) if slow else ""
    )


def anytime(rows):
    """Ours against the best of the peers, at each checkpoint."""
    marks = [c for c in (0.1, 1.0, 10.0) if any(str(c) in r.get("at", {}) for r in rows.values())]
    peers = ("lds", "lgdt", "pystreed")
    head("set", "depth", *(f"{s}, {c:g} s" for c in marks for s in ("dilemma", *peers)))
    score = {}
    for name, depth in sorted({k[:2] for k in rows}, key=lambda k: (k[1], k[0])):
        cells = []
        for c in marks:
            ours, theirs = (
                at(rows.get((name, depth, "dilemma")), c),
                [at(rows.get((name, depth, s)), c) for s in peers],
            )
            cells += [ours, *theirs]
            best, tally = least(theirs), score.setdefault((depth, c), [0, 0, 0])
            tally[1 if ours == best else 0 if best is None or (ours is not None and ours < best) else 2] += 1
        line(name, depth, *cells)
    print()
    for (depth, c), (better, equal, worse) in sorted(score.items()):
        detail = f"better {better}, equal {equal}, worse {worse}"
        verdict(f"depth {depth}, {c:g} s: no peer is better on nine sets of ten", better + equal >= 9, detail)


def numeric(rows):
    """Ours on at most 255 bins a column, against exact thresholds."""
    marks = [c for c in (0.1, 1.0, 10.0) if any(str(c) in r.get("at", {}) for r in rows.values())]
    solvers = ("dilemma", "contree", "lgdt")
    head("set", "depth", *(f"{s}, {c:g} s" for c in marks for s in solvers), "proved by dilemma, contree")
    worse = {c: [] for c in marks}
    for name, depth in sorted({k[:2] for k in rows}, key=lambda k: (k[1], k[0])):
        runs = [rows.get((name, depth, s)) for s in solvers]
        cells = [at(r, c) for c in marks for r in runs]
        proved = ", ".join("yes" if r and r.get("optimal") else "no" for r in runs[:2])
        line(name, depth, *cells, proved)
        for c in marks:
            ours, best = at(runs[0], c), least(at(r, c) for r in runs[1:])
            if depth >= 4 and best is not None and (ours is None or ours > best):
                worse[c].append(f"{name} {depth}")
    print()
    for c in marks:
        verdict(
            f"depth 4 and more, {c:g} s: at or below every peer",
            not worse[c],
            "above: " + ", ".join(worse[c]) if worse[c] else "",
        )


def million(rows):
    """The estimator within a minute."""
    head("depth", "errors of the first tree", "errors at the end", "wall s of the fit", "CPU s", "MB")
    for (_, depth, _), r in rows.items():
        line(depth, r["first"][1], r["errors"], r["wall"], r["cpu"], r["megabytes"])
        print()
        verdict("fits and improves on its greedy within a minute", r["errors"] < r["first"][1])


if __name__ == "__main__":
    main()
