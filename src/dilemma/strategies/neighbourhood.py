"""Neighbours of a solution, by way of the greedy alone: keep most decisions, change some, complete greedily.

A `Neighbour` is plain data that says which decisions to take again; its `grow` is a pure function, the same here
and in a worker process. Three ways of asking whether a decision may be taken again, from dear to cheap: rank the
state's actions and look; ask the problem's own ``legal``; or take it on trust, where experience says that such
decisions always fit. What was built on trust, or on a path that was, and turns out better than the best so far is
built once more with every decision looked up, so nothing that the problem does not offer is ever reported as a
solution worth having.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from dilemma.likelihood import Likelihood
from dilemma.problem import Action, Model, State
from dilemma.rollout import MAX_DECISIONS, NO_ACTIONS, Rollout, Status
from dilemma.strategies.regrowth import HOLE, Growth

PROPORTIONAL = Likelihood()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """How to build one neighbour of a solution.

    Attributes
    ----------
    kept : tuple of actions
        The beginning, taken as it is.
    free : int
        How many decisions to choose anew after it, before anything is replayed.
    pending : tuple of actions
        Decisions to take again, the first one that fits at every step; the rest is chosen greedily. At a `HOLE`
        the greedy chooses something that is not pending.
    drop : bool
        Whether a decision that does not fit is given up (it will not fit later either) or waits.
    banned : frozenset of actions
        Not chosen by the greedy, as long as there is anything else.
    links : dict, optional
        Which decision may follow which (both ways): followed until they end, then the greedy goes to an end of
        another chain.
    repeated : frozenset of actions
        Those taken more than once: a chain may end in one.
    noise : float
        Scale of the Gumbel noise on log-scores where the greedy chooses; 0 is the plain greedy.
    seed : int
        Of that noise.
    likelihood : Likelihood
        How scores become log-scores.
    trust : bool
        Take pending decisions without asking.
    sure : bool
        Whether each decision of `kept` was looked up once.
    limit : float
        A state whose bound is not below it ends the rollout.
    best : float
        Below this energy, what was built on trust is checked.
    polish_below : float
        A neighbour of at most this energy is polished, where the problem can do that.
    usual : int
        How many decisions a solution takes: one built on trust that takes far more has gone astray.
    start : State
        The state after `kept`, where it is known. It stays in this process.
    """

    kept: tuple[Action, ...] = ()
    free: int = 0
    pending: tuple[Action, ...] = ()
    drop: bool = False
    banned: frozenset[Action] = NO_ACTIONS
    links: dict[Action, tuple[Action, ...]] | None = None
    repeated: frozenset[Action] = NO_ACTIONS
    noise: float = 0.0
    seed: int = 0
    likelihood: Likelihood = PROPORTIONAL
    trust: bool = False
    sure: bool = True
    limit: float = math.inf
    best: float = -math.inf
    polish_below: float = math.inf
    usual: int = MAX_DECISIONS
    start: State = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Neighbour, tuple(getattr(self, f.name) for f in fields(self)[:-1])

    def grow(self, model: Model, out_of_time: Callable[[], bool] | None) -> Rollout:
        """Return the neighbour: a rollout whose actions begin at the initial state."""
        growth = Growth(self, model, out_of_time)
        try:
            growth.run(self.trust)
        except Exception:
            if not self.trust and self.sure:
                raise
            growth = self._checked(
                model, out_of_time, growth
            )  # a decision that did not fit: look each one up
        rollout = growth.rollout
        doubtful = not self.sure or (self.trust and growth.trusted)
        if doubtful and rollout.status is Status.COMPLETE and rollout.energy < self.best:
            rollout = self._checked(model, out_of_time, growth).rollout
        return rollout

    def _checked(self, model: Model, out_of_time: Callable[[], bool] | None, first: Growth) -> Growth:
        """Return the same neighbour with every decision looked up among those offered."""
        path = first.rollout.actions
        again = Neighbour(
            pending=(*path, *self.pending) if first.unfinished else tuple(path),
            drop=self.drop,
            polish_below=self.polish_below,
        )
        growth = Growth(again, model, out_of_time, look=True)
        growth.run(False)
        growth.rollout.nodes += first.rollout.nodes
        growth.rollout.ranked += first.rollout.ranked
        return growth


__all__ = ["HOLE", "Neighbour"]
