"""Reading facades: images with label images, and tables of colour counts."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from dilemma.data import COLOURS, read_counts, read_facades
from dilemma.data.facades import CLASSES, COLUMNS
from dilemma.errors import FormatError

Image = pytest.importorskip("PIL.Image")


def save(
    folder: Path, name: str, size: tuple[int, int] = (4, 5), seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (*size, 3), dtype=np.uint8)
    labels = rng.integers(0, len(CLASSES), size)
    Image.fromarray(pixels).save(folder / f"{name}.png")
    Image.fromarray(np.array(list(COLOURS.values()), dtype=np.uint8)[labels]).save(
        folder / f"{name}_mask.png"
    )
    return pixels, labels


def test_images_become_counts_that_lose_nothing(tmp_path: Path) -> None:
    pixels, labels = save(tmp_path, "a")
    save(tmp_path, "b", seed=1)
    facades = read_facades(tmp_path)
    assert facades.images == ("a", "b")
    own = facades.image == 0
    assert facades.pixels[own].sum() == labels.size
    for y, x in np.ndindex(labels.shape):
        bins = pixels[y, x].astype(int) * 10 // 256
        row = own & (facades.bins == bins).all(axis=1) & (facades.label == labels[y, x])
        same = (pixels.astype(int) * 10 // 256 == bins).all(axis=2) & (labels == labels[y, x])
        assert facades.pixels[row].sum() == same.sum()


def test_seven_classes_leave_outliers_out_and_count_chimneys_as_roof(tmp_path: Path) -> None:
    _, labels = save(tmp_path, "a", size=(20, 20))
    seven = read_facades(tmp_path).seven_classes()
    assert len(set(seven.label.tolist())) == 7
    assert seven.pixels.sum() == (labels != CLASSES.index("outlier")).sum()
    roof = np.isin(labels, [CLASSES.index("roof"), CLASSES.index("chimney")]).sum()
    assert seven.pixels[seven.label == CLASSES.index("roof")].sum() == roof


def test_sizes_must_agree(tmp_path: Path) -> None:
    save(tmp_path, "a", size=(4, 5))
    Image.fromarray(np.zeros((4, 6, 3), dtype=np.uint8)).save(tmp_path / "a_mask.png")
    with pytest.raises(FormatError, match="5 x 4, got 6 x 4"):
        read_facades(tmp_path)


def test_a_colour_that_is_no_class_is_named(tmp_path: Path) -> None:
    save(tmp_path, "a", size=(2, 2))
    Image.fromarray(np.full((2, 2, 3), 7, dtype=np.uint8)).save(tmp_path / "a_mask.png")
    with pytest.raises(FormatError, match=r"4 pixels have a colour that is no class, such as \(7, 7, 7\)"):
        read_facades(tmp_path)


@pytest.mark.parametrize("cut", [0, 10, 60])
def test_a_cut_image_is_refused(tmp_path: Path, cut: int) -> None:
    save(tmp_path, "a", size=(40, 40))
    path = tmp_path / "a.png"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(FormatError, match=r"a\.png: not a readable image"):
        read_facades(tmp_path)


def test_an_image_too_large_is_refused_before_it_is_decoded(tmp_path: Path, monkeypatch) -> None:
    save(tmp_path, "a", size=(30, 30))
    monkeypatch.setattr("dilemma.data.facades.MAX_PIXELS", 100)
    with pytest.raises(FormatError, match="at most 100 pixels, got 30 x 30"):
        read_facades(tmp_path)


def test_an_empty_folder_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="NAME_mask"):
        read_facades(tmp_path)


HEAD = ",".join(COLUMNS)


def test_reads_a_table_of_counts_compressed_or_not(tmp_path: Path) -> None:
    text = f"{HEAD}\nx,train,0,1,9,2,12\nx,train,0,1,9,3,1\ny,test,4,4,4,0,7\n"
    for name, content in (("t.csv", text.encode()), ("t.csv.gz", gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(content)
        facades = read_counts(tmp_path / name)
        assert facades.images == ("x", "y")
        assert facades.split == ("train", "test")
        assert facades.pixels.tolist() == [12, 1, 7]
        assert facades.bins[0].tolist() == [0, 1, 9]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("", "line 1"),
        ("a,b,c", "line 1: expected the columns"),
        (HEAD, "at least one row"),
        (f"{HEAD}\nx,train,0,0,0,0,1\nx,train,0,0", "line 3"),
        (f"{HEAD}\nx,train,10,0,0,0,1", "line 2: expected bins of 0 to 9"),
        (f"{HEAD}\nx,train,0,0,0,9,1", "line 2"),
        (f"{HEAD}\nx,train,0,0,0,1,0", "line 2"),
        (f"{HEAD}\nx,train,0,0,0,1,1e5", "line 2"),
        (f"{HEAD}\nx,train,0,0,0,1,{10**30}", "line 2"),
        (f"{HEAD}\nx,train,0,0,0,1,1\nx,test,0,0,0,1,1", "line 3: image x is in split"),
        (f"{HEAD}\n{'x' * 200_000},train,0,0,0,1,1", "not a table"),
        ("\udcff", "binary data"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(tmp_path: Path, lines: str, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(lines.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=says):
        read_counts(path)


def test_real_facades_agree_with_their_table() -> None:
    folder = Path(__file__).parents[4] / "shared" / "data" / "facades"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data")
    from dilemma.data.facades import find_pairs, read_pairs

    table = read_facades(folder)
    pair = find_pairs(folder)[0]
    one = read_pairs([pair])
    number = table.images.index(pair[0].stem)
    own = table.image == number
    assert one.pixels.sum() == table.pixels[own].sum()
    assert sorted(zip(*one.bins.T.tolist(), one.label.tolist(), one.pixels.tolist(), strict=True)) == sorted(
        zip(*table.bins[own].T.tolist(), table.label[own].tolist(), table.pixels[own].tolist(), strict=True)
    )
