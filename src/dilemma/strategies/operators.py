"""Operators of the large-neighbourhood search: each makes one `Neighbour` of the current path, or none.

A path is a sequence of decisions with the states between them. *Deviations* take a decision the greedy ranked well
but did not take, and arrange what follows around it; *frees* give up some decisions and let the greedy, with noise
or with a ban, choose again. None knows anything of the problem but what the greedy says.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from dilemma.likelihood import Likelihood
from dilemma.problem import Action, Model, State, offered
from dilemma.strategies.neighbourhood import HOLE, Neighbour
from dilemma.strategies.path import Path


class Operators:
    """What operators share: the current path, the random generator, the scale of noise.

    Attributes
    ----------
    path : Path
        The current solution; `sure` if each of its decisions was looked up once.
    noise : float
        The middle log gap the greedy met: the scale of noise.
    settings : dict
        What every neighbour is to be told besides what its operator says.
    """

    def __init__(self, model: Model, likelihood: Likelihood, noise: float, rng: random.Random) -> None:
        self.model, self.likelihood, self.noise, self.random = model, likelihood, noise, rng
        self.path: Path = Path(model, likelihood, (), math.inf)
        self.settings: dict[str, Any] = {}
        self.uses = 0
        self._effects: dict[Action, dict[Action, float]] = {}
        self._first: dict[Action, float] | None = None

    # -- shared pieces -----------------------------------------------------------------------------------

    def some(self) -> int:
        """Return how many decisions to free: from one to a quarter, small numbers as likely as large ones."""
        return max(1, round(math.pow(len(self.path) / 4.0, self.random.random())))

    def plan(self, start: int, **settings: Any) -> Neighbour:
        """Return the neighbour that keeps the first `start` decisions."""
        path = self.path
        return Neighbour(
            kept=path.actions[:start],
            start=path.state(start),
            sure=path.sure,
            drop=self.model.commutative,
            likelihood=self.likelihood,
            usual=len(path),
            **self.settings,
            **settings,
        )

    def noisy(self) -> dict[str, Any]:
        """Return noise for the greedy, from little to a few times the usual gap."""
        return {
            "noise": self.noise * 4.0 ** self.random.uniform(-1, 1),
            "seed": self.random.getrandbits(30),
        }

    def deviation(self) -> tuple[int, Action, int | None] | None:
        """Return a position, an action to take there instead, and where the path takes that action now.

        The cheapest of three random ones by log-score.
        """
        path, rnd = self.path, self.random
        best: tuple[float, int, Action, int | None] | None = None
        for _ in range(3):
            at = rnd.randrange(len(path))
            options = path.options(at)
            if options:
                gap, action = options[min(int(rnd.expovariate(0.4)), len(options) - 1)]
                if best is not None and gap >= best[0]:
                    continue
                where = path.position(action)
                if where is not None and where <= at:
                    continue  # taken before, as far as is remembered
                if where is not None and len(path.at or ()) < len(path):
                    where = path.actions.index(action, at + 1)  # the next of several
                best = (gap, at, action, where)
        return None if best is None else best[1:]

    def exchange(self) -> tuple[int, Action, int] | None:
        """Return a deviation whose action the path takes later."""
        found = self.deviation()
        return None if found is None or found[2] is None else (found[0], found[1], found[2])

    # -- deviations: one other decision, what follows arranged around it -----------------------------------

    def insert(self) -> Neighbour | None:
        """Take an action now, all else as before."""
        if (found := self.deviation()) is None:
            return None
        i, action, j = found
        rest = self.path.actions
        if j is not None:
            return self.plan(i, pending=(action, *rest[i:j], *rest[j + 1 :]))
        return self.plan(i, pending=(action, *rest[i if self.model.commutative else i + 1 :]))

    def swap(self) -> Neighbour | None:
        """Let two decisions change places."""
        if (found := self.exchange()) is None:
            return None
        i, action, j = found
        rest = self.path.actions
        return self.plan(i, pending=(action, *rest[i + 1 : j], rest[i], *rest[j + 1 :]))

    def reverse(self) -> Neighbour | None:
        """Turn round all decisions up to that action."""
        if (found := self.exchange()) is None:
            return None
        i, _, j = found
        rest = self.path.actions
        return self.plan(i, pending=(*rest[i : j + 1][::-1], *rest[j + 1 :]))

    def block(self) -> Neighbour | None:
        """Move a short run of decisions here, as it is or turned round."""
        if (found := self.exchange()) is None:
            return None
        i, _, j = found
        rest, length = self.path.actions, 2 + min(int(self.random.expovariate(0.5)), len(self.path) // 4)
        if self.random.random() < 0.5:
            run, end = rest[j : j + length], j + length
        else:
            begin = max(i + 1, j - length + 1)
            run, j, end = rest[begin : j + 1][::-1], begin, j + 1
        return self.plan(i, pending=(*run, *rest[i:j], *rest[end:]))

    def delay(self) -> Neighbour | None:
        """Move a short run of decisions from here to just before or behind that action."""
        if (found := self.exchange()) is None:
            return None
        i, _, j = found
        rest = self.path.actions
        end = min(i + 1 + int(self.random.expovariate(1.0)), j)
        j += self.random.random() < 0.5
        run = rest[i:end]
        if self.random.random() < 0.5:
            run = run[::-1]
        return self.plan(i, pending=(*rest[end:j], *run, *rest[j:]))

    def reverse_before(self) -> Neighbour | None:
        """Turn round the decisions from the one before the deviation up to that action, without it."""
        if (found := self.exchange()) is None or not found[0]:
            return None
        i, _, j = found
        rest = self.path.actions
        return self.plan(i - 1, pending=(*rest[i - 1 : j][::-1], *rest[j:]))

    def block_before(self) -> Neighbour | None:
        """Move a short run that ends with that action to before the decision that precedes the deviation."""
        if (found := self.exchange()) is None or not found[0]:
            return None
        i, _, j = found
        rest, length = self.path.actions, 1 + int(self.random.expovariate(0.7))
        if self.random.random() < 0.5:
            begin, end = max(i, j - length + 1), j + 1
            run = rest[begin:end]
        else:
            begin, end = j, j + length
            run = rest[begin:end][::-1]
        return self.plan(i - 1, pending=(*run, *rest[i - 1 : begin], *rest[end:]))

    def delay_before(self) -> Neighbour | None:
        """Move a short run about the decision that precedes the deviation next to that action."""
        if (found := self.exchange()) is None or not found[0]:
            return None
        i, _, j = found
        rest, length = self.path.actions, 1 + int(self.random.expovariate(0.7))
        if self.random.random() < 0.5:  # the decision is the last of the run
            begin, end = max(0, i - length), i
            run = rest[begin:end][::-1]
        else:
            begin, end = i - 1, min(i - 1 + length, j)
            run = rest[begin:end]
        if self.random.random() < 0.5:
            run, j = run[::-1], j - 1  # in front of that action, the decision beside it
        return self.plan(begin, pending=(*rest[end : j + 1], *run, *rest[j + 1 :]))

    def tree(self) -> Neighbour | None:
        """Take another action and go on greedily: a step of the tree search."""
        if (found := self.deviation()) is None:
            return None
        return self.plan(found[0], pending=(found[1],))

    # -- frees: give decisions up, choose again --------------------------------------------------------------

    def segment(self) -> Neighbour | None:
        """Choose a run of decisions again by the noisy greedy, then take the others as before."""
        count = self.some()
        i = self.random.randrange(max(1, len(self.path) - count))
        return self.plan(i, free=count, pending=self.path.actions[i:], **self.noisy())

    def last(self) -> Neighbour | None:
        """Give up some decisions, keep the others, and let the noisy greedy fill up."""
        return self._free(**self.noisy())

    def banned(self) -> Neighbour | None:
        """Give up some decisions, keep the others, and let the greedy fill up with anything else."""
        return self._free(ban=True)

    def _chosen(self) -> set[int]:
        """Return positions to free: a run, a random choice, or decisions that rank well in each other's place."""
        path, rnd, total = self.path, self.random, len(self.path)
        path.position(None)
        count, kind = min(self.some() + 1, total), rnd.random()
        if kind < 0.25:
            begin = rnd.randrange(total)
            return set(range(begin, min(total, begin + count)))
        if kind < 0.6:
            return set(rnd.sample(range(total), count))
        chosen = [rnd.randrange(total)]
        for _ in range(3 * count):
            options = path.options(chosen[rnd.randrange(len(chosen))])
            if options:
                where = path.position(options[min(int(rnd.expovariate(0.4)), len(options) - 1)][1])
                if where is not None and where not in chosen:
                    chosen.append(where)
            if len(chosen) >= count:
                break
        return set(chosen)

    def _free(self, ban: bool = False, **settings: Any) -> Neighbour:
        count, actions = self.some(), self.path.actions
        if self.model.commutative:  # the path's order is a random one already: free its end, replay nothing
            start = len(actions) - count
            if ban:
                settings["banned"] = frozenset(actions[start:])
            return self.plan(max(0, start), **settings)
        chosen = self._chosen()
        start = min(chosen)
        if ban:
            settings["banned"] = frozenset(actions[i] for i in chosen)
        pending = tuple(a for i, a in enumerate(actions[start:], start) if i not in chosen)
        return self.plan(start, pending=pending, **settings)

    def redo(self) -> Neighbour | None:
        """Choose some decisions anew where they stand, from what the others leave."""
        chosen = self._chosen()
        start = min(chosen)
        rest = self.path.actions[start:]
        pending = tuple(HOLE if i in chosen else a for i, a in enumerate(rest, start))
        banned = frozenset(a for i, a in enumerate(rest, start) if i not in chosen)
        if len(self.path.at or ()) < len(self.path):
            banned = frozenset()
        noise = self.noisy() if self.random.random() < 0.8 else {}
        return self.plan(start, pending=pending, banned=banned, **noise)

    def suffix(self) -> Neighbour | None:
        """Choose the end of the path again by the noisy greedy."""
        return self.plan(max(0, len(self.path) - self.some() - 1), **self.noisy())

    def backwards(self) -> Neighbour | None:
        """Take the same decisions in reverse order, without a few: what became needless drops out."""
        actions = self.path.actions
        chosen = set(self.random.sample(range(len(actions)), min(self.some(), len(actions))))
        noise = self.noisy() if self.random.random() < 0.5 else {}
        return self.plan(0, pending=tuple(a for i, a in enumerate(actions) if i not in chosen)[::-1], **noise)

    def chains(self) -> Neighbour | None:
        """Break a few links between decisions that follow each other, and let the greedy join the chains."""
        path, rnd = self.path, self.random
        actions, count = path.actions, len(path.actions)
        path.position(None)
        times = Counter(actions) if len(path.at or ()) < count else {}
        repeated = frozenset(a for a, n in times.items() if n > 1)
        if 2 * sum(times[a] for a in repeated) > count:
            return None
        broken = {rnd.randrange(count)}
        wanted = min(1 + self.some(), count)
        near = sorted(broken)
        while near and len(broken) < wanted:  # links near in score to those broken already
            i = near[rnd.randrange(len(near))]
            options = path.options(i) if i < count else []
            if options and rnd.random() < 0.9:
                where = path.position(options[min(int(rnd.expovariate(0.4)), len(options) - 1)][1])
                j = rnd.randrange(count) if where is None else where + (rnd.random() < 0.5)
            else:
                j = rnd.randrange(count)
            if j < count and j not in broken:
                broken.add(j)
                near.append(j)
            elif rnd.random() < 0.2:
                wanted -= 1
        start = min(broken)
        links: dict[Action, tuple[Action, ...]] = {}
        for i in range(max(0, start - 1), count):
            before = (actions[i - 1],) if i > start and i not in broken else ()
            after = (actions[i + 1],) if i + 1 < count and i + 1 not in broken else ()
            if i >= start and actions[i] not in repeated:
                links[actions[i]] = before + after
        noise = self.noisy() if rnd.random() < 0.5 else {}
        return self.plan(start, links=links, repeated=repeated, **noise)

    def due(self, every: int) -> bool:
        """Return whether so many neighbours were made since this last returned true."""
        self.uses += 1
        return self.uses % every == 1

    # -- relations ------------------------------------------------------------------------------------------

    def reorder(self) -> None:
        """Put the path of a problem whose actions commute into another order, related actions last."""
        path, rnd = self.path, self.random
        actions = list(path.actions)
        if len(actions) < 2:
            return
        rnd.shuffle(actions)
        if rnd.random() < 0.5:
            effects = self.effects(actions[-1])
            if effects:
                seed, spread = actions[-1], rnd.uniform(0.0, 0.5)
                weight = {a: effects.get(a, 0.0) + spread * rnd.random() for a in actions}
                weight[seed] = math.inf
                actions.sort(key=weight.__getitem__)
        self.path = Path(self.model, self.likelihood, tuple(actions), path.energy, sure=path.sure)

    def effects(self, action: Action) -> dict[Action, float]:
        """Return how much taking an action first changes the score of others: what it is related to."""
        known = self._effects.get(action)
        if known is not None:
            return known
        related = self.model.related
        if related is not None:
            effects = {a: float(related(action, a)) for a in self.path.actions if a != action}
            top = max(effects.values(), default=0.0)
            return {a: e / top for a, e in effects.items()} if top > 0 else {}
        initial = self.model.initial()
        if self._first is None:
            self._first = _scores(self.model, initial)
        effects = {}
        if action in self._first:
            after = _scores(self.model, self.model.apply(initial, action))
            for other, score in self._first.items():
                now = after.get(other)
                size = max(abs(score), 1e-300)
                effects[other] = 1.0 if now is None else min(abs(now - score) / size, 1.0)
            if max(effects.values(), default=0.0) > 0:
                top = max((e for a, e in effects.items() if a != action), default=0.0)
                effects = {a: e / top for a, e in effects.items() if e > 0} if top > 0 else {}
        self._effects[action] = effects
        return effects


def _scores(model: Model, state: State) -> dict[Action, float]:
    actions, scores = offered(model.actions(state))
    names = actions.tolist() if isinstance(actions, np.ndarray) else actions
    values = scores.tolist() if isinstance(scores, np.ndarray) else scores
    return dict(zip(names, map(float, values), strict=True))


Operator: TypeAlias = "Callable[[Operators], Neighbour | None]"
SEQUENCE: tuple[Operator, ...] = (
    Operators.insert, Operators.swap, Operators.reverse, Operators.reverse_before, Operators.block,
    Operators.block_before, Operators.delay, Operators.delay_before, Operators.tree, Operators.segment,
    Operators.last, Operators.banned, Operators.redo, Operators.suffix, Operators.chains,
)  # fmt: skip
SET: tuple[Operator, ...] = (
    Operators.insert, Operators.tree, Operators.last, Operators.banned, Operators.suffix, Operators.backwards,
)  # fmt: skip
