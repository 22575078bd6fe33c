"""The data of each panel of Figure 3, found in a folder or generated, and the arena a reading of them makes."""

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
from dilemma.data.idx import Digits, read_mnist, set_paths
from dilemma.data.packing import Packing, read_packing
from dilemma.experiments import stand_ins
from dilemma.experiments.arena import KnapsackArena, TreeArena
from dilemma.experiments.id3 import Rows
from dilemma.experiments.packing import PaperKnapsack
from dilemma.experiments.panels import PANELS, Panel, file_of

Arena = KnapsackArena | TreeArena
_STAND_INS = {
    "ks_24a": (0, 24),
    "ks_24e": (5, 24),
    "medium": (2, 100),
    "large": (3, 10_000),
}  # seed and items
MNIST = "06b0d1f124c4e5fa796686ade41a9b778edacc8622f2195a352ef479ad44fc16"  # of all images and labels


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
        ``make() -> Arena``.
    """

    real: bool
    origin: str
    digest: str
    make: Callable[[], Arena]

    @property
    def found(self) -> bool:
        """Whether it was read from files, whatever they hold."""
        return not self.origin.startswith("generated")


def load(panel: Panel, reading: str, folders: list[Path], *, quick: bool) -> Loaded:
    """Return a panel's data: from the first folder that has it, otherwise generated (smaller if quick)."""
    for folder in folders:
        found = _LOADERS[panel.kind if panel.kind == "knapsack" else panel.key](panel, reading, folder)
        if found is not None:
            return found
    if panel.kind == "knapsack":
        seed, items = _STAND_INS[panel.key]
        count = min(items, 1000) if quick else items
        return _knapsack(stand_ins.packing(seed, count, reading or "weak"), False, "generated")
    if panel.key == "mnist":
        return _digits(stand_ins.digits(), reading, False, "generated glyphs")
    return _facades(stand_ins.facades(), reading, False, "generated facades")


def _load_knapsack(panel: Panel, reading: str, folder: Path) -> Loaded | None:
    name = file_of(panel, reading)
    places = (find(folder, name + ending) for ending in (".txt", "", ".kp", ".csv", ".json"))
    path = next((place for place in places if place is not None), None)
    return None if path is None else _knapsack(read_packing(path), True, path.name)


def _knapsack(packing: Packing, real: bool, origin: str) -> Loaded:
    def make() -> Arena:
        return KnapsackArena(PaperKnapsack(packing.values, packing.weights, packing.capacity))

    return Loaded(real, origin, packing.digest(), make)


def _load_digits(panel: Panel, reading: str, folder: Path) -> Loaded | None:
    try:
        paths = set_paths(folder, "mnist")
    except FileNotFoundError:
        return None
    digits = read_mnist(paths[0].parent)
    count = f"{len(digits.train_labels):,} + {len(digits.test_labels):,}"
    if _sum(digits.train_images, digits.train_labels, digits.test_images, digits.test_labels) == MNIST:
        return _digits(digits, reading, True, f"MNIST, {count}")
    return _digits(
        digits, reading, False, f"not MNIST: {paths[0].parent.name}, {count}"
    )  # another set of its format


def _digits(digits: Digits, reading: str, real: bool, origin: str) -> Loaded:
    def rows(images: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Rows:
        return Rows.of((images.reshape(len(images), -1) >= 128).astype(np.uint8), labels)

    def make() -> Arena:
        judge, *stop = reading.split("-")
        train = rows(digits.train_images, digits.train_labels)
        test = rows(digits.test_images, digits.test_labels)
        if judge == "test":
            return TreeArena(train, test, None, min_entropy=_least_entropy(stop))
        held = min(10_000, len(train.labels) // 4)  # the last of the training images
        everything = np.arange(len(train.labels))
        own, other = train.take(everything[:-held]), train.take(everything[-held:])
        return TreeArena(own, other, test, min_entropy=_least_entropy(stop))

    return Loaded(real, origin, _sum(digits.train_images, digits.train_labels, digits.test_images), make)


def _least_entropy(stop: list[str]) -> float:
    """Return the entropy at and below which a node is a leaf, in bits."""
    return 0.5 if stop == ["halfbit"] else 0.0


def _load_facades(panel: Panel, reading: str, folder: Path) -> Loaded | None:
    if not folder.is_dir() or not (any(folder.rglob("*rgb10_counts.csv*")) or find_pairs(folder)):
        return None
    facades = read_facades(folder)
    return _facades(facades, reading, True, f"{len(facades.images)} of the 104 facades of ECP2011")


def _facades(facades: Facades, reading: str, real: bool, origin: str) -> Loaded:
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

    def make() -> Arena:
        attributes, judge, *stop = reading.split("-")
        wide = attributes == "combinations"
        if judge == "test":
            return TreeArena(rows(fitting, wide), rows(test, wide), None, min_entropy=_least_entropy(stop))
        own = [i for i in fitting if i not in held]
        parts = rows(own, wide), rows(held, wide), rows(test, wide)
        return TreeArena(*parts, min_entropy=_least_entropy(stop))

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


_LOADERS: dict[str, Callable[[Panel, str, Path], Loaded | None]] = {
    "knapsack": _load_knapsack,
    "mnist": _load_digits,
    "ecp2011": _load_facades,
}


def folders_for(data: str | os.PathLike[str] | None, *, quick: bool = False) -> list[Path]:
    """Return where to look for data: the folder given, then the cache; a quick run looks in the former only.

    Raises
    ------
    FileNotFoundError
        If a folder was given and is none.
    """
    from dilemma.data.fetch import cache_folder

    cache = [] if quick else [cache_folder()]
    if data is None:
        return cache
    if not Path(data).is_dir():
        raise FileNotFoundError(f"--data: expected a folder, got {data}")
    return [Path(data), *cache]


def origins(data: str | os.PathLike[str] | None, *, quick: bool = False) -> dict[str, Loaded]:
    """Read all data once and return them by panel, so that what is wrong with them is known before anything runs.

    Raises
    ------
    FileNotFoundError
        If a folder was given that is none, or that holds nothing of any use.
    FormatError
        If a file is not what it should be.
    """
    folders = folders_for(data, quick=quick)
    own = folders[: data is not None]
    wanted = [  # the readings of a decision tree's data read the same files
        (panel, reading)
        for panel in PANELS.values()
        for reading in (panel.readings if panel.kind == "knapsack" else panel.readings[:1])
    ]
    found = [(panel, reading, load(panel, reading, own, quick=quick)) for panel, reading in wanted]
    if own and not any(loaded.found for *_, loaded in found):
        raise FileNotFoundError(
            f"--data: expected the idx files of MNIST, facades with label images, or knapsack files such as "
            f"{file_of(PANELS['medium'], 'uncorrelated')}.txt at or below {data}, found none of them; leave --data "
            "out for generated data"
        )
    rest = folders[len(own) :]
    return {
        panel.title + (f", {reading}" if panel.kind == "knapsack" and reading else ""): loaded
        if loaded.found
        else load(panel, reading, rest, quick=quick)
        for panel, reading, loaded in found
    }
