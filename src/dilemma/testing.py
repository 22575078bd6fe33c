"""Contracts for strategies and problems of your own: what every one of them has to keep, ready to be run.

With pytest (which this module does not import)::

    import pytest
    from dilemma.testing import STRATEGY_CONTRACTS, small_problems

    @pytest.mark.parametrize("problem", small_problems(), ids=repr)
    @pytest.mark.parametrize("contract", STRATEGY_CONTRACTS, ids=lambda c: c.__name__)
    def test_my_strategy(contract, problem):
        contract(MyStrategy(), problem)

Without it, `check_strategy` runs them all. Each raises AssertionError with a sentence that says what was broken.
`check_small_problem` holds a problem small enough to be enumerated against all of its solutions.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dilemma.check import check_problem
from dilemma.problem import Action, Model, Problem, offered
from dilemma.result import Result
from dilemma.rollout import Proposal, grow
from dilemma.search import minimize
from dilemma.stop import StopReason
from dilemma.strategies.base import Strategy
from dilemma.testing_problems import Choices, Commuting, Flat, Merging, Nothing, Single, Smoothed, Tour

ENDED = (StopReason.OPTIMAL, StopReason.EXHAUSTED)
PATIENCE = 30_000  # candidates a strategy without an end may take to find the optimum of a tiny problem


def small_problems() -> list[Any]:
    """Return problems small enough to be enumerated, each with another property to respect."""
    return [
        Choices(6),
        Choices(5, arrays=True),
        Commuting(),
        Merging(),
        Tour(),
        Smoothed(),
        Flat(),
        Single(),
        Nothing(),
    ]


def solutions(problem: Problem) -> list[tuple[tuple[Action, ...], float]]:
    """Return every complete solution of a small problem, as its actions and its energy."""
    found: list[tuple[tuple[Action, ...], float]] = []
    waiting: list[tuple[tuple[Action, ...], Any]] = [((), problem.initial())]
    while waiting:
        path, state = waiting.pop()
        actions = [a.item() if isinstance(a, np.generic) else a for a in offered(problem.actions(state))[0]]
        if not actions:
            found.append((path, float(problem.energy(state))))
        waiting.extend(((*path, action), problem.apply(state, action)) for action in actions)
    return found


def plain_greedy(problem: Problem) -> tuple[tuple[Action, ...], float]:
    """Return the greedy's actions and energy: the best score everywhere, the first of equals."""
    state, path = problem.initial(), list[Action]()
    while True:
        actions, scores = offered(problem.actions(state))
        if not len(actions):
            return tuple(path), float(problem.energy(state))
        index = max(range(len(scores)), key=lambda i: scores[i])
        action = actions[index]
        path.append(action.item() if isinstance(action, np.generic) else action)
        state = problem.apply(state, path[-1])


def applicable(strategy: Strategy, problem: Problem) -> bool:
    """Return whether a strategy can run on a problem: one that needs a bound may ask for it."""
    return not strategy.traits.needs_bound or Model(problem).bound is not None


def check_strategy(strategy: Strategy, problems: Iterable[Any] | None = None) -> None:
    """Hold a strategy to every contract, on the problems given or on `small_problems`."""
    for problem in small_problems() if problems is None else problems:
        for contract in STRATEGY_CONTRACTS:
            contract(strategy, problem)


def first_candidate_is_the_greedy(strategy: Strategy, problem: Any) -> None:
    """Candidate 0 is what the plain greedy gives, polished where the problem can."""
    if not applicable(strategy, problem):
        return
    actions, energy = plain_greedy(problem)
    polish = Model(problem).polish
    result = minimize(problem, strategy=strategy, max_iter=1, random_state=0)
    greedy = energy
    if polish is None:
        _same("the first candidate's actions", result.actions, actions)
    else:
        energy = min(energy, float(problem.energy(polish(Model(problem).replay(actions)))))
    _same("the first candidate's energy", result.energy, energy)
    _same("the greedy energy", result.greedy_energy, greedy)


