"""Equal-effort halving: rivals are compared after the same effort, and the better half gets more.

Successive halving (Jamieson and Talwalkar, AISTATS 2016), made recursive, over deviations from the greedy: the
energies found below a decision refine the greedy's own opinion of it. A candidate's rivals are the candidates that
leave it at one place. With effort 0 a rival is completed greedily once; it gets effort e + 1 only among others that
had e, by the best energy found below it, no longer by its score. When to use: candidates are dear, or energies
tell more than scores, and nothing is to be drawn at random. Cost: one regrowth a candidate; memory grows with
candidates. Deviations: the number of rivals is not fixed beforehand, since each effort, once spent at the root, is
followed by the next; what is used up leaves the contest, so that the whole tree is covered in the end.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.polish import Promising
from dilemma.problem import Action, Model
from dilemma.rollout import NO_ACTIONS, Proposal, Rollout, Status
from dilemma.stop import checked_number
from dilemma.strategies.base import Incumbent, Traits


@dataclass(frozen=True, kw_only=True)
class Halving:
    """Successive halving of deviations at equal effort; see the module's text.

    Parameters
    ----------
    breadth : float, default 2
        How many times as many rivals get an effort as get the next one; above 1.
    """

    name: ClassVar[str] = "halving"
    traits: ClassVar[Traits] = Traits(space="grows")

    breadth: float = 2.0

    def __post_init__(self) -> None:
        if checked_number("breadth", self.breadth) <= 1:
            raise ValueError(f"breadth: expected a number above 1, got {self.breadth!r}")

    def start(self, model: Model, rng: np.random.Generator) -> HalvingRun:
        """Return a fresh run."""
        return HalvingRun(self, model)


class Option(NamedTuple):
    """A deviation not tried yet, the smallest log gap first, then the shallowest."""

    gap: float
    depth: int
    number: int
    prefix: tuple[Action, ...]
    rank: int
    banned: frozenset[Action]
    bound: float


FIRST = Option(0.0, 0, 0, (), 0, NO_ACTIONS, -math.inf)  # the greedy


@dataclass(slots=True, eq=False)
class Branch:
    """A candidate, the deviations from it that are left, and those that were tried."""

    number: int
    best: float = math.inf  # energy found here or below
    effort: int = 0
    options: list[Option] = field(default_factory=list)
    rivals: list[Branch] = field(default_factory=list)  # tried, with something left below

    @property
    def live(self) -> bool:
        return bool(self.options or self.rivals)


@dataclass(slots=True, eq=False)
class Task:
    """To bring a branch to an effort: many rivals to effort 0, the better ones to 1, fewer to 2, and so on."""

    branch: Branch
    effort: int
    given: int = 0  # the effort rivals are brought to now
    chosen: list[Branch] | None = None  # rivals that are to get it, the first one last


class HalvingRun:
    """The state of one run: the tasks begun, each within the one before."""

    def __init__(self, config: Halving, model: Model) -> None:
        self._breadth, self._model = config.breadth, model
        # Gaps are all that is known of a state's actions: a function of all scores cannot be used.
        self._wanted = None if callable(model.normalise) else model.normalise
        self._likelihood = Likelihood()
        self._incumbent, self._promising = Incumbent(), Promising()
        self._keys: set[Hashable] = set()
        self._root, self._made = Branch(0), 0
        self._tasks: list[Task] = []
        self._pending: deque[tuple[Branch, Option] | None] = deque()
        self._effort = 0  # spent at the root

    # -- the contract ---------------------------------------------------------------------------------------

    def ask(self, count: int) -> list[Proposal]:
        if not self._made:
            self._made = 1
            self._pending.append(None)
            return [Proposal()]
        while self._tasks or self._root.live:
            if not self._tasks:
                self._effort += 1
                self._tasks.append(Task(self._root, self._effort))
            if options := self._next(self._tasks[-1], count):
                branch = self._tasks[-1].branch
                self._pending.extend((branch, option) for option in options)
                return [self._proposal(option) for option in options]
        return []

    def tell(self, rollout: Rollout) -> None:
        pending = self._pending.popleft()
        for i, key in enumerate(rollout.keys):
            if key in self._keys:  # met since it was asked for
                rollout.cut(i + 1)
                break
            self._keys.add(key)
        self._promising.note(rollout)
        self._incumbent.update(rollout)
        if pending is None:
            self._likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
            self._file(self._root, self._root, FIRST, rollout)
            return
        parent, option = pending
        rival = Branch(self._made)
        self._made += 1
        self._file(parent, rival, option, rollout)
        parent.best = min(parent.best, rival.best)
        if rival.live:
            parent.rivals.append(rival)

    def seen(self) -> Container[Hashable]:
        return self._keys

    def proves(self) -> bool:
        return True

    def bound(self) -> float:
        return -math.inf

    # -- the search -----------------------------------------------------------------------------------------

    def _next(self, task: Task, count: int) -> list[Option]:
        """Go one step further in a task; return the deviations to try, if it needs any."""
        branch = task.branch
        if task.given == task.effort:
            branch.effort = task.effort
            self._tasks.pop()
            if self._tasks:
                above = self._tasks[-1].branch
                above.best = min(above.best, branch.best)
            return []
        places = math.ceil(self._breadth ** min(task.effort - task.given, 64))
        if not task.given:
            if options := self._open(branch, min(count, places - len(branch.rivals))):
                return options
        else:
            if task.chosen is None:
                equals = [rival for rival in branch.rivals if rival.effort >= task.given - 1]
                equals.sort(key=lambda rival: (rival.best, rival.number))
                task.chosen = [rival for rival in equals[:places] if rival.effort < task.given][::-1]
            if task.chosen:
                self._tasks.append(Task(task.chosen.pop(), task.given))
                return []
            branch.rivals = [rival for rival in branch.rivals if rival.live]
        task.given, task.chosen = task.given + 1, None
        return []

    def _open(self, branch: Branch, count: int) -> list[Option]:
        """Take out the next deviations that the bound does not rule out."""
        options: list[Option] = []
        while branch.options and len(options) < count:
            option = heapq.heappop(branch.options)
            if option.bound < self._incumbent.energy:
                options.append(option)
        return options

    def _proposal(self, option: Option) -> Proposal:
        return Proposal(
            prefix=option.prefix,
            rank=option.rank,
            banned=option.banned,
            cutoff=self._incumbent.energy,
            partition=self._model.commutative,
            polish_below=self._promising.threshold(),
        )

    def _file(self, parent: Branch, branch: Branch, option: Option, rollout: Rollout) -> None:
        """File what is left to try: in the state branched from it is the parent's, below it the branch's own."""
        if rollout.status is Status.COMPLETE:
            branch.best = rollout.energy
        below = option.banned.union(rollout.skipped)
        bounds = rollout.bounds if self._model.polish is None else []
        for i, (best, following) in enumerate(zip(rollout.best, rollout.next, strict=True)):
            if following != following:  # nothing left there
                continue
            owner = parent if i == 0 else branch
            heapq.heappush(
                owner.options,
                Option(
                    self._likelihood.gap_of(best, following),
                    len(option.prefix) + i,
                    self._made,
                    (*option.prefix, *rollout.actions[:i]),
                    option.rank + 1 if i == 0 else 1,
                    option.banned if i == 0 else below,
                    bounds[i] if i < len(bounds) else -math.inf,
                ),
            )
