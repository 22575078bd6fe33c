"""`treesearchsolverpy`: iterative beam search over a problem's actions, guided by its bound and its scores."""

from __future__ import annotations

import math
from typing import Any

from generic_families import FAMILIES
from treesearchsolverpy import iterative_beam_search

from dilemma.problem import offered

WIDTH = 20  # children a node; with all of them the first beams do not finish on large instances


class Node:
    """A state, the actions not yet taken from it, and the place in the order of nodes."""

    __slots__ = ("actions", "guide", "number", "regret", "scores", "state", "taken")

    def __lt__(self, other: Node) -> bool:
        return (self.guide, self.number) < (other.guide, other.number)


class Scheme:
    """The branching scheme."""

    def __init__(self, family: str, data: dict[str, Any], run: Any, guide: str) -> None:
        self.kind, self.run, self.by = FAMILIES[family], run, guide
        self.problem = self.kind.problem(data)
        self.bounded = hasattr(self.problem, "bound")
        self.made, self.best = 0, math.inf
        self.keyed = getattr(self.problem, "key", None)

    def node(self, state: Any, regret: float) -> Node:
        node = Node()
        node.state, node.regret, node.taken, node.actions = state, regret, 0, None
        by_bound = self.by == "bound" and self.bounded
        node.guide = (float(self.problem.bound(state)), regret) if by_bound else (regret, 0.0)
        self.made += 1
        node.number = self.made
        return node

    def rank(self, node: Node) -> None:
        """Rank a node's actions, only once it is about to be expanded; one without any is complete."""
        if node.actions is not None:
            return
        actions, scores = offered(self.problem.actions(node.state))
        order = sorted(range(len(actions)), key=lambda i: -scores[i])[:WIDTH]
        node.actions = [actions[i].item() if hasattr(actions[i], "item") else actions[i] for i in order]
        node.scores = [max(float(scores[i]), 1e-300) for i in order]
        if not order:
            energy = self.problem.energy(node.state)
            self.best = min(self.best, energy)
            self.run.report(energy, lambda: self.kind.answer(self.problem, node.state))

    def root(self) -> Node:
        return self.node(self.problem.initial(), 0.0)

    def next_child(self, father: Node) -> Node | None:
        if self.run.left() <= 0:
            raise TimeoutError
        self.rank(father)
        at = father.taken
        father.taken += 1
        if at >= len(father.actions):
            return None
        regret = father.regret + math.log(father.scores[0] / father.scores[at])
        return self.node(self.problem.apply(father.state, father.actions[at]), regret)

    def infertile(self, node: Node) -> bool:
        self.rank(node)
        return node.taken >= len(node.actions)

    def leaf(self, node: Node) -> bool:
        return node.actions is not None and not node.actions

    def bound(self, node: Node, worst: Node) -> bool:
        return self.bounded and math.isfinite(self.best) and self.problem.bound(node.state) >= self.best

    def better(self, node: Node, other: Node) -> bool:
        return False  # `rank` keeps the best

    def equals(self, node: Node, other: Node) -> bool:
        return node is other

    def comparable(self, node: Node) -> bool:
        return self.keyed is not None

    def Bucket(self, node: Node) -> Any:
        return self.keyed(node.state)

    def dominates(self, node: Node, other: Node) -> bool:
        return node.regret <= other.regret

    def display(self, node: Node) -> str:
        return str(self.best)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Beams of width 1, 2, 4, ... until the budget is spent; by regret where the bound says little."""
    guide = (
        "bound"
        if family in ("knapsack", "multi_knapsack", "set_cover", "job_shop", "flow_shop")
        else "regret"
    )
    try:
        iterative_beam_search(Scheme(family, data, run, guide), verbose=False)
    except TimeoutError:
        return
