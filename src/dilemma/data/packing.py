"""Knapsack files: `n capacity`, then `profit weight` a line, or another format `dilemma.knapsack` reads."""

from __future__ import annotations

import hashlib
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dilemma.data.files import read_bytes
from dilemma.errors import FormatError

LIMIT = 1 << 28
MAX_ITEMS = 10_000_000


@dataclass(frozen=True)
class Packing:
    """A knapsack instance: feasible means a weight of at most `capacity`."""

    values: list[float]
    weights: list[float]
    capacity: float

    def digest(self) -> str:
        """Return a sum over what the instance says, whatever its layout."""
        text = "\n".join(f"{v!r} {w!r}" for v, w in zip(self.values, self.weights, strict=True))
        return hashlib.sha256(f"{len(self.values)} {self.capacity!r}\n{text}".encode()).hexdigest()


def read_packing(path: str | os.PathLike[str]) -> Packing:
    """Return an instance; numbers after the last item, such as a published solution, are ignored.

    A file that does not begin with two entries is read by `dilemma.knapsack.formats` (Pisinger's own layouts, csv,
    json); of several instances it takes the first.

    Raises
    ------
    FormatError
        With the number of the line that is wrong.
    """
    try:
        text = read_bytes(path, LIMIT).decode("ascii")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: expected a text file, got binary data") from None
    rows = [(n, line.split()) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not rows:
        raise FormatError(f"{path}: expected `n capacity` on line 1, got an empty file")
    number, head = rows[0]
    if len(head) != 2 or Path(path).suffix in (".csv", ".json"):
        return _other(path)
    count, capacity = _pair(path, number, head, "n and the capacity")
    if count != int(count) or not 0 <= count <= MAX_ITEMS:
        raise FormatError(
            f"{path}: line {number}: expected a number of items of 0 to {MAX_ITEMS:,}, got {head[0]}"
        )
    if capacity < 0:
        raise FormatError(f"{path}: line {number}: expected a capacity of at least 0, got {head[1]}")
    items = rows[1 : 1 + int(count)]
    if len(items) < count:
        raise FormatError(
            f"{path}: truncated: expected {int(count)} items after line {number}, got {len(items)}"
        )
    values, weights = [], []
    for number, row in items:
        value, weight = _pair(path, number, row, "a profit and a weight")
        if value < 0 or weight < 0:
            raise FormatError(f"{path}: line {number}: expected numbers of at least 0, got {' '.join(row)}")
        values.append(value)
        weights.append(weight)
    return Packing(values, weights, capacity)


def _other(path: str | os.PathLike[str]) -> Packing:
    """Return an instance in another of the usual formats."""
    from dilemma.knapsack.formats import read

    found = read(path)
    values, weights = ([_plain(x) for x in column.tolist()] for column in (found.values, found.weights))
    return Packing(values, weights, _plain(found.capacity))


def _plain(number: Any) -> float:
    """Return a whole number exactly, anything else as a float."""
    return int(number) if number == int(number) else float(number)


def _pair(path: object, number: int, row: list[str], what: str) -> tuple[float, float]:
    try:
        first, second = (_number(cell) for cell in row)
    except ValueError:
        raise FormatError(f"{path}: line {number}: expected {what}, got {' '.join(row)[:60]!r}") from None
    return first, second


def _number(cell: str) -> float:
    """Return a whole number exactly, anything else as a float; NaN and infinities are refused."""
    try:
        return int(cell)
    except ValueError:
        value = float(cell)
        if not math.isfinite(value):
            raise ValueError(cell) from None
        return int(value) if value.is_integer() else value
