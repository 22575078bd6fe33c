"""TSPLIB files (``.tsp``, ``.vrp``): EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, GEO and EXPLICIT distances.

Source: G. Reinelt, "TSPLIB - a traveling salesman problem library", ORSA Journal on Computing 3 (1991).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from dilemma.problems.loaders import EXACT, as_number, read_text

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

MAX_CITIES = 10_000  # an n x n matrix of floats: 800 MB
KINDS = ("EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT", "GEO")
_SECTIONS = (
    "NODE_COORD_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DEMAND_SECTION",
    "DEPOT_SECTION",
    "DISPLAY_DATA_SECTION",
)


class Tsplib(NamedTuple):
    """What a TSPLIB file says; `demands` is empty and `capacity` 0 for a tour problem."""

    name: str
    distances: NDArray[np.float64]
    coordinates: NDArray[np.float64] | None
    capacity: float
    demands: NDArray[np.float64]
    depot: int


def distances(points: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """The distance matrix of coordinates under a TSPLIB rule; "EXACT_2D" is the unrounded Euclidean one.

    Examples
    --------
    >>> distances(np.array([[0.0, 0.0], [1.0, 1.0]]), "CEIL_2D")
    array([[0., 2.],
           [2., 0.]])
    """
    x, y = np.asarray(points, dtype=np.float64).reshape(-1, 2).T
    if kind == "GEO":
        return _geographic(x, y)
    dx, dy = np.abs(x[:, None] - x), np.abs(y[:, None] - y)
    if kind == "MAN_2D":
        result = np.floor(dx + dy + 0.5)
    elif kind == "MAX_2D":
        result = np.maximum(np.floor(dx + 0.5), np.floor(dy + 0.5))
    elif kind == "ATT":  # a tenth of the squared length, and never rounded down
        exact = np.sqrt((dx * dx + dy * dy) / 10.0)
        result = np.floor(exact + 0.5)
        result += result < exact
    else:
        exact = np.sqrt(dx * dx + dy * dy)
        rules = {"EUC_2D": np.floor(exact + 0.5), "CEIL_2D": np.ceil(exact), "EXACT_2D": exact}
        if kind not in rules:
            raise ValueError(f"kind: expected EXACT_2D or one of {', '.join(KINDS)}, got {kind!r}")
        result = rules[kind]
    return result


def _geographic(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Kilometres on TSPLIB's idealised Earth; coordinates are degrees.minutes."""

    def radians(value: NDArray[np.float64]) -> NDArray[np.float64]:
        degrees = np.trunc(value)
        return 3.141592 * (degrees + 5.0 * (value - degrees) / 3.0) / 180.0  # TSPLIB's own pi

    latitude, longitude = radians(x), radians(y)
    q1 = np.cos(longitude[:, None] - longitude)
    q2 = np.cos(latitude[:, None] - latitude)
    q3 = np.cos(latitude[:, None] + latitude)
    inside = np.clip(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3), -1.0, 1.0)
    result = np.floor(6378.388 * np.arccos(inside) + 1.0)
    np.fill_diagonal(result, 0.0)
    return result


