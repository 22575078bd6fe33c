"""The anytime trace of a run: every evaluated candidate, as columns."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dilemma.encoding import decode, encode


class TraceRow(NamedTuple):
    """One evaluated candidate."""

    iteration: int
    nodes: int
    seconds: float
    energy: float
    incumbent: float


class Trace:
    """Every evaluated candidate of a run, as columns that are cheap to keep and to plot.

    ``trace.energy``, ``trace.incumbent`` and the like are NumPy arrays; iterating gives `TraceRow`.
    Iteration 0 is the greedy.
    """

    __slots__ = ("_energy", "_incumbent", "_nodes", "_seconds")

    def __init__(self, rows: Iterable[TraceRow] = ()) -> None:
        self._nodes, self._seconds = array("q"), array("d")
        self._energy, self._incumbent = array("d"), array("d")
        for row in rows:
            self.append(*row[1:])

    def append(self, nodes: int, seconds: float, energy: float, incumbent: float) -> None:
        """Add one candidate."""
        self._nodes.append(nodes)
        self._seconds.append(seconds)
        self._energy.append(energy)
        self._incumbent.append(incumbent)

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[TraceRow]:
        columns = zip(self._nodes, self._seconds, self._energy, self._incumbent, strict=True)
        return (TraceRow(i, *row) for i, row in enumerate(columns))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Trace({len(self)} candidates)"

    @property
    def iteration(self) -> NDArray[np.int64]:
        """0 for the greedy, then 1, 2, ..."""
        return np.arange(len(self))

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Decisions taken up to and including each candidate."""
        return np.array(self._nodes, dtype=np.int64)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds since the call, set-up included."""
        return np.array(self._seconds)

    @property
    def energy(self) -> NDArray[np.float64]:
        """Each candidate's own energy."""
        return np.array(self._energy)

    @property
    def incumbent(self) -> NDArray[np.float64]:
        """The best energy so far: never rises."""
        return np.array(self._incumbent)

    def improvements(self) -> list[TraceRow]:
        """Return the candidates that became the incumbent, the first one included."""
        best = math.inf
        rows: list[TraceRow] = []
        for row in self:
            if row.energy < best or not rows:
                rows.append(row)
            best = min(best, row.energy)
        return rows

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""
        return {
            "nodes": list(self._nodes),
            "seconds": list(self._seconds),
            "energy": [encode(e) for e in self._energy],
            "incumbent": [encode(e) for e in self._incumbent],
        }

    @classmethod
    def from_dict(cls, columns: dict[str, list[Any]]) -> Trace:
        """Return the trace whose `to_dict` this is."""
        trace = cls()
        names = ("nodes", "seconds", "energy", "incumbent")
        for nodes, seconds, energy, incumbent in zip(*(columns[n] for n in names), strict=True):
            trace.append(int(nodes), float(seconds), float(decode(energy)), float(decode(incumbent)))
        return trace
