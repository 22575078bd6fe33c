"""Tiny instances of every gallery problem, an independent evaluator of each, and a driver as small as can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dilemma import problems as gallery


def offered(problem: Any, state: Any) -> tuple[list[Any], list[float]]:
    actions, scores = problem.actions(state)
    assert len(actions) == len(scores)
    return [a.item() if isinstance(a, np.generic) else a for a in actions], [float(s) for s in scores]


def greedy(problem: Any) -> Any:
    state = problem.initial()
    while True:
        actions, scores = problem.actions(state)
        if not len(actions):
            return state
        state = problem.apply(state, actions[int(np.argmax(scores))])


def explore(problem: Any, state: Any = None) -> Iterator[tuple[Any, list[float]]]:
    """Every state of the tree below `state`, children first, with the energies of the solutions below it."""
    state = problem.initial() if state is None else state
    actions, _ = offered(problem, state)
    energies = [] if actions else [problem.energy(state)]
    for action in actions:
        last: list[float] = []
        for below in explore(problem, problem.apply(state, action)):
            yield below
            last = below[1]
        energies.extend(last)
    yield state, energies


# Independent evaluators: slow, plain, sharing no code with the problems. Each takes the problem's data and a
# complete state's readable content, checks that it is feasible, and returns its energy.


def tour_length(p: Any, cities: Any) -> float:
    assert sorted(cities) == list(range(p.n))
    return sum(float(p.distances[cities[i - 1], cities[i]]) for i in range(p.n))


def knapsack_value(p: Any, items: Any) -> float:
    assert len(set(items)) == len(items)
    for row, capacity in zip(p.weights, p.capacities, strict=True):
        assert math.fsum(row[j] for j in items) <= capacity * (1 + 1e-9)
    return -sum(float(p.profits[j]) for j in items)


def cover_cost(p: Any, columns: Any) -> float:
    assert {int(r) for j in columns for r in p.covers[j]} == set(range(p.rows))
    return sum(float(p.costs[j]) for j in columns)


def makespan(p: Any, order: Any) -> float:
    """Longest path of the disjunctive graph, by relaxing all arcs until nothing moves."""
    assert sorted(order) == list(range(p.n * p.m))
    place = {op: i for i, op in enumerate(order)}
    arcs = [(op - 1, op) for op in order if op % p.m]
    assert all(place[a] < place[b] for a, b in arcs)
    arcs += [
        (a, b) for a, b in permutations(order, 2) if p.machine[a] == p.machine[b] and place[a] < place[b]
    ]
    start = dict.fromkeys(order, 0.0)
    changed = True
    while changed:
        changed = False
        for a, b in arcs:
            if start[a] + p.time[a] > start[b]:
                start[b] = start[a] + p.time[a]
                changed = True
    return max((start[op] + p.time[op] for op in order), default=0.0)


def flow_makespan(p: Any, jobs: Any) -> float:
    assert sorted(jobs) == list(range(p.n))
    finish = np.zeros((p.n + 1, p.m + 1))
    for i, job in enumerate(jobs, start=1):
        for k in range(1, p.m + 1):
            finish[i, k] = max(finish[i - 1, k], finish[i, k - 1]) + p.times[job][k - 1]
    return float(finish[p.n, p.m])


def colours(p: Any, steps: Any) -> float:
    colour = dict(steps)
    assert sorted(colour) == list(range(p.n))
    assert len(steps) == p.n
    assert all(colour[u] != colour[v] for u, v in np.argwhere(p.adjacent))
    return float(len(set(colour.values())))


def bins(p: Any, steps: Any) -> float:
    where = dict(steps)
    assert sorted(where) == list(range(p.n))
    assert len(steps) == p.n
    for b in set(where.values()):
        assert math.fsum(p.sizes[i] for i in where if where[i] == b) <= p.capacity * (1 + 1e-6)
    return float(len(set(where.values())))


def assignment(p: Any, steps: Any) -> float:
    where = dict(steps)
    assert sorted(where) == sorted(where.values()) == list(range(p.n))
    return sum(float(p.flows[i, j] * p.distances[where[i], where[j]]) for i in range(p.n) for j in range(p.n))


def set_weight(p: Any, vertices: Any) -> float:
    assert len(set(vertices)) == len(vertices)
    assert not any(p.adjacent[u, v] for u, v in permutations(vertices, 2))
    return -sum(float(p.weights[v]) for v in vertices)


def tardiness(p: Any, jobs: Any) -> float:
    assert sorted(jobs) == list(range(p.n))
    now = total = 0.0
    for job in jobs:
        now += float(p.times[job])
        total += float(p.weights[job]) * max(0.0, now - float(p.due[job]))
    return total


def route_length(p: Any, routes: Any) -> float:
    assert sorted(c for route in routes for c in route) == list(range(1, p.n))
    total = 0.0
    for route in routes:
        assert sum(float(p.demands[c]) for c in route) <= p.capacity * (1 + 1e-9)
        stops = [0, *route, 0]
        total += sum(float(p.distances[a, b]) for a, b in pairwise(stops))
    return total


# Independent optima of tiny instances.


def subsets(n: int) -> Iterator[list[int]]:
    for bits in product((False, True), repeat=n):
        yield [i for i in range(n) if bits[i]]


def best_partition(p: Any, evaluate: Callable[[Any, Any], float]) -> float:
    """The best way to label n things, refusing what the evaluator refuses."""
    best = float(p.n)
    for labels in product(range(p.n), repeat=p.n):
        try:
            best = min(best, evaluate(p, list(enumerate(labels))))
        except AssertionError:
            continue
    return best


def best_routes(p: Any) -> float:
    """Every order of the customers, cut in every way."""
    best = math.inf if p.n > 1 else 0.0
    for order in permutations(range(1, p.n)):
        for cuts in subsets(max(0, p.n - 2)):
            edges = [0, *(c + 1 for c in cuts), p.n - 1]
            try:
                best = min(best, route_length(p, [order[a:b] for a, b in pairwise(edges)]))
            except AssertionError:
                continue
    return best


def best_cover(p: Any) -> float:
    covers = [
        c for c in subsets(len(p.costs)) if {int(r) for j in c for r in p.covers[j]} == set(range(p.rows))
    ]
    return min(cover_cost(p, c) for c in covers)


def best_knapsack(p: Any) -> float:
    fits = [c for c in subsets(len(p.profits)) if (p.weights[:, c].sum(axis=1) <= p.capacities).all()]
    return min(knapsack_value(p, c) for c in fits)


def best_set(p: Any) -> float:
    free = [c for c in subsets(p.n) if not p.adjacent[np.ix_(c, c)].any()]
    return min(set_weight(p, c) for c in free)


def best_schedule(p: Any) -> float:
    """Every sequence of job numbers, started as early as possible."""
    best = math.inf
    for jobs in set(permutations([op // p.m for op in range(p.n * p.m)])):
        step, order = [0] * p.n, []
        for job in jobs:
            order.append(job * p.m + step[job])
            step[job] += 1
        best = min(best, makespan(p, order))
    return best if p.n else 0.0


def best_sequence(p: Any, evaluate: Callable[[Any, Any], float]) -> float:
    return min(evaluate(p, list(order)) for order in permutations(range(p.n)))


def labels(name: str) -> Callable[[Any, Any], Any]:
    """What a complete state says of each thing, as pairs."""
    return lambda problem, state: list(enumerate(getattr(state, name).tolist()))


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[int, int], Any]  # n, seed
    tiny: int
    content: Callable[[Any, Any], Any]  # problem, complete state -> what the evaluator takes
    evaluate: Callable[[Any, Any], float]
    optimum: Callable[[Any], float]
    strict_legal: bool = True  # legal agrees with actions; otherwise it allows more


CASES = [
    Case("tsp", lambda n, s: gallery.TSP.random(n, s), 6, lambda p, s: s.cities, tour_length,
         lambda p: best_sequence(p, tour_length)),
    Case("tsp insertion", lambda n, s: gallery.TSPInsertion.random(n, s), 5, lambda p, s: s.cities, tour_length,
         lambda p: best_sequence(p, tour_length), strict_legal=False),
    Case("multi-knapsack", lambda n, s: gallery.MultiKnapsack.random(n, s, m=2), 6, lambda p, s: s.items,
         knapsack_value, best_knapsack),
    Case("set cover", lambda n, s: gallery.SetCover.random(n, s, rows=n, density=0.2), 6, lambda p, s: s.columns,
         cover_cost, best_cover),
    Case("job shop", lambda n, s: gallery.JobShop.random(n, s, m=2), 3, lambda p, s: s.order, makespan,
         best_schedule),
    Case("flow shop", lambda n, s: gallery.FlowShop.random(n, s, m=3), 5, lambda p, s: s.jobs, flow_makespan,
         lambda p: best_sequence(p, flow_makespan), strict_legal=False),
    Case("colouring", lambda n, s: gallery.Colouring.random(n, s), 5, labels("colour"), colours,
         lambda p: best_partition(p, colours), strict_legal=False),
    Case("bin packing", lambda n, s: gallery.BinPacking.random(n, s), 5, labels("bin"), bins,
         lambda p: best_partition(p, bins), strict_legal=False),
    Case("quadratic assignment", lambda n, s: gallery.QuadraticAssignment.random(n, s), 5,
         lambda p, s: list(enumerate(p.location(s).tolist())),
         assignment, lambda p: best_sequence(p, lambda q, o: assignment(q, list(enumerate(o))))),
    Case("independent set", lambda n, s: gallery.IndependentSet.random(n, s, density=0.4), 6,
         lambda p, s: s.vertices, set_weight, best_set),
    Case("tardiness", lambda n, s: gallery.Tardiness.random(n, s), 5, lambda p, s: s.jobs, tardiness,
         lambda p: best_sequence(p, tardiness)),
    Case("vehicle routing", lambda n, s: gallery.VehicleRouting.random(n, s, per_route=2.5), 5,
         lambda p, s: p.routes(s), route_length, best_routes),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: case.name.replace(" ", "-"))
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    return CASES


@pytest.fixture(scope="session")
def driver() -> SimpleNamespace:
    """`greedy`, `explore` and `offered`: the engine these tests trust."""
    return SimpleNamespace(greedy=greedy, explore=explore, offered=offered)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the shared instances; tests that need it are skipped where it is absent."""
    folder = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "or"
    if not folder.is_dir():
        pytest.skip("the shared instances are not here")
    return folder
