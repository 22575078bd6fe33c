"""The literature's instances: every shared file is read, and known solutions get their known values."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from dilemma import problems as gallery
from dilemma.problems.loaders import read_multi_knapsack, read_qap_solution

CLASSES = {
    "tsp": gallery.TSP,
    "jobshop": gallery.JobShop,
    "flowshop": gallery.FlowShop,
    "setcover": gallery.SetCover,
    "qap": gallery.QuadraticAssignment,
    "coloring": gallery.Colouring,
    "binpacking": gallery.BinPacking,
}
pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def index(shared):
    with (shared / "index.csv").open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("kind", CLASSES)
def test_greedy_polish_and_bound_hold_the_best_known_value_between_them(kind, shared, index, driver):
    rows = [row for row in index if row["problem"] == kind]
    assert rows
    for row in rows:
        problem = CLASSES[kind].load(shared / row["file"])
        state = driver.greedy(problem)
        polished = problem.polish(state)
        assert problem.energy(polished) <= problem.energy(state)
        if row["best_known"]:
            best = float(row["best_known"])
            assert problem.bound(problem.initial()) <= best
            assert best <= problem.energy(polished) <= problem.energy(state) <= 1.5 * best


def test_multi_knapsacks_lie_between_bound_and_best(shared, index, driver):
    rows = [row for row in index if row["problem"] == "mkp"]
    problems = gallery.MultiKnapsack.load_all(shared / "mkp" / "mknapcb1.txt")
    assert len(problems) == len(rows) == len(read_multi_knapsack(shared / "mkp" / "mknapcb1.txt"))
    for row, problem in zip(rows, problems, strict=True):
        assert problem.weights.shape == (5, 100)
        best, greedy = float(row["best_known"]), -problem.energy(driver.greedy(problem))
        assert 0.95 * best <= greedy <= best <= -problem.bound(problem.initial()) <= 1.025 * best


@pytest.mark.parametrize("name", ["nug12", "nug30", "sko42", "tai20a"])
def test_quadratic_assignment_solutions_have_their_published_values(name, shared):
    problem = gallery.QuadraticAssignment.load(shared / "qap" / f"{name}.dat")
    value, permutation = read_qap_solution(shared / "qap" / f"{name}.sln")
    readings = set()
    for location in (permutation, np.argsort(permutation)):  # the files differ in what indexes what
        state = problem.state_of(location)
        readings.add(problem.energy(state))
        assert problem.energy(problem.polish(state)) <= problem.energy(state)
    assert value in readings


def test_set_cover_files_have_the_sizes_they_are_known_by(shared, index):
    for row in [row for row in index if row["problem"] == "setcover"]:
        problem = gallery.SetCover.load(shared / row["file"])
        ones = sum(len(rows) for rows in problem.covers)
        assert row["size"] == f"{problem.rows} rows x {len(problem.covers)} cols, {ones} ones"


def test_graphs_have_the_sizes_they_are_known_by(shared, index):
    for row in [row for row in index if row["problem"] == "coloring"]:
        problem = gallery.Colouring.load(shared / row["file"])
        assert row["size"] == f"n={problem.n} edges={problem.adjacent.sum() // 2}"


def test_every_shared_file_is_read_by_some_class(shared, index):
    read = {row["file"] for row in index}
    files = {str(f.relative_to(shared)) for f in shared.rglob("*") if f.is_file()}
    side = {"index.csv", "coloring/best_scores_gcp.txt", "mkp/mkcbres.txt"}
    assert files - read - side == {f"qap/{n}.sln" for n in ("nug12", "nug30", "sko42", "tai20a")}
