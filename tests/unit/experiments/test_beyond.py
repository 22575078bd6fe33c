"""How far past the paper: tables and sentences from records."""

from typing import Any

from dilemma.experiments.beyond import headline, knapsack_rows, tree_rows


def method(title: str, *runs: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "runs": list(runs)}


def tree() -> dict[str, Any]:
    keys = ("sequence-raw", "sequence-random", "sequence-auto", "and-or-raw", "and-or-auto")
    errors = {"training": 10.0, "validation": 20.0, "test": 30.0}
    return {
        "kind": "tree", "panel": "mnist", "real": True, "max_iter": 11,
        "facts": {"rows": {"training": 100.0, "validation": 100.0, "test": 200.0}, "depth": 8,
                  "greedy_errors": errors, "scikit_learn_errors": None},
        "beyond": {"errors": {**errors, "test": 15.0}, "cpu_seconds": 5.0},
        "methods": {key: method(key, {"energy": 20.0, "errors": errors}) for key in keys},
    }  # fmt: skip


def knapsack(value: float, best: float) -> dict[str, Any]:
    keys = ("partition-raw", "partition-random", "partition-auto")
    return {
        "kind": "knapsack", "panel": "ks_24a", "real": True, "max_iter": 11,
        "facts": {"greedy_energy": -1.0, "optimum": best},
        "beyond": {"value": best, "optimal": True, "cpu_seconds": 0.5},
        "methods": {key: method(key, {"energy": -1.0}, {"energy": -value}) for key in keys},
    }  # fmt: skip


def test_a_tree_is_told_by_its_errors_on_rows_it_has_not_seen() -> None:
    records = {"mnist.validation": tree(), "mnist.validation-halfbit": tree()}
    (told,) = headline(records)  # one sentence a panel
    assert told.startswith("mnist.validation, error on test rows, which no search has seen. ID3, greedy")
    assert "ID3, greedy, depth 8: 15.00 %; " in told
    assert "tree engine, own defaults (training energy): 7.50 %" in told
    assert {row["test_error_%"] for row in tree_rows(records)} == {15.0, 7.5}


def test_knapsacks_are_told_by_how_often_the_optimum_is_found() -> None:
    records = {"ks_24a": knapsack(9.0, 9.0), "ks_24e": knapsack(8.0, 9.0)}
    (told,) = headline(records)
    assert "greedy: 0 of 2" in told
    assert "partition-raw, the best of its runs: 1 of 2" in told
    assert told.endswith("knapsack.solve: 2 of 2.")
    assert [row["below_the_optimum_%"] for row in knapsack_rows(records)][1] == 0


def test_nothing_run_is_nothing_told() -> None:
    assert headline({}) == []
