"""Monte Carlo tree search: revisit states by the mean energy below them and by how little they were tried.

UCT: Kocsis and Szepesvári, ECML 2006; heuristic priors (PUCT): Rosin, Annals of Mathematics and Artificial
Intelligence 61 (2011); one child at a time: Coulom, CG 2006. When to use: energies of greedy completions tell
more than scores, and good solutions lie together. Cost: one regrowth a candidate and a walk down the tree;
memory grows with candidates. Deviations: rewards are energies on the scale of those seen, so that nothing
needs tuning; playouts follow the greedy, whose path then belongs to the tree, hence no solution is grown
twice and a tree that is used up proves the optimum (``playout="sampled"`` draws from P(A|S) instead, as the
original does, and only adds one state). A state's next action is opened when its bonus exceeds those of the
actions opened before, in the greedy's order.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dilemma.likelihood import Likelihood, likelihood_for
from dilemma.polish import Promising
from dilemma.problem import Action, Model
from dilemma.rollout import NO_ACTIONS, Proposal, Rollout, Status
from dilemma.stop import checked_number
from dilemma.strategies.base import Incumbent, Traits
from dilemma.strategies.policies import Noisy, sendable

PLAYOUTS = ("greedy", "sampled")


@dataclass(frozen=True, kw_only=True)
class MCTS:
    """UCT with the greedy's scores as prior.

    Parameters
    ----------
    exploration : float, default 0.2
        Weight of the bonus for what was tried little; rewards are between 0 and 1.
    playout : {"greedy", "sampled"}
        How a state new to the tree is completed.
    """

    name: ClassVar[str] = "mcts"
    traits: ClassVar[Traits] = Traits(space="grows")

    exploration: float = 0.2
    playout: Literal["greedy", "sampled"] = "greedy"

    def __post_init__(self) -> None:
        if checked_number("exploration", self.exploration) < 0:
            raise ValueError(f"exploration: expected a number >= 0, got {self.exploration!r}")
        if self.playout not in PLAYOUTS:
            raise ValueError(f"playout: expected one of {', '.join(PLAYOUTS)}, got {self.playout!r}")

    def start(self, model: Model, rng: np.random.Generator) -> MCTSRun:
        """Return a fresh run."""
        return MCTSRun(self, model, rng)


class Playout:
    """What one rollout adds: at each state the greedy went through, the log gap to the next untried action."""

    __slots__ = ("actions", "energy", "gaps", "last")

    def __init__(self, actions: tuple[Action, ...], gaps: list[float], energy: float) -> None:
        self.actions, self.gaps, self.energy = actions, gaps, energy
        self.last = max((i for i, gap in enumerate(gaps) if gap == gap), default=-1)  # with something untried


class Node:
    """A state of the tree: `at` actions into the playout that met it first."""

    __slots__ = (
        "action", "at", "banned", "children", "gap", "greedy_child", "live", "parent", "playout", "prior", "rank",
        "told", "total", "visits", "waiting",
    )  # fmt: skip

    def __init__(
        self, parent: Node | None, playout: Playout, at: int, prior: float, banned: frozenset[Action]
    ) -> None:
        self.parent, self.playout, self.at, self.prior, self.banned = parent, playout, at, prior, banned
        self.action: Action = playout.actions[at - 1] if at else None
        self.children: list[Node] = []
        self.greedy_child = at + 1 <= playout.last  # there is one with something left, not made yet
        self.rank = 1  # of the next untried action
        self.gap = playout.gaps[at] if at < len(playout.gaps) else math.nan  # its log gap; NaN: none
        self.waiting = 0.0  # prior of the action being tried
        self.visits = 1
        known = playout.energy == playout.energy
        self.told, self.total = (1, playout.energy) if known else (0, 0.0)
        self.live = self.gap == self.gap or self.greedy_child  # whether anything below can be proposed now

    def path(self) -> tuple[Action, ...]:
        """Return the actions that lead here."""
        actions: list[Action] = []
        node = self
        while node.parent is not None:
            actions.append(node.action)
            node = node.parent
        return tuple(reversed(actions))

    def refresh(self) -> None:
        """Note here and above whether anything is left."""
        node: Node | None = self
        while node is not None:
            live = node.gap == node.gap or node.greedy_child or any(c.live for c in node.children)
            if live == node.live and node is not self:
                return
            node.live = live
            node = node.parent


class MCTSRun:
    """The tree, and the scale of the energies seen."""

    def __init__(self, config: MCTS, model: Model, rng: np.random.Generator) -> None:
        self._config, self._rng = config, rng
        self._partition = model.commutative
        # Gaps are all a node knows of its actions: a function of all scores cannot be used.
        self._wanted = None if callable(model.normalise) else model.normalise
        self._likelihood = Likelihood()
        self._sampled = config.playout == "sampled"
        self._keyed = model.key is not None
        self._keys: set[Hashable] = set()
        self._incumbent, self._promising = Incumbent(), Promising()
        self._worst = math.nan
        self._seen = [0.0, 0.0, 0.0]  # number, sum and sum of squares of energies
        self._root: Node | None = None
        self._pending: deque[tuple[Node | None, Proposal]] = deque()

    def ask(self, count: int) -> list[Proposal]:
        if self._root is None:
            self._pending.append((None, Proposal()))
            return [Proposal()]
        proposals: list[Proposal] = []
        while len(proposals) < count and self._root.live:
            proposals.append(self._propose(self._select(self._root)))
        return proposals

    def _select(self, node: Node) -> Node:
        """Walk down to the node whose next action is to be tried; every node passed counts a visit."""
        reward = 0.5
        while True:
            node.visits += 1
            if node.greedy_child:  # the child whose playout this node shares
                node.greedy_child = False
                node.children.append(Node(node, node.playout, node.at + 1, 1.0, node.banned))
            reward = self._reward(node, reward)
            following = self._best(node, reward)
            if following is None:
                return node
            node = following

    def _best(self, node: Node, reward: float) -> Node | None:
        """Return the child to go to, or None for the next untried action, worth what its state is."""
        untried = node.gap == node.gap
        prior = _prior(node) if untried else 0.0
        share = prior + sum(child.prior for child in node.children)
        factor = self._config.exploration * math.sqrt(node.visits) / share
        best: Node | None = None
        most = reward + factor * prior if untried else -math.inf
        for child in node.children:
            if child.live:
                value = self._reward(child, reward) + factor * child.prior / (1 + child.visits)
                if value > most:
                    best, most = child, value
        return best

    def _reward(self, node: Node, otherwise: float) -> float:
        """Return the mean energy below a node as a reward between 0 and 1 (the best so far)."""
        number, total, squares = self._seen
        if not node.told or not number:
            return otherwise
        mean = total / number
        worst = mean + math.sqrt(max(0.0, squares / number - mean * mean))
        best = self._incumbent.energy
        if worst <= best:
            return otherwise
        return min(1.0, max(0.0, (worst - node.total / node.told) / (worst - best)))

    def _propose(self, node: Node) -> Proposal:
        policy = None
        if self._sampled:
            seed = int(self._rng.integers(2**63))
            policy = Noisy(sendable(self._likelihood), 1.0, seed, greedily=int(node.rank == 0))
        proposal = Proposal(
            prefix=node.path(),
            rank=node.rank,
            banned=node.banned,
            cutoff=self._incumbent.energy,
            polish_below=self._promising.threshold(),
            policy=policy,
            partition=self._partition,
        )
        self._pending.append((node, proposal))
        # Not to be proposed again before it is known what comes after it.
        node.waiting, node.gap = _prior(node), math.nan
        node.refresh()
        return proposal

    def tell(self, rollout: Rollout) -> None:
        node, proposal = self._pending.popleft()
        if node is None:
            self._likelihood = likelihood_for(self._wanted, rollout.best, rollout.next)
        new = self._is_new(rollout)
        self._promising.note(rollout)
        self._incumbent.update(rollout)
        energy = self._finite(rollout)
        gaps = self._gaps(rollout, proposal)
        playout = Playout(tuple(rollout.actions), gaps, energy)
        if node is None:
            self._root = Node(None, playout, 0, 1.0, NO_ACTIONS)
            return
        if gaps and new:
            banned = proposal.banned.union(rollout.skipped)
            child = Node(node, playout, 1, node.waiting, banned)
            if self._sampled and len(rollout.best) > 1:  # its best action is still to be tried
                child.rank, child.gap, child.live = 0, 0.0, True
            if child.live:
                node.children.append(child)
        node.rank += 1
        node.gap = gaps[0] if gaps else math.nan
        node.refresh()
        if energy == energy:
            above: Node | None = node
            while above is not None:
                above.told += 1
                above.total += energy
                above = above.parent

    def _gaps(self, rollout: Rollout, proposal: Proposal) -> list[float]:
        """Return the log gap to the next untried action at every state that belongs to the tree."""
        pairs = list(zip(rollout.best, rollout.next, strict=True))
        if self._sampled and proposal.policy is not None:
            pairs = pairs[:1]
        return [
            self._likelihood.gap_of(best, following) if following == following else math.nan
            for best, following in pairs
        ]

    def _is_new(self, rollout: Rollout) -> bool:
        """Cut a playout where it met a known state; return whether its first state is new."""
        keys = rollout.keys[:1] if self._sampled else rollout.keys
        for i, key in enumerate(keys):
            if key in self._keys:
                if not self._sampled:
                    rollout.cut(i + 1)
                return i > 0
            self._keys.add(key)
        return True

    def _finite(self, rollout: Rollout) -> float:
        """Return the energy of a candidate, the worst on record for one that is not feasible; NaN for none."""
        energy = rollout.energy
        if rollout.status is not Status.COMPLETE:
            return math.nan
        if math.isfinite(energy):
            self._seen[0] += 1.0
            self._seen[1] += energy
            self._seen[2] += energy * energy
            self._worst = energy if self._seen[0] == 1.0 else max(self._worst, energy)
            return energy
        return self._worst if self._seen[0] else math.nan

    def seen(self) -> Container[Hashable]:
        return () if self._sampled else self._keys

    def proves(self) -> bool:
        return True

    def bound(self) -> float:
        return -math.inf


def _prior(node: Node) -> float:
    """Return how promising a node's next untried action is, against 1 for its best action."""
    return math.exp(-node.gap) / (1 + node.rank)
