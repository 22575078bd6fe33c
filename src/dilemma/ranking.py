"""Reading an offer: the best action, the second best, all of them in order; NaN is found on the way."""

from __future__ import annotations

import math
from collections.abc import Container
from types import GeneratorType
from typing import Any, TypeAlias

import numpy as np

from dilemma.errors import ProblemError
from dilemma.problem import Action, offered

try:
    from dilemma.native import _ranking  # type: ignore[attr-defined]
except ImportError:  # no compiler when this was installed
    _ranking = None

NAN = math.nan
Front: TypeAlias = "tuple[int, Action, float, float]"
FrontAt: TypeAlias = "tuple[int, Action, float, float, float, tuple[Action, ...]]"


def front(offer: Any, banned: frozenset[Action]) -> Front:
    """Return how much an offer holds, its best action, the score of that, and the next best score.

    The first is 0 where nothing is offered and -1 where all of it is banned; with `banned` it counts no further
    than 2. The last is NaN where the best action is the only one.

    >>> front([("a", 1.0), ("b", 3.0), ("c", 2.0)], frozenset())
    (3, 'b', 3.0, 2.0)
    >>> front((["a", "b"], [1.0, 3.0]), frozenset("b"))[:3]
    (1, 'a', 1.0)
    """
    if _ranking is None:
        return front_plain(offer, banned)
    if type(offer) is GeneratorType:
        offer = list(offer)
    found: Front | None = _ranking.front(offer, banned)  # None: an unusual offer, or a wrong one
    return front_plain(offer, banned) if found is None else found


def front_plain(offer: Any, banned: frozenset[Action]) -> Front:
    """`front` in plain Python: the twin of ``native/ranking_module.cpp``, and the way for unusual offers."""
    actions, scores = offered(offer)
    count = len(actions)
    if not count:
        return 0, None, NAN, NAN
    if not banned:
        index, top, second = best_two(scores)
        return count, action_at(actions, index), top, second
    order = best_two_open(actions, scores, banned)
    if not order:
        return -1, None, NAN, NAN
    second = float(scores[order[1]]) if len(order) > 1 else NAN
    return len(order), action_at(actions, order[0]), float(scores[order[0]]), second


def front_at(offer: Any, banned: frozenset[Action], rank: int) -> FrontAt:
    """Return what `front` does for the action of a rank: with its own score, and all actions up to it, best first.

    What comes first is -1 where there are too few that are not banned; with `banned` it counts no further than
    ``rank + 2``. The next score is that of the rank after it.

    >>> front_at([("a", 1.0), ("b", 3.0), ("c", 2.0)], frozenset(), 1)
    (3, 'c', 3.0, 1.0, 2.0, ('b', 'c'))
    """
    if _ranking is None:
        return front_at_plain(offer, banned, rank)
    if type(offer) is GeneratorType:
        offer = list(offer)
    found: FrontAt | None = _ranking.front_at(offer, banned, rank)
    return front_at_plain(offer, banned, rank) if found is None else found


def front_at_plain(offer: Any, banned: frozenset[Action], rank: int) -> FrontAt:
    """`front_at` in plain Python."""
    actions, scores = offered(offer)
    if not len(actions):
        return 0, None, NAN, NAN, NAN, ()
    order = ranked(actions, scores, banned)
    count = min(len(order), rank + 2) if banned else len(order)
    if rank >= count:
        return -1, None, NAN, NAN, NAN, ()
    second = float(scores[order[rank + 1]]) if rank + 1 < count else NAN
    tried = tuple(action_at(actions, i) for i in order[: rank + 1])
    return count, tried[-1], float(scores[order[0]]), second, float(scores[order[rank]]), tried


def kernel() -> str:
    """Return what reads offers: ``"native"`` or ``"python"``."""
    return "python" if _ranking is None else str(_ranking.name)


def action_at(actions: Any, index: int) -> Action:
    """Return the action at an index, as a plain Python object."""
    action: Action = actions.item(index) if isinstance(actions, np.ndarray) else actions[index]
    return action


def best_two(scores: Any) -> tuple[int, float, float]:
    """Return the index of the best score, that score, and the second best (NaN if there is none).

    >>> best_two([1.0, 3.0, 3.0])
    (1, 3.0, 3.0)
    """
    if isinstance(scores, np.ndarray):
        index = int(scores.argmax())  # NaN wins an argmax: one test finds it
        top = float(scores[index])
        if top != top:
            raise nan_score(scores)
        if len(scores) == 1:
            return index, top, NAN
        others = scores.astype(float)  # a copy
        others[index] = -np.inf
        return index, top, float(others[others.argmax()])
    top = max(scores)
    total = sum(scores)
    if total != total and any(s != s for s in scores):
        raise nan_score(scores)
    index = scores.index(top)
    if len(scores) == 1:
        return index, float(top), NAN
    if not index:
        return index, float(top), float(max(scores[1:]))
    rest = [*scores[:index], *scores[index + 1 :]]
    return index, float(top), float(max(rest))


def ranked(actions: Any, scores: Any, banned: Container[Action] = ()) -> list[int]:
    """Return the indices of the actions that are not banned, best first, equal scores in the order offered.

    >>> ranked("abc", [1.0, 2.0, 2.0], {"b"})
    [2, 0]
    """
    if isinstance(scores, np.ndarray):
        signed = (
            scores if scores.dtype.kind in "fi" else scores.astype(float)
        )  # what is unsigned has no minus
        order = np.argsort(-signed, kind="stable").tolist()
        if scores[order[-1]] != scores[order[-1]]:  # NaN sorts last
            raise nan_score(scores)
        names = actions.tolist() if isinstance(actions, np.ndarray) else actions
    else:
        total = sum(scores)
        if total != total and any(s != s for s in scores):
            raise nan_score(scores)
        order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
        names = actions.tolist() if isinstance(actions, np.ndarray) else actions
    return [i for i in order if names[i] not in banned] if banned else order


def best_two_open(actions: Any, scores: Any, banned: Container[Action]) -> list[int]:
    """Return the indices of the two best actions that are not banned, as the first two of `ranked`.

    >>> best_two_open("abcd", [3.0, 1.0, 2.0, 2.0], {"a"})
    [2, 3]
    """
    if isinstance(scores, np.ndarray):
        left = scores.astype(float)  # a copy: what has been looked at sinks to -inf
        found: list[int] = []
        while len(found) < 2:
            index = int(left.argmax())
            if left[index] == -np.inf:  # nothing left, or scores of -inf: sort them properly
                return ranked(actions, scores, banned)[:2]
            if left[index] != left[index]:
                raise nan_score(scores)
            left[index] = -np.inf
            if action_at(actions, index) not in banned:
                found.append(index)
        return found
    total = sum(scores)
    if total != total and any(s != s for s in scores):
        raise nan_score(scores)
    names = actions.tolist() if isinstance(actions, np.ndarray) else actions
    kept = [i for i, name in enumerate(names) if name not in banned]
    if len(kept) < 2:
        return kept
    first = max(kept, key=scores.__getitem__)
    kept.remove(first)
    return [first, max(kept, key=scores.__getitem__)]


def nan_score(scores: Any) -> ProblemError:
    """Return the error for a score that is not a number."""
    where = next(i for i, s in enumerate(scores) if s != s)
    return ProblemError(
        f"actions: expected real scores, got NaN for action number {where}; "
        f"leave an action out if it must not be taken"
    )
