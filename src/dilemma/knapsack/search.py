"""Dilemma-first search on the partition tree of a knapsack (the readable twin of ``knapsack_search.hpp``).

A node is "the decisions on all items before position p are made". Its candidate takes, from p on, every item
that still fits, best ratio first (Eq. 6). Each item taken so is a dilemma: leaving it out and regrowing is the
next candidate there. How hard the choice was is the relative gap between its ratio and that of the next item
that would fit; a candidate's key is the sum of the gaps along its path, smallest first (the corollary's
L_opt - L_alpha, with the path's earlier losses kept).

Dilemmas are filed by runs of consecutive items and ranked when popped, so that a candidate costs O(log n) and
not O(n). With the break item's price of weight, reversing the decision on item j also loses
|v_j - price w_j| of Dantzig's bound: dilemmas that lost too much are not filed. Equal items are
interchangeable, so leaving one out leaves out all equal ones after it, too.
"""

from __future__ import annotations

import heapq
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .items import Items
    from .run import Run

POLL_EVERY = 256
Node: TypeAlias = "tuple[Node | None, int]"  # the parent, whose decision on the item is reversed


class Taken(NamedTuple):
    """A run of items taken in a row; room, value and cost as before position 0 of the prefix sums."""

    room: int
    value: int
    cost: float  # lost of the bound
    regret: float  # sum of the gaps along the path
    last_gap: float  # of the run's last item and its equals in the run
    node: Node
    tail: int  # the first of those


