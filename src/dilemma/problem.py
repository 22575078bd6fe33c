"""What a user brings: four methods, and optional powers found by their names.

A problem is the paper's (S, A, P, E): states, actions, a greedy's own scores f(A|S) from which P(A|S) is
estimated, and the energy E of a complete solution, lower is better. Any object with the four methods will do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from dilemma.errors import ProblemError

State: TypeAlias = Any
Action: TypeAlias = Hashable
Offer: TypeAlias = "Iterable[tuple[Action, float]] | tuple[Sequence[Action], Sequence[float]]"


@runtime_checkable
class Problem(Protocol):
    """The four methods every problem has.

    Two class attributes are read when present: ``commutative = True`` says that the order of actions does not
    matter (each *set* of actions is then searched once), and ``normalise`` says how scores become
    probabilities (see `dilemma.likelihood`).
    """

    def initial(self) -> State:
        """Return the empty solution."""

    def actions(self, state: State) -> Offer:
        """Return what may be done in `state`, with scores: higher is better. Nothing means complete.

        Either ``(action, score)`` pairs in any order, or a tuple of two parallel lists or arrays
        ``(actions, scores)``. Equal scores are taken in the order offered.
        """

    def apply(self, state: State, action: Any) -> State:
        """Return the state that follows; never change `state`."""

    def energy(self, state: State) -> float:
        """Return the cost of a complete solution, lower is better; ``inf`` if it is not feasible."""


class Bounded(Problem, Protocol):
    """A problem that can say how good anything below a state could be: pruning, and proofs."""

    def bound(self, state: State) -> float:
        """Return a number no energy reachable from `state` is below.

        With a second parameter ``banned``, a frozenset of actions that will not be taken from here on, the
        bound of a commutative problem becomes sharper.
        """


class Keyed(Problem, Protocol):
    """A problem that recognises states it has met: duplicates are skipped."""

    def key(self, state: State) -> Hashable:
        """Return something equal for two states only if the same energies are reachable from both."""


class Polishing(Problem, Protocol):
    """A problem with a local improvement of its own."""

    def polish(self, state: State) -> State:
        """Return a complete state at least as good as the complete `state`, always the same one."""


class Decided(Polishing, Protocol):
    """A problem that can tell how a polished solution is built, so that the search can go on from it."""

    def decisions(self, state: State) -> Iterable[Action]:
        """Return actions that lead from the initial state to one of the same energy as the complete `state`."""


class Legal(Problem, Protocol):
    """A problem that can tell whether one action may be taken, without ranking all of them."""

    def legal(self, state: State, action: Any) -> bool:
        """Return whether `action` may be taken in `state`.

        True for whatever ``actions(state)`` offers. It may allow more, where `actions` offers only the
        candidates of a rule (the places of the next item, say): replayed decisions may then come in any order.
        Nothing is legal in a complete state.
        """


class Described(Problem, Protocol):
    """A problem with names for its actions, for people."""

    def describe(self, action: Any) -> str:
        """Return a short name."""


class Model:
    """A problem with its methods looked up once and its optional powers resolved.

    Parameters
    ----------
    problem : Problem
        The user's object.

    Raises
    ------
    TypeError
        If one of the four methods is missing or an optional one is not callable.
    """

    __slots__ = (
        "actions",
        "apply",
        "bound",
        "bound_knows_banned",
        "commutative",
        "decisions",
        "energy",
        "initial",
        "key",
        "legal",
        "normalise",
        "polish",
        "problem",
        "related",
    )

    def __init__(self, problem: Problem) -> None:
        missing = [
            n for n in ("initial", "actions", "apply", "energy") if not callable(getattr(problem, n, None))
        ]
        if missing:
            raise TypeError(
                f"problem: expected an object with methods initial, actions, apply and energy; "
                f"{type(problem).__name__} lacks {', '.join(missing)}"
                + (" (got the class: pass an instance)" if inspect.isclass(problem) else "")
            )
        if inspect.isclass(problem):
            raise TypeError(f"problem: expected an instance, got the class {problem.__name__}; call it first")
        self.problem = problem
        self.initial: Callable[[], State] = problem.initial
        self.actions: Callable[[State], Offer] = problem.actions
        self.apply: Callable[[State, Action], State] = problem.apply
        self.energy: Callable[[State], float] = problem.energy
        bound = _power(problem, "bound")
        sharp = bound is not None and _takes_two(bound)
        self.bound: Callable[..., float] | None = _with_default(bound) if sharp else bound
        self.key: Callable[[State], Hashable] | None = _power(problem, "key")
        self.polish: Callable[[State], State] | None = _power(problem, "polish")
        self.decisions: Callable[[State], Iterable[Action]] | None = _power(problem, "decisions")
        self.legal: Callable[[State, Action], bool] | None = _power(problem, "legal")
        self.related: Callable[[Action, Action], float] | None = _power(problem, "related")
        self.commutative = bool(getattr(problem, "commutative", False))
        self.normalise: Any = getattr(problem, "normalise", None)
        self.bound_knows_banned = sharp and self.commutative

    def replay(self, actions: Iterable[Action]) -> State:
        """Return the state a sequence of actions leads to."""
        state = self.initial()
        for action in actions:
            state = self.apply(state, action)
        return state

    def steps(self, actions: Iterable[Action]) -> Iterator[tuple[State, Action]]:
        """Yield each action of a sequence with the state it is taken in."""
        state = self.initial()
        for action in actions:
            yield state, action
            state = self.apply(state, action)

    def may(self, state: State, action: Action) -> bool:
        """Return whether an action may be taken: the problem's own word, or else whether it is offered."""
        if self.legal is not None:
            return bool(self.legal(state, action))
        names = offered(self.actions(state))[0]
        return action in (names.tolist() if isinstance(names, np.ndarray) else names)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.problem,)


