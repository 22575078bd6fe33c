"""What runs that never run dry have in common: an incumbent, and how far the bound may prune.

Such a run is ended by a budget, and most budgets count candidates. If the bound cut off every rollout, none
would be counted any more: so after a number of rollouts in vain one is finished whatever its bound.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable

from dilemma.problem import Action
from dilemma.rollout import Rollout, Status

IN_VAIN = 32


class Endless:
    """Base of runs that sample: proves nothing, covers nothing, keeps the best solution told."""

    def __init__(self) -> None:
        self.started = False
        self.best: tuple[Action, ...] = ()
        self.best_energy = math.inf
        self._in_vain = 0

    def cutoff(self, energy: float) -> float:
        """Return the energy to beat, or ``inf`` when too many rollouts in a row were cut off."""
        return energy if self._in_vain < IN_VAIN else math.inf

    def count(self, rollout: Rollout) -> None:
        """Note whether a rollout gave a candidate."""
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
