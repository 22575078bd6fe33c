"""Growing a neighbour: decisions taken again in three ways, and the greedy where something is left to choose.

One `Growth` is one rollout under way. It replays what its plan holds pending, by ranking each state's actions, by
the problem's own ``legal``, or on trust; follows chains of decisions; and completes greedily, noisily or not.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.errors import ProblemError
from dilemma.polish import evaluate
from dilemma.problem import Action, Model, offered
from dilemma.ranking import best_two_open, nan_score
from dilemma.rollout import MAX_DECISIONS, Rollout, Status

if TYPE_CHECKING:
    from dilemma.strategies.neighbourhood import Neighbour


class _Hole:
    """Stands in a sequence of pending decisions where the greedy is to choose anew."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "HOLE"

    def __reduce__(self) -> str:
        return "HOLE"


HOLE = _Hole()
SPARE = 64  # decisions beyond twice the usual number that a solution built on trust may take
_GUMBEL = np.random.default_rng(20160704).gumbel(
    size=1 << 14
)  # drawn once: a slice of it costs next to nothing
_HALF = len(_GUMBEL) // 2


class Growth:
    """One rollout under way."""

    def __init__(
        self,
        plan: Neighbour,
        model: Model,
        out_of_time: Callable[[], bool] | None,
        look: bool = False,
    ) -> None:
        self.plan, self.model, self.out_of_time = plan, model, out_of_time
        self.legal = None if look else model.legal
        self.rollout = Rollout()
        self.rollout.actions.extend(plan.kept)
        if plan.start is not None:
            self.state = plan.start
            self.rollout.states = []
        else:
            self.state = model.replay(plan.kept)
        self.random = random.Random(plan.seed) if plan.noise else None
        self.trusted = 0  # decisions taken without asking
        self.unfinished = True
        # After a decision that did not fit, `actions` may never be empty again.
        self.most = min(MAX_DECISIONS, 2 * plan.usual + SPARE) if plan.trust and not look else MAX_DECISIONS

    def take(self, action: Action) -> None:
        rollout = self.rollout
        self.state = self.model.apply(self.state, action)
        rollout.actions.append(action)
        if rollout.states is not None:
            rollout.states.append(self.state)

    def run(self, trust: bool) -> None:
        plan, rollout = self.plan, self.rollout
        pending = plan.pending
        if plan.free:
            if not self.choose_freely(plan.free):
                self.finish()
                return
            pending = _without(pending, rollout.actions[len(plan.kept) :])
        if trust and HOLE in pending:
            self.fill(pending)
        elif trust:
            self.replay_on_trust(pending)
        elif pending:
            if self.legal is not None:
                self.replay_legal(pending)
            else:
                self.replay_ranked(pending)
        if self.hopeless():
            rollout.status = Status.PRUNED
        elif rollout.status is Status.COMPLETE:
            if plan.links is not None:
                self.follow(plan.links)
            if rollout.status is Status.COMPLETE:
                self.choose_freely(MAX_DECISIONS)
        self.finish()

    def finish(self) -> None:
        self.unfinished = False
        rollout = self.rollout
        rollout.nodes += len(rollout.actions) - len(self.plan.kept)
        if rollout.status is Status.COMPLETE:
            evaluate(self.model, self.state, (), rollout, self.plan.polish_below)

    def hopeless(self) -> bool:
        bound = self.model.bound
        return bound is not None and self.plan.limit < math.inf and bound(self.state) >= self.plan.limit

    def replay_on_trust(self, pending: tuple[Action, ...]) -> None:
        """Take all pending decisions, asking nobody."""
        apply, state, states = self.model.apply, self.state, self.rollout.states
        path = self.rollout.actions
        done = len(path)
        if states is None:
            for action in pending:
                state = apply(state, action)
        else:
            for action in pending:
                state = apply(state, action)
                states.append(state)
        path.extend(pending)
        self.state = state
        self.trusted += len(path) - done

    def fill(self, pending: tuple[Action, ...]) -> None:
        """Take pending decisions on trust, and let the greedy choose at the holes."""
        start = 0
        while start < len(pending) and not self.late():
            stop = pending.index(HOLE, start) if HOLE in pending[start:] else len(pending)
            self.replay_on_trust(pending[start:stop])
            if stop < len(pending) and not self.choose_freely(1):
                return
            start = stop + 1

    def replay_legal(self, pending: tuple[Action, ...]) -> None:
        """Take pending decisions as the problem's own ``legal`` allows."""
        legal, drop, take = self.model.legal, self.plan.drop, self.take
        assert legal is not None
        waiting: list[Action] = []
        for action in pending:
            if waiting:
                self.take_waiting(waiting)
            if action is HOLE:
                if not self.choose_freely(1):
                    return
                continue
            if legal(self.state, action):
                take(action)
                continue
            self.rollout.misfits += 1
            if not drop:
                waiting.append(action)
        while waiting and not self.late():
            if not self.take_waiting(waiting) and not self.choose_freely(1):
                return

    def take_waiting(self, waiting: list[Action]) -> bool:
        """Take what waited and fits now; return whether anything did."""
        legal, taken = self.model.legal, False
        assert legal is not None
        at = 0
        while at < len(waiting):
            if legal(self.state, waiting[at]):
                self.take(waiting.pop(at))
                taken, at = True, 0
            else:
                at += 1
        return taken

    def replay_ranked(self, pending: tuple[Action, ...]) -> None:
        """Take pending decisions that are among those offered, looking at every state."""
        queue = list(reversed(pending))
        waiting: list[Action] = []
        while (queue or waiting) and not self.late():
            actions, scores = offered(self.model.actions(self.state))
            self.rollout.ranked += 1
            if not len(actions):
                return
            names = actions.tolist() if isinstance(actions, np.ndarray) else actions
            action, found = None, False
            for at, waited in enumerate(waiting):
                if waited in names:
                    action, found = waiting.pop(at), True
                    break
            while queue and not found:
                action = queue.pop()
                if action is HOLE:
                    action, found = self.pick(actions, scores), True
                    break
                found = action in names
                if not found:
                    self.rollout.misfits += 1
                    if not self.plan.drop:
                        waiting.append(action)
            if found:
                self.take(action)
            elif waiting:
                self.take(self.pick(actions, scores))
            self.check_length()

    def follow(self, links: dict[Action, tuple[Action, ...]]) -> None:
        """Follow chains of kept neighbours; where one ends, let the greedy choose the next chain's end."""
        left, repeated = dict(links), self.plan.repeated
        near, beside = _neighbours_left(links)
        left_over: tuple[Action, ...] = ()
        while left and not self.late():
            following = next((a for a in left_over if a in left), None)
            if following is None and repeated:
                following = next((a for a in left_over if a in repeated), None)
            if following is None:
                actions, scores = offered(self.model.actions(self.state))
                self.rollout.ranked += 1
                if not len(actions):
                    return
                names = actions.tolist() if isinstance(actions, np.ndarray) else actions
                # an end of a chain has at most one neighbour that is still to come
                ends = [i for i, a in enumerate(names) if near.get(a, 2) < 2]
                if ends:
                    part = scores[ends] if isinstance(scores, np.ndarray) else [scores[i] for i in ends]
                    following = self.pick([names[i] for i in ends], part)
                else:
                    following = self.pick(actions, scores)
            elif self.legal is not None:
                if not self.legal(self.state, following):
                    self.rollout.misfits += 1
                    left_over = ()
                    continue
            elif self.plan.trust:
                self.trusted += 1
            else:
                actions, scores = offered(self.model.actions(self.state))
                self.rollout.ranked += 1
                names = actions.tolist() if isinstance(actions, np.ndarray) else actions
                if following not in names:
                    self.rollout.misfits += 1
                    left_over = ()
                    continue
            self.take(following)
            left_over = left.pop(following, ())
            if near.pop(following, None) is not None:
                for other in beside.get(following, ()):
                    if other in near:
                        near[other] -= 1
            self.check_length()

    def choose_freely(self, count: int) -> bool:
        """Let the (noisy) greedy take `count` decisions; return whether there are more to take."""
        bound, rollout = self.model.bound, self.rollout
        for _ in range(count):
            if self.late():
                return False
            actions, scores = offered(self.model.actions(self.state))
            if not len(actions):
                return False
            rollout.ranked += 1
            self.take(self.pick(actions, scores))
            self.check_length()
            if bound is not None and self.hopeless():
                rollout.status = Status.PRUNED
                return False
        return True

    def pick(self, actions: Any, scores: Any) -> Action:
        """Return the action the (noisy) greedy takes."""
        plan = self.plan
        if self.random is not None and len(actions) > 1:
            gaps = plan.likelihood.gap(np.full(len(actions), max(scores)), np.asarray(scores, dtype=float))
            if len(gaps) <= _HALF:
                at = self.random.randrange(_HALF)
                gaps = gaps - plan.noise * _GUMBEL[at : at + len(gaps)]
            index = int(gaps.argmin())
            if plan.banned and _name(actions, index) in plan.banned:
                order = best_two_open(actions, -gaps, plan.banned)
                index = order[0] if order else index
            return _name(actions, index)
        if isinstance(scores, np.ndarray):
            index = int(scores.argmax())
            if scores[index] != scores[index]:
                raise nan_score(scores)
        else:
            top = max(scores)
            if top != top:
                raise nan_score(scores)
            index = scores.index(top)
        if plan.banned and _name(actions, index) in plan.banned:
            order = best_two_open(actions, scores, plan.banned)
            index = order[0] if order else index
        return _name(actions, index)

    def check_length(self) -> None:
        """Raise an error for a solution without end."""
        if len(self.rollout.actions) > self.most:
            raise ProblemError(
                f"actions: still not empty after {self.most} decisions; a complete solution must offer none"
            )

    def late(self) -> bool:
        if self.out_of_time is not None and self.out_of_time():
            self.rollout.status = Status.INTERRUPTED
            return True
        return False


def _neighbours_left(
    links: dict[Action, tuple[Action, ...]],
) -> tuple[dict[Action, int], dict[Action, list[Action]]]:
    """Return how many of each action's links lead to actions still to come, and whose links lead to it."""
    near: dict[Action, int] = {}
    beside: dict[Action, list[Action]] = {}
    for action, linked in links.items():
        near[action] = 0
        for other in linked:
            if other in links:
                near[action] += 1
                beside.setdefault(other, []).append(action)
    return near, beside


def _without(pending: tuple[Action, ...], chosen: list[Action]) -> tuple[Action, ...]:
    """Return what is still pending once some decisions were chosen already."""
    left = Counter(chosen)
    rest: list[Action] = []
    for action in pending:
        if left[action]:
            left[action] -= 1
        else:
            rest.append(action)
    return tuple(rest)


def _name(actions: Any, index: int) -> Action:
    action: Hashable = actions.item(index) if isinstance(actions, np.ndarray) else actions[index]
    return action
