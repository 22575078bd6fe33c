"""The six panels of Figure 3: which data, under which readings of a protocol that is partly unstated.

Decision trees. The energy is counted on rows "disjoint to the training data" (Section VI), yet one sentence of
Section VII evaluates it on the test data: both are run. ECP colours are quantised to 10 bins a channel "and each
bin combination constitutes a binary attribute": read as the 30 bins of three channels, and as the 1000
combinations. Images are split 70 % to 30 %.

Knapsack. ks_24a and ks_24e are Kreher and Stinson's; "medium" (100 items) and "large01" (10,000) are not identified
in the paper, and the first uncorrelated instances of Pisinger's series stand in for them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dilemma.data.facades import Facades, find_pairs, read_facades
from dilemma.data.files import find
from dilemma.data.idx import NAMES, Digits, read_mnist
from dilemma.data.packing import Packing, read_packing
from dilemma.experiments import stand_ins
from dilemma.experiments.arena import KnapsackArena, TreeArena
from dilemma.experiments.id3 import Rows
from dilemma.experiments.packing import PaperKnapsack

Arena = KnapsackArena | TreeArena

# Known optima, by what the instance says.
OPTIMA = {
    "8cd93e862b7ab8405841c265a10e098aac49280e43e3c71b1becc519485d81d5": 13_549_094,
    "b9f058462d2126cdfc10a87661c11ddf7c63ad69011a7398c1e7b23bc8f70092": 13_940_099,
    "b9882f828ee5a865cee0fc081a51d4e351cbc20d33ce68d31aade80a00ebf337": 9_147,
    "4a87de875d80f989fd7a7947e71b6eb546949f6ccfdb55c77f556bf0a5ed1dc9": 563_647,
}


@dataclass(frozen=True)
class Panel:
    """One panel of Figure 3.

    Attributes
    ----------
    key, title : str
        For files, and for people.
    kind : str
        ``tree`` or ``knapsack``.
    readings : tuple of str
        The first one is drawn.
    iterations, quick : int
        Candidates a run, and in a quick run.
    """

    key: str
    title: str
    kind: str
    readings: tuple[str, ...]
    iterations: int
    quick: int


PANELS = {
    panel.key: panel
    for panel in (
        Panel("mnist", "Decision tree, MNIST", "tree", ("validation", "test"), 500, 60),
        Panel(
            "ecp2011",
            "Decision tree, ECP2011",
            "tree",
            ("channels-validation", "channels-test", "combinations-validation", "combinations-test"),
            500,
            60,
        ),
        Panel("ks_24a", "Knapsack 24A", "knapsack", ("",), 1000, 200),
        Panel("ks_24e", "Knapsack 24E", "knapsack", ("",), 1000, 200),
        Panel("medium", "Knapsack medium (100)", "knapsack", ("",), 1000, 200),
        Panel("large", "Knapsack large (10,000)", "knapsack", ("",), 300, 40),
    )
}
_SEEDS = {"ks_24a": 0, "ks_24e": 5, "medium": 2, "large": 3}  # stand-ins whose greedy can be improved
_FILES = {
    "ks_24a": "ks_24a",
    "ks_24e": "ks_24e",
    "medium": "knapPI_1_100_1000_1",
    "large": "knapPI_1_10000_1000_1",
}


@dataclass(frozen=True)
class Loaded:
    """What a panel runs on.

    Attributes
    ----------
    real : bool
        False for a generated stand-in.
    origin : str
        Where it came from, for people.
    digest : str
        A sum over the data.
    make : callable
        ``make(reading) -> Arena``.
    """

    real: bool
    origin: str
    digest: str
    make: Callable[[str], Arena]


def load(panel: Panel, folders: list[Path], *, quick: bool) -> Loaded:
    """Return a panel's data: from the first folder that has it, otherwise generated; always generated if quick."""
    for folder in [] if quick else folders:
        found = _LOADERS[panel.kind if panel.kind == "knapsack" else panel.key](panel, folder)
        if found is not None:
            return found
    if panel.kind == "knapsack":
        items = {"ks_24a": 24, "ks_24e": 24, "medium": 100, "large": 1000 if quick else 10_000}[panel.key]
        return _knapsack(stand_ins.packing(_SEEDS[panel.key], items), False, "generated")
    if panel.key == "mnist":
        return _digits(stand_ins.digits(), False, "generated glyphs")
    return _facades(stand_ins.facades(), False, "generated facades")


