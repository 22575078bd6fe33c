"""`DilemmaTreeClassifier`: one small, accurate classification tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from dilemma.tree.compat import ClassifierMixin
from dilemma.tree.estimator import DilemmaTree
from dilemma.tree.table import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from dilemma.tree.estimator import Progress


class DilemmaTreeClassifier(ClassifierMixin, DilemmaTree):  # type: ignore[misc]
    """The most accurate small classification tree that the budget allows.

    Grows a greedy tree, then searches for better ones until `max_iter` or `time_limit` is reached or the
    tree is proved optimal. The energy minimised is the number of training errors (by weight) plus
    `leaf_penalty` a leaf, or the errors on validation rows where these are given.

    Parameters
    ----------
    max_depth : int, default=5
        Most splits between the root and a leaf, 0 to 30.
    max_iter : int or None, default=3000
        Most alternatives tried. The same number gives the same tree on every machine.
    time_limit : float or None, default=60.0
        Seconds for `fit` as a whole, reading the data included. The budget that is spent first counts; on
        all but large tables that is `max_iter`.
    validation_fraction : float or None, default=None
        Share of the rows held out of growing, on whose errors trees are compared (the paper's protocol).
        None: all rows grow the tree and judge it, which measured better on unseen data.
    leaf_penalty : float or "cv", default=2.0
        Price of a leaf in errors. ``"cv"`` chooses it by cross-validation, spending half the time limit.
    criterion : {"entropy", "gini", "error"}, default="entropy"
        What ranks the splits of a node.
    min_samples_leaf : int, default=1
    min_samples_split : int, default=2
        Fewest rows in a leaf, and in a node that is split.
    min_entropy : float, default=0.0
        A node of lower class entropy, in bits, is a leaf.
    max_bins : int, default=64
        A numeric column with no more distinct values than this keeps every threshold; others are cut into
        this many bins of about equal weight. At most 255; more bins take longer and tested no better.
    categorical_features : None, list of names or indices, or boolean mask, default=None
        Columns that are labels, in addition to those whose dtype says so (strings, categories).
    categorical_splits : {"subset", "one_vs_rest", "multiway"}, default="subset"
        Some labels against the others, one against the others, or a child for each label (ID3).
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weight of the rows of each class, validation and test rows included.
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        Cost of predicting the class of column j for a row of class i, in the order of `classes_`. The
        energy then counts costs, and `predict` answers the class of least expected cost.
    search : str, default="auto"
        The order in which alternatives are tried: "auto" (successive halving, then a proof), "halving",
        "proof", "dilemma" (the paper's), "regret", "rank", "random", "greedy" (no search).
    memory_limit : int or None, default=1 GiB
        Bytes the search may hold besides the data.
    random_state : int, RandomState or None, default=None
        Seed of `validation_fraction`, ``leaf_penalty="cv"`` and ``search="random"``.
    n_jobs : int or None, default=None
        Threads; the tree does not depend on it. -1 uses all cores.
    verbose : int, default=0
        1 prints a line for each improvement.
    callbacks : callable or list of callables, default=None
        Called with a `Progress` (iteration, nodes, seconds, energy) after each improvement.

    Attributes
    ----------
    tree_ : Tree
        The tree as plain arrays, with `energy`, `bound` and `optimal`.
    classes_ : NDArray
    n_features_in_ : int
    feature_names_in_ : NDArray of str
        Only for frames with string column names.
    feature_importances_ : NDArray[float64]
    leaf_penalty_ : float
        The price of a leaf that was used.
    n_iter_ : int
        Alternatives tried.
    stop_reason_ : str
        "optimal", "exhausted", "time_limit", "max_iter", "memory_limit" or "interrupt".
    trace_ : Trace
        Energy and training, validation and test error against iterations, nodes and seconds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dilemma.tree import DilemmaTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DilemmaTreeClassifier(max_depth=2).fit(X, y)
    >>> model.tree_.optimal, model.tree_.training_errors
    (True, 6.0)
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        max_depth: int = 5,
        *,
        max_iter: int | None = 3000,
        time_limit: float | None = 60.0,
        validation_fraction: float | None = None,
        leaf_penalty: float | Literal["cv"] = 2.0,
        criterion: Literal["entropy", "gini", "error"] = "entropy",
        min_samples_leaf: int = 1,
        min_samples_split: int = 2,
        min_entropy: float = 0.0,
        max_bins: int = 64,
        categorical_features: Sequence[int | str] | ArrayLike | None = None,
        categorical_splits: Literal["subset", "one_vs_rest", "multiway"] = "subset",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: ArrayLike | None = None,
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
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_entropy = min_entropy
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.categorical_splits = categorical_splits
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.search = search
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def _start_target(self, y: Any) -> NDArray[np.int32]:
        if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise ValueError(
                f"y should be a 1d array, got an array of shape {y.shape} instead: one tree predicts one "
                "output, fit one model for each (sklearn.multioutput.MultiOutputClassifier)"
            )
        labels = column_or_1d(y, warn=True)
        _refuse_missing(labels)
        check_classification_targets(labels)
        self.classes_, target = np.unique(labels, return_inverse=True)
        return target.reshape(-1).astype(np.int32)

    def _other_target(self, y: Any, name: str) -> NDArray[np.int32]:
        labels = column_or_1d(y)
        _refuse_missing(labels)
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y_{name} holds {unknown[0]!r}, which is not among the classes of y: {self.classes_}"
            )
        return np.asarray(np.searchsorted(self.classes_, labels), dtype=np.int32)

    def _class_weights(self, y: Any) -> NDArray[np.float64] | None:
        if self.class_weight is None:
            return None
        weights = np.asarray(compute_sample_weight(self.class_weight, column_or_1d(y)), dtype=np.float64)
        self._weight_of_class = np.zeros(len(self.classes_))
        self._weight_of_class[self._other_target(y, "")] = weights
        return weights

    def _weights_like_training(self, target: NDArray[Any]) -> NDArray[np.float64] | None:
        return None if self.class_weight is None else np.asarray(self._weight_of_class[target])

    def _strata(self, target: NDArray[Any]) -> NDArray[np.int64]:
        return target.astype(np.int64)

    def _criterion(self) -> Any:
        return self.criterion

    def _costs(self) -> NDArray[np.float64] | None:
        if self.cost_matrix is None:
            return None
        try:
            costs = np.ascontiguousarray(self.cost_matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"cost_matrix: expected a square of numbers, got {self.cost_matrix!r}") from None
        n = len(self.classes_)
        if costs.shape != (n, n):
            raise ValueError(
                f"cost_matrix: expected shape {(n, n)}, a row and a column for each of the classes "
                f"{self.classes_}, got {costs.shape}"
            )
        if not np.isfinite(costs).all() or (costs < 0).any():
            raise ValueError("cost_matrix: expected finite costs of zero or more")
        return costs

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        NDArray of shape (n_samples,)
        """
        leaf = self._leaves(X)
        return np.asarray(self.classes_[self.tree_.label[leaf]])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among the training weight of the row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        NDArray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        leaf = self._leaves(X)
        return np.asarray(self.tree_.proba[leaf])


def _refuse_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("Input y contains NaN or infinity: remove the rows without a class")
    if labels.dtype == object and any(is_missing(label) for label in labels):
        raise ValueError("Input y contains NaN or None: remove the rows without a class")
    if labels.dtype == object and len({isinstance(label, str) for label in labels}) > 1:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise TypeError(f"y mixes labels of types {kinds}: expected all strings or all numbers")
