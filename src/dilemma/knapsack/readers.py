"""One reader a format: text in, values, weights and capacity out; errors name the line.

Items are parsed by NumPy where they are plain numbers of ordinary size, and line by line, exactly, otherwise.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from dilemma.errors import FormatError

if TYPE_CHECKING:
    from .instance import Column, Number

Parsed: TypeAlias = "tuple[Column, Column, Number | None]"
FAST_FROM = 64  # lines; below that NumPy's set-up costs more than it saves
_WHOLE = re.compile(r"[+-]?\d+\Z", re.ASCII)


def _fail(name: str, line: int, message: str) -> NoReturn:
    raise FormatError(f"{name}, line {line}: {message}")


def number(name: str, line: int, token: str) -> Number:
    """Parse one token: an int of any size, or a finite float (exact as Decimal where a float would lose digits)."""
    if _WHOLE.match(token) and len(token) <= 4000:
        return int(token)
    try:
        exact = Decimal(token)
    except InvalidOperation:
        _fail(name, line, f"expected a number (got {token[:40]!r})")
    if not exact.is_finite():
        _fail(name, line, f"expected a finite number (got {token[:40]!r})")
    as_float = float(exact)
    if as_float in (float("inf"), float("-inf")) or Decimal(repr(as_float)) != exact:
        return exact
    return as_float


def amount(name: str, line: int, token: str) -> Number:
    """Parse a value, a weight or a capacity: a number that is not negative."""
    parsed = number(name, line, token)
    if parsed < 0:
        _fail(name, line, f"expected a number >= 0 (got {token[:40]!r})")
    return parsed


def count(name: str, line: int, token: str) -> int:
    """Parse a number of items."""
    if not _WHOLE.match(token) or token.startswith("-") or len(token) > 12:
        _fail(name, line, f"expected the number of items (got {token[:40]!r})")
    return int(token)


def rows(
    name: str,
    lines: list[str],
    first: int,
    n: int,
    columns: int,
    separator: str | None = None,
    wanted: tuple[int, ...] | None = None,
) -> list[np.ndarray[Any, Any] | list[Number]]:
    """Parse `n` lines of `columns` numbers each, from line index `first`; blank lines are skipped.

    Returns the columns, or those `wanted`; what stands in the others does not matter.
    """
    wanted = wanted or tuple(range(columns))
    block = lines[first : first + n]
    if n >= FAST_FROM and len(block) == n:
        try:  # plain 64-bit integers, the common case
            text = io.StringIO("\n".join(block))
            table = np.loadtxt(text, dtype=np.int64, delimiter=separator, ndmin=2, comments=None)
        except (ValueError, OverflowError):
            table = None
        if table is not None and table.shape == (n, columns) and table.min() >= 0:
            return [np.ascontiguousarray(table[:, k]) for k in wanted]
    out: list[list[Number]] = [[] for _ in wanted]
    at, found = first, 0
    while found < n:
        if at >= len(lines):
            _fail(name, len(lines), f"expected {n} items (the file ends after {found})")
        tokens = [t.strip() for t in lines[at].split(separator)]
        if tokens and tokens != [""]:
            if len(tokens) != columns:
                _fail(name, at + 1, f"expected {columns} numbers (got {lines[at].strip()[:60]!r})")
            for column, k in zip(out, wanted, strict=True):
                column.append(amount(name, at + 1, tokens[k]))
            found += 1
        at += 1
    return list(out)


def _nothing_after(name: str, lines: list[str], items: int, first: int) -> None:
    """Refuse text after the last of `items` item lines that start at line index `first`."""
    at, found = first, 0
    while at < len(lines) and found < items:
        found += bool(lines[at].strip())
        at += 1
    for i in range(at, len(lines)):
        if lines[i].strip():
            _fail(name, i + 1, f"expected the end after {items} items (got {lines[i].strip()[:60]!r})")


def read_kp(name: str, text: str, _: int) -> Parsed:
    """``n capacity``, then ``profit weight`` per item."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip())
    head = lines[at].split()
    line = at + 1
    if len(head) == 1:  # n and the capacity on lines of their own
        at = next((i for i in range(at + 1, len(lines)) if lines[i].strip()), len(lines))
        if at == len(lines):
            _fail(name, len(lines), "expected the capacity (the file ends after the number of items)")
        head += lines[at].split()
    if len(head) != 2:
        _fail(name, at + 1, f"expected 'n capacity' (got {lines[at].strip()[:60]!r})")
    n = count(name, line, head[0])
    capacity = amount(name, at + 1, head[1])
    values, weights = rows(name, lines, at + 1, n, 2)
    if isinstance(values, list) or any(line.strip() for line in lines[at + 1 + n :]):
        _nothing_after(name, lines, n, at + 1)
    return values, weights, capacity


