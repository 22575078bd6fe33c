"""Beyond the paper: where its search ends, and where this library's do, on the same data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dilemma.experiments.claims import label, main_tree

Record = dict[str, Any]


def tree_rows(records: dict[str, Record]) -> list[Record]:
    """Return the errors of every kind of tree on every set of rows, the greedy and scikit-learn's first."""
    found = []
    for name, record in records.items():
        if record["kind"] == "tree":
            rows = record["facts"]["rows"]
            for title, errors, effort in _trees(record):
                shares = {f"{key}_error_%": 100 * errors[key] / rows[key] for key in rows}
                found.append({"data": label(name, record), "tree": title, "after": effort, **shares})
    return found


def _trees(record: Record) -> Iterator[tuple[str, Record, str]]:
    facts, own = record["facts"], record["beyond"]
    yield f"ID3, greedy, depth {facts['depth']}", facts["greedy_errors"], ""
    if facts["scikit_learn_errors"] is not None:
        yield f"scikit-learn, entropy, depth {facts['depth']}", facts["scikit_learn_errors"], ""
    for key in ("sequence-raw", "sequence-random", "sequence-auto", "and-or-raw", "and-or-auto"):
        method = record["methods"][key]
        run = min(method["runs"], key=lambda r: r["energy"])
        yield method["title"] + _best(method), run["errors"], f"{record['max_iter'] - 1} iterations"
    yield "tree engine, own defaults (training energy)", own["errors"], f"{own['cpu_seconds']:.1f} s of CPU"


def _best(method: Record) -> str:
    return f", the best of {len(method['runs'])}" if len(method["runs"]) > 1 else ""


def knapsack_rows(records: dict[str, Record]) -> list[Record]:
    """Return the values packed, and how far they are from the optimum."""
    found = []
    for name, record in records.items():
        if record["kind"] != "knapsack":
            continue
        facts, last = record["facts"], int(record["max_iter"]) - 1
        own = record["beyond"]
        optimum = own["value"] if own["optimal"] else facts["optimum"]
        lines = [("greedy", -facts["greedy_energy"], "")]
        for order in ("raw", "random", "auto"):
            method = record["methods"][f"{main_tree(record)}-{order}"]
            value = -min(run["energy"] for run in method["runs"])
            lines.append((method["title"] + _best(method), value, f"{last} iterations"))
        proved = ", proved optimal" if own["optimal"] else ""
        lines.append((f"knapsack.solve{proved}", own["value"], f"{own['cpu_seconds']:.2f} s of CPU"))
        for title, value, effort in lines:
            gap = None if optimum is None else 100 * (optimum - value) / optimum
            found.append({"data": label(name, record), "search": title, "after": effort, "value": value,
                          "below_the_optimum_%": gap})  # fmt: skip
    return found


def headline(records: dict[str, Record]) -> list[str]:
    """Return how far past the paper this is, in a sentence for each panel of trees and one for all knapsacks."""
    told, seen = [], set()
    for name, record in records.items():
        if record["kind"] != "tree" or record["panel"] in seen or len(record["facts"]["rows"]) < 3:
            continue
        seen.add(record["panel"])
        rows = record["facts"]["rows"]["test"]
        parts = [f"{title}: {100 * errors['test'] / rows:.2f} %" for title, errors, _ in _trees(record)]
        told.append(
            f"{label(name, record)}, error on test rows, which no search has seen. {'; '.join(parts)}."
        )
    rows = knapsack_rows(records)
    gaps: dict[str, list[bool]] = {}
    for row in rows:
        title, best, _ = row["search"].removesuffix(", proved optimal").partition(", the best of ")
        title += ", the best of its runs" if best else ""
        gaps.setdefault(title, []).append(row["below_the_optimum_%"] == 0)
    if gaps:
        parts = [f"{title}: {sum(found)} of {len(found)}" for title, found in gaps.items()]
        told.append(f"Knapsacks on which the optimum is found. {'; '.join(parts)}.")
    return told
