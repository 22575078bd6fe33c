"""Bounds that count items (the twin of ``knapsack_dual.hpp``).

The fractional solution takes a non-integral number of items; every real one takes at most k or at least k + 1.
Each half is relaxed with a price per unit of weight and a premium per item (Lagrange); no solution beats the
better half. On correlated instances this is far below Dantzig's bound. Martello and Toth bound by such
cardinalities ("Upper bounds and algorithms for hard 0-1 knapsack problems", Operations Research 45, 1997).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import nsmallest
from math import floor, inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .items import Items
    from .run import Run

BISECTIONS, DOUBLINGS = 48, 40


@dataclass
class Form:
    """value + price * room + premium * (count - items taken) + what free items add at these prices."""

    count: float = 0.0  # at most (premium >= 0) or at least (premium <= 0) so many items
    price: float = 0.0
    premium: float = 0.0
    bound: float = 0.0  # of the whole instance
    after: list[float] = field(default_factory=list)  # what leaving items j.. free adds
    before: list[float] = field(
        default_factory=list
    )  # what leaving items ..j-1 free adds when all were taken


class Window(NamedTuple):
    """What a window of free items adds, and the goal each half has to reach to beat the incumbent."""

    first: float
    second: float
    first_goal: float
    second_goal: float


class CountBound:
    """Both halves, solved for one instance."""

    def __init__(self, items: Items, run: Run) -> None:
        self.items, self.run = items, run
        self.active = self.two_halves = False
        self.at_most, self.at_least = Form(), Form()
        self.tolerance = 0.0
        n = items.n
        self.weights = [items.fw(w) for w in items.weight]
        self.values = [items.fv(v) for v in items.value]
        if items.break_item == n:
            return
        k = float(items.break_item)
        self.at_most = self._solve(k, 1.0)
        if sum(nsmallest(items.break_item + 1, items.weight)) <= items.capacity:  # k + 1 items fit at all
            self.at_least = self._solve(k + 1.0, -1.0)
            self.two_halves = True
        largest = max(self.at_most.price, self.at_least.price) * items.fw(items.weight_sum[n]) + (
            self.at_most.premium - self.at_least.premium
        ) * (float(n) + 1.0)
        self.tolerance = (float(n) + 16.0) * 2.0**-51 * (items.fv(items.value_sum[n]) + largest)
        self.active = run.stop == "none"

    def bound(self) -> int:
        """Return what no solution exceeds: the better half, rounded down to what the lattice allows."""
        first = self._half(self.at_most)
        return max(first, self._half(self.at_least)) if self.two_halves else first

    def window(self, left_end: int, right: int, goal: int) -> Window:
        """Items below `left_end` and from `right` on are free, a core state has decided the rest."""
        first, first_goal = self._constant(self.at_most, left_end, right), self._goal(self.at_most, goal)
        if not self.two_halves:
            return Window(first, -inf, first_goal, 0.0)
        second = self._constant(self.at_least, left_end, right)
        return Window(first, second, first_goal, self._goal(self.at_least, goal))

    def reaches(self, w: Window, weight: float, value: float, count: float) -> bool:
        """Return whether a state can reach the window's goals."""
        a, b = self.at_most, self.at_least
        if value - a.price * weight - a.premium * count + w.first >= w.first_goal:
            return True
        return self.two_halves and value - b.price * weight - b.premium * count + w.second >= w.second_goal

    def estimate(self, w: Window, weight: float, value: float, count: float) -> float:
        """Return the bound of a state."""
        a, b = self.at_most, self.at_least
        best = value - a.price * weight - a.premium * count + w.first
        if self.two_halves:
            best = max(best, value - b.price * weight - b.premium * count + w.second)
        return best + self.tolerance

    def reaches_forced(self, j: int, item_in: bool, goal: int) -> bool:
        """Return whether a solution with item j forced in (or out) can reach `goal`."""
        a, b = self.at_most, self.at_least
        if a.bound - self._regret(a, j, item_in) >= self._goal(a, goal):
            return True
        return self.two_halves and b.bound - self._regret(b, j, item_in) >= self._goal(b, goal)

    def _reduced(self, form: Form, j: int) -> float:
        return self.values[j] - form.price * self.weights[j] - form.premium

    def _goal(self, form: Form, goal: int) -> float:
        """A bound at a price of at least the lattice's slope has to reach the lifted goal."""
        lift = form.price >= self.items.float_slope
        return self.items.fv(self.items.lifted(goal) if lift else goal) - self.tolerance

    def _half(self, form: Form) -> int:
        total = self.items.value_sum[self.items.n]
        if floor(form.bound + self.tolerance) >= self.items.fv(total):
            return total
        bound = self.items.whole(form.bound + self.tolerance)
        return self.items.lowered(bound) if form.price >= self.items.float_slope else bound

    def _regret(self, form: Form, j: int, item_in: bool) -> float:
        gain = self._reduced(form, j)
        return max(-gain, 0.0) if item_in else max(gain, 0.0)

    def _constant(self, form: Form, left_end: int, right: int) -> float:
        whole = form.price * self.items.fw(self.items.capacity) + form.premium * form.count
        return whole + form.before[left_end] + form.after[right]

    def _fractional(self, premium: float) -> tuple[float, int]:
        """Return the fractional solution's price of weight and how many items it takes whole."""
        items = self.items
        ratio = [(v - premium) / w for v, w in zip(self.values, self.weights, strict=True)]
        order = sorted(range(items.n), key=lambda j: (-ratio[j], j))
        room, taken = items.capacity, 0
        for j in order:
            if items.weight[j] > room:
                break
            room -= items.weight[j]
            taken += 1
        # Items worth less than the premium are left out: nobody has to take them.
        if taken == items.n or ratio[order[taken]] <= 0.0:
            return 0.0, sum(ratio[j] > 0.0 for j in order[:taken])
        return ratio[order[taken]], taken

    def _value_at(self, price: float, premium: float, count: float) -> float:
        total = 0.0
        for v, w in zip(self.values, self.weights, strict=True):  # in this order, plainly: as the kernel does
            gain = v - price * w - premium
            if gain > 0.0:
                total += gain
        return price * self.items.fw(self.items.capacity) + premium * count + total

    def _solve(self, count: float, sign: float) -> Form:
        """Bisect the premium until the fractional solution takes `count` items."""
        form = Form(count=count, bound=inf)

        def attempt(size: float) -> bool:
            price, taken = self._fractional(sign * size)
            bound = self._value_at(price, sign * size, count)
            if bound < form.bound:
                form.bound, form.price, form.premium = bound, price, sign * size
            return taken >= count if sign > 0 else taken < count  # the premium has to grow

        low, high = 0.0, max(self.values)
        attempt(0.0)
        if sign < 0:
            for _ in range(DOUBLINGS):
                if self.run.poll() or not attempt(high):
                    break
                low, high = high, high * 2.0
        for _ in range(BISECTIONS):
            if self.run.poll():
                break
            middle = low + (high - low) / 2.0
            if attempt(middle):
                low = middle
            else:
                high = middle
        n = self.items.n
        gains = [self._reduced(form, j) for j in range(n)]
        form.after, form.before = [0.0] * (n + 1), [0.0] * (n + 1)
        for j in range(n - 1, -1, -1):
            form.after[j] = form.after[j + 1] + max(gains[j], 0.0)
        for j in range(n):
            form.before[j + 1] = form.before[j] + max(-gains[j], 0.0)
        return form
