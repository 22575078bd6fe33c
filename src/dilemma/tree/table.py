"""Read any table a user may hold into columns: floats with NaN for missing, or labels with None.

Arrays, lists of rows, SciPy sparse matrices, pandas and polars frames are read without importing the
library they come from: the objects themselves carry what is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Label = str | float

_BLOCK = 16  # columns turned at once: a strided read of one column wastes most of each cache line


@dataclass(slots=True, eq=False)
class Table:
    """Columns of a table, read one at a time.

    Attributes
    ----------
    n_rows, n_columns : int
    names : tuple of str or None
        Column names, where the input has them.
    dense : NDArray or None
        The two-dimensional numeric array behind the table, when there is one.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    dense: NDArray[Any] | None
    _read: Callable[[int], NDArray[Any]]
    _block: tuple[int, NDArray[Any]] | None = None

    def column(self, j: int) -> NDArray[Any]:
        """Column `j`: float64 with NaN for missing, or an object array of labels with None for missing."""
        if self.dense is None:
            return self._read(j)
        start = j - j % _BLOCK
        if self._block is None or self._block[0] != start:
            part = self.dense[:, start : start + _BLOCK]
            self._block = (start, np.ascontiguousarray(part.T, dtype=np.float64))
        return np.asarray(self._block[1][j - start])


def is_frame(data: object) -> bool:
    """Whether `data` is a pandas or polars frame (by shape of its interface, not by import)."""
    return hasattr(data, "columns") and (hasattr(data, "iloc") or hasattr(data, "get_columns"))


def is_sparse(data: object) -> bool:
    """Whether `data` is a SciPy sparse matrix or array."""
    return hasattr(data, "tocsc") and hasattr(data, "nnz")


def needs_columns(data: object) -> bool:
    """Whether `data` must be read column by column, because it is not one numeric array."""
    return is_frame(data) or (isinstance(data, np.ndarray) and data.dtype.kind in "OUST")


def plain_numbers(data: Any) -> NDArray[Any] | None:
    """The array behind a frame whose columns are all plain floats or all plain integers, else None."""
    if hasattr(data, "iloc"):
        kinds = {getattr(dtype, "kind", "O") if isinstance(dtype, np.dtype) else "O" for dtype in data.dtypes}
    elif hasattr(data, "get_columns"):
        kinds = {"f" if t.is_float() else "i" if t.is_integer() else "O" for t in data.dtypes}
    else:
        return None
    if len(kinds) != 1 or not kinds <= {"f", "i"}:
        return None
    array = np.asarray(data.to_numpy())
    return array if array.ndim == 2 and array.dtype.kind in "fi" else None


def read_dense(array: NDArray[Any]) -> Table:
    """A checked numeric array of two dimensions."""
    return Table(array.shape[0], array.shape[1], None, array, lambda j: array[:, j])


def read_sparse(matrix: Any) -> Table:
    """A SciPy sparse matrix: absent entries are zeros."""
    by_column = matrix.tocsc()
    n_rows, n_columns = by_column.shape

    def read(j: int) -> NDArray[Any]:
        column = np.zeros(n_rows)
        span = slice(by_column.indptr[j], by_column.indptr[j + 1])
        np.add.at(column, by_column.indices[span], by_column.data[span])
        return column

    return Table(n_rows, n_columns, None, None, read)


def read_columns(data: Any) -> Table:
    """A frame, or an array of objects or strings."""
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {data.ndim}D array instead: reshape your data with "
                "X.reshape(-1, 1) if it has one feature, or X.reshape(1, -1) if it is one sample."
            )
        array = data.astype(object) if data.dtype.kind in "UST" else data
        return Table(
            data.shape[0], data.shape[1], None, None, lambda j: from_objects(array[:, j], f"column {j}")
        )
    names = tuple(str(name) for name in data.columns)
    if hasattr(data, "iloc"):
        return Table(len(data), len(names), names, None, lambda j: _pandas_column(data.iloc[:, j], names[j]))
    series = data.get_columns()
    return Table(len(data), len(names), names, None, lambda j: _polars_column(series[j], names[j]))


def labels_from_codes(codes: NDArray[Any], labels: NDArray[Any]) -> NDArray[Any]:
    """Labels by code, None where the code is negative."""
    table = np.append(labels.astype(object), np.array([None], dtype=object))
    return table[np.where(codes < 0, len(labels), codes)]


def _pandas_column(column: Any, name: str) -> NDArray[Any]:
    dtype = column.dtype
    if hasattr(column, "cat") and str(dtype) == "category":
        categories = from_objects(
            np.asarray(column.cat.categories, dtype=object), f"column {name!r}", label=True
        )
        return labels_from_codes(np.asarray(column.cat.codes), categories)
    kind = getattr(dtype, "kind", "O")
    if kind in "iufb":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind in "Mm":
        raise _wrong_type(name, str(dtype))
    values = np.asarray(column.to_numpy(dtype=object))
    gaps = np.asarray(column.isna())
    if gaps.any():
        values = values.copy()
        values[gaps] = None
    return from_objects(values, f"column {name!r}")


def _polars_column(column: Any, name: str) -> NDArray[Any]:
    dtype = column.dtype
    if dtype.is_numeric() or str(dtype) == "Boolean":
        return np.asarray(column.cast(float).to_numpy(), dtype=np.float64)
    if str(dtype).split("(")[0] in {"String", "Utf8", "Categorical", "Enum"}:
        return from_objects(
            np.array([*column.to_list(), None], dtype=object)[:-1], f"column {name!r}", label=True
        )
    if str(dtype) in {"Object", "Null"}:
        return from_objects(np.array([*column.to_list(), None], dtype=object)[:-1], f"column {name!r}")
    raise _wrong_type(name, str(dtype))


def _wrong_type(name: str, dtype: str) -> TypeError:
    return TypeError(
        f"column {name!r} has dtype {dtype}; expected numbers, booleans, strings or categories: "
        "turn dates and lists into numbers or labels first"
    )


def is_missing(value: object) -> bool:
    """Whether a cell is empty: None, NaN, ``pd.NA``, ``pd.NaT``."""
    # pd.NA and pd.NaT are recognised by name: they answer no comparison with a plain bool.
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def from_objects(values: NDArray[Any], name: str, *, label: bool = False) -> NDArray[Any]:
    """Numbers as float64 where every entry is one, else labels (strings) with None for missing.

    Parameters
    ----------
    values : NDArray of objects
    name : str
        For messages.
    label : bool
        Keep numbers as labels (the column is known to be categorical).
    """
    kinds = set(map(type, values))
    if kinds <= {str, type(None)} and str in kinds:
        return values
    strings = any(issubclass(kind, str) for kind in kinds)
    if not strings and not label:
        gaps = np.fromiter((is_missing(value) for value in values), dtype=bool, count=len(values))
        if gaps.any():
            values = np.where(gaps, np.nan, values)
        try:
            return values.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{name} holds an integer that is too large for a float") from None
        except TypeError as error:
            raise TypeError(f"{name}: {error} (argument must be a string or a real number)") from None
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        if is_missing(value):
            continue
        if isinstance(value, str):
            out[i] = str(value)
        elif isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating) and not strings:
            out[i] = float(value)
        else:
            raise TypeError(
                f"{name} mixes strings with {type(value).__name__} ({value!r}): argument must be a string "
                "in every row, or a number in every row"
            )
    return out
