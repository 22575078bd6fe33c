"""The search engine in readable Python: the same trees as the native one, more slowly.

A tree decomposes: its energy is a sum over leaves, and what happens below one node does not matter
to another. So the search works on an AND/OR graph of row sets. Each node keeps the best energy found
below it; a cut of a node (an *edge*) is worth the sum of its children's energies; improvements are
backed up to all parents. Three ways through that graph:

- *halving*: cheap and wide first. With effort e a node tries its edges at efforts 0..e, each time
  fewer of them, chosen by the value they showed at the effort before. Rivals are thus judged after
  the same effort.
- *queue*: the paper's best-first orders, one alternative edge at a time.
- *proof*: depth-first with bounds passed down, until nothing better can exist.

The last two levels are always solved exactly (under the training energy).
"""

from __future__ import annotations

import heapq
import math
import time
from typing import TYPE_CHECKING

from dilemma.tree.engine_grown import MULTIWAY, Cut, Plan
from dilemma.tree.twin_space import TwinSpace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dilemma.tree.engine import Data, Settings
    from dilemma.tree.twin_space import Ranked

NARROW = 128  # cuts that make up an exact two-level tree ...
FULL_EFFORT = 3  # ... below this effort; all of them from it on
BREADTH, WIDENING = 1.7, 1.15  # edges kept per effort: BREADTH * WIDENING ** depth times fewer
FIRST_ATTEMPT = 1000  # nodes that the first try at the proof may open
GREEDY_GRACE = 0.1  # seconds that the greedy start may overrun a limit
INFINITY = math.inf


class Stop(Exception):
    """Unwinds the search; everything found so far has been filed."""


class Edge:
    """One cut of a node and what it has been worth so far."""

    def __init__(self, ranked: Ranked) -> None:
        self.cut: Cut = ranked.cut
        self.score = ranked.score
        self.effort = -1
        self.value = INFINITY
        self.children: list[Node] = []


class Node:
    """A row set with a number of levels left."""

    def __init__(self, rows: NDArray[np.intp], judged: NDArray[np.intp], levels: int, leaf: float) -> None:
        self.rows, self.judged, self.levels = rows, judged, levels
        self.leaf = leaf
        self.best = leaf
        self.lower = 0.0
        self.cut: Cut | None = None  # of the best tree; None: a leaf
        self.children: list[Node] = []
        self.plan: Plan | None = None  # of a node solved exactly in one go
        self.edges: list[Edge] | None = None
        self.parents: list[tuple[Node, Edge]] = []
        self.done = -1
        self.full = False  # nothing below is left to try
        self.next = 1  # queue: the edge to try next
        self.path_key = 0.0  # queue: what the deviations on the way here have cost
        self.number = 0


