"""The six panels of Figure 3: which data, under which readings of a protocol that is partly unstated.

Decision trees. The energy is counted on rows "disjoint to the training data" (Section VI), yet one sentence of
Section VII evaluates it on the test data: both are run. ECP colours are quantised to 10 bins a channel "and each
bin combination constitutes a binary attribute": read as the 30 bins of three channels, and as the 1000
combinations. Images are split 70 % to 30 %.

The search ends a leaf "of small enough entropy": read as zero, and as half a bit.

Knapsack. ks_24a and ks_24e are Kreher and Stinson's; "medium" (100 items) and "large01" (10,000) are not
identified in the paper, and the first instances of three classes of Pisinger's series (values uncorrelated with
weights, weakly and strongly correlated) are taken for them. Strongly correlated ones of 10,000 items are left out:
there the partition tree meets hundreds of dead ends for each candidate, a second's work.
"""

from __future__ import annotations

from dataclasses import dataclass


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


_CLASSES = ("uncorrelated", "weak", "strong")
_JUDGES = ("validation", "test", "validation-halfbit", "test-halfbit")
PANELS = {
    panel.key: panel
    for panel in (
        Panel("mnist", "Decision tree, MNIST", "tree", _JUDGES, 500, 60),
        Panel(
            "ecp2011",
            "Decision tree, ECP2011",
            "tree",
            (
                *(f"channels-{judge}" for judge in _JUDGES),
                "combinations-validation",
                "combinations-test",
            ),
            500,
            60,
        ),
        Panel("ks_24a", "Knapsack 24A", "knapsack", ("",), 1000, 200),
        Panel("ks_24e", "Knapsack 24E", "knapsack", ("",), 1000, 200),
        Panel("medium", "Knapsack medium (100)", "knapsack", _CLASSES, 1000, 200),
        Panel("large", "Knapsack large (10,000)", "knapsack", _CLASSES[:2], 300, 40),
    )
}
_NUMBERS = {"": 1, **{name: number for number, name in enumerate(_CLASSES, start=1)}}


def told_reading(reading: str) -> str:
    """Return a reading's name for people.

    >>> told_reading("channels-test-halfbit")
    'channels, test, leaves below half a bit'
    """
    return reading.replace("-halfbit", ", leaves below half a bit").replace("-", ", ")


def file_of(panel: Panel, reading: str) -> str:
    """Return the name of a knapsack's file, without its ending."""
    if panel.key.startswith("ks_"):
        return panel.key
    return f"knapPI_{_NUMBERS[reading]}_{ {'medium': 100, 'large': 10_000}[panel.key] }_1000_1"