def read_tsplib(path: str | PathLike[str]) -> Tsplib:
    """Read a ``.tsp`` or ``.vrp`` file; anything malformed is a ValueError that names file and line."""
    return _Reader(Path(path)).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = read_text(path).splitlines()
        self.at = 0
        self.header: dict[str, str] = {}
        self.sections: dict[str, list[tuple[int, list[float]]]] = {}

    def fail(self, expected: str, got: str, line: int | None = None) -> NoReturn:
        raise ValueError(f"{self.path}, line {line or max(self.at, 1)}: expected {expected}, got {got}")

    def read(self) -> Tsplib:
        self._split()
        n = self._dimension()
        kind = self.header.get("EDGE_WEIGHT_TYPE", "")
        coordinates = None
        if "NODE_COORD_SECTION" in self.sections:
            coordinates = self._by_node("NODE_COORD_SECTION", n, 2)
        if kind == "EXPLICIT":
            matrix = self._explicit(n)
        elif coordinates is None:
            self.fail("a NODE_COORD_SECTION or EDGE_WEIGHT_TYPE: EXPLICIT", "the end of the file")
        elif kind not in KINDS:
            self.fail(f"EDGE_WEIGHT_TYPE: EXPLICIT or one of {', '.join(KINDS)}", repr(kind[:40]))
        else:
            matrix = distances(coordinates, kind)
        np.fill_diagonal(matrix, 0.0)
        if (matrix != matrix.T).any() or (matrix < 0).any():
            self.fail("symmetric distances of at least 0", "others")
        capacity, demands, depot = self._vehicles(n)
        return Tsplib(self.header.get("NAME", self.path.stem), matrix, coordinates, capacity, demands, depot)

    def _split(self) -> None:
        """Sort the lines into header entries and sections of numbers."""
        section: str | None = None
        for line in self.lines:
            self.at += 1
            text = line.strip()
            word = text.split(":")[0].strip().upper()
            if not text:
                continue
            if word == "EOF":
                break
            if word in _SECTIONS:
                if word in self.sections:
                    self.fail("each section once", word)
                section = word
                self.sections[section] = []
            elif ":" in text:
                section = None
                self.header[word] = text.split(":", 1)[1].strip()
            elif section is None:
                self.fail("'KEY: VALUE' or a section's name", repr(text[:60]))
            else:
                values = [as_number(word) for word in text.split()]
                if not all(abs(v) <= EXACT for v in values):  # NaN fails too
                    self.fail("finite numbers", repr(text[:60]))
                self.sections[section].append((self.at, values))

    def _dimension(self) -> int:
        text = self.header.get("DIMENSION", "")
        if not (text.isdecimal() and 0 <= as_number(text) <= MAX_CITIES):
            self.fail(f"DIMENSION: a whole number up to {MAX_CITIES}", repr(text[:40]))
        return int(text)

    def _by_node(self, section: str, n: int, width: int) -> NDArray[np.float64]:
        """One line a node, `node value...`; every node from 1 to n exactly once."""
        result = np.full((n, width), np.nan)
        for line, values in self.sections[section]:
            node = values[0]
            if len(values) != width + 1 or node != int(node) or not 1 <= node <= n:
                self.fail(f"a node from 1 to {n} and {width} number(s)", f"{values}"[:60], line)
            if not np.isnan(result[int(node) - 1, 0]):
                self.fail("each node once", f"node {int(node)} again", line)
            result[int(node) - 1] = values[1:]
        if np.isnan(result).any():
            missing = int(np.flatnonzero(np.isnan(result[:, 0]))[0]) + 1
            self.fail(f"{n} nodes in {section}", f"no line for node {missing}")
        return result

    def _explicit(self, n: int) -> NDArray[np.float64]:
        form = self.header.get("EDGE_WEIGHT_FORMAT", "")
        values = [v for _, row in self.sections.get("EDGE_WEIGHT_SECTION", []) for v in row]
        if form == "FULL_MATRIX":
            self._exactly(values, n * n, form)
            return np.array(values).reshape(n, n)
        upper = form in ("UPPER_ROW", "UPPER_DIAG_ROW", "LOWER_COL", "LOWER_DIAG_COL")
        if not upper and form not in ("LOWER_ROW", "LOWER_DIAG_ROW", "UPPER_COL", "UPPER_DIAG_COL"):
            self.fail("EDGE_WEIGHT_FORMAT: FULL_MATRIX or an upper or lower triangle", repr(form[:40]))
        diagonal = "DIAG" in form
        self._exactly(values, n * (n - 1) // 2 + (n if diagonal else 0), form)
        result = np.zeros((n, n))
        places = (
            np.triu_indices(n, 0 if diagonal else 1) if upper else np.tril_indices(n, 0 if diagonal else -1)
        )
        result[places] = values
        return result + result.T - np.diag(result.diagonal())

    def _exactly(self, values: list[float], count: int, form: str) -> None:
        if len(values) != count:
            self.fail(f"{count} numbers in EDGE_WEIGHT_SECTION ({form})", f"{len(values)}")

    def _vehicles(self, n: int) -> tuple[float, NDArray[np.float64], int]:
        if "DEMAND_SECTION" not in self.sections:
            return 0.0, np.empty(0), 0
        text = self.header.get("CAPACITY", "")
        capacity = as_number(text)
        if not 0 <= capacity <= EXACT:
            self.fail("CAPACITY: a number of at least 0", repr(text[:40]))
        demands = self._by_node("DEMAND_SECTION", n, 1)[:, 0]
        depots = [v for _, row in self.sections.get("DEPOT_SECTION", []) for v in row if v != -1]
        if len(depots) > 1 or any(v != int(v) or not 1 <= v <= n for v in depots):
            self.fail(f"one depot, a node from 1 to {n}", f"{depots}"[:60])
        depot = int(depots[0]) - 1 if depots else 0
        served = np.delete(demands, depot) if n else demands
        if len(served) and not 0 <= served.min() <= served.max() <= capacity:
            self.fail(f"demands from 0 to the capacity {capacity:g}", f"{served.min():g} to {served.max():g}")
        return capacity, demands, depot
