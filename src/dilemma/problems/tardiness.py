"""Jobs with due dates on one machine: the sequence of least total weighted tardiness.

Greedy: apparent tardiness cost (ATC); Vepsalainen and Morton, Management Science 33 (1987).
Polish: insertion of each job at its best place. Instances: Crauwels, Potts and Van Wassenhove (1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, frozen, vector
from dilemma.problems.loaders import read_tardiness

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Queue(NamedTuple):
    """The jobs run so far, in order; which are still free; the time now; the weighted tardiness so far."""

    jobs: tuple[int, ...]
    free: NDArray[np.bool_]
    time: float
    cost: float


class Tardiness:
    """Run a free job next: that of most weight per time, discounted by the slack it still has (ATC).

    Parameters
    ----------
    times, weights, due : array_like, n numbers each
    lookahead : float
        ATC's k: how many average jobs ahead the rule looks.

    Examples
    --------
    >>> problem = Tardiness([3, 2], [1, 4], [3, 2])
    >>> problem.energy(problem.apply(problem.apply(problem.initial(), 1), 0))
    2.0
    """

    def __init__(
        self, times: ArrayLike, weights: ArrayLike, due: ArrayLike, *, lookahead: float = 2.0
    ) -> None:
        self.times = vector("times", times)
        self.n = len(self.times)
        self.weights = vector("weights", weights, length=self.n)
        self.due = vector("due", due, length=self.n, low=-np.inf)
        if not 0 < lookahead < np.inf:
            raise ValueError(f"lookahead: expected a positive number, got {lookahead}")
        self._window = lookahead * float(self.times.mean()) if self.times.any() else 1.0
        tiny = 1e-9 * max(1.0, self.times.max(initial=0.0))
        self._urgency = np.maximum(self.weights, 1e-9) / np.maximum(self.times, tiny)
        self._by_weight = np.argsort(self.weights, kind="stable")
        self._latest = frozen(self.due - self.times)  # the last start that is in time

    @classmethod
    def random(cls, n: int, seed: int = 0, *, tightness: float = 0.6, spread: float = 0.6) -> Self:
        """OR-Library's generator: times 1 to 100, weights 1 to 10, due dates by tightness and spread."""
        rng = np.random.default_rng(seed)
        times = rng.integers(1, 101, count("n", n))
        total = times.sum()
        low, high = total * (1 - tightness - spread / 2), total * (1 - tightness + spread / 2)
        due = np.floor(rng.uniform(max(0.0, low), max(0.0, high), n))
        return cls(times, rng.integers(1, 11, n), due)

    @classmethod
    def load(cls, path: str | PathLike[str], index: int = 0, *, n: int | None = None) -> Self:
        """One instance of an OR-Library ``wt`` file; give n where the file does not hold 125."""
        instances = read_tardiness(path, n)
        if not 0 <= index < len(instances):
            raise ValueError(f"index: expected 0 to {len(instances) - 1} for {path}, got {index}")
        return cls(*instances[index])

    def initial(self) -> Queue:
        return Queue((), frozen(np.ones(self.n, dtype=np.bool_)), 0.0, 0.0)

    def actions(self, state: Queue) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        jobs = state.free.nonzero()[0]
        slack = np.maximum(self._latest[jobs] - state.time, 0.0)
        return jobs, self._urgency[jobs] * np.exp(np.maximum(slack / -self._window, -600.0))

    def apply(self, state: Queue, action: int) -> Queue:
        free = state.free.copy()
        free[action] = False
        free.setflags(write=False)
        late = max(0.0, state.time - float(self._latest[action]))
        time = state.time + float(self.times[action])
        return Queue((*state.jobs, action), free, time, state.cost + late * float(self.weights[action]))

    def energy(self, state: Queue) -> float:
        return state.cost

    def legal(self, state: Queue, action: int) -> bool:
        return bool(state.free[action])

    def key(self, state: Queue) -> tuple[bytes, float, float]:
        return state.free.tobytes(), state.time, state.cost

    def bound(self, state: Queue) -> float:
        """The free jobs, by layers of weight; in each layer shortest times against earliest due dates.

        A sum of w * T is the integral over a level of the T of the jobs of at least that weight. Those alone
        finish no earlier than in order of their times, and tardiness is least with both lists sorted.
        """
        order = self._by_weight[state.free[self._by_weight]]
        total, below = state.cost, 0.0
        weights = self.weights[order]
        for first in np.flatnonzero(np.diff(weights, prepend=-1.0)):
            jobs = order[first:]
            ends = state.time + np.sort(self.times[jobs]).cumsum()
            late = float(np.maximum(ends - np.sort(self.due[jobs]), 0.0).sum())
            alone = float(np.maximum(state.time - self._latest[jobs], 0.0).sum())  # each as if it were next
            total += (float(weights[first]) - below) * max(late, alone)
            below = float(weights[first])
        return total * (1 - 1e-12)

    def polish(self, state: Queue) -> Queue:
        """Take each job out and put it back at its best place, until that changes nothing."""
        jobs = np.array(state.jobs, dtype=np.int64)
        cost, improved = self._total(jobs), True
        while improved:
            improved = False
            for job in jobs.tolist():
                rest = jobs[jobs != job]
                costs = self._insertions(rest, job)
                place = int(costs.argmin())
                if costs[place] < cost - 1e-9 * max(1.0, cost):
                    jobs = np.concatenate((rest[:place], [job], rest[place:]))
                    cost, improved = self._total(jobs), True
        result = self.initial()
        for job in jobs.tolist():
            result = self.apply(result, job)
        return result if result.cost <= state.cost else state

    def _total(self, jobs: NDArray[np.int64]) -> float:
        return float(self.weights[jobs] @ np.maximum(self.times[jobs].cumsum() - self.due[jobs], 0.0))

    def _insertions(self, rest: NDArray[np.int64], job: int) -> NDArray[np.float64]:
        """The cost of `rest` with `job` at each of its places, all at once."""
        ends = self.times[rest].cumsum()
        early = self.weights[rest] * np.maximum(ends - self.due[rest], 0.0)
        late = self.weights[rest] * np.maximum(ends + self.times[job] - self.due[rest], 0.0)
        before = np.concatenate(([0.0], early.cumsum()))
        behind = late.sum() - np.concatenate(([0.0], late.cumsum()))
        own = np.concatenate(([0.0], ends)) + self.times[job] - self.due[job]
        result: NDArray[np.float64] = before + behind + self.weights[job] * np.maximum(own, 0.0)
        return result

    def related(self, a: int, b: int) -> float:
        """Jobs due at about the same time belong together."""
        return float(1.0 / (1.0 + abs(self.due[a] - self.due[b])))

    def decisions(self, state: Queue) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return state.jobs

    def describe(self, action: int) -> str:
        return f"run job {int(action)} (due {self.due[action]:g})"
