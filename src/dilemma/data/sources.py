"""What can be fetched, from where, and what it must add up to.

Sums of files are those their publishers and the common readers of these sets give. A knapsack instance is held
against a sum over what it says, since its published copies differ in layout.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """One file of a data set.

    Attributes
    ----------
    name : str
        In the cache.
    sum : str
        What it adds up to: ``md5:``, ``sha256:``, or ``instance:`` for a knapsack.
    content : str
        The same of what is in it once decompressed, where known: copies may be compressed otherwise, or not at all.
    """

    name: str
    sum: str
    content: str = ""


@dataclass(frozen=True)
class Source:
    """A data set.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    files : tuple of File
        What it consists of; empty if there is no download that can be checked.
    mirrors : tuple of str
        Addresses that end where a file's name begins, tried in order.
    imports : str
        What `dilemma data import` takes.
    note : str
        What to know, where there is something.
    """

    name: str
    title: str
    files: tuple[File, ...]
    mirrors: tuple[str, ...]
    imports: str
    note: str = ""


def _digits(packed: tuple[str, ...], content: tuple[str, ...] = ("",) * 4) -> tuple[File, ...]:
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    return tuple(
        File(f"{name}-ubyte.gz", f"md5:{whole}", f"md5:{inner}" if inner else "")
        for name, whole, inner in zip(names, packed, content, strict=True)
    )


_IDX = "the four idx files, compressed or not"

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(
            "mnist",
            "MNIST handwritten digits, 60,000 + 10,000 images (LeCun et al. 1998)",
            _digits(
                (
                    "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                    "d53e105ee54ea40749a09fcbcd1e9432",
                    "9fb629c4189551a2d022fa330f9573f3",
                    "ec29112dd5afa0611ce80d1b7f02629c",
                ),
                (
                    "6bbc9ace898e44ae57da46a324031adb",
                    "a25bea736e30d166cdddb491f175f624",
                    "2646ac647ad5339dbf082846283269ea",
                    "27ae3e4e09519cfbb04c329615203637",
                ),
            ),
            (
                "https://ossci-datasets.s3.amazonaws.com/mnist/",
                "https://storage.googleapis.com/cvdf-datasets/mnist/",
                "http://yann.lecun.com/exdb/mnist/",
            ),
            _IDX,
        ),
        Source(
            "fashion-mnist",
            "Fashion-MNIST articles of clothing, 60,000 + 10,000 images (Xiao et al. 2017)",
            _digits(
                (
                    "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                    "25c81989df183df01b3e8a0aad5dffbe",
                    "bef4ecab320f06d8554ea6380940ec79",
                    "bb300cfdad3c16e7a12a480ee83cd310",
                )
            ),
            (
                "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
            ),
            _IDX,
        ),
        Source(
            "knapsack",
            "0-1 knapsack instances, classes 1 to 3 of Pisinger's series with 100, 1,000 and 10,000 items",
            tuple(
                File(f"{name}_1000_1", f"instance:{total}")
                for name, total in {
                    "knapPI_1_100": "b9882f828ee5a865cee0fc081a51d4e351cbc20d33ce68d31aade80a00ebf337",
                    "knapPI_1_1000": "7aec1ac819c9c43e257e4b53d02aaba111f86038070df2b3aec1d5c5abf57a55",
                    "knapPI_1_10000": "4a87de875d80f989fd7a7947e71b6eb546949f6ccfdb55c77f556bf0a5ed1dc9",
                    "knapPI_2_100": "ec7620f129ce02cf0cad634ebeeb44466217712033f2bbf6e2b7c11b7cbc0110",
                    "knapPI_2_1000": "55bd0265d4b4cc66e494783f4f79528fc9da6fc7d6659255dd0b56a382d2aa34",
                    "knapPI_2_10000": "7f1704fe6ded46687b3f27e6dce1f8d567c8d9bf598ea23b17fb4fb9875fd186",
                    "knapPI_3_100": "c87459d76bd567aa479674269be7b0191fb9aa70315cd3471b0b1dfc37b5904b",
                    "knapPI_3_1000": "e4524c90e5398fab2af60af6416e542cc015e68b6f715c417efc70e24b52a664",
                    "knapPI_3_10000": "67142b2c3253b3cf140c706e030e71263f647ae55e965d3de8e0d2f2f1057de1",
                }.items()
            ),
            ("http://artemisa.unicauca.edu.co/~johnyortega/instances_01_KP/large_scale/",),
            "knapPI_* and ks_*: n and capacity, then profit and weight a line; or Pisinger's layouts, csv, json",
            "ks_24a and ks_24e of Kreher and Stinson's book are imported: dilemma data import knapsack --from DIR",
        ),
        Source(
            "ecp2011",
            "Paris facades, 104 images with seven classes (Teboul et al. 2010; labels corrected 2012)",
            (),
            (),
            "images NAME.jpg or NAME.png with label images NAME_mask.png, or a table *rgb10_counts.csv(.gz)",
            "no public copy to check against: ask its authors, then dilemma data import ecp2011 --from DIR",
        ),
    )
}


def source(name: str) -> Source:
    """Return the data set of this name.

    >>> source("mnist").files[0].name
    'train-images-idx3-ubyte.gz'
    """
    if name not in SOURCES:
        raise ValueError(f"data set: expected one of {', '.join(SOURCES)}, got {name!r}")
    return SOURCES[name]
