"""Growing one candidate: the inner loop of Algorithm 1 as a pure function.

`grow` takes a problem and a `Proposal` and returns a `Rollout`; it reads nothing else and changes nothing, so
it can run here, in another process or on another machine with the same outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from dilemma.errors import ProblemError
from dilemma.polish import evaluate
from dilemma.problem import Action, Model, State, offered
from dilemma.ranking import action_at, best_two, best_two_open, front, front_at, ranked

NO_ACTIONS: frozenset[Action] = frozenset()
NAN, INF = math.nan, math.inf
MAX_DECISIONS = 10_000_000  # a greedy longer than this is taken to be endless


class Status(Enum):
    """How a rollout ended."""

    COMPLETE = "complete"  # a candidate solution with an energy
    DEAD_END = "dead end"  # only actions that belong to another branch of the partition tree are left
    PRUNED = "pruned"  # the bound says nothing below beats the incumbent
    DUPLICATE = "duplicate"  # a state with this key was met before
    INTERRUPTED = "interrupted"  # time ran out on the way


class Policy(Protocol):
    """How a rollout chooses once it has left its prefix; ``None`` in a proposal means greedily.

    It is asked below the action that the proposal's rank names, if that is not 0, and is not shown what is banned.
    A policy is plain data that can be sent to another process. `begin` returns the choosing function of one
    rollout, with all state of its own (random generator, what is still to be replayed).
    """

    def begin(self, model: Model) -> Callable[[State, Any, Any], int]:
        """Return ``choose(state, actions, scores) -> index``, fresh for one rollout."""


class Plan(Protocol):
    """A way of building a candidate that is not "a prefix, then one policy": plain data with its own `grow`."""

    def grow(self, model: Model, out_of_time: Callable[[], bool] | None) -> Rollout:
        """Return the candidate, its actions counted from the initial state; a pure function."""


class Proposal(NamedTuple):
    """What to grow: take `prefix`, then the action of rank `rank`, then go on by `policy`.

    Attributes
    ----------
    prefix : tuple of actions
        Taken one after the other without ranking.
    rank : int
        Which action to take where the prefix ends: 0 the best, 1 the second best, ...
    banned : frozenset of actions
        Never taken from the end of the prefix on (partition tree of a commutative problem).
    cutoff : float
        Energy to beat: a state whose bound is not below it ends the rollout; ``inf``: none, every rollout ends in a
        candidate.
    policy : Policy or None
        How to choose below; None is greedy.
    partition : bool
        Whether the actions passed over for `rank` are banned below, as in the partition tree.
    full : bool
        Report every score at every state, best first, not only the two that make a dilemma.
    plan : Plan or None
        Builds the candidate by itself; everything else is then left at its default.
    polish_below : float
        A candidate of at most this energy is polished, where the problem can do that.
    """

    prefix: tuple[Action, ...] = ()
    rank: int = 0
    banned: frozenset[Action] = NO_ACTIONS
    cutoff: float = math.inf
    policy: Policy | None = None
    partition: bool = False
    full: bool = False
    plan: Plan | None = None
    polish_below: float = INF


@dataclass(slots=True)
class Rollout:
    """What was met while growing a proposal.

    State 0 is the one at the end of the prefix; state i follows after ``actions[i - 1]``. At every state in
    which an action was taken, `best` holds f of its best action and `next` f of the best one *not yet tried*
    (NaN when none is left).
    """

    status: Status = Status.COMPLETE
    actions: list[Action] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    next: list[float] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    skipped: tuple[Action, ...] = ()
    taken: float = NAN  # f of the first action taken
    bounds: list[float] = field(default_factory=list)
    keys: list[Hashable] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)
    energy: float = NAN
    raw: float = NAN  # the energy before any polish, where the problem has one
    improved: tuple[Action, ...] | None = None  # all actions of the polished solution, where they are known
    nodes: int = 0
    ranked: int = 0  # states whose actions a plan had to rank
    misfits: int = 0  # decisions to be replayed that were not offered when their turn came
    states: list[State] | None = None  # after each action beyond the start, where they stay in this process

    def cut(self, state: int) -> None:
        """Forget `state` and all after it: it was met before."""
        self.status = Status.DUPLICATE
        self.energy = self.raw = NAN
        self.improved = None
        self.nodes = state
        del self.actions[state:]
        del self.best[state:], self.next[state:], self.count[state:], self.bounds[state:], self.scores[state:]


def grow(
    model: Model,
    proposal: Proposal,
    *,
    seen: Container[Hashable] = (),
    out_of_time: Callable[[], bool] | None = None,
    start: tuple[int, State] | None = None,
) -> Rollout:
    """Grow one candidate solution from a proposal.

    Parameters
    ----------
    model : Model
        The problem.
    proposal : Proposal
        Where to start and how to choose.
    seen : container of keys
        Keys of states met before; the rollout ends on one of them.
    out_of_time : callable, optional
        Asked at every state; the rollout is abandoned when it says so.
    start : (int, state), optional
        A state already known, with the number of actions of the prefix that lead to it.

    Returns
    -------
    Rollout
    """
    if proposal.plan is not None:
        return proposal.plan.grow(model, out_of_time)
    taken, state = start if start is not None else (0, model.initial())
    for action in proposal.prefix[taken:]:
        state = model.apply(state, action)
    rollout = Rollout()
    banned, rank, full, cutoff = proposal.banned, proposal.rank, proposal.full, proposal.cutoff
    if (
        model.polish is not None
    ):  # what is no better below may be better once polished: only whole solutions tell
        cutoff = INF
    choose = proposal.policy.begin(model) if proposal.policy is not None else None
    plain = choose is None and not full  # below the first action: the best one, and the score of the next
    offer, apply, bound, key, sharp = (
        model.actions,
        model.apply,
        model.bound,
        model.key,
        model.bound_knows_banned,
    )
    path, best, nexts, counts, bounds = (
        rollout.actions, rollout.best, rollout.next, rollout.count, rollout.bounds
    )  # fmt: skip
    tried: tuple[Action, ...]
    rest: float | None = None  # bound of the state stood in, where it is known already
    while True:
        if out_of_time is not None and out_of_time():
            rollout.status = Status.INTERRUPTED
            break
        if plain and not rank:
            count, action, top, second = front(offer(state), banned)
            chosen, tried = top, (action,)
        elif rank and not full:
            count, action, top, second, chosen, tried = front_at(offer(state), banned, rank)
        else:
            count, action, top, second, chosen, tried = _look(
                state, offer(state), banned, rank, choose, rollout, full
            )
        if count < 1:
            if count:  # only what belongs to other branches is left
                rollout.status = Status.DEAD_END
            else:  # S is a candidate solution: Alg. 1 l.5
                evaluate(model, state, proposal.prefix, rollout, proposal.polish_below)
            break
        if not best:
            rollout.taken = chosen
        best.append(top)
        nexts.append(second)
        counts.append(count)
        if bound is not None:
            if sharp:  # on what is left below the state once these have been tried
                rest = float(bound(state, banned.union(tried)))
            elif rest is None:
                rest = float(bound(state))
            bounds.append(rest)
            rest = None
        if rank:
            if proposal.partition:  # the actions passed over belong to the branches before this one
                rollout.skipped = tried[:-1]
                banned = banned.union(rollout.skipped)
            rank = 0
        state = apply(state, action)  # Alg. 1 l.8
        path.append(action)
        if key is not None:
            mark = (key(state), banned) if banned else key(state)
            if mark in seen:
                rollout.status = Status.DUPLICATE
                break
            rollout.keys.append(mark)
        if bound is not None and cutoff < INF:
            rest = float(bound(state, banned) if sharp else bound(state))
            if rest >= cutoff:
                rollout.status = Status.PRUNED
                break
        if len(path) > MAX_DECISIONS:
            raise ProblemError(
                f"actions: still not empty after {MAX_DECISIONS} decisions; a complete solution must offer none"
            )
    rollout.nodes = len(path)
    return rollout


def _look(
    state: State,
    offer: Any,
    banned: frozenset[Action],
    rank: int,
    choose: Callable[[State, Any, Any], int] | None,
    rollout: Rollout,
    full: bool,
) -> tuple[int, Action, float, float, float, tuple[Action, ...]]:
    """Return what `front_at` does, where every score is wanted or a policy chooses."""
    actions, scores = offered(offer)
    if not len(actions):
        return 0, None, NAN, NAN, NAN, ()
    if full:
        order = ranked(actions, scores, banned)
    elif banned:
        order = best_two_open(actions, scores, banned)
    else:
        order = []
    if (banned or full) and rank >= len(order):
        return -1, None, NAN, NAN, NAN, ()
    if order:
        count, index, top = len(order), order[rank], float(scores[order[0]])
        second = float(scores[order[rank + 1]]) if rank + 1 < count else NAN
    else:
        count = len(actions)
        index, top, second = best_two(scores)
    if full:
        rollout.scores.append(np.array([scores[i] for i in order], dtype=float))
    if choose is not None and not rank:
        index = _chosen(choose, state, actions, scores, banned)
    action = action_at(actions, index)
    tried = (*(action_at(actions, i) for i in order[:rank]), action)
    return count, action, top, second, float(scores[index]), tried


def _chosen(
    choose: Callable[[State, Any, Any], int],
    state: State,
    actions: Any,
    scores: Any,
    banned: frozenset[Action],
) -> int:
    """Return what a policy chooses; it is not shown what is banned."""
    if not banned:
        return choose(state, actions, scores)
    names = actions.tolist() if isinstance(actions, np.ndarray) else actions
    left = [i for i, name in enumerate(names) if name not in banned]
    return left[choose(state, [names[i] for i in left], [scores[i] for i in left])]
