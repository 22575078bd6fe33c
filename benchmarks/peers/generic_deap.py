"""`deap`: a genetic algorithm over orders, its population round the greedy's answer."""

from __future__ import annotations

import random
from typing import Any

from deap import algorithms, base, creator, tools
from generic_decoders import DECODERS, true_energy

POPULATION = 100


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Generations until the budget is spent."""
    decoder = DECODERS[family](data)
    creator.create("Fitness", base.Fitness, weights=(-1.0,))
    creator.create("Individual", list, fitness=creator.Fitness)

    def evaluate(individual: list[int]) -> tuple[float]:
        energy, answer = decoder.decode(list(individual))
        run.report(true_energy(family, energy), answer)
        return (energy,)

    box = base.Toolbox()
    box.register("mate", tools.cxOrdered)
    box.register("mutate", tools.mutShuffleIndexes, indpb=2.0 / len(decoder.start))
    box.register("select", tools.selTournament, tournsize=3)
    population = [creator.Individual(decoder.start) for _ in range(POPULATION)]
    for individual in population[1:]:
        for _ in range(random.randrange(1, 6)):
            box.mutate(individual)
    for individual in population:
        individual.fitness.values = evaluate(individual)
    while run.left() > 0:
        children = algorithms.varAnd(
            [box.clone(i) for i in box.select(population, POPULATION)], box, 0.7, 0.4
        )
        for child in children:
            if not child.fitness.valid:
                child.fitness.values = evaluate(child)
        population = tools.selBest(population, 2) + children[2:]
