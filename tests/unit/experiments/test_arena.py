"""Panels: what a run's record says agrees with the trees and knapsacks it speaks of."""

import numpy as np
import pytest

from dilemma.experiments.arena import KnapsackArena, TreeArena, ties_of
from dilemma.experiments.id3 import Rows, SequenceTree
from dilemma.experiments.methods import Method
from dilemma.experiments.packing import PaperKnapsack


def rows(seed: int, count: int = 300) -> Rows:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (count, 8)).astype(np.uint8)
    labels = (bits[:, 0] ^ bits[:, 1]) + (bits[:, 2] & bits[:, 3])
    return Rows.of(bits, np.where(rng.random(count) < 0.2, rng.integers(0, 3, count), labels))


@pytest.fixture(scope="module")
def arena() -> TreeArena:
    return TreeArena(rows(0), rows(1), rows(2), depth=4)


@pytest.mark.parametrize(
    "method",
    [Method("sequence", "raw"), Method("levels", "log"), Method("and-or", "raw"), Method("and-or", "auto")],
    ids=lambda m: m.key,
)
def test_rows_mended_less_rows_spoiled_is_the_difference_in_errors(arena: TreeArena, method: Method) -> None:
    record = arena.run(method, 0, 60)
    greedy = arena.facts()["greedy_errors"]
    assert record["paired"].keys() == {"validation", "test"}
    for name, pair in record["paired"].items():
        assert pair["mended"] - pair["spoiled"] == greedy[name] - record["errors"][name]
        assert pair["low"] <= pair["change"] <= pair["high"]


def test_the_energy_of_a_record_is_the_error_it_is_said_to_be(arena: TreeArena) -> None:
    for tree in ("sequence", "and-or"):
        record = arena.run(Method(tree, "random", runs=2), 1, 60)
        assert record["energy"] == record["errors"]["validation"]
        assert "paired" not in record  # one of many runs


def test_ties_are_nodes_whose_two_best_attributes_gain_alike() -> None:
    label = np.array([0, 0, 1, 1] * 5)
    twice = np.column_stack([label, label, np.zeros(20)]).astype(np.uint8)  # a column and its copy
    tree = SequenceTree(Rows.of(twice, label), Rows.of(twice, label))
    assert ties_of(tree, (0,)) == 1
    once = SequenceTree(Rows.of(twice[:, 1:], label), Rows.of(twice[:, 1:], label))
    assert ties_of(once, (0,)) == 0
    knapsack = KnapsackArena(PaperKnapsack([4, 4, 1], [2, 2, 2], 6))
    assert knapsack.facts()["greedy_ties"] == 1
    assert knapsack.facts()["greedy_nodes"] == 3
