"""`DilemmaTreeRegressor`: one small, accurate regression tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import column_or_1d

from dilemma.tree.compat import RegressorMixin
from dilemma.tree.estimator import DilemmaTree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from dilemma.tree import engine
    from dilemma.tree.estimator import Progress


LARGEST = 1e140  # sums of squares of a billion such targets are still finite
SMALLEST = 1e-140  # and their squares are still above zero
FAR = 100.0  # spreads from zero, from which sums of squares would lose the digits that tell targets apart


class DilemmaTreeRegressor(RegressorMixin, DilemmaTree):  # type: ignore[misc]
    """The regression tree of least squared error that the budget allows.

    The same search as `DilemmaTreeClassifier`, over the sum of squared errors plus a price per leaf.

    Parameters
    ----------
    max_depth : int, default=5
    max_iter : int or None, default=3000
    time_limit : float or None, default=60.0
    validation_fraction : float or None, default=None
    leaf_penalty : float or "cv", default=2.0
        Price of a leaf, in variances of the target: what one row costs, on average, when all are predicted
        by their mean.
    min_samples_leaf : int, default=1
    min_samples_split : int, default=2
    max_bins : int, default=64
    categorical_features : None, list of names or indices, or boolean mask, default=None
    categorical_splits : {"subset", "one_vs_rest", "multiway"}, default="subset"
    search : str, default="auto"
    memory_limit : int or None, default=1 GiB
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
    verbose : int, default=0
    callbacks : callable or list of callables, default=None
        All as in `DilemmaTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
    n_features_in_, feature_names_in_, feature_importances_, leaf_penalty_, n_iter_, stop_reason_, trace_
        As in `DilemmaTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from dilemma.tree import DilemmaTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DilemmaTreeRegressor(max_depth=3).fit(X, y)
    >>> model.get_depth() <= 3
    True
    """

    def __init__(
        self,
        max_depth: int = 5,
        *,
        max_iter: int | None = 3000,
        time_limit: float | None = 60.0,
        validation_fraction: float | None = None,
        leaf_penalty: float | Literal["cv"] = 2.0,
        min_samples_leaf: int = 1,
        min_samples_split: int = 2,
        max_bins: int = 64,
        categorical_features: Sequence[int | str] | ArrayLike | None = None,
        categorical_splits: Literal["subset", "one_vs_rest", "multiway"] = "subset",
        search: str = "auto",
        memory_limit: int | None = 1 << 30,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Callable[[Progress], object] | Sequence[Callable[[Progress], object]] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.validation_fraction = validation_fraction
        self.leaf_penalty = leaf_penalty
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.categorical_splits = categorical_splits
        self.search = search
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def _start_target(self, y: Any) -> NDArray[np.float64]:
        if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise ValueError(
                f"y should be a 1d array, got an array of shape {y.shape} instead: one tree predicts one "
                "output, fit one model for each (sklearn.multioutput.MultiOutputRegressor)"
            )
        target = _numbers(column_or_1d(y, warn=True), "y")
        self._offset = _offset(target)
        return target - self._offset

    def _other_target(self, y: Any, name: str) -> NDArray[np.float64]:
        return _numbers(column_or_1d(y), f"y_{name}") - self._offset

    def _strata(self, target: NDArray[Any]) -> NDArray[np.int64]:
        # Ten slices of the target: every held-out part spans its range.
        rank = np.empty(len(target), dtype=np.int64)
        rank[np.argsort(target, kind="stable")] = np.arange(len(target))
        return rank * 10 // max(len(target), 1)

    def _criterion(self) -> Any:
        return "squared_error"

    def _error_unit(self, data: engine.Data) -> float:
        weights = np.ones(data.n_rows) if data.weights is None else data.weights
        mean = np.average(data.target, weights=weights)
        return float(np.average((data.target - mean) ** 2, weights=weights))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean training target of the leaf of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        NDArray[float64] of shape (n_samples,)
        """
        leaf = self._leaves(X)
        return np.asarray(self.tree_.value[leaf, 0])


def _offset(target: NDArray[np.float64]) -> float:
    """What the search takes off targets that lie far from zero: near their middle, zero for all others."""
    if not len(target):
        return 0.0
    low, high = float(target.min()), float(target.max())
    spread, middle = high - low, low / 2 + high / 2
    if 0 < spread < SMALLEST:
        raise ValueError(
            f"the values of y differ by {spread:g} at most, whose square is too small for a float: "
            "multiply y by a constant"
        )
    if spread == 0 or abs(middle) <= FAR * spread:
        return 0.0
    step = 2.0 ** np.ceil(np.log2(spread))  # a round number, so that taking it off loses nothing
    return float(np.round(middle / step) * step)


def _numbers(y: NDArray[Any], name: str) -> NDArray[np.float64]:
    if y.dtype.kind not in "biufO":
        raise ValueError(f"{name}: expected numbers, got dtype {y.dtype}")
    try:
        out = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected numbers ({error}): Unknown label type for regression") from None
    if not np.isfinite(out).all():
        raise ValueError(f"Input {name} contains NaN or infinity: remove the rows without a value")
    if len(out) and max(abs(out.max()), abs(out.min())) > LARGEST:
        raise ValueError(
            f"{name} holds {max(out, key=abs):g}, whose square is too large for a float: expected at most "
            f"{LARGEST:g} in size, divide {name} by a constant"
        )
    return out
