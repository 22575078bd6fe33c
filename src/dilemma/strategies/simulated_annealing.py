"""Simulated annealing over the neighbours of a solution, with a schedule that calibrates itself.

Kirkpatrick, Gelatt and Vecchi, Science 220 (1983); temperatures from observed changes after White, "Concepts
of scale in simulated annealing" (1984). When to use: many cheap candidates, energies that change little with
one decision. Cost: a neighbour is regrown from the first decision it changes. Deviations: neighbours are
those of `moves`, and what a changed decision makes impossible is completed greedily; the budget is not known
beforehand, so that annealing runs in cycles, each twice as long as the one before and from the best so far.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_count
from dilemma.strategies.base import Traits
from dilemma.strategies.endless import Endless, solution
from dilemma.strategies.moves import Moves

HOT = 0.3  # at the start of a cycle, a typical rise is accepted with this probability ...
COLD = 0.001  # ... and at its end, a small one with this
QUANTILES = (0.05, 0.25)  # of the rises seen: what is small, what typical
RECENT = 200  # rises remembered


@dataclass(frozen=True, kw_only=True)
class SimulatedAnnealing:
    """Accept every improvement, and a rise of ΔE with probability exp(−ΔE / T).

    Parameters
    ----------
    cycle : int, default 200
        Candidates in the first cycle of cooling; each later one has twice as many.
    """

    name: ClassVar[str] = "simulated_annealing"
    traits: ClassVar[Traits] = Traits(stochastic=True, redundant=True, space="little", finite=False)

    cycle: int = 200

    def __post_init__(self) -> None:
        checked_count("cycle", self.cycle, least=2)

    def start(self, model: Model, rng: np.random.Generator) -> AnnealingRun:
        """Return a fresh run."""
        return AnnealingRun(self, model.commutative, rng)


class AnnealingRun(Endless):
    """The current solution, its temperature, and what is remembered of rises."""

    def __init__(self, config: SimulatedAnnealing, commutative: bool, rng: np.random.Generator) -> None:
        super().__init__()
        self._rng = rng
        self._moves = Moves(rng, commutative)
        self._length, self._step = config.cycle, 0
        self._rises: deque[float] = deque(maxlen=RECENT)
        self._accepting = 1.0  # share of neighbours accepted lately
        self.current: tuple[Action, ...] = ()
        self.energy = math.inf
        self._pending: deque[tuple[tuple[Action, ...], str, float]] = deque()

    def propose(self, count: int) -> list[Proposal]:
        # Neighbours of one solution at a time are fair as long as about one of them is accepted.
        return [self._neighbour() for _ in range(min(count, max(1, int(0.5 / self._accepting))))]

    def _neighbour(self) -> Proposal:
        allowance = -self.temperature() * math.log(1.0 - self._rng.random())  # accepted up to this rise
        limit = math.nextafter(self.energy + allowance, math.inf)
        kind, proposal = self._moves.draw(self.current, self.cutoff(limit))
        self._pending.append((proposal.prefix, kind, allowance))
        return proposal

    def adopt(self, actions: tuple[Action, ...], energy: float) -> None:
        self.current, self.energy = actions, energy

    def temperature(self) -> float:
        """Return T: geometric from hot to cold over a cycle, on the scale of the rises seen."""
        if len(self._rises) < 5:
            return 0.0
        small, typical = np.quantile(self._rises, QUANTILES).tolist()
        hot, cold = typical / -math.log(HOT), small / -math.log(COLD)
        return float(hot * (min(cold, hot) / hot) ** (self._step / self._length))

    def tell(self, rollout: Rollout) -> None:
        prefix, kind, allowance = self._pending.popleft() if self._pending else ((), "", 0.0)
        self.count(rollout)
        if rollout.status is Status.COMPLETE:
            actions = solution(prefix, rollout)
            if not kind:
                self.current, self.energy = actions, rollout.energy
                self.improves(actions, rollout.energy)
                return
            self._judge(actions, rollout.energy, kind, allowance)
        else:
            self._accepting *= 0.95
            self._moves.learn(kind, paid=False)
        self._step += 1
        if self._step >= self._length:
            self._step, self._length = 0, 2 * self._length
            self.current, self.energy = self.best, self.best_energy

    def _judge(self, actions: tuple[Action, ...], energy: float, kind: str, allowance: float) -> None:
        rise = energy - self.energy if energy != self.energy else 0.0
        if 0.0 < rise < math.inf:
            self._rises.append(rise)
        accepted = rise <= allowance
        changed = accepted and actions != self.current
        self._accepting = max(0.01, 0.95 * self._accepting + 0.05 * changed)
        self._moves.learn(kind, paid=energy < self.energy)
        if accepted:
            self.current, self.energy = actions, energy
        self.improves(actions, energy)
