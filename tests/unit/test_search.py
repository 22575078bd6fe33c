"""What a user sees of `minimize` and `search`."""

import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


class Counting(Bits):
    """Notes how many candidates were evaluated at the same time."""

    at_once, most, lock = 0, 0, threading.Lock()

    def energy(self, state):
        with Counting.lock:
            Counting.at_once += 1
            Counting.most = max(Counting.most, Counting.at_once)
        time.sleep(0.05)
        with Counting.lock:
            Counting.at_once -= 1
        return super().energy(state)


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


def interrupted_run(n_jobs, pause, after):
    """Send a program of its own SIGINT once it says that it runs; return what it printed and its exit code."""
    code = (
        "import sys, dilemma; sys.path.insert(0, sys.argv[1]); from test_search import Bits\n"
        "if __name__ == '__main__':\n"
        "    def shown(event):\n"
        "        if event.iteration == int(sys.argv[4]): print('running', flush=True)\n"
        "    if sys.argv[4] == '-1': print('running', flush=True)\n"
        "    r = dilemma.minimize(Bits(40, float(sys.argv[3])), n_jobs=int(sys.argv[2]), callbacks=shown)\n"
        "    print(r.stop_reason.name, r.iterations, r.energy <= r.greedy_energy, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(Path(__file__).parent), str(n_jobs), str(pause), str(after)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as program:  # fmt: skip
        assert program.stdout.readline() == "running\n"
        time.sleep(0.3)
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: the workers get it as well
        out, err = program.communicate(timeout=60)
    return out, err, program.returncode


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_of_a_running_program_returns_the_best_so_far(n_jobs):
    out, err, code = interrupted_run(n_jobs, 0.02, after=5)
    assert (code, err) == (0, "")
    reason, iterations, no_worse = out.split()
    assert (reason, no_worse) == ("INTERRUPTED", "True")
    assert int(iterations) >= 6


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_before_the_greedy_is_complete_is_an_interrupt(n_jobs):
    out, err, code = interrupted_run(n_jobs, 30.0, after=-1)
    assert out == ""
    assert "KeyboardInterrupt" in err
    assert code != 0


@pytest.mark.parametrize("batch", [1, 7])
def test_batch_alone_decides_when_the_strategy_hears(batch):
    traces = {
        n_jobs: list(minimize(Bits(), max_iter=60, batch=batch, n_jobs=n_jobs).trace.energy)
        for n_jobs in (1, 2)
    }
    assert traces[1] == traces[2]
    assert len(traces[1]) == 60


def test_a_batch_keeps_every_worker_busy_from_the_second_candidate_on():
    Counting.most = 0
    with ThreadPoolExecutor(3) as pool:
        minimize(Counting(), max_iter=13, batch=6, executor=pool, strategy="dilemma_first")
    assert Counting.most == 3


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


@pytest.mark.parametrize("strategy", ["auto", "two_queues", "random_state"])
def test_workers_do_not_matter_where_duplicates_are_cut_and_candidates_polished(strategy):
    """A worker does not know what was met before: it grows on, and polishes what is cut off again."""
    problem = dilemma.problems.JobShop.random(5, 3)
    alone = minimize(problem, strategy=strategy, max_iter=150)
    with ThreadPoolExecutor(2) as pool:
        other = minimize(problem, strategy=strategy, max_iter=150, executor=pool)
    assert list(other.trace.energy) == list(alone.trace.energy)
    assert list(other.trace.nodes) == list(alone.trace.nodes)


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


@pytest.mark.parametrize(("start", "number"), [([5], 0), ([1, 1, -3], 2), ([1] * 13, 12)])
def test_warm_start_with_an_action_that_is_not_offered_is_a_clear_error(start, number):
    """Such a solution might seem better than any that exists."""
    with pytest.raises(ProblemError, match=f"warm_start: .*number {number}, .* is not offered"):
        minimize(Bits(), max_iter=3, warm_start=start)

    class Lenient(Bits):
        def legal(self, state, action):
            return action == 5 or len(state) < self.n

    assert minimize(Lenient(), max_iter=2, warm_start=[5]).trace.energy[1] == 5 + 3 - 8


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
        ({"batch": 0}, ValueError, "batch"),
        ({"batch": 1.5}, TypeError, "batch"),
        ({"callbacks": [3]}, TypeError, "callbacks"),
        ({"callbacks": 3}, TypeError, "callbacks: expected functions of an Event, got int"),
        ({"stop": 3}, TypeError, "stop"),
        ({"max_iters": 3}, TypeError, "max_iters"),
        ({"verbose": "loud"}, TypeError, "verbose: expected 0"),
        ({"verbose": -1}, TypeError, "verbose: expected 0"),
        ({"warm_start": 5}, TypeError, "warm_start: expected a sequence of actions"),
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


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float32, bool])
def test_scores_of_any_numeric_type_rank_alike(dtype):
    class Typed(Bits):
        def actions(self, state):
            return ([1, 0], np.array([1, 0], dtype=dtype)) if len(state) < self.n else ([], [])

    class Plain(Typed):
        def actions(self, state):
            return [(1, 1.0), (0, 0.0)] if len(state) < self.n else ((), ())

    traces = [minimize(p(), strategy="dilemma_first", max_iter=60).trace for p in (Typed, Plain)]
    assert traces[0].energy.tolist() == traces[1].energy.tolist()


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
