"""Runs one knapsack solver on one file and prints its improvements as JSON (a process of `knapsack.py`).

    python knapsack_runner.py SOLVER FILE SECONDS

The models are the ones a user of each peer would write. Times are CPU seconds since the instance was read.
"""

from __future__ import annotations

import json
import math
import sys
import time
from functools import cmp_to_key


def read(path):
    """Items and capacity of a kp file."""
    with open(path) as file:
        numbers = [int(t) for t in file.read().split()]
    n, capacity = numbers[:2]
    return numbers[2 : 2 + 2 * n : 2], numbers[3 : 3 + 2 * n : 2], capacity


class Clock:
    """CPU seconds since the start, and improvements with their time."""

    def __init__(self, seconds):
        self.start, self.seconds, self.trace = time.process_time(), seconds, []

    def now(self):
        return time.process_time() - self.start

    def note(self, value):
        if not self.trace or value > self.trace[-1][1]:
            self.trace.append((round(self.now(), 4), value))


def dilemma(values, weights, capacity, clock):
    """Ours. Its trace is in wall seconds; they are turned into CPU seconds by the run's own ratio."""
    import numpy as np

    from dilemma.knapsack import solve

    arrays = np.array(values), np.array(weights)
    clock.start, wall = time.process_time(), time.perf_counter()
    result = solve(*arrays, capacity, time_limit=clock.seconds)
    ratio = min(1.0, clock.now() / (time.perf_counter() - wall))
    clock.trace = [(round(r.seconds * ratio, 5), int(r.value)) for r in result.trace]
    return {"optimal": result.optimal, "bound": int(result.bound)}


def ortools_knapsack(values, weights, capacity, clock):
    """OR-Tools' own choice for one dimension: branch and bound. Not anytime: one call per limit."""
    from ortools.algorithms.python import knapsack_solver

    kind = knapsack_solver.SolverType.KNAPSACK_MULTIDIMENSION_BRANCH_AND_BOUND_SOLVER
    optimal = False
    clock.start = time.process_time()
    trace = []
    for limit in (t for t in (0.1, 1.0, 10.0) if t <= clock.seconds):
        solver = knapsack_solver.KnapsackSolver(kind, "peer")
        solver.init(values, [weights], [capacity])
        solver.set_time_limit(limit)
        begin = time.process_time()
        value = solver.solve()
        took = time.process_time() - begin
        optimal = solver.is_solution_optimal()
        weight = sum(w for i, w in enumerate(weights) if solver.best_solution_contains(i))
        if weight <= capacity and (not trace or value > trace[-1][1]):
            trace.append((round(took, 4), int(value)))
        if optimal:
            break
    clock.trace = trace
    return {"optimal": bool(optimal)}


