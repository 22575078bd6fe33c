"""Small random problems with a brute-force oracle, for Hypothesis."""

import functools
import math
import random
from dataclasses import dataclass

from hypothesis import strategies as st

SCORES = (0.0, 0.5, 1.0, 1.0, 2.0, 3.0)  # with ties and zeros


@dataclass(frozen=True)
class Sequences:
    """A random tree: uneven depth, uneven branching, dead ends, tied scores, energies from a few values."""

    seed: int
    depth: int
    branching: int
    bounded: bool = False
    keyed: bool = False

    def _draw(self, *what):
        return random.Random(repr((self.seed, *what)))

    def initial(self):
        return ()

    def actions(self, state):
        draw = self._draw("actions", self._view(state))
        if len(state) >= self.depth or (state and draw.random() < 0.15):
            return []
        count = draw.randint(1, self.branching)
        return [(i, draw.choice(SCORES)) for i in draw.sample(range(self.branching), count)]

    def apply(self, state, action):
        return (*state, action)

    def energy(self, state):
        value = self._draw("energy", self._view(state)).randint(-6, 6)
        return math.inf if value == 6 else float(value)

    def _view(self, state):
        """Return what the future depends on: everything, or with keys only depth and the sum of actions."""
        return (len(state), sum(state)) if self.keyed else state

    def least(self, state):
        offers = self.actions(state)
        return (
            min((self.least(self.apply(state, a)) for a, _ in offers), default=None)
            if offers
            else self.energy(state)
        )


@dataclass(frozen=True)
class Subsets:
    """A random packing problem: actions commute, solutions are maximal sets."""

    seed: int
    items: int
    bounded: bool = False
    keyed: bool = False
    commutative = True

    def __post_init__(self):
        draw = random.Random(self.seed)
        object.__setattr__(self, "weights", [draw.randint(0, 9) for _ in range(self.items)])
        object.__setattr__(self, "values", [draw.randint(0, 9) for _ in range(self.items)])
        object.__setattr__(self, "capacity", draw.randint(0, 5 * self.items))
        object.__setattr__(self, "scores", [draw.choice(SCORES) for _ in range(self.items)])

    def initial(self):
        return frozenset()

    def actions(self, state):
        room = self.capacity - sum(self.weights[i] for i in state)
        return [(i, self.scores[i]) for i in range(self.items) if i not in state and self.weights[i] <= room]

    def apply(self, state, action):
        return state | {action}

    def energy(self, state):
        return float(-sum(self.values[i] for i in state))

    def _view(self, state):
        """Return what the future depends on: items that are alike may stand for each other."""
        return tuple(sorted((self.weights[i], self.values[i], self.scores[i]) for i in state))

    def least(self, state):
        offers = self.actions(state)
        return min(self.least(self.apply(state, a)) for a, _ in offers) if offers else self.energy(state)


class Bounded:
    """A problem with a bound that is right but loose by a random amount."""

    def __init__(self, problem, knows_banned=False):
        self.problem = problem
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy
        self.commutative = getattr(problem, "commutative", False)
        self.least = functools.cache(problem.least)
        if knows_banned:
            self.bound = self._bound_without

    def bound(self, state):
        return self.least(state) - random.Random(repr(state)).choice((0, 0, 1, 3))

    def _bound_without(self, state, banned):
        """Return the least energy below with some items never taken: exact, by enumeration."""
        offers = [a for a, _ in self.problem.actions(state)]
        left = [a for a in offers if a not in banned]
        if not offers:
            return self.problem.energy(state)
        return min(
            (self._bound_without(self.problem.apply(state, a), banned) for a in left), default=math.inf
        )


class Keyed:
    """A problem whose futures depend on depth and the sum of actions only."""

    def __init__(self, problem):
        self.problem = problem
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy

    def key(self, state):
        return self.problem._view(state)


def leaves(problem):
    """Return every complete solution as (actions, energy)."""
    found = []

    def walk(path, state):
        offers = problem.actions(state)
        if not offers:
            found.append((path, problem.energy(state)))
        for action, _ in offers:
            walk((*path, action), problem.apply(state, action))

    walk((), problem.initial())
    return found


def greedy(problem):
    """Return the plain greedy's actions and energy, written as plainly as possible."""
    state, path = problem.initial(), []
    while offers := list(problem.actions(state)):
        best = max(score for _, score in offers)
        action = next(a for a, score in offers if score == best)
        state = problem.apply(state, action)
        path.append(action)
    return tuple(path), problem.energy(state)


sequences = st.builds(
    Sequences, seed=st.integers(0, 10**9), depth=st.integers(0, 4), branching=st.integers(1, 3)
)
keyed = st.builds(
    Sequences,
    seed=st.integers(0, 10**9),
    depth=st.integers(0, 4),
    branching=st.integers(1, 3),
    keyed=st.just(True),
)
subsets = st.builds(Subsets, seed=st.integers(0, 10**9), items=st.integers(0, 7))
