"""What the dilemma queue costs: its own share of a run's time."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dilemma.experiments.arena import KnapsackArena, TreeArena
from dilemma.experiments.whole import minimize
from dilemma.problem import Model
from dilemma.strategies import DilemmaFirst
from dilemma.strategies.best_first import BestFirstRun
from dilemma.strategies.explored import Dive, FloatArray, Met, Positions
from dilemma.strategies.queues import Queue

Record = dict[str, Any]


class TimedQueue:
    """A queue that adds up the time spent in it."""

    def __init__(self, inner: Queue) -> None:
        self.inner, self.seconds, self.calls, self.most = inner, 0.0, 0, 0

    def push(self, dive: Dive, met: Met, keys: FloatArray) -> None:
        start = time.process_time()
        self.inner.push(dive, met, keys)
        self.seconds += time.process_time() - start
        self.calls += 1
        self.most = max(self.most, len(self.inner))

    def pop(self) -> tuple[Dive, int] | None:
        start = time.process_time()
        state = self.inner.pop()
        self.seconds += time.process_time() - start
        self.calls += 1
        return state

    def keep(self, count: int) -> None:
        self.inner.keep(count)

    def __iter__(self) -> Iterator[tuple[Dive, int]]:
        return iter(self.inner)

    def filed(self) -> Iterator[tuple[Dive, Positions]]:
        return self.inner.filed()

    def __len__(self) -> int:
        return len(self.inner)


@dataclass(frozen=True, kw_only=True)
class TimedDilemmaFirst(DilemmaFirst):
    """Dilemma first with a timed queue, handed to `started` when the run begins."""

    started: list[TimedQueue]

    def start(self, model: Model, rng: np.random.Generator) -> BestFirstRun:
        run = super().start(model, rng)
        timed = TimedQueue(run.queues[0])
        run.queues[0] = timed
        self.started.append(timed)
        return run


def measure(name: str, arena: KnapsackArena | TreeArena, max_iter: int) -> Record:
    """Return the queue's share of the CPU time of one run."""
    started: list[TimedQueue] = []
    partition = isinstance(arena, KnapsackArena)
    problem: Any = arena.problem
    strategy = TimedDilemmaFirst(gap="raw", partition=partition, started=started)
    begin = time.process_time()
    minimize(problem, strategy=strategy, max_iter=max_iter)
    spent = time.process_time() - begin
    (queue,) = started
    return {
        "data": name,
        "candidates": max_iter,
        "queued_states": queue.most,
        "microseconds_per_operation": 1e6 * queue.seconds / max(1, queue.calls),
        "queue_share_%": 100 * queue.seconds / spent,
    }


def heap_alone(sizes: Iterable[int] = (100, 1_000, 10_000, 100_000, 1_000_000)) -> list[Record]:
    """Return what a push and a pop cost in a binary heap of some sizes, as the queue's entries are."""
    rng = np.random.default_rng(0)
    rows = []
    for size in sizes:
        heap = [(key, i) for i, key in enumerate(rng.random(size).tolist())]
        heapq.heapify(heap)
        keys = rng.random(20_000).tolist()
        start = time.process_time()
        for i, key in enumerate(keys):
            heapq.heappush(heap, (key, i))
            heapq.heappop(heap)
        spent = time.process_time() - start
        rows.append({"heap_of": size, "microseconds_push_and_pop": 1e6 * spent / len(keys)})
    return rows
