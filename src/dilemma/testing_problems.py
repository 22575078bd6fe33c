"""Tiny problems for `dilemma.testing`: each has another of the properties a strategy must respect."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np


def _draw(*what: int) -> int:
    """Return a number from 0 to 996 that looks random and is the same everywhere."""
    value = 7
    for part in what:
        value = (value * 31 + part + 1) * 137 % 997
    return value


@dataclass(frozen=True)
class Choices:
    """A tree of uneven depth and branching, tied scores, and some solutions that are not feasible."""

    depth: int = 4
    arrays: bool = False

    def initial(self) -> tuple[int, ...]:
        return ()

    def actions(self, state: tuple[int, ...]) -> Any:
        count = (
            0
            if len(state) >= self.depth or (state and _draw(0, *state) % 7 == 0)
            else 1 + _draw(1, *state) % 3
        )
        names = list(range(count))
        scores = [float(1 + _draw(2, a, *state) % 3) for a in names]
        return (
            (np.array(names, dtype=np.int64), np.array(scores))
            if self.arrays
            else list(zip(names, scores, strict=True))
        )

    def apply(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def energy(self, state: tuple[int, ...]) -> float:
        value = _draw(3, *state) % 50
        return float("inf") if value % 5 == 4 else float(value)


@dataclass(frozen=True)
class Commuting:
    """A packing: the order of actions does not matter, and the bound knows what is banned."""

    weights: tuple[int, ...] = (5, 4, 3, 6, 2, 4)
    values: tuple[int, ...] = (9, 8, 4, 9, 3, 8)
    capacity: int = 11
    commutative = True

    def initial(self) -> frozenset[int]:
        return frozenset()

    def actions(self, state: frozenset[int]) -> list[tuple[int, float]]:
        room = self.capacity - sum(self.weights[i] for i in state)
        return [(i, self.values[i] / w) for i, w in enumerate(self.weights) if i not in state and w <= room]

    def apply(self, state: frozenset[int], action: int) -> frozenset[int]:
        return state | {action}

    def energy(self, state: frozenset[int]) -> float:
        return float(-sum(self.values[i] for i in state))

    def bound(self, state: frozenset[int], banned: frozenset[int] = frozenset()) -> float:
        return self.energy(state) - sum(self.values[i] for i, _ in self.actions(state) if i not in banned)


@dataclass(frozen=True)
class Merging:
    """Different paths lead to states with the same future, which a key tells."""

    depth: int = 4

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def actions(self, state: tuple[int, int]) -> list[tuple[int, float]]:
        level, total = state
        return [(a, 1.0 + (total * 3 + a) % 4) for a in range(3)] if level < self.depth else []

    def apply(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return state[0] + 1, state[1] + action

    def energy(self, state: tuple[int, int]) -> float:
        return float((state[1] * 7) % 11)

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


@dataclass(frozen=True)
class Tour:
    """A tour: a permutation, with a bound."""

    n: int = 6

    def _far(self, a: int, b: int) -> float:
        return float(1 + _draw(min(a, b), max(a, b)) % 60)

    def initial(self) -> tuple[int, ...]:
        return (0,)

    def actions(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        return [(c, 1.0 / self._far(state[-1], c)) for c in range(self.n) if c not in state]

    def apply(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def energy(self, state: tuple[int, ...]) -> float:
        return sum(self._far(a, b) for a, b in itertools.pairwise((*state, state[0])))

    def bound(self, state: tuple[int, ...]) -> float:
        return sum(self._far(a, b) for a, b in itertools.pairwise(state))


@dataclass(frozen=True)
class Smoothed(Tour):
    """A tour with a local improvement of its own: exchanges of neighbours."""

    def polish(self, state: tuple[int, ...]) -> tuple[int, ...]:
        for i in range(1, len(state) - 1):
            other = (*state[:i], state[i + 1], state[i], *state[i + 2 :])
            if self.energy(other) < self.energy(state):
                return self.polish(other)
        return state


@dataclass(frozen=True)
class Flat:
    """Scores that say nothing, negative ones at that, and many solutions of the same energy."""

    depth: int = 5

    def initial(self) -> tuple[bool, ...]:
        return ()

    def actions(self, state: tuple[bool, ...]) -> list[tuple[bool, float]]:
        return [(False, -1.0), (True, -1.0)] if len(state) < self.depth else []

    def apply(self, state: tuple[bool, ...], action: bool) -> tuple[bool, ...]:
        return (*state, action)

    def energy(self, state: tuple[bool, ...]) -> float:
        return float(abs(sum(state) - 4))


@dataclass(frozen=True)
class Single:
    """No choice anywhere: one solution."""

    depth: int = 3

    def initial(self) -> int:
        return 0

    def actions(self, state: int) -> list[tuple[str, float]]:
        return [("on", 1.0)] if state < self.depth else []

    def apply(self, state: int, action: str) -> int:
        return state + 1

    def energy(self, state: int) -> float:
        return 5.0


@dataclass(frozen=True)
class Nothing:
    """Complete from the beginning: no decision at all."""

    def initial(self) -> int:
        return 0

    def actions(self, state: int) -> list[tuple[int, float]]:
        return []

    def apply(self, state: int, action: int) -> int:
        raise AssertionError("no action was offered")

    def energy(self, state: int) -> float:
        return 2.0
