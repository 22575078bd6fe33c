"""The claims of Section VII-B on the course of the search for trees."""

from __future__ import annotations

import numpy as np

from dilemma.experiments.claims import STAND_INS, Claim, Record, elsewhere, label, readings, share, told
from dilemma.experiments.curves import Comparison, curves

ALMOST = 0.9  # "almost always", as a share of the iterations
FRACTION = 0.5  # "a fraction of the iterations", at most


def tree_claims(records: dict[str, Record]) -> list[Claim]:
    """Return the claims on decision trees, but for the reductions of their errors."""
    better = Claim("tree-mean", "VII-B", "Trees improve more efficiently than with random state selection.")
    every = Claim("tree-all", "VII-B", "Almost always converges faster than any of the random runs.")
    fraction = Claim(
        "tree-fraction",
        "Abstract",
        "Trees are optimised in a fraction of the iterations a random search needs.",
    )
    claims = [better, every, fraction]
    rows = readings(records)
    better.table = every.table = fraction.table = [row.row() for row in rows]
    main = [row for row in rows if row.main]
    if not main:
        for claim in claims if rows else []:
            claim.because = STAND_INS
        return [*claims, _constant(records)]

    better.verdict = share([row.result.against_mean == "better" for row in main])
    better.because = (
        "Sequences, raw gap: the error averaged over the run, against the 95 % interval of the random runs' mean: "
        f"{told(main, lambda c: c.against_mean)}. "
        + elsewhere(rows, lambda c: c.against_mean == "better")
        + _ties(records)
    )

    def leads(c: Comparison) -> bool:
        return c.dilemma < c.greedy and c.as_good_as_best >= ALMOST

    every.verdict = share([leads(row.result) for row in main])
    every.because = (
        "Sequences, raw gap: share of the iterations at which it is at least as good as every random run (almost "
        f"always is taken as {100 * ALMOST:.0f} %, and the greedy must be improved): "
        + told(main, lambda c: f"{100 * c.as_good_as_best:.0f} %")
        + ". "
        + elsewhere(rows, leads)
    )
    length = {row.name: int(row.record["max_iter"]) for row in main}

    def quick(c: Comparison, iterations: int) -> bool:
        return c.reaches_mean is not None and c.reaches_mean <= FRACTION * iterations

    fraction.verdict = share([quick(row.result, length[row.name]) for row in main])
    fraction.because = (
        f"Sequences, raw gap: the iteration, of {max(length.values()) - 1}, at which it is as good as the "
        "random runs "
        f"are on average in the end (a fraction is taken as half at most): {told(main, lambda c: c.reaches_mean)}. "
        + elsewhere(rows, lambda c: quick(c, max(length.values())))
    )
    return [*claims, _constant(records)]


def _ties(records: dict[str, Record]) -> str:
    """Return how many states of the greedy tree have two best attributes of equal gain."""
    found = {
        (r["facts"]["greedy_ties"], r["facts"]["greedy_nodes"]): None
        for r in records.values()
        if r["real"] and "greedy_ties" in r["facts"]
    }
    if not found:
        return ""
    shares = [100 * ties / nodes for ties, nodes in found]
    return (
        f" In the greedy trees, {min(shares):.0f} to {max(shares):.0f} % of the nodes have two best attributes of "
        "equal gain: their gap is 0, so they come before any other."
    )


def _constant(records: dict[str, Record]) -> Claim:
    claim = Claim(
        "constant",
        "VII-B",
        "No significant change over the range of the corollary's constant (decision trees).",
    )
    outcomes, parts = [], []
    for name, record in records.items():
        swept = {
            m["constant"]: key
            for key, m in record["methods"].items()
            if m["order"] == "log" and m["tree"] == "sequence"
        }
        if len(swept) < 3:
            continue
        judged = list(record["facts"]["rows"])[1]
        random = curves(record, "sequence-random")[:, -1]
        differs = []
        for constant, key in sorted(swept.items()):
            own = curves(record, key)[0]
            row: Record = {
                "data": label(name, record), "constant_of_log_b": constant, "energy": float(own[-1]),
                "mean_energy_over_the_run": float(own.mean()),
                "deviation_of_a_random_run": float(random.std(ddof=1)),
            }  # fmt: skip
            pair = record["methods"][key]["runs"][0].get("against_no_constant")
            if pair is not None:
                low, high = 100 * pair[judged]["low"], 100 * pair[judged]["high"]
                row["errors_fewer_than_with_0_points"] = 100 * pair[judged]["change"]
                row["errors_fewer_than_with_0_95"] = [low, high]
                differs.append(low > 0 or high < 0)
            claim.table.append(row)
        if record["real"] and differs:
            outcomes.append(not any(differs))
            ends = [curves(record, key)[0, -1] for key in swept.values()]
            parts.append(f"{name} {sum(differs)} of {len(differs)} ({np.ptp(ends):.0f} errors apart)")
    if outcomes:
        claim.verdict = share(outcomes)
        claim.because = (
            "Log gap, constants of ¼, ½, ¾ and 1 times log b against 0: how many end with a tree whose error rate "
            f"differs by more than its 95 % interval, row by row: {', '.join(parts)}. Where P is known the "
            "constant "
            "does matter: see corollary-constant."
        )
    elif claim.table:
        claim.because = STAND_INS
    return claim
