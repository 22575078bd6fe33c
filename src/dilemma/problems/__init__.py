"""A gallery of problems: short, tested classes to use as they are or to copy and change.

Each file shows the four methods first (`initial`, `actions`, `apply`, `energy`), then the optional powers
(`legal`, `bound`, `key`, `polish`, `related`, `describe`, `decisions`), a seeded generator `random(n, seed)`
and a reader `load(path)` of the literature's format.
"""

from dilemma.knapsack import Knapsack
from dilemma.problems.bin_packing import BinPacking
from dilemma.problems.colouring import Colouring
from dilemma.problems.flow_shop import FlowShop
from dilemma.problems.independent_set import IndependentSet
from dilemma.problems.job_shop import JobShop
from dilemma.problems.multi_knapsack import MultiKnapsack
from dilemma.problems.quadratic_assignment import QuadraticAssignment
from dilemma.problems.set_cover import SetCover
from dilemma.problems.tardiness import Tardiness
from dilemma.problems.tsp import TSP, TSPInsertion
from dilemma.problems.vehicle_routing import VehicleRouting

__all__ = [
    "TSP",
    "BinPacking",
    "Colouring",
    "FlowShop",
    "IndependentSet",
    "JobShop",
    "Knapsack",
    "MultiKnapsack",
    "QuadraticAssignment",
    "SetCover",
    "TSPInsertion",
    "Tardiness",
    "VehicleRouting",
]
