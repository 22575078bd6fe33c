"""What a user sees of `minimize` and `search`."""

import math
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dilemma
from dilemma import ProblemError, StopReason, minimize, search
from dilemma.stop import MaxIter, Target
from dilemma.strategies import DilemmaFirst, names


class Bits:
    """n bits; the greedy prefers 1, the energy prefers every third bit 0."""

    def __init__(self, n=12, pause=0.0):
        self.n, self.pause = n, pause

    def initial(self):
        return ()

    def actions(self, state):
        return [(1, 2.0 + len(state) % 3), (0, 1.0)] if len(state) < self.n else []

    def apply(self, state, action):
        return (*state, action)

    def energy(self, state):
        time.sleep(self.pause)
        return float(sum(b if i % 3 == 0 else -b for i, b in enumerate(state)))


class Bounded(Bits):
    def bound(self, state):
        return float(-8)


class Kills(Bits):
    """Kills the worker it runs in, always."""

    def energy(self, state):
        if 0 in state and os.getpid() != self.parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().energy(state)

    parent = os.getpid()


@pytest.mark.parametrize(
    ("options", "reason", "iterations"),
    [
        ({"max_iter": 7}, StopReason.MAX_ITER, 7),
        ({"max_iter": 1}, StopReason.MAX_ITER, 1),
        ({"target": -6.0}, StopReason.TARGET, None),
        ({"max_nodes": 30}, StopReason.MAX_NODES, None),
        ({"no_improvement": 5}, StopReason.NO_IMPROVEMENT, None),
        ({"time_limit": 0.0}, StopReason.TIME_LIMIT, 1),
        ({"stop": MaxIter(3) | Target(-100)}, StopReason.MAX_ITER, 3),
        ({"stop": lambda progress: progress.iterations >= 4}, StopReason.CALLBACK, 4),
        ({"callbacks": lambda event: event.iteration == 5}, StopReason.CALLBACK, 6),
    ],
)
def test_every_budget_stops_the_run_and_names_itself(options, reason, iterations):
    result = minimize(Bits(), strategy="dilemma_first", **options)
    assert result.stop_reason is reason
    assert result.stop_reason.advice
    if iterations is not None:
        assert result.iterations == iterations


def test_result_holds_what_the_readme_promises():
    result = minimize(Bits(), strategy="dilemma_first", max_iter=50)
    assert result.iterations == len(result.trace) == 50
    assert result.improvement == result.greedy_energy - result.energy > 0
    assert result.solution == result.actions
    assert result.nodes == result.trace.nodes[-1]
    assert result.trace.iteration[0] == 0
    assert (np.diff(result.trace.seconds) >= 0).all()
    assert result.distinct == 50
    assert result.bound == -math.inf
    assert not result.optimal
    assert "candidates" in str(result)


def test_without_a_budget_the_search_ends_in_a_proof():
    result = minimize(Bits(6))
    assert result.optimal
    assert result.energy == result.bound == -4.0


def test_reaching_the_bound_is_a_proof():
    result = minimize(Bounded(), strategy="limited_discrepancy")
    assert result.optimal
    assert result.energy == -8.0
    assert result.iterations < 2**12


def test_search_can_be_pulled_and_left():
    running = search(Bits(), strategy="dilemma_first")
    events = [next(running) for _ in range(4)]
    assert [e.iteration for e in events] == [0, 1, 2, 3]
    assert running.result.stop_reason is StopReason.RUNNING
    assert running.result.energy == min(e.energy for e in events)
    running.stop()
    assert running.result.stop_reason is StopReason.CALLBACK


def test_ctrl_c_returns_the_best_so_far():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = minimize(Bits(40, pause=0.001), max_iter=10**9, strategy="dilemma_first")
    timer.join()
    assert result.stop_reason is StopReason.INTERRUPTED
    assert result.iterations >= 1
    assert result.energy <= result.greedy_energy


