"""Splits of one row set, in readable Python: what the native spaces compute with kernels.

A *row set* is an array of row numbers. The space ranks the cuts of a row set by the criterion,
prices leaves, and solves one or two levels exactly. Ties are settled everywhere in the same way:
lower energy, then higher score, then the cut listed first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dilemma.tree.engine_grown import CATEGORY, MISSING, MULTIWAY, NUMERIC, SUBSET, Cut, Plan, left_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dilemma.tree.engine import Data, Settings

Rows = "NDArray[np.intp]"
SUBSET_CLASSES = 8  # orders of the categories tried where there are more than two classes
FIXED_POINT = float(1 << 20)  # unit weights: n log2 n is kept in integers, so that ties are ties


class Ranked(NamedTuple):
    """A cut, its criterion score (higher is better) and its place in the list of all cuts."""

    score: float
    cut: Cut
    place: int


class TwinSpace:
    """Row sets of one `Data` (and, under the validation energy, of a second one beside it)."""

    def __init__(self, data: Data, settings: Settings, validation: Data | None) -> None:
        self.data = data
        self.settings = settings
        self.judge = validation if settings.energy == "validation" else None
        self.stats = _row_statistics(data)
        self.judge_stats = None if self.judge is None else _row_statistics(self.judge)
        self.unit = data.weights is None
        # subsets of four categories or more are tried in order of their rates only: no proof
        many = data.categorical & (data.n_codes > 3 - (data.codes == MISSING).any(axis=1))
        self.complete = settings.categorical_splits != "subset" or not many.any()
        total = float(self.stats[:, :1].sum() if data.n_classes == 0 else self.stats.sum())
        # energies closer than this are equal: sums of weights come in different orders
        scale = float(self.stats[:, 2].sum()) if data.n_classes == 0 else total
        self.epsilon = 1e-9 * max(scale, 1e-300)

    # -- what a row set costs -------------------------------------------------------------------

    def totals(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Summed statistics: class weights, or (weight, weighted sum, weighted sum of squares)."""
        out: NDArray[np.float64] = self.stats[rows].sum(axis=0)
        return out

    def cost(self, stats: NDArray[np.float64]) -> float:
        """Cost of a leaf with these training statistics, on training rows."""
        if self.data.n_classes == 0:
            w, s, q = (float(v) for v in stats)
            return max(q - s * s / w, 0.0) if w > 0 else 0.0
        if self.settings.cost_matrix is None:
            return float(stats.sum() - stats.max())
        return float((stats @ self.settings.cost_matrix).min())

    def leaf(self, rows: NDArray[np.intp], judged: NDArray[np.intp]) -> float:
        """Energy of the row set as one leaf."""
        stats = self.totals(rows)
        if self.judge_stats is None:
            return self.cost(stats) + self.settings.leaf_penalty
        there = self.judge_stats[judged].sum(axis=0)
        if self.data.n_classes == 0:
            mean = stats[1] / stats[0] if stats[0] > 0 else 0.0
            cost = float(there[2] - 2 * mean * there[1] + mean * mean * there[0])
        elif self.settings.cost_matrix is None:
            cost = float(there.sum() - there[int(np.argmax(stats))])
        else:
            matrix = self.settings.cost_matrix
            cost = float((there @ matrix)[int(np.argmin(stats @ matrix))])
        return max(cost, 0.0) + self.settings.leaf_penalty

    def splittable(self, rows: NDArray[np.intp]) -> bool:
        """Whether the settings let this row set be split at all."""
        s = self.settings
        if len(rows) < max(s.min_samples_split, 2 * s.min_samples_leaf):
            return False
        return s.min_entropy <= 0 or _entropy(self.totals(rows)) >= s.min_entropy

    # -- cuts ----------------------------------------------------------------------------------

    def cuts(self, rows: NDArray[np.intp]) -> list[Ranked]:
        """All cuts that the settings allow, best score first."""
        found = []
        for place, (cut, parts) in enumerate(self._cuts(rows)):
            if min(int(p[1]) for p in parts) >= self.settings.min_samples_leaf:
                found.append(Ranked(self._score([p[0] for p in parts]), cut, place))
        found.sort(key=lambda r: (-r.score, r.place))
        return found

    def _cuts(self, rows: NDArray[np.intp]) -> Iterator[tuple[Cut, list[tuple[NDArray[np.float64], int]]]]:
        """Each cut with the statistics and the row count of its parts."""
        width = self.stats.shape[1]
        for f in range(self.data.n_features):
            column = self.data.codes[f, rows]
            histogram = np.zeros((256, width))
            np.add.at(histogram, column, self.stats[rows])
            number = np.bincount(column, minlength=256)
            present = np.flatnonzero(number)
            if len(present) < 2:
                continue
            for cut in self._cuts_of(f, present, histogram):
                if cut.kind == MULTIWAY:
                    yield cut, [(histogram[c], int(number[c])) for c in present]
                    continue
                goes_left = left_codes(cut)
                sides = (goes_left[present], ~goes_left[present])
                yield (
                    cut,
                    [(histogram[present[m]].sum(axis=0), int(number[present[m]].sum())) for m in sides],
                )

    def _cuts_of(self, f: int, present: NDArray[np.intp], histogram: NDArray[np.float64]) -> Iterator[Cut]:
        ordinary = [int(c) for c in present if c != MISSING]
        missing = present[-1] == MISSING
        if not self.data.categorical[f]:
            for c in ordinary[:-1]:
                yield Cut(f, NUMERIC, c)
                if missing:
                    yield Cut(f, NUMERIC, c, missing_left=True)
            if missing:
                yield Cut(f, NUMERIC, ordinary[-1])
            return
        codes = [int(c) for c in present]  # here a missing value is one more category
        if self.settings.categorical_splits == "multiway":
            yield Cut(f, MULTIWAY)
        elif self.settings.categorical_splits == "one_vs_rest" or len(codes) <= 3:
            for c in codes[: 1 if len(codes) == 2 else None]:
                yield Cut(f, CATEGORY, c, missing_left=c == MISSING)
        else:
            yield from self._subsets(f, codes, histogram)

    def _subsets(self, f: int, codes: list[int], histogram: NDArray[np.float64]) -> Iterator[Cut]:
        """Prefixes of the categories in the order of their mean target (or share of a class).

        For two classes and for regression the best split by impurity is among them (Breiman et al.
        1984, Theorem 4.5); for more classes each frequent class gives an order.
        """
        met = set()
        for rate in self._rates(histogram, codes):
            order = sorted(codes, key=lambda c: (rate[c], c))
            mask = 0
            for c in order[:-1]:
                mask |= 1 << c
                whole = sum(1 << d for d in codes)
                key = min(mask, whole ^ mask)
                if key not in met:
                    met.add(key)
                    yield Cut(f, SUBSET, 0, mask, bool(mask >> MISSING & 1))

    def _rates(self, histogram: NDArray[np.float64], codes: list[int]) -> Iterator[dict[int, float]]:
        if self.data.n_classes == 0:
            yield {c: _ratio(histogram[c, 1], histogram[c, 0]) for c in codes}
            return
        total = histogram.sum(axis=0)
        if self.data.n_classes == 2:
            classes = [1]
        else:
            classes = sorted((k for k in range(len(total)) if total[k] > 0), key=lambda k: (-total[k], k))
        for k in classes[:SUBSET_CLASSES]:
            yield {c: _ratio(histogram[c, k], float(histogram[c].sum())) for c in codes}

    def _score(self, parts: list[NDArray[np.float64]]) -> float:
        return sum(self._part_score(p) for p in parts)

    def _part_score(self, stats: NDArray[np.float64]) -> float:
        """Minus the impurity of one part, times its weight, up to a constant of the node."""
        criterion = self.settings.criterion
        if criterion == "squared_error":
            return float(stats[1] * stats[1] / stats[0]) if stats[0] > 0 else 0.0
        if criterion == "error":
            return -self.cost(stats)
        total = float(stats.sum())
        if criterion == "gini":
            return float((stats * stats).sum()) / total if total > 0 else 0.0
        return sum(self._xlogx(float(v)) for v in stats) - self._xlogx(total)

    def _xlogx(self, value: float) -> float:
        if value <= 0:
            return 0.0
        x = value * math.log2(value)
        return float(round(x * FIXED_POINT)) if self.unit else x * FIXED_POINT

    # -- parts ---------------------------------------------------------------------------------

    def parts(self, rows: NDArray[np.intp], cut: Cut) -> list[NDArray[np.intp]]:
        """The rows of each child, in their order."""
        column = self.data.codes[cut.feature, rows]
        if cut.kind == MULTIWAY:
            return [rows[column == c] for c in np.unique(column)]
        goes_left = left_codes(cut)[column]
        return [rows[goes_left], rows[~goes_left]]

    def judged_parts(
        self, rows: NDArray[np.intp], judged: NDArray[np.intp], cut: Cut
    ) -> list[NDArray[np.intp]]:
        """The judging rows of each child; what training rows leave open goes to the larger child."""
        if self.judge is None:
            return [judged] * (
                len(np.unique(self.data.codes[cut.feature, rows])) if cut.kind == MULTIWAY else 2
            )
        column, present = self.judge.codes[cut.feature, judged], np.unique(self.data.codes[cut.feature, rows])
        parts = self.parts(rows, cut)
        weights = [
            float(self.stats[p].sum() if self.data.n_classes else self.stats[p, 0].sum()) for p in parts
        ]
        heaviest = int(np.argmax(weights))
        to = np.full(256, heaviest)
        if cut.kind == MULTIWAY:
            to[present] = np.arange(len(present))
        else:
            goes_left = left_codes(cut)
            side = np.where(goes_left, 0, 1)
            if cut.kind != SUBSET:
                to[:MISSING] = side[:MISSING]
            to[present] = side[present]
        return [judged[to[column] == i] for i in range(len(parts))]

    # -- exact lower levels (training energy) --------------------------------------------------

    def best_one(self, rows: NDArray[np.intp], among: frozenset[Cut] | None = None) -> tuple[float, Plan]:
        """The best tree of at most one split, its cut one of `among` if given."""
        best, plan = self.leaf(rows, rows), Plan()
        if not self.splittable(rows):
            return best, plan
        for ranked in self.cuts(rows):
            if among is not None and ranked.cut not in among:
                continue
            parts = self.parts(rows, ranked.cut)
            energy = sum(self.leaf(p, p) for p in parts)
            if energy < best - self.epsilon:
                best, plan = energy, Plan(ranked.cut, (Plan(),) * len(parts))
        return best, plan

    def best_two(self, rows: NDArray[np.intp], width: int = 0) -> tuple[float, Plan]:
        """The best tree of at most two levels, made of the `width` best ranked cuts (0: of all)."""
        best, plan = self.leaf(rows, rows), Plan()
        if not self.splittable(rows):
            return best, plan
        cuts = self.cuts(rows)
        among = frozenset(r.cut for r in cuts[:width]) if 0 < width < len(cuts) else None
        for ranked in cuts[: width or None]:
            below = [self.best_one(p, among) for p in self.parts(rows, ranked.cut)]
            energy = sum(b[0] for b in below)
            if energy < best - self.epsilon:
                best, plan = energy, Plan(ranked.cut, tuple(b[1] for b in below))
        return best, plan


def _row_statistics(data: Data) -> NDArray[np.float64]:
    weights = np.ones(data.n_rows) if data.weights is None else data.weights
    if data.n_classes == 0:
        target = np.asarray(data.target, np.float64)
        return np.stack([weights, weights * target, weights * target * target], axis=1)
    stats = np.zeros((data.n_rows, data.n_classes))
    stats[np.arange(data.n_rows), data.target] = weights
    return stats


def _entropy(stats: NDArray[np.float64]) -> float:
    total = float(stats.sum())
    return -sum(v / total * math.log2(v / total) for v in stats.tolist() if v > 0) if total > 0 else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0
