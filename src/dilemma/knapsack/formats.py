"""Reading and writing knapsack instances: ``kp``, ``pisinger``, ``csv`` and ``json``.

kp
    ``n capacity`` on the first line (or on two), then ``profit weight`` per item.
pisinger
    David Pisinger's own files. Csv layout: a name, ``n 50``, ``c 995``, ``z 8373``, ``time 0.00``, then
    ``number,profit,weight,chosen`` per item, ``-----`` after each instance, many in a file. Plain layout: ``n``,
    then ``number profit weight`` per item, then the capacity.
csv
    ``# capacity: W``, a header naming ``value`` (or ``profit``) and ``weight`` in any order, one item a line.
json
    ``{"capacity": W, "values": [...], "weights": [...]}``; numbers of any size are exact.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dilemma.errors import FormatError

from .instance import Instance
from .readers import READERS
from .writers import WRITERS

if TYPE_CHECKING:
    from .instance import Number

FORMATS = ("kp", "pisinger", "csv", "json")
__all__ = ["FORMATS", "detect", "read", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    capacity: Number | None = None,
    index: int = 0,
) -> Instance:
    """Read one instance from a file.

    Parameters
    ----------
    path : path
    format : {"auto", "kp", "pisinger", "csv", "json"}
        ``"auto"`` looks at the name and then at the content.
    capacity : number, optional
        Overrides the file's; a csv file without one needs it.
    index : int
        Which instance of a pisinger file that holds several, from 0.

    Raises
    ------
    FormatError
        A ``ValueError`` that names the file and the line.
    OSError
        If the file cannot be read.
    """
    if format not in ("auto", *FORMATS):
        raise ValueError(f"format: expected auto, {', '.join(FORMATS)} (got {format!r})")
    if index < 0:
        raise ValueError(f"index: expected 0 or more (got {index})")
    name = os.fspath(path)
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}, line {line}: expected text (got a byte that is not UTF-8)") from None
    if not text.strip():
        raise FormatError(f"{name}, line 1: expected a knapsack instance (got an empty file)")
    kind = detect(name, text) if format == "auto" else format
    if index and kind != "pisinger":
        raise ValueError(f"index: only a pisinger file holds several instances (this one is {kind})")
    values, weights, room = READERS[kind](name, text, index)
    if capacity is not None:
        room = capacity
    if room is None:
        raise FormatError(
            f"{name}, line 1: expected a capacity ('# capacity: 50' above the header); or give one yourself"
        )
    try:
        return Instance(values, weights, room)
    except (ValueError, TypeError) as error:
        raise FormatError(f"{name}: {error}") from None


def write(instance: Instance, path: str | os.PathLike[str] | None, *, format: str = "kp") -> str:
    """Write an instance, and return the text; with ``path=None`` only return it.

    The pisinger layout is the csv one for integers, with ``z`` and the chosen column 0 (not solved).
    """
    if format not in WRITERS:
        raise ValueError(f"format: expected {', '.join(FORMATS)} (got {format!r})")
    text = WRITERS[format](instance)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def detect(name: str, text: str) -> str:
    """Return the format of a file by its content, and by its name where the content leaves it open."""
    lines = (line.strip() for line in text.splitlines()[:50])
    head = [line for line in lines if line]
    first = head[0]
    if first[0] in "{[":
        return "json"
    if any(line.split()[0] in ("n", "c") and len(line.split()) == 2 for line in head[:4] if line.split()):
        return "pisinger"
    if first.startswith("#") or "," in first:
        return "csv"
    if name.lower().endswith(".json"):
        return "json"
    counts = [len(line.split()) for line in head]
    if counts[0] == 1 and len(counts) > 1 and counts[1] == 3:
        return "pisinger"  # plain layout
    if counts[0] in (1, 2):
        return "kp"
    raise FormatError(
        f"{name}, line 1: expected 'n capacity' (kp), a header (csv), '{{' (json) or a pisinger file "
        f"(got {first[:40]!r}); name the format"
    )
