"""Large-neighbourhood search with no code but the greedy: keep most of a solution, change some, complete greedily.

Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP 1998; adaptive
choice of operators: Ropke and Pisinger, Transportation Science 40 (2006); late acceptance: Burke and Bykov,
European Journal of Operational Research 258 (2017). When to use: more than a few hundred candidates fit into the
budget, and good solutions share most of their decisions. Cost: a neighbour is regrown from where it differs, and
most decisions taken again cost one `apply` each. Deviations: destroy and repair are made of the greedy's own
ranking (`operators`), and success is counted per decision and never by the clock, so that runs repeat.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections import deque
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from dilemma.likelihood import likelihood_for
from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.strategies.base import Traits
from dilemma.strategies.endless import Endless
from dilemma.strategies.neighbourhood import Neighbour
from dilemma.strategies.operators import SEQUENCE, SET, Operator, Operators
from dilemma.strategies.path import Path
from dilemma.strategies.policies import typical_gap

RANKING = 10  # what ranking a state's actions counts, against taking one
PROBATION = 12  # candidates of an operator that are looked up before its decisions are taken on trust
AUDIT = 48  # paths taken on trust, one after the other, until all of the last one's decisions are looked up
HOPELESS = 16  # an operator that declined this often in a row is not asked as if that cost nothing
EXPLORE = 0.15  # share of the effort spread evenly over all operators
POWER = 2.0  # how sharply effort follows success
MEMORY = 0.998  # what an operator's record keeps from use to use
SHORTEST, LONGEST, PATIENCE = 5, 2560, 60  # of late acceptance: its memory, and how long without success
LOOSEN = (0.02, 0.35)  # how much worse it takes again when it stalls: a quantile of the last worsenings
WORSENINGS = 256  # of the last neighbours that were worse, remembered for their scale
REORDER = 8  # neighbours made of one order of actions that commute


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

    __slots__ = ("cost", "declined", "effort", "operator", "probation", "reward", "tried")

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.reward = self.effort = 0.0  # decayed
        self.cost = 1.0  # of one neighbour, smoothed
        self.declined = 0  # times in a row that it had no neighbour to offer
        self.tried = 0  # candidates looked up since a decision did not fit
        self.probation = PROBATION

    @property
    def trusted(self) -> bool:
        return self.tried >= self.probation

    def credit(self, reward: float, effort: float) -> None:
        """Enter what a neighbour brought and what it cost."""
        self.reward = MEMORY * self.reward + reward
        self.effort = MEMORY * self.effort + effort
        self.cost += 0.05 * (effort - self.cost)

    def decline(self, typical: float) -> None:
        """Enter that it had nothing to offer: costs little now and then, a neighbour's effort when it never has."""
        self.declined += 1
        self.credit(0.0, 1.0 if self.declined < HOPELESS else typical)

    def note(self, plan: Neighbour, rollout: Rollout) -> None:
        """Enter whether the decisions to be taken again fitted."""
        if not rollout.misfits:
            self.tried += not plan.trust
        else:
            self.tried = 0
            if plan.trust:
                self.probation *= 4

    def mistrust(self) -> None:
        """Look decisions up again for a while: some did not fit."""
        if self.trusted:
            self.tried = 0
            self.probation *= 4


