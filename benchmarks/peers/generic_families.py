"""Eleven problem families as plain data: drawn by seed, or read from files; and answers checked.

An instance is a dict of numbers and lists that any tool can take, so that every tool solves the same one. An answer
is a list: the items, columns or vertices chosen; the cities or jobs in order; the routes; the operations
``job * m + step`` in order; the colour, bin or location of each. `check` verifies an answer by plain Python and has
dilemma's own problem compute its energy; both must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dilemma import problems
from dilemma.knapsack import Knapsack
from dilemma.problem import Model, offered
from dilemma.rollout import Proposal, grow

SEEDS = {"tune": range(1, 4), "holdout": range(9001, 9004)}  # nothing was ever tuned on the second


@dataclass(frozen=True)
class Family:
    """How to draw, build, answer and check one kind of problem.

    ``data(size, seed)`` draws, ``problem(data)`` builds dilemma's, ``answer(problem, state)`` is the answer a
    complete state stands for, ``actions(data, answer)`` are actions of dilemma's problem that lead to it, and
    ``cost(data, answer)`` is its energy by plain Python, or a text that says what is wrong with it.
    """

    sizes: tuple[int, int]  # quick, full
    data: Callable[[int, int], dict[str, Any]]
    problem: Callable[[dict[str, Any]], Any]
    answer: Callable[[Any, Any], list[Any]]
    actions: Callable[[dict[str, Any], list[Any]], list[Any]]
    cost: Callable[[dict[str, Any], list[Any]], float | str]


# -- from dilemma's problems to plain data ----------------------------------------------------------------


def _knapsack(n: int, seed: int) -> dict[str, Any]:
    """Pisinger's weakly correlated class: the greedy is good, and not optimal."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 1001, n)
    values = np.maximum(1, weights + rng.integers(-100, 101, n))
    return {"values": values.tolist(), "weights": weights.tolist(), "capacity": int(weights.sum() // 3)}


def of_multi_knapsack(p: problems.MultiKnapsack) -> dict[str, Any]:
    return {
        "profits": _whole(p.profits), "weights": [_whole(row) for row in p.weights],
        "capacities": _whole(p.capacities),
    }  # fmt: skip


def of_set_cover(p: problems.SetCover) -> dict[str, Any]:
    return {"costs": _whole(p.costs), "rows": p.rows, "covers": [c.tolist() for c in p.covers]}


def of_tsp(p: Any) -> dict[str, Any]:
    return {"distances": [_whole(row) for row in p.distances]}


def of_routing(p: problems.VehicleRouting) -> dict[str, Any]:
    return {**of_tsp(p), "demands": _whole(p.demands), "capacity": int(p.capacity)}


def of_job_shop(p: problems.JobShop) -> dict[str, Any]:
    rows = [slice(j * p.m, (j + 1) * p.m) for j in range(p.n)]
    return {"machines": [p.machine[r] for r in rows], "times": [_whole(p.time[r]) for r in rows]}


def of_flow_shop(p: problems.FlowShop) -> dict[str, Any]:
    return {"times": [_whole(column) for column in zip(*p.times, strict=True)]}  # one row a machine


def of_graph(p: Any) -> dict[str, Any]:
    return {"n": p.n, "edges": np.argwhere(np.triu(p.adjacent, 1)).tolist()}


def of_bin_packing(p: problems.BinPacking) -> dict[str, Any]:
    return {"capacity": int(p.capacity), "sizes": _whole(p.sizes)}


def of_assignment(p: problems.QuadraticAssignment) -> dict[str, Any]:
    return {"flows": [_whole(r) for r in p.flows], "distances": [_whole(r) for r in p.distances]}


def _whole(numbers: Any) -> list[int]:
    array = np.asarray(numbers, dtype=float)
    if (array != np.floor(array)).any():
        raise ValueError("expected whole numbers: some of the tools take no others")
    return array.astype(int).tolist()


# -- answers ----------------------------------------------------------------------------------------------


def _subset(answer: list[Any], n: int) -> str:
    return (
        ""
        if len(set(answer)) == len(answer) and all(0 <= a < n for a in answer)
        else "not a set of the items"
    )


def _order(answer: list[Any], n: int) -> str:
    return "" if sorted(answer) == list(range(n)) else "not each of them once"


def _knapsack_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    weight = sum(d["weights"][i] for i in answer)
    wrong = _subset(answer, len(d["values"])) or ("too heavy" if weight > d["capacity"] else "")
    return wrong or -float(sum(d["values"][i] for i in answer))


def _multi_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    heavy = any(sum(w[i] for i in answer) > c for w, c in zip(d["weights"], d["capacities"], strict=True))
    return (
        _subset(answer, len(d["profits"]))
        or ("too heavy" if heavy else "")
        or -float(sum(d["profits"][i] for i in answer))
    )


def _cover_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    missing = d["rows"] - len({r for j in answer for r in d["covers"][j]})
    return (
        _subset(answer, len(d["costs"]))
        or (f"{missing} rows not covered" if missing else "")
        or float(sum(d["costs"][j] for j in answer))
    )


def _tour_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    m = d["distances"]
    return _order(answer, len(m)) or float(
        sum(m[a][b] for a, b in zip(answer, answer[1:] + answer[:1], strict=True))
    )


def _routes_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    m = d["distances"]
    served = sorted(c for route in answer for c in route)
    if served != list(range(1, len(m))):
        return "not each customer once"
    if any(sum(d["demands"][c] for c in route) > d["capacity"] for route in answer):
        return "a route is too heavy"
    return float(sum(m[a][b] for route in answer for a, b in zip([0, *route], [*route, 0], strict=True)))


def _schedule_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    n, m = len(d["times"]), len(d["times"][0])
    if wrong := _order(answer, n * m):
        return wrong
    job_free, machine_free, done = [0.0] * n, [0.0] * m, [0] * n
    for op in answer:
        job, step = divmod(op, m)
        if done[job] != step:
            return f"step {step} of job {job} before its turn"
        done[job] += 1
        machine = d["machines"][job][step]
        job_free[job] = machine_free[machine] = (
            max(job_free[job], machine_free[machine]) + d["times"][job][step]
        )
    return max(job_free)


def _flow_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    if wrong := _order(answer, len(d["times"][0])):
        return wrong
    free = [0.0] * len(d["times"])
    for job in answer:
        at = 0.0
        for machine, row in enumerate(d["times"]):
            at = free[machine] = max(at, free[machine]) + row[job]
    return free[-1]


def _colour_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    if len(answer) != d["n"]:
        return "not a colour for each vertex"
    return (
        "neighbours alike" if any(answer[a] == answer[b] for a, b in d["edges"]) else float(len(set(answer)))
    )


def _bins_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    if len(answer) != len(d["sizes"]):
        return "not a bin for each item"
    load: dict[int, int] = {}
    for size, where in zip(d["sizes"], answer, strict=True):
        load[where] = load.get(where, 0) + size
    return "a bin is too full" if max(load.values(), default=0) > d["capacity"] else float(len(load))


def _assignment_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    n = len(d["flows"])
    return _order(answer, n) or float(
        sum(d["flows"][i][j] * d["distances"][answer[i]][answer[j]] for i in range(n) for j in range(n))
    )


def _independent_cost(d: dict[str, Any], answer: list[Any]) -> float | str:
    chosen = set(answer)
    wrong = "neighbours chosen" if any(a in chosen and b in chosen for a, b in d["edges"]) else ""
    return _subset(answer, d["n"]) or wrong or -float(len(answer))


def _relabelled(answer: list[Any]) -> list[tuple[int, int]]:
    """(item, label) with labels 0, 1, ... in the order in which they appear."""
    labels: dict[int, int] = {}
    return [(i, labels.setdefault(label, len(labels))) for i, label in enumerate(answer)]


def _classes(parts: list[list[int]], n: int) -> list[int]:
    label = [0] * n
    for k, part in enumerate(parts):
        for i in part:
            label[i] = k
    return label


def _from_zero(answer: list[Any]) -> list[Any]:
    at = answer.index(0)
    return answer[at + 1 :] + answer[:at]


def _joins(d: dict[str, Any], answer: list[Any]) -> list[int]:
    n = len(d["distances"])
    pairs = [(min(p), max(p)) for route in answer for p in pairwise(route)]
    return [i * n + j for i, j in pairs]


def _behind(d: dict[str, Any], answer: list[Any]) -> list[int]:
    n = len(d["times"][0])
    return [job * (n + 1) + after + 1 for job, after in zip(answer, [-1, *answer], strict=False)]


def _ints(values: Any) -> list[int]:
    return [int(v) for v in values]


P = problems
FAMILIES: dict[str, Family] = {
    "knapsack": Family(
        (100, 1000), _knapsack, lambda d: Knapsack(d["values"], d["weights"], d["capacity"]),
        lambda p, s: _ints(p.chosen(s)), lambda d, a: a, _knapsack_cost,
    ),
    "multi_knapsack": Family(
        (60, 250), lambda n, seed: of_multi_knapsack(P.MultiKnapsack.random(n, seed, m=max(5, n // 25))),
        lambda d: P.MultiKnapsack(d["profits"], d["weights"], d["capacities"]),
        lambda p, s: _ints(s.items), lambda d, a: a, _multi_cost,
    ),
    "set_cover": Family(
        (100, 1000), lambda n, seed: of_set_cover(P.SetCover.random(n, seed)),
        lambda d: P.SetCover(d["costs"], d["rows"], d["covers"]),
        lambda p, s: _ints(s.columns), lambda d, a: a, _cover_cost,
    ),
    "tsp": Family(
        (30, 150), lambda n, seed: of_tsp(P.TSP.random(n, seed)), lambda d: P.TSP(d["distances"]),
        lambda p, s: _ints(s.cities), lambda d, a: _from_zero(a), _tour_cost,
    ),
    "vehicle_routing": Family(
        (20, 80), lambda n, seed: of_routing(P.VehicleRouting.random(n, seed)),
        lambda d: P.VehicleRouting(d["distances"], d["demands"], d["capacity"]),
        lambda p, s: [_ints(r) for r in p.routes(s)], _joins, _routes_cost,
    ),
    "job_shop": Family(
        (6, 15), lambda n, seed: of_job_shop(P.JobShop.random(n, seed, m=max(5, 2 * n // 3))),
        lambda d: P.JobShop(d["machines"], d["times"]), lambda p, s: _ints(s.order),
        lambda d, a: [op // len(d["times"][0]) for op in a], _schedule_cost,
    ),
    "flow_shop": Family(
        (15, 50), lambda n, seed: of_flow_shop(P.FlowShop.random(n, seed, m=10)), lambda d: P.FlowShop(d["times"]),
        lambda p, s: _ints(s.jobs), _behind, _flow_cost,
    ),
    "colouring": Family(
        (40, 150), lambda n, seed: of_graph(P.Colouring.random(n, seed)), lambda d: P.Colouring(d["n"], d["edges"]),
        lambda p, s: _classes(p.classes(s), p.n), lambda d, a: _relabelled(a), _colour_cost,
    ),
    "bin_packing": Family(
        (60, 200), lambda n, seed: of_bin_packing(P.BinPacking.random(n, seed, capacity=1000, low=150, high=500)),
        lambda d: P.BinPacking(d["capacity"], d["sizes"]),
        lambda p, s: _classes(p.bins(s), p.n), lambda d, a: _relabelled(a), _bins_cost,
    ),
    "quadratic_assignment": Family(
        (12, 30), lambda n, seed: of_assignment(P.QuadraticAssignment.random(n, seed)),
        lambda d: P.QuadraticAssignment(d["flows"], d["distances"]),
        lambda p, s: _ints(p.location(s)),
        lambda d, a: [a[f] for f in P.QuadraticAssignment(d["flows"], d["distances"]).order], _assignment_cost,
    ),
    "independent_set": Family(
        (60, 300), lambda n, seed: of_graph(P.IndependentSet.random(n, seed)),
        lambda d: P.IndependentSet(d["n"], d["edges"]), lambda p, s: _ints(s.vertices), lambda d, a: a,
        _independent_cost,
    ),
}  # fmt: skip

SCORED = {
    "knapsack": "values",
    "multi_knapsack": "profits",
}  # the greedy's scores do not change: data for all

# Files of the literature with known values: (family, file, best known energy, keyword arguments of `load`).
FILES: tuple[tuple[str, str, float, dict[str, Any]], ...] = (
    ("multi_knapsack", "mkp/mknapcb1.txt", -24381, {"index": 0}),
    ("set_cover", "setcover/scp41_weighted.txt", 429, {}),
    ("tsp", "tsp/kroA100.tsp", 21282, {}),
    ("tsp", "tsp/a280.tsp", 2579, {}),
    ("job_shop", "jsp/ft10.txt", 930, {}),
    ("job_shop", "jsp/la21.txt", 1046, {}),
    ("flow_shop", "flowshop/ta031.txt", 2724, {}),
    ("colouring", "coloring/DSJC125.5.col", 17, {}),
    ("bin_packing", "binpacking/u250_00.txt", 99, {}),
    ("quadratic_assignment", "qap/nug30.dat", 6124, {}),
)
_READ: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
    "multi_knapsack": (P.MultiKnapsack, of_multi_knapsack),
    "set_cover": (P.SetCover, of_set_cover),
    "tsp": (P.TSP, of_tsp),
    "job_shop": (P.JobShop, of_job_shop),
    "flow_shop": (P.FlowShop, of_flow_shop),
    "colouring": (P.Colouring, of_graph),
    "bin_packing": (P.BinPacking, of_bin_packing),
    "quadratic_assignment": (P.QuadraticAssignment, of_assignment),
}


def drawn(family: str, size: int, seed: int) -> dict[str, Any]:
    """Return an instance, with the greedy's answer that every tool may begin from."""
    return _with_greedy(family, FAMILIES[family].data(size, seed))


def read(family: str, path: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the instance of a file."""
    cls, plain = _READ[family]
    return _with_greedy(family, plain(cls.load(path, **options)))


def _with_greedy(family: str, data: dict[str, Any]) -> dict[str, Any]:
    kind = FAMILIES[family]
    model = Model(kind.problem(data))
    state = model.replay(grow(model, Proposal()).actions)
    instance = {**data, "greedy": kind.answer(model.problem, state)}
    if family in SCORED:
        actions, scores = offered(model.actions(model.initial()))
        by_action = dict(zip(_ints(actions), map(float, scores), strict=True))
        instance["scores"] = [by_action.get(i, 0.0) for i in range(len(data[SCORED[family]]))]
    return instance


def check(family: str, data: dict[str, Any], answer: list[Any]) -> float:
    """Return the energy of an answer by dilemma's own problem, or raise ValueError if it is not one."""
    kind = FAMILIES[family]
    try:
        cost = kind.cost(data, answer)
    except (IndexError, TypeError, KeyError) as error:
        raise ValueError(f"{family}: not an answer: {error}") from None
    if isinstance(cost, str):
        raise ValueError(f"{family}: {cost}")
    model = Model(kind.problem(data))
    energy = float(model.energy(model.replay(kind.actions(data, answer))))
    if not math.isclose(energy, cost, rel_tol=1e-9, abs_tol=1e-9):
        raise ValueError(f"{family}: dilemma's energy {energy} differs from the plain one {cost}")
    return energy
