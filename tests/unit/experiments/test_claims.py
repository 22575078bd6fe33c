"""Verdicts: each claim is fed records that bear it out, and records that refute it."""

from typing import Any

import pytest

from dilemma.experiments.claims import Claim, judge

LENGTH = 101


def run(*improvements: tuple[int, float], **more: Any) -> dict[str, Any]:
    steps = [list(step) for step in improvements]
    return {
        "seed": 0, "improvements": steps, "iterations": LENGTH, "greedy": steps[0][1], "energy": steps[-1][1],
        "first_ms": 5.0, "mean_ms": 1.0, "worst_ms": 9.0, **more,
    }  # fmt: skip


def method(tree: str, order: str, runs: list[dict[str, Any]], constant: float = 0.0) -> dict[str, Any]:
    return {"title": f"{order} ({tree})", "tree": tree, "order": order, "constant": constant, "runs": runs}


def record(panel: str, methods: list[dict[str, Any]], *, real: bool = True, **facts: Any) -> dict[str, Any]:
    kind = "tree" if panel in ("mnist", "ecp2011") else "knapsack"
    keys = [f"{m['tree']}-{m['order']}" + (f"-c{m['constant']:g}" if m["constant"] else "") for m in methods]
    greedy = methods[0]["runs"][0]["improvements"][0][1]
    return {
        "panel": panel, "reading": "", "kind": kind, "real": real, "origin": panel, "max_iter": LENGTH,
        "facts": {"greedy_energy": greedy, **facts}, "methods": dict(zip(keys, methods, strict=True)),
    }  # fmt: skip


def claims(
    *records: dict[str, Any], queue: list[dict[str, Any]] | None = None, table: dict[str, Any] | None = None
) -> dict[str, Claim]:
    found = judge({r["panel"]: r for r in records}, None, queue, table)
    return {claim.key: claim for claim in found}


def knapsack(own: list[tuple[int, float]], others: list[list[tuple[int, float]]], real: bool = True) -> dict:
    random = [run(*steps) for steps in others]
    return record(
        "ks_24a", [method("partition", "raw", [run(*own)]), method("partition", "random", random)], real=real
    )


SLOW = [[(0, -10.0), (60, -11.0)], [(0, -10.0), (70, -12.0)], [(0, -10.0), (80, -11.0)]]


def test_a_knapsack_claim_holds_where_it_does_and_fails_where_it_does_not() -> None:
    good = claims(knapsack([(0, -10.0), (3, -13.0)], SLOW))
    assert good["knapsack-improves"].verdict == "holds"
    assert good["knapsack-mean"].verdict == "holds"
    assert good["knapsack-best"].verdict == "holds"
    assert good["figure-3"].verdict == "holds"
    late = claims(knapsack([(0, -10.0), (90, -11.0)], SLOW))
    assert late["knapsack-improves"].verdict == "does not hold"  # 90 is not few
    assert late["knapsack-mean"].verdict == "does not hold"
    assert late["knapsack-best"].verdict == "does not hold"
    assert "90" in late["knapsack-improves"].because
    sooner = claims(knapsack([(0, -10.0), (3, -12.0)], SLOW))
    assert sooner["knapsack-best"].verdict == "holds"  # as good as the luckiest, and sooner


def test_stand_ins_decide_nothing_but_their_numbers_are_told() -> None:
    found = claims(knapsack([(0, -10.0), (3, -13.0)], SLOW, real=False))
    for key in ("knapsack-improves", "knapsack-mean", "knapsack-best", "figure-3"):
        assert found[key].verdict == "cannot be tested"
        assert "stand-ins" in found[key].because
        assert found[key].table[0]["data"] == "ks_24a (stand-in)"


def test_nothing_run_is_nothing_judged() -> None:
    assert {claim.verdict for claim in claims().values()} == {"cannot be tested"}


def paired(change: float, half: float = 0.01) -> dict[str, Any]:
    return {
        "test": {"mended": 0, "spoiled": 0, "change": change, "low": change - half, "high": change + half}
    }