class LargeNeighbourhoodRun(Endless):
    """The state of one run."""

    def __init__(self, config: LargeNeighbourhood, model: Model, rng: np.random.Generator) -> None:
        super().__init__()
        self.config, self.model = config, model
        self._random = random.Random(int(rng.integers(1 << 62)))
        self._wanted = config.normalise if config.normalise is not None else model.normalise
        self._pending: deque[tuple[Arm | None, Neighbour, Path] | None] = deque()
        self.operators: Operators | None = None
        self.arms = [Arm(o) for o in (SET if model.commutative else SEQUENCE)]
        self._only = False
        self._accepted = 1.0  # share of neighbours that were accepted, smoothed
        self._acceptance = LateAcceptance(self._random)
        self._trusting = config.trust and model.legal is None
        self._weights: list[float] = []
        self._picked = 0
        self._typical = 1.0  # effort of a neighbour, smoothed
        self._unsure = 0  # paths taken on trust since one was looked up
        self._sure: Path | None = None  # the last that was
        self.spent = 0.0  # effort in all

    # -- asking -----------------------------------------------------------------------------------------------

    def ask(self, count: int) -> list[Proposal]:
        if not self.started:
            self.started = True
            self._pending.append(None)
            return [Proposal()]
        if self.operators is None:
            return []
        # Neighbours asked for together cannot build on each other: few while many are accepted.
        return [self._propose(self.operators) for _ in range(max(1, min(count, int(0.2 / self._accepted))))]

    def _propose(self, operators: Operators) -> Proposal:
        """Return the next neighbour, by an operator chosen by what it earned."""
        if self.model.commutative and operators.due(REORDER):
            operators.reorder()
        if self._unsure >= AUDIT:
            return self._audit(operators)
        settings = operators.settings
        settings["best"] = self.best_energy
        if self.model.bound is not None:
            settings["limit"] = self.cutoff(self._acceptance.threshold(operators.path.energy))
        if self.model.polish is not None:
            settings["polish_below"] = self._promising.threshold()
        while True:
            arm = self._choose()
            operators.settings["trust"] = self._trusting and arm.trusted
            if (plan := arm.operator(operators)) is not None:
                break
            arm.decline(self._typical)
        arm.declined = 0
        self._pending.append((arm, plan, operators.path))
        return Proposal(plan=plan)

    def _audit(self, operators: Operators) -> Proposal:
        """Return the current path once more, each decision looked up."""
        self._unsure = 0
        plan = Neighbour(pending=operators.path.actions, drop=self.model.commutative)
        self._pending.append((None, plan, operators.path))
        return Proposal(plan=plan)

    def _audited(self, rollout: Rollout, audited: Path) -> None:
        """Go on from a path that is what it seemed; else trust less, and go back to the last one that was."""
        operators = self.operators
        assert operators is not None
        if rollout.misfits and self._sure is not None:
            for arm in self.arms:
                arm.mistrust()
            operators.path = self._sure
        elif rollout.status is Status.COMPLETE and not rollout.misfits:
            audited.sure = True
            if operators.path is audited:
                self._sure = audited

    def _choose(self) -> Arm:
        """Return an operator: effort goes by the square of what it brought before, and a little to each."""
        arms = self.arms
        if not self._picked:
            self._weigh()
        self._picked -= 1
        return arms[bisect(self._weights, self._random.random() * self._weights[-1])]

    def _weigh(self) -> None:
        """Compute the operators' shares, for the next few choices."""
        arms = self.arms
        effort = sum(a.effort for a in arms) / len(arms) + 1.0
        reward = sum(a.reward for a in arms) / len(arms) + 1e-3
        rates = [((a.reward + 0.1 * reward) / (a.effort + 0.1 * effort)) ** POWER for a in arms]
        least = EXPLORE * sum(rates) / (1.0 - EXPLORE) / len(arms)
        weights = [(rate + least) / a.cost for rate, a in zip(rates, arms, strict=True)]
        self._weights = list(accumulate(weights))
        self._picked = 8

    # -- telling ----------------------------------------------------------------------------------------------

    def tell(self, rollout: Rollout) -> None:
        pending = self._pending.popleft()
        if pending is None:
            self.begin(rollout)
            return
        arm, plan, base = pending
        if arm is None:
            self.count(rollout)
            self._audited(rollout, base)
            return
        operators = self.operators
        if operators is None:
            raise RuntimeError("large_neighbourhood: told of a neighbour before the greedy")
        self.count(rollout)
        current, energy, reward = operators.path.energy, rollout.energy, 0.0
        actions = rollout.improved if rollout.improved is not None else tuple(rollout.actions)
        accepted = (
            rollout.status is Status.COMPLETE
            and actions != base.actions  # the same again is no step
            and self._acceptance.takes(energy, current, self.best_energy)
        )
        if accepted:
            if self.improves(actions, energy):
                reward = 1.0
            elif energy < current:
                reward = 0.3
            if rollout.improved is None:
                sure = energy < plan.best or (plan.sure and not plan.trust)  # better ones were looked up
                operators.path = base.followed(actions, energy, len(plan.kept), rollout.states, sure)
            else:
                operators.path = base.followed(actions, energy, 0, None)
            if operators.path.sure:
                self._sure, self._unsure = operators.path, 0
            else:
                self._unsure += 1
        self._accepted = max(0.002, self._accepted + 0.02 * (accepted - self._accepted))
        effort = 1.0 + rollout.nodes + RANKING * rollout.ranked
        self.spent += effort
        self._typical += 0.02 * (effort - self._typical)
        arm.credit(reward, effort)
        arm.note(plan, rollout)

    def begin(self, greedy: Rollout, prefix: tuple[Action, ...] = ()) -> None:
        """Set out from a first candidate: the greedy's, if that is one."""
        self._only = not prefix and all(n == 1 for n in greedy.count)
        if greedy.status is not Status.COMPLETE or self._only:
            return
        likelihood = likelihood_for(self._wanted, greedy.best, greedy.next)
        if likelihood.custom is not None:  # needs all scores, and does not travel: take the usual reading
            likelihood = likelihood_for(None, greedy.best, greedy.next)
        self.operators = Operators(self.model, likelihood, typical_gap(likelihood, greedy), self._random)
        actions = greedy.improved if greedy.improved is not None else (*prefix, *greedy.actions)
        self.improves(actions, greedy.energy)
        self.adopt(actions, greedy.energy)

    def adopt(self, actions: tuple[Action, ...], energy: float) -> None:
        """Go on from this solution."""
        if self.operators is not None and actions:
            operators = self.operators
            operators.path = self._sure = Path(self.model, operators.likelihood, actions, energy)
            self._unsure = 0

    def proves(self) -> bool:
        return self._only


