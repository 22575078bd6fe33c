"""Reading idx files that may be compressed, cut, of another kind, or larger than they say."""

import contextlib
import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dilemma.data import read_idx, read_mnist
from dilemma.data.idx import NAMES
from dilemma.errors import FormatError


def idx(array: np.ndarray) -> bytes:
    return (
        struct.pack(">BBBB", 0, 0, 8, array.ndim)
        + struct.pack(f">{array.ndim}I", *array.shape)
        + array.tobytes()
    )


IMAGES = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_reads_plain_and_compressed_whatever_the_name(tmp_path: Path, pack) -> None:
    path = tmp_path / "anything.dat"
    path.write_bytes(pack(idx(IMAGES)))
    assert np.array_equal(read_idx(path), IMAGES)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "expected an idx file"),
        (b"\x89PNG\r\n", "expected an idx file"),
        (b"\0\0\x0d\x03" + bytes(12), "type 0x0d"),
        (b"\0\0\x08\x09" + bytes(36), "1 to 4 dimensions"),
        (b"\0\0\x08\x03\0\0", "truncated inside its header"),
        (idx(IMAGES)[:-1], "truncated: the header promises 2 x 3 x 4 = 24 bytes, got 23"),
        (idx(IMAGES) + b"x", "longer than its header says"),
        (b"\0\0\x08\x03" + b"\xff" * 12 + b"abc", "truncated: the header promises 4294967295"),
        (gzip.compress(idx(IMAGES))[:-9], "damaged or truncated gzip"),
        (gzip.compress(idx(IMAGES))[:12] + b"\xff" * 30, "damaged or truncated gzip"),
    ],
)
def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "broken-idx3-ubyte"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=says) as caught:
        read_idx(path)
    assert "broken-idx3-ubyte" in str(caught.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, pack) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(idx(np.zeros((1, 1000, 1000), dtype=np.uint8))))
    with pytest.raises(FormatError, match="at most 10,000 bytes"):
        read_idx(path, limit=10_000)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any"
    for body in (content, b"\0\0\x08" + content, b"\x1f\x8b" + content):
        path.write_bytes(body)
        with contextlib.suppress(FormatError):
            assert read_idx(path).dtype == np.uint8


def write_set(folder: Path, train: int = 5, labels: int = 5) -> None:
    shapes = {NAMES[0]: (train, 4, 4), NAMES[1]: (labels,), NAMES[2]: (3, 4, 4), NAMES[3]: (3,)}
    for name, shape in shapes.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(idx(np.zeros(shape, dtype=np.uint8))))


def test_the_four_files_are_found_in_a_folder_below(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    write_set(tmp_path / "deep" / "er")
    digits = read_mnist(tmp_path)
    assert digits.train_images.shape == (5, 4, 4)
    assert digits.test_labels.shape == (3,)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    write_set(tmp_path)
    (tmp_path / f"{NAMES[3]}.gz").unlink()
    with pytest.raises(FileNotFoundError, match="no t10k-labels-idx1-ubyte"):
        read_mnist(tmp_path)


def test_images_and_labels_must_belong_together(tmp_path: Path) -> None:
    write_set(tmp_path, train=5, labels=4)
    with pytest.raises(FormatError, match="5 train images but 4 labels"):
        read_mnist(tmp_path)


def test_empty_sets_and_sets_of_two_folders_are_refused(tmp_path: Path) -> None:
    write_set(tmp_path, train=0, labels=0)
    with pytest.raises(FormatError, match="expected at least one train image"):
        read_mnist(tmp_path)
    (tmp_path / "two").mkdir()
    write_set(tmp_path / "two")
    name = "t10k-labels-idx1-ubyte"
    other = tmp_path / "other"
    other.mkdir()
    for path in (tmp_path / "two").glob(f"{name}*"):
        path.rename(other / path.name)
    for path in tmp_path.glob("*ubyte*"):
        path.unlink()
    with pytest.raises(FileNotFoundError, match=f"two: no {name} "):
        read_mnist(tmp_path)
