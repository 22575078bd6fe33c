"""Neighbours of a solution, for any problem: what local search needs and no user has to write.

A solution is a sequence of decisions. Where their order does not matter, a neighbour drops a few and lets the
greedy fill up; elsewhere it decides one place anew, or moves, exchanges or reverses decisions, and then
repeats the rest of the solution as far as that is still possible.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dilemma.problem import Action
from dilemma.rollout import Proposal
from dilemma.strategies.policies import Follow

ORDERED = ("decide", "exchange", "move", "swap", "reverse", "regrow")
REPEATED = ("decide", "place", "move", "swap", "reverse", "regrow")
UNORDERED = ("drop", "regrow")
RANK = 0.5  # chance of the best alternative; of those left, again, for the next one


@dataclass(slots=True)
class Moves:
    """Draws neighbours, kinds of moves that change things for the better more often than others.

    Parameters
    ----------
    rng : Generator
        Where random numbers come from.
    commutative : bool
        Whether the order of decisions does not matter.
    """

    rng: np.random.Generator
    commutative: bool
    tried: dict[str, float] = field(default_factory=dict)
    paid: dict[str, float] = field(default_factory=dict)

    def draw(self, solution: tuple[Action, ...], cutoff: float) -> tuple[str, Proposal]:
        """Return a random neighbour and the kind of move; tell `learn` what came of it."""
        kind = self._kind(solution)
        prefix, policy = self._make(kind, solution)
        return kind, Proposal(prefix=prefix, policy=policy, cutoff=cutoff)

    def _kind(self, solution: tuple[Action, ...]) -> str:
        if self.commutative:
            kinds: tuple[str, ...] = UNORDERED
        else:
            kinds = ORDERED if len(set(solution)) == len(solution) else REPEATED
        weights = np.array([(self.paid.get(k, 0.0) + 1.0) / (self.tried.get(k, 0.0) + 2.0) for k in kinds])
        weights = weights / weights.sum() + 0.2 / len(kinds)
        return kinds[int(np.searchsorted(weights.cumsum(), self.rng.random() * weights.sum(), "right"))]

    def learn(self, kind: str, paid: bool) -> None:
        """Note whether a move of this kind was good for something; old experience fades."""
        for book, gain in ((self.tried, 1.0), (self.paid, float(paid))):
            book[kind] = book.get(kind, 0.0) * 0.99 + gain

    def _make(self, kind: str, solution: tuple[Action, ...]) -> tuple[tuple[Action, ...], Follow]:
        count = len(solution)
        if not count:
            return (), Follow()
        rank = int(self.rng.geometric(RANK)) - 1
        if kind == "drop":
            gone = self.rng.permutation(count)[: min(count, int(self.rng.geometric(RANK)))]
            out = frozenset(solution[i] for i in gone.tolist())
            return tuple(a for a in solution if a not in out), Follow(rank=rank, avoid=out, shun=True)
        i = int(self.rng.integers(count))
        prefix, rest = solution[:i], solution[i:]
        other = frozenset(rest[:1])
        if kind == "regrow":  # the paper's move: decide one place differently, regrow greedily
            return prefix, Follow(rank=rank, avoid=other)
        if kind in ("decide", "exchange", "place"):
            return prefix, Follow(rest, rank, other, waits=kind != "place", exchange=kind == "exchange")
        j = int(self.rng.integers(count))
        i, j = min(i, j), max(i, j)
        part = list(solution[i : j + 1])
        if kind == "move":
            part = [part[-1], *part[:-1]] if self.rng.random() < 0.5 else [*part[1:], part[0]]
        elif kind == "swap":
            part[0], part[-1] = part[-1], part[0]
        else:
            part.reverse()
        return solution[:i], Follow((*part, *solution[j + 1 :]))
