"""`pymoo`: its genetic algorithm over permutations, started round the greedy's answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from generic_decoders import DECODERS, true_energy
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import ElementwiseProblem
from pymoo.core.termination import Termination
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.optimize import minimize

POPULATION = 100


class Orders(ElementwiseProblem):
    """Energies of orders."""

    def __init__(self, family: str, decoder: Any, run: Any) -> None:
        super().__init__(n_var=len(decoder.start), n_obj=1, xl=0, xu=len(decoder.start) - 1, vtype=int)
        self.family, self.decoder, self.run = family, decoder, run

    def _evaluate(self, x: np.ndarray, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        energy, answer = self.decoder.decode(x.tolist())
        self.run.report(true_energy(self.family, energy), answer)
        out["F"] = energy


class Budget(Termination):
    """Ends when the processor time is spent."""

    def __init__(self, run: Any) -> None:
        super().__init__()
        self.run = run

    def _update(self, algorithm: Any) -> float:
        return min(1.0, self.run.used() / self.run.budget)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Run until the budget is spent."""
    decoder = DECODERS[family](data)
    rng = np.random.default_rng(run.seed)
    start = np.tile(np.array(decoder.start), (POPULATION, 1))
    for row in start[1:]:
        for _ in range(rng.integers(1, 6)):
            i, j = rng.integers(0, len(row), 2)
            row[i], row[j] = row[j], row[i]
    algorithm = GA(
        pop_size=POPULATION, sampling=start, crossover=OrderCrossover(), mutation=InversionMutation(),
        eliminate_duplicates=True,
    )  # fmt: skip
    minimize(Orders(family, decoder, run), algorithm, Budget(run), seed=run.seed, verbose=False)


class _Nothing:
    """Stands in for a run while the package loads what it loads on its first use."""

    seed, budget, start = 0, 1.0, [0, 1, 2]

    def decode(self, order: list[int]) -> tuple[float, list[int]]:
        return 0.0, order

    def report(self, energy: float, answer: Any) -> None:
        pass


def _warm_up() -> None:
    algorithm = GA(
        pop_size=2, sampling=np.array([[0, 1, 2], [2, 1, 0]]), crossover=OrderCrossover(),
        mutation=InversionMutation(),
    )  # fmt: skip
    minimize(Orders("tsp", _Nothing(), _Nothing()), algorithm, ("n_gen", 2), seed=0, verbose=False)


_warm_up()  # counts as importing: otherwise a quarter of a second goes from every budget
