"""The search engine of `dilemma.tree`: coded columns in, the best tree so far out.

This module knows nothing of scikit-learn, strings or real numbers: features arrive as one-byte
codes, a tree leaves as plain arrays. `TreeSearch` runs on the native kernels when they are there
and on the readable Python twin (`dilemma.tree.twin`) when they are not; both give the same trees.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from dilemma.tree.engine_grown import Grown, Plan, build
from dilemma.tree.engine_native import NativeSearch, wanted_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["MISSING", "Data", "Grown", "Settings", "Trace", "TreeSearch", "kernel"]

MISSING = 255
"""The code of a missing value, in every feature."""

Criterion = Literal["entropy", "gini", "error", "squared_error"]
CategoricalSplits = Literal["subset", "one_vs_rest", "multiway"]
Energy = Literal["training", "validation"]
SEARCHES = ("auto", "halving", "proof", "dilemma", "regret", "rank", "random", "greedy")


@dataclass(frozen=True, slots=True)
class Data:
    """Rows in coded columns.

    Parameters
    ----------
    codes
        `(n_features, n_rows)` bytes, C-contiguous: code `c` of row `r` in feature `f` at
        `codes[f, r]`. Ordinary codes run from 0 to `n_codes[f] - 1`; 255 says missing.
    n_codes
        `(n_features,)` number of ordinary codes of each feature, 1 to 255.
    categorical
        `(n_features,)`: codes without an order. The others are split by `code <= threshold`.
    target
        `(n_rows,)`: class index 0 .. `n_classes - 1` as int32, or any finite value as float64.
    n_classes
        Number of classes; 0 says regression.
    weights
        `(n_rows,)` float64, finite and not negative, or None for one each.

    Raises
    ------
    TypeError
        An array of another dtype.
    ValueError
        An array of another shape, or codes, classes, weights out of range.
    """

    codes: NDArray[np.uint8]
    n_codes: NDArray[np.int32]
    categorical: NDArray[np.bool_]
    target: NDArray[np.int32] | NDArray[np.float64]
    n_classes: int
    weights: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        _check_array("codes", self.codes, np.uint8, 2)
        features, rows = self.codes.shape
        if not self.codes.flags.c_contiguous:
            raise ValueError("codes must be C-contiguous; pass numpy.ascontiguousarray(codes)")
        _check_array("n_codes", self.n_codes, np.int32, 1, features)
        _check_array("categorical", self.categorical, np.bool_, 1, features)
        if rows < 1:
            raise ValueError("codes must have at least one row, got 0")
        if rows >= 2**31:
            raise ValueError(f"at most 2**31 - 1 rows are supported, got {rows}")
        if self.n_classes < 0:
            raise ValueError(f"n_classes must be 0 (regression) or more, got {self.n_classes}")
        _check_array("target", self.target, np.int32 if self.n_classes else np.float64, 1, rows)
        if self.n_classes:
            low, high = int(self.target.min()), int(self.target.max())
            if low < 0 or high >= self.n_classes:
                raise ValueError(f"target must lie in 0..{self.n_classes - 1}, got {low}..{high}")
        elif not np.isfinite(self.target).all():
            raise ValueError("target must be finite for regression; remove the rows without a value")
        if features and (self.n_codes.min() < 1 or self.n_codes.max() > MISSING):
            raise ValueError(f"n_codes must lie in 1..255, got {self.n_codes.min()}..{self.n_codes.max()}")
        for f in range(features):
            _check_codes(f, self.codes[f], int(self.n_codes[f]))
        if self.weights is not None:
            _check_array("weights", self.weights, np.float64, 1, rows)
            if not np.isfinite(self.weights).all() or self.weights.min() < 0:
                raise ValueError("weights must be finite and not negative")

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.codes.shape[0])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])


def _check_array(name: str, array: Any, dtype: Any, ndim: int, length: int | None = None) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        got = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise TypeError(f"{name} must be an array of {np.dtype(dtype)}, got {got}")
    if array.ndim != ndim or (length is not None and array.shape[0] != length):
        want = f"{ndim}-dimensional" if length is None else f"of shape ({length},)"
        raise ValueError(f"{name} must be {want}, got shape {array.shape}")


def _check_codes(f: int, column: NDArray[np.uint8], n_codes: int) -> None:
    # uint8 wraps: 255 becomes 0, so one maximum sees both the largest code and the missing ones
    high = int((column + np.uint8(1)).max())
    if high > n_codes:
        raise ValueError(f"codes of feature {f} must be below n_codes={n_codes} or 255, got {high - 1}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to search for, and how.

    Parameters
    ----------
    max_depth
        Most splits on a path from the root to a leaf, 0 or more.
    criterion
        What ranks the splits of a node: "entropy", "gini", "error"; "squared_error" in regression.
    leaf_penalty
        Price of a leaf, in the units of the energy (errors, or squared error).
    min_samples_leaf, min_samples_split
        Fewest rows in a leaf, and in a node that is split. Rows are counted, not weighed.
    min_entropy
        A node of a lower class entropy (bits) is a leaf. Classification only.
    categorical_splits
        "subset" (some codes against the others), "one_vs_rest" or "multiway" (a child per code).
        A missing value counts as one more code of a categorical feature.
    search
        "auto" (halving, then proof), "halving", "proof", one of the paper's orders "dilemma",
        "regret", "rank", "random", or "greedy".
    energy
        "training", or "validation": errors on the validation set of a tree grown on training rows.
    memory_limit
        Bytes the search may hold beyond its data, or None.
    n_threads
        Threads of a search; the answer does not depend on them.
    random_state
        Seed of "random".
    cost_matrix
        `(n_classes, n_classes)` float64: the cost of predicting column j for a row of class i.
        The energy then counts costs instead of errors.
    """

    max_depth: int
    criterion: Criterion = "entropy"
    leaf_penalty: float = 0.0
    min_samples_leaf: int = 1
    min_samples_split: int = 2
    min_entropy: float = 0.0
    categorical_splits: CategoricalSplits = "subset"
    search: str = "auto"
    energy: Energy = "training"
    memory_limit: int | None = 1 << 30
    n_threads: int = 1
    random_state: int = 0
    cost_matrix: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name, low in (
            ("max_depth", 0),
            ("min_samples_leaf", 1),
            ("min_samples_split", 2),
            ("n_threads", 1),
        ):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < low:
                raise ValueError(f"{name} must be an integer of at least {low}, got {value!r}")
        for name in ("leaf_penalty", "min_entropy"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be finite and not negative, got {value!r}")
        for name, allowed in (
            ("criterion", ("entropy", "gini", "error", "squared_error")),
            ("categorical_splits", ("subset", "one_vs_rest", "multiway")),
            ("search", SEARCHES),
            ("energy", ("training", "validation")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {getattr(self, name)!r}")
        if self.memory_limit is not None and self.memory_limit < 1:
            raise ValueError(f"memory_limit must be positive or None, got {self.memory_limit!r}")


@dataclass(frozen=True, slots=True)
class Trace:
    """The course of a search, one entry for each recorded improvement.

    Columns of equal length. The errors are those of the best tree at that moment; NaN where there
    is no such data set. To keep the cost small, improvements that follow each other closely (in
    nodes, not seconds, so that a trace can be repeated) share an entry.
    """

    iteration: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]
    energy: NDArray[np.float64]
    train_error: NDArray[np.float64]
    validation_error: NDArray[np.float64]
    test_error: NDArray[np.float64]


class Backend(Protocol):
    """What `TreeSearch` asks of the native engine and of its twin."""

    def run(self, seconds: float, max_iter: int, until_improved: bool) -> str:
        """Go on; why it stopped: "time", "iterations", "memory", "improved", "interrupt", "exhausted"."""

    def plan(self) -> Plan:
        """The best tree so far, as nested cuts."""

    @property
    def energy(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def nodes(self) -> int: ...


@dataclass(slots=True)
class _Row:
    iteration: int
    nodes: int
    seconds: float
    plan: Plan = field(repr=False)


class TreeSearch:
    """A search that can be stopped, asked and resumed.

    Parameters
    ----------
    data
        The rows that grow the tree.
    settings
        What to search for.
    validation
        A second set in the same coding; required by `energy="validation"`, else only reported.
    test
        A third one, only reported.

    Attributes
    ----------
    stop_reason : str
        Why the last `run` returned: "optimal" (proved), "exhausted" (nothing left to try, without a
        proof), "time_limit", "max_iter", "memory_limit", "interrupt", or "" before the first run.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    >>> two = np.array([2, 2], np.int32)
    >>> data = Data(x, two, np.zeros(2, bool), np.array([0, 1, 1, 0], np.int32), 2)
    >>> search = TreeSearch(data, Settings(max_depth=2))
    >>> search.run()
    >>> search.energy, search.optimal
    (0.0, True)
    """

    def __init__(
        self, data: Data, settings: Settings, validation: Data | None = None, test: Data | None = None
    ) -> None:
        _check_together(data, settings, validation, test)
        self.data = data
        self.settings = settings
        self.validation = validation
        self.test = test
        self.stop_reason = ""
        self._seconds = 0.0
        self._rows: list[_Row] = []
        self._next_mark = 0
        self._backend: Backend | None = None

    def run(
        self,
        *,
        time_limit: float | None = None,
        max_iter: int | None = None,
        callback: Callable[[TreeSearch], object] | None = None,
    ) -> None:
        """Search on, until a limit of this call or until nothing is left to try.

        Parameters
        ----------
        time_limit
            Seconds, the set-up of the first call included. The greedy start may overrun it by 0.1 s;
            branches it has not reached by then end in leaves.
        max_iter
            Alternatives tried in this call; 0 grows the greedy tree and no more.
        callback
            Called with this search after each recorded improvement; its return value is ignored.
            It may raise to stop: the search stays usable.

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C, after the best tree so far was kept: `tree()` gives it, and `run` may be
            called again.
        """
        start = time.perf_counter()
        if time_limit is not None and not time_limit >= 0:
            raise ValueError(f"time_limit must be 0 or more seconds, got {time_limit!r}")
        if max_iter is not None and max_iter < 0:
            raise ValueError(f"max_iter must be 0 or more, got {max_iter!r}")
        spent_before = self._seconds
        self.stop_reason = "interrupt"  # unless the loop below ends in another way
        try:
            if self._backend is None:
                self._backend = _backend(self.data, self.settings, self.validation)
            last = None if max_iter is None else self._backend.iterations + max_iter
            while True:
                left = np.inf if time_limit is None else time_limit - (time.perf_counter() - start)
                reason = self._backend.run(left, -1 if last is None else last, True)
                self._seconds = spent_before + time.perf_counter() - start
                if self._record(force=reason != "improved") and callback is not None:
                    callback(self)
                if reason == "improved":
                    continue
                if reason == "interrupt":
                    raise KeyboardInterrupt
                break
            self.stop_reason = {
                "time": "time_limit",
                "iterations": "max_iter",
                "memory": "memory_limit",
                "exhausted": "optimal" if self._backend.optimal else "exhausted",
            }[reason]
        finally:
            self._seconds = spent_before + time.perf_counter() - start

    def _record(self, *, force: bool) -> bool:
        backend = self._running()
        nodes = backend.nodes
        if self._rows and nodes < self._next_mark and not force:
            return False
        plan = backend.plan()
        if self._rows and plan == self._rows[-1].plan:
            return False
        self._rows.append(_Row(backend.iterations, nodes, self._seconds, plan))
        self._next_mark = nodes + nodes // 20
        return True

    def _running(self) -> Backend:
        if self._backend is None:
            raise ValueError("call run() first: nothing has been searched yet")
        return self._backend

    def tree(self) -> Grown:
        """The best tree so far, its counts and errors taken from the rows themselves."""
        return self._build(self._running().plan())

    def _build(self, plan: Plan) -> Grown:
        judge = self.validation if self.settings.energy == "validation" else None
        return build(plan, self.data, self.settings, judge)

    @property
    def energy(self) -> float:
        """The energy of `tree()`: its cost on the rows that judge it plus `leaf_penalty` a leaf."""
        grown = self.tree()
        judge = self.data if self.settings.energy == "training" else self.validation
        if judge is None:
            raise ValueError('energy="validation" needs a validation set')
        return grown.cost(judge, self.settings.cost_matrix) + self.settings.leaf_penalty * grown.n_leaves

    @property
    def bound(self) -> float:
        """No tree of the space searched has a lower energy than this."""
        return self._running().bound

    @property
    def optimal(self) -> bool:
        """Whether the energy is proved to be the lowest."""
        return self._running().optimal

    @property
    def iterations(self) -> int:
        """Alternatives tried so far."""
        return 0 if self._backend is None else self._backend.iterations

    @property
    def nodes(self) -> int:
        """Row sets evaluated so far."""
        return 0 if self._backend is None else self._backend.nodes

    @property
    def seconds(self) -> float:
        """Wall time spent in `run` so far."""
        return self._seconds

    @property
    def trace(self) -> Trace:
        """How the search went; the trees are evaluated when this is asked for."""
        columns: list[list[float]] = [[], [], [], []]
        judges = (self.data, self.validation, self.test)
        for row in self._rows:
            grown = self._build(row.plan)
            errors = [np.nan if d is None else grown.cost(d, self.settings.cost_matrix) for d in judges]
            energy = errors[0] if self.settings.energy == "training" else errors[1]
            for column, value in zip(
                columns, (energy + self.settings.leaf_penalty * grown.n_leaves, *errors), strict=True
            ):
                column.append(value)
        return Trace(
            np.array([r.iteration for r in self._rows], np.int64),
            np.array([r.nodes for r in self._rows], np.int64),
            np.array([r.seconds for r in self._rows], np.float64),
            *(np.array(c, np.float64) for c in columns),
        )


def _check_together(data: Data, settings: Settings, validation: Data | None, test: Data | None) -> None:
    if data.n_classes:
        if settings.criterion == "squared_error":
            raise ValueError('criterion="squared_error" is for regression; use "entropy", "gini" or "error"')
    elif settings.criterion != "squared_error":
        raise ValueError(f'regression needs criterion="squared_error", got {settings.criterion!r}')
    elif settings.cost_matrix is not None or settings.min_entropy > 0:
        raise ValueError("cost_matrix and min_entropy are for classification")
    if settings.cost_matrix is not None:
        _check_array("cost_matrix", settings.cost_matrix, np.float64, 2, data.n_classes)
        matrix = settings.cost_matrix
        if matrix.shape != (data.n_classes,) * 2 or not np.isfinite(matrix).all() or matrix.min() < 0:
            raise ValueError("cost_matrix must be square over the classes, finite and not negative")
    if settings.energy == "validation" and validation is None:
        raise ValueError('energy="validation" needs a validation set')
    for name, other in (("validation", validation), ("test", test)):
        if other is None:
            continue
        if other.n_features != data.n_features or other.n_classes != data.n_classes:
            raise ValueError(f"the {name} set must have the features and classes of the data")
        if (other.n_codes != data.n_codes).any() or (other.categorical != data.categorical).any():
            raise ValueError(f"the {name} set must be coded like the data (n_codes, categorical)")


def _backend(data: Data, settings: Settings, validation: Data | None) -> Backend:
    name = wanted_kernel()
    if name == "python":
        from dilemma.tree.twin import TwinSearch

        return TwinSearch(data, settings, validation)
    return NativeSearch(data, settings, validation, name)


def kernel() -> str:
    """Name of the kernel in use: "native avx512-bitalg", ..., "native baseline" or "python".

    The environment variable `DILEMMA_KERNEL` (auto, python, native, avx512, avx512bw, avx2,
    baseline) asks for one.

    Raises
    ------
    ValueError
        `DILEMMA_KERNEL` names none of them.
    RuntimeError
        The kernel asked for is not available on this machine.
    """
    name = wanted_kernel()
    return name if name == "python" else f"native {name}"
