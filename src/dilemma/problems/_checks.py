"""Checks shared by the gallery's constructors: every refusal says what was expected and what came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def vector(
    name: str, values: ArrayLike, *, length: int | None = None, low: float = 0.0
) -> NDArray[np.float64]:
    """A read-only 1-d float array of finite numbers, all at least `low`."""
    return _checked(name, values, 1, (length,), low)


def matrix(
    name: str, values: ArrayLike, *, rows: int | None = None, columns: int | None = None, low: float = 0.0
) -> NDArray[np.float64]:
    """A read-only 2-d float array of finite numbers, all at least `low`."""
    return _checked(name, values, 2, (rows, columns), low)


def square(name: str, values: ArrayLike, *, size: int | None = None, low: float = 0.0) -> NDArray[np.float64]:
    """A read-only square float matrix."""
    array = _floats(name, values, 2)
    if array.size == 0:
        array = array.reshape(0, 0)
    columns = size if size is not None else len(array) if array.ndim else None
    return _checked(name, array, 2, (columns, columns), low)


def integers(name: str, values: ArrayLike, *, low: int, high: int) -> NDArray[np.int64]:
    """A read-only integer array with `low <= value < high`; floats are refused unless whole."""
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.dtype.kind not in "iuf" or not np.array_equal(given, np.floor(given)):
        raise ValueError(f"{name}: expected whole numbers, got {_shown(values)}")
    if given.size and not (low <= given.min() and given.max() < high):
        raise ValueError(
            f"{name}: expected numbers from {low} to {high - 1}, got {given.min()} to {given.max()}"
        )
    return frozen(given.astype(np.int64))


def count(name: str, value: Any, *, low: int = 0) -> int:
    """`value` as an int of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    if value < low:
        raise ValueError(f"{name}: expected at least {low}, got {value}")
    return int(value)


def chosen(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """`value` if it is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(allowed)}, got {value!r}")
    return value


def symmetric(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` if it equals its transpose."""
    if not np.array_equal(values, values.T):
        row, column = (int(i) for i in np.argwhere(values != values.T)[0])
        raise ValueError(
            f"{name}: expected a symmetric matrix, got {values[row, column]} at [{row}, {column}] "
            f"but {values[column, row]} at [{column}, {row}]"
        )
    return values


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, made read-only: states that share it cannot be changed from outside."""
    array.setflags(write=False)
    return array


def _checked(
    name: str, values: ArrayLike, ndim: int, shape: tuple[int | None, ...], low: float
) -> NDArray[np.float64]:
    array = _floats(name, values, ndim)
    if array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension(s), got shape {array.shape}")
    for axis, (expected, got) in enumerate(zip(shape, array.shape, strict=True)):
        if expected is not None and expected != got:
            raise ValueError(f"{name}: expected {expected} entries along axis {axis}, got {got}")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}: expected finite numbers, got {array[place]} at {list(place)}")
    if array.size and array.min() < low:
        place = tuple(int(i) for i in np.argwhere(array < low)[0])
        raise ValueError(
            f"{name}: expected numbers of at least {low:g}, got {array[place]:g} at {list(place)}"
        )
    return frozen(array)


def _floats(name: str, values: ArrayLike, ndim: int) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected {ndim}-d numbers, got {_shown(values)} ({error})") from None


def _shown(values: object) -> str:
    text = repr(values)
    return text if len(text) <= 60 else text[:57] + "..."
