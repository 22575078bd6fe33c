"""Queues of dilemmas: order, ties, bounds on their size, and what a dilemma costs in memory."""

import tracemalloc

import numpy as np
import pytest

import dilemma
from dilemma.strategies import CumulativeRegret, DilemmaFirst, LimitedDiscrepancy
from dilemma.strategies.explored import Dive, Met
from dilemma.strategies.queues import BestFirstQueue, UniformQueue


def filed(queue, serial, keys, depth=0):
    dive = Dive(None, 0, 0, serial)
    dive.depth = depth
    dive.done = bytearray(len(keys))
    values = np.array(keys, dtype=float)
    queue.push(dive, Met(dive, np.arange(len(keys)), values, values, values), values)
    return dive


def drained(queue):
    order = []
    while (state := queue.pop()) is not None:
        dive, at = state
        dive.done[at] = 1
        order.append((dive.serial, at))
    return order


def test_smallest_key_first_then_shallowest_then_oldest():
    queue = BestFirstQueue()
    filed(queue, 0, [2.0, 1.0, 1.0])
    filed(queue, 1, [1.0, 0.5, 9.0])
    assert drained(queue) == [(1, 1), (1, 0), (0, 1), (0, 2), (0, 0), (1, 2)]


def test_a_state_taken_elsewhere_is_stale():
    queue = BestFirstQueue()
    dive = filed(queue, 0, [1.0, 2.0])
    dive.done[0] = 1
    assert drained(queue) == [(0, 1)]


@pytest.mark.parametrize("count", [0, 1, 3, 5, 6, 100])
def test_keep_drops_the_least_urgent_and_of_equals_the_newest(count):
    keys = [[3.0, 1.0, 2.0], [2.0, 2.0, 0.0]]
    whole, kept = BestFirstQueue(), BestFirstQueue()
    for queue in (whole, kept):
        for serial, row in enumerate(keys):
            filed(queue, serial, row)
    if count == 0:
        return
    kept.keep(count)
    assert len(kept) == min(count, 6)
    left = {keys[s][a] for s, a in drained(kept)}
    assert sorted(left) == sorted({keys[s][a] for s, a in drained(whole)[:count]})


def test_uniform_queue_gives_every_state_the_same_chance():
    counts = np.zeros(3)
    for seed in range(600):
        queue = UniformQueue(np.random.default_rng(seed))
        filed(queue, 0, [0.0, 5.0, 9.0])
        counts[queue.pop()[1]] += 1
    assert (abs(counts - 200) < 50).all()


def test_uniform_queue_keeps_as_many_as_told():
    queue = UniformQueue(np.random.default_rng(0))
    filed(queue, 0, [0.0] * 10)
    queue.keep(4)
    assert len(queue) == len(drained(queue)) == 4


class Wide:
    """Forty decisions among twenty: dilemmas without end."""

    def initial(self):
        return 0

    def actions(self, state):
        return [(i, float((7 * i + state) % 20 + 1)) for i in range(20)] if state < 40 else []

    def apply(self, state, action):
        return state + 1

    def energy(self, state):
        return 0.0


@pytest.mark.parametrize(
    "strategy", [DilemmaFirst(), CumulativeRegret(), LimitedDiscrepancy()], ids=lambda s: s.name
)
def test_a_dilemma_costs_little_memory(strategy):
    """A million of them fit in well under a gigabyte."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        running = dilemma.search(Wide(), strategy=strategy, max_iter=10**9)
        queue = running._run.queues[0]
        for _ in running:
            if len(queue) > 15_000:
                break
        cost = (tracemalloc.get_traced_memory()[0] - before) / len(queue)
    finally:
        tracemalloc.stop()
    assert cost < 500


def test_a_bounded_queue_stays_bounded_and_the_result_is_no_proof():
    running = dilemma.search(Wide(), strategy=DilemmaFirst(max_queue=500), max_iter=2000)
    queue = running._run.queues[0]
    assert max(len(queue) for _ in running) <= 500
    assert not running.result.optimal
    assert running._run.dropped


def test_a_bounded_queue_bounds_the_keys_remembered_and_nothing_but_time_is_lost():
    class Merging(Wide):
        """Many paths to the same sums."""

        def initial(self):
            return 0, 0

        def actions(self, state):
            return [(i, float(5 - i)) for i in range(4)] if state[0] < 6 else []

        def apply(self, state, action):
            return state[0] + 1, state[1] + action

        def energy(self, state):
            return float((7 * state[1]) % 17)

        def key(self, state):
            return state

    free = dilemma.minimize(Merging(), strategy=DilemmaFirst())
    running = dilemma.search(Merging(), strategy=DilemmaFirst(max_queue=3))
    remembered = [len(running._run._seen) for _ in running]
    assert max(remembered) <= 16 * 3
    assert running.result.energy >= free.energy
    assert free.optimal
    assert running.result.distinct <= running.result.iterations
