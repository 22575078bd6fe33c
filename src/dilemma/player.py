"""Plays rollouts on a user's problem and compares what its methods say with what they promised."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from dilemma.errors import ProblemError
from dilemma.findings import Report
from dilemma.problem import Action, Model, State, offered
from dilemma.ranking import ranked


class Stopped(Exception):
    """A rollout cannot go on; the finding is noted."""


class Player:
    """Plays rollouts and compares what the methods say with what they promised."""

    def __init__(self, model: Model, report: Report, rng: np.random.Generator, max_depth: int) -> None:
        self.model, self.report, self.rng, self.max_depth = model, report, rng, max_depth
        self.known: set[Action] = set()
        self.by_key: dict[Hashable, frozenset[Action]] = {}
        self.infeasible = 0

    def play(self, *, greedy: bool) -> bool:
        """Build one solution; return False if there is no point in building another."""
        try:
            path, states, energy = self._rollout(greedy)
        except Stopped:
            return False
        self.report.rollouts += 1
        self.infeasible += energy == math.inf
        self._check_bound(path, states, energy)
        self._check_order(path, energy)
        self._check_polish(states[-1], energy)
        return True

    def _call(self, name: str, *args: Any) -> Any:
        """Call a method of the problem; an exception is a finding."""
        method: Callable[..., Any] = getattr(self.model, name)
        try:
            return method(*args)
        except Exception as error:
            at = "a state without actions" if name == "energy" else "a state reached by offered actions"
            remedy = (
                "actions must be empty only in complete states; return inf for a solution that is not feasible"
                if name == "energy"
                else "handle every state that apply can produce"
            )
            self.report.add(name, f"it raised {type(error).__name__}: {error} in {at}", remedy)
            raise Stopped from error

    def _rollout(self, greedy: bool) -> tuple[list[Action], list[State], float]:
        state = self._call("initial")
        if not _alike(state, self._call("initial")):
            self.report.add(
                "initial", "two calls gave different states", "return the same empty solution each time"
            )
        path: list[Action] = []
        states = [state]
        while True:
            actions, scores = self._offer(state)
            if not len(actions):
                return path, states, self._energy(state)
            if len(path) >= self.max_depth:
                self.report.add(
                    "actions",
                    f"still not empty after {self.max_depth} decisions",
                    "a complete solution must offer no action; raise max_depth if solutions are that long",
                )
                raise Stopped
            index = ranked(actions, scores)[0] if greedy else int(self.rng.integers(len(actions)))
            action = actions[index]
            before = _print_of(state)
            child = self._call("apply", state, action)
            if before is not None and _print_of(state) != before:
                self.report.add(
                    "apply",
                    "it changed the state it was given",
                    "build a new state, such as (*state, action) or a copy",
                )
                raise Stopped
            if not _alike(child, self._call("apply", state, action)):
                self.report.add(
                    "apply",
                    "the same action led to two different states",
                    "let it depend on its arguments alone: draw no random numbers, change nothing of self",
                )
            path.append(action)
            states.append(child)
            state = child

    def _offer(self, state: State) -> tuple[list[Action], list[float]]:
        before = _print_of(state)
        first = self._read(state)
        if before is not None and _print_of(state) != before:
            self.report.add(
                "actions", "it changed the state it was given", "compute the offer without side effects"
            )
            raise Stopped
        if first != self._read(state):
            self.report.add(
                "actions",
                "two calls on the same state gave different offers",
                "return the same actions and scores for the same state; no random numbers, no iteration over sets",
            )
        self._check_offer(state, *first)
        return first

    def _read(self, state: State) -> tuple[list[Action], list[float]]:
        raw = self._call("actions", state)
        try:
            actions, scores = offered(raw)
            names = actions.tolist() if isinstance(actions, np.ndarray) else list(actions)
            return names, [float(s) for s in scores]
        except (ProblemError, TypeError, ValueError) as error:
            self.report.add(
                "actions",
                f"the offer cannot be read: {error}",
                "return (action, score) pairs with real scores",
            )
            raise Stopped from error

    def _check_offer(self, state: State, actions: list[Action], scores: list[float]) -> None:
        report = self.report
        if any(s != s for s in scores):
            where = next(a for a, s in zip(actions, scores, strict=True) if s != s)
            report.add(
                "actions", f"the score of {where!r} is NaN", "give a real score, or leave the action out"
            )
            raise Stopped
        try:
            distinct = set(actions)
        except TypeError:
            odd = next(a for a in actions if not isinstance(a, Hashable))
            report.add("actions", f"{odd!r} is not hashable", "use numbers, strings or tuples as actions")
            raise Stopped from None
        if len(distinct) < len(actions):
            report.add("actions", "the same action was offered twice", "offer each action once")
        if self.model.legal is not None:
            self._check_legal(state, actions)
        self.known |= distinct
        if self.model.key is not None:
            key = self._call("key", state)
            if not isinstance(key, Hashable):
                report.add("key", f"{key!r} is not hashable", "return a number, a string or a tuple")
                raise Stopped
            if self.by_key.setdefault(key, frozenset(distinct)) != distinct:
                report.add(
                    "key",
                    "two states with the same key offer different actions",
                    "put all that the future depends on into the key",
                )

    def _check_legal(self, state: State, actions: list[Action]) -> None:
        """What is offered must be legal. More may be (a rule may offer only its next item), until all is done."""
        for action in actions:
            if not self._call("legal", state, action):
                self.report.add(
                    "legal",
                    f"it disagrees with actions: it refuses {action!r}, which is offered",
                    "allow at least what actions offers",
                )
                return
        others = [] if actions else [a for a in self.known if self._call("legal", state, a)]
        if others:
            self.report.add(
                "legal",
                f"it disagrees with actions: it allows {others[0]!r} where nothing is offered any more",
                "allow nothing in a complete state, and nothing that does not fit",
            )

    def _energy(self, state: State) -> float:
        value = self._call("energy", state)
        try:
            energy = float(value)
        except (TypeError, ValueError):
            energy = math.nan
        if energy != energy or energy == -math.inf:
            self.report.add(
                "energy",
                f"it returned {value!r} for a state without actions",
                "return a real number, lower is better, inf if the solution is not feasible",
            )
            raise Stopped
        if self._call("energy", state) != value:
            self.report.add(
                "energy", "two calls on the same state differ", "return the same number for the same state"
            )
        return energy

    def _check_bound(self, path: list[Action], states: list[State], energy: float) -> None:
        if self.model.bound is None:
            return
        slack = 1e-9 * max(1.0, abs(energy)) if math.isfinite(energy) else 0.0
        for i, state in enumerate(states):
            bounds = [self._call("bound", state)]
            if self.model.bound_knows_banned:
                others = [a for a in self.known if a not in path]
                bounds.append(self._call("bound", state, frozenset(others[:: max(1, len(others) // 3)])))
            for bound in bounds:
                if not bound <= energy + slack:
                    self.report.add(
                        "bound",
                        f"it said {bound} after {i} decisions, and a solution of energy {energy} was reached",
                        "never return more than the least energy reachable; the proof and the pruning rest on it",
                    )
                    return

    def _check_order(self, path: list[Action], energy: float) -> None:
        if not self.model.commutative or len(path) < 2:
            return
        state = self.model.initial()
        order = self.rng.permutation(len(path)).tolist()
        for i in order:
            if path[i] in self._read(state)[0]:  # one that has become pointless may be left out
                state = self._call("apply", state, path[i])
        again = self._energy(state) if not self._read(state)[0] else math.nan
        if not (again <= energy or math.isclose(again, energy, rel_tol=1e-9, abs_tol=1e-12)):
            self.report.add(
                "commutative",
                f"the same actions in another order gave energy {again} instead of {energy}",
                "set commutative = False",
            )

    def _check_polish(self, state: State, energy: float) -> None:
        if self.model.polish is None:
            return
        polished = self._call("polish", state)
        if self._read(polished)[0]:
            self.report.add("polish", "it returned an incomplete state", "return a complete one")
        elif self._energy(polished) > energy:
            self.report.add(
                "polish", "it made a solution worse", "return the state itself when nothing improves it"
            )

    def conclude(self) -> None:
        """Note what only shows over many rollouts."""
        if self.infeasible:
            self.report.add(
                "energy",
                f"{self.infeasible} of {self.report.rollouts} rollouts ended in a dead end (energy inf)",
                "if the greedy can see it coming, leave such actions out or score them low",
                "warning",
            )


def _print_of(state: State) -> bytes | None:
    """Return something that changes when the state does, or None if it cannot be told."""
    for thing in (state, _parts(state)):
        try:
            return pickle.dumps(thing)
        except Exception:
            text = repr(thing)
            if " object at 0x" not in text:
                return text.encode()
    return None


def _parts(state: State) -> dict[str, Any]:
    """Return the attributes of an object."""
    slots = [name for cls in type(state).__mro__ for name in getattr(cls, "__slots__", ())]
    held = {name: getattr(state, name) for name in slots if hasattr(state, name)}
    return {**held, **getattr(state, "__dict__", {})}


def _alike(a: State, b: State) -> bool:
    """Return False only if two states are certainly different."""
    one, two = _print_of(a), _print_of(b)
    if one is None or one == two:
        return True
    compare: object = type(a).__eq__
    if compare is object.__eq__:  # equal only to itself: look at what it holds
        mine, other = _parts(a), _parts(b)
        return type(a) is not type(b) or all(_alike(mine[k], other[k]) for k in mine.keys() & other.keys())
    try:
        return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)
    except Exception:
        return True