def incumbent_never_worsens(strategy: Strategy, problem: Any) -> None:
    """The best so far is the least of all energies so far, and belongs to the solution returned."""
    if not applicable(strategy, problem):
        return
    result = _run(strategy, problem)
    _same("the incumbents", result.trace.incumbent.tolist(), np.fmin.accumulate(result.trace.energy).tolist())
    _same(
        "the energy of the solution",
        float(problem.energy(result.solution)),
        result.energy,
    )


def same_seed_same_run(strategy: Strategy, problem: Any) -> None:
    """A configured strategy can be used again, and a seed fixes the run."""
    if not applicable(strategy, problem):
        return
    before = pickle.dumps(strategy)
    _same_run(_run(strategy, problem), _run(strategy, problem), "two runs with the same seed")
    _same("the configuration after a run", pickle.dumps(strategy), before)


def workers_do_not_matter(strategy: Strategy, problem: Any) -> None:
    """Growing through an executor gives the same run."""
    if not applicable(strategy, problem):
        return
    with ThreadPoolExecutor(2) as pool:
        _same_run(
            _run(strategy, problem), _run(strategy, problem, executor=pool), "runs with and without workers"
        )


def every_stop_criterion_is_honoured(strategy: Strategy, problem: Any) -> None:
    """Each budget ends the run, unless the run ends by itself before."""
    if not applicable(strategy, problem):
        return
    greedy = plain_greedy(problem)[1]
    budgets: tuple[tuple[dict[str, Any], StopReason], ...] = (
        ({"max_iter": 5}, StopReason.MAX_ITER),
        ({"max_nodes": 20}, StopReason.MAX_NODES),
        ({"no_improvement": 3}, StopReason.NO_IMPROVEMENT),
        ({"target": greedy}, StopReason.TARGET),
        ({"time_limit": 0.0}, StopReason.TIME_LIMIT),
        ({"stop": lambda progress: progress.iterations >= 2, "max_iter": 50}, StopReason.CALLBACK),
        ({"callbacks": lambda event: event.iteration >= 1, "max_iter": 50}, StopReason.CALLBACK),
    )
    for options, reason in budgets:
        if "max_nodes" in options and not plain_greedy(problem)[0]:
            continue  # no decision is ever taken
        if "target" in options and greedy == math.inf:
            continue
        result = minimize(problem, strategy=strategy, random_state=0, **options)
        if result.stop_reason not in ENDED:
            _same(f"the stop reason with {', '.join(options)}", result.stop_reason, reason)
        if "max_iter" in options and result.iterations > options["max_iter"]:
            raise AssertionError(
                f"max_iter={options['max_iter']}: {result.iterations} candidates were evaluated"
            )


def optimum_is_found_in_the_limit(strategy: Strategy, problem: Any) -> None:
    """A strategy that says so finds the optimum of a tiny problem."""
    if not applicable(strategy, problem) or not strategy.traits.optimal_in_the_limit:
        return
    least = min(energy for _, energy in solutions(problem))
    if strategy.traits.finite:
        result = minimize(problem, strategy=strategy, random_state=0)
    else:
        result = minimize(problem, strategy=strategy, random_state=0, target=least, max_iter=PATIENCE)
    _same("the energy found in the limit", result.energy, least)


def exhaustion_is_true(strategy: Strategy, problem: Any) -> None:
    """What is called optimal is, the bound is one, and a run without budget ends or is refused."""
    if not applicable(strategy, problem):
        return
    if not strategy.traits.finite:
        try:
            minimize(problem, strategy=strategy)
        except ValueError:
            return
        raise AssertionError("an endless strategy was started without any budget: expected a ValueError")
    result = minimize(problem, strategy=strategy, random_state=0)
    least = min(energy for _, energy in solutions(problem))
    if result.stop_reason not in ENDED:
        raise AssertionError(f"a run without budget ended with {result.stop_reason}")
    _same("`optimal` beside its stop reason", result.optimal, result.stop_reason is StopReason.OPTIMAL)
    if result.optimal:
        _same("an energy said to be optimal", result.energy, least)
    elif strategy.traits.optimal_in_the_limit:
        raise AssertionError("the run covered everything and did not say that the optimum is proved")
    if result.bound > least:
        raise AssertionError(f"the bound {result.bound} is above the least energy {least}")


