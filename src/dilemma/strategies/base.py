"""The contract between the search loop and a strategy: ask for proposals, tell what became of them.

A strategy is frozen configuration. `Strategy.start` gives a run with all the state; the loop asks it for
proposals, has them grown, and tells it the rollouts in the order of the proposals. Strategies own neither
clock, incumbent nor stopping.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from dilemma.rollout import Proposal, Rollout

if TYPE_CHECKING:
    from dilemma.problem import Model


@runtime_checkable
class Run(Protocol):
    """One run of a strategy."""

    def ask(self, count: int) -> list[Proposal]:
        """Return up to `count` proposals; none at all when there is nothing left to try.

        The first proposal of a run is the greedy, ``Proposal()``.
        """

    def tell(self, rollout: Rollout) -> None:
        """Learn what became of the oldest proposal not yet told."""

    def seen(self) -> Container[Hashable]:
        """Return the keys of states met so far, on which a rollout may end early."""

    def proves(self) -> bool:
        """Return whether asking in vain means that every solution was covered."""

    def bound(self) -> float:
        """Return a lower bound on everything not yet covered; ``-inf`` when unknown, ``inf`` when nothing is."""


@dataclass(frozen=True)
class Traits:
    """What the paper's Table I says of a method, declared by each strategy."""

    stochastic: bool = False
    needs_bound: bool = False
    needs_heuristic: bool = True
    redundant: bool = False
    space: str = "adjustable"
    fast_first_solution: bool = True
    reuses: bool = True
    optimal_in_the_limit: bool = True
    finite: bool = True  # runs dry by itself on a finite problem


@runtime_checkable
class Strategy(Protocol):
    """Configuration of a search method: frozen, usable for any number of runs."""

    name: ClassVar[str]
    traits: ClassVar[Traits]

    def start(self, model: Model, rng: np.random.Generator) -> Run:
        """Return a fresh run."""


class Incumbent:
    """The least energy told so far, for runs that compare candidates with it."""

    __slots__ = ("energy",)

    def __init__(self) -> None:
        self.energy = math.inf

    def update(self, rollout: Rollout) -> bool:
        """Take a rollout into account; return whether it is the best so far."""
        if rollout.energy < self.energy:
            self.energy = rollout.energy
            return True
        return False
