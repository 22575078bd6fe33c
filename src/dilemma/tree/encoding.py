"""Columns to one-byte codes and back: what a split on codes means for the real values.

A numeric column becomes at most 255 bins, each knowing the least and greatest training value in it; a split
between two bins is then the midpoint between real values, so that prediction needs no binning and sends
every training row where its code went. A column with no more distinct values than bins loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dilemma.tree.table import read_dense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dilemma.tree.table import Label, Table

try:
    _native: Any = import_module("dilemma.native._predict")
except ImportError:  # installed without a compiler
    _native = None

MISSING = 255
MAX_CODES = 255
_READ = (np.float64, np.float32, np.uint8, np.int32, np.int64)  # what the kernel reads as it is
SAMPLE = 50_000  # rows that bins of equal weight are learned from where there are more


class Named(Protocol):
    """A column as far as reading its values needs it."""

    @property
    def name(self) -> str: ...

    @property
    def categories(self) -> tuple[Label, ...] | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What the codes of one column stand for.

    Attributes
    ----------
    name : str
    categories : tuple of str, tuple of float, or None
        The labels in code order; None for a numeric column.
    low, high : NDArray[float64]
        Least and greatest training value of each bin (empty for categories).
    """

    name: str
    categories: tuple[Label, ...] | None
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def n_codes(self) -> int:
        return len(self.low) if self.categories is None else len(self.categories)

    def threshold(self, left: int, right: int) -> float:
        """The cut between bin `left` and the next occupied bin `right`: ``x <= threshold`` goes left."""
        return midpoint(float(self.high[left]), float(self.low[right]))

    def encode(self, values: NDArray[Any]) -> NDArray[np.uint8]:
        """Codes of `values`; missing and unseen labels are `MISSING`."""
        if self.categories is not None:
            return encode_labels(values, self.categories)
        if values.dtype == object:
            raise TypeError(
                f"column {self.name!r} was numeric when fitted and now holds labels like {_first(values)!r}"
            )
        return search(values, self.cuts)

    @property
    def cuts(self) -> NDArray[np.float64]:
        """The cuts between neighbouring bins."""
        return np.array([midpoint(a, b) for a, b in zip(self.high[:-1], self.low[1:], strict=True)])


def midpoint(below: float, above: float) -> float:
    """A number t with ``below <= t < above``, half way where rounding and overflow allow."""
    middle = below / 2 + above / 2  # (a + b) / 2 overflows near the largest double
    return middle if below <= middle < above else below


def _first(values: NDArray[Any]) -> object:
    return next((value for value in values if value is not None), None)


