"""Fetching with sums and mirrors over a server on this machine, importing, and the command line."""

import argparse
import functools
import gzip
import hashlib
import http.server
import struct
import threading
from pathlib import Path

import pytest

from dilemma.cli import data as command
from dilemma.data.fetch import cache_folder, fetch, import_local
from dilemma.data.packing import read_packing
from dilemma.data.sources import SOURCES, File, Source, source
from dilemma.errors import FormatError

pytest.importorskip("pooch")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path):
    (tmp_path / "served").mkdir()
    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield tmp_path / "served", f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()
        thread.join()


CONTENT = b"some bytes"
SOME = Source("mnist", "", (File("a.gz", "md5:" + hashlib.md5(CONTENT).hexdigest()),), (), "")


def test_downloads_once_and_checks_the_sum(server, tmp_path: Path) -> None:
    folder, url = server
    (folder / "a.gz").write_bytes(CONTENT)
    said: list[str] = []
    (path,) = fetch(SOME, tmp_path / "cache", mirrors=[url], say=said.append)
    assert path.read_bytes() == CONTENT
    (folder / "a.gz").unlink()
    fetch(SOME, tmp_path / "cache", mirrors=[url], say=said.append)
    assert said[-1] == "a.gz: already there"


def test_a_mirror_that_lacks_the_file_or_gives_another_is_passed_over(server, tmp_path: Path) -> None:
    folder, url = server
    (folder / "good").mkdir()
    (folder / "bad").mkdir()
    (folder / "good" / "a.gz").write_bytes(CONTENT)
    (folder / "bad" / "a.gz").write_bytes(b"an error page")
    mirrors = ["http://127.0.0.1:9/", f"{url}none/", f"{url}bad/", f"{url}good/"]
    (path,) = fetch(SOME, tmp_path / "cache", mirrors=mirrors)
    assert path.read_bytes() == CONTENT
    assert [p.name for p in path.parent.iterdir()] == ["a.gz"]


def test_offline_the_error_names_what_was_tried_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no mirror delivered") as caught:
        fetch(SOME, tmp_path, mirrors=["http://127.0.0.1:9/x/"])
    assert "http://127.0.0.1:9/x/a.gz" in str(caught.value)
    assert "dilemma data import mnist --from DIR" in str(caught.value)
    assert str(caught.value).endswith("Connection refused") or "refused" in str(caught.value)
    assert "Max retries" not in str(caught.value)
    assert not list((tmp_path / "mnist").iterdir())


def test_a_damaged_copy_in_the_cache_is_fetched_again(server, tmp_path: Path) -> None:
    folder, url = server
    (folder / "a.gz").write_bytes(CONTENT)
    (path,) = fetch(SOME, tmp_path / "cache", mirrors=[url])
    path.write_bytes(CONTENT[:3])
    fetch(SOME, tmp_path / "cache", mirrors=[url])
    assert path.read_bytes() == CONTENT


def test_a_copy_compressed_otherwise_or_not_at_all_is_the_same_file(server, tmp_path: Path) -> None:
    """Imported files that say the same are not fetched again: there may be no network."""
    folder, url = server
    packed = gzip.compress(CONTENT, 9)
    file = File("a.gz", f"md5:{hashlib.md5(packed).hexdigest()}", f"md5:{hashlib.md5(CONTENT).hexdigest()}")
    one = Source("mnist", "", (file,), (), "")
    for name, content in (("a.gz", gzip.compress(CONTENT, 1)), ("a", CONTENT)):
        cache = tmp_path / name / "cache"
        (cache / "mnist").mkdir(parents=True)
        (cache / "mnist" / name).write_bytes(content)
        assert fetch(one, cache, mirrors=[]) == [cache / "mnist" / name]
        (cache / "mnist" / name).write_bytes(b"another content")
        with pytest.raises(
            OSError, match=rf"What is in the cache \({name}\) is not the published file; it stays"
        ):
            fetch(one, cache, mirrors=[])
        assert (cache / "mnist" / name).is_file()
        (folder / "a.gz").write_bytes(packed)
        assert fetch(one, cache, mirrors=[url]) == [cache / "mnist" / "a.gz"]
        assert [p.name for p in (cache / "mnist").iterdir()] == ["a.gz"]  # nothing of what was wrong is read


