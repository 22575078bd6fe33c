"""How a rollout chooses when it is not plainly greedy: with noise, after an example, or by keys of actions.

All are plain data that travels to other processes. `begin` gives the choosing function of one rollout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dilemma.likelihood import FLOOR, Likelihood, likelihood_for
from dilemma.problem import Action, Model, State
from dilemma.ranking import ranked
from dilemma.rollout import NO_ACTIONS, Rollout

Choose: TypeAlias = "Callable[[State, Any, Any], int]"


def log_odds(likelihood: Likelihood, scores: Any) -> NDArray[np.float64]:
    """Return log P(A|S) − log P_best for every action of a state: 0 for the best, never below ``-FLOOR``.

    >>> log_odds(Likelihood(), [1.0, 2.0]).round(3).tolist()
    [-0.693, -0.0]
    """
    f = np.asarray(scores, dtype=float)
    if likelihood.custom is None:
        return np.asarray(-likelihood.gap(f.max(), f))
    order = np.argsort(-f, kind="stable")
    log_p = likelihood.log_p(f[order])
    odds = np.empty(len(f))
    odds[order] = log_p - log_p[0]
    return odds


def typical_gap(likelihood: Likelihood, rollout: Rollout) -> float:
    """Return the median log gap between best and second best that a rollout met, ties left out; 1 if all tie."""
    if likelihood.custom is not None:  # needs all scores: take the usual reading instead
        likelihood = likelihood_for(None, rollout.best, rollout.next)
    gaps = [likelihood.gap_of(b, n) for b, n in zip(rollout.best, rollout.next, strict=True) if n == n]
    return float(np.median([g for g in gaps if g > 0.0] or [1.0]))


def sendable(likelihood: Likelihood) -> Likelihood | None:
    """Return a likelihood to put into a policy: None stands for the problem's own function, which stays there."""
    return likelihood if likelihood.custom is None else None


def _own(likelihood: Likelihood | None, model: Model) -> Likelihood:
    return likelihood if likelihood is not None else Likelihood(custom=model.normalise)


@dataclass(frozen=True, slots=True)
class Noisy:
    """The greedy with Gumbel noise on log P: at scale 1 a sample of P(A|S), at scale 0 the greedy.

    Attributes
    ----------
    likelihood : Likelihood or None
        How scores become probabilities; None for the problem's own ``normalise`` function.
    scale : float
        Of the noise; P is raised to the power 1 / scale.
    seed : int
        Of this rollout's own random numbers.
    greedily : int
        How many decisions to take greedily before.
    floor : float
        What is worse than this, in log P, is taken to be only so bad: a score of 0 must not mean never.
    """

    likelihood: Likelihood | None
    scale: float
    seed: int
    greedily: int = 0
    floor: float = FLOOR

    def begin(self, model: Model) -> Choose:
        rng, calls, likelihood = np.random.default_rng(self.seed), 0, _own(self.likelihood, model)

        def choose(state: State, actions: Any, scores: Any) -> int:
            nonlocal calls
            calls += 1
            if calls <= self.greedily or len(scores) == 1:
                return top(scores)
            merit = np.maximum(log_odds(likelihood, scores), -self.floor)
            return int((merit + self.scale * rng.gumbel(size=len(merit))).argmax())

        return choose


@dataclass(frozen=True, slots=True)
class Keyed:
    """The greedy with a number added to log P of each action: priority keys.

    Attributes
    ----------
    likelihood : Likelihood or None
        How scores become probabilities; None for the problem's own ``normalise`` function.
    keys : dict
        What to add; 0 for an action without key.
    """

    likelihood: Likelihood | None
    keys: dict[Action, float]

    def begin(self, model: Model) -> Choose:
        key, likelihood = self.keys.get, _own(self.likelihood, model)

        def choose(state: State, actions: Any, scores: Any) -> int:
            bonus = np.array([key(name, 0.0) for name in names_of(actions)])
            return int((log_odds(likelihood, scores) + bonus).argmax())

        return choose


@dataclass(frozen=True, slots=True)
class Follow:
    """Decide one place anew if asked to, then as in an example wherever that is possible, then greedily.

    Attributes
    ----------
    example : tuple of actions
        The decisions to repeat.
    rank : int or None
        If given, the first decision is the action of this rank among those not in `avoid` (the last one if there
        are fewer), whatever the example says.
    avoid : frozenset of actions
        Not taken for the first decision, unless there is nothing else.
    shun : bool
        Whether the greedy avoids them too.
    waits : bool
        Whether a decision of the example that cannot be taken now may be taken later; otherwise the example is
        followed place by place, and a decision that is not possible in its place is left to the greedy.
    exchange : bool
        If the first decision is one the example takes later: whether the example's own first decision takes
        that later place, or all those between move on by one. One the example does not have replaces its own.
    """

    example: tuple[Action, ...] = ()
    rank: int | None = None
    avoid: frozenset[Action] = NO_ACTIONS
    shun: bool = False
    waits: bool = True
    exchange: bool = False

    def begin(self, model: Model) -> Choose:
        pending = list(self.example)
        rank, waits, shunned = self.rank, self.waits, self.avoid if self.shun else NO_ACTIONS
        first = rank is not None

        def choose(state: State, actions: Any, scores: Any) -> int:
            nonlocal first
            names = names_of(actions)
            if first:
                first = False
                index = _of_rank(names, scores, self.avoid, rank or 0)
                _take(pending, names[index], waits=waits, exchange=self.exchange)
                return index
            if pending and not waits:
                wanted = pending.pop(0)
                return int(names.index(wanted)) if wanted in names else top_but(names, scores, shunned)
            if pending:
                try:
                    index = int(names.index(pending[0]))
                    del pending[0]
                    return index
                except ValueError:
                    places = {name: i for i, name in enumerate(names)}
                    for position, wanted in enumerate(pending):
                        if wanted in places:
                            del pending[position]
                            return places[wanted]
            return top_but(names, scores, shunned)

        return choose


def _of_rank(names: Sequence[Action], scores: Any, avoid: frozenset[Action], rank: int) -> int:
    order = ranked(names, scores, avoid) or ranked(names, scores)
    return order[min(rank, len(order) - 1)]


def _take(pending: list[Action], chosen: Action, *, waits: bool, exchange: bool) -> None:
    """Strike a decision just taken in place of the example's first one from what is still to be done."""
    if not pending:
        return
    if not waits:  # place by place: the place is settled, and a value it had serves where it came from
        if exchange and chosen in pending[1:]:
            pending[pending.index(chosen, 1)] = pending[0]
        del pending[0]
    elif not exchange:
        if chosen in pending:
            pending.remove(chosen)
    else:
        own = pending.pop(0)
        if chosen in pending:
            pending[pending.index(chosen)] = own
        else:
            pending.append(own)


def names_of(actions: Any) -> Any:
    """Return a state's actions as a list or tuple of plain objects."""
    if isinstance(actions, (list, tuple)):
        return actions
    return actions.tolist() if isinstance(actions, np.ndarray) else list(actions)


def top(scores: Any) -> int:
    """Return the index of the best score, the first of equals."""
    return int(scores.argmax()) if isinstance(scores, np.ndarray) else int(scores.index(max(scores)))


def top_but(names: Sequence[Action], scores: Any, avoid: frozenset[Action]) -> int:
    """Return the index of the best score among the actions not to be avoided, if there are any."""
    if not avoid:
        return top(scores)
    left = [i for i, name in enumerate(names) if name not in avoid]
    return int(max(left, key=scores.__getitem__)) if left else top(scores)
