"""Job shop: the schedule of least makespan; each job visits each machine once in its own order.

Greedy: active schedules by Giffler and Thompson, Operations Research 8 (1960), with a dispatching rule. A solution
is a sequence of jobs, each as often as it has steps; Bierwirth, OR Spektrum 17 (1995).
Polish: swaps at the ends of critical blocks; Nowicki and Smutnicki, Management Science 42 (1996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from dilemma.problems._checks import chosen, count, matrix
from dilemma.problems.loaders import read_job_shop

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

RULES = ("mwkr", "spt", "lpt", "mopnr")
WAITS = 0.01  # what the rule's score counts for a job that the greedy would let wait


class Schedule(NamedTuple):
    """Operations ``job * m + step`` in order; how far each job is; when jobs and machines are free."""

    order: tuple[int, ...]
    done: tuple[int, ...]
    job_free: tuple[float, ...]
    machine_free: tuple[float, ...]


class JobShop:
    """Start the next step of a job, one that competes for the machine that could finish a step first.

    The action is the job; its next step starts as soon as the job and the machine are free. Every unfinished job
    is offered, those that do not compete far behind, so that any order of jobs can be taken again.

    Parameters
    ----------
    machines : array_like, n x m integers
        The machine of each job's k-th operation.
    times : array_like, n x m
        Its processing time.
    rule : {"mwkr", "spt", "lpt", "mopnr"}
        Most work remaining, shortest or longest processing time, most operations remaining.

    Examples
    --------
    >>> problem = JobShop([[0, 1], [1, 0]], [[3, 2], [2, 4]])
    >>> from dilemma import minimize
    >>> minimize(problem, strategy="greedy").energy
    7.0
    """

    def __init__(self, machines: ArrayLike, times: ArrayLike, *, rule: str = "mwkr") -> None:
        t = matrix("times", times)
        route = matrix("machines", machines, rows=t.shape[0], columns=t.shape[1]).astype(np.int64)
        self.n, self.m = t.shape
        if (np.sort(route, axis=1) != np.arange(self.m)).any():
            raise ValueError(f"machines: expected each of 0 to {self.m - 1} once in every row, got another")
        self.rule = chosen("rule", rule, RULES)
        self.machine: list[int] = route.ravel().tolist()  # by operation
        self.time: list[float] = t.ravel().tolist()
        self._tail: list[float] = (t[:, ::-1].cumsum(axis=1)[:, ::-1]).ravel().tolist()  # own time included
        self._score = [self._rank(op) for op in range(self.n * self.m)]
        # Machines x jobs: which step of the job it is, how long it takes, and the job's work from there on.
        jobs, self._step = np.arange(self.n), np.argsort(route, axis=1).T
        self._work = t[jobs, self._step]
        self._rest = t[:, ::-1].cumsum(axis=1)[:, ::-1][jobs, self._step]

    def _rank(self, op: int) -> float:
        if self.rule == "mwkr":
            return self._tail[op]
        if self.rule == "mopnr":
            return float(self.m - op % self.m)
        return self.time[op] if self.rule == "lpt" else 1.0 / max(self.time[op], 1e-9)

    @classmethod
    def random(cls, n: int, seed: int = 0, *, m: int | None = None, rule: str = "mwkr") -> Self:
        """Taillard's generator: times 1 to 99, random routes; n machines unless m is given."""
        n, rng = count("n", n), np.random.default_rng(seed)
        machines = count("m", n if m is None else m)
        times = rng.integers(1, 100, (n, machines))
        return cls(rng.permuted(np.tile(np.arange(machines), (n, 1)), axis=1), times, rule=rule)

    @classmethod
    def load(cls, path: str | PathLike[str], *, rule: str = "mwkr") -> Self:
        """The standard form: ``n m``, then per job its machines and times in pairs."""
        return cls(*read_job_shop(path), rule=rule)

    def initial(self) -> Schedule:
        return Schedule((), (0,) * self.n, (0.0,) * self.n, (0.0,) * self.m)

    def actions(self, state: Schedule) -> tuple[list[int], list[float]]:
        m, machine, machine_free = self.m, self.machine, state.machine_free
        soonest, bottleneck = float("inf"), -1
        jobs, steps = [], []
        for job, k in enumerate(state.done):
            if k < m:
                op = job * m + k
                start = max(state.job_free[job], machine_free[machine[op]])
                jobs.append(job)
                steps.append((start, op))
                if start + self.time[op] < soonest:
                    soonest, bottleneck = start + self.time[op], machine[op]
        # An operation of no duration finishes when it starts: it competes too.
        return jobs, [
            self._score[op]
            if machine[op] == bottleneck and (start < soonest or start + self.time[op] == soonest)
            else WAITS * self._score[op]
            for start, op in steps
        ]

    def apply(self, state: Schedule, action: int) -> Schedule:
        job, done = int(action), list(state.done)
        op = job * self.m + done[job]
        i = self.machine[op]
        job_free, machine_free = list(state.job_free), list(state.machine_free)
        a, b = job_free[job], machine_free[i]
        job_free[job] = machine_free[i] = (a if a > b else b) + self.time[op]
        done[job] += 1
        return Schedule((*state.order, op), tuple(done), tuple(job_free), tuple(machine_free))

    def energy(self, state: Schedule) -> float:
        return max(state.job_free, default=0.0)

    def legal(self, state: Schedule, action: int) -> bool:
        return bool(state.done[int(action)] < self.m)

    def key(self, state: Schedule) -> tuple[object, ...]:
        return state[1:]

    def bound(self, state: Schedule) -> float:
        """Each job's work to come; each machine's, between its first head and its shortest tail."""
        if not self.n * self.m:
            return 0.0
        free = np.array(state.job_free)
        rest = np.array([self._tail[j * self.m + k] if k < self.m else 0.0 for j, k in enumerate(state.done)])
        best = float((free + rest).max())
        waiting = self._step >= np.array(state.done)  # machines x jobs
        heads = np.where(waiting, free + rest - self._rest, np.inf).min(axis=1)
        tails = np.where(waiting, self._rest - self._work, np.inf).min(axis=1)
        work = np.where(waiting, self._work, 0.0).sum(axis=1)
        busy = work > 0
        if busy.any():
            ends = np.maximum(heads, state.machine_free)[busy] + work[busy] + tails[busy]
            best = max(best, float(ends.max()))
        return best * (1 - 1e-12)

    def polish(self, state: Schedule) -> Schedule:
        """Swap neighbours at the ends of critical blocks while that shortens the schedule."""
        order = list(state.order)
        best = self.energy(state)
        while True:
            for a, b in self._critical_swaps(order):
                other = self._swapped(order, a, b)
                candidate = self._replay(other)
                if self.energy(candidate) < best:
                    order, state, best = other, candidate, self.energy(candidate)
                    break
            else:
                return state

    def _replay(self, order: list[int]) -> Schedule:
        """The semi-active schedule of a sequence of operations."""
        job_free, machine_free = [0.0] * self.n, [0.0] * self.m
        for op in order:
            job, i = op // self.m, self.machine[op]
            a, b = job_free[job], machine_free[i]
            job_free[job] = machine_free[i] = (a if a > b else b) + self.time[op]
        return Schedule(tuple(order), (self.m,) * self.n, tuple(job_free), tuple(machine_free))

    def _critical_swaps(self, order: list[int]) -> list[tuple[int, int]]:
        """The first and last pairs of the blocks of one longest path."""
        end: dict[int, float] = {}
        before: dict[int, int] = {}
        last_on: dict[int, int] = {}
        for op in order:
            previous = [op - 1] if op % self.m else []
            if self.machine[op] in last_on:
                previous.append(last_on[self.machine[op]])
            end[op] = self.time[op]
            if previous:
                before[op] = max(previous, key=end.__getitem__)
                end[op] += end[before[op]]
            last_on[self.machine[op]] = op
        path = [max(end, key=end.__getitem__)] if end else []
        while path and path[-1] in before:
            path.append(before[path[-1]])
        path.reverse()
        blocks: list[list[int]] = []
        for op in path:
            if blocks and self.machine[blocks[-1][-1]] == self.machine[op]:
                blocks[-1].append(op)
            else:
                blocks.append([op])
        pairs = []
        for index, block in enumerate(blocks):
            if len(block) > 1:
                if index > 0:
                    pairs.append((block[0], block[1]))
                if index < len(blocks) - 1 and (len(block) > 2 or index == 0):
                    pairs.append((block[-2], block[-1]))
        return pairs

    def _swapped(self, order: list[int], a: int, b: int) -> list[int]:
        """The sequence with b before a, its neighbour on one machine; what waits for a moves behind it."""
        i, j = order.index(a), order.index(b)
        jobs, machines = {a // self.m}, set[int]()
        early, late = [], []
        for op in order[i + 1 : j]:
            if op // self.m in jobs or self.machine[op] in machines:
                late.append(op)
                jobs.add(op // self.m)
                machines.add(self.machine[op])
            else:
                early.append(op)
        if (
            b // self.m in jobs
        ):  # b waits for a by another way, possible only through operations of no duration
            return order
        return [*order[:i], *early, b, a, *late, *order[j + 1 :]]

    def decisions(self, state: Schedule) -> tuple[int, ...]:
        """The actions that lead to `state`."""
        return tuple(op // self.m for op in state.order)

    def describe(self, action: int) -> str:
        return f"start the next step of job {int(action)}"