def test_a_mirror_that_breaks_off_or_sends_rubbish_leaves_nothing_behind(tmp_path: Path) -> None:
    class Short(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"only this")

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Short) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        with pytest.raises(OSError, match="no mirror delivered"):
            fetch(SOME, tmp_path, mirrors=[f"http://127.0.0.1:{httpd.server_port}/"])
        httpd.shutdown()
        thread.join()
    assert not list((tmp_path / "mnist").iterdir())


def test_a_knapsack_is_known_by_what_it_says_not_by_its_layout(server, tmp_path: Path) -> None:
    folder, url = server
    (folder / "k").write_text("2 10\n5 3\n6 4\n")
    total = read_packing(folder / "k").digest()
    (folder / "k").write_bytes(b"2  10.0\r\n\r\n5 3\r\n6   4.0\r\n1 0\r\n")
    one = Source("knapsack", "", (File("k", f"instance:{total}"),), (), "")
    assert len(fetch(one, tmp_path / "cache", mirrors=[url])) == 1
    (folder / "k").write_text("2 10\n5 3\n6 5\n")
    with pytest.raises(OSError, match="no mirror delivered"):
        fetch(one, tmp_path / "other", mirrors=[url])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty file"),
        ("x 3\n", "line 1: expected n and the capacity"),
        ("3 10\n1 2\n3 4\n", "truncated: expected 3 items after line 1, got 2"),
        ("2 10\n1 2\n\n3\n", "line 4: expected a profit and a weight"),
        ("1 10\n1 nan\n", "line 2"),
        ("1 10\n1 1e400\n", "line 2"),
        ("1 10\n-1 1\n", "line 2: expected numbers of at least 0"),
        ("-1 10\n", "number of items"),
        ("99999999999 1\n", "number of items"),
        ("1 -5\n1 1\n", "capacity of at least 0"),
        ("\xff", "binary data"),
    ],
)
def test_a_broken_knapsack_file_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "k.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=says):
        read_packing(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("knapPI_1", "2\n1 5 3\n2 6 4\n10\n"),
        ("knapPI_1.csv", "knapPI_1\nn 2\nc 10\nz 0\ntime 0.00\n1,5,3,0\n2,6,4,0\n-----\n"),
        ("ks_1.csv", "# capacity: 10\nvalue,weight\n5,3\n6,4\n"),
        ("ks_1.json", '{"capacity": 10, "values": [5, 6], "weights": [3, 4]}'),
        ("ks_1", "2 10\n5 3\n6 4\n"),
    ],
)
def test_a_knapsack_is_the_same_in_any_of_the_usual_formats(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = read_packing(tmp_path / name)
    assert (found.values, found.weights, found.capacity) == ([5, 6], [3, 4], 10)
    assert len(import_local(source("knapsack"), tmp_path, tmp_path / "cache")) == 1


def test_every_source_is_whole() -> None:
    for name, one in SOURCES.items():
        assert source(name) is one
        assert bool(one.files) == bool(one.mirrors)
        assert one.files or one.note
        assert all(file.sum.split(":")[0] in {"md5", "sha256", "instance"} for file in one.files)
    with pytest.raises(ValueError, match="expected one of mnist"):
        source("cifar")


def digits(folder: Path, fill: int = 0) -> None:
    for name, shape in (
        ("train-images-idx3-ubyte", (2, 2, 2)), ("train-labels-idx1-ubyte", (2,)),
        ("t10k-images-idx3-ubyte", (1, 2, 2)), ("t10k-labels-idx1-ubyte", (1,)),
    ):  # fmt: skip
        size = 1
        for n in shape:
            size *= n
        body = (
            struct.pack(">BBBB", 0, 0, 8, len(shape))
            + struct.pack(f">{len(shape)}I", *shape)
            + bytes([fill]) * size
        )
        (folder / f"{name}.gz").write_bytes(gzip.compress(body))


def test_import_reads_everything_before_it_copies_anything(tmp_path: Path) -> None:
    digits(tmp_path)
    assert len(import_local(source("mnist"), tmp_path, tmp_path / "cache")) == 4
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"junk")
    with pytest.raises(FormatError, match="idx file"):
        import_local(source("mnist"), tmp_path, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_import_takes_the_set_it_was_asked_for_and_whole(tmp_path: Path) -> None:
    """Of several sets below a folder the one of that name, and never files of two of them."""
    for number, name in enumerate(("fashion-mnist", "mnist", "zzz")):
        (tmp_path / name).mkdir()
        digits(tmp_path / name, fill=number)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(b"a stray file")
    cache = tmp_path / "cache"
    for number, name in enumerate(("fashion-mnist", "mnist")):
        paths = import_local(source(name), tmp_path, cache)
        assert [p.parent for p in paths] == [cache / name] * 4
        assert all(gzip.decompress(p.read_bytes()).endswith(bytes([number])) for p in paths)


def test_import_says_which_files_are_not_the_published_ones(tmp_path: Path) -> None:
    digits(tmp_path)
    said: list[str] = []
    import_local(source("mnist"), tmp_path, tmp_path / "cache", say=said.append)
    assert len(said) == 4
    assert said[0] == "train-images-idx3-ubyte.gz: readable, but not the published file"


def test_an_older_copy_compressed_otherwise_does_not_outlive_an_import(tmp_path: Path) -> None:
    digits(tmp_path)
    cache = tmp_path / "cache"
    (cache / "mnist").mkdir(parents=True)
    (cache / "mnist" / "train-images-idx3-ubyte").write_bytes(b"old")
    assert len(import_local(source("mnist"), tmp_path, cache)) == 4
    assert sorted(p.suffix for p in (cache / "mnist").iterdir()) == [".gz"] * 4


def test_two_files_of_one_name_are_refused_unless_they_are_the_same(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ks_1").write_text("1 5\n3 2\n")
    assert len(import_local(source("knapsack"), tmp_path, tmp_path / "cache")) == 1
    (tmp_path / "b" / "ks_1").write_text("1 5\n3 3\n")
    with pytest.raises(FormatError, match="with the same name; rename one of them"):
        import_local(source("knapsack"), tmp_path, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_importing_the_cache_into_itself_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    digits(tmp_path / "mnist")
    assert len(import_local(source("mnist"), tmp_path, tmp_path)) == 4
    assert len(list((tmp_path / "mnist").iterdir())) == 4


@pytest.mark.parametrize("name", ["mnist", "knapsack", "ecp2011"])
def test_a_folder_without_the_set_says_what_was_looked_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(FileNotFoundError, match="at or below this folder"):
        import_local(source(name), tmp_path, tmp_path / "cache")


def call(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["data", *argv])
    return args.func(args)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    digits(tmp_path)
    monkeypatch.setenv("DILEMMA_DATA", str(tmp_path / "cache"))
    assert cache_folder() == tmp_path / "cache"
    assert call("import", "mnist", "--from", str(tmp_path)) == 0
    assert call("fetch", "fashion-mnist", "--from", str(tmp_path)) == 0
    assert call("list") == 0
    out = capsys.readouterr().out
    assert "mnist: 4 files in" in out
    assert "in the cache: t10k-images-idx3-ubyte.gz" in out
    with pytest.raises(OSError, match="dilemma data import ecp2011 --from DIR"):
        call("fetch", "ecp2011")
    with pytest.raises(ValueError, match="expected one of mnist"):
        call("fetch", "nothing")
    with pytest.raises(FileNotFoundError, match="expected a folder"):
        call("import", "knapsack", "--from", str(tmp_path / "missing"))
