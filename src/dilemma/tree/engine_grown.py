"""A grown tree as plain arrays, counted from the rows that reach each node.

The search hands over cuts only (`Plan`). Everything a tree reports (counts, errors, directions of
missing values) is taken here from the rows themselves, so that no error can be reported that the
tree does not make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dilemma.tree.engine import Data, Settings

LEAF, NUMERIC, CATEGORY, SUBSET, MULTIWAY = range(5)
MISSING = 255


class Cut(NamedTuple):
    """One split: which rows go left (or, multiway, one child per code present)."""

    feature: int
    kind: int
    threshold: int = 0  # NUMERIC: largest code on the left; CATEGORY: the code on the left
    mask: int = 0  # SUBSET: bit c set means code c goes left
    missing_left: bool = False


class Plan(NamedTuple):
    """A tree as the search sees it: a leaf (cut None), or a cut and the plans of its children
    (none given: leaves)."""

    cut: Cut | None = None
    children: tuple[Plan, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A tree in arrays, nodes in preorder, the root at 0.

    Attributes
    ----------
    kind
        Per node: LEAF 0, NUMERIC 1 (`code <= threshold` goes left), CATEGORY 2
        (`code == threshold` goes left), SUBSET 3 (codes whose bit is set in `mask` go left),
        MULTIWAY 4 (a child for each code met in training).
    feature
        Feature split on, -1 at leaves.
    threshold
        Code of NUMERIC and CATEGORY, -1 elsewhere. NUMERIC splits of known values from missing ones: 254
        where the known ones go left, -1 where they go right.
    mask
        `(n_nodes, 32)` bytes, code c at bit `c % 8` of byte `c // 8`; zero but for SUBSET. Codes
        that no training row of the node has follow its larger child.
    missing_left
        Where code 255 goes at binary splits: as learned if the node's training rows have missing
        values, else with the larger child. Also the way of categories unknown to the coding.
    first_child, n_children
        The children of node i are `children[first_child[i] : first_child[i] + n_children[i]]`:
        left and right, or one per entry of `child_code` in the same places. -1 and 0 at leaves.
    children, child_code
        Node numbers; the code that leads there at a MULTIWAY parent, else -1.
    default_child
        The child with most weight (the first among equals): where a MULTIWAY node sends a code
        that it has no child for, missing included. -1 at leaves.
    value
        `(n_nodes, n_classes)` weighted class counts, or `(n_nodes, 1)` weighted means.
    label
        Predicted class index of each node, the cheapest one (ties: the lowest); -1 in regression.
    n_rows, weight
        Training rows of the node, counted and weighed.
    impurity
        Entropy (bits), Gini index, error share or variance, after `criterion`.
    errors
        Weighted training errors, costs or squared error were the node a leaf.
    depth
        Longest path, 0 for a single leaf.
    """

    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.int32]
    mask: NDArray[np.uint8]
    missing_left: NDArray[np.bool_]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    children: NDArray[np.int32]
    child_code: NDArray[np.int32]
    default_child: NDArray[np.int32]
    value: NDArray[np.float64]
    label: NDArray[np.int32]
    n_rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    impurity: NDArray[np.float64]
    errors: NDArray[np.float64]
    depth: int

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.kind == LEAF).sum())

    def child_of_codes(self, node: int) -> NDArray[np.int32]:
        """Child that each of the 256 codes leads to from an inner node."""
        first, kind = self.first_child[node], self.kind[node]
        to = np.full(256, self.default_child[node], np.int32)
        if kind == MULTIWAY:
            places = slice(first, first + self.n_children[node])
            to[self.child_code[places]] = self.children[places]
            return to
        left, right = self.children[first], self.children[first + 1]
        code = np.arange(256)
        if kind == NUMERIC:
            goes_left = code <= self.threshold[node]
        elif kind == CATEGORY:
            goes_left = code == self.threshold[node]
        else:
            goes_left = np.unpackbits(self.mask[node], bitorder="little").astype(bool)
        goes_left[MISSING] = self.missing_left[node]
        out: NDArray[np.int32] = np.where(goes_left, left, right).astype(np.int32)
        return out

    def apply(self, codes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The leaf (node number) of each row of `(n_features, n_rows)` codes."""
        out = np.zeros(codes.shape[1], np.int32)
        pending = [(0, np.arange(codes.shape[1]))]
        while pending:
            node, rows = pending.pop()
            if self.kind[node] == LEAF or len(rows) == 0:
                out[rows] = node
                continue
            to = self.child_of_codes(node)[codes[self.feature[node], rows]]
            first = self.first_child[node]
            for child in self.children[first : first + self.n_children[node]]:
                pending.append((int(child), rows[to == child]))
        return out

    def cost(self, data: Data, cost_matrix: NDArray[np.float64] | None = None) -> float:
        """Weighted errors (or costs, or squared error) that this tree makes on `data`."""
        leaf = self.apply(data.codes)
        if data.n_classes == 0:
            each = (np.asarray(data.target) - self.value[leaf, 0]) ** 2
        elif cost_matrix is None:
            each = (self.label[leaf] != data.target).astype(np.float64)
        else:
            each = cost_matrix[data.target, self.label[leaf]]
        return float(each.sum() if data.weights is None else (each * data.weights).sum())


class _Builder:
    def __init__(self, data: Data, settings: Settings, judge: Data | None) -> None:
        self.data = data
        self.judge = judge
        self.settings = settings
        self.weights = data.weights
        self.target = data.target.astype(np.intp) if data.n_classes else data.target  # as bincount takes them
        self.nodes: list[tuple[Cut | None, tuple[float, ...], int, float, float, int, float]] = []
        self.links: dict[int, tuple[list[int], list[int], int]] = {}
        self.depth = 0

    def add(self, plan: Plan, rows: NDArray[np.intp], judged: NDArray[np.intp], depth: int) -> int:
        """File the node with these training and judging rows, and what is below it; its number."""
        node = len(self.nodes)
        self.depth = max(self.depth, depth)
        value, label, errors, impurity = self.summary(rows)
        weight = self.weigh(rows)
        self.nodes.append((None, value, label, errors, impurity, len(rows), weight))
        if plan.cut is None:
            return node
        cut = plan.cut
        column = self.data.codes[cut.feature, rows]
        other = _NONE if self.judge is None else self.judge.codes[cut.feature, judged]
        present = _present(column)
        if cut.kind == MULTIWAY:
            parts = [rows[column == code] for code in present]
            codes = [int(code) for code in present]
            place = np.full(256, int(np.argmax([self.weigh(part) for part in parts])))
            place[present] = np.arange(len(present))
        else:
            left = left_codes(cut)[column]
            parts = [rows[left], rows[~left]]
            larger_left = self.weigh(parts[0]) >= self.weigh(parts[1])
            cut, goes_left = self.settle(cut, larger_left, present, _present(other))
            codes = [-1, -1]
            place = np.where(goes_left, 0, 1)
        also = [judged[place[other] == i] for i in range(len(parts))]
        below = plan.children or (Plan(),) * len(parts)
        children = [self.add(p, r, j, depth + 1) for p, r, j in zip(below, parts, also, strict=True)]
        heaviest = int(np.argmax([self.nodes[c][6] for c in children]))
        self.nodes[node] = (cut, *self.nodes[node][1:])
        self.links[node] = (children, codes, children[heaviest])
        return node

    def settle(
        self, cut: Cut, larger_left: bool, present: NDArray[np.uint8], judged: NDArray[np.uint8]
    ) -> tuple[Cut, NDArray[np.bool_]]:
        """Decide what the rows leave open: the same partition of both sets, but sensible beyond them."""
        goes_left = left_codes(cut)
        missing_left = bool(goes_left[MISSING]) if present[-1] == MISSING else larger_left
        if cut.kind == NUMERIC:
            known = np.append(present, judged)
            known = known[known != MISSING]
            left, right = known[known <= cut.threshold], known[known > cut.threshold]
            if not len(left) or not len(right):  # known values against missing ones: all of them
                cut = cut._replace(threshold=-1 if len(right) else MISSING - 1)
            else:  # halfway between the codes met on either side
                cut = cut._replace(threshold=(int(left.max()) + int(right.min()) - 1) // 2)
        elif cut.kind == SUBSET:
            bits = np.full(256, larger_left)
            bits[present] = goes_left[present]
            cut = cut._replace(mask=_to_mask(bits))
        cut = cut._replace(missing_left=missing_left)
        return cut, left_codes(cut)

    def weigh(self, rows: NDArray[np.intp]) -> float:
        """The weight of these rows, one each if none were given."""
        return float(len(rows)) if self.weights is None else float(self.weights[rows].sum())

    def summary(self, rows: NDArray[np.intp]) -> tuple[tuple[float, ...], int, float, float]:
        """Value, label, errors and impurity of a node with these rows."""
        target = self.target[rows]
        weights = None if self.weights is None else self.weights[rows]
        total = self.weigh(rows)
        if self.data.n_classes == 0:
            if total == 0:
                return (float(target.mean()) if len(rows) else 0.0,), -1, 0.0, 0.0
            mean = float((target if weights is None else target * weights).sum() / total)
            squares = (target - mean) ** 2
            errors = float((squares if weights is None else weights * squares).sum())
            return (mean,), -1, errors, errors / total
        counts = np.bincount(target, weights, self.data.n_classes).astype(float)
        matrix = self.settings.cost_matrix
        costs = counts.sum() - counts if matrix is None else counts @ matrix
        label = int(np.argmax(counts)) if matrix is None else int(np.argmin(costs))
        share = counts / total if total else np.eye(1, len(counts))[0]
        if self.settings.criterion == "entropy":
            some = share[share > 0]
            impurity = float(-(some * np.log2(some)).sum()) + 0.0
        elif self.settings.criterion == "gini":
            impurity = float(1.0 - (share**2).sum())
        else:
            impurity = float(1.0 - share.max())
        return tuple(counts.tolist()), label, float(costs[label]), impurity

    def arrays(self) -> Grown:
        """The filed nodes, column by column."""
        n = len(self.nodes)
        cuts = [node[0] or Cut(-1, LEAF, -1) for node in self.nodes]
        first = np.full(n, -1, np.int32)
        count = np.zeros(n, np.int32)
        default = np.full(n, -1, np.int32)
        children: list[int] = []
        codes: list[int] = []
        for node, (kids, kid_codes, heaviest) in sorted(self.links.items()):
            first[node], count[node], default[node] = len(children), len(kids), heaviest
            children += kids
            codes += kid_codes
        masks = [c.mask.to_bytes(32, "little") if c.kind == SUBSET else bytes(32) for c in cuts]
        return Grown(
            kind=np.array([c.kind for c in cuts], np.uint8),
            feature=np.array([c.feature for c in cuts], np.int32),
            threshold=np.array(
                [c.threshold if c.kind in (NUMERIC, CATEGORY) else -1 for c in cuts], np.int32
            ),
            mask=np.frombuffer(b"".join(masks), np.uint8).reshape(n, 32).copy(),
            missing_left=np.array([c.missing_left for c in cuts], np.bool_),
            first_child=first,
            n_children=count,
            children=np.array(children, np.int32),
            child_code=np.array(codes, np.int32),
            default_child=default,
            value=np.array([node[1] for node in self.nodes], np.float64),
            label=np.array([node[2] for node in self.nodes], np.int32),
            errors=np.array([node[3] for node in self.nodes], np.float64),
            impurity=np.array([node[4] for node in self.nodes], np.float64),
            n_rows=np.array([node[5] for node in self.nodes], np.int64),
            weight=np.array([node[6] for node in self.nodes], np.float64),
            depth=self.depth,
        )


def build(plan: Plan, data: Data, settings: Settings, judge: Data | None = None) -> Grown:
    """Send the rows of `data` down the cuts of `plan` and count what arrives.

    The rows of `judge` were sent down these cuts as well while the search compared trees, and go where they
    went then: only what neither leaves open is settled here.
    """
    builder = _Builder(data, settings, judge)
    builder.add(plan, np.arange(data.n_rows), np.arange(0 if judge is None else judge.n_rows), 0)
    return builder.arrays()


_NONE = np.empty(0, np.uint8)


def _present(column: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.flatnonzero(np.bincount(column, minlength=256)).astype(np.uint8)


def left_codes(cut: Cut) -> NDArray[np.bool_]:
    """For each of the 256 codes: does this binary cut send it left?"""
    code = np.arange(256)
    if cut.kind == NUMERIC:
        out = code <= cut.threshold
    elif cut.kind == CATEGORY:
        out = code == cut.threshold
    else:
        bits = np.frombuffer(cut.mask.to_bytes(32, "little"), np.uint8)
        out = np.unpackbits(bits, bitorder="little").astype(bool)
    out[MISSING] = cut.missing_left
    return out


def _to_mask(bits: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
