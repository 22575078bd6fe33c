"""The claims on Dilemma First Search as such: Table I, Figure 3 as a whole, anytime, the first iteration."""

from __future__ import annotations

from itertools import pairwise

from dilemma.experiments.claims import STAND_INS, Claim, Record, elsewhere, label, readings, share, told


def search_claims(records: dict[str, Record], table: Record | None) -> list[Claim]:
    """Return these claims."""
    return [_figure_3(records), _first(records), _anytime(records), _table_1(table), _deterministic(table)]


def _figure_3(records: dict[str, Record]) -> Claim:
    claim = Claim(
        "figure-3",
        "VII, Figure 3",
        "Almost systematic improvement in convergence speed over random selection.",
    )
    rows = readings(records)
    claim.table = [row.row() for row in rows]
    main = [row for row in rows if row.main]
    if not main:
        if rows:
            claim.because = STAND_INS
        return claim
    claim.verdict = share([row.result.against_mean == "better" for row in main])
    claim.because = (
        "Main reading of every panel and data set, averaged over the run, against the 95 % interval of the random "
        f"runs' mean: {told(main, lambda c: c.against_mean)}. "
        + elsewhere(rows, lambda c: c.against_mean == "better")
    )
    return claim


def _first(records: dict[str, Record]) -> Claim:
    claim = Claim("first-iteration", "IV", "The first iteration yields the greedy solution.")
    for name, record in records.items():
        runs = [r for m in record["methods"].values() if m["tree"] != "and-or" for r in m["runs"]]
        greedy = record["facts"]["greedy_energy"]
        same = sum(run["improvements"][0][1] == greedy for run in runs)
        claim.table.append({"data": label(name, record), "greedy": greedy, "runs": len(runs), "equal": same})
    if claim.table:
        runs_, equal = (sum(row[key] for row in claim.table) for key in ("runs", "equal"))
        claim.verdict = share([row["equal"] == row["runs"] for row in claim.table])
        claim.because = (
            f"In {equal} of {runs_} runs, of all orders and seeds, iteration 0 has the energy of the greedy, "
            "which is "
            "built beside the search by taking the best action until there is none."
        )
    return claim


def _anytime(records: dict[str, Record]) -> Claim:
    claim = Claim("anytime", "IV", "Anytime: intermediate solutions of increasing quality.")
    for name, record in records.items():
        for method in record["methods"].values():
            if method["order"] not in ("raw", "log") or method["constant"] or method["tree"] == "and-or":
                continue
            energies = [energy for _, energy in method["runs"][0]["improvements"]]
            claim.table.append({
                "data": label(name, record), "method": method["title"], "intermediate_solutions": len(energies) - 1,
                "falling": all(a > b for a, b in pairwise(energies)),
            })  # fmt: skip
    if claim.table:
        claim.verdict = share([row["falling"] for row in claim.table])
        stuck = sum(row["intermediate_solutions"] == 0 for row in claim.table)
        claim.because = (
            "The best energy so far falls at every improvement, by construction; "
            f"in {stuck} of {len(claim.table)} runs there is none, and the greedy stays the answer."
        )
    return claim


def _table_1(table: Record | None) -> Claim:
    claim = Claim("table-1", "II, Table I", "What each method needs and does, 8 rows by 7 methods.")
    if table is None:
        return claim
    claim.table = table["rows"]
    other = [row for row in table["rows"] if not row["agrees"]]
    measured = [row for row in table["rows"] if row["measured"] is not None]
    differ = ", ".join(f"{row['row'].lower()} of {row['method']}" for row in other)
    claim.verdict = share([row["agrees"] for row in table["rows"]])
    claim.because = (
        f"{len(table['rows']) - len(other)} of {len(table['rows'])} cells agree ({len(measured)} measured, the "
        "others "
        "declared by the strategy). The methods here all start from the greedy and are ranked by its scores, "
        "which "
        f"the paper's need not; differing: {differ}."
    )
    return claim


def _deterministic(table: Record | None) -> Claim:
    claim = Claim("deterministic", "I, Table I", "Dilemma First Search is deterministic.")
    if table is None:
        return claim
    claim.table = [row for row in table["rows"] if row["row"] == "Stochastic"]
    (own,) = [row for row in claim.table if row["method"] == "DFS"]
    claim.verdict = "holds" if own["measured"] == "-" else "does not hold"
    claim.because = "Runs with different seeds give the same candidates, one by one, on all trees tried."
    return claim
