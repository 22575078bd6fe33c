"""Permutation flow shop: the order of jobs of least makespan, the same on every machine.

Greedy: NEH insertion; Nawaz, Enscore and Ham, Omega 11 (1983), all places of a job priced at once as in
Taillard, European Journal of Operational Research 47 (1990). Polish: the insertion descent of iterated
greedy; Ruiz and Stützle, European Journal of Operational Research 177 (2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import count, matrix
from dilemma.problems.insertion import Insertion
from dilemma.problems.loaders import read_flow_shop

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray


class Sequenced(NamedTuple):
    """The jobs placed so far, in the order in which they would run."""

    jobs: tuple[int, ...]


class FlowShop:
    """Insert the job of most work that is still free where the makespan grows least.

    The action ``job * (n + 1) + after + 1`` puts `job` behind the job `after`; -1 is the front.
    Offered are all places of the next job; `legal` also allows any other free job (kept decisions may
    come first, and the freed jobs are inserted again: iterated greedy).

    Parameters
    ----------
    times : array_like, m x n
        One row a machine, one column a job.

    Examples
    --------
    >>> problem = FlowShop([[3, 1], [1, 4]])
    >>> state = problem.apply(problem.initial(), problem.actions(problem.initial())[0][0])
    >>> actions, scores = problem.actions(state)
    >>> [problem.energy(problem.apply(state, a)) for a in actions]
    [8.0, 6.0]
    """

    def __init__(self, times: ArrayLike) -> None:
        t = matrix("times", times)
        self.m, self.n = t.shape
        self._insertion = Insertion(t)
        self.times = self._insertion.times  # by job
        self.order: list[int] = np.argsort(-t.sum(axis=0), kind="stable").tolist()  # NEH
        heads = np.vstack((np.zeros(self.n), t.cumsum(axis=0)[:-1])) if self.m else t
        tails = t.sum(axis=0) - heads - t
        per_machine = t.sum(axis=1) + heads.min(axis=1) + tails.min(axis=1) if t.size else np.zeros(1)
        self._bound = float(max(per_machine.max(), t.sum(axis=0).max(initial=0.0)))

    @classmethod
    def random(cls, n: int, seed: int = 0, *, m: int = 5) -> Self:
        """Taillard's generator: times 1 to 99."""
        return cls(np.random.default_rng(seed).integers(1, 100, (count("m", m, low=1), count("n", n))))

    @classmethod
    def load(cls, path: str | PathLike[str], index: int = 0) -> Self:
        """One instance of a file in Taillard's form."""
        instances = read_flow_shop(path)
        if not 0 <= index < len(instances):
            raise ValueError(f"index: expected 0 to {len(instances) - 1} for {path}, got {index}")
        return cls(instances[index])

    def initial(self) -> Sequenced:
        return Sequenced(())

    def actions(self, state: Sequenced) -> tuple[list[int], NDArray[np.float64]]:
        placed = set(state.jobs)
        job = next((job for job in self.order if job not in placed), -1)
        if job < 0:
            return [], np.empty(0)
        base = job * (self.n + 1) + 1
        spans = self._insertion.spans(state.jobs, job)
        return [base + after for after in (-1, *state.jobs)], 1.0 / np.maximum(spans, 1e-9)

    def apply(self, state: Sequenced, action: int) -> Sequenced:
        job, after = divmod(int(action), self.n + 1)
        place = state.jobs.index(after - 1) + 1 if after else 0
        return Sequenced((*state.jobs[:place], job, *state.jobs[place:]))

    def energy(self, state: Sequenced) -> float:
        return self._insertion.makespan(state.jobs)

    def legal(self, state: Sequenced, action: int) -> bool:
        job, after = divmod(action, self.n + 1)
        return job not in state.jobs and (not after or after - 1 in state.jobs)

    def bound(self, state: Sequenced) -> float:
        """More jobs never shorten the schedule, and a machine waits for its first head before it works."""
        return max(self._bound, self.energy(state)) * (1 - 1e-12)

    def polish(self, state: Sequenced) -> Sequenced:
        """Take each job out and insert it again at its best place, until that changes nothing."""
        return Sequenced(tuple(self._insertion.descend(state.jobs, self.order)))

    def decisions(self, state: Sequenced) -> tuple[int, ...]:
        """Actions that lead to `state`: each job in NEH's order, behind the nearest job placed before it."""
        result, placed = [], set[int]()
        where = {job: place for place, job in enumerate(state.jobs)}
        for job in self.order:
            if job in where:
                ahead = (other for other in reversed(state.jobs[: where[job]]) if other in placed)
                result.append(job * (self.n + 1) + next(ahead, -1) + 1)
                placed.add(job)
        return tuple(result)

    def related(self, a: int, b: int) -> float:
        """Jobs that run for like times on the machines belong together."""
        u, v = self.times[a // (self.n + 1)], self.times[b // (self.n + 1)]
        apart = sum((abs(x - y) for x, y in zip(u, v, strict=True)), 0.0)
        return 1.0 / (1.0 + apart)

    def describe(self, action: int) -> str:
        job, after = divmod(int(action), self.n + 1)
        return f"insert job {job} {f'after job {after - 1}' if after else 'in front'}"
