"""Arguments of a search, checked; and how verbosity prints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dilemma.problem import Action

if TYPE_CHECKING:
    from dilemma.search import Event

Callback: TypeAlias = "Callable[[Event], object]"


def generator(random_state: object, name: str = "random_state") -> np.random.Generator:
    """Return the generator a seed stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is not None and (
        isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer))
    ):
        raise TypeError(
            f"{name}: expected an int, a numpy Generator or None, got {type(random_state).__name__}"
        )
    if random_state is not None and random_state < 0:
        raise ValueError(f"{name}: expected an int >= 0, got {random_state}")
    return np.random.default_rng(random_state)


def identity(actions: tuple[Action, ...], commutative: bool) -> int:
    """Return a hash that tells solutions apart, whatever the order of actions that commute."""
    if not commutative:
        return hash(actions)
    different = frozenset(actions)
    return hash(different if len(different) == len(actions) else frozenset(Counter(actions).items()))


def hashable(action: object) -> bool:
    """Return whether an action can be told apart by its hash."""
    try:
        hash(action)
    except TypeError:
        return False
    return True


def warm_actions(warm_start: object) -> tuple[Action, ...] | None:
    """Return the actions of the solution a user gave, if there is one."""
    if warm_start is None:
        return None
    if not isinstance(warm_start, Iterable):
        raise TypeError(
            f"warm_start: expected a sequence of actions, such as another result's `actions`, "
            f"got {type(warm_start).__name__}"
        )
    return tuple(warm_start)


def callback_list(callbacks: Any, verbose: object) -> tuple[Callback, ...]:
    """Return the callbacks a user gave, and the printer that `verbose` asks for."""
    if not isinstance(verbose, (bool, int, np.integer)) or verbose < 0:
        raise TypeError(
            f"verbose: expected 0 (silent), 1 (improvements) or 2 (every candidate), got {verbose!r}"
        )
    if callable(callbacks):
        callbacks = (callbacks,)
    if not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks: expected functions of an Event, got {type(callbacks).__name__}")
    given = tuple(callbacks)
    for callback in given:
        if not callable(callback):
            raise TypeError(f"callbacks: expected functions of an Event, got {type(callback).__name__}")
    return (*given, _printer(int(verbose))) if verbose else given


def _printer(verbose: int) -> Callback:
    """Return a callback that prints improvements (1) or every candidate (2 and more) to stderr."""

    def show(event: Event) -> None:
        if event.improved or verbose > 1:
            mark = "*" if event.improved else " "
            print(
                f"{mark} candidate {event.iteration:>7}  energy {event.energy:>16.10g}  "
                f"best {event.incumbent:>16.10g}  {event.seconds:9.3f} s",
                file=sys.stderr,
            )

    return show
