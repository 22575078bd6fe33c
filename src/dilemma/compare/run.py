"""Running a comparison: every strategy on every problem with every seed, taking turns."""

from __future__ import annotations

import math
import os
import pickle
import platform
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent import futures  # its process pool is loaded when first used
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dilemma.compare.arguments import checked_known, checked_problems, checked_seeds, checked_strategies
from dilemma.compare.comparison import Comparison, Outcome
from dilemma.compare.measures import Curve
from dilemma.errors import ProblemError
from dilemma.problem import Problem
from dilemma.search import minimize
from dilemma.stop import StopReason, checked_count, stop_rule
from dilemma.strategies.base import Strategy

SEEDS = 5


@dataclass(frozen=True)
class _Plan:
    """All that a worker needs to make any of the runs."""

    problems: dict[str, Problem]
    strategies: dict[str, Strategy]
    budget: dict[str, Any]
    on_error: str

    def run(self, problem: str, strategy: str, seed: int, order: int) -> Outcome | None:
        """Make one run; None if the user interrupted it."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            result = minimize(
                self.problems[problem], strategy=self.strategies[strategy], random_state=seed, **self.budget
            )
        except Exception as error:
            if self.on_error == "raise":
                error.add_note(f"in compare: strategy {strategy!r} on problem {problem!r}, seed {seed}")
                raise
            return Outcome(
                problem, strategy, seed, math.inf, math.inf, -math.inf, False, "error", 0, 0,
                time.perf_counter() - wall, time.process_time() - cpu, order,
                error=f"{type(error).__name__}: {error}",
            )  # fmt: skip
        if result.stop_reason is StopReason.INTERRUPTED:
            return None
        return Outcome(
            problem=problem,
            strategy=strategy,
            seed=seed,
            energy=result.energy,
            greedy_energy=result.greedy_energy,
            bound=result.bound,
            optimal=result.optimal,
            stop_reason=result.stop_reason.value,
            iterations=result.iterations,
            nodes=result.nodes,
            seconds=result.runtime,
            cpu_seconds=time.process_time() - cpu,
            order=order,
            curve=Curve.of(result.trace),
        )


def compare(
    problems: Problem | Sequence[Problem] | Mapping[str, Problem],
    strategies: str | Strategy | Sequence[str | Strategy] | Mapping[str, str | Strategy] = "all",
    *,
    time_limit: float | None = None,
    max_nodes: int | None = None,
    max_iter: int | None = None,
    seeds: int | Iterable[int] = SEEDS,
    best_known: Mapping[str, float] | Sequence[float] | float | None = None,
    baseline: str | None = None,
    n_jobs: int = 1,
    on_error: str = "raise",
    verbose: int = 0,
) -> Comparison:
    """Run strategies on problems, all in one go, and return what can be concluded.

    Runs are interleaved: for each problem and seed every strategy runs once, and who begins rotates, so that
    whatever disturbs the machine disturbs all alike.

    Parameters
    ----------
    problems : problem, sequence of problems, or mapping of names to problems
        Problems without a name are called after their class, numbered if there are several.
    strategies : name, strategy, sequence of these, or mapping of names to these, default "all"
        "all" is every strategy that the problems give what it needs.
    time_limit, max_nodes, max_iter : optional
        The budget of every single run, as in `dilemma.minimize`; at least one is needed.
    seeds : int or iterable of int, default 5
        How many seeds (0, 1, ...), or which. A strategy that draws nothing is run once a problem, unless
        time is limited, and counts for all seeds.
    best_known : mapping, sequence or float, optional
        The best energy known of each problem (by name, or in order). Where missing, gaps are measured from
        the best energy found here.
    baseline : str, optional
        The strategy that wins, ties and losses are counted against; the first by default.
    n_jobs : int, default 1
        How many runs at once, each in its own process; -1 for all cores. Leave cores free when time is
        limited: runs that share a core have less of it.
    on_error : {"raise", "record"}
        What to do when a run fails: stop, or note it as an infinite energy and go on.
    verbose : int, default 0
        1 prints a line a run to stderr.

    Returns
    -------
    Comparison
        Ctrl-C returns the runs made so far.

    Examples
    --------
    >>> import dilemma
    >>> from dilemma.problems import SetCover
    >>> cover = SetCover([3, 1, 1, 1], 4, [[0, 1, 2, 3], [0, 1], [2], [3]])
    >>> comparison = dilemma.compare({"tiny": cover}, ["greedy", "dilemma_first"], max_iter=10)
    >>> [(row.strategy, row.mean_gap) for row in comparison.summary()]
    [('greedy', 0.0), ('dilemma_first', 0.0)]
    """
    named = checked_problems(problems)
    limits = {"time_limit": time_limit, "max_nodes": max_nodes, "max_iter": max_iter}
    if all(limit is None for limit in limits.values()):
        raise ValueError("compare: expected a budget; give time_limit, max_nodes or max_iter")
    stop_rule(**limits, target=None, no_improvement=None, stop=None)  # type: ignore[arg-type]
    if time_limit is not None and not 0 < time_limit < math.inf:
        raise ValueError(f"time_limit: expected a finite number of seconds > 0, got {time_limit!r}")
    if on_error not in ("raise", "record"):
        raise ValueError(f"on_error: expected 'raise' or 'record', got {on_error!r}")
    chosen = checked_strategies(strategies, named)
    if baseline is not None and baseline not in chosen:
        raise ValueError(f"baseline: expected one of {', '.join(chosen)}, got {baseline!r}")
    plan = _Plan(named, chosen, limits, on_error)
    drawn = checked_seeds(seeds)
    known = checked_known(best_known, list(named))
    once = {n for n, s in chosen.items() if not s.traits.stochastic} if time_limit is None else set()

    cells = _schedule(list(named), list(chosen), drawn, once)
    made: list[Outcome] = []
    interrupted = False
    try:
        for outcome in _runs(plan, cells, n_jobs):
            if outcome is None:
                interrupted = True
                break
            made.append(outcome)
            if verbose:
                print(
                    f"{len(made):>{len(str(len(cells)))}}/{len(cells)}  {outcome.problem}  {outcome.strategy}  "
                    f"seed {outcome.seed}  energy {outcome.energy:.10g}  {outcome.seconds:.2f} s",
                    file=sys.stderr,
                )
    except KeyboardInterrupt:
        interrupted = True
    copies = [replace(o, seed=seed, repeated=True) for o in made if o.strategy in once for seed in drawn[1:]]
    return Comparison(
        problems=tuple(named),
        strategies=tuple(chosen),
        seeds=tuple(drawn),
        budget=limits,
        best_known=known,
        baseline=baseline if baseline is not None else next(iter(chosen)),
        outcomes=(*made, *copies),
        interrupted=interrupted,
        environment=_environment(),
    )


# -- the runs ---------------------------------------------------------------------------------------------


def _schedule(
    problems: list[str], strategies: list[str], seeds: list[int], once: set[str]
) -> list[tuple[str, str, int]]:
    """Return (problem, strategy, seed) in the order to run: strategies take turns, who begins rotates."""
    cells = []
    blocks = [(problem, seed) for problem in problems for seed in seeds]
    for turn, (problem, seed) in enumerate(blocks):
        first = turn % len(strategies)
        for strategy in strategies[first:] + strategies[:first]:
            if seed == seeds[0] or strategy not in once:
                cells.append((problem, strategy, seed))
    return cells


def _runs(plan: _Plan, cells: list[tuple[str, str, int]], n_jobs: int) -> Iterator[Outcome | None]:
    """Yield the outcomes in the order of the cells."""
    workers = n_jobs
    if isinstance(n_jobs, int) and not isinstance(n_jobs, bool) and n_jobs < 0:
        workers = max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    workers = checked_count("n_jobs", workers)
    if workers == 1:
        yield from (plan.run(*cell, order) for order, cell in enumerate(cells))
        return
    try:
        payload = pickle.dumps(plan)
    except Exception as error:
        raise ProblemError(
            f"problems: expected objects that pickle, to send them to workers; got {type(error).__name__}: "
            f"{error}. Define their classes at the top level of a module, or use n_jobs=1"
        ) from None
    pool = futures.ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(payload,))
    try:
        pending = [pool.submit(_run_cell, *cell, order) for order, cell in enumerate(cells)]
        yield from (future.result() for future in pending)
    finally:
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


_plan: _Plan | None = None  # of this worker process


def _start_worker(payload: bytes) -> None:
    global _plan
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _plan = pickle.loads(payload)


def _run_cell(problem: str, strategy: str, seed: int, order: int) -> Outcome | None:
    if _plan is None:
        raise RuntimeError("a worker was started without a plan")
    return _plan.run(problem, strategy, seed, order)


def _environment() -> dict[str, str]:
    from dilemma import __version__

    return {
        "dilemma": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": str(os.cpu_count() or 1),
    }
