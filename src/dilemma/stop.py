"""When to stop: pure tests of how far a run has come, joined by ``|``.

>>> from dilemma.stop import MaxIter, Target
>>> rule = MaxIter(1000) | Target(-42.0)
>>> rule.reached(Progress(iterations=3, nodes=30, seconds=0.1, energy=-42.0, stalled=0))
<StopReason.TARGET: 'target'>
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol


class StopReason(Enum):
    """Why a run ended; `advice` says what a user might do next."""

    OPTIMAL = "optimal"
    EXHAUSTED = "exhausted"
    TARGET = "target"
    MAX_ITER = "max_iter"
    MAX_NODES = "max_nodes"
    TIME_LIMIT = "time_limit"
    NO_IMPROVEMENT = "no_improvement"
    CALLBACK = "callback"
    INTERRUPTED = "interrupted"
    RUNNING = "running"

    @property
    def advice(self) -> str:
        """One sentence: what this means and what to do about it."""
        return _ADVICE[self]


_ADVICE = {
    StopReason.OPTIMAL: "The optimum is proved; nothing is left to gain.",
    StopReason.EXHAUSTED: "The strategy has nothing left to try, but something was dropped on the way "
    "(a bounded queue, a strategy that does not cover everything): no proof. Raise max_queue or choose "
    "another strategy.",
    StopReason.TARGET: "The target was reached; lower it to go on.",
    StopReason.MAX_ITER: "max_iter candidates were evaluated; a larger number may find better.",
    StopReason.MAX_NODES: "max_nodes decisions were taken; a larger number may find better.",
    StopReason.TIME_LIMIT: "Time ran out; a longer time_limit may find better.",
    StopReason.NO_IMPROVEMENT: "Nothing better came for the number of candidates allowed; raise "
    "no_improvement, or try another strategy.",
    StopReason.CALLBACK: "A callback or a stop rule of yours ended the run.",
    StopReason.INTERRUPTED: "Interrupted by the user; this is the best found so far.",
    StopReason.RUNNING: "The run has not ended; this is the best found so far.",
}


class Progress(NamedTuple):
    """How far a run has come."""

    iterations: int  # candidates evaluated, or a tenth of the rollouts given up half-way if more
    nodes: int
    seconds: float
    energy: float
    stalled: int  # iterations since the last improvement


class Stop(Protocol):
    """A stop rule: frozen, so that it can be used for any number of runs."""

    def reached(self, progress: Progress) -> StopReason | None:
        """Return the reason to stop now, or None to go on."""


class _Rule:
    """Gives rules ``|``: stop when either says so."""

    def __or__(self, other: Stop) -> AnyOf:
        return AnyOf((*_parts(self), *_parts(other)))

    def reached(self, progress: Progress) -> StopReason | None:
        raise NotImplementedError


@dataclass(frozen=True)
class AnyOf(_Rule):
    """Stop when any of several rules says so; the first one names the reason."""

    rules: tuple[Stop, ...]

    def reached(self, progress: Progress) -> StopReason | None:
        for rule in self.rules:
            reason = rule.reached(progress)
            if reason is not None:
                return reason
        return None


@dataclass(frozen=True)
class MaxIter(_Rule):
    """Stop after this many evaluated candidates; the greedy is the first."""

    count: int

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.MAX_ITER if progress.iterations >= self.count else None


@dataclass(frozen=True)
class MaxNodes(_Rule):
    """Stop after this many decisions."""

    count: int

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.MAX_NODES if progress.nodes >= self.count else None


@dataclass(frozen=True)
class TimeLimit(_Rule):
    """Stop after this many seconds since the call, set-up included."""

    seconds: float

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.TIME_LIMIT if progress.seconds >= self.seconds else None


@dataclass(frozen=True)
class Target(_Rule):
    """Stop as soon as the energy is at or below this."""

    energy: float

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.TARGET if progress.energy <= self.energy else None


@dataclass(frozen=True)
class NoImprovement(_Rule):
    """Stop after this many candidates without a better one."""

    count: int

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.NO_IMPROVEMENT if progress.stalled >= self.count else None


@dataclass(frozen=True)
class When(_Rule):
    """Stop when a function of the `Progress` returns true."""

    test: Callable[[Progress], bool]

    def reached(self, progress: Progress) -> StopReason | None:
        return StopReason.CALLBACK if self.test(progress) else None


def _parts(rule: Any) -> tuple[Stop, ...]:
    return rule.rules if isinstance(rule, AnyOf) else (rule,)


def stop_rule(
    *,
    max_iter: int | None,
    max_nodes: int | None,
    time_limit: float | None,
    target: float | None,
    no_improvement: int | None,
    stop: Any,
) -> AnyOf:
    """Return one rule from the budgets a user gave, checked."""
    rules: list[Stop] = []
    if target is not None:
        rules.append(Target(checked_number("target", target)))
    if max_iter is not None:
        rules.append(MaxIter(checked_count("max_iter", max_iter)))
    if max_nodes is not None:
        rules.append(MaxNodes(checked_count("max_nodes", max_nodes)))
    if no_improvement is not None:
        rules.append(NoImprovement(checked_count("no_improvement", no_improvement)))
    if time_limit is not None:
        seconds = checked_number("time_limit", time_limit)
        if seconds < 0:
            raise ValueError(f"time_limit: expected seconds >= 0, got {time_limit!r}")
        rules.append(TimeLimit(seconds))
    if stop is not None:
        if hasattr(stop, "reached"):
            rules.extend(_parts(stop))
        elif callable(stop):
            rules.append(When(stop))
        else:
            raise TypeError(
                f"stop: expected a rule of dilemma.stop or a function of Progress, got {type(stop).__name__}"
            )
    return AnyOf(tuple(rules))


def checked_count(name: str, value: object, least: int = 1) -> int:
    """Return `value` as an int, or raise a clear error."""
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name}: expected an integer, got {type(value).__name__} {value!r}") from None
    if count < least:
        raise ValueError(f"{name}: expected an integer >= {least}, got {count}")
    return count


def checked_number(name: str, value: object) -> float:
    """Return `value` as a float that is not NaN, or raise a clear error."""
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__} {value!r}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__} {value!r}") from None
    if math.isnan(number):
        raise ValueError(f"{name}: expected a number, got NaN")
    return number
