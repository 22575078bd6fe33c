"""Readers of the usual instance formats: plain arrays out, and an error that names file and line.

Files are untrusted: their size is limited, what they declare is held against what they contain before any
memory is taken, and anything malformed raises `ValueError("FILE, line N: expected ..., got ...")`.
A name that ends in ``.gz`` is unpacked on the way.
"""

from __future__ import annotations

import gzip
import re
import zlib
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MAX_BYTES = 64 * 2**20
EXACT = 2.0**53  # integers beyond it are not exact as floats
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_text(path: str | PathLike[str], *, max_bytes: int | None = None) -> str:
    """The text of a file, unpacked if its name ends in ``.gz``, at most `max_bytes` (64 MiB) of it."""
    limit = MAX_BYTES if max_bytes is None else max_bytes
    file = Path(path)
    opener = gzip.open if file.suffix == ".gz" else open
    try:
        with opener(file, "rb") as stream:
            data = stream.read(limit + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{file}, line 1: expected a whole gzip file, got one that is not ({error})"
        ) from None
    if len(data) > limit:
        line = data.count(b"\n") + 1
        raise ValueError(
            f"{file}, line {line}: expected at most {limit} bytes, got more; is this the right file?"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{file}, line {line}: expected text (UTF-8), got byte {data[error.start]:#04x}"
        ) from None


def as_number(word: str) -> float:
    """The value of a plain decimal number; NaN for anything else (also for "nan", "1_0" and the like)."""
    return float(word) if _NUMBER.fullmatch(word) else np.nan


class Tokens:
    """The whitespace-separated words of a file, read one after another as checked numbers."""

    def __init__(
        self, path: str | PathLike[str], *, comment: str | None = None, headings: bool = False
    ) -> None:
        self.path = Path(path)
        lines = [line.split() for line in read_text(path).splitlines()]
        if comment is not None:
            lines = [[] if words and words[0].startswith(comment) else words for words in lines]
        if headings:  # lines of words between the numbers, as in Taillard's files
            lines = [words if any(c.isdigit() for c in "".join(words)) else [] for words in lines]
        self.words = [word for words in lines for word in words]
        self._ends = list(accumulate(len(words) for words in lines))
        self._next = 0

    @property
    def left(self) -> int:
        """How many words have not been read yet."""
        return len(self.words) - self._next

    def line(self, index: int | None = None) -> int:
        """The line of a word (of the next one by default), counted from 1."""
        return (
            min(bisect_right(self._ends, self._next if index is None else index), max(len(self._ends) - 1, 0))
            + 1
        )

    def on_this_line(self) -> int:
        """How many unread words the next word's line holds."""
        return self._ends[self.line() - 1] - self._next if self.left else 0

    def fail(self, expected: str, got: str, *, index: int | None = None) -> NoReturn:
        """Refuse the file at a word (the next one by default)."""
        raise ValueError(f"{self.path}, line {self.line(index)}: expected {expected}, got {got}")

    def word(self, what: str) -> str:
        """The next word, whatever it is."""
        if not self.left:
            self.fail(what, "the end of the file")
        self._next += 1
        return self.words[self._next - 1]

    def numbers(self, count: int, what: str, *, low: float = -EXACT, high: float = EXACT) -> Floats:
        """The next `count` words as floats between `low` and `high`."""
        if count > self.left:
            found = self.left
            self._next = len(self.words)
            self.fail(f"{count} numbers ({what})", f"the end of the file after {found}")
        values = np.empty(count)
        for i in range(count):
            word = self.words[self._next]
            value = as_number(word)
            if not low <= value <= high:
                self.fail(f"{what}, a number from {low:.17g} to {high:.17g}", repr(word[:40]))
            values[i] = value
            self._next += 1
        return values

    def integers(self, count: int, what: str, *, low: float = -EXACT, high: float = EXACT) -> Ints:
        """The next `count` words as whole numbers between `low` and `high`."""
        first = self._next
        values = self.numbers(count, what, low=low, high=high)
        broken = np.flatnonzero(values != np.floor(values))
        if len(broken):
            index = first + int(broken[0])
            self.fail(f"{what}, a whole number", repr(self.words[index][:40]), index=index)
        return values.astype(np.int64)

    def integer(self, what: str, *, low: float = 0, high: float = EXACT) -> int:
        """The next word as one whole number."""
        return int(self.integers(1, what, low=low, high=high)[0])

    def size(self, what: str, *, each: int = 1, low: int = 0) -> int:
        """A declared size, believed only if the file still holds `each` words for every unit of it."""
        index = self._next
        size = self.integer(what, low=low)
        if size * each > self.left:
            needed = f"at least {size * each} more numbers for {size} {what}"
            self.fail(needed, f"{self.left}: the file is cut short or the size is wrong", index=index)
        return size

    def end(self) -> None:
        """Refuse anything left over."""
        if self.left:
            self.fail("the end of the file", repr(self.words[self._next][:40]))


class MultiKnapsackData(NamedTuple):
    """One instance of an OR-Library ``mknap`` file; `best` is 0 where the file knows none."""

    profits: Floats
    weights: Floats  # one row a constraint
    capacities: Floats
    best: float


def read_multi_knapsack(path: str | PathLike[str]) -> list[MultiKnapsackData]:
    """OR-Library ``mknap1``, ``mknapcb1`` ...: a count, then each ``n m best``, profits, rows, capacities."""
    tokens = Tokens(path)
    instances = []
    for _ in range(tokens.size("instances", each=3)):
        n = tokens.size("items")
        m = tokens.size("constraints")
        best = float(tokens.numbers(1, "best known value")[0])
        if n * m + n + m > tokens.left:
            tokens.fail(f"{n * m + n + m} numbers for {n} items and {m} constraints", f"{tokens.left}")
        profits = tokens.numbers(n, "profit", low=0)
        weights = tokens.numbers(n * m, "weight", low=0).reshape(m, n)
        instances.append(MultiKnapsackData(profits, weights, tokens.numbers(m, "capacity", low=0), best))
    tokens.end()
    return instances


def read_set_cover(path: str | PathLike[str], *, layout: str = "rows") -> tuple[Floats, int, list[Ints]]:
    """OR-Library set cover: costs, the number of rows, and per column the rows it covers (from 0).

    `layout` "rows" is the ``scp`` form (``m n``, n costs, then per row its count and columns); "columns"
    is the ``rail`` form (``m n``, then per column its cost, count and rows).
    """
    if layout not in ("rows", "columns"):
        raise ValueError(f"layout: expected 'rows' or 'columns', got {layout!r}")
    tokens = Tokens(path)
    m = tokens.size("rows")  # in either form a row takes at least one number
    n = tokens.size("columns", each=1 if layout == "rows" else 2)
    if layout == "columns":
        costs = np.empty(n)
        rows_of = []
        for j in range(n):
            costs[j] = tokens.numbers(1, "cost", low=0)[0]
            rows_of.append(_members(tokens, "rows of this column", m))
        tokens.end()
        missing = np.setdiff1d(np.arange(m), np.concatenate([*rows_of, np.empty(0, dtype=np.int64)]))
        if len(missing):
            tokens.fail("a column for every row", f"none for row {missing[0] + 1}")
        return costs, m, rows_of
    costs = tokens.numbers(n, "cost", low=0)
    members: list[list[int]] = [[] for _ in range(n)]
    for row in range(m):
        for column in _members(tokens, "columns of this row", n, least=1).tolist():
            members[column].append(row)
    tokens.end()
    return costs, m, [np.array(rows, dtype=np.int64) for rows in members]


def _members(tokens: Tokens, what: str, limit: int, least: int = 0) -> Ints:
    """A count and that many different indices from 1 to `limit`, returned from 0."""
    size = tokens.size(what, low=least)
    values = tokens.integers(size, what, low=1, high=limit) - 1
    if len(np.unique(values)) < size:
        tokens.fail(f"different {what}", "one of them twice", index=tokens._next - 1)
    return values


def read_job_shop(path: str | PathLike[str]) -> tuple[Ints, Floats]:
    """The standard job-shop form: ``n m``, then per job m pairs of machine and time; ``#`` comments."""
    tokens = Tokens(path, comment="#")
    n = tokens.size("jobs")
    m = tokens.size("machines")
    if 2 * n * m > tokens.left:
        tokens.fail(f"{2 * n * m} numbers for {n} jobs on {m} machines", f"{tokens.left}")
    machines = np.empty((n, m), dtype=np.int64)
    times = np.empty((n, m))
    for job in range(n):
        for k in range(m):
            machines[job, k] = tokens.integer("machine", high=m - 1)
            times[job, k] = tokens.numbers(1, "time", low=0)[0]
        if len(set(machines[job].tolist())) < m:
            tokens.fail("each machine once in a job", "one of them twice", index=tokens._next - 1)
    tokens.end()
    return machines, times


def read_flow_shop(path: str | PathLike[str]) -> list[Floats]:
    """Taillard's flow shops: ``n m`` (or ``n m seed upper lower``), then a row a machine; headings skipped."""
    tokens = Tokens(path, headings=True)
    instances: list[Floats] = []
    while tokens.left or not instances:
        width = tokens.on_this_line()
        if width not in (2, 5):
            tokens.fail("'jobs machines' or 'jobs machines seed upper lower' on one line", f"{width} numbers")
        n = tokens.size("jobs")
        m = tokens.size("machines")
        if width == 5:
            tokens.integers(3, "seed and bounds")
        if n * m > tokens.left:
            tokens.fail(f"{n * m} times for {n} jobs on {m} machines", f"{tokens.left}")
        instances.append(tokens.numbers(n * m, "time", low=0).reshape(m, n))
    return instances


def read_dimacs(path: str | PathLike[str]) -> tuple[int, Ints]:
    """DIMACS ``.col`` and ``.clq``: the number of vertices, and each edge once as a row (low, high)."""
    file = Path(path)
    vertices = -1
    edges: set[tuple[int, int]] = set()
    number = 0

    def fail(expected: str, got: str) -> NoReturn:
        raise ValueError(f"{file}, line {number}: expected {expected}, got {got}")

    for line in read_text(file).splitlines():
        number += 1
        words = line.split()
        if not words or words[0] in ("c", "n"):  # comments; node weights and colours are not used here
            continue
        if words[0] == "p":
            if vertices >= 0 or len(words) != 4 or words[1] not in ("edge", "edges", "col"):
                fail("one line 'p edge VERTICES EDGES'", repr(line[:60]))
            if not 0 <= as_number(words[2]) <= MAX_VERTICES or not words[2].isdecimal():
                fail(f"at most {MAX_VERTICES} vertices", repr(words[2][:40]))
            vertices = int(words[2])
        elif words[0] == "e":
            ends = words[1:]
            if vertices < 0:
                fail("a 'p edge' line before the first edge", repr(line[:60]))
            if len(ends) != 2 or not all(w.isdecimal() and 1 <= as_number(w) <= vertices for w in ends):
                fail(f"'e U V' with vertices from 1 to {vertices}", repr(line[:60]))
            u, v = sorted((int(ends[0]) - 1, int(ends[1]) - 1))
            if u == v:
                fail("an edge between two different vertices", repr(line[:60]))
            edges.add((u, v))
        else:
            fail("a line that starts with c, p or e", repr(line[:60]))
    if vertices < 0:
        fail("a line 'p edge VERTICES EDGES'", "the end of the file")
    return vertices, np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)


