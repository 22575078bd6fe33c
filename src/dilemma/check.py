"""Trying out a user's problem: which method breaks which promise, and how to mend it.

`check_problem` plays greedy and random rollouts on the object and watches. It needs no strategy and changes
nothing; a clean report does not prove that all is well, but what it finds is wrong.
"""

from __future__ import annotations

import pickle

import numpy as np

from dilemma.findings import Finding, Report
from dilemma.player import Player
from dilemma.problem import Model, Problem
from dilemma.stop import checked_count

__all__ = ["Finding", "Report", "check_problem"]


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
    player = Player(model, report, rng, checked_count("max_depth", max_depth))
    for i in range(checked_count("rollouts", rollouts)):
        if not player.play(greedy=i == 0):
            break
    player.conclude()
    _check_pickle(model, report)
    return report


def _check_pickle(model: Model, report: Report) -> None:
    remedy = "define the class at the top level of a module; keep lambdas, open files and locks out of it"
    try:
        pickle.loads(pickle.dumps(model.problem))
    except Exception as error:
        report.add("problem", f"it does not pickle ({type(error).__name__}: {error}), so n_jobs > 1 cannot be used",
                   remedy, "warning")  # fmt: skip
