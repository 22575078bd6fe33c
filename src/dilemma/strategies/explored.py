"""The explored tree: every state met, filed with what it would cost to change its decision.

One rollout is one `Dive`: the states it stood in share their path, so a filed state costs a few numbers, not a
copy of itself. Its alternatives are not stored; they are ranked again when it is revisited.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dilemma.likelihood import Likelihood
from dilemma.problem import Action
from dilemma.rollout import NO_ACTIONS, Proposal, Rollout

FloatArray: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]
NOTHING: FloatArray = np.empty(0)
SHORT = 24  # up to this many states plain Python is faster than a chain of array operations


class Dive:
    """What one rollout added to the tree.

    Position 0 stands for the state the rollout branched from, filed again with its next untried action;
    position i for the new state after the first i actions. The root dive's position 0 is the root.
    """

    __slots__ = (
        "actions", "at", "banned", "depth", "deviations", "done", "energy", "log_p", "log_ranks", "met", "parent",
        "rank", "ranks", "regret", "rest", "serial",
    )  # fmt: skip

    def __init__(self, parent: Dive | None, at: int, rank: int, serial: int) -> None:
        self.parent = parent
        self.at, self.rank, self.serial = at, rank, serial
        self.depth: int = 0 if parent is None else parent.depth + at  # of position 0
        self.actions: tuple[Action, ...] = ()
        self.banned = NO_ACTIONS  # below the first action
        self.energy = math.nan
        # What the path to the states below has cost so far, position 0 excluded:
        self.regret = 0.0  # sum of log P_max - log P_chosen
        self.deviations = 0  # decisions that were not greedy
        self.ranks = 0  # sum of the ranks taken
        self.log_ranks = 0.0  # sum of log(1 + rank)
        self.log_p: FloatArray | None = None  # sum of log P_chosen, by position
        self.rest: FloatArray | None = None  # bound on what is still untried, by position
        self.done = bytearray()  # positions whose next action was taken already
        self.met: FloatArray | None = None  # `Met.packed`, kept where keys are computed again

    def home(self, at: int) -> tuple[Dive, int]:
        """Return the dive that met the state at a position first, and its position there."""
        if at or self.parent is None:
            return self, at
        return self.parent, self.at

    def path(self, at: int) -> tuple[Action, ...]:
        """Return the actions from the root to the state at a position."""
        dive, at = self.home(at)
        path = dive.actions[:at]
        while dive.parent is not None:
            dive, at = dive.parent, dive.at
            path = dive.actions[:at] + path
        return path

    def untried(self) -> NDArray[np.bool_]:
        """Return, by position, whether the state's next action was not taken yet."""
        return np.asarray(np.frombuffer(bytes(self.done), dtype=np.uint8) == 0)

    def banned_at(self, at: int) -> frozenset[Action]:
        """Return the actions that belong to other branches than the one of the state at a position."""
        dive, at = self.home(at)
        return dive.banned if at else NO_ACTIONS


class Met:
    """The states of one dive that have an untried action, as columns: what a key is computed from.

    Columns that are constant along a dive are made on demand from the dive's own numbers.

    Attributes
    ----------
    at : position in the dive
    depth : decisions above the state
    rank : rank of its next untried action (1 = the second best)
    best, next : f of its best and of its next untried action
    gap : log P_best - log P_next
    regret : log-likelihood given up on the path so far
    deviations, ranks, log_ranks : decisions on the path that were not greedy, the sum of their ranks, and the
        sum of log(1 + rank)
    energy : energy of the candidate on which the state was first met
    log_p : log-likelihood of the path, where scores were recorded in full
    log_best, log_next : log P of the best and of the next action, likewise
    """

    __slots__ = ("at", "best", "dive", "gap", "log_best", "log_next", "log_p", "next")

    def __init__(
        self, dive: Dive, at: Positions, best: FloatArray, following: FloatArray, gap: FloatArray
    ) -> None:
        self.dive = dive
        self.at = at
        self.best = best
        self.next = following
        self.gap = gap
        self.log_p = self.log_best = self.log_next = NOTHING

    def __len__(self) -> int:
        return len(self.at)

    def __getitem__(self, which: NDArray[np.bool_]) -> Met:
        part = Met(self.dive, self.at[which], self.best[which], self.next[which], self.gap[which])
        if self.log_p is not NOTHING:
            part.log_p, part.log_best = self.log_p[which], self.log_best[which]
            part.log_next = self.log_next[which]
        return part

    def packed(self) -> FloatArray:
        """Return all columns as one array: what is kept of a dive's states takes one object, not five."""
        columns = [self.at, self.best, self.next, self.gap]
        if self.log_p is not NOTHING:
            columns += [self.log_p, self.log_best, self.log_next]
        return np.array(columns, dtype=float)

    @classmethod
    def unpacked(cls, dive: Dive, columns: FloatArray) -> Met:
        """Return what was `packed`."""
        met = cls(dive, columns[0].astype(np.int64), columns[1], columns[2], columns[3])
        if len(columns) > 4:
            met.log_p, met.log_best, met.log_next = columns[4], columns[5], columns[6]
        return met

    def _column(self, name: str) -> FloatArray:
        """Return a total of the path: the dive's own below the deviation, its parent's at position 0."""
        column = np.empty(len(self.at))
        column.fill(getattr(self.dive, name))
        parent = self.dive.parent
        if parent is not None and not self.at[0]:
            column[0] = getattr(parent, name) if self.dive.at or name == "energy" else 0.0
        return column

    @property
    def depth(self) -> FloatArray:
        return np.asarray(self.at + float(self.dive.depth))

    @property
    def rank(self) -> FloatArray:
        column: FloatArray = np.ones(len(self.at))
        if self.dive.parent is not None and not self.at[0]:
            column[0] = self.dive.rank + 1
        return column

    @property
    def regret(self) -> FloatArray:
        return self._column("regret")

    @property
    def deviations(self) -> FloatArray:
        return self._column("deviations")

    @property
    def ranks(self) -> FloatArray:
        return self._column("ranks")

    @property
    def log_ranks(self) -> FloatArray:
        return self._column("log_ranks")

    @property
    def energy(self) -> FloatArray:
        return self._column("energy")