class LateAcceptance:
    """A neighbour is taken if it is not worse than the current solution, or better than the one of a while ago.

    That while begins short, for a quick descent. Whenever it has brought nothing for long, all remembered
    energies are raised by as much as a neighbour may easily be worse, so that the search leaves where it stalled,
    and the while doubles: it comes down again more and more slowly.
    """

    def __init__(self, rng: random.Random) -> None:
        self.before: list[float] = [math.inf] * SHORTEST
        self.turn = 0
        self.idle = 0  # neighbours since the last improvement
        self._random = rng
        self._worse: deque[float] = deque(maxlen=WORSENINGS)

    def threshold(self, current: float) -> float:
        """Return an energy at or above which a neighbour will not be taken, whenever it is told."""
        return max(math.nextafter(current, math.inf), *self.before)

    def takes(self, energy: float, current: float, best: float) -> bool:
        """Decide on one neighbour, whose solution and best so far have these energies."""
        self.turn = turn = (self.turn + 1) % len(self.before)
        taken = energy <= current or energy < self.before[turn] < math.inf
        self.before[turn] = min(self.before[turn], energy if taken else current)
        if current < energy < math.inf:
            self._worse.append(energy - current)
        self.idle += 1
        if energy < best:
            self.idle = 0
        elif self.idle > PATIENCE * len(self.before):
            self.loosen(current)
        return taken

    def loosen(self, current: float) -> None:
        """Take worse neighbours again for a while, twice as long as the last time."""
        self.idle = 0
        worse = sorted(self._worse)
        slack = worse[int(self._random.uniform(*LOOSEN) * len(worse))] if worse else 0.0
        self.before = [current + slack] * min(2 * len(self.before), LONGEST)
