"""`alns`: large-neighbourhood search with two removals and the family's greedy as its repair.

One `complete(kept)` a family: take the decisions kept, let the greedy add the rest, return energy, decisions and
answer. Those are the lines a user of `alns` writes.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from alns import ALNS
from alns.accept import RecordToRecordTravel
from alns.select import RouletteWheel
from generic_decoders import DECODERS

Done = tuple[float, list[Any], Any]
NOISE = 0.01  # of the scores: without it the items that were removed come back
MOST = 0.2  # of the decisions removed at once


class Knapsack:  # the multi-dimensional one too
    def __init__(self, d: dict[str, Any]) -> None:
        self.decoder = DECODERS[d["family"]](d)
        self.begin, self.scores = d["greedy"], np.array(d["scores"])

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        noisy = self.scores * rng.uniform(1 - NOISE, 1 + NOISE, len(self.scores))
        noisy[kept] = -1.0
        energy, taken = self.decoder.decode([*kept, *np.argsort(-noisy)[: len(noisy) - len(kept)].tolist()])
        return energy, taken, taken


class SetCover:
    def __init__(self, d: dict[str, Any]) -> None:
        self.begin, self.costs = d["greedy"], np.array(d["costs"], dtype=float)
        self.covers = np.zeros((len(d["costs"]), d["rows"]), dtype=bool)
        for j, rows in enumerate(d["covers"]):
            self.covers[j, rows] = True

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        taken, left = list(kept), ~self.covers[kept].any(axis=0)
        while left.any():
            best = int((self.covers[:, left].sum(axis=1) / self.costs).argmax())
            taken.append(best)
            left &= ~self.covers[best]
        times = self.covers[taken].sum(axis=0)
        for j in sorted(taken, key=lambda j: -self.costs[j]):
            if (times[self.covers[j]] > 1).all():
                taken.remove(j)
                times -= self.covers[j]
        return float(self.costs[taken].sum()), taken, taken


class Tsp:
    def __init__(self, d: dict[str, Any]) -> None:
        self.begin, self.d = d["greedy"], np.array(d["distances"], dtype=float)

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        tour = list(kept)
        for city in rng.permutation(gone).tolist():
            here, after = np.array(tour), np.array(tour[1:] + tour[:1])
            added = self.d[here, city] + self.d[city, after] - self.d[here, after]
            tour.insert(int(added.argmin()) + 1, city)
        return float(self.d[tour, tour[1:] + tour[:1]].sum()), tour, tour


class VehicleRouting:
    def __init__(self, d: dict[str, Any]) -> None:
        self.d, self.q, self.room = (
            np.array(d["distances"], dtype=float),
            np.array(d["demands"]),
            d["capacity"],
        )
        self.begin = [(c, r) for r, route in enumerate(d["greedy"]) for c in route]

    def complete(self, kept: list[tuple[int, int]], gone: list[tuple[int, int]], rng: Any) -> Done:
        by_route: dict[int, list[int]] = {}
        for c, r in kept:
            by_route.setdefault(r, []).append(c)
        routes = list(by_route.values())
        for c in rng.permutation([c for c, _ in gone]).tolist():
            best, where, place = 2 * self.d[0, c], None, 0
            for route in routes:
                if self.q[route].sum() + self.q[c] <= self.room:
                    a, b = np.array([0, *route]), np.array([*route, 0])
                    added = self.d[a, c] + self.d[c, b] - self.d[a, b]
                    if added.min() < best:
                        best, where, place = added.min(), route, int(added.argmin())
            routes.append([c]) if where is None else where.insert(place, c)
        length = float(sum(self.d[[0, *r], [*r, 0]].sum() for r in routes))
        return length, [(c, r) for r, route in enumerate(routes) for c in route], routes


class JobShop:
    def __init__(self, d: dict[str, Any]) -> None:
        self.begin, self.machines, self.times = d["greedy"], d["machines"], d["times"]
        self.m = len(d["times"][0])
        self.tail = np.array(d["times"])[:, ::-1].cumsum(axis=1)[:, ::-1]

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        rank = {
            op: k for k, op in enumerate(kept)
        }  # kept ones in their order, freed ones by noisy work remaining
        tail = (self.tail * rng.uniform(0.5, 1.5, self.tail.shape)).tolist()
        free, machine_free, done, order = [0] * len(self.times), [0] * self.m, [0] * len(self.times), []
        while len(order) < len(self.times) * self.m:
            ready = []
            for job, k in enumerate(done):
                if k < self.m:
                    start = max(free[job], machine_free[self.machines[job][k]])
                    ready.append((start + self.times[job][k], start, job, k, self.machines[job][k]))
            soonest, *_, machine = min(ready)
            rivals = [r for r in ready if r[4] == machine and r[1] < soonest]
            held = [r for r in rivals if r[2] * self.m + r[3] in rank]
            loose = [r for r in rivals if r[2] * self.m + r[3] not in rank]
            pick = min(held, key=lambda r: rank[r[2] * self.m + r[3]], default=None)
            rule = max(loose, key=lambda r: tail[r[2]][r[3]], default=None)
            if pick is None or (rule is not None and tail[rule[2]][rule[3]] > tail[pick[2]][pick[3]]):
                pick = rule
            end, _, job, k, _ = pick
            free[job] = machine_free[machine] = end
            done[job] += 1
            order.append(job * self.m + k)
        return float(max(free)), order, order


class FlowShop:
    def __init__(self, d: dict[str, Any]) -> None:
        self.begin, self.t = d["greedy"], np.array(d["times"], dtype=float)

    def spans(self, order: list[int], job: int) -> np.ndarray:
        """The makespan with the job at each place (Taillard): heads, tails, and the job between them."""
        m, n = len(self.t), len(order)
        head, tail = np.zeros((m + 1, n + 1)), np.zeros((m + 1, n + 1))
        for k, j in enumerate(order):
            for i in range(m):
                head[i + 1, k + 1] = max(head[i, k + 1], head[i + 1, k]) + self.t[i, j]
        for k in range(n - 1, -1, -1):
            for i in range(m - 1, -1, -1):
                tail[i, k] = max(tail[i + 1, k], tail[i, k + 1]) + self.t[i, order[k]]
        end = np.zeros(n + 1)
        span = np.zeros(n + 1)
        for i in range(m):
            end = np.maximum(end, head[i + 1]) + self.t[i, job]
            span = np.maximum(span, end + tail[i])
        return span

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        order, span = list(kept), self.spans(kept[:-1], kept[-1])[-1] if kept else 0.0
        for job in rng.permutation(gone).tolist():
            spans = self.spans(order, job)
            order.insert(int(spans.argmin()), job)
            span = float(spans.min())
        return float(span), order, order


class Colouring:
    def __init__(self, d: dict[str, Any]) -> None:
        self.n, self.begin = d["n"], list(enumerate(d["greedy"]))
        self.near = np.zeros((self.n, self.n), dtype=bool)
        for a, b in d["edges"]:
            self.near[a, b] = self.near[b, a] = True

    def complete(self, kept: list[tuple[int, int]], gone: list[tuple[int, int]], rng: Any) -> Done:
        names = {c: k for k, c in enumerate(sorted({c for _, c in kept}))}
        colour = np.full(self.n, -1)
        barred = np.zeros((self.n, self.n), dtype=bool)  # vertex x colour
        for v, c in kept:
            colour[v] = names[c]
            barred[self.near[v], names[c]] = True
        while (colour < 0).any():
            v = int(np.where(colour < 0, barred.sum(axis=1) * self.n + self.near.sum(axis=1), -1).argmax())
            colour[v] = int((~barred[v]).argmax())
            barred[self.near[v], colour[v]] = True
        return float(colour.max() + 1), list(enumerate(colour.tolist())), colour


class BinPacking:
    def __init__(self, d: dict[str, Any]) -> None:
        self.sizes, self.capacity = d["sizes"], d["capacity"]
        self.begin = sorted(enumerate(d["greedy"]), key=lambda pair: pair[1])

    def complete(self, kept: list[tuple[int, int]], gone: list[tuple[int, int]], rng: Any) -> Done:
        names = {b: k for k, b in enumerate(sorted({b for _, b in kept}))}
        where = {i: names[b] for i, b in kept}
        room = [self.capacity] * len(names)
        for i, b in where.items():
            room[b] -= self.sizes[i]
        for i in sorted((i for i, _ in gone), key=lambda i: -self.sizes[i]):
            fits = [(r - self.sizes[i], b) for b, r in enumerate(room) if r >= self.sizes[i]]
            left, b = min(fits, default=(self.capacity - self.sizes[i], len(room)))
            room[b:] = [left] if b == len(room) else [left, *room[b + 1 :]]
            where[i] = b
        full = sum(((self.capacity - r) / self.capacity) ** 2 for r in room) / len(room)
        answer = [where[i] for i in range(len(self.sizes))]
        return len(room) + 0.9 * (1 - full), sorted(where.items(), key=lambda pair: pair[1]), answer


class QuadraticAssignment:
    def __init__(self, d: dict[str, Any]) -> None:
        self.f, self.d = np.array(d["flows"], dtype=float), np.array(d["distances"], dtype=float)
        self.begin = list(enumerate(d["greedy"]))

    def complete(self, kept: list[tuple[int, int]], gone: list[tuple[int, int]], rng: Any) -> Done:
        place, free = dict(kept), [place for _, place in gone]
        for f in sorted((f for f, _ in gone), key=lambda f: -self.f[f].sum()):
            others, at = list(place), list(place.values())
            added = (
                self.d[np.ix_(free, at)] @ self.f[f, others] + self.f[others, f] @ self.d[np.ix_(at, free)]
            )
            place[f] = free.pop(int((added + rng.random(len(free)) * 1e-6).argmin()))
        answer = [place[f] for f in range(len(self.f))]
        where = np.array(answer)
        return float((self.f * self.d[where[:, None], where]).sum()), list(enumerate(answer)), answer


class IndependentSet:
    def __init__(self, d: dict[str, Any]) -> None:
        self.begin, self.near = d["greedy"], np.eye(d["n"], dtype=bool)
        for a, b in d["edges"]:
            self.near[a, b] = self.near[b, a] = True

    def complete(self, kept: list[int], gone: list[int], rng: Any) -> Done:
        taken, free = list(kept), ~self.near[kept].any(axis=0)
        while free.any():
            inside = np.flatnonzero(free)
            degree = self.near[np.ix_(inside, inside)].sum(axis=1) + rng.random(len(inside))  # ties at random
            taken.append(int(inside[degree.argmin()]))
            free &= ~self.near[taken[-1]]
        return float(-len(taken)), taken, taken


MODELS: dict[str, Any] = {
    "knapsack": Knapsack,
    "multi_knapsack": Knapsack,
    "set_cover": SetCover,
    "tsp": Tsp,
    "vehicle_routing": VehicleRouting,
    "job_shop": JobShop,
    "flow_shop": FlowShop,
    "colouring": Colouring,
    "bin_packing": BinPacking,
    "quadratic_assignment": QuadraticAssignment,
    "independent_set": IndependentSet,
}


class State:
    """What `alns` moves between."""

    def __init__(self, model: Any, family: str, run: Any) -> None:
        self.model, self.family, self.run = model, family, run
        self.decisions, self.gone = list(model.begin), []

    def objective(self) -> float:
        return self.energy

    def build(self, rng: Any) -> State:
        self.energy, self.decisions, answer = self.model.complete(self.decisions, self.gone, rng)
        self.run.report(float(int(self.energy)) if self.family == "bin_packing" else self.energy, answer)
        return self

    def without(self, places: Any) -> State:
        new = copy.copy(self)
        away = set(places)
        new.gone = [a for i, a in enumerate(self.decisions) if i in away]
        new.decisions = [a for i, a in enumerate(self.decisions) if i not in away]
        return new


def scattered(state: State, rng: Any) -> State:
    n = len(state.decisions)
    return state.without(rng.choice(n, how_many(n, rng), replace=False).tolist())


def segment(state: State, rng: Any) -> State:
    n = len(state.decisions)
    start = int(rng.integers(n))
    return state.without([(start + i) % n for i in range(how_many(n, rng))])


def how_many(n: int, rng: Any) -> int:
    return int(rng.integers(1, max(2, min(int(MOST * n), n - 1) + 1)))


class Budget:
    """A stopping criterion of processor time."""

    def __init__(self, run: Any) -> None:
        self.run = run

    def __call__(self, rng: Any, best: Any, current: Any) -> bool:
        return bool(self.run.left() <= 0)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Measure how long an iteration takes, set the schedule for the rest of the budget, and go."""
    rng = np.random.default_rng(run.seed)
    start = State(MODELS[family]({**data, "family": family}), family, run).build(rng)
    before = run.used()
    for _ in range(5):
        scattered(start, rng).build(rng)
    each = max((run.used() - before) / 5, 1e-6)
    search = ALNS(rng)
    for remove in (scattered, segment):
        search.add_destroy_operator(remove)
    search.add_repair_operator(lambda state, rng: state.build(rng), name="greedy")
    threshold = 0.02 * abs(start.objective())
    accept = RecordToRecordTravel(threshold, 0.0, threshold / max(1.0, run.left() / each))
    search.iterate(start, RouletteWheel([25, 5, 1, 0], 0.8, 2, 1), accept, Budget(run))
