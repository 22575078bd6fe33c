"""Insertion of a job into the sequence of a permutation flow shop, all its places priced at once.

Taillard, European Journal of Operational Research 47 (1990). `Insertion` uses the native kernel
(`native/polish_flow_shop.hpp`) where it is built, and gives the same numbers without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dilemma.problems._checks import chosen

try:
    from dilemma.native import _polish  # type: ignore[attr-defined]
except ImportError:  # no compiler when this was installed
    _polish = None

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Insertion:
    """Makespans of a flow shop.

    Parameters
    ----------
    times : array, m x n
        One row a machine, one column a job.
    backend : {"auto", "native", "python"}
        "auto" is native where it is built.
    """

    def __init__(self, times: NDArray[np.float64], *, backend: str = "auto") -> None:
        chosen("backend", backend, ("auto", "native", "python"))
        if backend == "native" and _polish is None:
            raise ValueError("backend: expected 'auto' or 'python', got 'native', which was not built")
        self.native = _polish is not None and backend != "python"
        self.m = len(times)
        self._array = np.ascontiguousarray(times.T)
        self.times: list[list[float]] = self._array.tolist()  # by job
        self._reversed = [row[::-1] for row in self.times]

    def makespan(self, jobs: Iterable[int]) -> float:
        """When the last machine has done the jobs in this order."""
        heads = [0.0] * self.m
        for job in jobs:
            heads = _after(heads, self.times[job])
        return heads[-1] if heads else 0.0

    def spans(self, jobs: Sequence[int], job: int) -> NDArray[np.float64]:
        """The makespan with `job` inserted at each place."""
        if not self.native:
            return np.array(self._spans(jobs, job))
        result = np.empty(len(jobs) + 1)
        _polish.insertions(self._array, np.array(jobs, dtype=np.int32), job, result)
        return result

    def _spans(self, jobs: Sequence[int], job: int) -> list[float]:
        # heads: when each machine is free after the jobs before; tails: the same seen from the end.
        heads = [0.0] * self.m
        tails = [heads]
        for other in reversed(jobs):
            tails.append(_after(tails[-1], self._reversed[other]))
        new, spans = self.times[job], list[float]()
        for place in range(len(jobs) + 1):
            end = span = 0.0
            for head, time, tail in zip(heads, new, reversed(tails.pop()), strict=True):
                end = (head if head > end else end) + time
                span = max(span, end + tail)
            spans.append(span)
            if place < len(jobs):
                heads = _after(heads, self.times[jobs[place]])
        return spans

    def descend(self, jobs: Sequence[int], order: Sequence[int]) -> list[int]:
        """Take each job out, in this order, and insert it at its best place, until that changes nothing."""
        if self.native:
            array = np.array(jobs, dtype=np.int32)
            _polish.descend(self._array, array, np.array(order, dtype=np.int32))
            improved: list[int] = array.tolist()
            return improved
        sequence, best, since = list(jobs), self.makespan(jobs), 0
        while since < len(sequence):
            for job in order:
                rest = [other for other in sequence if other != job]
                spans = self._spans(rest, job)
                span = min(spans)
                since += 1
                if span < best:
                    best, since = span, 0
                    place = spans.index(span)
                    sequence = [*rest[:place], job, *rest[place:]]
                if since >= len(sequence):
                    break
        return sequence


def _after(heads: list[float], times: list[float]) -> list[float]:
    """When each machine is free after one more job."""
    result: list[float] = []
    end = 0.0
    for head, time in zip(heads, times, strict=True):
        end = (head if head > end else end) + time
        result.append(end)
    return result