class TwinSearch:
    """The Python backend of `dilemma.tree.engine.TreeSearch`."""

    def __init__(self, data: Data, settings: Settings, validation: Data | None = None) -> None:
        self.settings = settings
        self.space = TwinSpace(data, settings, validation)
        self.exact_levels = 2 if settings.energy == "training" else 0
        self.iterations = 0
        self.nodes = 0
        self.effort = 0
        self.attempt_limit = 0
        self.started = False
        self.queue: list[tuple[float, int, int, Node]] = []
        self.pushes = 0
        self.cache: dict[tuple[bytes, bytes, int], Node] = {}
        self._limits(INFINITY, -1, False)
        judge = data if self.exact_levels else validation
        assert judge is not None  # checked by TreeSearch
        import numpy as np

        self.root = self.open(np.arange(data.n_rows), np.arange(judge.n_rows), settings.max_depth)

    # -- the backend protocol ------------------------------------------------------------------

    def run(self, seconds: float, max_iter: int, until_improved: bool) -> str:
        """Go on until a limit, an improvement, or the end; the reason."""
        self._limits(seconds, max_iter, until_improved)
        try:
            self._search()
        except Stop as stop:
            return str(stop)
        except KeyboardInterrupt:
            return "interrupt"
        return "exhausted"

    def plan(self) -> Plan:
        """The best tree so far."""
        return _plan(self.root)

    @property
    def energy(self) -> float:
        """Energy of the best tree so far."""
        return self.root.best

    @property
    def bound(self) -> float:
        """No tree of the space has a lower energy."""
        return min(self.root.lower, self.root.best) if self.space.complete else 0.0

    @property
    def optimal(self) -> bool:
        """Whether the bound has met the energy."""
        return self.space.complete and self.closed(self.root)

    # -- the graph -----------------------------------------------------------------------------

    def open(self, rows: NDArray[np.intp], judged: NDArray[np.intp], levels: int) -> Node:
        """The node of a row set: the known one, or a new one that is a leaf so far."""
        key = (rows.tobytes(), judged.tobytes(), levels)
        node = self.cache.get(key)
        if node is None:
            node = self.cache[key] = Node(rows, judged, levels, self.space.leaf(rows, judged))
            node.number = self.nodes
            self.nodes += 1
            if levels == 0 or not self.space.splittable(rows):
                node.lower, node.full = node.leaf, True
            else:
                pure = self.exact_levels and self.space.cost(self.space.totals(rows)) <= self.space.epsilon
                penalty = self.settings.leaf_penalty
                node.lower = node.leaf if pure else min(node.leaf, 2 * penalty)
        return node

    def closed(self, node: Node) -> bool:
        """Whether the node's best is proved, or it cannot be bettered."""
        return node.lower >= node.best - self.space.epsilon

    def expand(self, node: Node) -> list[Edge]:
        """The edges of a node: cuts by score, each partition once."""
        if node.edges is None:
            met, node.edges = set(), []
            for ranked in self.space.cuts(node.rows):
                parts = self.space.parts(node.rows, ranked.cut)
                partition = frozenset(p.tobytes() for p in parts)
                if partition not in met:
                    met.add(partition)
                    node.edges.append(Edge(ranked))
        return node.edges

    def follow(self, node: Node, edge: Edge) -> list[Node]:
        """The children along an edge, linked to their parent."""
        if not edge.children:
            parts = self.space.parts(node.rows, edge.cut)
            judged = self.space.judged_parts(node.rows, node.judged, edge.cut)
            edge.children = [self.open(p, j, node.levels - 1) for p, j in zip(parts, judged, strict=True)]
            for child in edge.children:
                child.parents.append((node, edge))
            self.weigh(node, edge)  # its own edge first: both children may have been known before
        return edge.children

    def weigh(self, node: Node, edge: Edge) -> None:
        """Back a value up: to the edge, and if it is the best one, to the node and its parents."""
        edge.value = sum(c.best for c in edge.children)
        if edge.value < node.best - self.space.epsilon:
            node.best, node.cut, node.children, node.plan = edge.value, edge.cut, edge.children, None
            self.back_up(node)

    def back_up(self, node: Node) -> None:
        """A node got better: tell its parents."""
        if node is self.root:
            self.improved = True
        for parent, edge in node.parents:
            if edge.children:
                self.weigh(parent, edge)

    def terminal(self, node: Node, width: int) -> None:
        """Solve the last levels exactly."""
        self.poll()
        self.nodes += 1
        if node.levels >= 2:
            energy, plan = self.space.best_two(node.rows, width)
        else:
            energy, plan = self.space.best_one(node.rows)
        if energy < node.best - self.space.epsilon:
            node.best, node.plan = energy, plan
            self.back_up(node)
        if node.levels < 2 or not width:
            node.lower, node.full = max(node.lower, energy), True

    # -- limits --------------------------------------------------------------------------------

    def _limits(self, seconds: float, max_iter: int, until_improved: bool) -> None:
        self.deadline = time.perf_counter() + seconds
        self.max_iter = max_iter
        self.until_improved = until_improved
        self.improved = False

    def poll(self) -> None:
        """Stop here if a limit says so."""
        if time.perf_counter() >= self.deadline + (0.0 if self.started else GREEDY_GRACE):
            raise Stop("time")
        if self.settings.memory_limit is not None and self.nodes * 4096 > self.settings.memory_limit:
            raise Stop("memory")
        if self.until_improved and self.improved and self.started:
            raise Stop("improved")

    def begin_trial(self) -> None:
        """An alternative is about to be tried."""
        self.poll()
        if 0 <= self.max_iter <= self.iterations:
            raise Stop("iterations")

    # -- the search ----------------------------------------------------------------------------

    def _search(self) -> None:
        if not self.started:
            self.greedy(self.root)
            self.started = True
            self.iterations += 1
        mode = self.settings.search
        if mode == "greedy" or self.closed(self.root):
            return
        if mode in ("dilemma", "regret", "rank", "random"):
            self.best_first()
            return
        if mode == "proof" and self.exact_levels:
            self.begin_trial()
            self.prove(self.root, INFINITY)
            return
        while not (self.closed(self.root) or self.root.full):
            # the proof gets shares of the work between rounds; here, counted in nodes
            if mode == "auto" and self.exact_levels and self.effort:
                self.attempt()
            else:
                self.round()

    def greedy(self, node: Node) -> None:
        """Best score at every node, down to the last level."""
        if node.full:
            return
        self.poll()
        edges = self.expand(node)
        if edges:
            for child in self.follow(node, edges[0]):
                self.greedy(child)

    def round(self) -> None:
        """One round of halving, of one effort more than the last."""
        self.solve(self.root, self.effort)
        self.polish(self.root)
        self.effort += 1
        self.attempt_limit = 2 * self.nodes + FIRST_ATTEMPT

    def attempt(self) -> None:
        """A try at the proof; it files all it learns, so that the next one gets further."""
        try:
            self.begin_trial()
            self.prove(self.root, INFINITY)
        except Stop as stop:
            if str(stop) != "attempt":
                raise
            self.attempt_limit = 0
            self.round()

    def solve(self, node: Node, effort: int) -> None:
        """Spend this much effort on a node."""
        if node.done >= effort or node.full or self.closed(node):
            return
        if node.levels <= self.exact_levels:
            self.terminal(node, NARROW if effort < FULL_EFFORT else 0)
            node.done = effort
            return
        edges = self.expand(node)
        breadth = BREADTH * WIDENING ** (self.settings.max_depth - node.levels)
        for step in range(effort + 1):
            keep = min(math.ceil(breadth ** (effort - step)), len(edges))
            if step == 0:
                pool = edges[:keep]
            else:
                pool = sorted((x for x in edges if x.effort >= step - 1), key=lambda x: x.value)[:keep]
            for edge in pool:
                if edge.effort < step:
                    self.try_edge(node, edge, step)
        node.done = effort
        node.full = all(x.children and all(c.full or self.closed(c) for c in x.children) for x in edges)
        if node.full:
            node.lower = max(node.lower, node.best)

    def polish(self, node: Node) -> None:
        """Consider all cuts at the bottom of the best tree, whatever effort its nodes have seen."""
        if node.full or self.closed(node):
            return
        if node.levels <= self.exact_levels:
            self.terminal(node, 0)
            return
        for child in node.children:
            self.polish(child)

    def try_edge(self, node: Node, edge: Edge, effort: int) -> None:
        """One alternative: both children at the same effort."""
        self.begin_trial()
        for child in self.follow(node, edge):
            self.solve(child, effort)
        edge.effort = effort
        self.weigh(node, edge)
        self.iterations += 1

    def best_first(self) -> None:
        """The paper's orders: the node whose next alternative comes first tries it."""
        if not self.queue:
            self.grow(self.root, 0.0)
        while self.queue:
            self.begin_trial()
            entry = heapq.heappop(self.queue)
            node = entry[-1]
            if self.closed(node):
                continue
            try:
                self.try_next(node)
            except (Stop, KeyboardInterrupt):
                heapq.heappush(self.queue, entry)
                raise
            self.iterations += 1
            node.next += 1
            self.push(node)

    def try_next(self, node: Node) -> None:
        """The next alternative of a node, grown greedily."""
        edge = self.expand(node)[node.next]
        path_key = node.path_key + self.step_key(node, node.next)
        for child in self.follow(node, edge):
            self.grow(child, path_key)
        self.weigh(node, edge)

    def grow(self, node: Node, path_key: float) -> None:
        """Grow greedily below a node that has not been grown before."""
        if node.done >= 0 or node.full or self.closed(node):
            return
        if node.levels <= self.exact_levels:
            self.terminal(node, 0)
            node.done = 0
            return
        node.path_key = path_key
        edges = self.expand(node)
        if edges:
            for child in self.follow(node, edges[0]):
                self.grow(child, path_key)
        node.done = 0
        self.push(node)

    def push(self, node: Node) -> None:
        """File a node under the key of its next alternative."""
        if node.next < len(node.edges or ()) and not self.closed(node):
            key = self.key(node)
            self.pushes += 1
            heapq.heappush(self.queue, (key, -node.levels, self.pushes, node))

    def key(self, node: Node) -> float:
        """The order of the queue; lower is sooner."""
        mode = self.settings.search
        step = self.step_key(node, node.next)
        return step if mode in ("dilemma", "random") else node.path_key + step

    def step_key(self, node: Node, choice: int) -> float:
        """What it costs to take this edge instead of the first."""
        edges = node.edges or []
        mode = self.settings.search
        if mode == "random":
            return random_unit(self.settings.random_state, node.number, choice)
        if mode == "rank":
            return float(choice)
        if mode == "dilemma":  # Eq. 5: the gap itself, per row, smallest first
            return (edges[0].score - edges[choice].score) / len(node.rows)
        base = self.space._part_score(self.space.totals(node.rows))
        floor = 1e-12 * len(node.rows)
        return math.log(max(edges[0].score - base, floor) / max(edges[choice].score - base, floor))

    def prove(self, node: Node, ceiling: float) -> None:
        """Raise the node's lower bound to its best or to the ceiling, improving the best on the way."""
        epsilon = self.space.epsilon
        if node.full or node.lower >= min(ceiling, node.best) - epsilon:
            return
        self.poll()
        if self.settings.search == "auto" and self.nodes > self.attempt_limit:
            raise Stop("attempt")
        if node.levels <= self.exact_levels:
            self.terminal(node, 0)
            return
        lowest = node.leaf
        for edge in self.expand(node):
            self.begin_trial()
            children = self.follow(node, edge)
            for child in children:
                rest = sum(c.lower for c in children if c is not child)
                target = min(ceiling, node.best)
                if rest + child.lower >= target - epsilon:
                    break
                self.prove(child, target - rest)
            self.weigh(node, edge)
            self.iterations += 1
            lowest = min(lowest, sum(c.lower for c in children))
        node.lower = max(node.lower, min(lowest, node.best))


def random_unit(seed: int, node: int, choice: int) -> float:
    """A number in [0, 1) from three integers (splitmix64), the same in C++."""
    word = (seed * 0x9E3779B97F4A7C15 + node * 0xBF58476D1CE4E5B9 + choice * 0x94D049BB133111EB) % 2**64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = ((word ^ (word >> shift)) * factor) % 2**64
    return float((word ^ (word >> 31)) >> 11) / float(1 << 53)


def _plan(node: Node) -> Plan:
    if node.plan is not None:
        return node.plan
    if node.cut is None:
        return Plan()
    return Plan(node.cut, tuple(_plan(c) for c in node.children))


__all__ = ["MULTIWAY", "TwinSearch", "random_unit"]