def read_pisinger(name: str, text: str, index: int) -> Parsed:
    """Pisinger's csv or plain layout."""
    lines = text.splitlines()
    tokens = next(line for line in lines if line.strip()).split()
    if len(tokens) == 1 and _WHOLE.match(tokens[0]):
        return _read_plain(name, lines, index)
    at = 0
    for skipped in range(index + 1):
        while at < len(lines) and not lines[at].strip():
            at += 1
        if at == len(lines):
            _fail(name, len(lines), f"expected instance {index} (the file holds {skipped})")
        parsed, at = _read_block(name, lines, at)
    return parsed


def _read_block(name: str, lines: list[str], at: int) -> tuple[Parsed, int]:
    """One instance of the csv layout; returns it and the line after its ``-----``."""
    head: dict[str, tuple[int, str]] = {}  # line number and text
    while at < len(lines) and "," not in lines[at]:
        tokens = lines[at].split()
        if len(tokens) == 2 and tokens[0] in ("n", "c", "z", "time"):
            head[tokens[0]] = (at + 1, tokens[1])
        elif lines[at].startswith("---"):
            break  # no items
        at += 1
    for key in ("n", "c"):
        if key not in head:
            _fail(name, min(at + 1, len(lines)), f"expected a line '{key} NUMBER' before the items")
    n = count(name, *head["n"])
    _, values, weights, _ = rows(name, lines, at, n, 4, ",") if n else ([], [], [], [])
    at += n  # rows() has checked them
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at < len(lines) and not lines[at].startswith("---"):
        _fail(name, at + 1, f"expected '-----' after {n} items (got {lines[at].strip()[:60]!r})")
    return (values, weights, amount(name, *head["c"])), at + 1


def _read_plain(name: str, lines: list[str], index: int) -> Parsed:
    if index:
        _fail(name, 1, f"expected instance {index} (the plain layout holds one)")
    lines = [*lines]
    while lines and not lines[-1].strip():
        lines.pop()
    at = next(i for i, line in enumerate(lines) if line.strip())
    n = count(name, at + 1, lines[at].strip())
    last = lines[-1].split()
    if len(last) != 1 or len(lines) - 1 == at:
        _fail(
            name, len(lines), f"expected the capacity alone on the last line (got {lines[-1].strip()[:60]!r})"
        )
    _, values, weights = rows(name, lines[:-1], at + 1, n, 3)
    _nothing_after(name, lines[:-1], n, at + 1)
    return values, weights, amount(name, len(lines), last[0])


def read_csv(name: str, text: str, _: int) -> Parsed:
    """A header naming value and weight, the capacity in a comment above it."""
    lines = text.splitlines()
    capacity: Number | None = None
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].lstrip().startswith("#")):
        comment = re.match(r"\s*#\s*capacity\s*[:=,\s]\s*(\S+)\s*\Z", lines[at], re.IGNORECASE)
        if comment:
            capacity = amount(name, at + 1, comment[1])
        at += 1
    if at == len(lines):
        _fail(name, len(lines), "expected a header naming value and weight (the file ends)")
    header = [cell.strip().strip('"').lower() for cell in lines[at].split(",")]
    places = []
    for names in (("value", "profit", "values", "profits", "v", "p"), ("weight", "weights", "w")):
        found = [i for i, cell in enumerate(header) if cell in names]
        if len(found) != 1:
            _fail(name, at + 1, f"expected one column named {names[0]!r} (got {lines[at].strip()[:60]!r})")
        places.append(found[0])
    items = sum(bool(line.strip()) for line in lines[at + 1 :])
    if not items:
        return [], [], capacity
    values, weights = rows(name, lines, at + 1, items, len(header), ",", (places[0], places[1]))
    return values, weights, capacity


def read_json(name: str, text: str, _: int) -> Parsed:
    """An object with capacity, values and weights."""

    def refuse(token: str) -> NoReturn:
        raise FormatError(f"{name}, line 1: expected finite numbers (got {token})")

    try:
        data = json.loads(
            text, parse_constant=refuse, parse_float=lambda t: number(name, 1, t), parse_int=_big_int
        )
    except json.JSONDecodeError as error:
        _fail(name, error.lineno, f"expected JSON ({error.msg})")
    except RecursionError:
        _fail(name, 1, "expected JSON (nested too deeply)")
    if not isinstance(data, dict):
        _fail(name, 1, f"expected an object with capacity, values and weights (got {type(data).__name__})")
    for key in ("values", "weights"):
        if not isinstance(data.get(key), list):
            _fail(name, 1, f"expected a list under {key!r} (got {type(data.get(key)).__name__})")
    if isinstance(data.get("capacity"), (list, dict, str, bool)):
        _fail(name, 1, f"expected a number under 'capacity' (got {type(data['capacity']).__name__})")
    return data["values"], data["weights"], data.get("capacity")


def _big_int(token: str) -> Number:
    return int(token) if len(token) <= 4000 else Decimal(token)


READERS: dict[str, Callable[[str, str, int], Parsed]] = {
    "kp": read_kp,
    "pisinger": read_pisinger,
    "csv": read_csv,
    "json": read_json,
}
