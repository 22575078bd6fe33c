"""The idx format of the MNIST family: a magic number, the sizes in big-endian, then bytes."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dilemma.data.files import LIMIT, read_bytes
from dilemma.errors import FormatError

UNSIGNED_BYTE = 0x08
NAMES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


@dataclass(frozen=True)
class Digits:
    """Images and labels, in the split they come in."""

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.uint8]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.uint8]


def read_idx(path: str | os.PathLike[str], limit: int = LIMIT) -> NDArray[np.uint8]:
    """Return the array of an idx file of unsigned bytes, compressed or not.

    Raises
    ------
    FormatError
        Wrong magic number, sizes that do not fit the contents, or more than `limit` bytes.
    """
    path = Path(path)
    content = read_bytes(path, limit)
    if len(content) < 4 or content[0] or content[1]:
        raise FormatError(
            f"{path}: expected an idx file, which begins with two zero bytes, "
            f"got {content[:4].hex(' ') or 'nothing'}"
        )
    kind, rank = content[2], content[3]
    if kind != UNSIGNED_BYTE:
        raise FormatError(f"{path}: expected idx data of unsigned bytes (type 0x08), got type 0x{kind:02x}")
    if not 1 <= rank <= 4:
        raise FormatError(f"{path}: expected an idx array of 1 to 4 dimensions, got {rank}")
    start = 4 + 4 * rank
    if len(content) < start:
        raise FormatError(f"{path}: truncated inside its header; fetch it again")
    shape = tuple(int(n) for n in np.frombuffer(content, dtype=">u4", count=rank, offset=4))
    promised, there = math.prod(shape), len(content) - start
    if there != promised:
        what = "truncated" if there < promised else "longer than its header says"
        raise FormatError(
            f"{path}: {what}: the header promises {' x '.join(map(str, shape))} = {promised:,} bytes, "
            f"got {there:,}; fetch it again"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def read_mnist(folder: str | os.PathLike[str], name: str = "mnist") -> Digits:
    """Return the four files of MNIST or of a set in its format, found in one folder at or below, gz or not.

    Parameters
    ----------
    folder : path
        Where to look.
    name : str
        Where several folders below hold four such files, the one of this name is taken.

    Raises
    ------
    FileNotFoundError
        Naming the files that are missing.
    FormatError
        If images and labels do not belong together.
    """
    arrays = [read_idx(path) for path in set_paths(folder, name)]
    for part, images, labels in (("train", arrays[0], arrays[1]), ("t10k", arrays[2], arrays[3])):
        if images.ndim != 3 or labels.ndim != 1:
            raise FormatError(
                f"{folder}: expected {part} images of 3 dimensions and labels of 1, "
                f"got {images.ndim} and {labels.ndim}"
            )
        if len(images) != len(labels):
            raise FormatError(f"{folder}: {len(images):,} {part} images but {len(labels):,} labels")
        if not images.size:
            raise FormatError(f"{folder}: expected at least one {part} image, got none")
    if arrays[0].shape[1:] != arrays[2].shape[1:]:
        raise FormatError(
            f"{folder}: training images of {arrays[0].shape[1:]}, test images of {arrays[2].shape[1:]}"
        )
    return Digits(*arrays)


def set_paths(folder: str | os.PathLike[str], name: str = "mnist") -> list[Path]:
    """Return the four files of a set, all from one folder; an uncompressed one before a compressed one.

    Raises
    ------
    FileNotFoundError
        Naming the files that are missing.
    """
    root = Path(folder)
    held: dict[Path, dict[str, Path]] = {}
    endings = {f"{own}{end}": own for end in (".gz", "") for own in NAMES}  # the later ones win
    for path in [*root.rglob("*-ubyte.gz"), *root.rglob("*-ubyte")] if root.is_dir() else []:
        if path.name in endings and path.is_file():
            held.setdefault(path.parent, {})[endings[path.name]] = path
    if not held:
        raise FileNotFoundError(f"{folder}: no {', no '.join(NAMES)} (.gz or not) at or below this folder")
    best = min(held, key=lambda p: (-len(held[p]), p != root, p.name != name, len(p.parts), str(p)))
    missing = [own for own in NAMES if own not in held[best]]
    if missing:
        raise FileNotFoundError(f"{best}: no {', no '.join(missing)} (.gz or not) in this folder")
    return [held[best][own] for own in NAMES]
