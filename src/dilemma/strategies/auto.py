"""The default: tree search and large-neighbourhood search side by side, sharing what they find.

Both start from the greedy and keep one incumbent: what the tree search finds is where the neighbourhood search goes
on, and what that finds is the energy the tree's bounds prune against. Effort, counted in decisions and never by the
clock, moves to the side that improves the incumbent more often for it. The tree search never starves: once it has
covered everything the optimum is proved and the run ends.

Portfolios: Gomes and Selman, Artificial Intelligence 126 (2001). When to use: always, unless you know better. Cost:
that of its members, and the memory of the tree search. Deviations: the members share the incumbent, and shares
follow successes per decision instead of a known distribution of run times.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_count
from dilemma.strategies.base import Traits
from dilemma.strategies.large_neighbourhood import RANKING, LargeNeighbourhood
from dilemma.strategies.two_queues import TwoQueues

TREE_FIRST = 16  # candidates of the tree search before anything else
LEAST = 0.08  # share of the effort the tree search always gets


@dataclass(frozen=True, kw_only=True)
class Auto:
    """A portfolio of `two_queues` and `large_neighbourhood`; see the module's text.

    Parameters
    ----------
    max_queue : int, optional
        Keep at most this many dilemmas in each of the tree search's queues (no proof by exhaustion then).
    normalise : str, callable or Likelihood, optional
        How scores become probabilities (see `dilemma.likelihood`).
    partition : bool, default True
        Search every set of actions of a problem whose actions commute once.
    """

    name: ClassVar[str] = "auto"
    traits: ClassVar[Traits] = Traits(stochastic=True, redundant=True)

    max_queue: int | None = None
    normalise: object = None
    partition: bool = True

    def __post_init__(self) -> None:
        if self.max_queue is not None:
            checked_count("max_queue", self.max_queue, least=2)

    def start(self, model: Model, rng: np.random.Generator) -> AutoRun:
        """Return a fresh run."""
        return AutoRun(self, model, rng)


class _Side:
    """One member of the portfolio with its record."""

    __slots__ = ("effort", "gained", "spent")

    def __init__(self) -> None:
        self.spent = 0.0  # in all
        self.effort = self.gained = 0.0  # decayed with effort

    def rate(self, prior: float) -> float:
        return (self.gained + 1.0) / (self.effort + prior)


class AutoRun:
    """The state of one run."""

    def __init__(self, config: Auto, model: Model, rng: np.random.Generator) -> None:
        self.tree = TwoQueues(
            max_queue=config.max_queue, normalise=config.normalise, partition=config.partition
        ).start(model, rng)
        self.neighbours = LargeNeighbourhood(normalise=config.normalise).start(model, rng)
        self._bounded = model.bound is not None
        self._sides = (_Side(), _Side())  # of the tree search, of the neighbourhood search
        self._pending: deque[tuple[int, tuple[Action, ...]]] = deque()
        self._told = 0
        self._greedy_effort = 1.0
        self._pruned = 0.0  # share of the tree's rollouts that the bound ended, smoothed

    # -- asking -----------------------------------------------------------------------------------------------

    def ask(self, count: int) -> list[Proposal]:
        side = self._whose_turn()
        if side == 0:
            proposals = self.tree.ask(count)
        else:
            proposals = self.neighbours.ask(count)
            if not proposals:  # there is no solution to start from yet
                side, proposals = 0, self.tree.ask(count)
        self._pending.extend((side, p.prefix) for p in proposals)
        return proposals

    def _whose_turn(self) -> int:
        """Return 0 for the tree search, 1 for the neighbourhood search."""
        tree, other = self._sides
        if self._told < TREE_FIRST or self.neighbours.operators is None:
            return 0
        share = self.tree_share()
        return 0 if tree.spent * (1.0 - share) <= other.spent * share else 1

    def tree_share(self) -> float:
        """Return the share of the effort the tree search is to have: by what it earned, never nothing."""
        tree, other = self._sides
        prior = 50.0 * self._greedy_effort
        mine, its = tree.rate(prior), other.rate(prior)
        least = LEAST + (0.42 * self._pruned if self._bounded else 0.0)
        return max(least, min(0.5, mine / (mine + its)))

    # -- telling ----------------------------------------------------------------------------------------------

    def tell(self, rollout: Rollout) -> None:
        side, prefix = self._pending.popleft()
        before = self.neighbours.best_energy
        if side:
            self.neighbours.tell(rollout)
            self.tree.incumbent.energy = min(self.tree.incumbent.energy, self.neighbours.best_energy)
        else:
            self._tell_tree(rollout, prefix)
        # After telling, which cuts off what was met before: a worker does not know that, and grows on.
        effort = 1.0 + rollout.nodes * (1 if side else 1 + RANKING) + RANKING * rollout.ranked
        self._told += 1
        record = self._sides[side]
        if self._told > 1:
            record.spent += effort
            fade = math.exp(-effort / (2000.0 * self._greedy_effort))
            record.effort = fade * record.effort + effort
            record.gained = fade * record.gained + (self.neighbours.best_energy < before)
        else:
            self._greedy_effort = effort

    def _tell_tree(self, rollout: Rollout, prefix: tuple[Action, ...]) -> None:
        actions = rollout.improved if rollout.improved is not None else (*prefix, *rollout.actions)
        status, energy = rollout.status, rollout.energy
        if self.neighbours.operators is None and status is Status.COMPLETE:
            self.neighbours.started = True
            self.neighbours.begin(rollout, prefix)
        self.tree.tell(rollout)
        self._pruned += 0.02 * ((rollout.status is Status.PRUNED) - self._pruned)
        if rollout.status is Status.COMPLETE and energy < self.neighbours.best_energy:
            self.neighbours.warm(actions, energy)

    def warm(self, actions: tuple[Action, ...], energy: float) -> None:
        """Take a solution the user gave."""
        self.neighbours.warm(actions, energy)
        self.tree.incumbent.energy = min(self.tree.incumbent.energy, energy)

    # -- the rest of the contract ---------------------------------------------------------------------------------

    def seen(self) -> Container[Hashable]:
        return self.tree.seen()

    def proves(self) -> bool:
        return self.tree.proves()

    def bound(self) -> float:
        return self.tree.bound()
