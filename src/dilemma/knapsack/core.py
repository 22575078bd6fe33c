"""The exact phase: dynamic programming over a core that grows around the break item.

The twin of ``knapsack_core.hpp``; the idea of Pisinger's minknap ("A minimal algorithm for the 0-1 knapsack
problem", Operations Research 45, 1997). A state says what the decisions on the core's items add up to; items
left of the core are in, items right of it are out. States dominated by another, or bounded below the incumbent,
go. A pass keeps at most `width` states, the best bounds first, and remembers the best bound it gave up; when
nothing worth having was given up the incumbent is optimal, otherwise the next pass is wider.
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .counts import CountBound, Window
    from .items import Items
    from .run import Run

POLL_WORK = 4096
PAIR_EVERY = 2


class State(NamedTuple):
    """A core state of `taken` items; bit i of `changed`: core item i is not as in the break solution."""

    weight: int
    value: int
    changed: int
    taken: int


class Limits(NamedTuple):
    """How far a state can still get: the next items on either side, and what bounds have to reach."""

    add: tuple[int, int] | None  # weight and value of the next item to the right
    remove: tuple[int, int] | None
    add_goal: int
    remove_goal: int
    counts: Window | None


class CoreSearch:
    """The passes of one run."""

    def __init__(self, items: Items, run: Run) -> None:
        self.items, self.run = items, run
        self.counts: CountBound | None = None
        self.left, self.right = items.break_item - 1, items.break_item  # the next item to free on either side
        self.core: list[int] = []
        self.states: list[State] = []
        self.lost = -inf
        self.by_weight: list[int] = []
        self.best_value = -1
        self.best_changes: set[int] = set()

    def run_pass(self, width: int, counts: CountBound | None) -> bool:
        """Run one pass; return whether it came to its end (it may have given states up)."""
        items, run = self.items, self.run
        b = items.break_item
        self.counts, self.left, self.right, self.core, self.lost = counts, b - 1, b, [], -inf
        self.states = [State(items.weight_sum[b], items.value_sum[b], 0, b)]
        self._skip_fixed()
        work, merged, to_right = 0, 0, True
        while self.states:
            more_right, more_left = self.right < items.n, self.left >= 0
            if not more_right and not more_left:
                break
            work += len(self.states) + 64
            if work >= POLL_WORK:
                work = 0
                run.poll()
            if run.stop != "none":
                return False
            add = more_right if to_right else not more_left
            to_right = not to_right
            j = self.right if add else self.left
            if add:
                self.right += 1
            else:
                self.left -= 1
            self.core.append(j)
            self._improve(j, add)
            self._skip_fixed()
            self._merge(j, add)
            if len(self.states) > 2 * width:
                self._narrow(width)
            merged += len(self.states)
            if merged >= PAIR_EVERY * (items.n + len(self.states)):  # so that pairing costs a part of merging
                merged = 0
                self._pair()
        self.states = []
        return True

    @property
    def complete(self) -> bool:
        """Whether nothing a finished pass gave up could have been better than the incumbent."""
        return self.lost < self.items.fv(self.run.best + 1)

    def open_bound(self) -> float:
        """Return what no solution the pass has not seen exceeds (valid at any moment of a pass)."""
        limits = self._limits()
        return max([self.lost, *(self._estimate(s, limits) for s in self.states)])

    def best_positions(self) -> list[int]:
        """Return the item positions of the best solution of this search, ascending."""
        b = self.items.break_item
        return [j for j in range(self.items.n) if (j < b) != (j in self.best_changes)]

    def _limits(self) -> Limits:
        items, goal = self.items, self.run.best + 1
        right, left = self.right, self.left
        more_right = right < items.n
        return Limits(
            (items.weight[right], items.value[right]) if more_right else None,
            (items.weight[left], items.value[left]) if left >= 0 else None,
            items.lifted(goal) if more_right and items.steep(right) else goal,
            items.lifted(goal),  # items left of the break item are steep by their order
            self.counts.window(left + 1, right, goal) if self.counts else None,
        )

    def _promising(self, weight: int, value: int, count: int, limits: Limits) -> bool:
        """Return whether such a state can still lead to more than the incumbent."""
        room = self.items.capacity - weight
        if room >= 0:
            if limits.add is None or room * limits.add[1] < (limits.add_goal - value) * limits.add[0]:
                return False
        elif (
            limits.remove is None
            or value < limits.remove_goal
            or (value - limits.remove_goal) * limits.remove[0] < -room * limits.remove[1]
        ):
            return False
        if self.counts is None or limits.counts is None:
            return True
        return self.counts.reaches(limits.counts, self.items.fw(weight), self.items.fv(value), float(count))

    def _estimate(self, s: State, limits: Limits) -> float:
        fv, fw = self.items.fv, self.items.fw
        room = self.items.capacity - s.weight
        side = limits.add if room >= 0 else limits.remove
        if side is None:
            return -inf
        slope = fv(side[1]) / fw(side[0])
        bound = fv(s.value) + fw(room) * slope  # room is negative where weight has to go
        bound += 2.0**-48 * fv(self.items.value_sum[self.items.n])
        if self.counts and limits.counts:
            counted = self.counts.estimate(limits.counts, fw(s.weight), fv(s.value), float(s.taken))
            bound = min(bound, counted)
        return bound

    def _skip_fixed(self) -> None:
        """Leave items out of the core whose decision cannot change in anything better than the incumbent."""
        items, counts, goal = self.items, self.counts, self.run.best + 1
        while self.right < items.n and not (
            items.reaches_with(self.right, goal)
            and (counts is None or counts.reaches_forced(self.right, True, goal))
        ):
            self.right += 1
        while self.left >= 0 and not (
            items.reaches_without(self.left, goal)
            and (counts is None or counts.reaches_forced(self.left, False, goal))
        ):
            self.left -= 1

    def _improve(self, j: int, add: bool) -> None:
        """Take the best new state that fits before merging: a better incumbent prunes more."""
        items = self.items
        limit = items.capacity - items.weight[j] if add else items.capacity + items.weight[j]
        past = bisect_right(self.states, limit, key=lambda s: s.weight)
        if past:
            s = self.states[past - 1]
            self._take(s, j, s.value + items.value[j] if add else s.value - items.value[j])

    def _pair(self) -> None:
        """Complete every state with the one free item that serves it best.

        That is the most valuable that fits, or the least valuable whose removal makes room.
        """
        items, c = self.items, self.items.capacity
        if not self.by_weight:
            self.by_weight = sorted(range(items.n), key=items.weight.__getitem__)
        partners: list[int] = []
        for j in self.by_weight:  # lightest first, each more valuable than all lighter
            if j >= self.right and (not partners or items.value[j] > items.value[partners[-1]]):
                partners.append(j)
        feasible = bisect_right(self.states, c, key=lambda s: s.weight)
        for s in self.states[:feasible]:
            while partners and s.weight + items.weight[partners[-1]] > c:
                partners.pop()
            if not partners:
                break
            self._take(s, partners[-1], s.value + items.value[partners[-1]])
        partners = []
        for j in reversed(self.by_weight):  # heaviest first, each cheaper than all heavier
            if j <= self.left and (not partners or items.value[j] < items.value[partners[-1]]):
                partners.append(j)
        for s in self.states[feasible:]:
            while partners and s.weight - items.weight[partners[-1]] > c:
                partners.pop()
            if not partners:
                break
            self._take(s, partners[-1], s.value - items.value[partners[-1]])

    def _take(self, s: State, j: int, value: int) -> None:
        """Remember the state with the decision on one more item reversed, if that is the best so far."""
        if value > self.run.best:
            self.run.candidate(value)
            self.best_value = value
            self.best_changes = {j, *(item for i, item in enumerate(self.core) if s.changed >> i & 1)}

    def _merge(self, j: int, add: bool) -> None:
        items, old, limits = self.items, self.states, self._limits()
        sign = 1 if add else -1
        dw, dv, bit = sign * items.weight[j], sign * items.value[j], 1 << (len(self.core) - 1)
        new = [State(s.weight + dw, s.value + dv, s.changed | bit, s.taken + sign) for s in old]
        merged: list[State] = []
        top = -1  # the most value kept so far, at no more weight
        # The lighter first; of equal weights the one of more value, of equal states the old one.
        for s in sorted(old + new, key=lambda s: (s.weight, -s.value)):
            if s.value > top and self._promising(s.weight, s.value, s.taken, limits):
                merged.append(s)
                top = s.value
        self.states = merged
        self.run.nodes += len(merged)

    def _narrow(self, width: int) -> None:
        """Give up all but the `width` states of best bound.

        Of equal bounds those nearest to the capacity stay, because they have most ways to end.
        """
        limits = self._limits()
        ranks = [
            (-self._estimate(s, limits), abs(s.weight - self.items.capacity), i)
            for i, s in enumerate(self.states)
        ]
        ranks.sort()
        self.lost = max(self.lost, -ranks[width][0])
        self.states = [self.states[i] for i in sorted(rank[2] for rank in ranks[:width])]
