"""What the classifier and the regressor share: running the search and serving the tree it found."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from dilemma.tree import encoding, engine, engine_grown, penalty, prepare, pruning
from dilemma.tree.compat import BaseEstimator
from dilemma.tree.grown import to_tree
from dilemma.tree.parameters import check_budget, check_parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from dilemma.tree.model import Tree
    from dilemma.tree.table import Table


SERVING = 4e-8  # seconds to count one row at one level of the final tree, roughly


class Progress(NamedTuple):
    """What a callback is told after each improvement."""

    iteration: int
    nodes: int
    seconds: float
    energy: float


class DilemmaTree(BaseEstimator):  # type: ignore[misc]
    """Base of the tree estimators; use `DilemmaTreeClassifier` or `DilemmaTreeRegressor`."""

    tree_: Tree
    _engine: engine.TreeSearch | None
    _trace: engine.Trace

    # What the two kinds of tree do differently.

    def _start_target(self, y: Any) -> NDArray[Any]:
        """Class indices or float targets of the training rows; learns the classes."""
        raise NotImplementedError

    def _other_target(self, y: Any, name: str) -> NDArray[Any]:
        """The same for validation or test rows."""
        raise NotImplementedError

    def _class_weights(self, y: Any) -> NDArray[np.float64] | None:
        """Weights the rows get from their classes."""
        return None

    def _weights_like_training(self, target: NDArray[Any]) -> NDArray[np.float64] | None:
        """Weights other rows get from their classes, as the training rows of the class did."""
        return None

    def _strata(self, target: NDArray[Any]) -> NDArray[np.int64]:
        """What held-out parts are balanced by."""
        raise NotImplementedError

    def _criterion(self) -> Any:
        raise NotImplementedError

    def _costs(self) -> NDArray[np.float64] | None:
        return None

    def _error_unit(self, data: engine.Data) -> float:
        """The energy of one error, in which `leaf_penalty` is given."""
        return 1.0

    # Fitting.

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        X_test: Any = None,
        y_test: Any = None,
    ) -> Self:
        """Grow a tree and improve it until the budget is spent.

        Ctrl-C ends the search, not the program: the best tree so far is kept and ``stop_reason_`` says so.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            NaN, None and ``pd.NA`` mean missing.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w rows; rows of weight zero are left out.
        X_val, y_val : default=None
            Validation rows. The energy is then their error, as in the paper; each row counts one, times its
            class weight.
        X_test, y_test : default=None
            Rows whose error `trace_` shows; nothing is chosen by it.

        Returns
        -------
        self
        """
        start = time.perf_counter()
        check_parameters(self)
        rng = check_random_state(self.random_state)
        table = prepare.read_table(self, X, reset=True)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        target = self._start_target(y)
        if len(target) != table.n_rows:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[table.n_rows, len(target)]}"
            )
        weights = prepare.row_weights(sample_weight, table.n_rows)
        by_class = self._class_weights(y)
        if by_class is not None:
            weights = weights * by_class
        prepare.check_weights(weights, self.leaf_penalty)
        rows = np.flatnonzero(weights > 0)
        if len(rows) < table.n_rows:
            table, target, weights = prepare.take_rows(table, rows), target[rows], weights[rows]
        data, validation = self._training_data(table, target, weights, rng, (X_val, y_val))
        test = self._other_data(X_test, y_test, "test")
        self._search(data, validation, test, rng, start)
        return self

    def _training_data(
        self,
        table: Table,
        target: NDArray[Any],
        weights: NDArray[np.float64],
        rng: np.random.RandomState,
        given: tuple[Any, Any],
    ) -> tuple[engine.Data, engine.Data | None]:
        fraction = self.validation_fraction
        if fraction is not None and given[0] is not None:
            raise ValueError("pass either X_val and y_val or validation_fraction, not both")
        if fraction is None:
            data = self._learn(table, target, weights)
            return data, self._other_data(*given, "val")
        n_held_out = prepare.held_out(fraction, len(target))
        kept, held_out = prepare.stratified(self._strata(target), n_held_out, rng)
        data = self._learn(prepare.take_rows(table, kept), target[kept], weights[kept])
        codes = encoding.encode(prepare.take_rows(table, held_out), self._columns)
        return data, self._data(codes, target[held_out], weights[held_out])

    def _learn(self, table: Table, target: NDArray[Any], weights: NDArray[np.float64]) -> engine.Data:
        flags = prepare.categorical_flags(self.categorical_features, table)
        equal = bool((weights == 1.0).all())
        self._columns, codes = encoding.learn(table, None if equal else weights, flags, self.max_bins)
        return self._data(codes, target, weights)

    def _data(
        self, codes: NDArray[np.uint8], target: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> engine.Data:
        if weights is not None and bool((weights == 1.0).all()):
            weights = None
        return engine.Data(
            codes=codes,
            n_codes=np.array([max(column.n_codes, 1) for column in self._columns], dtype=np.int32),
            categorical=np.array([column.categories is not None for column in self._columns], dtype=bool),
            target=np.ascontiguousarray(target),
            n_classes=len(getattr(self, "classes_", ())),
            weights=weights,
        )

    def _other_data(self, X: Any, y: Any, name: str) -> engine.Data | None:
        if X is None and y is None:
            return None
        if X is None or y is None:
            raise ValueError(f"pass both X_{name} and y_{name}, or neither")
        try:
            table = prepare.read_table(self, X, reset=False)
            codes = encoding.encode(table, self._columns)
        except (TypeError, ValueError) as error:
            raise type(error)(f"X_{name}: {error}") from None
        target = self._other_target(y, name)
        if len(target) != table.n_rows:
            raise ValueError(f"X_{name} has {table.n_rows} rows and y_{name} has {len(target)}")
        return self._data(codes, target, self._weights_like_training(target))

    def _settings(
        self, data: engine.Data, leaf_penalty: float, seed: int, *, validated: bool
    ) -> engine.Settings:
        return engine.Settings(
            max_depth=int(self.max_depth),
            criterion=self._criterion(),
            leaf_penalty=float(leaf_penalty) * self._error_unit(data),
            min_samples_leaf=int(self.min_samples_leaf),
            min_samples_split=int(self.min_samples_split),
            min_entropy=float(getattr(self, "min_entropy", 0.0)),
            categorical_splits=self.categorical_splits,
            search=self.search,
            energy="validation" if validated else "training",
            memory_limit=self.memory_limit,
            n_threads=_threads(self.n_jobs),
            random_state=seed,
            cost_matrix=self._costs(),
        )

    def _search(
        self,
        data: engine.Data,
        validation: engine.Data | None,
        test: engine.Data | None,
        rng: np.random.RandomState,
        start: float,
    ) -> None:
        seed = int(rng.randint(2**31 - 1))
        price, interrupted = self.leaf_penalty, False
        if price == "cv":
            spent = time.perf_counter() - start
            price, interrupted = penalty.choose(
                data,
                lambda part, price: self._settings(part, price, seed, validated=False),
                self._strata(data.target),
                rng,
                time_limit=None if self.time_limit is None else (self.time_limit - spent) / 2,
                max_iter=self.max_iter,
            )
        self.leaf_penalty_ = float(price)
        settings = self._settings(data, self.leaf_penalty_, seed, validated=validation is not None)
        self._engine = engine.TreeSearch(data, settings, validation=validation, test=test)
        self._run(self.time_limit, 0 if interrupted else self.max_iter, start)
        if interrupted:
            self.stop_reason_ = "interrupt"

    def _run(self, time_limit: float | None, max_iter: int | None, start: float) -> None:
        search = self._engine
        if search is None:
            raise ValueError(
                "the search behind this tree is gone (a copied or loaded estimator keeps the tree alone): "
                "fit again"
            )
        left = None
        if time_limit is not None:
            rest = time_limit - (time.perf_counter() - start)
            # Counting the rows of the tree that is handed out takes time as well.
            serving = SERVING * search.data.n_rows * (search.settings.max_depth + 2)
            left = max(rest - min(serving, rest / 2), 0.0)
        try:
            search.run(time_limit=left, max_iter=max_iter, callback=self._callback())
        except KeyboardInterrupt:
            if search.nodes == 0:  # nothing grown yet: there is no tree to return
                raise
        self._serve(search)

    def _callback(self) -> Any:
        listeners = self.callbacks or ()
        listeners = listeners if isinstance(listeners, list | tuple) else [listeners]
        if not listeners and not self.verbose:
            return None

        def tell(search: engine.TreeSearch) -> None:
            progress = Progress(search.iterations, search.nodes, search.seconds, search.energy)
            if self.verbose:
                print(
                    f"[{type(self).__name__}] {progress.seconds:8.2f} s  iteration {progress.iteration:<9d} "
                    f"nodes {progress.nodes:<10d} energy {progress.energy:g}"
                )
            for listener in listeners:
                listener(progress)

        return tell

    def _serve(self, search: engine.TreeSearch) -> None:
        classes = getattr(self, "classes_", None)
        grown, settings = search.tree(), search.settings
        leaf = grown.kind == engine_grown.LEAF
        cost = float(grown.errors[leaf].sum())
        if settings.energy == "validation" and search.validation is not None:
            cost = grown.cost(search.validation, settings.cost_matrix)
        self.tree_ = to_tree(
            grown,
            self._columns,
            classes,
            energy=cost + settings.leaf_penalty * grown.n_leaves,
            bound=search.bound,
            optimal=search.optimal,
            offset=getattr(self, "_offset", 0.0),
        )
        self.n_iter_ = max(int(search.iterations), 1)
        self.stop_reason_ = search.stop_reason

    def refine(self, time_limit: float | None = None, max_iter: int | None = None) -> Self:
        """Go on improving the fitted tree from where the search stopped.

        Parameters
        ----------
        time_limit : float, default=None
            Seconds.
        max_iter : int, default=None
            Further iterations. With neither, goes on until nothing is left to try, or Ctrl-C.

        Returns
        -------
        self
        """
        check_is_fitted(self, "tree_")
        check_budget(time_limit, max_iter)
        self._run(time_limit, max_iter, time.perf_counter())
        return self

    @property
    def trace_(self) -> engine.Trace:
        """The course of the search, column by column.

        ``iteration``, ``nodes``, ``seconds``, ``energy``, ``train_error``, ``validation_error`` and
        ``test_error``. The trees met on the way are evaluated when this is asked for.
        """
        check_is_fitted(self, "tree_")
        if self._engine is not None:
            return self._engine.trace
        return self._trace

    def __getstate__(self) -> dict[str, Any]:
        # The search holds native memory and the training rows: a copy keeps the tree and the trace.
        state = dict(super().__getstate__())
        if state.get("_engine") is not None:
            state["_trace"] = self.trace_
            state["_engine"] = None
        return state

    # Using the tree.

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        check_is_fitted(self, "tree_")
        return self.tree_.apply_table(prepare.read_table(self, X, reset=False))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf (node number) each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        NDArray[int32]
        """
        return self._leaves(X)

    def decision_path(self, X: Any) -> csr_matrix:
        """The nodes each row passes, as a sparse indicator matrix of shape (n_samples, n_nodes)."""
        from scipy.sparse import csr_matrix

        leaf = self._leaves(X)
        tree = self.tree_
        passed = np.full((tree.n_nodes, tree.max_depth + 1), -1, dtype=np.int32)
        for node in np.unique(leaf):
            path = tree.path(int(node))
            passed[node, : len(path)] = path
        indices = passed[leaf]
        indices = indices[indices >= 0]
        indptr = np.concatenate([[0], np.cumsum(tree.depth[leaf] + 1)])
        return csr_matrix(
            (np.ones(len(indices), dtype=np.int64), indices, indptr), shape=(len(leaf), tree.n_nodes)
        )

    def get_depth(self) -> int:
        """Splits on the longest path of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the total decrease of impurity."""
        check_is_fitted(self, "tree_")
        return self.tree_.importances()

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Prices per leaf at which the best pruned subtree changes.

        Fits a copy with ``leaf_penalty=0`` and prunes it at its weakest link, again and again.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas`` in the unit of `leaf_penalty` (errors per leaf), and the ``impurities``, ``errors``
            and ``n_leaves`` of each subtree.
        """
        from sklearn.base import clone

        whole = clone(self).set_params(leaf_penalty=0.0).fit(X, y, sample_weight=sample_weight)
        found = pruning.path(whole.tree_)
        scaled = found._replace(ccp_alphas=found.ccp_alphas / whole._error_unit(whole._engine.data))
        return Bunch(**scaled._asdict())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn < 1.6
        return {"allow_nan": True, "X_types": ["2darray", "sparse", "categorical"]}


def _threads(n_jobs: int | None) -> int:
    """Threads for `n_jobs`; more than there are cores would only stand in each other's way."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(cores, int(n_jobs) if n_jobs > 0 else cores + 1 + int(n_jobs)))
