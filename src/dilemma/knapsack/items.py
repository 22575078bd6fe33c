"""Items in ratio order with what a greedy regrowth needs (the twin of ``knapsack_items.hpp``)."""

from __future__ import annotations

from bisect import bisect_right
from functools import cmp_to_key
from itertools import accumulate
from math import floor, gcd

FLOAT_BITS = 900


def ratio_order(values: list[int], weights: list[int]) -> list[int]:
    """Return item indices, best value per weight first; of equal ratios the heavier, then the earlier.

    >>> ratio_order([3, 6, 10], [1, 2, 1])
    [2, 1, 0]
    """

    def compare(a: int, b: int) -> int:
        left, right = values[a] * weights[b], values[b] * weights[a]
        if left != right:
            return -1 if left > right else 1
        return weights[b] - weights[a] or a - b

    return sorted(range(len(values)), key=cmp_to_key(compare))


class Items:
    """Sorted items, their prefix sums, and the lattice their totals lie on.

    With ``slope`` at most the break item's ratio, every ``value - slope * weight`` is a multiple of ``step``;
    a bound that charges at least ``slope`` for unused weight can then be rounded to that lattice.
    """

    def __init__(self, values: list[int], weights: list[int], capacity: int) -> None:
        self.n = len(values)
        self.value, self.weight, self.capacity = values, weights, capacity
        self.value_sum = list(accumulate(values, initial=0))
        self.weight_sum = list(accumulate(weights, initial=0))
        self.break_item = self.run_end(0, capacity)
        self.leaves = 1
        while self.leaves < self.n:
            self.leaves *= 2
        self.least = [capacity + 1] * self.leaves + weights + [capacity + 1] * (self.leaves - self.n)
        for i in range(self.leaves - 1, 0, -1):
            self.least[i] = min(self.least[2 * i], self.least[2 * i + 1])
        self.twins_end = list(range(1, self.n + 1))
        for j in range(self.n - 2, -1, -1):
            if values[j] == values[j + 1] and weights[j] == weights[j + 1]:
                self.twins_end[j] = self.twins_end[j + 1]
        self.slope, self.step = self._lattice()
        # Order and first estimates are made with floats; numbers too big for those are taken in these units.
        self.value_unit = 1 << max(0, self.value_sum[self.n].bit_length() - FLOAT_BITS)
        self.weight_unit = 1 << max(0, max(self.weight_sum[self.n], capacity).bit_length() - FLOAT_BITS)
        self.float_slope = self.slope * self.weight_unit / self.value_unit

    def _lattice(self) -> tuple[int, int]:
        if self.break_item == self.n:
            return 0, 1
        slope = self.value[self.break_item] // self.weight[self.break_item]
        if slope == 0:
            return 0, 1
        step = 0
        for v, w in zip(self.value, self.weight, strict=True):
            step = gcd(step, abs(v - slope * w))
        return slope, step or self.value_sum[self.n] + 1

    def fv(self, value: int) -> float:
        """Return a value as a float, correctly rounded, in units of `value_unit` (1 but for giants)."""
        return value / self.value_unit

    def fw(self, weight: int) -> float:
        """Return a weight as a float, in units of `weight_unit`."""
        return weight / self.weight_unit

    def whole(self, bound: float) -> int:
        """Return a bound in integers, rounded down (up by less than a unit for giants)."""
        return floor(bound) if self.value_unit == 1 else (floor(bound) + 1) * self.value_unit

    def steep(self, q: int) -> bool:
        """Return whether item q's price is at least the lattice's slope."""
        return self.value[q] >= self.slope * self.weight[q]

    def lifted(self, goal: int) -> int:
        """Return the least bound that a solution worth `goal` must have."""
        base = self.slope * self.capacity
        return base - (base - goal) // self.step * self.step

    def lowered(self, bound: int) -> int:
        """Return the most that a bound of `bound` leaves possible."""
        base = self.slope * self.capacity
        return base + (bound - base) // self.step * self.step

    def run_end(self, start: int, room: int) -> int:
        """Return the end of the longest run from `start` that fits into `room` as a whole."""
        return bisect_right(self.weight_sum, self.weight_sum[start] + room, lo=start) - 1

    def next_fitting(self, start: int, room: int) -> int:
        """Return the first item at or after `start` that fits into `room`, or n."""
        if start >= self.n:
            return self.n
        least, node = self.least, start + self.leaves
        while least[node] > room:
            while node & 1:
                node >>= 1
                if node == 0:
                    return self.n
            node += 1  # the sibling to the right
        while node < self.leaves:
            node *= 2
            if least[node] > room:
                node += 1
        return node - self.leaves

    def reaches(self, start: int, room: int, base: int, goal: int) -> bool:
        """Return whether items from `start` on can lift `base`, with `room` left, to `goal` (Dantzig)."""
        q = self.run_end(start, room)
        have = base + self.value_sum[q] - self.value_sum[start]
        if have >= goal:
            return True
        return q < self.n and self._priced(
            q, room - (self.weight_sum[q] - self.weight_sum[start]), have, goal
        )

    def reaches_with(self, j: int, goal: int) -> bool:
        """Return whether a solution with item j >= break_item can reach `goal`."""
        if self.weight[j] > self.capacity:
            return False
        q = self.run_end(0, self.capacity - self.weight[j])
        have = self.value_sum[q] + self.value[j]
        if have >= goal:
            return True
        room = self.capacity - self.weight[j] - self.weight_sum[q]
        if q == j:
            q += 1
        return q < self.n and self._priced(q, room, have, goal)

    def reaches_without(self, j: int, goal: int) -> bool:
        """Return whether a solution without item j < break_item can reach `goal`."""
        q = self.run_end(0, self.capacity + self.weight[j])
        have = self.value_sum[q] - self.value[j]
        if have >= goal:
            return True
        room = self.capacity + self.weight[j] - self.weight_sum[q]
        return q < self.n and self._priced(q, room, have, goal)

    def _priced(self, q: int, room: int, have: int, goal: int) -> bool:
        need = (self.lifted(goal) if self.steep(q) else goal) - have
        return room * self.value[q] >= need * self.weight[q]

    def dantzig_bound(self) -> int:
        """Return what no solution exceeds: the fractional optimum, rounded down."""
        b = self.break_item
        if b == self.n:
            return self.value_sum[b]
        room = self.capacity - self.weight_sum[b]
        return self.lowered(self.value_sum[b] + room * self.value[b] // self.weight[b])
