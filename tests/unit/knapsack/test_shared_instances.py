"""The literature's instances, where the shared data are present."""

import csv
from pathlib import Path

import pytest

import dilemma
from dilemma.knapsack import Knapsack, read, solve_instance

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "knapsack"
INDEX = FOLDER / "index.csv"
ROWS = list(csv.DictReader(INDEX.read_text().splitlines())) if INDEX.exists() else []
pytestmark = [pytest.mark.data, pytest.mark.skipif(not ROWS, reason="../shared/data is not here")]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_optimum_is_proved(row):
    instance = read(FOLDER / row["file"])
    result = solve_instance(instance)
    assert result.optimal
    assert float(result.value) == float(row["optimum"])
    assert float(instance.values[result.items].sum()) == pytest.approx(float(row["optimum"]), rel=1e-12)


@pytest.mark.parametrize(("name", "optimum", "within"), [("ks_24a", 13549094, 20), ("ks_24e", 13940099, 50)])
def test_papers_instances_take_few_candidates(name, optimum, within):
    result = solve_instance(read(FOLDER / "kreher_stinson" / f"{name}.txt"), max_iter=within)
    assert result.value == optimum


class FourMethods:
    """The same problem with nothing but what every problem has."""

    commutative = True

    def __init__(self, problem):
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy


@pytest.mark.parametrize("few", [False, True], ids=["bound and key", "four methods"])
@pytest.mark.parametrize(("name", "optimum", "within"), [("ks_24a", 13549094, 20), ("ks_24e", 13940099, 50)])
def test_papers_instances_take_few_candidates_of_the_generic_search(name, optimum, within, few):
    """With the default settings of `minimize`."""
    problem = Knapsack.from_instance(read(FOLDER / "kreher_stinson" / f"{name}.txt"))
    result = dilemma.minimize(FourMethods(problem) if few else problem, max_iter=within)
    assert result.energy == -optimum
