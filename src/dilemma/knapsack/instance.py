"""A knapsack instance: checked once, and turned into exact integers for the solver.

Integers of any size are exact. A float is taken as the shortest decimal that prints it (0.1 is one tenth), so
three items of weight 0.1, 0.2 and 0.3 fill a capacity of 0.6. ``Decimal`` and ``Fraction`` are exact as they
stand. Every column then becomes integers times one common scale, sums are exact in any order, and only the
value and weight reported are rounded, once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Number: TypeAlias = "int | float | Decimal | Fraction"
Column: TypeAlias = "Sequence[Number] | npt.NDArray[Any]"
KINDS = ("int", "fraction", "decimal", "float")  # of two, the later one describes both

INT64_MAX = 2**63 - 1


class Instance:
    """Items to choose from and the room there is.

    Parameters
    ----------
    values, weights : sequence or array of numbers, equally long
        Finite and not negative: int, float, Decimal, Fraction, or NumPy integers and floats.
    capacity : number
        A choice is feasible when the sum of its weights is at most this.

    Attributes
    ----------
    values, weights : numpy.ndarray
        ``int64`` or ``float64`` where that is exact, otherwise objects.
    capacity : number
    kind : str
        ``"int"``, ``"float"``, ``"decimal"`` or ``"fraction"``: what sums are reported as.

    Examples
    --------
    >>> Instance([60, 100, 120], [10, 20, 30], 50)
    Instance(n=3, capacity=50, kind='int')
    >>> Instance([1, 2], [1, -2], 3)
    Traceback (most recent call last):
    ValueError: weights: expected numbers >= 0 (got -2 at index 1); leave such an item out
    """

    __slots__ = ("capacity", "kind", "values", "weights")

    def __init__(self, values: Column, weights: Column, capacity: Number) -> None:
        self.values, value_kind = _column("values", values)
        self.weights, weight_kind = _column("weights", weights)
        if len(self.values) != len(self.weights):
            raise ValueError(
                f"values and weights: expected one of each per item (got {len(self.values)} values and "
                f"{len(self.weights)} weights)"
            )
        if isinstance(capacity, (Sequence, np.ndarray)):
            raise TypeError(f"capacity: expected one number (got {type(capacity).__name__})")
        capacity_column, capacity_kind = _column("capacity", [capacity])
        self.capacity: Number = capacity_column.tolist()[0]
        self.kind = max(value_kind, weight_kind, capacity_kind, key=KINDS.index)

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.values)

    def __repr__(self) -> str:
        return f"Instance(n={self.n}, capacity={self.capacity}, kind={self.kind!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Instance)
            and self.capacity == other.capacity
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def integers(self) -> Integers:
        """Return the instance as exact integers and their scales."""
        values, value_scale = to_integers(self.values)
        capacity, capacity_scale = to_integers(_column("capacity", [self.capacity])[0])
        weights, weight_scale = to_integers(self.weights)
        common = math.lcm(weight_scale, capacity_scale)
        return Integers(
            values,
            _times(weights, common // weight_scale),
            int(capacity[0]) * (common // capacity_scale),
            value_scale,
            common,
        )

    def report(self, total: int, scale: int) -> Number:
        """Return an exact sum as a number of this instance's kind, rounded once at most."""
        if self.kind == "int":
            return total // scale
        if self.kind == "float":
            try:
                return total / scale  # true division of integers rounds correctly
            except OverflowError:
                raise ValueError(
                    "values and weights: their sum is beyond the largest float; give Decimal, Fraction or int, "
                    "or divide them all by some number"
                ) from None
        if self.kind == "fraction":
            return Fraction(total, scale)
        with localcontext() as context:
            context.prec = max(28, len(str(total)) + len(str(scale)))
            return Decimal(total) / Decimal(scale)


class Integers:
    """An instance in integers: ``value = integer / value_scale``, and so for weights and the capacity."""

    __slots__ = ("capacity", "value_scale", "values", "weight_scale", "weights")

    def __init__(
        self,
        values: npt.NDArray[Any],
        weights: npt.NDArray[Any],
        capacity: int,
        value_scale: int,
        weight_scale: int,
    ) -> None:
        self.values = values  # int64, or objects (Python's integers)
        self.weights = weights
        self.capacity = capacity
        self.value_scale = value_scale
        self.weight_scale = weight_scale


def exact_sum(column: npt.NDArray[Any]) -> int:
    """Return the sum of an integer column, whatever its size.

    >>> exact_sum(np.array([2**62, 2**62, 2**62]))
    13835058055282163712
    """
    if column.dtype == object:
        return sum(column.tolist())
    return (int((column >> 32).sum()) << 32) + int((column & 0xFFFFFFFF).sum())


