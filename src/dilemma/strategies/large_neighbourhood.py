"""Large-neighbourhood search with no code but the greedy: keep most of a solution, change some, complete greedily.

Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP 1998; adaptive
choice of operators: Ropke and Pisinger, Transportation Science 2006. When to use: more than a few hundred
candidates fit into the budget, and good solutions share most of their decisions. Deviations: destroy and repair
are made of the greedy's own ranking (`operators`), success is counted per decision and never by the clock, and the
threshold of acceptance follows the changes met, so there is nothing to tune.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.strategies.base import Traits
from dilemma.strategies.neighbourhood import Neighbour
from dilemma.strategies.operators import SEQUENCE, SET, Operator, Operators, Path

RANKING = 10  # what ranking a state's actions counts, against taking one
PROBATION = 12  # candidates of an operator that are looked up before its decisions are taken on trust


@dataclass(frozen=True, kw_only=True)
class LargeNeighbourhood:
    """Neighbours of the current solution, by operators that earn their share.

    Parameters
    ----------
    normalise : str, callable or Likelihood, optional
        How scores become probabilities (see `dilemma.likelihood`).
    trust : bool, default True
        Whether decisions that always fitted so far may be taken again without looking them up. Improvements
        found so are looked up before they count.
    """

    name: ClassVar[str] = "large_neighbourhood"
    traits: ClassVar[Traits] = Traits(
        stochastic=True, redundant=True, space="small", optimal_in_the_limit=False, finite=False
    )

    normalise: object = None
    trust: bool = True

    def start(self, model: Model, rng: np.random.Generator) -> LargeNeighbourhoodRun:
        """Return a fresh run."""
        return LargeNeighbourhoodRun(self, model, rng)


class Arm:
    """One operator with its record."""

    __slots__ = ("effort", "misfits", "operator", "penalty", "reward", "tried")

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.reward = self.effort = 0.0  # decayed
        self.tried = 0  # candidates looked up since the last misfit
        self.misfits = 0
        self.penalty = 1

    @property
    def trusted(self) -> bool:
        return self.tried >= PROBATION * self.penalty

    def credit(self, reward: float, effort: float) -> None:
        self.reward = 0.998 * self.reward + reward
        self.effort = 0.998 * self.effort + effort


class LargeNeighbourhoodRun:
    """The state of one run."""

    def __init__(self, config: LargeNeighbourhood, model: Model, rng: np.random.Generator) -> None:
        self.config, self.model = config, model
        self._random = random.Random(int(rng.integers(1 << 62)))
        self._wanted = config.normalise if config.normalise is not None else model.normalise
        self._pending: deque[tuple[Arm, Neighbour, Path] | None] = deque()
        self._operators: Operators | None = None
        self.arms = [Arm(o) for o in (SET if model.commutative else SEQUENCE)]
        self.best: tuple[tuple[Action, ...], float] | None = None
        self._asked = False
        self._only = False
        self._history: list[float] = []
        self._told = 0
        self._since = 0  # candidates since the last best
        self._pruned = 0
        self._accepted = 1.0

    # -- asking -----------------------------------------------------------------------------------------------

    def ask(self, count: int) -> list[Proposal]:
        if not self._asked:
            self._asked = True
            self._pending.append(None)
            return [Proposal()]
        if self._operators is None:
            if self._only or self.best is None:
                return []
            self.begin()
        width = max(1, min(count, int(0.2 / self._accepted)))
        proposals: list[Proposal] = []
        while len(proposals) < width:
            plan = self.neighbour()
            proposals.append(Proposal(plan=plan))
        return proposals

    def begin(self) -> None:
        """Set out from the best solution known."""
        assert self.best is not None

    def neighbour(self) -> Neighbour:
        """Return the next neighbour, by an operator chosen by what it earned."""
        ops = self._operators
        assert ops is not None
        if self.model.commutative:
            ops.uses += 1
            if ops.uses % 8 == 1:
                ops.reorder()
        while True:
            arm = self._choose()
            plan = arm.operator(ops)
            if plan is None:
                arm.credit(0.0, 1.0)
                continue
            break
        trust = self.config.trust and self.model.legal is None and arm.trusted
        limit = math.inf if self._pruned >= 32 else self._limit()
        object.__setattr__(plan, "trust", trust)
        object.__setattr__(plan, "limit", limit)
        object.__setattr__(plan, "best", self.best[1])
        self._pending.append((arm, plan, ops.path))
        return plan

    def _choose(self) -> Arm:
        rnd, arms = self._random, self.arms
        if rnd.random() < 0.3:
            return arms[rnd.randrange(len(arms))]
        efforts = sum(a.effort for a in arms) / len(arms) + 1.0
        prior = sum(a.reward for a in arms) / len(arms) + 1e-3
        weights = [(a.reward + 0.1 * prior) / (a.effort + 0.1 * efforts) for a in arms]
        return rnd.choices(arms, weights)[0]

    # -- telling ----------------------------------------------------------------------------------------------

    def tell(self, rollout: Rollout) -> None:
        pending = self._pending.popleft()
        if pending is None:
            self._greedy(rollout)
            return
        arm, plan, base = pending
        self._told += 1
        self._pruned = self._pruned + 1 if rollout.status is Status.PRUNED else 0
        ops = self._operators
        assert ops is not None and self.best is not None
        reward, energy = 0.0, rollout.energy
        accepted = rollout.status is Status.COMPLETE and self._accepts(energy, ops.path.energy)
        if accepted:
            if energy < self.best[1]:
                reward = 1.0
                self.best = (tuple(rollout.actions), energy)
                self._since = -1
            elif energy < ops.path.energy:
                reward = 0.3
            start = len(plan.kept)
            ops.path = base.followed(tuple(rollout.actions), energy, start, rollout.states)
        self._since += 1
        self._accepted += 0.02 * (accepted - self._accepted)
        self._accepted = max(self._accepted, 0.002)
        arm.credit(reward, rollout.nodes + RANKING * rollout.ranked + 1.0)
        if not plan.trust:
            if rollout.misfits:
                arm.misfits += 1
                arm.tried = 0
            else:
                arm.tried += 1
        elif rollout.misfits:
            arm.tried = 0
            arm.penalty *= 4

    def _greedy(self, rollout: Rollout) -> None:
        self._only = all(n == 1 for n in rollout.count)
        self._likelihood: Likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
        if rollout.status is not Status.COMPLETE or self._only:
            return
        self.best = (tuple(rollout.actions), rollout.energy)
        gaps = self._likelihood.gap(rollout.best, rollout.next)
        gaps = gaps[np.isfinite(gaps) & (gaps > 0)]
        noise = float(np.median(gaps)) if len(gaps) else 1.0
        self._operators = Operators(self.model, self._likelihood, noise, self._random)
        self._operators.path = Path(self.model, self._likelihood, *self.best)

    # -- acceptance -------------------------------------------------------------------------------------------

    LENGTH = 50

    def _limit(self) -> float:
        return math.inf

    def _accepts(self, energy: float, current: float) -> bool:
        """Late acceptance: not worse than the current one, or than the current one of a while ago."""
        h = self._history
        if len(h) < self.LENGTH:
            h.append(current)
            return energy <= current
        at = self._told % self.LENGTH
        ok = energy <= current or energy < h[at]
        if (energy if ok else current) < h[at]:
            h[at] = energy if ok else current
        return ok

    # -- the rest of the contract ---------------------------------------------------------------------------------

    def seen(self) -> Container[Hashable]:
        return ()

    def proves(self) -> bool:
        return self._only

    def bound(self) -> float:
        return -math.inf
