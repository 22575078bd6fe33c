"""Noisy greedy restarts: the construction phase of GRASP, with noise that finds its own level.

Feo and Resende, "Greedy randomized adaptive search procedures", Journal of Global Optimization 6 (1995);
reactive: Prais and Ribeiro, INFORMS Journal on Computing 12 (2000). When to use: a cheap greedy whose scores
are good but not reliable; the simplest baseline a search has to beat. Cost: every candidate is grown from the
root. Deviations: instead of a restricted candidate list, Gumbel noise on log P (every action stays possible,
likely ones more so); the local search of GRASP is the problem's own ``polish``, if it has one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.likelihood import FLOOR, Likelihood, likelihood_for
from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_number
from dilemma.strategies.base import Traits
from dilemma.strategies.endless import Endless, solution
from dilemma.strategies.policies import Noisy, sendable, typical_gap

LEVELS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 8.0)  # of noise, in gaps typical for the greedy's path
DEEPEST = 5.0  # an action is never taken to be worse than this, likewise
LATELY = 1000  # solutions remembered, to notice repeats
FADE = 0.98  # of experience, a candidate


@dataclass(frozen=True, kw_only=True)
class Grasp:
    """Restart the greedy with noise.

    Parameters
    ----------
    noise : float, optional
        Scale of the noise on log P: 1 samples P(A|S), 0 is the greedy. Default: several levels are tried, those
        that give better candidates more often.
    """

    name: ClassVar[str] = "grasp"
    traits: ClassVar[Traits] = Traits(
        stochastic=True, redundant=True, space="small", reuses=False, finite=False
    )

    noise: float | None = None

    def __post_init__(self) -> None:
        if self.noise is not None and not 0.0 < checked_number("noise", self.noise) < float("inf"):
            raise ValueError(f"noise: expected a number > 0, got {self.noise!r}")

    def start(self, model: Model, rng: np.random.Generator) -> GraspRun:
        """Return a fresh run."""
        return GraspRun(self, model, rng)


class Levels:
    """Chooses among levels of noise by how good their candidates were lately, on the scale of all of them."""

    def __init__(self, levels: tuple[float, ...]) -> None:
        self.levels = levels
        self._known = np.zeros(len(levels))
        self._mean = np.zeros(len(levels))  # of the ranks: a share of recent candidates that were better
        self._recent: deque[float] = deque(maxlen=100)

    def draw(self, rng: np.random.Generator) -> int:
        """Return which level to use next."""
        weights = np.exp(-4.0 * np.where(self._known > 0, self._mean, 0.0))
        return int(rng.choice(len(self.levels), p=weights / weights.sum()))

    def learn(self, which: int, energy: float) -> None:
        """Note the energy of a candidate of this level; ``inf`` for none at all."""
        if self._recent:
            better = sum(e < energy for e in self._recent) + 0.5 * sum(e == energy for e in self._recent)
            self._known[which] = FADE * self._known[which] + 1.0
            self._mean[which] += (better / len(self._recent) - self._mean[which]) / self._known[which]
        self._recent.append(energy)


class GraspRun(Endless):
    """The levels of noise and what came of them."""

    def __init__(self, config: Grasp, model: Model, rng: np.random.Generator) -> None:
        super().__init__()
        self._config = config
        self._wanted, self._commutative = model.normalise, model.commutative
        self._rng = rng
        self._likelihood, self._floor = Likelihood(), FLOOR
        self._levels = Levels(LEVELS)
        self._pending: deque[int] = deque()
        self._lately: dict[int, None] = {}  # fingerprints of solutions, the oldest first

    def propose(self, count: int) -> list[Proposal]:
        return [self._noisy() for _ in range(count)]

    def _noisy(self) -> Proposal:
        which = self._levels.draw(self._rng)
        self._pending.append(which)
        policy = Noisy(
            sendable(self._likelihood),
            self._levels.levels[which],
            int(self._rng.integers(2**63)),
            floor=self._floor,
        )
        return Proposal(policy=policy, cutoff=self.cutoff(self.best_energy))

    def tell(self, rollout: Rollout) -> None:
        self.count(rollout)
        complete = rollout.status is Status.COMPLETE
        if not self._pending:  # the greedy
            self._likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
            unit = typical_gap(self._likelihood, rollout)
            self._floor = DEEPEST * unit
            own = self._config.noise
            self._levels = Levels(tuple(unit * level for level in LEVELS) if own is None else (own,))
        else:
            useful = complete and not self._repeats(
                rollout
            )  # a level so low that it repeats itself is of no use
            self._levels.learn(self._pending.popleft(), rollout.energy if useful else float("inf"))
        if complete:
            self.improves(solution((), rollout), rollout.energy)

    def _repeats(self, rollout: Rollout) -> bool:
        mark = hash(frozenset(rollout.actions) if self._commutative else tuple(rollout.actions))
        known = mark in self._lately
        self._lately[mark] = None
        if len(self._lately) > LATELY:
            del self._lately[next(iter(self._lately))]
        return known
