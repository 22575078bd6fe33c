"""Generated data of the shape of the paper's, so that every experiment runs on any machine without a download.

What is found on it says nothing about MNIST or ECP2011, and the page says so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dilemma.data.facades import CLASSES, Facades, quantise
from dilemma.data.idx import Digits
from dilemma.data.packing import Packing

_GLYPHS = (  # 5 x 5, row by row
    "0111010001100011000101110",
    "0010001100001000010001110",
    "0111000001001100100011111",
    "1111000001011100000111110",
    "1001010010111110001000010",
    "1111110000111100000111110",
    "0111010000111101000101110",
    "1111100001000100010001000",
    "0111010001011101000101110",
    "0111010001011110000101110",
)
_SIZE = 12


def digits(seed: int = 0, *, train: int = 1500, test: int = 500) -> Digits:
    """Return small images of ten glyphs, each shifted, thickened and noisy."""
    rng = np.random.default_rng(seed)

    def draw(count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        labels = rng.integers(0, 10, count)
        images = np.zeros((count, _SIZE, _SIZE), dtype=np.uint8)
        for image, label in zip(images, labels, strict=True):
            glyph = np.array([int(c) for c in _GLYPHS[label]], dtype=np.uint8).reshape(5, 5)
            glyph = np.kron(glyph, np.ones((2, 1 + rng.integers(2)), dtype=np.uint8))
            top, left = (
                rng.integers(0, _SIZE - glyph.shape[0] + 1),
                rng.integers(0, _SIZE - glyph.shape[1] + 1),
            )
            image[top : top + glyph.shape[0], left : left + glyph.shape[1]] = glyph
        flips = rng.random(images.shape) < 0.03
        return np.where(flips, 1 - images, images).astype(np.uint8) * 255, labels.astype(np.uint8)

    return Digits(*draw(train), *draw(test))


_PALETTE = {
    "window": (90, 95, 105), "wall": (190, 175, 150), "balcony": (70, 65, 70), "door": (95, 75, 60),
    "roof": (120, 125, 140), "sky": (190, 205, 225), "shop": (110, 90, 85),
}  # fmt: skip


def facades(seed: int = 0, *, images: int = 6, side: int = 90) -> Facades:
    """Return facades of stripes and boxes, with colours that overlap between classes."""
    rng = np.random.default_rng(seed)
    parts = []
    for number in range(images):
        label = np.full((side, side), CLASSES.index("wall"))
        label[: side // 8] = CLASSES.index("sky")
        label[side // 8 : side // 5] = CLASSES.index("roof")
        label[-side // 6 :] = CLASSES.index("shop")
        label[-side // 6 :, : side // 8] = CLASSES.index("door")
        for top in range(side // 4, side - side // 4, side // 6):
            for left in range(side // 10, side - side // 10, side // 5):
                label[top : top + side // 10, left : left + side // 9] = CLASSES.index("window")
                label[top + side // 10 : top + side // 8, left : left + side // 9] = CLASSES.index("balcony")
        mean = np.zeros((len(CLASSES), 3))
        for name, colour in _PALETTE.items():
            mean[CLASSES.index(name)] = np.array(colour) + rng.normal(0, 12, 3)
        colour = np.clip(mean[label] + rng.normal(0, 28, (side, side, 3)), 0, 255)
        rows = np.column_stack([quantise(colour.reshape(-1, 3)), label.ravel()])
        found, counts = np.unique(rows, axis=0, return_counts=True)
        parts.append(np.column_stack([np.full(len(found), number), found, counts]))
    table = np.concatenate(parts)
    names = tuple(f"generated_{i}" for i in range(images))
    return Facades(names, ("",) * images, table[:, 0], table[:, 1:4], table[:, 4], table[:, 5])


def packing(seed: int, items: int, kind: str) -> Packing:
    """Return a knapsack of one of Pisinger's classes that holds about half of its items."""
    from dilemma.knapsack.generators import generate

    drawn = generate(kind, items, seed=seed)
    return Packing(drawn.values.tolist(), drawn.weights.tolist(), int(drawn.capacity))