def test_greedy_is_finished_whatever_the_time_limit():
    result = minimize(Bits(20, pause=0.05), time_limit=0.0)
    assert result.iterations == 1
    assert result.energy == result.greedy_energy


@pytest.mark.parametrize("strategy", ["auto", "dilemma_first", "random_state", "likelihood"])
def test_answer_does_not_depend_on_the_number_of_workers(strategy):
    runs = [
        minimize(Bits(), strategy=strategy, max_iter=300, random_state=3, n_jobs=n_jobs) for n_jobs in (1, 2)
    ]
    with ThreadPoolExecutor(3) as pool:
        runs.append(minimize(Bits(), strategy=strategy, max_iter=300, random_state=3, executor=pool))
    for other in runs[1:]:
        assert list(other.trace.energy) == list(runs[0].trace.energy)
        assert list(other.trace.nodes) == list(runs[0].trace.nodes)
        assert other.actions == runs[0].actions


def test_a_worker_that_keeps_dying_is_a_clear_error():
    with pytest.raises(dilemma.WorkerError, match="n_jobs=1"):
        minimize(Kills(), strategy="dilemma_first", max_iter=50, n_jobs=2)


def test_time_limit_holds_with_workers():
    result = minimize(Bits(30, pause=0.01), strategy="dilemma_first", time_limit=0.5, n_jobs=2)
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.iterations > 1


def test_a_problem_that_cannot_be_sent_to_workers_is_a_clear_error():
    problem = Bits()
    problem.lock = threading.Lock()
    with pytest.raises(ProblemError, match="pickles"):
        minimize(problem, max_iter=5, n_jobs=2)


def test_warm_start_is_evaluated_right_after_the_greedy():
    best = [0, 1, 1] * 4
    result = minimize(Bits(), strategy="dilemma_first", max_iter=2, warm_start=best)
    assert result.trace.energy.tolist() == [Bits().energy((1,) * 12), -8.0]
    assert result.actions == tuple(best)


def test_warm_start_may_be_only_a_beginning():
    result = minimize(Bits(), strategy="dilemma_first", max_iter=2, warm_start=[0])
    assert result.actions == (0, *(1,) * 11)


def test_warm_start_that_cannot_be_taken_is_a_clear_error():
    class Items(Bits):
        def apply(self, state, action):
            return (*state, [0, 1][action])

    with pytest.raises(ProblemError, match="warm_start"):
        minimize(Items(), max_iter=3, warm_start=[7])


def test_verbose_prints_to_stderr_and_not_to_stdout(capsys):
    minimize(Bits(), max_iter=10, verbose=1)
    captured = capsys.readouterr()
    assert "candidate" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"max_iter": 2.5}, TypeError, "max_iter"),
        ({"max_iter": True}, TypeError, "max_iter"),
        ({"max_nodes": -1}, ValueError, "max_nodes"),
        ({"time_limit": -1}, ValueError, "time_limit"),
        ({"time_limit": "1"}, TypeError, "time_limit"),
        ({"time_limit": math.nan}, ValueError, "time_limit"),
        ({"target": math.nan}, ValueError, "target"),
        ({"no_improvement": 0}, ValueError, "no_improvement"),
        ({"random_state": -1}, ValueError, "random_state"),
        ({"random_state": "x"}, TypeError, "random_state"),
        ({"strategy": "dfs"}, ValueError, "strategy"),
        ({"strategy": DilemmaFirst}, TypeError, "call it"),
        ({"strategy": 3}, TypeError, "strategy"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"executor": 3}, TypeError, "executor"),
        ({"callbacks": [3]}, TypeError, "callbacks"),
        ({"callbacks": 3}, TypeError, "callbacks: expected functions of an Event, got int"),
        ({"stop": 3}, TypeError, "stop"),
        ({"max_iters": 3}, TypeError, "max_iters"),
    ],
)
def test_bad_arguments_say_what_was_expected(options, error, words):
    with pytest.raises(error, match=words):
        minimize(Bits(), **options)