def _load_knapsack(panel: Panel, folder: Path) -> Loaded | None:
    name = _FILES[panel.key]
    path = find(folder, f"{name}.txt") or find(folder, name)
    return None if path is None else _knapsack(read_packing(path), True, path.name)


def _knapsack(packing: Packing, real: bool, origin: str) -> Loaded:
    digest = packing.digest()

    def make(reading: str) -> Arena:
        problem = PaperKnapsack(packing.values, packing.weights, packing.capacity)
        return KnapsackArena(problem, OPTIMA.get(digest))

    return Loaded(real, origin, digest, make)


def _load_digits(panel: Panel, folder: Path) -> Loaded | None:
    first = find(folder / "mnist", NAMES[0]) or find(folder / "mnist", f"{NAMES[0]}.gz")
    first = first or find(folder, NAMES[0]) or find(folder, f"{NAMES[0]}.gz")
    return None if first is None else _digits(read_mnist(first.parent), True, "MNIST, 60,000 + 10,000")


def _digits(digits: Digits, real: bool, origin: str) -> Loaded:
    def rows(images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Rows:
        return Rows.of((images.reshape(len(images), -1) >= 128).astype(np.uint8), labels)

    def make(reading: str) -> Arena:
        train, test = (
            rows(digits.train_images, digits.train_labels),
            rows(digits.test_images, digits.test_labels),
        )
        if reading == "test":
            return TreeArena(train, test, None, ("training", "test"))
        held = min(10_000, len(train.labels) // 4)  # the last of the training images
        everything = np.arange(len(train.labels))
        own, judge = train.take(everything[:-held]), train.take(everything[-held:])
        return TreeArena(own, judge, test, ("training", "validation", "test"))

    return Loaded(real, origin, _sum(digits.train_images, digits.train_labels, digits.test_images), make)


def _load_facades(panel: Panel, folder: Path) -> Loaded | None:
    if not folder.is_dir() or not (any(folder.rglob("*rgb10_counts.csv*")) or find_pairs(folder)):
        return None
    facades = read_facades(folder)
    return _facades(facades, True, f"{len(facades.images)} of the 104 facades of ECP2011")


def _facades(facades: Facades, real: bool, origin: str) -> Loaded:
    seven = facades.seven_classes()  # labels 1 to 7
    test = _test_images(seven)
    fitting = [i for i in range(len(seven.images)) if i not in test]
    held = fitting[-max(1, round(len(fitting) * 0.3)) :]  # validation: the last of the training images

    def rows(images: list[int], wide: bool) -> Rows:
        which = np.isin(seven.image, images)
        bins, labels = seven.bins[which], seven.label[which]
        if wide:
            code = bins @ np.array([100, 10, 1])
            bits = (code[:, None] == np.arange(1000)).astype(np.uint8)
        else:
            bits = (bins[:, :, None] == np.arange(10)).reshape(len(bins), 30).astype(np.uint8)
        return Rows.of(bits, labels - 1, seven.pixels[which].astype(float))

    def make(reading: str) -> Arena:
        attributes, judge = reading.split("-")
        wide = attributes == "combinations"
        if judge == "test":
            return TreeArena(rows(fitting, wide), rows(test, wide), None, ("training", "test"))
        own = [i for i in fitting if i not in held]
        parts = rows(own, wide), rows(held, wide), rows(test, wide)
        return TreeArena(*parts, ("training", "validation", "test"))

    return Loaded(real, origin, _sum(seven.bins, seven.label, seven.pixels), make)


def _test_images(facades: Facades) -> list[int]:
    """Return the images set apart for testing: those marked so, or the last 30 %."""
    marked = [i for i, split in enumerate(facades.split) if split == "test"]
    if marked and len(marked) < len(facades.images):
        return marked
    count = len(facades.images)
    return list(range(count - max(1, round(0.3 * count)), count))


def _sum(*arrays: NDArray[Any]) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


_LOADERS: dict[str, Callable[[Panel, Path], Loaded | None]] = {
    "knapsack": _load_knapsack,
    "mnist": _load_digits,
    "ecp2011": _load_facades,
}


def folders_for(data: str | os.PathLike[str] | None) -> list[Path]:
    """Return where to look for data: the folder given, then the cache.

    Raises
    ------
    FileNotFoundError
        If a folder was given and is none.
    """
    from dilemma.data.fetch import cache_folder

    if data is None:
        return [cache_folder()]
    if not Path(data).is_dir():
        raise FileNotFoundError(f"--data: expected a folder, got {data}")
    return [Path(data), cache_folder()]
