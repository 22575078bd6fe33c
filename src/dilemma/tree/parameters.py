"""Checks of the estimators' parameters: what was expected, what came, in one line."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

MAX_DEPTH = 30
CRITERIA = ("entropy", "gini", "error")
CATEGORICAL_SPLITS = ("subset", "one_vs_rest", "multiway")


def check_parameters(estimator: Any) -> None:
    """Raise ValueError or TypeError naming the first parameter that is wrong."""
    p = estimator.get_params(deep=False)
    _integer("max_depth", p["max_depth"], 0, MAX_DEPTH)
    check_budget(p["time_limit"], p["max_iter"])
    _number("validation_fraction", p["validation_fraction"], 0.0, 1.0, none=True, open_ends=True)
    if p["leaf_penalty"] != "cv":
        _number("leaf_penalty", p["leaf_penalty"], 0.0, None, also="or 'cv'")
    _integer("min_samples_leaf", p["min_samples_leaf"], 1, None)
    _integer("min_samples_split", p["min_samples_split"], 2, None)
    _integer("max_bins", p["max_bins"], 2, 255)
    _choice("categorical_splits", p["categorical_splits"], CATEGORICAL_SPLITS)
    if "criterion" in p:
        _number("min_entropy", p["min_entropy"], 0.0, None)
        _choice("criterion", p["criterion"], CRITERIA)
    _integer("memory_limit", p["memory_limit"], 1, None, none=True)
    jobs = p["n_jobs"]
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs == 0):
        raise ValueError(f"n_jobs: expected None, a positive integer, or -1 for all cores, got {jobs!r}")
    callbacks = p["callbacks"]
    if callbacks is not None:
        for callback in callbacks if isinstance(callbacks, list | tuple) else [callbacks]:
            if not callable(callback):
                raise TypeError(f"callbacks: expected functions of one progress record, got {callback!r}")


def check_budget(time_limit: Any, max_iter: Any) -> None:
    """The same for the limits of a run."""
    _integer("max_iter", max_iter, 0, None, none=True)
    _number("time_limit", time_limit, 0.0, None, none=True)


def _integer(name: str, value: Any, low: int, high: int | None, *, none: bool = False) -> None:
    if none and value is None:
        return
    span = f"an integer from {low}" + (f" to {high}" if high is not None else " up")
    span += " or None" if none else ""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected {span}, got {value!r}")
    if int(value) < low or (high is not None and int(value) > high):
        raise ValueError(f"{name}: expected {span}, got {value!r}")


def _number(
    name: str,
    value: object,
    low: float,
    high: float | None,
    *,
    none: bool = False,
    open_ends: bool = False,
    also: str = "",
) -> None:
    if none and value is None:
        return
    inside = "strictly between" if open_ends else "from"
    span = f"a number {inside} {low:g} " + (f"and {high:g}" if high is not None else "up")
    span = " ".join(filter(None, [span, "or None" if none else "", also]))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected {span}, got {value!r}")
    number = float(value)
    wrong = number != number or number < low or (high is not None and number > high)
    if wrong or (open_ends and number in (low, high)):
        raise ValueError(f"{name}: expected {span}, got {value!r}")


def _choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, choices))}, got {value!r}")
