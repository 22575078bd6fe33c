"""Tabu search: go to the best neighbour even if it is worse, and forbid for a while to undo it.

Glover, "Tabu search, part I", ORSA Journal on Computing 1 (1989). When to use: a single decision changed
makes a small change of energy, and determinism is wanted. Cost: one regrowth a neighbour, from the place
decided anew. Deviations: neighbours are grown like any candidate (one place decided otherwise, the rest
repeated as far as possible, the greedy after that), so the neighbourhood is not scanned in full: a candidate
list passes over the places in turn and over their alternatives best first, and a move is made at the first
improvement or at the end of the list. Recency memory forbids the decision that was replaced, at its place
where order matters; aspiration by a new best; solutions stood in before are not returned to. Nothing is drawn
at random.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar

import numpy as np

from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_count
from dilemma.strategies.base import Traits
from dilemma.strategies.endless import Endless, solution
from dilemma.strategies.policies import Follow

SHARE = 0.25  # of the decisions, the length of a candidate list


@dataclass(frozen=True, kw_only=True)
class Tabu:
    """The best neighbour that is not forbidden.

    Parameters
    ----------
    tenure : int, optional
        For how many moves what was undone stays forbidden. Default: 7 + the square root of the number of decisions.
    candidates : int, optional
        Length of the candidate list. Default: a quarter of the number of decisions, at least 8.
    remember : int, default 10000
        How many solutions stood in are kept in mind.
    """

    name: ClassVar[str] = "tabu"
    traits: ClassVar[Traits] = Traits(
        redundant=True, space="adjustable", optimal_in_the_limit=False, finite=False
    )

    tenure: int | None = None
    candidates: int | None = None
    remember: int = 10_000

    def __post_init__(self) -> None:
        checked_count("remember", self.remember)
        for name in ("tenure", "candidates"):
            if getattr(self, name) is not None:
                checked_count(name, getattr(self, name))

    def start(self, model: Model, rng: np.random.Generator) -> TabuRun:
        """Return a fresh run."""
        return TabuRun(self, model.commutative)


class TabuRun(Endless):
    """The current solution, the candidate list under way, and both memories."""

    def __init__(self, config: Tabu, commutative: bool) -> None:
        super().__init__()
        self.config = config
        self._commutative = commutative
        self.current: tuple[Action, ...] = ()
        self.energy = math.inf
        self._cursor = 0  # of `_candidate`; goes on where it was after a move
        self._most = 1  # actions offered at once, as far as seen
        self._looked = 0  # candidates of this list told
        self._list: list[tuple[float, tuple[Action, ...]]] = []  # those a move may go to
        self._move = 0
        self._forbidden: dict[Hashable, int] = {}  # attribute -> the last move at which it may not come back
        self._stood: dict[Hashable, None] = {}  # solutions, the oldest first
        self._pending: deque[tuple[Proposal, tuple[Action, ...]]] = deque()

    def propose(self, count: int) -> list[Proposal]:
        proposals = [self._candidate() for _ in range(max(1, min(count, self._size() - self._looked)))]
        self._pending.extend((proposal, self.current) for proposal in proposals)
        return proposals

    def _size(self) -> int:
        return self.config.candidates or max(8, int(SHARE * len(self.current)))

    def _candidate(self) -> Proposal:
        """Return the neighbour at the cursor: every place in turn, then every place with the next alternative.

        Places are passed in strides, so that a list covers the whole solution; where order matters, each is
        decided anew by insertion, by exchange and by regrowing.
        """
        count = len(self.current)
        if not count:
            return Proposal()
        lap, step = divmod(self._cursor, count)
        self._cursor += 1
        place = step * _stride(count) % count
        before, own = self.current[:place], frozenset(self.current[place : place + 1])
        if self._commutative:
            return Proposal(
                prefix=before + self.current[place + 1 :],
                policy=Follow(rank=lap % self._most, avoid=own, shun=True),
            )
        rank, way = divmod(lap, 3)
        way = (way + step) % 3
        example = () if way == 2 else self.current[place:]
        return Proposal(prefix=before, policy=Follow(example, rank % self._most, own, exchange=way == 1))

    def tell(self, rollout: Rollout) -> None:
        proposal, origin = self._pending.popleft() if self._pending else (Proposal(), None)
        self.count(rollout)
        if rollout.count:
            self._most = max(self._most, rollout.count[0] - 1)
        actions = solution(proposal.prefix, rollout)
        if origin is None:
            self.improves(actions, rollout.energy)
            self.adopt(actions, rollout.energy)
            return None
        self._looked += 1
        if rollout.status is Status.COMPLETE:
            energy = rollout.energy
            if self.improves(actions, energy):  # aspiration
                return self._go(actions, energy)
            # A neighbour of a solution left meanwhile is not one of the current solution's.
            if origin == self.current and not self._is_tabu(actions):
                if energy < self.energy:
                    return self._go(actions, energy)
                self._list.append((energy, actions))
        if self._looked >= self._size():
            if self._list:
                energy, actions = min(self._list, key=itemgetter(0))
                return self._go(actions, energy)
            self._looked = 0  # all are forbidden: go on with further places and alternatives
        return None

    def _is_tabu(self, actions: tuple[Action, ...]) -> bool:
        if self._identity(actions) in self._stood:
            return True
        until = self._forbidden.get
        return any(until(attribute, -1) >= self._move for attribute in self._changed(self.current, actions))

    def _identity(self, actions: tuple[Action, ...]) -> Hashable:
        return frozenset(actions) if self._commutative else actions

    def _changed(self, old: tuple[Action, ...], new: tuple[Action, ...]) -> list[Hashable]:
        """Return the attributes of `new` that `old` has not: its other actions, or its first other place."""
        if self._commutative:
            return list(frozenset(new).difference(old))
        for place, (a, b) in enumerate(zip(old, new, strict=False)):
            if a != b:
                return [(place, b)]
        return []

    def _go(self, actions: tuple[Action, ...], energy: float) -> None:
        tenure = self.config.tenure or 7 + math.isqrt(len(actions))
        self._move += 1
        for attribute in self._changed(actions, self.current):  # what the move undid stays undone for a while
            self._forbidden[attribute] = self._move + tenure
        if len(self._forbidden) > 1000 + 8 * tenure:
            self._forbidden = {a: until for a, until in self._forbidden.items() if until >= self._move}
        if energy < self.energy:
            self._cursor %= len(actions) or 1  # best alternatives first again
        self.adopt(actions, energy)

    def adopt(self, actions: tuple[Action, ...], energy: float) -> None:
        self.current, self.energy = actions, energy
        self._stood[self._identity(actions)] = None
        if len(self._stood) > self.config.remember:
            del self._stood[next(iter(self._stood))]
        self._list.clear()
        self._looked = 0


def _stride(count: int) -> int:
    """Return a step near the golden section that visits every place once in `count` steps."""
    step = max(1, round(0.618 * count))
    while math.gcd(step, count) > 1:
        step += 1
    return step
