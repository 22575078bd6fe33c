"""Queues of dilemmas: which filed state to revisit next.

A queue holds one heap entry a dive, for the dive's most urgent state; the rest of the dive waits in a sorted
array behind it. Pushing a dive costs one sort and one heap operation, however deep it went.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterator
from operator import itemgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dilemma.strategies.explored import Dive, FloatArray, Met


class Queue(Protocol):
    """What the engine needs of a queue."""

    def push(self, dive: Dive, met: Met, keys: FloatArray) -> None:
        """File a dive's states; smaller keys are more urgent."""

    def pop(self) -> tuple[Dive, int] | None:
        """Return the most urgent state (dive, position) whose next action is untried, or None."""

    def keep(self, count: int) -> None:
        """Drop all but the `count` most urgent states."""

    def __iter__(self) -> Iterator[tuple[Dive, int]]:
        """Iterate over the filed states, in no particular order."""

    def filed(self) -> Iterator[tuple[Dive, NDArray[np.int64]]]:
        """Iterate over dives with the positions filed; some may have been taken meanwhile."""

    def __len__(self) -> int:
        """Return an upper bound on the number of filed states (some may have been taken meanwhile)."""


class BestFirstQueue:
    """Smallest key first; ties to the shallowest, then the oldest."""

    def __init__(self) -> None:
        # key, depth, serial of the dive, index of its head in the arrays, dive, keys ascending, positions; small
        # arrays of Python's take half the room of NumPy's
        self._heap: list[tuple[float, int, int, int, Dive, array[float], array[int]]] = []
        self._size = 0

    def push(self, dive: Dive, met: Met, keys: FloatArray) -> None:
        order = keys.argsort(kind="stable")  # stable: the shallower of equals first
        self._add(dive, keys[order], met.at[order])

    def _add(self, dive: Dive, keys: FloatArray, at: NDArray[np.int64]) -> None:
        self._size += len(keys)
        ascending, positions = array("d", keys.tobytes()), array("i", at.astype(np.int32).tobytes())
        entry = (ascending[0], dive.depth + positions[0], dive.serial, 0, dive, ascending, positions)
        heapq.heappush(self._heap, entry)

    def pop(self) -> tuple[Dive, int] | None:
        heap = self._heap
        while heap:
            _, _, serial, index, dive, keys, at = heap[0]
            position, following = at[index], index + 1
            if following < len(at):
                entry = (keys[following], dive.depth + at[following], serial, following, dive, keys, at)
                heapq.heapreplace(heap, entry)
            else:
                heapq.heappop(heap)
            self._size -= 1
            if not dive.done[position]:
                return dive, position
        return None

    def keep(self, count: int) -> None:
        entries, self._heap, self._size = sorted(self._heap, key=itemgetter(2)), [], 0
        left = [(e[4], *_untried(e[4], np.array(e[5][e[3] :]), _positions(e[6], e[3]))) for e in entries]
        keys = np.concatenate([own for _, own, _ in left])
        if len(keys) <= count:
            limit, spare = math.inf, len(keys)
        else:
            limit = float(np.partition(keys, count - 1)[count - 1])
            spare = count - int((keys < limit).sum())  # how many of those exactly at the limit may stay
        for dive, own, at in left:
            kept = int(np.searchsorted(own, limit, "left"))
            ties = min(spare, int(np.searchsorted(own, limit, "right")) - kept)
            spare -= ties
            if kept + ties:
                self._add(dive, own[: kept + ties], at[: kept + ties])

    def __iter__(self) -> Iterator[tuple[Dive, int]]:
        for _, _, _, index, dive, _, at in self._heap:
            for position in at[index:].tolist():
                if not dive.done[position]:
                    yield dive, position

    def filed(self) -> Iterator[tuple[Dive, NDArray[np.int64]]]:
        return ((dive, _positions(at, index)) for _, _, _, index, dive, _, at in self._heap)

    def __len__(self) -> int:
        return self._size


def _positions(at: array[int], start: int) -> NDArray[np.int64]:
    return np.array(at[start:], dtype=np.int64)


def _untried(dive: Dive, keys: FloatArray, at: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.int64]]:
    untried = dive.untried()[at]
    return keys[untried], at[untried]


class UniformQueue:
    """Any filed state with equal probability: random state selection."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._open: list[tuple[Dive, int]] = []

    def push(self, dive: Dive, met: Met, keys: FloatArray) -> None:
        self._open.extend((dive, at) for at in met.at.tolist())

    def pop(self) -> tuple[Dive, int] | None:
        entries = self._open
        while entries:
            index = int(self._rng.integers(len(entries)))
            entries[index], entries[-1] = entries[-1], entries[index]
            dive, at = entries.pop()
            if not dive.done[at]:
                return dive, at
        return None

    def keep(self, count: int) -> None:
        left = [(d, at) for d, at in self._open if not d.done[at]]
        chosen = self._rng.permutation(len(left))[:count]
        self._open = [left[i] for i in sorted(chosen.tolist())]

    def __iter__(self) -> Iterator[tuple[Dive, int]]:
        return ((dive, at) for dive, at in self._open if not dive.done[at])

    def filed(self) -> Iterator[tuple[Dive, NDArray[np.int64]]]:
        return ((dive, np.array([at])) for dive, at in self._open)

    def __len__(self) -> int:
        return len(self._open)
