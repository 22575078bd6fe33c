"""From records to curves, intervals and comparisons."""

import csv
import io
import math

import numpy as np
import pytest

from dilemma.experiments.curves import compare, csv_of, curves, mean_interval, share_interval


def record(own: list, random: list[list], length: int = 6) -> dict:
    def run(seed: int, improvements: list) -> dict:
        return {"seed": seed, "improvements": improvements, "iterations": length}

    def method(tree: str, order: str, runs: list) -> dict:
        return {
            "tree": tree,
            "order": order,
            "constant": 0.0,
            "runs": [run(i, r) for i, r in enumerate(runs)],
        }

    return {
        "panel": "p", "reading": "r", "max_iter": length, "kind": "tree",
        "methods": {"sequence-raw": method("sequence", "raw", [own]),
                    "sequence-random": method("sequence", "random", random)},
    }  # fmt: skip


def test_comparison_tells_better_worse_and_alike() -> None:
    random = [[[0, 10.0], [3, 8.0]], [[0, 10.0], [4, 9.0]], [[0, 10.0], [2, 8.5]]]
    better = compare(record([[0, 10.0], [1, 7.0]], random), "sequence-raw", "sequence-random")
    assert (better.against_mean, better.against_best, better.first) == ("better", "better", 1)
    assert better.below_mean == better.below_best == better.as_good_as_best == 1.0
    worse = compare(record([[0, 10.0]], random), "sequence-raw", "sequence-random")
    assert (worse.against_mean, worse.against_best, worse.first) == ("worse", "worse", None)
    equal = compare(record([[0, 10.0], [3, 8.0]], random), "sequence-raw", "sequence-random")
    assert equal.against_best == "equal"
    assert equal.random.low <= equal.random.mean <= equal.random.high
    assert not equal.beats_best
    assert equal.beaten_by.mean == 0
    assert 0 < equal.beaten_by.high < 1
    sooner = compare(record([[0, 10.0], [1, 8.0]], random), "sequence-raw", "sequence-random")
    assert (sooner.against_best, sooner.beats_best, sooner.reaches_mean) == ("equal, sooner", True, 1)
    later = compare(record([[0, 10.0], [5, 8.0]], random), "sequence-raw", "sequence-random")
    assert (later.against_best, later.beats_best, later.reaches_mean) == ("equal, later", False, 5)
    assert worse.reaches_mean is None
    assert worse.beaten_by.mean == 1


def test_where_random_selection_gains_nothing_there_is_nothing_to_reach() -> None:
    flat = compare(record([[0, 10.0]], [[[0, 10.0]]] * 3), "sequence-raw", "sequence-random")
    assert flat.reaches_mean is None
    assert flat.against_mean == "alike"


def test_the_interval_of_a_share_covers_it_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    for share in (0.02, 0.3, 0.9):
        hits = rng.binomial(50, share, 2000).tolist()
        inside = [i.low <= share <= i.high for i in (share_interval(k, 50) for k in hits)]
        assert 0.9 <= np.mean(inside) <= 0.99
    assert math.isnan(share_interval(0, 0).mean)


def test_a_run_that_ended_early_keeps_its_best() -> None:
    found = curves(record([[0, 4.0], [2, 1.0]], [[[0, 4.0]]]), "sequence-raw")
    assert found.tolist() == [[4.0, 4.0, 1.0, 1.0, 1.0, 1.0]]


def test_the_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for i in range(200):
        interval = mean_interval(rng.exponential(1.0, 50), seed=i, draws=800)
        inside += interval.low <= 1.0 <= interval.high
    assert 0.88 <= inside / 200 <= 0.98


def test_one_value_has_no_interval() -> None:
    interval = mean_interval([3.0])
    assert interval.mean == 3.0
    assert math.isnan(interval.low)


def test_csv_has_every_step_and_the_end_of_each_run() -> None:
    text = csv_of(record([[0, 4.0], [2, 1.5]], [[[0, 4.0]]]))
    rows = list(csv.DictReader(io.StringIO(text)))
    own = [(r["iteration"], r["best_energy"]) for r in rows if r["order"] == "raw"]
    assert own == [("0", "4"), ("2", "1.5"), ("5", "1.5")]
    assert pytest.approx(4.0) == float(rows[-1]["best_energy"])
