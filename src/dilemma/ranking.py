"""Reading an offer: the best action, the second best, all of them in order; NaN is found on the way."""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Any

import numpy as np

from dilemma.errors import ProblemError
from dilemma.problem import Action

NAN = math.nan


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