def tree(
    end: float, random_ends: list[float], *, at: int = 2, constants: float = 0.0, real: bool = True
) -> dict:
    own = run((0, 200.0), (at, end), paired=paired((200 - end) / 1000))
    other = [run((0, 200.0), (50, value)) for value in random_ends]
    swept = [
        method("sequence", "log", [run((0, 200.0), (at, end), against_no_constant=paired(constants))], c)
        for c in (0.25, 0.5, 0.75, 1.0)
    ]
    return record(
        "mnist",
        [method("sequence", "raw", [own]), method("sequence", "log", [own]),
         method("sequence", "random", other), *swept],
        real=real, rows={"training": 5000.0, "test": 1000.0}, depth=8,
    )  # fmt: skip


def test_the_printed_reductions_are_met_only_near_both_numbers_and_ahead_of_random() -> None:
    met = claims(tree(200 * (1 - 0.097), [200 * (1 - 0.076)] * 5))  # 9.7 % and 7.6 %, relative
    assert met["reduction-mnist"].verdict == "holds"
    raw = next(row for row in met["reduction-mnist"].table if row["gap"] == "raw")
    assert raw["relative_reduction_%"] == pytest.approx(9.7)
    assert raw["absolute_reduction_points"] == pytest.approx(1.94)
    assert raw["absolute_95"] == pytest.approx([0.94, 2.94])
    assert raw["relative_95"] == pytest.approx([4.7, 14.7])
    for own, random in (
        (199.0, [196.0] * 5),
        (180.0, [180.0] * 5),
        (180.0, [170.0] * 5),
        (100.0, [185.0] * 5),
    ):
        assert claims(tree(own, random))["reduction-mnist"].verdict == "does not hold"
    assert claims(tree(180.0, [185.0] * 5, real=False))["reduction-mnist"].verdict == "cannot be tested"


def test_reductions_on_and_or_trees_are_told_from_the_greedy_of_id3_and_never_decide_alone() -> None:
    data = tree(200.0, [190.0] * 5)
    pruned = [run((0, 195.0), (9, 200 * (1 - 0.097)), paired=paired(0.0194))]
    data["methods"]["and-or-raw"] = method("and-or", "raw", pruned)
    data["methods"]["and-or-random"] = method(
        "and-or", "random", [run((0, 195.0), (9, 200 * (1 - 0.076)))] * 5
    )
    found = claims(data)["reduction-mnist"]
    assert found.verdict == "holds in part"
    assert "Main reading: mnist, sequence, raw gap: dilemma first 0.00 %" in found.because
    assert (
        "Nearest reading: mnist, and-or, raw gap: dilemma first 9.70 % [4.70, 14.70] or 1.94 points [0.94, 2.94], "
        "random selection 7.60 % [7.60, 7.60] or 1.52 points [1.52, 1.52]"
    ) in found.because
    assert claims(data)["tree-mean"].verdict == "does not hold"  # AND/OR is not the main reading
    assert "and-or, raw gap: 1 of 1" in claims(data)["tree-mean"].because


def test_tree_claims_on_the_course_of_the_search() -> None:
    good = claims(tree(180.0, [190.0, 188.0, 192.0]))
    assert good["tree-mean"].verdict == good["tree-all"].verdict == good["tree-fraction"].verdict == "holds"
    flat = claims(tree(200.0, [200.0, 200.0, 200.0]))
    assert flat["tree-mean"].verdict == "does not hold"  # alike is not better
    assert flat["tree-all"].verdict == "does not hold"  # never worse, but never improved either
    assert flat["tree-fraction"].verdict == "does not hold"
    assert claims(tree(180.0, [190.0] * 3, at=80))["tree-fraction"].verdict == "does not hold"


def test_the_constant_changes_nothing_or_something() -> None:
    same, other = claims(tree(180.0, [190.0, 188.0])), claims(tree(180.0, [190.0, 188.0], constants=0.03))
    assert same["constant"].verdict == "holds"
    assert other["constant"].verdict == "does not hold"
    assert "4 of 4" in other["constant"].because