def file_dive(
    home: tuple[Dive, int] | None, proposal: Proposal, rollout: Rollout, likelihood: Likelihood, serial: int
) -> tuple[Dive, Met]:
    """Return the dive a rollout made and the states to file.

    Parameters
    ----------
    home : (Dive, position) or None
        The state the rollout branched from; None for the first one.
    proposal, rollout : Proposal, Rollout
        What was asked and what came of it.
    likelihood : Likelihood
        How scores become probabilities.
    serial : int
        The dive's number, in order of creation.
    """
    parent, at = home if home is not None else (None, 0)
    rank, count = proposal.rank, len(rollout.best)
    dive = Dive(parent, at, rank, serial)
    dive.actions = tuple(rollout.actions)
    dive.energy = rollout.energy
    dive.banned = proposal.banned.union(rollout.skipped) if rollout.skipped else proposal.banned
    dive.done = bytearray(count)
    if rollout.bounds:
        dive.rest = np.array(rollout.bounds)
    if parent is not None and count:
        # What the deviation cost is the gap its state was filed with.
        cost = _gap_taken(rollout, proposal, likelihood)
        known = parent if at else _ROOT  # totals of the path to the state
        dive.regret = known.regret + cost
        dive.deviations, dive.ranks = known.deviations + 1, known.ranks + rank
        dive.log_ranks = known.log_ranks + math.log1p(rank)
        if dive.energy != dive.energy:  # no candidate came of it
            dive.energy = parent.energy
    best, following = np.array(rollout.best), np.array(rollout.next)
    met = Met(dive, _positions(count), best, following, _gaps(rollout, likelihood, best, following, rank))
    if rollout.scores:
        _log_likelihoods(met, rollout, likelihood)
    if not math.isnan(sum(rollout.next)):  # something is left to try everywhere: the common case
        return dive, met
    return dive, met[~np.isnan(following)]


_ROOT = Dive(None, 0, 0, -1)
_COUNTING = np.arange(1024)
_COUNTING.setflags(write=False)


def _positions(count: int) -> Positions:
    """Return 0, 1, ..., count - 1; short ones are views of one array."""
    return _COUNTING[:count] if count <= len(_COUNTING) else np.arange(count)


def _gaps(
    rollout: Rollout, likelihood: Likelihood, best: FloatArray, following: FloatArray, rank: int
) -> FloatArray:
    if likelihood.custom is None:
        if len(best) > SHORT:
            return likelihood.gap(best, following)
        return np.array(likelihood.gaps_of(rollout.best, rollout.next))
    gaps = np.full(len(best), math.nan)
    for i, scores in enumerate(rollout.scores):
        log_p, r = likelihood.log_p(scores), rank + 1 if i == 0 else 1
        if r < len(log_p):
            gaps[i] = log_p[0] - log_p[r]
    return gaps


def _gap_taken(rollout: Rollout, proposal: Proposal, likelihood: Likelihood) -> float:
    if likelihood.custom is not None:
        log_p = likelihood.log_p(rollout.scores[0])
        return float(log_p[0] - log_p[proposal.rank])
    return likelihood.gap_of(rollout.best[0], rollout.taken)


def _log_likelihoods(met: Met, rollout: Rollout, likelihood: Likelihood) -> None:
    """Fill in the log-likelihood of each state's path, and of its best and next action."""
    dive, count = met.dive, len(met)
    total = 0.0 if dive.parent is None or dive.parent.log_p is None else float(dive.parent.log_p[dive.at])
    met.log_p, met.log_best, met.log_next = np.empty(count), np.empty(count), np.full(count, math.nan)
    for i, scores in enumerate(rollout.scores):
        log_p, chosen = likelihood.log_p(scores), dive.rank if i == 0 else 0
        met.log_p[i], met.log_best[i] = total, log_p[0]
        if chosen + 1 < len(log_p):
            met.log_next[i] = log_p[chosen + 1]
        total += float(log_p[chosen])
    dive.log_p = met.log_p