MAX_VERTICES = 20_000  # the graph problems hold an n x n adjacency


def read_bin_packing(path: str | PathLike[str]) -> tuple[float, Floats]:
    """Bin packing: ``n``, the capacity, then n item sizes. Returns the capacity and the sizes."""
    tokens = Tokens(path)
    n = tokens.size("items")
    capacity = float(tokens.numbers(1, "capacity", low=0)[0])
    sizes = tokens.numbers(n, "item size", low=0, high=capacity)
    tokens.end()
    return capacity, sizes


def read_qap(path: str | PathLike[str]) -> tuple[Floats, Floats]:
    """QAPLIB ``.dat``: ``n``, then two n x n matrices."""
    tokens = Tokens(path)
    n = tokens.integer("size")
    if 2 * n * n > tokens.left:
        tokens.fail(f"{2 * n * n} numbers for two {n} x {n} matrices", f"{tokens.left}")
    first = tokens.numbers(n * n, "first matrix").reshape(n, n)
    second = tokens.numbers(n * n, "second matrix").reshape(n, n)
    tokens.end()
    return first, second


def read_qap_solution(path: str | PathLike[str]) -> tuple[float, Ints]:
    """QAPLIB ``.sln``: ``n value``, then a permutation, returned from 0."""
    tokens = Tokens(path)
    n = tokens.integer("size")
    value = float(tokens.numbers(1, "value")[0])
    permutation = tokens.integers(n, "permutation", low=1, high=n) - 1
    if len(np.unique(permutation)) < n:
        tokens.fail("a permutation", "a number twice", index=tokens._next - 1)
    tokens.end()
    return value, permutation


def read_tardiness(path: str | PathLike[str], n: int | None = None) -> list[tuple[Floats, Floats, Floats]]:
    """OR-Library ``wt40``, ``wt50``, ``wt100``: per instance n times, n weights, n due dates.

    The files do not say n; without it 125 instances are taken for granted, as OR-Library's have.
    """
    tokens = Tokens(path)
    if n is None:
        if not tokens.left or tokens.left % (125 * 3):
            tokens.fail(
                "125 instances of times, weights and due dates (or give n)", f"{tokens.left} numbers", index=0
            )
        n = tokens.left // (125 * 3)
    if n < 1:
        raise ValueError(f"n: expected at least 1 job, got {n}")
    if not tokens.left or tokens.left % (3 * n):
        tokens._next = len(tokens.words)
        tokens.fail(f"a multiple of 3 x {n} numbers", f"{len(tokens.words)}")
    instances = []
    while tokens.left:
        times, weights = tokens.numbers(n, "time", low=0), tokens.numbers(n, "weight", low=0)
        instances.append((times, weights, tokens.numbers(n, "due date")))
    return instances