def search(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The number of cuts below each value; `MISSING` for NaN."""
    if _native is None:
        return search_python(values, cuts)
    codes = np.empty(len(values), dtype=np.uint8)
    _native.search(np.ascontiguousarray(values, dtype=np.float64), cuts, codes)
    return codes


def search_python(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Twin of `search`."""
    codes = np.searchsorted(cuts, values, side="left").astype(np.uint8)
    codes[np.isnan(values)] = MISSING
    return codes


def binary_codes(array: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Codes of an array of zeros, ones and NaN, one row a column; None if it holds anything else.

    Wide tables of 0 and 1 are common and their columns need no sorting; most other tables are recognised
    by their first values.
    """
    if array.dtype == bool:
        array = array.view(np.uint8)
    if array.dtype not in (np.uint8, np.float32, np.float64):
        return None
    codes = np.empty(array.shape[::-1], dtype=np.uint8)
    if _native is not None:
        return codes if _native.binary(array, codes) else None
    gaps = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    if not ((array == 0) | (array == 1) | gaps).all():
        return None
    codes[:] = np.where(gaps, MISSING, array == 1).T
    return codes


def encode_labels(values: NDArray[Any], categories: Sequence[Label]) -> NDArray[np.uint8]:
    """Positions of `values` among `categories`; `MISSING` where there is none."""
    index: dict[object, int] = {label: code for code, label in enumerate(categories)}
    if values.dtype == object:
        return np.fromiter((index.get(value, MISSING) for value in values), dtype=np.uint8, count=len(values))
    distinct, inverse = np.unique(values, return_inverse=True)
    table = np.array([index.get(float(value), MISSING) for value in distinct], dtype=np.uint8)
    return table[inverse.reshape(-1)] if len(distinct) else np.empty(0, dtype=np.uint8)


def learn_labels(values: NDArray[Any], name: str) -> Column:
    """A categorical column: its distinct labels, sorted."""
    if values.dtype == object:
        labels = sorted({value for value in values if value is not None})
    else:
        labels = [float(value) for value in np.unique(values[~np.isnan(values)])]
    if len(labels) > MAX_CODES:
        raise ValueError(
            f"categorical column {name!r} has {len(labels)} categories, expected at most {MAX_CODES}: "
            "join the rare ones, or pass the column as numbers"
        )
    empty = np.empty(0)
    return Column(name, tuple(labels), empty, empty)


def learn_numeric(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, name: str, max_bins: int
) -> Column:
    """A numeric column: one bin a distinct value where they fit, else bins of about equal weight.

    Parameters
    ----------
    values : NDArray[float64]
        NaN for missing.
    weights : NDArray[float64] or None
        Row weights, all positive: a row of weight two counts as two rows.
    name : str
    max_bins : int
    """
    present = ~np.isnan(values)
    complete = bool(present.all())
    known = values if complete else values[present]
    if weights is None:
        known = np.sort(known)
        distinct = known[np.append(True, known[1:] != known[:-1])] if len(known) else known
    else:
        order = np.argsort(known, kind="stable")
        known = known[order]
        distinct = known[np.append(True, known[1:] != known[:-1])] if len(known) else known
    distinct = distinct + 0.0  # -0.0 and 0.0 are one value; show the plain one
    if len(distinct) <= max_bins:
        return Column(name, None, distinct, distinct)
    ends = np.append(np.flatnonzero(known[1:] != known[:-1]) + 1, len(known))
    if weights is None:
        cumulative = ends.astype(np.float64)
    else:
        total = np.cumsum((weights if complete else weights[present])[order])
        cumulative = total[ends - 1]
    last = equal_weight_bins(cumulative, max_bins)
    first = np.append(0, last[:-1] + 1)
    return Column(name, None, distinct[first], distinct[last])


def learn_sampled(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    name: str,
    max_bins: int,
    sample: NDArray[np.intp] | None,
) -> Column:
    """`learn_numeric` from a sample of the rows, unless few distinct values call for all of them.

    A row whose value lies between two bins of the sample is coded by the cut between them, so a split still
    sends every row where its code goes.
    """
    if sample is not None:
        part = learn_numeric(values[sample], None if weights is None else weights[sample], name, max_bins)
        if not np.array_equal(part.low, part.high):  # more distinct values than bins
            return part
    return learn_numeric(values, weights, name, max_bins)


def equal_weight_bins(cumulative: NDArray[np.float64], max_bins: int) -> NDArray[np.intp]:
    """Index of the last distinct value of each bin, given the cumulative weight of the distinct values.

    Values heavier than a bin's share leave shares unused (a column that is half zeros would get half its
    bins), so the share is made smaller while the bins still fit.
    """
    middle = cumulative - np.diff(cumulative, prepend=0.0) / 2
    last = np.empty(0, dtype=np.intp)
    for stretch in (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0):
        n_shares = int(max_bins * stretch)
        slot = np.minimum(middle / cumulative[-1] * n_shares, n_shares - 1).astype(np.intp)
        ends = np.append(np.flatnonzero(np.diff(slot)), len(slot) - 1)
        if stretch > 1.0 and len(ends) > max_bins:
            break
        last = ends
    return last


def learn(
    table: Table, weights: NDArray[np.float64] | None, categorical: Sequence[bool | None], max_bins: int
) -> tuple[tuple[Column, ...], NDArray[np.uint8]]:
    """Columns and codes of a training table.

    Parameters
    ----------
    table : Table
    weights : NDArray[float64] or None
    categorical : sequence of bool or None
        For each column: categorical, numeric, or None to go by what it holds (labels are categorical).
    max_bins : int

    Returns
    -------
    columns : tuple of Column
    codes : NDArray[uint8]
        Shape ``(n_columns, n_rows)``.
    """
    if table.dense is not None and True not in categorical:
        binary = binary_codes(table.dense)
        if binary is not None:
            both = np.array([0.0, 1.0])
            return tuple(Column(_name(table, j), None, both, both) for j in range(table.n_columns)), binary
    if table.dense is not None:
        columns = _learn_dense(table, weights, categorical, max_bins)
    else:
        columns = _learn_each(table, weights, categorical, max_bins)
    return columns, encode(table, columns)


def _learn_each(
    table: Table, weights: NDArray[np.float64] | None, categorical: Sequence[bool | None], max_bins: int
) -> tuple[Column, ...]:
    sample = _sample(table.n_rows)
    columns = []
    for j in range(table.n_columns):
        values = table.column(j)
        name = _name(table, j)
        labels = categorical[j] if categorical[j] is not None else values.dtype == object
        if labels:
            columns.append(learn_labels(values, name))
            continue
        if values.dtype == object:
            values = _as_numbers(values, name)
        refuse_infinite(values, name)
        columns.append(learn_sampled(values, weights, name, max_bins, sample))
    return tuple(columns)


def _learn_dense(
    table: Table, weights: NDArray[np.float64] | None, categorical: Sequence[bool | None], max_bins: int
) -> tuple[Column, ...]:
    """The same for one array of numbers: only the sampled rows are read where they suffice."""
    sample = _sample(table.n_rows)
    part = table if sample is None or table.dense is None else read_dense(table.dense[sample])
    weighed = None if weights is None else weights if sample is None else weights[sample]
    columns = []
    for j in range(table.n_columns):
        name = _name(table, j)
        if categorical[j]:
            columns.append(learn_labels(table.column(j), name))
            continue
        column = learn_numeric(part.column(j), weighed, name, max_bins)
        if sample is not None and np.array_equal(column.low, column.high):  # few values: none may be missed
            column = learn_numeric(table.column(j), weights, name, max_bins)
        columns.append(column)
    return tuple(columns)


def _sample(n_rows: int) -> NDArray[np.intp] | None:
    if n_rows <= SAMPLE:
        return None
    return np.sort(np.random.default_rng(0).choice(n_rows, SAMPLE, replace=False))


def _name(table: Table, j: int) -> str:
    return table.names[j] if table.names else f"x[{j}]"


def encode(table: Table, columns: Sequence[Column]) -> NDArray[np.uint8]:
    """Codes of a table (training, validation, test) under `columns` already learned."""
    codes = np.empty((len(columns), table.n_rows), dtype=np.uint8)
    numeric = [j for j, column in enumerate(columns) if column.categories is None]
    at_once = _native is not None and table.dense is not None and table.dense.dtype in _READ
    if at_once:
        cuts = [columns[j].cuts for j in numeric]
        starts = np.append(0, np.cumsum([len(own) for own in cuts])).astype(np.int32)
        joined = np.concatenate([np.empty(0), *cuts])
        _native.encode(table.dense, np.array(numeric, dtype=np.int32), starts, joined, codes)
    for j, column in enumerate(columns):
        if not at_once or column.categories is not None:
            codes[j] = column.encode(_values(table, j, column))
    return codes


def matrix(table: Table, columns: Sequence[Named], used: Sequence[int]) -> NDArray[Any]:
    """The `used` columns as rows of float64: numbers as they are, labels by code, NaN for missing."""
    out = np.empty((table.n_rows, len(used)))
    for k, j in enumerate(used):
        values = _values(table, j, columns[j])
        categories = columns[j].categories
        if categories is None:
            out[:, k] = values
        else:
            codes = encode_labels(values, categories)
            out[:, k] = np.where(codes == MISSING, np.nan, codes)
    return out


def _values(table: Table, j: int, column: Named) -> NDArray[Any]:
    values = table.column(j)
    if column.categories is not None:
        return values
    if values.dtype == object:
        values = _as_numbers(values, column.name)
    if table.dense is None:  # arrays are checked as a whole where they are read
        refuse_infinite(values, column.name)
    return values


def _as_numbers(values: NDArray[Any], name: str) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if value is None else float(value) for value in values])
    except ValueError as error:
        raise ValueError(
            f"column {name!r} is numeric but holds a label ({error}): "
            "name it in categorical_features when fitting, or clean it"
        ) from None


def refuse_infinite(values: NDArray[np.float64], name: str) -> None:
    """Refuse infinite numbers, as scikit-learn does (NaN means missing and is welcome)."""
    if np.isinf(values).any():
        raise ValueError(
            f"Input X contains infinity or a value too large for dtype('float64') (column {name!r})."
        )
