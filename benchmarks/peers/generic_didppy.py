"""`didppy`: a dynamic programming model a family, solved by CABS (complete anytime beam search)."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import didppy as dp

Extract = Callable[[list[str]], Any]


def cost() -> Any:
    return dp.IntExpr.state_cost()


def total(terms: Any) -> Any:
    return functools.reduce(operator.add, terms)


def knapsack(d: dict[str, Any], m: dp.Model) -> Extract:
    return multi_knapsack(
        {"profits": d["values"], "weights": [d["weights"]], "capacities": [d["capacity"]]}, m
    )


def multi_knapsack(d: dict[str, Any], m: dp.Model) -> Extract:
    n = len(d["profits"])
    weight = [sum(w[i] / c for w, c in zip(d["weights"], d["capacities"], strict=True)) for i in range(n)]
    order = sorted(range(n), key=lambda i: -d["profits"][i] / max(weight[i], 1e-9))
    item = m.add_object_type(number=n + 1)
    at = m.add_element_var(object_type=item, target=0)
    room = [m.add_int_resource_var(target=c, less_is_better=False) for c in d["capacities"]]
    profit = m.add_int_table([*(d["profits"][i] for i in order), 0])
    tables = [m.add_int_table([*(w[i] for i in order), 0]) for w in d["weights"]]
    m.add_transition(dp.Transition(
        name="take", cost=cost() - profit[at],
        effects=[(at, at + 1), *((r, r - w[at]) for r, w in zip(room, tables, strict=True))],
        preconditions=[at < n, *(r >= w[at] for r, w in zip(room, tables, strict=True))],
    ))  # fmt: skip
    m.add_transition(dp.Transition(name="leave", cost=cost(), effects=[(at, at + 1)], preconditions=[at < n]))
    m.add_base_case([at == n])
    rest = [0]
    for i in reversed(order):
        rest.insert(0, rest[0] - d["profits"][i])
    m.add_dual_bound(m.add_int_table(rest)[at])
    return lambda names: [i for i, name in zip(order, names, strict=True) if name == "take"]


def set_cover(d: dict[str, Any], m: dp.Model) -> Extract:
    row = m.add_object_type(number=d["rows"])
    rows = m.add_set_var(object_type=row, target=list(range(d["rows"])))
    cheapest = [10**9] * d["rows"]
    for j, (price, covered) in enumerate(zip(d["costs"], d["covers"], strict=True)):
        column = m.create_set_const(object_type=row, value=covered)
        m.add_transition(dp.Transition(
            name=str(j), cost=price + cost(), effects=[(rows, rows - column)],
            preconditions=[(rows & column).len() > 0],
        ))  # fmt: skip
        for r in covered:
            cheapest[r] = min(cheapest[r], price)
    m.add_base_case([rows.is_empty()])
    share = [
        min(p / len(c) for p, c in zip(d["costs"], d["covers"], strict=True) if r in c)
        for r in range(d["rows"])
    ]
    bound = m.add_float_table(share)
    m.add_dual_bound(math.ceil(bound[rows] - 1e-6))
    return lambda names: [int(name) for name in names]


def tsp(d: dict[str, Any], m: dp.Model) -> Extract:
    n, dist = len(d["distances"]), d["distances"]
    city = m.add_object_type(number=n)
    left = m.add_set_var(object_type=city, target=list(range(1, n)))
    at = m.add_element_var(object_type=city, target=0)
    table = m.add_int_table(dist)
    for j in range(1, n):
        m.add_transition(dp.Transition(
            name=str(j), cost=table[at, j] + cost(), effects=[(left, left.remove(j)), (at, j)],
            preconditions=[left.contains(j)],
        ))  # fmt: skip
    m.add_base_case([left.is_empty()], cost=table[at, 0])
    into = m.add_int_table([min(dist[i][j] for i in range(n) if i != j) for j in range(n)])
    m.add_dual_bound(into[left] + into[0])
    return lambda names: [0, *(int(name) for name in names)]


def vehicle_routing(d: dict[str, Any], m: dp.Model) -> Extract:
    n, dist, q, room = len(d["distances"]), d["distances"], d["demands"], d["capacity"]
    customer = m.add_object_type(number=n)
    left = m.add_set_var(object_type=customer, target=list(range(1, n)))
    at = m.add_element_var(object_type=customer, target=0)
    load = m.add_int_resource_var(target=0, less_is_better=True)
    table = m.add_int_table(dist)
    for j in range(1, n):
        m.add_transition(dp.Transition(
            name=f"on {j}", cost=table[at, j] + cost(),
            effects=[(left, left.remove(j)), (at, j), (load, load + q[j])],
            preconditions=[left.contains(j), load + q[j] <= room],
        ))  # fmt: skip
        m.add_transition(dp.Transition(
            name=f"new {j}", cost=table[at, 0] + dist[0][j] + cost(),
            effects=[(left, left.remove(j)), (at, j), (load, q[j])], preconditions=[left.contains(j), at != 0],
        ))  # fmt: skip
    m.add_base_case([left.is_empty()], cost=table[at, 0])
    into = m.add_int_table([min(dist[i][j] for i in range(n) if i != j) for j in range(n)])
    m.add_dual_bound(into[left])

    def extract(names: list[str]) -> list[list[int]]:
        routes: list[list[int]] = [[]]
        for kind, j in (name.split() for name in names):
            if kind == "new":
                routes.append([])
            routes[-1].append(int(j))
        return routes

    return extract


def job_shop(d: dict[str, Any], m: dp.Model) -> Extract:
    n, steps = len(d["times"]), len(d["times"][0])
    step = m.add_object_type(number=steps + 1)
    done = [m.add_element_var(object_type=step, target=0) for _ in range(n)]
    free = [m.add_int_resource_var(target=0, less_is_better=True) for _ in range(n)]
    machine_free = [m.add_int_resource_var(target=0, less_is_better=True) for _ in range(steps)]
    for j in range(n):
        for k in range(steps):
            machine = d["machines"][j][k]
            end = dp.max(free[j], machine_free[machine]) + d["times"][j][k]
            m.add_transition(dp.Transition(
                name=str(j * steps + k), cost=dp.max(cost(), end),
                effects=[(done[j], k + 1), (free[j], end), (machine_free[machine], end)],
                preconditions=[done[j] == k],
            ))  # fmt: skip
    m.add_base_case([done[j] == steps for j in range(n)])
    for j in range(n):
        rest = m.add_int_table([sum(d["times"][j][k:]) for k in range(steps + 1)])
        m.add_dual_bound(free[j] + rest[done[j]])
    return lambda names: [int(name) for name in names]


def flow_shop(d: dict[str, Any], m: dp.Model) -> Extract:
    times, n = d["times"], len(d["times"][0])
    job = m.add_object_type(number=n)
    left = m.add_set_var(object_type=job, target=list(range(n)))
    free = [m.add_int_resource_var(target=0, less_is_better=True) for _ in times]
    for j in range(n):
        end, effects = None, []
        for i, row in enumerate(times):
            end = (free[0] if end is None else dp.max(end, free[i])) + row[j]
            effects.append((free[i], end))
        m.add_transition(dp.Transition(
            name=str(j), cost=cost() + end - free[-1], effects=[(left, left.remove(j)), *effects],
            preconditions=[left.contains(j)],
        ))  # fmt: skip
    m.add_base_case([left.is_empty()])
    m.add_dual_bound(m.add_int_table(times[-1])[left])
    return lambda names: [int(name) for name in names]


def colouring(d: dict[str, Any], m: dp.Model) -> Extract:
    n = d["n"]
    vertex = m.add_object_type(number=n)
    left = m.add_set_var(object_type=vertex, target=list(range(n)))
    open_ = m.add_set_var(object_type=vertex, target=[])  # what may still join the current colour
    near: list[list[int]] = [[v] for v in range(n)]
    for a, b in d["edges"]:
        near[a].append(b)
        near[b].append(a)
    for v in range(n):
        away = m.create_set_const(object_type=vertex, value=near[v])
        m.add_transition(dp.Transition(
            name=f"on {v}", cost=cost(), effects=[(left, left.remove(v)), (open_, open_ - away)],
            preconditions=[open_.contains(v)],
        ))  # fmt: skip
        m.add_transition(dp.Transition(
            name=f"new {v}", cost=1 + cost(), effects=[(left, left.remove(v)), (open_, left - away)],
            preconditions=[left.contains(v), open_.is_empty()],
        ))  # fmt: skip
    m.add_base_case([left.is_empty()])
    m.add_dual_bound(0)

    def extract(names: list[str]) -> list[int]:
        colour, current = [0] * n, -1
        for kind, v in (name.split() for name in names):
            current += kind == "new"
            colour[int(v)] = current
        return colour

    return extract


def bin_packing(d: dict[str, Any], m: dp.Model) -> Extract:
    n, sizes, capacity = len(d["sizes"]), d["sizes"], d["capacity"]
    item = m.add_object_type(number=n)
    left = m.add_set_var(object_type=item, target=list(range(n)))
    room = m.add_int_resource_var(target=0, less_is_better=False)
    weight = m.add_int_table(sizes)
    for i in range(n):
        m.add_transition(dp.Transition(
            name=f"on {i}", cost=cost(), effects=[(left, left.remove(i)), (room, room - sizes[i])],
            preconditions=[left.contains(i), room >= sizes[i]],
        ))  # fmt: skip
    for i in range(n):
        full = [~left.contains(j) | (room < sizes[j]) for j in range(n)]
        m.add_transition(dp.Transition(
            name=f"new {i}", cost=1 + cost(), effects=[(left, left.remove(i)), (room, capacity - sizes[i])],
            preconditions=[left.contains(i), *full],
        ))  # fmt: skip
    m.add_base_case([left.is_empty()])
    m.add_dual_bound(math.ceil((weight[left] - room) / capacity))

    def extract(names: list[str]) -> list[int]:
        bins, current = [0] * n, -1
        for kind, i in (name.split() for name in names):
            current += kind == "new"
            bins[int(i)] = current
        return bins

    return extract


def quadratic_assignment(d: dict[str, Any], m: dp.Model) -> Extract:
    n, flows = len(d["flows"]), d["flows"]
    order = sorted(range(n), key=lambda i: -sum(flows[i]))
    place = m.add_object_type(number=n)
    stage = m.add_object_type(number=n + 1)
    left = m.add_set_var(object_type=place, target=list(range(n)))
    at = m.add_element_var(object_type=stage, target=0)
    where = [m.add_element_var(object_type=place, target=0) for _ in range(n)]
    table = m.add_int_table(d["distances"])
    for s, i in enumerate(order):
        for p in range(n):
            terms = [
                flows[i][j] * table[p, where[j]] + flows[j][i] * table[where[j], p]
                for j in order[:s]
                if flows[i][j] or flows[j][i]
            ]
            m.add_transition(dp.Transition(
                name=f"{i} {p}", cost=total([cost(), flows[i][i] * d["distances"][p][p], *terms]),
                effects=[(left, left.remove(p)), (at, s + 1), (where[i], p)],
                preconditions=[at == s, left.contains(p)],
            ))  # fmt: skip
    m.add_base_case([at == n])
    m.add_dual_bound(0)

    def extract(names: list[str]) -> list[int]:
        pairs = dict(tuple(map(int, name.split())) for name in names)
        return [pairs[i] for i in range(n)]

    return extract


def independent_set(d: dict[str, Any], m: dp.Model) -> Extract:
    vertex = m.add_object_type(number=d["n"])
    free = m.add_set_var(object_type=vertex, target=list(range(d["n"])))
    near: list[list[int]] = [[v] for v in range(d["n"])]
    for a, b in d["edges"]:
        near[a].append(b)
        near[b].append(a)
    for v in range(d["n"]):
        away = m.create_set_const(object_type=vertex, value=near[v])
        m.add_transition(dp.Transition(
            name=str(v), cost=cost() - 1, effects=[(free, free - away)], preconditions=[free.contains(v)],
        ))  # fmt: skip
    m.add_base_case([free.is_empty()])
    m.add_dual_bound(-free.len())
    return lambda names: [int(name) for name in names]


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Build the model and ask CABS for one better solution after another."""
    model = dp.Model()
    extract = globals()[family](data, model)
    solver = dp.CABS(model, time_limit=60 * run.budget, quiet=True)
    finished = False
    while not finished and run.left() > 0:
        solution, finished = solver.search_next()
        if solution.cost is not None:
            run.report(solution.cost, lambda s=solution: extract([t.name for t in s.transitions]))
