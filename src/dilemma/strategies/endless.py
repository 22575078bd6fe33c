"""What runs that never run dry have in common: an incumbent, and how far the bound may prune.

Such a run is ended by a budget, and most budgets count candidates. If the bound cut off every rollout, none
would be counted any more: so after a number of rollouts in vain one is finished whatever its bound.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable

from dilemma.polish import Promising
from dilemma.problem import Action
from dilemma.rollout import Proposal, Rollout, Status

IN_VAIN = 32


class Endless:
    """Base of runs that sample: proves nothing, covers nothing, keeps the best solution told."""

    def __init__(self) -> None:
        self.started = False
        self.best: tuple[Action, ...] = ()
        self.best_energy = math.inf
        self._in_vain = 0
        self._promising = Promising()

    def ask(self, count: int) -> list[Proposal]:
        if not self.started:
            self.started = True
            return [Proposal()]
        limit = self._promising.threshold()
        return [proposal._replace(polish_below=limit) for proposal in self.propose(count)]

    def propose(self, count: int) -> list[Proposal]:
        """Return up to `count` proposals, the greedy having been told."""
        raise NotImplementedError

    def cutoff(self, energy: float) -> float:
        """Return the energy to beat, or ``inf`` when too many rollouts in a row were cut off."""
        return energy if self._in_vain < IN_VAIN else math.inf

    def count(self, rollout: Rollout) -> None:
        """Note whether a rollout gave a candidate, and how good it was before any polish."""
        self._promising.note(rollout)
        self._in_vain = 0 if rollout.status is Status.COMPLETE else self._in_vain + 1

    def improves(self, actions: tuple[Action, ...], energy: float) -> bool:
        """Keep a solution if it is the first or the best so far; return whether it is."""
        if energy < self.best_energy or not (self.best or self.best_energy < math.inf):
            self.best, self.best_energy = actions, energy
            return True
        return False

    def warm(self, actions: tuple[Action, ...], energy: float) -> None:
        """Take a solution the user gave as the one to work on, if it is better."""
        if self.improves(actions, energy):
            self.adopt(actions, energy)

    def adopt(self, actions: tuple[Action, ...], energy: float) -> None:
        """Go on from this solution."""

    def seen(self) -> Container[Hashable]:
        return ()

    def proves(self) -> bool:
        return False

    def bound(self) -> float:
        return -math.inf


def solution(prefix: tuple[Action, ...], rollout: Rollout) -> tuple[Action, ...]:
    """Return the actions of a candidate: those of the polished one where they are known."""
    return (*prefix, *rollout.actions) if rollout.improved is None else rollout.improved