def problem_is_left_alone(strategy: Strategy, problem: Any) -> None:
    """A run changes nothing about the problem."""
    if not applicable(strategy, problem):
        return
    before = pickle.dumps(problem)
    _run(strategy, problem)
    _same("the problem after a run", pickle.dumps(problem), before)


def run_state_survives_pickling(strategy: Strategy, problem: Any) -> None:
    """A run can be put away at any time and taken up again; it never proposes more than it was asked for."""
    if not applicable(strategy, problem):
        return
    model = Model(problem)
    run = strategy.start(model, np.random.default_rng(3))
    for turn in range(12):
        twin = pickle.loads(pickle.dumps(run))
        count = 1 + turn % 4
        proposals = run.ask(count)
        if turn == 0:
            _same("the proposals asked for first", len(proposals), 1)
        if len(proposals) > count:
            raise AssertionError(f"ask({count}) returned {len(proposals)} proposals")
        _same(
            "the proposals of a run taken up again",
            [_plain(p) for p in twin.ask(count)],
            list(map(_plain, proposals)),
        )
        grown = [grow(model, proposal) for proposal in proposals]
        for rollout in grown:
            run.tell(rollout)


def a_missing_bound_is_named(strategy: Strategy, problem: Any) -> None:
    """A strategy that needs a bound says so where there is none."""
    if applicable(strategy, problem):
        return
    try:
        minimize(problem, strategy=strategy, max_iter=3)
    except ValueError as error:
        if "bound" in str(error):
            return
        raise AssertionError(f"expected an error that names the method bound, got: {error}") from error
    raise AssertionError("expected a ValueError that names the missing method bound, got a run")


STRATEGY_CONTRACTS: tuple[Callable[[Strategy, Any], None], ...] = (
    first_candidate_is_the_greedy,
    incumbent_never_worsens,
    same_seed_same_run,
    workers_do_not_matter,
    every_stop_criterion_is_honoured,
    optimum_is_found_in_the_limit,
    exhaustion_is_true,
    problem_is_left_alone,
    run_state_survives_pickling,
    a_missing_bound_is_named,
)


def check_small_problem(problem: Any) -> None:
    """Hold a problem small enough to be enumerated to what it promises.

    `check_problem` samples; this takes every solution into account: exhausting the tree with the optional powers
    the problem has must find the least energy.
    """
    report = check_problem(problem)
    if not report.ok:
        raise AssertionError(str(report))
    least = min(energy for _, energy in solutions(problem))
    for name in ("backtracking", "dilemma_first"):
        result = minimize(problem, strategy=name)
        if not result.optimal or (result.energy > least if Model(problem).polish else result.energy != least):
            raise AssertionError(
                f"{name} ended with {result.energy} ({result.stop_reason}) where the least energy is {least}: "
                f"a bound above it, a key shared by states with other futures, or commutative where order matters"
            )


def _run(strategy: Strategy, problem: Any, **options: Any) -> Result:
    return minimize(problem, strategy=strategy, max_iter=150, max_nodes=2000, random_state=7, **options)


def _same_run(one: Result, other: Result, what: str) -> None:
    for part in ("energy", "nodes"):
        _same(
            f"{what}: {part} by candidate",
            getattr(one.trace, part).tolist(),
            getattr(other.trace, part).tolist(),
        )
    _same(f"{what}: actions", one.actions, other.actions)
    _same(f"{what}: stop reason", one.stop_reason, other.stop_reason)


def _plain(proposal: Proposal) -> tuple[Any, ...]:
    """Return a proposal as something that compares by value."""
    p = proposal
    return p.prefix, p.rank, p.banned, p.cutoff, pickle.dumps(p.policy), p.partition, p.full


def _same(what: str, got: object, expected: object) -> None:
    if got != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {got!r}")
