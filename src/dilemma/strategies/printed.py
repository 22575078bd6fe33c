"""Algorithm 1 to the letter (Weissenberg et al., ICPR 2016), for the record.

States are filed *after* their action is taken (l. 8-9), so the root is never filed and leaves are; a state that was
popped is not filed again. Hence part of the tree is never reached, and leaves are evaluated twice: at branching 2
and depth 3, 4 of 8 leaves; at 4 and 3, 4 of 64. When to use: to see
what `dilemma_first` mends; use that. Cost: one regrowth a candidate, a part of them in vain. Deviations: none.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.problem import Action, Model
from dilemma.rollout import Proposal, Rollout
from dilemma.strategies.base import Traits


@dataclass(frozen=True, kw_only=True)
class Printed:
    """The printed Dilemma First Search.

    Parameters
    ----------
    order : {"dilemma", "random"}
        The queue's order: the largest dilemma, or any state (the paper's RSS on the printed algorithm).
    gap : {"raw", "log"}
        What a dilemma is: ``raw``: f_best − f_next, as Sections V and VI use it. ``log``: log P_best − log P_next.
    """

    name: ClassVar[str] = "printed"
    traits: ClassVar[Traits] = Traits(redundant=True, space="grows", optimal_in_the_limit=False)

    order: Literal["dilemma", "random"] = "dilemma"
    gap: Literal["raw", "log"] = "raw"

    def __post_init__(self) -> None:
        if self.gap not in ("raw", "log"):
            raise ValueError(f"gap: expected raw or log, got {self.gap!r}")
        if self.order not in ("dilemma", "random"):
            raise ValueError(f"order: expected dilemma or random, got {self.order!r}")

    def start(self, model: Model, rng: np.random.Generator) -> PrintedRun:
        """Return a fresh run."""
        if self.gap == "log" and callable(model.normalise):
            raise ValueError(
                "gap: log needs a problem whose normalise is a name or absent, got a function; use gap='raw'"
            )
        return PrintedRun(rng if self.order == "random" else None, self.gap, model.normalise)


class PrintedRun:
    """The dilemma queue Q of Algorithm 1: (gap, serial, state as its actions, rank of the next action)."""

    def __init__(self, rng: np.random.Generator | None, gap: str = "raw", normalise: Any = None) -> None:
        self._rng = rng
        self._log = gap == "log"
        self._normalise = normalise
        self._likelihood: Likelihood | None = None
        self._queue: list[tuple[float, int, tuple[Action, ...], int]] = []
        self._serial = 0
        self._started = False
        self._pending: deque[Proposal] = deque()

    def ask(self, count: int) -> list[Proposal]:
        if not self._started:
            self._started = True
            proposal = Proposal()
        elif not self._queue or self._pending:
            return []
        else:
            _, _, prefix, rank = self._pop()  # Alg. 1 l.11-12
            proposal = Proposal(prefix=prefix, rank=rank)
        self._pending.append(proposal)
        return [proposal]

    def _pop(self) -> tuple[float, int, tuple[Action, ...], int]:
        if self._rng is None:
            return heapq.heappop(self._queue)
        index = int(self._rng.integers(len(self._queue)))
        self._queue[index], self._queue[-1] = self._queue[-1], self._queue[index]
        return self._queue.pop()

    def tell(self, rollout: Rollout) -> None:
        proposal = self._pending.popleft()
        path = proposal.prefix
        if self._likelihood is None:
            self._likelihood = likelihood_for(self._normalise, rollout.best, rollout.next)
        for i, action in enumerate(rollout.actions):
            path = (*path, action)
            # Filed after its action (Alg. 1 l.9). Its dilemma is that of the actions below it: known where the
            # rollout stood in it, absent for a leaf, which is filed all the same.
            if i + 1 < len(rollout.actions):
                best, following = rollout.best[i + 1], rollout.next[i + 1]
                if following == following:  # there is a next-best action
                    gap = self._likelihood.gap_of(best, following) if self._log else best - following
                    self._file(gap if gap == gap else 0.0, path, 1)
            else:
                self._file(math.inf, path, 0)

    def _file(self, gap: float, path: tuple[Action, ...], rank: int) -> None:
        self._serial += 1
        entry = (gap, self._serial, path, rank)
        if self._rng is None:
            heapq.heappush(self._queue, entry)
        else:
            self._queue.append(entry)

    def seen(self) -> Container[Hashable]:
        return ()

    def proves(self) -> bool:
        return False

    def bound(self) -> float:
        return -math.inf
