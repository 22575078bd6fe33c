"""Trying out a user's problem: which method breaks which promise, and how to mend it.

`check_problem` plays greedy and random rollouts on the object and watches. It needs no strategy and changes
nothing; a clean report does not prove that all is well, but what it finds is wrong.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dilemma.errors import ProblemError
from dilemma.problem import Action, Model, Problem, State, offered
from dilemma.ranking import ranked
from dilemma.stop import checked_count


@dataclass(frozen=True)
class Finding:
    """One broken promise.

    Attributes
    ----------
    method : str
        Where to look.
    broken : str
        What was seen.
    remedy : str
        What to change.
    severity : str
        ``error``: searches will go wrong; ``warning``: they will do less well than they could.
    """

    method: str
    broken: str
    remedy: str
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.severity}: {self.method}: {self.broken}. Remedy: {self.remedy}."


@dataclass
class Report:
    """What `check_problem` saw.

    Attributes
    ----------
    findings : list of Finding
        Broken promises, each kind once.
    rollouts : int
        How many complete solutions were built.
    """

    findings: list[Finding] = field(default_factory=list)
    rollouts: int = 0

    @property
    def ok(self) -> bool:
        """Whether no error was found; warnings may remain."""
        return not any(f.severity == "error" for f in self.findings)

    def __str__(self) -> str:
        if not self.findings:
            return f"no broken promise found in {self.rollouts} rollouts"
        return "\n".join(map(str, self.findings))

    def add(self, method: str, broken: str, remedy: str, severity: str = "error") -> None:
        """Note a finding, unless the same promise of the same method is noted already."""
        if not any(f.method == method and f.remedy == remedy for f in self.findings):
            self.findings.append(Finding(method, broken, remedy, severity))


def check_problem(
    problem: Problem, *, rollouts: int = 20, max_depth: int = 10_000, random_state: int = 0
) -> Report:
    """Try a problem and report every broken promise with its remedy.

    Parameters
    ----------
    problem : Problem
        The object to try.
    rollouts : int, default 20
        How many solutions to build: the first by the greedy, the others at random.
    max_depth : int, default 10,000
        A rollout of more decisions than this is called endless.
    random_state : int, default 0
        Seed of the random rollouts.

    Returns
    -------
    Report
        ``report.ok`` tells whether to go on; printing it tells the rest.

    Raises
    ------
    TypeError
        If the object is no problem at all.

    Examples
    --------
    >>> class Walk:
    ...     def initial(self): return []
    ...     def actions(self, state): return [("a", 1.0), ("b", 0.5)] if len(state) < 2 else []
    ...     def apply(self, state, action): state.append(action); return state
    ...     def energy(self, state): return state.count("a")
    >>> print(check_problem(Walk()).findings[0])
    error: apply: it changed the state it was given. Remedy: build a new state, such as (*state, action) or a copy.
    """
    model = Model(problem)
    report = Report()
    rng = np.random.default_rng(random_state)
    player = _Player(model, report, rng, checked_count("max_depth", max_depth))
    for i in range(checked_count("rollouts", rollouts)):
        if not player.play(greedy=i == 0):
            break
    player.conclude()
    _check_pickle(model, report)
    return report


class _Stopped(Exception):
    """A rollout cannot go on; the finding is noted."""


class _Player:
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
        except _Stopped:
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
            raise _Stopped from error

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
                raise _Stopped
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
                raise _Stopped
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
            raise _Stopped
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
            raise _Stopped from error

    def _check_offer(self, state: State, actions: list[Action], scores: list[float]) -> None:
        report = self.report
        if any(s != s for s in scores):
            where = next(a for a, s in zip(actions, scores, strict=True) if s != s)
            report.add(
                "actions", f"the score of {where!r} is NaN", "give a real score, or leave the action out"
            )
            raise _Stopped
        try:
            distinct = set(actions)
        except TypeError:
            odd = next(a for a in actions if not isinstance(a, Hashable))
            report.add("actions", f"{odd!r} is not hashable", "use numbers, strings or tuples as actions")
            raise _Stopped from None
        if len(distinct) < len(actions):
            report.add("actions", "the same action was offered twice", "offer each action once")
        if self.model.legal is not None:
            self._check_legal(state, actions)
        self.known |= distinct
        if self.model.key is not None:
            key = self._call("key", state)
            if not isinstance(key, Hashable):
                report.add("key", f"{key!r} is not hashable", "return a number, a string or a tuple")
                raise _Stopped
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
            raise _Stopped
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
    try:
        return pickle.dumps(state)
    except Exception:
        text = repr(state)
        return None if " object at 0x" in text else text.encode()


def _alike(a: State, b: State) -> bool:
    """Return False only if two states are certainly different."""
    one, two = _print_of(a), _print_of(b)
    if one is None or one == two:
        return True
    compare: object = type(a).__eq__
    if compare is object.__eq__:  # equal only to itself: nothing can be said
        return True
    try:
        return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)
    except Exception:
        return True


def _check_pickle(model: Model, report: Report) -> None:
    remedy = "define the class at the top level of a module; keep lambdas, open files and locks out of it"
    try:
        pickle.loads(pickle.dumps(model.problem))
    except Exception as error:
        report.add("problem", f"it does not pickle ({type(error).__name__}: {error}), so n_jobs > 1 cannot be used",
                   remedy, "warning")  # fmt: skip
