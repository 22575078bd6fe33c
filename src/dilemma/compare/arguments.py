"""What a user may give to `compare`, made uniform; mistakes are named before any run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dilemma.problem import Model, Problem
from dilemma.stop import checked_count, checked_number
from dilemma.strategies import names, resolve
from dilemma.strategies.base import Strategy


def checked_problems(given: Any) -> dict[str, Problem]:
    """Return the problems by name, each checked to have the four methods."""
    if isinstance(given, Mapping):
        named = {str(name): problem for name, problem in given.items()}
        if len(named) < len(given):
            raise ValueError(f"problems: expected different names, got {[str(n) for n in given]}")
    elif isinstance(given, (list, tuple)):
        kinds = [type(problem).__name__ for problem in given]
        named = {}
        for i, (kind, problem) in enumerate(zip(kinds, given, strict=True)):
            number = f" {kinds[: i + 1].count(kind)}" if kinds.count(kind) > 1 else ""
            named[f"{kind}{number}"] = problem
    else:
        named = {type(given).__name__: given}
    if not named:
        raise ValueError("problems: expected at least one, got none")
    for name, problem in named.items():
        try:
            Model(problem)
        except TypeError as error:
            raise TypeError(f"problems[{name!r}]: {error}") from None
    return named


def checked_strategies(given: Any, problems: dict[str, Problem]) -> dict[str, Strategy]:
    """Return the strategies by name, each tried on every problem: what is missing shows before any run."""
    chosen: dict[str, Strategy]
    if isinstance(given, str) and given == "all":
        bounded = all(Model(problem).bound is not None for problem in problems.values())
        every = {name: resolve(name) for name in names()}
        chosen = {n: s for n, s in every.items() if bounded or not s.traits.needs_bound}
    elif isinstance(given, Mapping):
        chosen = {str(name): resolve(strategy) for name, strategy in given.items()}
    else:
        listed = list(given) if isinstance(given, (list, tuple)) else [given]
        resolved = [resolve(strategy) for strategy in listed]
        chosen = {strategy.name: strategy for strategy in resolved}
        if len(chosen) < len(resolved):
            twice = sorted({s.name for s in resolved if sum(s.name == t.name for t in resolved) > 1})
            raise ValueError(
                f"strategies: expected different names, got {', '.join(twice)} more than once; "
                f"name them in a dict: {{'name': strategy, ...}}"
            )
    if not chosen:
        raise ValueError("strategies: expected at least one, got none")
    for name, strategy in chosen.items():
        for problem_name, problem in problems.items():
            try:
                strategy.start(Model(problem), np.random.default_rng(0))
            except (TypeError, ValueError) as error:
                error.add_note(f"in compare: strategy {name!r} cannot run on problem {problem_name!r}")
                raise
    return chosen


def checked_seeds(given: Any) -> list[int]:
    """Return the seeds: 0, 1, ... for a number."""
    if isinstance(given, (int, np.integer, str)) or not isinstance(given, Iterable):
        return list(range(checked_count("seeds", given)))
    drawn = [checked_count("seeds", seed, 0) for seed in given]
    if not drawn:
        raise ValueError("seeds: expected at least one, got none")
    if len(set(drawn)) < len(drawn):
        raise ValueError(f"seeds: expected different ones, got {drawn}")
    return drawn


def checked_known(given: Any, problems: list[str]) -> dict[str, float]:
    """Return the best known energies by problem."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        strays = [name for name in given if name not in problems]
        if strays:
            raise ValueError(f"best_known: expected names of problems, got {strays}; there are {problems}")
        pairs = list(given.items())
    else:
        values = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
        if len(values) != len(problems):
            raise ValueError(f"best_known: expected {len(problems)} energies, got {len(values)}")
        pairs = list(zip(problems, values, strict=True))
    known = {
        name: checked_number(f"best_known[{name!r}]", value) for name, value in pairs if value is not None
    }
    for name, value in known.items():
        if not math.isfinite(value):
            raise ValueError(
                f"best_known[{name!r}]: expected a finite energy, got {value}; leave it out instead"
            )
    return known
