"""The whole run in Python (twin of ``knapsack_solver.hpp``), and the choice between it and the native kernel.

Greedy, dilemma-first candidates, and when those have had their turn the exact core phase in passes of growing
width, with count bounds from the second on; what budget is left goes back to the tree.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import threading
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .core import CoreSearch
from .counts import CountBound
from .items import Items, ratio_order
from .run import STOPS, Run
from .search import DilemmaSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

_native: Any
try:
    _native = importlib.import_module("dilemma.native._knapsack")
except ImportError:  # installed without a compiler
    _native = None

KERNELS = ("auto", "native", "python")
FIRST_WIDTH = 512


@dataclass(frozen=True)
class Options:
    """Budgets and limits of a run, as both kernels take them."""

    time_limit: float  # seconds; negative: none
    max_iter: int  # negative: none
    target: int | None
    trace_all: bool
    core_after: int  # candidates before the exact phase; negative: no exact phase
    max_states: int
    max_queue: int
    bounded: bool  # a budget was given: go on after the last pass


@dataclass(frozen=True)
class Answer:
    """What a kernel found, in integers."""

    chosen: npt.NDArray[np.int64]
    value: int
    greedy: int
    bound: int
    optimal: bool
    stop: str
    iterations: int
    nodes: int
    trace: list[tuple[int, int, float, int]]


def kernel() -> str:
    """Return the kernel in use for ordinary numbers: ``"native"`` or ``"python"``."""
    return "native" if choose("auto", 0).startswith("native") else "python"


def choose(kernel: str, largest: int) -> str:
    """Return the kernel to use: ``"native64"``, ``"native128"`` or ``"python"``.

    Parameters
    ----------
    kernel : {"auto", "native", "python"}
        ``"auto"`` takes the fastest that is exact. The environment variable DILEMMA_KERNEL may rule that out:
        ``python`` asks for the readable kernel, anything but ``auto`` and ``python`` (``native``, or the name of
        a processor's kernel that other parts of dilemma know) for a native one where the numbers fit.
    largest : int
        The largest sum the run can meet.
    """
    if kernel not in KERNELS:
        raise ValueError(f"kernel: expected one of {', '.join(KERNELS)} (got {kernel!r})")
    wish = os.environ.get("DILEMMA_KERNEL", "auto") if kernel == "auto" else kernel
    if wish not in ("auto", "python") and _native is None:
        raise ValueError(
            "kernel: the native kernel is not built; install with a C++ compiler or use 'python'"
        )
    if wish == "python" or _native is None:
        return "python"
    if largest < 2**61:
        return "native64"
    if largest < 2**125:
        return "native128"
    if kernel == "native":
        raise ValueError(
            f"kernel: sums of {largest.bit_length()} bits exceed the native kernel's 125; use 'python' or 'auto'"
        )
    return "python"


def run(
    name: str, values: npt.NDArray[Any], weights: npt.NDArray[Any], capacity: int, options: Options
) -> Answer:
    """Solve items of positive value and of weight 1 to `capacity` with the kernel `choose` named."""
    if name == "python":
        return run_python([int(v) for v in values], [int(w) for w in weights], capacity, options)
    solve = getattr(_native, name.replace("native", "solve"))
    columns = [_int64(c) if name == "native64" else _words(c) for c in (values, weights)]
    out = solve(*columns, capacity, **vars(options))
    return Answer(**{**out, "stop": STOPS[out["stop"]]})


def _int64(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(column, dtype=np.int64)


def _words(column: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Return integers as rows of (low, high) 64-bit words."""
    mask = 2**64 - 1
    words = [(x & mask, x >> 64) for x in column.tolist()]
    return np.array(words, dtype=np.uint64).reshape(-1, 2)


def run_python(values: list[int], weights: list[int], capacity: int, options: Options) -> Answer:
    """Solve with the readable kernel."""
    run = Run(options.time_limit, options.max_iter, options.target, options.trace_all)
    with _ctrl_c_stops(run):
        order = ratio_order(values, weights)
        items = Items([values[i] for i in order], [weights[i] for i in order], capacity)
        positions, greedy, bound, optimal = _search(items, run, options)
    chosen = np.array(sorted(order[p] for p in positions), dtype=np.int64)
    return Answer(chosen, run.best, greedy, bound, optimal, run.stop, run.iterations, run.nodes, run.trace)


def _search(items: Items, run: Run, options: Options) -> tuple[list[int], int, int, bool]:
    bound = items.dantzig_bound()
    search, core = DilemmaSearch(items, run, options.max_queue), CoreSearch(items, run)

    exhausted = search.explore(1)
    greedy = run.best

    def proved() -> bool:
        return run.best >= bound or (exhausted and not search.dropped)

    if not exhausted and not proved():
        exhausted = search.explore(inf if options.core_after < 0 else options.core_after)

    complete = False
    counts: CountBound | None = None
    width = FIRST_WIDTH
    while options.core_after >= 0 and run.stop == "none" and not proved() and not complete:
        width = min(width, options.max_states)
        if width > FIRST_WIDTH and counts is None:
            counts = CountBound(items, run)
            if counts.active:
                bound = min(bound, max(run.best, counts.bound()))
            if run.stop != "none" or proved():
                break
        finished = core.run_pass(width, counts if counts and counts.active else None)
        complete = finished and core.complete
        still_open = core.open_bound()
        if still_open < items.fv(run.best + 1):
            bound = run.best
        elif still_open < items.fv(bound):
            bound = items.whole(still_open)
        if width >= options.max_states:
            break
        width *= 8
    if run.stop == "none" and not complete and not proved() and options.bounded:
        exhausted = search.explore(inf)

    optimal = complete or proved()
    positions = search.best_positions() if search.found_best else core.best_positions()
    return positions, greedy, run.best if optimal else bound, optimal


@contextlib.contextmanager
def _ctrl_c_stops(run: Run) -> Iterator[None]:
    """While this is open, Ctrl-C ends the run at its next look, and the best so far is returned."""
    if threading.current_thread() is not threading.main_thread() or (
        signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return

    def interrupt(*_: object) -> None:
        run.stop = "interrupted"

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
