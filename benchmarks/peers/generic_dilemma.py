"""dilemma itself, run like the peers: the four methods alone (`plain`), or all the gallery's hooks (`hooks`)."""

from __future__ import annotations

import os
from typing import Any

from generic_families import FAMILIES

import dilemma


class Plain:
    """A problem's four methods, and whether its actions commute: what a user writes in 15 to 22 lines."""

    def __init__(self, problem: Any) -> None:
        self.initial, self.actions = problem.initial, problem.actions
        self.apply, self.energy = problem.apply, problem.energy
        self.commutative = getattr(problem, "commutative", False)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Run the default strategy, or the one named by GENERIC_STRATEGY, until the budget is spent."""
    kind = FAMILIES[family]
    problem = kind.problem(data)
    user = Plain(problem) if os.environ.get("GENERIC_HOOKS") != "1" else problem
    search = dilemma.search(
        user,
        strategy=os.environ.get("GENERIC_STRATEGY", "auto"),
        stop=lambda progress: run.left() <= 0,
        random_state=run.seed,
    )
    for event in search:
        if event.improved:
            run.report(event.energy, lambda: kind.answer(problem, search.result.solution))
