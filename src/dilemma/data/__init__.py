"""Public data sets: readers that trust no file, a cache, and downloads checked against known sums.

`read_idx` and `read_mnist` take the MNIST family, `read_facades` images with label images or a table of colour
counts; knapsack files are read by `dilemma.knapsack`. Nothing here is imported by the core.
"""

from dilemma.data.facades import COLOURS, Facades, read_counts, read_facades, read_pairs
from dilemma.data.idx import Digits, read_idx, read_mnist
from dilemma.data.sources import SOURCES, Source

__all__ = [
    "COLOURS",
    "SOURCES",
    "Digits",
    "Facades",
    "Source",
    "read_counts",
    "read_facades",
    "read_idx",
    "read_mnist",
    "read_pairs",
]
