"""The few places where supported scikit-learn versions differ (1.4 to the newest)."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils.validation import check_array
except ImportError as error:
    raise ImportError(
        "DilemmaTreeClassifier and DilemmaTreeRegressor need scikit-learn 1.4 or newer: "
        'python -m pip install "dilemma[sklearn]"  '
        "(a tree saved as JSON predicts without it: dilemma.tree.load)"
    ) from error

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn < 1.6
    validate_data = None

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin", "check_names", "check_numbers"]


def check_names(estimator: Any, X: Any, *, reset: bool) -> None:
    """Set or check `n_features_in_` and `feature_names_in_`."""
    if validate_data is not None:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    estimator._check_feature_names(X, reset=reset)
    estimator._check_n_features(X, reset=reset)


def check_numbers(estimator: Any, X: Any) -> Any:
    """A numeric array or sparse matrix, NaN allowed, as scikit-learn checks it."""
    finite = (
        {"ensure_all_finite": "allow-nan"} if validate_data is not None else {"force_all_finite": "allow-nan"}
    )
    with np.errstate(over="ignore", invalid="ignore"):  # it sums the numbers to see whether all are finite
        return check_array(
            X, accept_sparse=("csc", "csr"), dtype=None, estimator=estimator, input_name="X", **finite
        )