def _power(problem: object, name: str) -> Any:
    method = getattr(problem, name, None)
    if method is not None and not callable(method):
        raise TypeError(
            f"problem.{name}: expected a method, got {type(method).__name__}; rename the attribute"
        )
    return method


def _with_default(bound: Callable[..., float]) -> Callable[..., float]:
    """Return a bound whose second parameter may be left out."""

    def with_default(state: State, banned: frozenset[Action] = frozenset()) -> float:
        return bound(state, banned)

    return with_default


def _takes_two(bound: Callable[..., float]) -> bool:
    try:
        inspect.signature(bound).bind(None, frozenset())
    except (TypeError, ValueError):
        return False
    return True


def offered(offer: Any) -> tuple[Any, Any]:
    """Return what `actions` gave as two parallel sequences.

    A tuple of two lists or arrays is taken as it is; anything else must be ``(action, score)`` pairs.

    >>> offered([("a", 2.0), ("b", 1.0)])
    (('a', 'b'), (2.0, 1.0))
    >>> offered((["a", "b"], [2.0, 1.0]))
    (['a', 'b'], [2.0, 1.0])
    """
    if type(offer) is tuple and len(offer) == 2 and type(offer[1]) is np.ndarray:  # the fast way, first
        actions, scores = offer
        if (
            scores.ndim == 1
            and len(actions) == len(scores)
            and isinstance(actions, (np.ndarray, list, range))
        ):
            return offer
    if type(offer) is list and offer:
        try:
            actions, scores = zip(*offer, strict=True)
        except (TypeError, ValueError):
            raise _malformed(offer) from None
        return actions, scores
    if isinstance(offer, tuple) and len(offer) == 2 and _parallel(offer[0]) and _parallel(offer[1]):
        if len(offer[0]) != len(offer[1]):
            raise ProblemError(
                f"actions: expected as many scores as actions, got {len(offer[0])} actions and "
                f"{len(offer[1])} scores; return two sequences of equal length"
            )
        if isinstance(offer[1], np.ndarray) and offer[1].ndim != 1:
            raise ProblemError(f"actions: expected 1-d scores, got an array of shape {offer[1].shape}")
        return offer
    try:
        pairs: list[Any] = list(offer)
        if not pairs or pairs == [(), ()]:  # two empty tuples can only mean no actions and no scores
            return (), ()
        actions, scores = zip(*pairs, strict=True)
    except (TypeError, ValueError):
        raise _malformed(offer) from None
    return actions, scores


def checked_energy(model: Model, state: State) -> float:
    """Return the energy of a complete state as a float."""
    energy = model.energy(state)
    try:
        value = float(energy)
    except (TypeError, ValueError):
        raise ProblemError(
            f"energy: expected a real number, got {type(energy).__name__}; return a float, lower is better"
        ) from None
    if value != value:
        raise ProblemError("energy: expected a real number, got NaN; return inf for an infeasible solution")
    return value


def _parallel(part: object) -> bool:
    return isinstance(part, (list, np.ndarray, range))


def _malformed(offer: object) -> ProblemError:
    return ProblemError(
        f"actions: expected (action, score) pairs or a tuple of two lists or arrays (actions, scores), "
        f"got {type(offer).__name__} {str(offer)[:80]}; return for example [(action, score), ...]"
    )