class Broken(Bits):
    def __init__(self, offer=None, energy=None):
        super().__init__()
        self.offer, self.value = offer, energy

    def actions(self, state):
        return super().actions(state) if self.offer is None else self.offer

    def energy(self, state):
        return super().energy(state) if self.value is None else self.value


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Broken(offer=[(1, math.nan), (0, 1.0)]), "NaN"),
        (Broken(offer=([0, 1], np.array([1.0, math.nan]))), "NaN"),
        (Broken(offer=[1, 2]), "pairs"),
        (Broken(offer=[(1, 2, 3)]), "pairs"),
        (Broken(offer=([0, 1], [1.0])), "as many scores"),
        (Broken(offer=([0], np.ones((1, 2)))), "1-d"),
        (Broken(offer=3), "pairs"),
        (Broken(energy=math.nan), "NaN"),
        (Broken(energy="low"), "real number"),
    ],
)
def test_a_problem_that_breaks_a_promise_is_named(problem, words):
    with pytest.raises(ProblemError, match=words):
        minimize(problem, max_iter=5)


def test_unhashable_actions_are_named():
    class Lists(Bits):
        def actions(self, state):
            return [([1], 1.0)] if len(state) < 3 else []

        def energy(self, state):
            return 0.0

    with pytest.raises(ProblemError, match="hashable"):
        minimize(Lists(), max_iter=5)


@pytest.mark.parametrize("thing", [object(), Bits, None])
def test_something_else_than_a_problem_is_refused(thing):
    with pytest.raises(TypeError, match="problem"):
        minimize(thing, max_iter=1)


def test_infeasible_solutions_never_win():
    class Sometimes(Bits):
        def energy(self, state):
            return math.inf if state[0] else super().energy(state)

    result = minimize(Sometimes(6))
    assert result.greedy_energy == math.inf
    assert result.improvement == math.inf
    assert math.isfinite(result.energy)
    assert result.optimal


def test_nothing_to_decide_is_solved_at_once():
    result = minimize(Bits(0))
    assert (result.iterations, result.actions, result.optimal) == (1, (), True)


def test_offers_may_be_pairs_generators_lists_or_arrays():
    class Arrays(Bits):
        def actions(self, state):
            pairs = super().actions(state)
            return np.array([a for a, _ in pairs], dtype=int), np.array([s for _, s in pairs])

    class Generator(Bits):
        def actions(self, state):
            yield from super().actions(state)

    class Lists(Bits):
        def actions(self, state):
            pairs = super().actions(state)
            return [a for a, _ in pairs], [s for _, s in pairs]

    traces = [
        minimize(cls(), strategy="dilemma_first", max_iter=100).trace.energy.tolist()
        for cls in (Bits, Arrays, Generator, Lists)
    ]
    assert traces[0] == traces[1] == traces[2] == traces[3]
    assert all(type(a) is int for a in minimize(Arrays(), max_iter=5).actions)


def test_polish_improves_what_is_returned():
    class Polished(Bits):
        def polish(self, state):
            return tuple(0 if i % 3 == 0 else b for i, b in enumerate(state))

    result = minimize(Polished(), strategy="greedy")
    assert result.energy == -8.0 == Bits().energy(result.solution)
    assert result.actions == result.solution  # read off the state, and taken again


def test_strategies_and_problems_pickle_and_results_too():
    for name in names():
        assert pickle.loads(pickle.dumps(dilemma.strategies.resolve(name))).name == name
    result = minimize(Bits(), max_iter=20)
    again = pickle.loads(pickle.dumps(result))
    assert again.energy == result.energy


def test_help_shows_every_parameter():
    import inspect

    for name in ("strategy", "max_iter", "time_limit", "random_state", "n_jobs", "warm_start"):
        assert name in inspect.signature(minimize).parameters
        assert name in minimize.__doc__
