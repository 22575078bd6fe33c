"""Fetching data sets into a cache, and importing local copies: nothing is kept that fails its check."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from dilemma.data.facades import find_pairs, read_counts, read_pairs
from dilemma.data.files import read_bytes
from dilemma.data.idx import read_mnist, set_paths
from dilemma.data.packing import read_packing
from dilemma.data.sources import File, Source
from dilemma.errors import FormatError

TIMEOUT = 30.0
Say = Callable[[str], None]


def cache_folder() -> Path:
    """Return where data sets are kept: ``$DILEMMA_DATA``, or the user's cache folder."""
    own = os.environ.get("DILEMMA_DATA")
    if own:
        return Path(own)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "dilemma" / "data"


def check(path: Path, file: File) -> None:
    """Raise a `FormatError` unless a file, or what is in it once decompressed, adds up to what it should."""
    kind, _, wanted = file.sum.partition(":")
    if kind == "instance":
        found = read_packing(path).digest()
    else:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, kind).hexdigest()
    if found == wanted:
        return
    if file.content:
        inner, _, content = file.content.partition(":")
        if hashlib.new(inner, read_bytes(path)).hexdigest() == content:
            return
    raise FormatError(f"{path}: expected {kind} {wanted}, got {found}; another version, or damaged")


def twin(path: Path) -> Path:
    """Return the name a file has with or without ``.gz``, whichever it is not."""
    return path.with_suffix("") if path.suffix == ".gz" else path.with_name(f"{path.name}.gz")


def fetch(
    source: Source, folder: Path, *, mirrors: Iterable[str] | None = None, say: Say = lambda line: None
) -> list[Path]:
    """Download what is missing of a data set, from the first mirror that has it, and return its files.

    Raises
    ------
    ImportError
        If pooch is not installed.
    OSError
        If no mirror delivered: usually there is no network.
    """
    if not source.files:
        raise OSError(f"{source.name}: {source.note}")
    target = folder / source.name
    addresses = tuple(source.mirrors if mirrors is None else mirrors)
    paths = []
    for file in source.files:
        own = target / file.name
        path = next((p for p in (own, twin(own)) if p.is_file() and _good(p, file)), None)
        if path is not None:
            say(f"{path.name}: already there")
        else:
            _download(source, file, own, addresses, say)
            twin(own).unlink(missing_ok=True)  # what was there in its stead is not what it should be
        paths.append(path or own)
    return paths


def _good(path: Path, file: File) -> bool:
    try:
        check(path, file)
    except FormatError:
        return False
    return True


def _download(source: Source, file: File, path: Path, mirrors: tuple[str, ...], say: Say) -> None:
    try:
        import pooch
    except ImportError:
        raise ImportError(
            "fetching data needs pooch: pip install 'dilemma[data]'; local copies need nothing: "
            f"dilemma data import {source.name} --from DIR"
        ) from None
    pooch.get_logger().setLevel("ERROR")
    path.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    for mirror in mirrors:
        url = mirror + file.name
        say(f"{file.name}: from {mirror}")
        part = path.with_name(path.name + ".part")
        try:
            pooch.retrieve(
                url,
                known_hash=None,
                fname=part.name,
                path=part.parent,
                downloader=pooch.HTTPDownloader(timeout=TIMEOUT),
            )
            check(part, file)
            part.replace(path)
            return
        except (OSError, ValueError) as error:  # requests' errors are OSErrors, a wrong sum a FormatError
            failures.append(f"  {url}: {_reason(error)}")
        finally:
            part.unlink(missing_ok=True)
    there = [p.name for p in (path, twin(path)) if p.is_file()]
    kept = f" What is in the cache ({', '.join(there)}) is not the published file; it stays." if there else ""
    raise OSError(
        f"{source.name}: no mirror delivered {file.name}. Without a network, bring the files to this machine by "
        f"other means and say: dilemma data import {source.name} --from DIR.{kept} Tried:\n"
        + "\n".join(failures)
    )


def _reason(error: Exception) -> str:
    """Return what went wrong, without the wrapping of the libraries below."""
    inner = getattr(error.args[0], "reason", None) if error.args else None
    text = str(error if inner is None else inner)
    return f"{type(error).__name__}: {text.rpartition(': ')[2] if inner is not None else text}"[:300]


def import_local(source: Source, origin: Path, folder: Path, *, say: Say = lambda line: None) -> list[Path]:
    """Copy a data set from a local folder into the cache after reading all of it, and return the copies.

    Raises
    ------
    FileNotFoundError
        If it is not at or below `origin`.
    FormatError
        If a file is not what it should be, or two of one name differ; then nothing is copied.
    """
    if not origin.is_dir():
        raise FileNotFoundError(f"--from: expected a folder, got {origin}")
    found = _distinct(_IMPORTERS[source.name](source, origin))
    known = {name: file for file in source.files for name in (file.name, twin(Path(file.name)).name)}
    for path in found:
        if path.name in known and not _good(path, known[path.name]):
            say(f"{path.name}: readable, but not the published file")
    target = folder / source.name
    target.mkdir(parents=True, exist_ok=True)
    copies = []
    for path in found:
        copy = target / path.name
        if copy.resolve() != path.resolve():
            part = copy.with_name(copy.name + ".part")
            try:
                shutil.copyfile(path, part)
                part.replace(copy)
            finally:
                part.unlink(missing_ok=True)
        if path.name in known and not twin(path).is_file():  # an older copy, compressed otherwise
            twin(copy).unlink(missing_ok=True)
        copies.append(copy)
    return copies


def _distinct(paths: list[Path]) -> list[Path]:
    """Return the files, each name once; the cache is one folder.

    Raises
    ------
    FormatError
        If two files of one name differ.
    """
    held: dict[str, Path] = {}
    for path in paths:
        other = held.setdefault(path.name, path)
        if other != path and other.read_bytes() != path.read_bytes():
            raise FormatError(f"{path}: another file than {other}, with the same name; rename one of them")
    return list(held.values())


def _digits(source: Source, origin: Path) -> list[Path]:
    read_mnist(origin, source.name)
    return set_paths(origin, source.name)


def _facades(source: Source, origin: Path) -> list[Path]:
    tables = sorted(origin.rglob("*rgb10_counts.csv*"))
    pairs = find_pairs(origin)
    if not tables and not pairs:
        raise FileNotFoundError(f"{origin}: no facades at or below this folder; expected {source.imports}")
    for table in tables:
        read_counts(table)
    if pairs:
        read_pairs(pairs)
    return [*tables, *(path for pair in pairs for path in pair)]


def _packings(source: Source, origin: Path) -> list[Path]:
    wanted = [p for p in sorted(origin.rglob("*")) if p.is_file() and p.name.startswith(("knapPI_", "ks_"))]
    if not wanted:
        raise FileNotFoundError(
            f"{origin}: no file named knapPI_* or ks_* at or below this folder; expected {source.imports}"
        )
    for path in wanted:
        read_packing(path)
    return wanted


_IMPORTERS: dict[str, Callable[[Source, Path], list[Path]]] = {
    "mnist": _digits,
    "fashion-mnist": _digits,
    "knapsack": _packings,
    "ecp2011": _facades,
}
