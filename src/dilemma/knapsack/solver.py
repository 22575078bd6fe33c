"""`solve`: improve the greedy knapsack at any time, and prove the optimum when time allows."""

from __future__ import annotations

import inspect
import math
from decimal import Decimal
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from dilemma.arguments import generator
from dilemma.stop import checked_count, checked_number

from .instance import Column, Instance, Number, exact_sum
from .kernel import Answer, Options, choose, run
from .result import KnapsackResult, TraceRow

if TYPE_CHECKING:
    import numpy.typing as npt


class Limits(TypedDict, total=False):
    """The keyword arguments of `solve` and `solve_instance`."""

    time_limit: float | None
    max_iter: int | None
    target: Number | None
    random_state: int | np.random.Generator | None
    core_after: int | None
    max_states: int
    max_queue: int
    trace: str
    kernel: str


def solve(values: Column, weights: Column, capacity: Number, **limits: Unpack[Limits]) -> KnapsackResult:
    """Choose items of most value whose weights fit the capacity.

    Starts from the greedy, goes on with dilemma-first candidates (see `dilemma.knapsack.search`), and after
    `core_after` of them tries to prove the optimum by dynamic programming over a growing core (see
    `dilemma.knapsack.core`). The best choice so far is there at any moment: Ctrl-C returns it.

    Parameters
    ----------
    values, weights : sequence or array of numbers
        Not negative; see `Instance` for what is exact (everything but what is reported of floats).
    capacity : number
        Feasible means that the weights sum up to at most this.
    time_limit : float, optional
        Seconds, set-up included.
    max_iter : int, optional
        Candidates to evaluate; the greedy is the first.
    target : number, optional
        Stop as soon as the value reaches this.
    random_state : int or numpy.random.Generator, optional
        Which of several equal items are taken is drawn; without it the first ones are. The value does not
        depend on it.
    core_after : int or None
        Candidates before the exact phase; None leaves it out (then give a budget, or the search goes on until
        its tree is exhausted).
    max_states : int
        States the widest exact pass keeps (about 130 bytes each); what it gives up widens `bound`.
    max_queue : int
        Dilemmas kept (about 100 bytes each); the least promising half goes when it is full.
    trace : {"improvements", "all"}
        Which candidates the trace holds.
    kernel : {"auto", "native", "python"}
        ``"auto"`` takes the fastest exact one and obeys the environment variable DILEMMA_KERNEL.

    Returns
    -------
    KnapsackResult

    Examples
    --------
    >>> result = solve([60, 100, 120], [10, 20, 30], 50)
    >>> result.items.tolist(), result.value, result.greedy_value, result.optimal
    ([1, 2], 220, 160, True)
    """
    return solve_instance(Instance(values, weights, capacity), **limits)


