"""Facade images with one colour a class: pixels as a table of colour counts.

The paper's trees see a pixel's colour only, quantised to 10 bins a channel. So a set of images is, without loss, a
table of how many pixels of which image have which bins and which class: at most 1000 colours an image and class.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dilemma.data.files import find, read_bytes
from dilemma.errors import FormatError

# The corrected labels of ECP2011: class 0 is what belongs to none.
COLOURS: dict[str, tuple[int, int, int]] = {
    "outlier": (0, 0, 0),
    "window": (255, 0, 0),
    "wall": (255, 255, 0),
    "balcony": (128, 0, 255),
    "door": (255, 128, 0),
    "roof": (0, 0, 255),
    "sky": (128, 255, 255),
    "shop": (0, 255, 0),
    "chimney": (128, 128, 128),
}
CLASSES = tuple(COLOURS)
BINS = 10
MAX_PIXELS = 50_000_000  # an image; Pillow itself warns from 89 million
COLUMNS = ["image", "split", "r_bin", "g_bin", "b_bin", "class", "pixels"]


@dataclass(frozen=True)
class Facades:
    """Pixels counted by image, colour bins and class.

    Attributes
    ----------
    images : tuple of str
        Names, in order.
    split : tuple of str
        ``train``, ``test`` or nothing, one an image.
    image, label : arrays of int
        Which image and which class (an index into `CLASSES`) each row counts.
    bins : array of shape (rows, 3)
        Red, green and blue bin, 0 to 9.
    pixels : array of int
        How many.
    """

    images: tuple[str, ...]
    split: tuple[str, ...]
    image: NDArray[np.int64]
    bins: NDArray[np.int64]
    label: NDArray[np.int64]
    pixels: NDArray[np.int64]

    def seven_classes(self) -> Facades:
        """Return the paper's seven classes: outliers left out, chimneys counted as roof."""
        label = np.where(self.label == CLASSES.index("chimney"), CLASSES.index("roof"), self.label)
        keep = label != CLASSES.index("outlier")
        return Facades(
            self.images, self.split, self.image[keep], self.bins[keep], label[keep], self.pixels[keep]
        )