def test_an_iteration_is_judged_by_the_slowest_as_well_as_by_the_mean() -> None:
    data = knapsack([(0, -10.0), (3, -13.0)], SLOW)
    assert claims(data)["100-ms"].verdict == "holds"
    data["methods"]["partition-random"]["runs"][1]["worst_ms"] = 250.0
    assert claims(data)["100-ms"].verdict == "holds in part"
    for other in data["methods"]["partition-random"]["runs"]:
        other["mean_ms"] = 130.0
    assert claims(data)["100-ms"].verdict == "does not hold"


def test_the_queue_is_told_with_its_share() -> None:
    rows = [{"data": "ks_24a", "queue_share_%": 2.5}, {"heap_of": 100, "microseconds_push_and_pop": 0.5},
            {"heap_of": 10_000, "microseconds_push_and_pop": 1.0}]  # fmt: skip
    found = claims(queue=rows)["queue"]
    assert found.verdict == "holds in part"
    assert "2.5 to 2.5 %" in found.because
    assert "log n grows 2.0 times and its root 1.4 times" in found.because


def test_a_first_iteration_other_than_the_greedy_is_found_out() -> None:
    data = knapsack([(0, -10.0), (3, -13.0)], SLOW)
    assert claims(data)["first-iteration"].verdict == "holds"
    data["facts"]["greedy_energy"] = -9.0
    assert claims(data)["first-iteration"].verdict == "does not hold"


def test_anytime_means_falling_energies() -> None:
    assert claims(knapsack([(0, -10.0), (3, -13.0)], SLOW))["anytime"].verdict == "holds"
    assert claims(knapsack([(0, -10.0), (3, -9.0)], SLOW))["anytime"].verdict == "does not hold"


def test_table_1_names_the_cells_that_differ() -> None:
    row = {"row": "Stochastic", "method": "DFS", "strategy": "dilemma_first", "paper": "-", "declared": "-",
           "measured": "-", "agrees": True}  # fmt: skip
    assert claims(table={"rows": [row]})["table-1"].verdict == "holds"
    wrong = {**row, "row": "Optimal solution", "method": "Tabu", "agrees": False}
    found = claims(table={"rows": [row, wrong]})
    assert found["table-1"].verdict == "holds in part"
    assert "optimal solution of Tabu" in found["table-1"].because
    assert found["deterministic"].verdict == "holds"
    assert claims(table={"rows": [{**row, "measured": "x"}]})["deterministic"].verdict == "does not hold"


def test_theory_is_judged_by_its_simulations() -> None:
    from dilemma.experiments.theory_report import simulate

    theory = simulate(quick=True)
    found = {c.key: c.verdict for c in judge({}, theory, None)}
    for key in ("lemma", "entropy", "altering", "limited-discrepancy", "rss", "corollary-constant"):
        assert found[key] == "holds", key
    for key in ("base-case", "induction", "corollary", "convergence"):
        assert found[key] == "holds in part", key
    theory["orders"].reverse()  # the entropies no longer rise with the candidates needed: not sorted
    theory["lemma"]["least"] = 0.1
    for row in theory["orders"][0]["rows"]:
        if row["name"] == "random state selection":
            row["ratio"] = 1.0
    theory["base_case"]["expected_kept"] -= 1
    theory["induction"]["kept"] -= 1
    theory["printed"]["mended_proved"] -= 1
    worse = {c.key: c.verdict for c in judge({}, theory, None)}
    for key in ("base-case", "induction", "corollary", "convergence"):
        assert worse[key] == "does not hold", key
    assert worse["lemma"] == worse["entropy"] == "does not hold"
    assert worse["rss"] == "holds in part"
    theory["base_case"]["expected_kept"] += 1
    theory["induction"]["kept"] += 1
    theory["printed"].update(mended_proved=theory["printed"]["trees"], missed=0)
    theory["induction"]["trees_where_found_values_rise"] = 0
    for case in theory["base_case"]["known"]:
        case["likeliest"] = 1.0
    better = {c.key: c.verdict for c in judge({}, theory, None)}
    assert better["base-case"] == better["induction"] == better["convergence"] == "holds"
