"""Sets of rows that can be counted by class and split by attribute, for the paper's trees.

Two kinds with one interface: bits, for rows that count one each, and indices, for rows with weights.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

try:
    _native: Any = import_module("dilemma.native._predict")
except ImportError:  # installed without a compiler
    _native = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTE_BITS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


class Rows(Protocol):
    """Some rows of a table of attributes with few values each."""

    def class_weights(self) -> NDArray[np.float64]:
        """Weight of each class."""

    def value_counts(self) -> NDArray[np.float64]:
        """Weight by class of each value of each attribute, shape (total values, n_classes)."""

    def split(self, attribute: int) -> list[Rows]:
        """The rows of each value of an attribute."""


class BitTable:
    """Bit columns of a table, rows sorted by class, each class starting a new word.

    Parameters
    ----------
    codes : NDArray[uint8], shape (n_rows, n_attributes)
    n_values : NDArray[int64]
        Values of each attribute.
    target : NDArray[int32]
    n_classes : int
    """

    def __init__(
        self, codes: NDArray[np.uint8], n_values: NDArray[np.int64], target: NDArray[np.int32], n_classes: int
    ) -> None:
        self.n_values, self.n_classes = n_values, n_classes
        order = np.argsort(target, kind="stable")
        size = np.bincount(target, minlength=n_classes)
        width = -(-size // 64)
        self.word_class = np.repeat(np.arange(n_classes, dtype=np.int32), width)
        start = np.concatenate([[0], np.cumsum(width)[:-1]]) * 64
        place = np.empty(len(target), dtype=np.int64)
        place[order] = (
            np.arange(len(target)) - np.repeat(np.cumsum(size) - size, size) + np.repeat(start, size)
        )
        n_words = max(int(width.sum()), 1)
        self.word_class = self.word_class if len(self.word_class) else np.zeros(1, dtype=np.int32)
        # The last value of an attribute is what the others leave over: it needs no column.
        self.first = np.concatenate([[0], np.cumsum(n_values - 1)])
        self.columns = np.zeros((int(self.first[-1]), n_words), dtype=np.uint64)
        row = np.zeros(n_words * 64, dtype=bool)
        for j, count in enumerate(n_values):
            for value in range(count - 1):
                row[:] = False
                row[place] = codes[:, j] == value
                self.columns[self.first[j] + value] = _pack(row)
        row[:] = False
        row[place] = True
        self.all = BitRows(self, np.arange(n_words, dtype=np.int32), _pack(row)).compact()


class BitRows(NamedTuple):
    """A set of rows by its non-zero words."""

    table: BitTable
    at: NDArray[np.int32]
    words: NDArray[np.uint64]

    def compact(self) -> BitRows:
        """Without empty words."""
        some = self.words != 0
        if some.all():
            return self
        return BitRows(self.table, self.at[some], self.words[some])

    def class_weights(self) -> NDArray[np.float64]:
        """Rows of each class."""
        bits = popcount(self.words).astype(np.float64)
        counts = np.bincount(self.table.word_class[self.at], bits, self.table.n_classes)
        return np.asarray(counts, dtype=np.float64)

    def value_counts(self) -> NDArray[np.float64]:
        """Rows by class of each value of each attribute."""
        table = self.table
        counts = np.zeros((len(table.columns), table.n_classes), dtype=np.int64)
        if _native is not None:
            _native.counts(table.columns, self.at, self.words, table.word_class, counts)
        else:
            counts[:] = counts_python(table.columns, self.at, self.words, table.word_class, table.n_classes)
        total = self.class_weights()
        out = np.empty((int(table.n_values.sum()), table.n_classes))
        last = np.cumsum(table.n_values) - 1
        given = np.ones(len(out), dtype=bool)
        given[last] = False
        out[given] = counts
        # Sums over the explicit values of each attribute, an attribute of one value having none.
        running = np.concatenate([np.zeros((1, table.n_classes)), np.cumsum(counts, axis=0)])
        out[last] = total - (running[table.first[1:]] - running[table.first[:-1]])
        return out

    def split(self, attribute: int) -> list[Rows]:
        """The rows of each value of an attribute."""
        parts: list[Rows] = []
        left = self.words
        for column in self.table.columns[self.table.first[attribute] : self.table.first[attribute + 1]]:
            here = left & column[self.at]
            left = left ^ here
            parts.append(BitRows(self.table, self.at, here).compact())
        parts.append(BitRows(self.table, self.at, left).compact())
        return parts


class WeightTable(NamedTuple):
    """Rows with weights."""

    codes: NDArray[np.uint8]
    n_values: NDArray[np.int64]
    target: NDArray[np.int32]
    n_classes: int
    weights: NDArray[np.float64]

    @property
    def all(self) -> WeightRows:
        """Every row."""
        return WeightRows(self, np.arange(len(self.target)))


class WeightRows(NamedTuple):
    """A set of weighted rows by their numbers."""

    table: WeightTable
    rows: NDArray[np.intp]

    def class_weights(self) -> NDArray[np.float64]:
        """Weight of each class."""
        table = self.table
        counts = np.bincount(table.target[self.rows], table.weights[self.rows], table.n_classes)
        return np.asarray(counts, dtype=np.float64)

    def value_counts(self) -> NDArray[np.float64]:
        """Weight by class of each value of each attribute."""
        table = self.table
        target, weights = table.target[self.rows].astype(np.int64), table.weights[self.rows]
        parts = [
            np.bincount(
                table.codes[self.rows, j] * table.n_classes + target, weights, count * table.n_classes
            )
            for j, count in enumerate(table.n_values)
        ]
        return np.asarray(np.concatenate(parts).reshape(-1, table.n_classes), dtype=np.float64)

    def split(self, attribute: int) -> list[Rows]:
        """The rows of each value of an attribute."""
        codes = self.table.codes[self.rows, attribute]
        return [WeightRows(self.table, self.rows[codes == v]) for v in range(self.table.n_values[attribute])]


def _pack(row: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return np.asarray(np.packbits(row, bitorder="little").view(np.uint64))


def popcount(words: NDArray[np.uint64]) -> NDArray[Any]:
    """Set bits of each word."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words))
    bytes_ = np.ascontiguousarray(words).view(np.uint8)
    return np.asarray(_BYTE_BITS[bytes_.reshape(*words.shape, 8)].sum(axis=-1))


def counts_python(
    columns: NDArray[np.uint64],
    at: NDArray[np.int32],
    words: NDArray[np.uint64],
    word_class: NDArray[np.int32],
    n_classes: int,
) -> NDArray[np.int64]:
    """Twin of the native count: rows of each class that have each column's bit."""
    out = np.zeros((len(columns), n_classes), dtype=np.int64)
    if not len(at):
        return out
    bits = popcount(columns[:, at] & words).astype(np.int64)
    classes = word_class[at]
    starts = np.flatnonzero(np.append(True, classes[1:] != classes[:-1]))
    np.add.at(out.T, classes[starts], np.add.reduceat(bits, starts, axis=1).T)
    return out