def solve_instance(
    instance: Instance,
    *,
    time_limit: float | None = None,
    max_iter: int | None = None,
    target: Number | None = None,
    random_state: int | np.random.Generator | None = None,
    core_after: int | None = 1000,
    max_states: int = 2**22,
    max_queue: int = 2**20,
    trace: str = "improvements",
    kernel: str = "auto",
) -> KnapsackResult:
    """`solve` for an `Instance`, as files and generators give it."""
    start = perf_counter()
    _check_options(time_limit, max_iter, core_after, max_states, max_queue, trace)
    data = instance.integers()
    values, weights = data.values, data.weights

    # Items that weigh nothing are in, worthless ones and those too heavy alone are out: no decision.
    free = np.flatnonzero((weights == 0) & (values > 0))
    live = np.flatnonzero((weights > 0) & (values > 0) & (weights <= min(data.capacity, _most(weights))))
    if random_state is not None:
        live = generator(random_state).permutation(live)
    base = exact_sum(values[free])
    live_values, value_unit = _in_units(values[live])
    live_weights, weight_unit = _in_units(weights[live])
    total_weight = exact_sum(live_weights)
    room = min(data.capacity // weight_unit, total_weight)  # more room than that is never used
    largest = max(exact_sum(live_values), total_weight)

    goal = None
    if target is not None:
        wanted = _as_integer(target, data.value_scale) - base
        goal = min(-(-wanted // value_unit), 2 * largest + 1)  # beyond reach is as good as any beyond reach
        goal = max(goal, 0)
    options = Options(
        time_limit=-1.0 if time_limit is None else max(0.0, time_limit - (perf_counter() - start)),
        max_iter=-1 if max_iter is None else int(max_iter),
        target=goal,
        trace_all=trace == "all",
        core_after=-1 if core_after is None else int(core_after),
        max_states=int(max_states),
        max_queue=int(max_queue),
        bounded=any(x is not None for x in (time_limit, max_iter, target)),
    )
    name = choose(kernel, 2 * largest + 1)
    setup = perf_counter() - start
    answer = run(name, live_values, live_weights, room, options)

    def report(integer: int) -> Number:
        return instance.report(base + value_unit * integer, data.value_scale)

    items = np.sort(np.concatenate([free, live[answer.chosen]])).astype(np.int64)
    return KnapsackResult(
        items=items,
        value=report(answer.value),
        weight=instance.report(exact_sum(weights[items]), data.weight_scale),
        greedy_value=report(answer.greedy),
        bound=report(answer.bound),
        optimal=answer.optimal,
        stop_reason=_stop_reason(answer),
        iterations=answer.iterations,
        nodes=answer.nodes,
        runtime=perf_counter() - start,
        kernel=name,
        trace=[TraceRow(i, nodes, setup + s, report(v)) for i, nodes, s, v in answer.trace],
    )


def _check_options(
    time_limit: float | None,
    max_iter: int | None,
    core_after: int | None,
    max_states: int,
    max_queue: int,
    trace: str,
) -> None:
    if time_limit is not None:
        seconds = checked_number("time_limit", time_limit)
        if not 0 <= seconds < math.inf:
            raise ValueError(f"time_limit: expected finite seconds >= 0, or None for no limit, got {seconds}")
    if max_iter is not None:
        checked_count("max_iter", max_iter)  # 1: the greedy
    if core_after is not None:
        checked_count("core_after", core_after, 0)
    checked_count("max_states", max_states)
    if checked_count("max_queue", max_queue, 2) > 2**31:
        raise ValueError(f"max_queue: expected 2 to 2**31, got {max_queue}")
    if trace not in ("improvements", "all"):
        raise ValueError(f"trace: expected 'improvements' or 'all' (got {trace!r})")


def _stop_reason(answer: Answer) -> str:
    if answer.optimal:
        return "optimal"
    return "stalled" if answer.stop == "none" else answer.stop


def _most(column: npt.NDArray[Any]) -> int:
    return int(column.max()) if len(column) else 0


def _in_units(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Divide a column by the greatest common divisor of its numbers."""
    if not len(column):
        return column.astype(np.int64), 1
    unit = math.gcd(*column.tolist()) if column.dtype == object else int(np.gcd.reduce(column))
    return (column // unit if unit > 1 else column), max(unit, 1)


def _as_integer(target: Number, scale: int) -> int:
    """Return the least integer that is not below `target` times `scale`."""
    if isinstance(target, bool) or not isinstance(target, (int, float, Decimal, Fraction, np.number)):
        raise TypeError(f"target: expected a number, got {type(target).__name__} {target!r}")
    if isinstance(target, (float, np.floating, Decimal)) and not math.isfinite(target):
        raise ValueError(f"target: expected a finite number, got {target!r}")
    if target <= 0:
        return 0  # reached by the greedy
    exact = Instance([0], [0], target).integers()  # the same reading of floats as everywhere
    return -(-exact.capacity * scale // exact.weight_scale)


def _signature() -> inspect.Signature:
    """Return what `help` and editors show for `solve`: every parameter by name."""
    items = list(inspect.signature(solve).parameters.values())[:-1]
    limits = list(inspect.signature(solve_instance).parameters.values())[1:]
    return inspect.Signature([*items, *limits], return_annotation="KnapsackResult")


solve.__signature__ = _signature()  # type: ignore[attr-defined]
