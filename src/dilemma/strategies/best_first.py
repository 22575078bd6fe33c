"""One best-first engine over the explored tree; a key decides which member of the family it is.

Algorithm 1 with its gaps mended: a state is filed *before* its action is taken, root included and leaves not;
a revisited state is filed again while untried actions remain; in a commutative problem, taking the k-th action
forbids the first k - 1 below it, so that every set of actions is built once.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Container, Hashable
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.polish import Promising
from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout, Status
from dilemma.stop import checked_count
from dilemma.strategies.base import Incumbent, Traits
from dilemma.strategies.explored import Dive, FloatArray, Met, file_dive
from dilemma.strategies.queues import BestFirstQueue, Queue, UniformQueue

KEYS_KEPT = 16  # keys of states met that are remembered, for each dilemma a bounded queue may hold

Key: TypeAlias = "Callable[[Met, Scales], FloatArray]"


@dataclass(slots=True)
class Scales:
    """What keys may know of the run so far; re-estimated after 10, 100, 1000, ... candidates.

    Attributes
    ----------
    levels : float
        Depth of the greedy's path: the paper's d.
    branching : float
        Mean number of actions in the states met: the paper's b.
    log_greedy : float
        log E[P_max] over the greedy steps seen.
    greedy_energy : float
        E_0.
    gap : float
        Standard deviation of the log gaps met.
    energy : float
        Standard deviation of the energies found.
    """

    levels: float = 0.0
    branching: float = 1.0
    log_greedy: float = 0.0
    greedy_energy: float = math.nan
    gap: float = 1.0
    energy: float = 1.0


def uniform(met: Met, scales: Scales) -> FloatArray:
    """Mark a queue that is popped at random; the values are not used."""
    return met.gap


@dataclass(frozen=True, kw_only=True)
class BestFirst:
    """A member of the best-first family: subclasses name it and give its keys.

    Parameters
    ----------
    max_queue : int, optional
        Keep at most this many dilemmas a queue (30 to 660 bytes each); beyond it the least urgent half is dropped,
        and the run can no longer prove anything by exhaustion. Of a problem with a `key`, sixteen times as many
        keys are remembered. Default: no limit.
    normalise : str, callable or Likelihood, optional
        How scores become probabilities (see `dilemma.likelihood`). Default: the problem's own ``normalise``,
        or what the signs of the greedy's scores suggest.
    partition : bool, default True
        Search the partition tree of a problem whose actions commute: every set of actions once. False searches
        sequences, as if their order mattered.
    """

    name: ClassVar[str] = "best_first"
    traits: ClassVar[Traits] = Traits()
    full: ClassVar[bool] = False  # whether keys need P itself, not only ratios
    adaptive: ClassVar[bool] = False  # whether keys use scales that change during the run

    max_queue: int | None = None
    normalise: object = None
    partition: bool = True

    def __post_init__(self) -> None:
        if self.max_queue is not None:
            checked_count("max_queue", self.max_queue, least=2)

    def keys(self) -> tuple[Key, ...]:
        """Return one key a queue; the queues share one tree and take turns."""
        raise NotImplementedError

    def start(self, model: Model, rng: np.random.Generator) -> BestFirstRun:
        """Return a fresh run."""
        return BestFirstRun(self, model, rng)


class BestFirstRun:
    """The state of one run: the explored tree and its queues."""

    def __init__(self, config: BestFirst, model: Model, rng: np.random.Generator) -> None:
        self.config = config
        self.keys = config.keys()
        self.queues: list[Queue] = [
            UniformQueue(rng) if k is uniform else BestFirstQueue() for k in self.keys
        ]
        wanted = config.normalise if config.normalise is not None else model.normalise
        self._wanted = wanted
        self._full = config.full or callable(wanted)
        self._partition = config.partition and model.commutative
        self._keyed = model.key is not None
        self.likelihood: Likelihood | None = None
        self.scales = Scales()
        self.incumbent = Incumbent()
        self.dropped = False
        self._promising = Promising()
        self._seen: set[Hashable] = set()
        self._pending: deque[tuple[tuple[Dive, int] | None, Proposal]] = deque()
        self._started = False
        self._turn = 0
        self._told = 0
        self._stats = _Stats()

    def ask(self, count: int) -> list[Proposal]:
        if not self._started:
            self._started = True
            proposal = Proposal(full=self._full)
            self._pending.append((None, proposal))
            return [proposal]
        proposals: list[Proposal] = []
        while len(proposals) < count:
            state = self._most_urgent()
            if state is None:
                break
            dive, at = state
            dive.done[at] = 1
            proposal = Proposal(
                prefix=dive.path(at),
                rank=1 if at or dive.parent is None else dive.rank + 1,
                banned=dive.banned_at(at),
                cutoff=self.incumbent.energy,
                partition=self._partition,
                full=self._full,
                polish_below=self._promising.threshold(),
            )
            self._pending.append((dive.home(at), proposal))
            proposals.append(proposal)
        return proposals

    def _most_urgent(self) -> tuple[Dive, int] | None:  # Alg. 1 l.11-12
        """Pop from the queues in turn; what the bound rules out is dropped on the way."""
        for _ in self.queues:
            queue = self.queues[self._turn]
            self._turn = (self._turn + 1) % len(self.queues)
            while (state := queue.pop()) is not None:
                dive, at = state
                if dive.rest is None or dive.rest[at] < self.incumbent.energy:
                    return state
                dive.done[at] = 1
        return None

    def tell(self, rollout: Rollout) -> None:
        home, proposal = self._pending.popleft()
        if self.likelihood is None:
            self.likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
        if self._keyed:
            self._skip_duplicates(rollout)
        self.incumbent.update(rollout)
        self._promising.note(rollout)
        dive, met = file_dive(home, proposal, rollout, self.likelihood, self._told)
        if self.config.adaptive:
            self._stats.add(rollout, met)
        self._told += 1
        if self._told == 1:
            self._stats.into(self.scales, rollout)
        if len(met):
            self._file(dive, met)
        if self.config.adaptive and self._told >= 10 and math.log10(self._told).is_integer():
            self._rekey()

    def _file(self, dive: Dive, met: Met) -> None:  # Alg. 1 l.9
        if self.config.adaptive:
            dive.met = met.packed()
        for queue, key in zip(self.queues, self.keys, strict=True):
            queue.push(dive, met, key(met, self.scales))
            if self.config.max_queue is not None and len(queue) > self.config.max_queue:
                queue.keep(self.config.max_queue // 2)
                self.dropped = True

    def _skip_duplicates(self, rollout: Rollout) -> None:
        for i, key in enumerate(rollout.keys):
            if key in self._seen:
                rollout.cut(i + 1)
                return
            self._seen.add(key)
        if self.config.max_queue is not None and len(self._seen) > KEYS_KEPT * self.config.max_queue:
            self._seen.clear()  # duplicates may be grown again: slower, not wrong

    def _rekey(self) -> None:
        """File all open states anew under scales estimated from what has been seen."""
        self._stats.into(self.scales, None)
        waiting: dict[int, tuple[Dive, NDArray[np.bool_]]] = {}
        for queue in self.queues:
            for dive, at in queue.filed():
                if dive.serial not in waiting:
                    waiting[dive.serial] = dive, np.zeros(len(dive.done), dtype=bool)
                waiting[dive.serial][1][at] = True
        fresh = [q if k is uniform else BestFirstQueue() for q, k in zip(self.queues, self.keys, strict=True)]
        for _, (dive, filed) in sorted(waiting.items()):
            if dive.met is None:
                continue
            met = Met.unpacked(dive, dive.met)
            met = met[(filed & dive.untried())[met.at]]
            dive.met = met.packed()
            if not len(met):
                continue
            for queue, key in zip(fresh, self.keys, strict=True):
                if key is not uniform:
                    queue.push(dive, met, key(met, self.scales))
        self.queues = list(fresh)

    def seen(self) -> Container[Hashable]:
        return self._seen

    def proves(self) -> bool:
        return not self.dropped

    def bound(self) -> float:
        if self.dropped or not self._started:
            return -math.inf
        least = math.inf
        for dive, at in self.queues[0]:
            if dive.rest is None:
                return -math.inf
            least = min(least, float(dive.rest[at]))
        return -math.inf if self._pending else least


@dataclass(slots=True)
class _Stats:
    """Running sums behind `Scales`."""

    counts: list[float] = field(default_factory=lambda: [0.0, 0.0])  # sum and number of branching factors
    greedy: list[float] = field(default_factory=lambda: [0.0, 0.0])  # sum and number of P_max
    gaps: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # number, sum, sum of squares
    energies: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def add(self, rollout: Rollout, met: Met) -> None:
        self.counts[0] += sum(rollout.count)
        self.counts[1] += len(rollout.count)
        if rollout.scores:
            self.greedy[0] += float(np.exp(met.log_best).sum())
            self.greedy[1] += len(met)
        _accumulate(self.gaps, met.gap)
        if rollout.status is Status.COMPLETE and math.isfinite(rollout.energy):
            self.energies[0] += 1
            self.energies[1] += rollout.energy
            self.energies[2] += rollout.energy * rollout.energy

    def into(self, scales: Scales, greedy: Rollout | None) -> None:
        if greedy is not None:
            scales.levels = float(len(greedy.actions))
            scales.greedy_energy = greedy.energy
        if self.counts[1]:
            scales.branching = max(1.0, self.counts[0] / self.counts[1])
        if self.greedy[1]:
            scales.log_greedy = math.log(self.greedy[0] / self.greedy[1])
        scales.gap, scales.energy = _deviation(self.gaps), _deviation(self.energies)


def _accumulate(sums: list[float], values: FloatArray) -> None:
    sums[0] += len(values)
    sums[1] += float(np.add.reduce(values))
    sums[2] += float(values.dot(values))


def _deviation(sums: list[float]) -> float:
    if sums[0] < 2:
        return 1.0
    mean = sums[1] / sums[0]
    variance = sums[2] / sums[0] - mean * mean
    return math.sqrt(variance) if variance > 1e-18 * max(1.0, mean * mean) else 1.0
