"""Genetic algorithm: breed solutions, the greedy decoding what a chromosome leaves open.

Holland 1975; order crossover: Davis, IJCAI 1985; random keys: Bean, ORSA Journal on Computing 6 (1994); keys
biased by the heuristic: Storer, Wu and Vaccari, Management Science 38 (1992). When to use: parts of good
solutions combine into better ones. Cost: a child is regrown from where it leaves its first parent.
Deviations: steady state, one child at a time; a chromosome of decisions is the solution itself, so that a
child takes the beginning (commutative: the common part) from one parent and from the other what is still
possible, and the greedy completes it.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_count
from dilemma.strategies.base import Traits
from dilemma.strategies.endless import Endless, solution
from dilemma.strategies.grasp import DEEPEST, LEVELS
from dilemma.strategies.moves import Moves
from dilemma.strategies.policies import Follow, Keyed, Noisy, sendable, typical_gap

KEYS = ("decisions", "priorities")
MUTANT, FRESH = 0.4, 0.1  # shares of children that have one parent, and none
ELITE = 0.7  # chance of a key to come from the better parent


@dataclass(frozen=True, kw_only=True)
class Genetic:
    """A population of solutions, bred one child at a time.

    Parameters
    ----------
    population : int, default 30
        How many solutions.
    keys : {"decisions", "priorities"}
        The chromosome: the decisions themselves, or a number for every action that is added to its log P.
    """

    name: ClassVar[str] = "genetic"
    traits: ClassVar[Traits] = Traits(stochastic=True, redundant=True, space="little", finite=False)

    population: int = 30
    keys: Literal["decisions", "priorities"] = "decisions"

    def __post_init__(self) -> None:
        checked_count("population", self.population, least=2)
        if self.keys not in KEYS:
            raise ValueError(f"keys: expected one of {', '.join(KEYS)}, got {self.keys!r}")

    def start(self, model: Model, rng: np.random.Generator) -> GeneticRun:
        """Return a fresh run."""
        return GeneticRun(self, model, rng)


@dataclass(frozen=True, slots=True)
class Individual:
    """A solution of the population; its keys are empty where decisions are bred."""

    energy: float
    actions: tuple[Action, ...]
    keys: dict[Action, float]


class GeneticRun(Endless):
    """The population."""

    def __init__(self, config: Genetic, model: Model, rng: np.random.Generator) -> None:
        super().__init__()
        self._config, self._rng = config, rng
        self._commutative, self._wanted = model.commutative, model.normalise
        self._moves = Moves(rng, model.commutative)
        self._likelihood, self._unit = Likelihood(), 1.0
        self._actions: dict[Action, None] = {}  # taken in some solution, the oldest first
        self.people: list[Individual] = []
        self._known: set[Hashable] = set()  # identities of the population
        self._told = 0
        self._pending: deque[tuple[Proposal, str, float]] = (
            deque()
        )  # with the kind of move and its parent's energy

    def propose(self, count: int) -> list[Proposal]:
        return [self._child() for _ in range(count)]

    def _child(self) -> Proposal:
        founded = self._told + len(self._pending) >= self._config.population
        full = len(self.people) >= self._config.population
        cutoff = self.cutoff(self.people[-1].energy) if full else math.inf
        kind, energy = "", math.nan
        draw = self._rng.random()
        if not founded or draw < FRESH:
            proposal = self._fresh(cutoff)
        elif self._config.keys == "priorities":
            proposal = self._mixed_keys(cutoff)
        elif draw < FRESH + MUTANT:
            parent = self._parent()
            energy = parent.energy
            kind, proposal = self._moves.draw(parent.actions, cutoff)
        else:
            proposal = self._crossed(self._parent(), self._parent(), cutoff)
        self._pending.append((proposal, kind, energy))
        return proposal

    def _parent(self) -> Individual:
        """Return the better of two drawn at random; the population is kept best first."""
        return self.people[int(self._rng.integers(len(self.people), size=2).min())]

    def _fresh(self, cutoff: float) -> Proposal:
        """Return a noisy greedy solution: a founder, or new blood."""
        if self._config.keys == "priorities" and self._rng.random() < 0.5:
            noise = self._rng.normal(0.0, self._unit, len(self._actions)).tolist()
            keys = dict(zip(self._actions, noise, strict=True))
            return Proposal(policy=Keyed(sendable(self._likelihood), keys), cutoff=cutoff)
        scale = self._unit * LEVELS[int(self._rng.integers(len(LEVELS)))]
        policy = Noisy(
            sendable(self._likelihood), scale, int(self._rng.integers(2**63)), floor=DEEPEST * self._unit
        )
        return Proposal(policy=policy, cutoff=cutoff)

    def _crossed(self, one: Individual, other: Individual, cutoff: float) -> Proposal:
        a, b = one.actions, other.actions
        if self._commutative:  # what both have, then each of the others with probability 1/2
            common = frozenset(a) & frozenset(b)
            rest = [x for x in (*a, *b) if x not in common and self._rng.random() < 0.5]
            mixed = tuple(rest[i] for i in self._rng.permutation(len(rest)).tolist())
            return Proposal(prefix=tuple(x for x in a if x in common), policy=Follow(mixed), cutoff=cutoff)
        cut = int(self._rng.integers(len(a) + 1)) if a else 0
        left = Counter(a[:cut])
        tail = []
        for x in b:  # the other's order, without what is done already
            if left[x] > 0:
                left[x] -= 1
            else:
                tail.append(x)
        return Proposal(prefix=a[:cut], policy=Follow(tuple(tail)), cutoff=cutoff)

    def _mixed_keys(self, cutoff: float) -> Proposal:
        one, other = sorted((self._parent(), self._parent()), key=lambda p: p.energy)
        names = list(self._actions)
        take = self._rng.random(len(names)) < ELITE
        keys = {x: (one if t else other).keys.get(x, 0.0) for x, t in zip(names, take.tolist(), strict=True)}
        for _ in range(int(self._rng.geometric(0.5)) - 1 if names else 0):
            keys[names[int(self._rng.integers(len(names)))]] = float(self._rng.normal(0.0, self._unit))
        return Proposal(policy=Keyed(sendable(self._likelihood), keys), cutoff=cutoff)

    def tell(self, rollout: Rollout) -> None:
        proposal, kind, parent = self._pending.popleft() if self._pending else (Proposal(), "", math.nan)
        self._told += 1
        if not self._actions:
            self._likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
            self._unit = typical_gap(self._likelihood, rollout)
        self.count(rollout)
        complete = rollout.status is Status.COMPLETE
        if kind:
            self._moves.learn(kind, complete and rollout.energy < parent)
        if complete:
            keys = proposal.policy.keys if isinstance(proposal.policy, Keyed) else {}
            actions = solution(proposal.prefix, rollout)
            self._actions.update(dict.fromkeys(actions))
            self.improves(actions, rollout.energy)
            self._settle(Individual(rollout.energy, actions, keys))

    def adopt(self, actions: tuple[Action, ...], energy: float) -> None:
        self._actions.update(dict.fromkeys(actions))
        self._settle(Individual(energy, actions, {}))

    def _settle(self, child: Individual) -> None:
        """Take a child into the population, in place of the worst, if it is new and not worse."""
        identity = self._identity(child)
        if identity in self._known:
            return
        self.people.insert(0, child)  # before its equals: the oldest of the worst goes
        self._known.add(identity)
        self.people.sort(key=lambda p: p.energy)
        if len(self.people) > self._config.population:
            self._known.discard(self._identity(self.people.pop()))

    def _identity(self, person: Individual) -> Hashable:
        return frozenset(person.actions) if self._commutative else person.actions