def cp_sat(values, weights, capacity, clock):
    """CP-SAT, one worker."""
    from ortools.sat.python import cp_model

    clock.start = time.process_time()
    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x{i}") for i in range(len(values))]
    model.add(cp_model.LinearExpr.weighted_sum(x, weights) <= capacity)
    model.maximize(cp_model.LinearExpr.weighted_sum(x, values))

    class Note(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            clock.note(round(self.objective_value))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = clock.seconds
    status = solver.solve(model, Note())
    return {"optimal": status == cp_model.OPTIMAL, "bound": int(solver.best_objective_bound)}


def by_ratio(values, weights, capacity):
    """Item indices, best ratio first, without those too heavy alone: help both tree searches would be given."""

    def compare(a, b):
        return values[b] * weights[a] - values[a] * weights[b]

    live = (i for i in range(len(values)) if weights[i] <= capacity)
    return sorted(live, key=cmp_to_key(compare))


def didppy(values, weights, capacity, clock):
    """DIDP's anytime beam search (CABS) on the textbook recursion, items best ratio first, value bound given."""
    import didppy as dp

    clock.start = time.process_time()
    order = by_ratio(values, weights, capacity)
    v, w = [values[i] for i in order], [weights[i] for i in order]
    n = len(order)
    model = dp.Model(maximize=True, float_cost=max(sum(v), capacity) >= 2**31)
    item = model.add_object_type(number=n + 1)
    stage = model.add_element_var(object_type=item, target=0)
    # Its integers have 32 bits; beyond them a user takes its floats, which are exact up to 2**53.
    whole = max(sum(v), capacity) < 2**31
    number = int if whole else float
    cost = dp.IntExpr if whole else dp.FloatExpr
    add_room = model.add_int_resource_var if whole else model.add_float_resource_var
    add_table = model.add_int_table if whole else model.add_float_table
    room = add_room(target=number(capacity), less_is_better=False)
    weight_of = add_table([*map(number, w), number(0)])
    value_of = add_table([*map(number, v), number(0)])
    rest = [0] * (n + 1)
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + v[i]
    left = add_table([*map(number, rest)])
    model.add_base_case([stage == n])
    model.add_transition(
        dp.Transition(
            name="take",
            cost=value_of[stage] + cost.state_cost(),
            preconditions=[stage < n, weight_of[stage] <= room],
            effects=[(stage, stage + 1), (room, room - weight_of[stage])],
        )
    )
    model.add_transition(
        dp.Transition(
            name="skip", cost=cost.state_cost(), preconditions=[stage < n], effects=[(stage, stage + 1)]
        )
    )
    model.add_dual_bound(left[stage])
    ratio = model.add_float_table([*(a / b for a, b in zip(v, w, strict=True)), 0.0])
    model.add_dual_bound(math.ceil(room * ratio[stage]) if whole else room * ratio[stage])
    solver = dp.CABS(model, time_limit=clock.seconds, quiet=True, threads=1)
    optimal = bound = None
    while True:
        solution, done = solver.search_next()
        if solution.cost is not None:
            clock.note(int(solution.cost))
        optimal, bound = bool(solution.is_optimal), solution.best_bound
        if done:
            break
    return {"optimal": bool(optimal), "bound": bound}


def treesearchsolverpy(values, weights, capacity, clock):
    """Iterative beam search, items best ratio first, guided by the fractional bound of the next item."""
    from treesearchsolverpy import iterative_beam_search

    clock.start = time.process_time()
    order = by_ratio(values, weights, capacity)
    v, w = [values[i] for i in order], [weights[i] for i in order]
    n = len(order)

    class Node:
        __slots__ = ("guide", "id", "room", "stage", "tried", "value")

        def __lt__(self, other):
            return (self.guide, self.id) < (other.guide, other.id)

    class Scheme:
        count = 0

        def make(self, stage, room, value):
            node = Node()
            node.stage, node.room, node.value, node.tried = stage, room, value, 0
            node.guide = -(value + (room * v[stage] // w[stage] if stage < n else 0))
            node.id = self.count
            self.count += 1
            return node

        def root(self):
            return self.make(0, capacity, 0)

        def next_child(self, node):
            node.tried += 1
            if node.tried == 1:
                if w[node.stage] > node.room:
                    return None
                return self.make(node.stage + 1, node.room - w[node.stage], node.value + v[node.stage])
            return self.make(node.stage + 1, node.room, node.value)

        def infertile(self, node):
            return node.tried == 2

        def leaf(self, node):
            return node.stage == n

        def bound(self, a, b):
            return -a.guide <= b.value

        def better(self, a, b):
            clock.note(a.value)
            return a.value > b.value

        def equals(self, a, b):
            return False

        def comparable(self, node):
            return True

        class Bucket:
            def __init__(self, node):
                self.node = node

            def __hash__(self):
                return hash((self.node.stage, self.node.room))

            def __eq__(self, other):
                return self.node.stage == other.node.stage and self.node.room == other.node.room

        def dominates(self, a, b):
            return a.value >= b.value

        def display(self, node):
            return str(node.value)

    result = iterative_beam_search(Scheme(), time_limit=clock.seconds, verbose=False)
    return {"optimal": result["elapsed_time"] < clock.seconds}  # it ended because its beam lost nothing


def main():
    """Read, solve, print."""
    name, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    values, weights, capacity = read(path)
    clock = Clock(seconds)
    out = globals()[name.replace("-", "_")](values, weights, capacity, clock)
    print(json.dumps({**out, "trace": clock.trace, "cpu": round(clock.now(), 3)}))


if __name__ == "__main__":
    main()
