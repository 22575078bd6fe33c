"""Beam search whose width grows until nothing is cut: filtered beams of greedy completions.

Lowerre, "The Harpy speech recognition system" (1976); filtered: Ow and Morton, International Journal of
Production Research 26 (1988); complete and anytime by widening: Zhang, AAAI 1998. When to use: the greedy
errs often and by little, and its completion tells good states from bad ones. Cost: width x filter candidates
a level. The states of a level are ranked by the energy of their greedy completion, all of which are
candidates; a state's first child shares its completion and costs nothing, and what a narrower beam has grown
is not grown again. Deviations: the local filter is the greedy's own ranking, and a pass with beam width w
looks at as many children of a state as there were passes before it, plus two.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar, Protocol

import numpy as np

from dilemma.polish import Promising
from dilemma.problem import Action, Model
from dilemma.rollout import NO_ACTIONS, Proposal, Rollout
from dilemma.stop import checked_count
from dilemma.strategies.base import Incumbent, Traits


class Shaped(Protocol):
    """A configuration that says how wide each pass is."""

    def shape(self, turn: int) -> tuple[float, float] | None:
        """Return width and filter of a pass, or None when there is to be no such pass."""


@dataclass(frozen=True, kw_only=True)
class Beam:
    """Keep the best `width` states of every level.

    Parameters
    ----------
    width : int, optional
        States kept a level, in a single pass. Default: passes with 1, 2, 4, ... until nothing is cut.
    filter : int, optional
        Children of a state looked at. Default: one more than the greedy's, and one more again every pass; with a
        given width, `width` of them.
    """

    name: ClassVar[str] = "beam"
    traits: ClassVar[Traits] = Traits(space="grows")

    width: int | None = None
    filter: int | None = None

    def __post_init__(self) -> None:
        for name in ("width", "filter"):
            if getattr(self, name) is not None:
                checked_count(name, getattr(self, name))

    def shape(self, turn: int) -> tuple[float, float] | None:
        """Return width and filter of a pass, or None when there is to be no such pass."""
        if self.width is not None:
            return (self.width, self.filter or max(2, self.width)) if turn == 0 else None
        return 2.0**turn, self.filter or 2 + turn

    def start(self, model: Model, rng: np.random.Generator) -> BeamRun:
        """Return a fresh run."""
        return BeamRun(self, model)


class Grown:
    """What one rollout added to the tree: the states after its first, second, ... action.

    Position i stands for the state after i actions; position 0 for the one it branched from.
    """

    __slots__ = ("actions", "at", "banned", "children", "count", "energy", "keys", "more", "parent", "rank")

    def __init__(self, parent: Grown | None, at: int, proposal: Proposal, rollout: Rollout) -> None:
        self.parent, self.at, self.rank = parent, at, proposal.rank
        self.actions = tuple(rollout.actions)
        self.banned = proposal.banned.union(rollout.skipped)  # below the first action
        self.count = rollout.count
        self.more = [n == n for n in rollout.next]  # whether a further child is left, by position
        self.keys = rollout.keys
        self.energy = rollout.energy if rollout.energy == rollout.energy else math.inf
        self.children: dict[tuple[int, int], Grown] = {}  # by position and rank

    def path(self, at: int) -> tuple[Action, ...]:
        """Return the actions from the root to the state at a position."""
        parts = [self.actions[:at]]
        grown = self
        while grown.parent is not None:
            parts.append(grown.parent.actions[: grown.at])
            grown = grown.parent
        return tuple(action for part in reversed(parts) for action in part)


class _Todo:
    """A state of the level, and which of its children are still to be grown."""

    __slots__ = ("asked", "at", "grown", "limit", "rank")

    def __init__(self, grown: Grown, at: int, looked_at: float) -> None:
        self.grown, self.at = grown, at
        self.rank = 1
        self.asked = 0  # children grown just now
        # Where actions are banned, how many are left is only known once the last one has been taken.
        self.limit = looked_at if grown.banned and at else min(looked_at, grown.count[at])
        if not grown.more[at]:
            self.limit = 1
        while self.rank < self.limit and (known := grown.children.get((at, self.rank))) is not None:
            self.after(known)
            self.rank += 1

    def after(self, child: Grown) -> None:
        """Take into account whether a child was the last one."""
        if child.more[:1] != [True]:
            self.limit = min(self.limit, child.rank + 1)

    def ready(self) -> bool:
        """Return whether another child can be asked for now."""
        return self.rank < self.limit and not (self.asked and self.grown.banned and self.at)


class BeamRun:
    """One pass after the other, level by level, over a tree of all that was grown."""

    def __init__(self, config: Shaped, model: Model) -> None:
        self._config = config
        self._single = config.shape(1) is None
        self._partition, self._keyed = model.commutative, model.key is not None
        self._incumbent, self._promising = Incumbent(), Promising()
        self._root: Grown | None = None
        self._turn = 0
        self._cut = False  # whether this pass left something out
        self._over = self._covered = False
        self._level: list[_Todo] = []
        self._asked: deque[tuple[_Todo | None, Proposal]] = deque()

    def ask(self, count: int) -> list[Proposal]:
        if self._root is None:
            self._asked.append((None, Proposal()))
            return [Proposal()]
        proposals: list[Proposal] = []
        while not proposals and not self._over:
            for todo in self._level:
                while len(proposals) < count and todo.ready():
                    proposals.append(self._child(todo))
            if not proposals:
                self._next_level(self._root)
        return proposals

    def _child(self, todo: _Todo) -> Proposal:
        grown, at = todo.grown, todo.at
        proposal = Proposal(
            prefix=grown.path(at),
            rank=todo.rank,
            banned=grown.banned if at else NO_ACTIONS,
            cutoff=self._incumbent.energy,
            polish_below=self._promising.threshold(),
            partition=self._partition,
        )
        todo.rank += 1
        todo.asked += 1
        self._asked.append((todo, proposal))
        return proposal

    def tell(self, rollout: Rollout) -> None:
        todo, proposal = self._asked.popleft()
        self._promising.note(rollout)
        self._incumbent.update(rollout)
        if todo is None:
            self._root = Grown(None, 0, proposal, rollout)
            self._begin(self._root)
            return
        todo.asked -= 1
        child = Grown(todo.grown, todo.at, proposal, rollout)
        todo.grown.children[todo.at, proposal.rank] = child
        todo.after(child)

    def _begin(self, root: Grown) -> None:
        """Begin a pass, if there is to be one."""
        shape = self._config.shape(self._turn)
        if shape is None:
            self._over = True
            return
        self._cut = False
        self._level = [_Todo(root, 0, shape[1])] if root.more else []

    def _next_level(self, root: Grown) -> None:
        """Go to the level below, all children of this one being grown, or to the next pass."""
        shape = self._config.shape(self._turn)
        if shape is not None and self._level:
            self._level = [_Todo(grown, at, shape[1]) for grown, at in self._best(*shape)]
        if not self._level:
            if not self._cut:
                self._over = self._covered = True
                return
            self._turn += 1
            self._begin(root)

    def _best(self, width: float, looked_at: float) -> list[tuple[Grown, int]]:
        """Return the children of this level with the best completions, one of every key."""
        found: list[tuple[float, int, Grown, int]] = []  # energy, rank, state
        for todo in self._level:
            grown, at = todo.grown, todo.at
            found.append((grown.energy, 0, grown, at + 1))
            last = None
            for rank in range(1, int(todo.limit)):
                last = grown.children[at, rank]
                found.append((last.energy, rank, last, 1))
            if self._single:
                grown.children = {}  # no later pass will ask for them
            self._cut |= last.more[:1] == [True] if last is not None else grown.more[at]
        found = [entry for entry in found if entry[3] < len(entry[2].more)]  # the others have nothing below
        found.sort(key=itemgetter(0, 1))
        if self._keyed:
            first: dict[Hashable, tuple[float, int, Grown, int]] = {}
            for entry in found:
                first.setdefault(entry[2].keys[entry[3] - 1], entry)
            found = list(first.values())
        self._cut |= len(found) > width
        return [entry[2:] for entry in found[: int(min(width, len(found)))]]

    def seen(self) -> Container[Hashable]:
        return ()

    def proves(self) -> bool:
        return self._covered

    def bound(self) -> float:
        return -math.inf
