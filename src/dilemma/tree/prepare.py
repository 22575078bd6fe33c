"""From what a user passes to `fit` to training, validation and test rows in codes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from dilemma.tree.compat import check_names, check_numbers
from dilemma.tree.table import (
    Table,
    is_frame,
    is_sparse,
    needs_columns,
    plain_numbers,
    read_columns,
    read_dense,
    read_sparse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def read_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """`X` as a table, checked as scikit-learn checks it; sets or checks feature names and number."""
    if isinstance(X, list | tuple):
        X = _from_lists(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "mMV":
        raise TypeError(f"X has dtype {X.dtype}; expected numbers: turn dates into numbers or labels first")
    numbers = plain_numbers(X) if is_frame(X) else X
    if numbers is not None and not needs_columns(numbers):
        checked = check_numbers(estimator, numbers)
        check_names(estimator, X if hasattr(X, "shape") else checked, reset=reset)
        table = read_sparse(checked) if is_sparse(checked) else read_dense(checked)
        if is_frame(X):
            table.names = tuple(str(name) for name in X.columns)
        return table
    if isinstance(X, np.ndarray) and X.dtype.kind in "UST" and estimator.categorical_features is None:
        raise ValueError(
            "X is an array of strings, so that numbers and labels cannot be told apart: "
            "pass a data frame, or name the label columns in categorical_features"
        )
    table = read_columns(X)
    if table.n_rows < 1 or table.n_columns < 1:
        empty = "feature" if table.n_columns < 1 else "sample"
        raise ValueError(
            f"Found array with 0 {empty}(s) (shape=({table.n_rows}, {table.n_columns})) while a minimum of 1 "
            "is required."
        )
    check_names(estimator, X, reset=reset)
    return table


def _from_lists(rows: Sequence[Any]) -> Any:
    """Rows given as lists: numbers where all are numbers, else objects, never everything as strings."""
    flat = (value for row in rows if isinstance(row, list | tuple) for value in row)
    if any(value is None or isinstance(value, str) for value in flat):
        width = {len(row) for row in rows}
        if len(width) != 1:
            raise ValueError(f"X: expected rows of one length, got lengths {sorted(width)}")
        out = np.empty((len(rows), width.pop()), dtype=object)
        for i, row in enumerate(rows):
            out[i] = row
        return out
    return rows


def row_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Weights of the rows as float64, none negative."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64, copy=True)
    if (weights < 0).any():
        raise ValueError(
            "Negative values in data passed to `sample_weight`: expected weights of zero or more"
        )
    return np.asarray(weights)


def check_weights(weights: NDArray[np.float64], leaf_penalty: float | str) -> None:
    """Refuse weights that are all zero; warn where they are so small that no leaf can pay for itself."""
    if not (weights > 0).any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number: every row has weight zero"
        )
    total = float(weights.sum())
    if isinstance(leaf_penalty, int | float) and total <= leaf_penalty < len(weights):
        warnings.warn(
            f"the sample weights sum to {total:g}, no more than leaf_penalty={leaf_penalty:g}: no split can "
            "pay for its leaf. A weight counts rows: scale them to a mean of one, or lower leaf_penalty.",
            UserWarning,
            stacklevel=3,
        )


def categorical_flags(wanted: Any, table: Table) -> list[bool | None]:
    """For each column: categorical, or None to go by what it holds."""
    n = table.n_columns
    flags: list[bool | None] = [None] * n
    if wanted is None or (isinstance(wanted, str) and wanted == "from_dtype"):
        return flags
    chosen = np.asarray(wanted)
    if chosen.ndim != 1:
        raise ValueError(f"categorical_features: expected a list of columns or a mask, got {wanted!r}")
    if chosen.dtype == bool:
        if len(chosen) != n:
            raise ValueError(f"categorical_features: expected a mask of {n} booleans, got {len(chosen)}")
        return [True if flag else None for flag in chosen]
    for item in chosen.tolist():
        if isinstance(item, str):
            if table.names is None or item not in table.names:
                raise ValueError(f"categorical_features: no column is named {item!r}")
            flags[table.names.index(item)] = True
        elif isinstance(item, int) and -n <= item < n:
            flags[item] = True
        else:
            raise ValueError(
                f"categorical_features: expected column names or indices below {n}, got {item!r}"
            )
    return flags


def held_out(fraction: float, n_rows: int) -> int:
    """How many rows are held out; neither part may be empty."""
    n_held_out = round(fraction * n_rows)
    if not 0 < n_held_out < n_rows:
        raise ValueError(
            f"validation_fraction={fraction} of n_samples={n_rows} leaves an empty part: "
            "use more rows, another fraction, or validation_fraction=None"
        )
    return n_held_out


def take_rows(table: Table, rows: NDArray[np.intp]) -> Table:
    """Some rows of a table."""
    if table.dense is not None:
        part = read_dense(table.dense[rows])
        part.names = table.names
        return part
    return Table(len(rows), table.n_columns, table.names, None, lambda j: table.column(j)[rows])


def stratified(
    strata: NDArray[np.int64], n_held_out: int, rng: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows kept and held out, each stratum giving its share."""
    shuffled = rng.permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    # Every len/n-th row of the rows sorted by stratum: shares differ by at most one row a stratum.
    picked = order[((np.arange(n_held_out) + 0.5) * len(strata) / n_held_out).astype(np.intp)]
    mask = np.zeros(len(strata), dtype=bool)
    mask[picked] = True
    return np.flatnonzero(~mask), np.flatnonzero(mask)