def to_integers(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Return integers and the scale that divides them back into `column`.

    >>> to_integers(np.array([0.25, 1.5]))
    (array([ 25, 150]), 100)
    """
    if column.dtype == np.int64:
        return column, 1
    if column.dtype == np.float64:
        for digits in range(16):  # few decimals: the common case, at NumPy's speed
            scale = 10**digits
            scaled = np.rint(column * scale)
            if len(column) and float(scaled.max()) >= 1e15:
                break
            if np.array_equal(scaled / scale, column):
                return scaled.astype(np.int64), scale
    exact = [_fraction(x) for x in column.tolist()]
    common = math.lcm(*(x.denominator for x in exact))
    return narrowed([x.numerator * (common // x.denominator) for x in exact]), common


def narrowed(integers: list[int]) -> npt.NDArray[Any]:
    """Return integers as ``int64`` where they all fit, otherwise as objects."""
    if all(x <= INT64_MAX for x in integers):
        return np.array(integers, dtype=np.int64)
    out = np.empty(len(integers), dtype=object)
    out[:] = integers
    return out


def _times(column: npt.NDArray[Any], factor: int) -> npt.NDArray[Any]:
    if factor == 1:
        return column
    return narrowed([x * factor for x in column.tolist()])


def _fraction(x: Number) -> Fraction:
    return Fraction(repr(x)) if isinstance(x, float) else Fraction(x)


def _column(name: str, data: Any) -> tuple[npt.NDArray[Any], str]:
    if isinstance(data, np.ndarray):
        array = data
    elif isinstance(data, (str, bytes, Set, Mapping)) or not hasattr(data, "__len__"):
        raise TypeError(f"{name}: expected a sequence of numbers (got {type(data).__name__})")
    else:
        data = list(data)
        try:
            array = np.array(data) if data else np.array([], dtype=np.int64)
        except (ValueError, OverflowError):
            array = np.array([None] * len(data), dtype=object)  # ragged, or too big for NumPy
        if array.dtype.kind in "uf" or array.dtype == object:  # NumPy may have rounded or boxed
            array = _from_objects(name, data)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one number per item, in one dimension (got shape {array.shape})")
    if array.dtype == object:
        array = _from_objects(name, array.tolist())
    elif array.dtype.kind in "biu":
        fits = array.dtype != np.uint64 or not len(array) or int(array.max()) <= INT64_MAX
        array = array.astype(np.int64) if fits else narrowed(array.tolist())
    elif array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        if array.dtype.itemsize < 8:  # a float32 means the decimal that prints it, too
            array = np.array([float(str(x)) for x in array], dtype=np.float64)
        array = np.ascontiguousarray(array, dtype=np.float64)
    else:
        raise TypeError(
            f"{name}: expected int, float, Decimal or Fraction (got an array of {array.dtype}); convert it first"
        )
    _check_range(name, array)
    if array.dtype == object:
        kinds = {_kind(x) for x in array}
        return array, max(kinds, key=KINDS.index, default="int")
    return array, "float" if array.dtype == np.float64 else "int"


def _from_objects(name: str, data: list[Any]) -> npt.NDArray[Any]:
    """Return plain numbers as the narrowest exact array."""
    numbers = []
    for i, x in enumerate(data):
        number = x.item() if isinstance(x, np.generic) and not isinstance(x, np.floating) else x
        if isinstance(x, np.floating):
            number = float(str(x))
        if not isinstance(number, (int, float, Decimal, Fraction)):
            raise TypeError(
                f"{name}: expected int, float, Decimal or Fraction (got {type(x).__name__} at index {i})"
            )
        numbers.append(int(number) if isinstance(number, bool) else number)
    types = {type(x) for x in numbers}
    if types <= {int} and all(-INT64_MAX <= x <= INT64_MAX for x in numbers):
        return np.array(numbers, dtype=np.int64)
    small = all(isinstance(x, float) or (isinstance(x, int) and abs(x) <= 2**53) for x in numbers)
    if float in types and small:
        return np.array(numbers, dtype=np.float64)
    out = np.empty(len(numbers), dtype=object)
    out[:] = numbers
    return out


def _check_range(name: str, array: npt.NDArray[Any]) -> None:
    if array.dtype == object:
        for i, x in enumerate(array.tolist()):
            if not isinstance(x, int) and not (x.is_finite() if isinstance(x, Decimal) else math.isfinite(x)):
                raise ValueError(f"{name}: expected finite numbers (got {x} at index {i})")
            if x < 0:
                raise ValueError(_negative(name, x, i))
        return
    if array.dtype == np.float64 and not np.isfinite(array).all():
        i = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}: expected finite numbers (got {array[i]} at index {i})")
    if len(array) and array.min() < 0:
        i = int(np.flatnonzero(array < 0)[0])
        raise ValueError(_negative(name, array[i], i))


def _negative(name: str, x: object, index: int) -> str:
    if name == "capacity":
        return f"capacity: expected a number >= 0 (got {x}); nothing fits below zero"
    return f"{name}: expected numbers >= 0 (got {x} at index {index}); leave such an item out"


def _kind(x: Number) -> str:
    return {int: "int", float: "float", Decimal: "decimal"}.get(type(x), "fraction")
