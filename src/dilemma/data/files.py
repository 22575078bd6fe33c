"""Opening files that may be compressed, truncated, or far larger than they say."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from dilemma.errors import FormatError

GZIP = b"\x1f\x8b"
LIMIT = 1 << 30  # bytes after decompression: no data set here comes near


def read_bytes(path: str | os.PathLike[str], limit: int = LIMIT) -> bytes:
    """Return a file's bytes, decompressed if it is gzip by its first bytes (its name does not matter).

    Parameters
    ----------
    path : path-like
        The file.
    limit : int
        Most bytes to accept, so that a small file cannot fill the memory.

    Raises
    ------
    FormatError
        If it is damaged, or larger than `limit`.
    """
    path = Path(path)
    with path.open("rb") as plain:
        packed = plain.read(2) == GZIP
        plain.seek(0)
        if not packed:
            if os.fstat(plain.fileno()).st_size > limit:
                raise too_large(path, limit)
            return plain.read(limit)
        try:
            with gzip.GzipFile(fileobj=plain) as unpacked:
                content = unpacked.read(limit + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(f"{path}: damaged or truncated gzip file ({error}); fetch it again") from None
    if len(content) > limit:
        raise too_large(path, limit)
    return content


def too_large(path: Path, limit: int) -> FormatError:
    """Return the error for a file of more bytes than expected."""
    return FormatError(f"{path}: expected at most {limit:,} bytes after decompression, got more")


def find(folder: str | os.PathLike[str], name: str) -> Path | None:
    """Return the file of this name at or below a folder: the shallowest, then the first by name.

    >>> find("/nowhere", "a.txt") is None
    True
    """
    root = Path(folder)
    if (root / name).is_file():
        return root / name
    if not root.is_dir():
        return None
    found = [p for p in root.rglob(Path(name).name) if p.is_file()]
    return min(found, key=lambda p: (len(p.parts), str(p)), default=None)
