"""The claims of Section VII-A: knapsacks."""

from __future__ import annotations

from dilemma.experiments.claims import STAND_INS, Claim, Record, elsewhere, readings, share, told
from dilemma.experiments.curves import Comparison

FEW = 50  # "few iterations", in candidates: the paper gives no number


def knapsack_claims(records: dict[str, Record]) -> list[Claim]:
    """Return the claims on knapsacks."""
    few = Claim(
        "knapsack-improves", "VII-A", "On all four knapsacks the greedy is improved in few iterations."
    )
    mean = Claim("knapsack-mean", "VII-A", "Better than random state selection on average, on all four.")
    best = Claim("knapsack-best", "VII-A", "Consistently better than the best of the random runs.")
    claims = [few, mean, best]
    rows = readings(records)
    few.table = mean.table = best.table = [row.row() for row in rows]
    main = [row for row in rows if row.main]
    if not main:
        for claim in claims if rows else []:
            claim.because = STAND_INS
        return claims

    def improved(c: Comparison) -> bool:
        return c.first is not None and c.first <= FEW

    few.verdict = share([improved(row.result) for row in main])
    few.because = (
        f"Partition tree, raw gap: first iteration better than the greedy: {told(main, lambda c: c.first)}; "
        f"few is taken as {FEW}. " + elsewhere(rows, improved)
    )
    mean.verdict = share([row.result.against_mean == "better" for row in main])
    mean.because = (
        "Partition tree, raw gap: the value averaged over the run, against the 95 % interval of the random runs' "
        f"mean: {told(main, lambda c: c.against_mean)}. "
        + elsewhere(rows, lambda c: c.against_mean == "better")
    )
    best.verdict = share([row.result.beats_best for row in main])
    best.because = (
        "Partition tree, raw gap: the value in the end against the luckiest of the random runs, and which was "
        "there "
        f"sooner if they are equal: {told(main, lambda c: c.against_best)}. "
        + elsewhere(rows, lambda c: c.beats_best)
    )
    return claims
