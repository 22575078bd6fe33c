"""The user's own local improvement, applied to a complete state, and the decisions that lead to what it returns.

A polished solution is worth more when the search can go on from it, and for that it must be known as a sequence of
decisions. A problem may say so itself, by ``decisions(state)``. Where it does not, the sequence is read off the
state if it is plain to see there: when the state, or one part of it, *is* the sequence of actions taken so far.
Either way the decisions are taken again, and count only if they lead to the same energy.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.problem import Action, Model, State, checked_energy

if TYPE_CHECKING:
    from dilemma.rollout import Rollout


def evaluate(
    model: Model, state: State, prefix: tuple[Action, ...], rollout: Rollout, polish_below: float
) -> None:
    """Enter the energy of a complete state into its rollout; polish it first, if it is good enough for that.

    Parameters
    ----------
    model, state : Model, State
        The problem and the complete state.
    prefix : tuple of actions
        What was done before the rollout's own actions.
    rollout : Rollout
        Its ``energy`` is set; where there is a polish, ``raw`` and ``improved`` as well.
    polish_below : float
        Polish only what has at most this energy as it is.
    """
    rollout.energy = checked_energy(model, state)
    if model.polish is None:
        return
    rollout.raw = rollout.energy
    if rollout.raw > polish_below:
        return
    polished = model.polish(state)
    energy = checked_energy(model, polished)
    if energy < rollout.raw:
        rollout.energy = energy
        rollout.improved = decisions_of(model, polished, energy, state, (*prefix, *rollout.actions))


class Promising:
    """Which candidates are worth a polish: the better half of the latest, by their energy as they are."""

    def __init__(self) -> None:
        self._latest: deque[float] = deque(maxlen=64)

    def note(self, rollout: Rollout) -> None:
        """Take a candidate into account; nothing happens where the problem has no polish."""
        if rollout.raw == rollout.raw:
            self._latest.append(rollout.raw)

    def threshold(self) -> float:
        """Return the energy up to which to polish; ``inf`` for the first few."""
        latest = self._latest
        return sorted(latest)[len(latest) // 2] if len(latest) >= 8 else math.inf


def decisions_of(
    model: Model, polished: State, energy: float, state: State, path: Sequence[Action]
) -> tuple[Action, ...] | None:
    """Return actions that lead to a state of this energy, or None if they cannot be told.

    Parameters
    ----------
    polished, energy : State, float
        The state in question and its energy.
    state, path : State, sequence of actions
        Another complete state and the actions that lead to it: an example of how states show their actions.
    """
    if model.decisions is not None:
        actions: Any = model.decisions(polished)
    else:
        actions = _read_off(polished, state, list(path))
    if actions is None:
        return None
    try:
        found = tuple(actions)
        return found if checked_energy(model, model.replay(found)) == energy else None
    except Exception:
        if model.decisions is not None:
            raise
        return None  # what looked like a sequence of actions was not one


def _read_off(polished: State, state: State, path: list[Action]) -> list[Action] | None:
    """Return the part of `polished` that corresponds to the part of `state` that is its path."""
    pairs = [(polished, state)]
    if isinstance(state, tuple) and isinstance(polished, tuple) and len(state) == len(polished):
        pairs += zip(polished, state, strict=True)
    for new, old in pairs:
        if not isinstance(old, (tuple, list, np.ndarray)) or type(old) is not type(new):
            continue
        before, after = (np.asarray(x).tolist() if isinstance(x, np.ndarray) else list(x) for x in (old, new))
        start = len(before) - len(path)
        if path and 0 <= start <= 1 and len(after) == len(before) and before[start:] == path:
            return after[start:] if before[:start] == after[:start] else None
    return None
