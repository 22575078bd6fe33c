"""The only search loop: ask the strategy, grow what it proposes, tell it, keep the best.

`Search` owns the clock, the incumbent, the trace and the stop rules. `minimize` is a loop over it.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from dilemma.arguments import Callback, callback_list, generator, hashable, identity, warm_actions
from dilemma.errors import ProblemError
from dilemma.executors import executor_for
from dilemma.problem import Action, Model, Problem, State
from dilemma.result import Result, Trace
from dilemma.rollout import Proposal, Rollout, Status, grow
from dilemma.stop import Progress, StopReason, checked_count, stop_rule
from dilemma.strategies import resolve
from dilemma.strategies.base import Strategy


class Event(NamedTuple):
    """One evaluated candidate, as seen by a loop over `search` and by callbacks.

    Attributes
    ----------
    iteration : int
        0 for the greedy.
    energy, incumbent : float
        The candidate's own energy, and the best so far.
    improved : bool
        Whether the candidate became the incumbent.
    nodes : int
        Decisions taken so far.
    seconds : float
        Since the call.
    """

    iteration: int
    energy: float
    incumbent: float
    improved: bool
    nodes: int
    seconds: float


class Search:
    """A search that is run by iterating over it; see `search` for the parameters.

    Attributes
    ----------
    result : Result
        The best so far, at any moment.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        strategy: str | Strategy = "auto",
        max_iter: int | None = None,
        max_nodes: int | None = None,
        time_limit: float | None = None,
        target: float | None = None,
        no_improvement: int | None = None,
        stop: Any = None,
        random_state: int | np.random.Generator | None = 0,
        n_jobs: int | None = 1,
        executor: Any = None,
        batch: int | None = None,
        callbacks: Callback | Sequence[Callback] = (),
        verbose: int = 0,
        warm_start: Iterable[Action] | None = None,
    ) -> None:
        self._started = time.perf_counter()
        self.model = Model(problem)
        self.strategy = resolve(strategy)
        self._rule = stop_rule(
            max_iter=max_iter,
            max_nodes=max_nodes,
            time_limit=time_limit,
            target=target,
            no_improvement=no_improvement,
            stop=stop,
        )
        self._max_iter = max_iter
        self._batch = None if batch is None else checked_count("batch", batch)
        self._deadline = None if time_limit is None else self._started + float(time_limit)
        if not self._rule.rules and not self.strategy.traits.finite:
            raise ValueError(
                f"search: strategy {self.strategy.name!r} never ends by itself: give max_iter, max_nodes, "
                f"time_limit, target, no_improvement or stop"
            )
        self._seed = random_state if isinstance(random_state, (int, np.integer)) else None
        self._rng = generator(random_state)
        self._callbacks = callback_list(callbacks, verbose)
        self._warm = warm_actions(warm_start)
        self._executor = executor_for(self.model, n_jobs, executor)
        self._run = self.strategy.start(self.model, self._rng)
        self._trace = Trace()
        self._actions: tuple[Action, ...] | None = None
        self._energy = math.inf
        self._greedy = math.inf
        self._nodes = 0
        self._given_up = 0  # rollouts that ended without a candidate
        self._last_improvement = 0
        self._distinct: set[int] = set()
        self._root_bound = -math.inf
        self._stop = StopReason.RUNNING
        self._optimal = False
        self._final: Result | None = None
        self._events = self._loop()

    # -- the loop ----------------------------------------------------------------------------------------

    def _loop(self) -> Iterator[Event]:
        """Yield one event a candidate until a stop rule holds or nothing is left."""
        try:
            if self.model.bound is not None:
                self._root_bound = float(self.model.bound(self.model.initial()))
            while self._stop is StopReason.RUNNING:  # Alg. 1 l.3
                proposals = self._run.ask(self._window())
                if not proposals:
                    self._exhausted()
                    break
                first = not len(self._trace)  # the greedy is always finished: there is always an answer
                grown = self._executor.run(
                    proposals, seen=self._run.seen(), out_of_time=None if first else self._out_of_time
                )
                told = 0
                for proposal, rollout in zip(proposals, grown, strict=False):
                    if rollout.status is Status.INTERRUPTED:
                        break
                    self._run.tell(rollout)
                    told += 1
                    self._nodes += rollout.nodes
                    if rollout.status is not Status.COMPLETE:
                        self._given_up += 1
                    else:
                        yield self._record(proposal.prefix, rollout)
                        if first and self._warm is not None:
                            yield self._record_warm(self._warm)
                    if self._done():
                        break
                if not self._done() and told < len(proposals):  # abandoned half-way: the clock said so
                    self._stop = StopReason.TIME_LIMIT
        finally:
            self._executor.close()

    def _window(self) -> int:
        """Return how many proposals to ask for at once.

        The user's `batch`, or one at a time at first, when every candidate changes what to do next, and then a
        few per cent of what was done already: enough to keep workers busy where candidates are quick. It depends
        on counts alone, so that the answer is the same for any number of workers.
        """
        window = max(1, min(64, len(self._trace) // 32)) if self._batch is None else self._batch
        return window if self._max_iter is None else max(1, min(window, self._max_iter - self._effort()))

    def _effort(self) -> int:
        """Return the candidates evaluated, or a tenth of the rollouts given up half-way if that is more."""
        return max(len(self._trace), self._given_up // 10)

    def _record(self, prefix: tuple[Action, ...], rollout: Rollout) -> Event:
        """Enter a candidate into the trace, and make it the incumbent if it is better."""
        actions = rollout.improved if rollout.improved is not None else (*prefix, *rollout.actions)
        energy, iteration = rollout.energy, len(self._trace)
        if iteration == 0:
            self._greedy = energy if math.isnan(rollout.raw) else rollout.raw
        try:
            self._distinct.add(identity(actions, self.model.commutative))
        except TypeError:
            raise ProblemError(
                f"actions: expected hashable actions, got {next(a for a in actions if not hashable(a))!r}; "
                f"use numbers, strings or tuples"
            ) from None
        improved = energy < self._energy or self._actions is None
        if improved:  # Alg. 1 l.13
            self._energy, self._actions = energy, actions
            self._last_improvement = self._effort()
        seconds = time.perf_counter() - self._started
        self._trace.append(self._nodes, seconds, energy, self._energy)
        event = Event(iteration, energy, self._energy, improved, self._nodes, seconds)
        for callback in self._callbacks:
            if callback(event) is True:
                self._stop = StopReason.CALLBACK
        return event

    def _record_warm(self, actions: tuple[Action, ...]) -> Event:
        """Evaluate the solution the user gave; the greedy completes it if it is only a beginning."""
        try:
            for at, (state, action) in enumerate(self.model.steps(actions)):
                if not self.model.may(state, action):
                    raise ProblemError(
                        f"warm_start: expected actions that may be taken one after the other from the initial "
                        f"state; number {at}, {action!r}, is not offered there"
                    )
            rollout = grow(self.model, Proposal(prefix=actions))
        except ProblemError:
            raise
        except Exception as error:
            raise ProblemError(
                f"warm_start: expected a sequence of actions that can be taken from the initial state, "
                f"got one that fails with {type(error).__name__}: {error}"
            ) from error
        self._nodes += len(actions) + rollout.nodes
        warm = getattr(self._run, "warm", None)
        if warm is not None:
            warm((*actions, *rollout.actions), rollout.energy)
        return self._record(actions, rollout)

    def _done(self) -> bool:
        if self._stop is StopReason.RUNNING:
            if self._energy <= self._root_bound:
                self._stop, self._optimal = StopReason.OPTIMAL, True
            else:
                reason = self._rule.reached(
                    Progress(
                        iterations=self._effort(),
                        nodes=self._nodes,
                        seconds=time.perf_counter() - self._started,
                        energy=self._energy,
                        stalled=max(0, self._effort() - 1 - self._last_improvement),
                    )
                )
                self._stop = reason if reason is not None else StopReason.RUNNING
        return self._stop is not StopReason.RUNNING

    def _exhausted(self) -> None:
        proved = self._run.proves() or self._energy <= max(self._run.bound(), self._root_bound)
        self._optimal = proved and self._actions is not None
        self._stop = StopReason.OPTIMAL if self._optimal else StopReason.EXHAUSTED

    def _out_of_time(self) -> bool:
        return self._deadline is not None and time.perf_counter() >= self._deadline

    # -- what the user sees ------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def __next__(self) -> Event:
        return next(self._events)

    def stop(self, reason: StopReason = StopReason.CALLBACK) -> None:
        """End the run before the next candidate; the result keeps what was found."""
        if self._stop is StopReason.RUNNING:
            self._stop = reason
        self._executor.close()

    @property
    def result(self) -> Result:
        """The best so far; final once the run has ended."""
        if self._final is not None:
            return self._final
        solution: State = None
        if self._actions is not None:
            solution = self._solution(self._actions)
        bound = self._energy if self._optimal else max(self._root_bound, self._run.bound())
        describe = getattr(self.model.problem, "describe", None)
        actions = self._actions or ()
        result = Result(
            solution=solution,
            actions=actions,
            energy=self._energy,
            greedy_energy=self._greedy,
            bound=min(bound, self._energy),
            optimal=self._optimal,
            stop_reason=self._stop,
            iterations=len(self._trace),
            nodes=self._nodes,
            distinct=len(self._distinct),
            runtime=time.perf_counter() - self._started,
            trace=self._trace,
            strategy=self.strategy.name,
            random_state=None if self._seed is None else int(self._seed),
            names=tuple(str(describe(a)) for a in actions) if callable(describe) else None,
        )
        if self._stop is not StopReason.RUNNING:
            self._final = result
        return result

    def _solution(self, actions: tuple[Action, ...]) -> State:
        state = self.model.replay(actions)
        if self.model.polish is not None:
            polished = self.model.polish(state)
            if self.model.energy(polished) < self.model.energy(state):
                return polished
        return state


class Options(TypedDict, total=False):
    """The keyword arguments of `minimize` and `search`."""

    strategy: str | Strategy
    max_iter: int | None
    max_nodes: int | None
    time_limit: float | None
    target: float | None
    no_improvement: int | None
    stop: Any
    random_state: int | np.random.Generator | None
    n_jobs: int | None
    executor: Any
    batch: int | None
    callbacks: Callback | Sequence[Callback]
    verbose: int
    warm_start: Iterable[Action] | None


def search(problem: Problem, **options: Unpack[Options]) -> Search:
    """Return a search to iterate over: one `Event` a candidate.

    Takes the parameters of `minimize`. The search starts with the first ``next``; ``.result`` is the best so
    far at any moment.

    Examples
    --------
    >>> from dilemma import search
    >>> from dilemma.knapsack import Knapsack
    >>> problem = Knapsack(values=[6, 5, 5], weights=[6, 5, 5], capacity=10)
    >>> for event in search(problem, max_iter=10):
    ...     if event.improved:
    ...         print(event.iteration, event.energy)
    0 -6.0
    1 -10.0
    """
    return Search(problem, **options)


def minimize(problem: Problem, **options: Unpack[Options]) -> Result:
    """Improve a problem's greedy until a budget is spent or nothing is left to try.

    Parameters
    ----------
    problem : Problem
        An object with methods ``initial``, ``actions``, ``apply`` and ``energy``.
    strategy : str or Strategy, default "auto"
        A name from `dilemma.strategies.names()`, or a configured strategy.
    max_iter : int, optional
        Evaluate this many candidates; the greedy is the first. A run that gives up ten times as many rollouts
        half-way (pruned by a bound, met before, dead ends) ends as well.
    max_nodes : int, optional
        Take about this many decisions.
    time_limit : float, optional
        Seconds since the call, set-up included. The greedy is always finished, so there is always an answer.
    target : float, optional
        Stop once an energy is at or below this.
    no_improvement : int, optional
        Stop after this many candidates without a better one.
    stop : stop rule or callable, optional
        A rule of `dilemma.stop` (joined by ``|``), or a function of `dilemma.stop.Progress`.
    random_state : int, numpy Generator or None, default 0
        Seed: with the same one the answer is the same. None draws another each time. Strategies that draw nothing
        ignore it.
    n_jobs : int, default 1
        Worker processes; -1 for all cores. The answer does not depend on it, unless time runs out.
    executor : object, optional
        Anything with ``submit(fn, *args) -> Future`` to use instead of own worker processes.
    batch : int, optional
        Candidates grown side by side before the strategy hears of any of them. Default: one at first, then 1/32
        of the candidates so far, at most 64. Where a candidate takes seconds, give a few times `n_jobs`, so that
        no worker waits; the answer depends on it (a larger one learns later), and not on `n_jobs`.
    callbacks : callable or sequence of callables
        Called with each `Event`; returning True ends the run.
    verbose : int, default 0
        1 prints improvements to stderr, 2 every candidate.
    warm_start : iterable of actions, optional
        A solution to evaluate right after the greedy.

    Returns
    -------
    Result
        Ctrl-C returns the best so far, with ``stop_reason`` INTERRUPTED; before the greedy is complete there is
        none, and it raises KeyboardInterrupt as anywhere else.

    Notes
    -----
    Without any budget the search goes on until it has covered everything, which proves the optimum.

    Examples
    --------
    >>> from dilemma import minimize
    >>> from dilemma.knapsack import Knapsack
    >>> problem = Knapsack(values=[6, 5, 5], weights=[6, 5, 5], capacity=10)
    >>> result = minimize(problem)
    >>> result.energy, result.greedy_energy, result.optimal
    (-10.0, -6.0, True)
    """
    searching = Search(problem, **options)
    try:
        for _ in searching:
            pass
    except KeyboardInterrupt:
        searching.stop(StopReason.INTERRUPTED)
        if not searching.result.iterations:
            raise
    return searching.result


# What `help` and editors show: every parameter by name.
search.__signature__ = minimize.__signature__ = inspect.signature(Search)  # type: ignore[attr-defined]