def quantise(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the bin of each value of 0 to 255: ten of nearly equal width.

    >>> quantise(np.array([0, 25, 26, 255])).tolist()
    [0, 0, 1, 9]
    """
    return values.astype(np.int64) * BINS // 256


def read_facades(folder: str | os.PathLike[str]) -> Facades:
    """Return the facades below a folder: a table of counts if there is one, or images with label images.

    Raises
    ------
    FileNotFoundError
        If there is neither.
    """
    root = Path(folder)
    tables = sorted(root.rglob("*rgb10_counts.csv*")) if root.is_dir() else []
    if tables:
        return read_counts(tables[0])
    pairs = find_pairs(root)
    if not pairs:
        raise FileNotFoundError(
            f"{folder}: no *rgb10_counts.csv(.gz) and no image NAME.jpg or NAME.png with a label image "
            f"NAME_mask.png or NAME_labels.png at or below this folder"
        )
    return read_pairs(pairs)


def find_pairs(root: Path) -> list[tuple[Path, Path]]:
    """Return the images below a folder that have a label image beside them."""
    pairs = []
    for mask in sorted([*root.rglob("*_mask.png"), *root.rglob("*_labels.png")]):
        stem = mask.stem.removesuffix("_mask").removesuffix("_labels")
        image = next(
            (p for e in ("jpg", "jpeg", "png") if (p := mask.with_name(f"{stem}.{e}")).is_file()), None
        )
        if image is not None:
            pairs.append((image, mask))
    return pairs


def read_pairs(pairs: Iterable[tuple[Path, Path]]) -> Facades:
    """Return the counts of images and their label images.

    Raises
    ------
    FormatError
        A file that is no image, sizes that differ, or a label colour that is no class.
    """
    names, parts = [], []
    for number, (path, mask) in enumerate(pairs):
        pixels, colours = _pixels(path), _pixels(mask)
        if pixels.shape != colours.shape:
            raise FormatError(
                f"{mask}: expected the size of its image {path.name}, {_size(pixels)}, got {_size(colours)}"
            )
        rows = np.column_stack([quantise(pixels.reshape(-1, 3)), _classes(colours.reshape(-1, 3), mask)])
        found, counts = np.unique(rows, axis=0, return_counts=True)
        names.append(path.stem)
        parts.append(np.column_stack([np.full(len(found), number), found, counts]))
    if not parts:
        raise FormatError("facades: expected at least one image with a label image, got none")
    table = np.concatenate(parts)
    return Facades(tuple(names), ("",) * len(names), table[:, 0], table[:, 1:4], table[:, 4], table[:, 5])


def _pixels(path: Path) -> NDArray[np.uint8]:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            "reading images needs Pillow, which comes with the plotting extra: pip install 'dilemma[plot]'"
        ) from None
    try:
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS:
                raise FormatError(
                    f"{path}: expected at most {MAX_PIXELS:,} pixels, got {image.width} x {image.height}"
                )
            return np.asarray(image.convert("RGB"))
    except FileNotFoundError:
        raise
    except (
        OSError,
        SyntaxError,
        ValueError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: not a readable image ({error})") from None


def _size(pixels: NDArray[np.uint8]) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"


def _classes(colours: NDArray[np.uint8], path: Path) -> NDArray[np.int64]:
    code = colours.astype(np.int64) @ np.array([65536, 256, 1])
    known = np.array([r * 65536 + g * 256 + b for r, g, b in COLOURS.values()])
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known[order], code), len(known) - 1)
    wrong = known[order][place] != code
    if wrong.any():
        first = tuple(int(v) for v in colours[int(wrong.argmax())])
        raise FormatError(
            f"{path}: {int(wrong.sum()):,} pixels have a colour that is no class, such as {first}; expected "
            + ", ".join(f"{name} {colour}" for name, colour in COLOURS.items())
        )
    return np.asarray(order[place])


def read_counts(path: str | os.PathLike[str]) -> Facades:
    """Return a table of colour counts: columns image, split, r_bin, g_bin, b_bin, class, pixels.

    Raises
    ------
    FormatError
        With the number of the line that is wrong.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{path}: expected a text table, got binary data") from None
    reader = csv.reader(io.StringIO(text))
    names: dict[str, str] = {}
    numbers: dict[str, int] = {}
    rows = []
    try:
        header = next(reader, [])
        if header != COLUMNS:
            raise FormatError(
                f"{path}: line 1: expected the columns {','.join(COLUMNS)}, got {','.join(header)[:80]!r}"
            )
        for number, row in enumerate(reader, start=2):
            name, split, cells = _cells(path, number, row)
            if names.setdefault(name, split) != split:
                raise FormatError(
                    f"{path}: line {number}: image {name} is in split {split!r} here and in {names[name]!r} before"
                )
            rows.append((numbers.setdefault(name, len(numbers)), *cells))
    except csv.Error as error:
        raise FormatError(f"{path}: line {reader.line_num}: not a table ({error})") from None
    if not rows:
        raise FormatError(f"{path}: expected at least one row below the header")
    table = np.array(rows, dtype=np.int64)
    return Facades(tuple(names), tuple(names.values()), table[:, 0], table[:, 1:4], table[:, 4], table[:, 5])


def _cells(path: object, number: int, row: list[str]) -> tuple[str, str, list[int]]:
    try:
        name, split, *rest = row
        cells = [int(cell) for cell in rest]
        red, green, blue, label, pixels = cells
    except ValueError:
        raise FormatError(
            f"{path}: line {number}: expected a name, a split and five whole numbers, got {','.join(row)[:80]!r}"
        ) from None
    fits = all(0 <= b < BINS for b in (red, green, blue)) and 0 <= label < len(CLASSES)
    if not fits or not 0 < pixels <= MAX_PIXELS:
        raise FormatError(
            f"{path}: line {number}: expected bins of 0 to 9, a class of 0 to 8 and 1 to {MAX_PIXELS:,} pixels, "
            f"got {','.join(rest)[:80]}"
        )
    return name, split, cells


def locate(folder: str | os.PathLike[str]) -> Path | None:
    """Return a folder that holds facades, or None."""
    root = Path(folder)
    if find(root, "ecp_sample9_rgb10_counts.csv.gz") or (root.is_dir() and find_pairs(root)):
        return root
    return None
