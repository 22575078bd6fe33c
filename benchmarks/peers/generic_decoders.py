"""From an order to an answer, for tools that search permutations: `simanneal`, `deap`, `pymoo`.

One class a family: `start` is an order that decodes to (nearly) the greedy's answer, `decode(order)` gives the
energy and the answer. These are the lines a user of those tools writes.
"""

from __future__ import annotations

from typing import Any

Order = list[int]
Data = dict[str, Any]


class Knapsack:
    def __init__(self, d: Data) -> None:
        self.v, self.w, self.room = d["values"], d["weights"], d["capacity"]
        self.start = first(d["greedy"], len(self.v))

    def decode(self, order: Order) -> tuple[float, list[int]]:
        room, value, taken = self.room, 0, []
        for i in order:
            if self.w[i] <= room:
                room -= self.w[i]
                value += self.v[i]
                taken.append(i)
        return -value, taken


class MultiKnapsack:
    def __init__(self, d: Data) -> None:
        self.p, self.w, self.room = d["profits"], list(zip(*d["weights"], strict=True)), d["capacities"]
        self.start = first(d["greedy"], len(self.p))

    def decode(self, order: Order) -> tuple[float, list[int]]:
        room, profit, taken = self.room, 0, []
        for i in order:
            after = [r - w for r, w in zip(room, self.w[i], strict=True)]
            if min(after) >= 0:
                room, profit = after, profit + self.p[i]
                taken.append(i)
        return -profit, taken


class SetCover:
    def __init__(self, d: Data) -> None:
        self.costs, self.rows = d["costs"], d["rows"]
        self.masks = [sum(1 << r for r in rows) for rows in d["covers"]]
        self.start = first(d["greedy"], len(self.costs))

    def decode(self, order: Order) -> tuple[float, list[int]]:
        open_rows, taken = (1 << self.rows) - 1, []
        for j in order:
            if self.masks[j] & open_rows:
                open_rows &= ~self.masks[j]
                taken.append(j)
                if not open_rows:
                    break
        seen, kept = 0, []  # what is covered by later ones and kept ones alone is redundant
        rest = [0]
        for j in taken:
            rest.append(rest[-1] | self.masks[j])
        for k in range(len(taken) - 1, -1, -1):
            if self.masks[taken[k]] & ~(rest[k] | seen):
                kept.append(taken[k])
                seen |= self.masks[taken[k]]
        return sum(self.costs[j] for j in kept), kept


class Tsp:
    def __init__(self, d: Data) -> None:
        self.d, self.start = d["distances"], list(d["greedy"])

    def decode(self, order: Order) -> tuple[float, list[int]]:
        return sum(self.d[order[i - 1]][order[i]] for i in range(len(order))), order


class VehicleRouting:
    def __init__(self, d: Data) -> None:
        self.d, self.q, self.room = d["distances"], d["demands"], d["capacity"]
        self.start = [c - 1 for route in d["greedy"] for c in route]

    def decode(self, order: Order) -> tuple[float, list[list[int]]]:
        routes, load, length = [], self.room + 1, 0
        for c in (i + 1 for i in order):
            if load + self.q[c] > self.room:
                routes.append([c])
                load, length = self.q[c], length + 2 * self.d[0][c]
            else:
                last = routes[-1][-1]
                length += self.d[last][c] + self.d[c][0] - self.d[last][0]
                routes[-1].append(c)
                load += self.q[c]
        return length, routes


class JobShop:
    def __init__(self, d: Data) -> None:
        self.machines, self.times, self.m = d["machines"], d["times"], len(d["times"][0])
        self.start = list(d["greedy"])

    def decode(self, order: Order) -> tuple[float, list[int]]:
        done, free, machine_free, ops = [0] * len(self.times), [0] * len(self.times), [0] * self.m, []
        for job in (op // self.m for op in order):  # each job as often as it has steps
            step = done[job]
            machine = self.machines[job][step]
            end = max(free[job], machine_free[machine]) + self.times[job][step]
            free[job] = machine_free[machine] = end
            done[job] += 1
            ops.append(job * self.m + step)
        return max(free), ops


class FlowShop:
    def __init__(self, d: Data) -> None:
        self.columns, self.m = list(zip(*d["times"], strict=True)), len(d["times"])
        self.start = list(d["greedy"])

    def decode(self, order: Order) -> tuple[float, list[int]]:
        free = [0] * self.m
        for job in order:
            at = 0
            for i, time in enumerate(self.columns[job]):
                at = free[i] = (at if at > free[i] else free[i]) + time
        return free[-1], order


class Colouring:
    def __init__(self, d: Data) -> None:
        self.near: list[list[int]] = [[] for _ in range(d["n"])]
        for a, b in d["edges"]:
            self.near[a].append(b)
            self.near[b].append(a)
        self.start = sorted(range(d["n"]), key=d["greedy"].__getitem__)

    def decode(self, order: Order) -> tuple[float, list[int]]:
        colour = [-1] * len(order)
        for v in order:
            taken = {colour[u] for u in self.near[v]}
            colour[v] = next(c for c in range(len(order)) if c not in taken)
        return max(colour) + 1, colour


class BinPacking:
    def __init__(self, d: Data) -> None:
        self.sizes, self.capacity = d["sizes"], d["capacity"]
        self.start = sorted(range(len(self.sizes)), key=d["greedy"].__getitem__)

    def decode(self, order: Order) -> tuple[float, list[int]]:
        room: list[int] = []
        bins = [0] * len(order)
        for i in order:
            b = next((b for b, r in enumerate(room) if r >= self.sizes[i]), len(room))
            if b == len(room):
                room.append(self.capacity)
            room[b] -= self.sizes[i]
            bins[i] = b
        full = sum(((self.capacity - r) / self.capacity) ** 2 for r in room) / len(room)
        return len(room) + 0.9 * (
            1 - full
        ), bins  # of equal numbers of bins, the less even is nearer to one fewer


class QuadraticAssignment:
    def __init__(self, d: Data) -> None:
        import numpy as np

        self.np, self.f, self.d = np, np.array(d["flows"]), np.array(d["distances"])
        self.start = list(d["greedy"])

    def decode(self, order: Order) -> tuple[float, list[int]]:
        place = self.np.asarray(order)
        return float((self.f * self.d[place[:, None], place]).sum()), order


class IndependentSet:
    def __init__(self, d: Data) -> None:
        self.near = [1 << v for v in range(d["n"])]
        for a, b in d["edges"]:
            self.near[a] |= 1 << b
            self.near[b] |= 1 << a
        self.start = first(d["greedy"], d["n"])

    def decode(self, order: Order) -> tuple[float, list[int]]:
        barred, taken = 0, []
        for v in order:
            if not barred >> v & 1:
                barred |= self.near[v]
                taken.append(v)
        return -len(taken), taken


def first(chosen: list[int], n: int) -> Order:
    """The chosen ones, then the others."""
    return [*chosen, *(i for i in range(n) if i not in set(chosen))]


def true_energy(family: str, energy: float) -> float:
    """The energy without what only guides the search."""
    return float(int(energy)) if family == "bin_packing" else float(energy)


DECODERS: dict[str, Any] = {
    "knapsack": Knapsack,
    "multi_knapsack": MultiKnapsack,
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
