"""OR-Tools CP-SAT, one worker: a model a family, as its users write it; no hint from the greedy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ortools.sat.python import cp_model

Values = Callable[[Any], int]
Extract = Callable[[Values], Any]


def knapsack(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    x = [m.new_bool_var("") for _ in d["values"]]
    m.add(cp_model.LinearExpr.weighted_sum(x, d["weights"]) <= d["capacity"])
    m.minimize(cp_model.LinearExpr.weighted_sum(x, [-v for v in d["values"]]))
    return lambda value: [i for i, v in enumerate(x) if value(v)]


def multi_knapsack(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    x = [m.new_bool_var("") for _ in d["profits"]]
    for weights, capacity in zip(d["weights"], d["capacities"], strict=True):
        m.add(cp_model.LinearExpr.weighted_sum(x, weights) <= capacity)
    m.minimize(cp_model.LinearExpr.weighted_sum(x, [-v for v in d["profits"]]))
    return lambda value: [i for i, v in enumerate(x) if value(v)]


def set_cover(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    x = [m.new_bool_var("") for _ in d["costs"]]
    rows: list[list[Any]] = [[] for _ in range(d["rows"])]
    for j, covered in enumerate(d["covers"]):
        for r in covered:
            rows[r].append(x[j])
    for row in rows:
        m.add_bool_or(row)
    m.minimize(cp_model.LinearExpr.weighted_sum(x, d["costs"]))
    return lambda value: [j for j, v in enumerate(x) if value(v)]


def tsp(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    n, dist = len(d["distances"]), d["distances"]
    arcs = {(i, j): m.new_bool_var("") for i in range(n) for j in range(n) if i != j}
    m.add_circuit([(i, j, x) for (i, j), x in arcs.items()])
    m.minimize(sum(dist[i][j] * x for (i, j), x in arcs.items()))

    def extract(value: Values) -> list[int]:
        after = {i: j for (i, j), x in arcs.items() if value(x)}
        tour = [0]
        while len(tour) < n:
            tour.append(after[tour[-1]])
        return tour

    return extract


def vehicle_routing(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    n, dist, q, room = len(d["distances"]), d["distances"], d["demands"], d["capacity"]
    arcs = {(i, j): m.new_bool_var("") for i in range(n) for j in range(n) if i != j}
    m.add_multiple_circuit([(i, j, x) for (i, j), x in arcs.items()])
    load = [m.new_int_var(q[i], room, "") for i in range(n)]
    for (i, j), x in arcs.items():
        if i and j:
            m.add(load[j] >= load[i] + q[j]).only_enforce_if(x)
    m.minimize(sum(dist[i][j] * x for (i, j), x in arcs.items()))

    def extract(value: Values) -> list[list[int]]:
        after = {i: j for (i, j), x in arcs.items() if i and value(x)}
        routes = []
        for first in (j for (i, j), x in arcs.items() if not i and value(x)):
            route = [first]
            while after[route[-1]]:
                route.append(after[route[-1]])
            routes.append(route)
        return routes

    return extract


def job_shop(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    horizon, steps = sum(map(sum, d["times"])), len(d["times"][0])
    start, on = {}, [[] for _ in range(steps)]
    span = m.new_int_var(0, horizon, "")
    for j, (machines, times) in enumerate(zip(d["machines"], d["times"], strict=True)):
        for k, (machine, time_) in enumerate(zip(machines, times, strict=True)):
            start[j, k] = m.new_int_var(0, horizon, "")
            on[machine].append(m.new_fixed_size_interval_var(start[j, k], time_, ""))
            if k:
                m.add(start[j, k] >= start[j, k - 1] + times[k - 1])
        m.add(span >= start[j, steps - 1] + times[-1])
    for intervals in on:
        m.add_no_overlap(intervals)
    m.minimize(span)
    return lambda value: [j * steps + k for j, k in sorted(start, key=lambda jk: (value(start[jk]), jk[1]))]


def flow_shop(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    times, jobs = d["times"], range(len(d["times"][0]))
    horizon = sum(map(sum, times))
    x = [[m.new_bool_var("") for _ in jobs] for _ in jobs]  # job at place
    for j in jobs:
        m.add_exactly_one(x[j])
        m.add_exactly_one(x[i][j] for i in jobs)
    end: dict[tuple[int, int], Any] = {}
    for i, row in enumerate(times):
        for p in jobs:
            end[i, p] = m.new_int_var(0, horizon, "")
            takes = sum(row[j] * x[j][p] for j in jobs)
            m.add(end[i, p] >= (end[i, p - 1] if p else 0) + takes)
            if i:
                m.add(end[i, p] >= end[i - 1, p] + takes)
    m.minimize(end[len(times) - 1, len(jobs) - 1])
    return lambda value: [next(j for j in jobs if value(x[j][p])) for p in jobs]


def colouring(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    most = max(d["greedy"]) + 1
    colour = [m.new_int_var(0, most - 1, "") for _ in range(d["n"])]
    x = [[m.new_bool_var("") for _ in range(most)] for _ in range(d["n"])]
    used = m.new_int_var(1, most, "")
    for v in range(d["n"]):
        m.add_exactly_one(x[v])
        m.add(colour[v] == sum(k * x[v][k] for k in range(most)))
        m.add(colour[v] < used)
    for a, b in d["edges"]:
        for k in range(most):
            m.add_at_most_one(x[a][k], x[b][k])
    m.minimize(used)
    return lambda value: [value(c) for c in colour]


def bin_packing(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    items, bins = range(len(d["sizes"])), range(max(d["greedy"]) + 1)
    x = [[m.new_bool_var("") for _ in bins] for _ in items]
    opened = [m.new_bool_var("") for _ in bins]
    for i in items:
        m.add_exactly_one(x[i])
    for b in bins:
        m.add(sum(d["sizes"][i] * x[i][b] for i in items) <= d["capacity"] * opened[b])
        if b:
            m.add_implication(opened[b], opened[b - 1])
    m.minimize(sum(opened))
    return lambda value: [next(b for b in bins if value(x[i][b])) for i in items]


def quadratic_assignment(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    n, flows, flat = len(d["flows"]), d["flows"], [v for row in d["distances"] for v in row]
    at = [m.new_int_var(0, n - 1, "") for _ in range(n)]
    m.add_all_different(at)
    terms = []
    for i in range(n):
        for j in range(n):
            if flows[i][j] and i != j:
                apart = m.new_int_var(min(flat), max(flat), "")
                m.add_element(at[i] * n + at[j], flat, apart)
                terms.append(flows[i][j] * apart)
    m.minimize(sum(terms))
    return lambda value: [value(v) for v in at]


def independent_set(d: dict[str, Any], m: cp_model.CpModel) -> Extract:
    x = [m.new_bool_var("") for _ in range(d["n"])]
    for a, b in d["edges"]:
        m.add_at_most_one(x[a], x[b])
    m.minimize(-sum(x))
    return lambda value: [v for v, chosen in enumerate(x) if value(chosen)]


class Watch(cp_model.CpSolverSolutionCallback):
    """Reports each solution as it is found."""

    def __init__(self, run: Any, extract: Extract) -> None:
        super().__init__()
        self.run, self.extract = run, extract

    def on_solution_callback(self) -> None:
        self.run.report(self.objective_value, lambda: self.extract(self.value))


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Build the model and solve it; a second thread stops the solver when the processor time is spent."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    extract = globals()[family](data, model)
    solver.parameters.num_workers = 1
    if family in ("set_cover", "independent_set"):  # clauses alone: without this they are not relaxed at all
        solver.parameters.linearization_level = 2
    solver.parameters.random_seed = run.seed
    solver.parameters.max_time_in_seconds = 60 * run.budget  # wall clock: only so that nothing hangs

    def watch() -> None:
        while run.left() > 0:
            time.sleep(0.01)
        solver.stop_search()

    threading.Thread(target=watch, daemon=True).start()
    solver.solve(model, Watch(run, extract))