class DilemmaSearch:
    """The lazily filed tree of one run."""

    def __init__(self, items: Items, run: Run, max_queue: int) -> None:
        self.items, self.run, self.max_queue = items, run, max_queue
        n, b = items.n, items.break_item
        self.in_cost = [0.0] * (n + 1)
        self.out_cost = [0.0] * (n + 1)
        self.loss = [0.0] * n
        self.gap = [0.0] * n
        self.leaves = items.leaves
        self.hardest_item: list[int] = [-1] * (2 * self.leaves)
        self.root_bound = self.tolerance = self.lifted = 0.0
        self.ranked_slack = inf
        self.dropped = False
        self.order = 0
        self.best_node: Node | None = None
        self.best_value = -1
        self.queue: list[tuple[float, int, Taken, int, int, int]] = []  # key, order, run, first, last, item
        if b == n:
            return
        price = self._ratio(b)
        for j in range(n):
            gain = items.fv(items.value[j]) - items.fw(items.weight[j]) * price
            if j < b:
                self.loss[j] = gain if gain > 0.0 else 0.0
            self.gap[j] = self._gap(j, items.twins_end[j]) if items.twins_end[j] < n else inf
            self.in_cost[j + 1] = self.in_cost[j] + (-gain if j >= b and gain < 0.0 else 0.0)
            self.out_cost[j + 1] = self.out_cost[j] + (gain if j < b and gain > 0.0 else 0.0)
        left = items.fw(items.capacity - items.weight_sum[b])
        self.root_bound = items.fv(items.value_sum[b]) + left * price
        # Twice the rounding error that a sum of n losses can gather.
        total = items.fv(items.value_sum[n]) + price * items.fw(items.weight_sum[n])
        self.tolerance = (float(n) + 16.0) * 2.0**-51 * total

    def explore(self, iterations: float) -> bool:
        """Search until the queue is empty, the run stops, or so many candidates are done in all.

        Returns whether the tree is exhausted: then the incumbent is optimal unless dilemmas were dropped.
        """
        items, run = self.items, self.run
        if run.iterations == 0:
            self._grow(None, 0, 0, items.capacity, 0, 0.0, 0.0)  # Alg. 1 l.2: the greedy
        countdown = POLL_EVERY
        while self.queue and run.iterations < iterations:
            countdown -= 1
            if run.stop != "none" or (countdown == 0 and run.poll()):
                return False
            countdown = countdown or POLL_EVERY
            key, _, taken, first, last, j = heapq.heappop(self.queue)  # Alg. 1 l.11-12
            self._file(taken, first, j)  # the other dilemmas of the run stay open
            self._file(taken, j + 1, last)
            start = items.twins_end[j]
            cost = taken.cost + self.in_cost[j] + (self.out_cost[start] - self.out_cost[j])
            if self._hopeless(cost):
                continue
            run.nodes += 1
            room, value = taken.room - items.weight_sum[j], taken.value + items.value_sum[j]
            if items.reaches(start, room, value, run.best + 1):
                self._grow(taken.node, j, start, room, value, cost, key)
        return not self.queue

    @property
    def found_best(self) -> bool:
        """Whether the incumbent is this search's."""
        return self.best_node is not None and self.best_value == self.run.best

    def best_positions(self) -> list[int]:
        """Return the item positions of the best candidate of this search, ascending."""
        items = self.items
        without: list[int] = []
        node = self.best_node
        while node is not None and node[0] is not None:
            without.append(node[1])
            node = node[0]
        taken, start, room = [], 0, items.capacity
        for stop in [*reversed(without), items.n]:
            p = items.next_fitting(start, room)
            while p < stop:
                taken.append(p)
                room -= items.weight[p]
                p = items.next_fitting(p + 1, room)
            if stop < items.n:
                start = items.twins_end[stop]
        return taken

    def _ratio(self, j: int) -> float:
        return self.items.fv(self.items.value[j]) / self.items.fw(self.items.weight[j])

    def _gap(self, j: int, following: int) -> float:  # Eq. 5, relative
        best = self._ratio(j)
        return (best - self._ratio(following)) / best

    def _hopeless(self, cost: float) -> bool:
        return self.root_bound - cost + self.tolerance < self.lifted

    def _harder(self, a: int, b: int) -> int:
        if a < 0 or b < 0:
            return b if a < 0 else a
        return b if self.gap[b] < self.gap[a] else a  # a is the earlier

    def _hardest(self, first: int, last: int) -> int:
        left = right = -1
        first, last = first + self.leaves, last + self.leaves
        while first < last:
            if first & 1:
                left = self._harder(left, self.hardest_item[first])
                first += 1
            if last & 1:
                last -= 1
                right = self._harder(self.hardest_item[last], right)
            first //= 2
            last //= 2
        return self._harder(left, right)

    def _rank(self) -> None:
        """Rank the items that can still matter; those whose own loss is hopeless are out for good.

        Made again whenever the incumbent has halved what may be lost.
        """
        slack = self.root_bound + self.tolerance - self.lifted
        if slack >= 0.5 * self.ranked_slack:
            return
        self.ranked_slack = slack
        tree, leaves = self.hardest_item, self.leaves
        for j in range(self.items.n):
            tree[leaves + j] = -1 if self.loss[j] > slack or self.gap[j] == inf else j
        for i in range(leaves - 1, 0, -1):
            tree[i] = self._harder(tree[2 * i], tree[2 * i + 1])

    def _file(self, taken: Taken, first: int, last: int) -> None:
        """File the hardest decision of items [first, last) of a run; the others follow when it is popped."""
        if first >= last or self._hopeless(taken.cost + self.in_cost[first]):
            return
        # Behind the break item every item taken costs: cut the run where that becomes hopeless.
        if self._hopeless(taken.cost + self.in_cost[last - 1]):
            low, high = first, last - 1  # low is not hopeless, high is
            while high - low > 1:
                middle = low + (high - low) // 2
                if self._hopeless(taken.cost + self.in_cost[middle]):
                    high = middle
                else:
                    low = middle
            last = high
        # The run's last item and its equals have the run's own gap, the earlier ones that of the items' order.
        tail = max(first, taken.tail)
        item = self._hardest(first, min(last, tail)) if first < tail else -1
        gap = self.gap[item] if item >= 0 else inf
        if last > tail and taken.last_gap < gap:
            item, gap = last - 1, taken.last_gap
        if gap == inf:
            return  # nothing left that could take an item's place
        if len(self.queue) >= self.max_queue:
            self._shrink()
        heapq.heappush(self.queue, (taken.regret + gap, self.order, taken, first, last, item))
        self.order += 1

    def _grow(
        self, parent: Node | None, without: int, start: int, room: int, value: int, cost: float, regret: float
    ) -> None:
        """Complete a node greedily (Alg. 1 l.5-9), evaluate it (l.10), file its runs."""
        items = self.items
        node: Node = (parent, without)
        runs: list[tuple[Taken, int, int]] = []
        while True:
            p = items.next_fitting(start, room)
            cost += self.out_cost[p] - self.out_cost[start]  # what did not fit is lost below
            if p == items.n:
                break
            q = items.run_end(p, room)
            before = room + items.weight_sum[p]
            room = before - items.weight_sum[q]
            tail = q - 1
            while tail > p and items.twins_end[tail - 1] > tail:
                tail -= 1
            freed = items.weight_sum[q] - items.weight_sum[tail]
            following = items.next_fitting(items.twins_end[q - 1], room + freed)
            last_gap = inf if following == items.n else self._gap(q - 1, following)
            entry_value, entry_cost = value - items.value_sum[p], cost - self.in_cost[p]
            runs.append((Taken(before, entry_value, entry_cost, regret, last_gap, node, tail), p, q))
            value += items.value_sum[q] - items.value_sum[p]
            cost += self.in_cost[q] - self.in_cost[p]
            start = q
        if self.run.candidate(value):
            self.best_node, self.best_value = node, value
            self.lifted = items.fv(items.lifted(value + 1))  # the break item's price is steep enough
            self._rank()
        for taken, p, q in runs:
            self._file(taken, p, q)

    def _shrink(self) -> None:
        """Keep the better half of the queue; from then on exhaustion proves nothing."""
        self.queue.sort()
        del self.queue[self.max_queue // 2 :]
        self.dropped = True
