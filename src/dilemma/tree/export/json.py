"""A tree as JSON, and back: a model file that holds no code and is safe to open."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dilemma.tree.export import parts
from dilemma.tree.model import LEAF, MULTIWAY, NUMERIC, SUBSET, Feature, Tree

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

FORMAT = "dilemma-tree"
VERSION = 1
MAX_NODES = 10_000_000
_KINDS = {"leaf": LEAF, "numeric": NUMERIC, "subset": SUBSET, "multiway": MULTIWAY}
_NAMES = {value: name for name, value in _KINDS.items()}


def dumps(model: Any, *, indent: int | None = None) -> str:
    """The tree as JSON text.

    Parameters
    ----------
    model : fitted estimator or Tree
    indent : int, default=None

    Returns
    -------
    str
    """
    tree = parts.tree_of(model)
    classes = None if tree.classes is None else [parts.python_value(label) for label in tree.classes]
    nodes = []
    for node in range(tree.n_nodes):
        kind = int(tree.kind[node])
        entry: dict[str, Any] = {"kind": _NAMES[kind]}
        if kind != LEAF:
            entry["feature"] = int(tree.feature[node])
            entry["branches"] = [int(child) for child in tree.branches(node)]
            entry["missing"] = int(tree.missing[node])
        if kind == NUMERIC:
            entry["threshold"] = float(tree.threshold[node])
        if kind == SUBSET:
            entry["left"] = tree.left_codes(node)
        entry["value"] = [float(value) for value in tree.value[node]]
        if classes is not None:
            entry["label"] = int(tree.label[node])
        entry["rows"] = int(tree.n_rows[node])
        for name in ("weight", "impurity", "errors"):
            entry[name] = float(getattr(tree, name)[node])
        nodes.append(entry)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "task": "regression" if classes is None else "classification",
        "classes": classes,
        "features": [
            {"name": f.name, "categories": None if f.categories is None else list(f.categories)}
            for f in tree.features
        ],
        "energy": _finite(tree.energy),
        "bound": _finite(tree.bound),
        "optimal": tree.optimal,
        "nodes": nodes,
    }
    return json.dumps(document, indent=indent, allow_nan=False)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write the tree to a JSON file.

    Parameters
    ----------
    model : fitted estimator or Tree
    path : path-like
    """
    Path(path).write_text(dumps(model), encoding="utf-8")


def load(path: str | os.PathLike[str]) -> Tree:
    """Read a tree from a JSON file, which may come from anyone.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        The file is not a tree of this format, with the place that is wrong.
    """
    return loads(Path(path).read_text(encoding="utf-8"))


def loads(text: str) -> Tree:
    """Read a tree from JSON text; see `load`."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("not a tree file: JSON nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"not a tree file: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'not a tree file: expected a JSON object with "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise ValueError(
            f"tree file of version {document.get('version')!r}; this release reads version {VERSION}: "
            "update dilemma, or save the tree anew"
        )
    classes = _classes(document)
    features = tuple(_feature(entry, i) for i, entry in enumerate(_list(document, "features", "file")))
    entries = _list(document, "nodes", "file")
    if not 1 <= len(entries) <= MAX_NODES:
        raise ValueError(f"nodes: expected 1 to {MAX_NODES} nodes, got {len(entries)}")
    return _Reader(classes, features, entries).tree(document)


class _Reader:
    def __init__(
        self, classes: NDArray[Any] | None, features: tuple[Feature, ...], entries: list[Any]
    ) -> None:
        self.classes, self.features, self.entries = classes, features, entries
        self.n_outputs = 1 if classes is None else len(classes)

    def tree(self, document: dict[str, Any]) -> Tree:
        n = len(self.entries)
        kind = np.zeros(n, dtype=np.uint8)
        feature = np.full(n, -1, dtype=np.int32)
        threshold = np.full(n, np.nan)
        mask = np.zeros((n, 32), dtype=np.uint8)
        missing = np.full(n, -1, dtype=np.int32)
        label = np.full(n, -1, dtype=np.int32)
        value = np.zeros((n, self.n_outputs))
        plain = {name: np.zeros(n) for name in ("weight", "impurity", "errors")}
        n_rows = np.zeros(n, dtype=np.int64)
        branches: list[list[int]] = []
        parents = np.zeros(n, dtype=np.int64)
        for i, entry in enumerate(self.entries):
            where = f"nodes[{i}]"
            if not isinstance(entry, dict) or str(entry.get("kind")) not in _KINDS:
                raise ValueError(f"{where}: expected an object with a kind of {', '.join(_KINDS)}")
            kind[i] = _KINDS[entry["kind"]]
            numbers = _list(entry, "value", where)
            if len(numbers) != self.n_outputs:
                raise ValueError(f"{where}.value: expected {self.n_outputs} numbers, got {len(numbers)}")
            value[i] = [_number(number, f"{where}.value") for number in numbers]
            for name, column in plain.items():
                column[i] = _number(entry.get(name), f"{where}.{name}")
            n_rows[i] = _index(entry.get("rows"), 2**63, f"{where}.rows")
            if self.classes is not None:
                label[i] = _index(entry.get("label"), len(self.classes), f"{where}.label")
            if kind[i] == LEAF:
                branches.append([])
                continue
            feature[i] = _index(entry.get("feature"), len(self.features), f"{where}.feature")
            to = [_index(child, n, f"{where}.branches") for child in _list(entry, "branches", where)]
            missing[i] = _index(entry.get("missing"), n, f"{where}.missing")
            self.check_branches(i, int(kind[i]), int(feature[i]), to, int(missing[i]))
            if kind[i] == NUMERIC:
                threshold[i] = _number(entry.get("threshold"), f"{where}.threshold")
            elif kind[i] == SUBSET:
                n_codes = len(self.features[feature[i]].categories or ())
                for code in _list(entry, "left", where):
                    at = _index(code, n_codes, f"{where}.left")
                    mask[i, at // 8] |= 1 << (at % 8)
            branches.append(to)
            for child in {*to, int(missing[i])}:
                parents[child] += 1
        if parents[0] != 0 or (parents[1:] != 1).any():
            raise ValueError("nodes: expected a tree in which every node but the first has one parent")
        return Tree(
            kind=kind,
            feature=feature,
            threshold=threshold,
            mask=mask,
            missing=missing,
            branch_start=np.concatenate([[0], np.cumsum([len(to) for to in branches])]).astype(np.int32),
            branch=np.array([child for to in branches for child in to], dtype=np.int32),
            value=value,
            label=label,
            n_rows=n_rows,
            features=self.features,
            classes=self.classes,
            energy=_optional(document.get("energy"), math.nan, "energy"),
            bound=_optional(document.get("bound"), -math.inf, "bound"),
            optimal=document.get("optimal") is True,
            **plain,
        )

    def check_branches(self, node: int, kind: int, feature: int, to: list[int], missing: int) -> None:
        where = f"nodes[{node}]"
        categories = self.features[feature].categories
        if (kind == NUMERIC) != (categories is None):
            raise ValueError(f"{where}: a {_NAMES[kind]} split does not fit column {feature}")
        expected = 2 if kind != MULTIWAY else len(categories or ())
        if len(to) != expected or (kind != MULTIWAY and (to[0] == to[1] or missing not in to)):
            raise ValueError(
                f"{where}.branches: expected {expected} branches, and missing values on one of two"
            )
        # Children behind their parents: no walk can run in a circle.
        if min([*to, missing]) <= node:
            raise ValueError(f"{where}.branches: expected children after their parent")


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _optional(value: object, default: float, where: str) -> float:
    return default if value is None else _number(value, where)


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


def _list(entry: dict[str, Any], name: str, where: str) -> list[Any]:
    value = entry.get(name)
    if not isinstance(value, list):
        raise ValueError(f"{where}.{name}: expected a list, got {type(value).__name__}")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where}: expected a number, got {value!r:.80}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{where}: expected a finite number, got {value!r:.80}")
    return number


def _index(value: object, below: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise ValueError(f"{where}: expected an integer from 0 to {below - 1}, got {value!r:.80}")
    return value


def _labels(values: list[Any], where: str) -> None:
    kinds = {type(value) for value in values}
    if not values or len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise ValueError(f"{where}: expected labels of one type (string, integer, number or boolean)")
    if len(set(values)) != len(values):
        raise ValueError(f"{where}: expected labels that differ")
    if kinds == {int} and any(not -(2**63) <= value < 2**63 for value in values):
        raise ValueError(f"{where}: integer out of range")


def _classes(document: dict[str, Any]) -> NDArray[Any] | None:
    task = document.get("task")
    if task == "regression":
        return None
    if task != "classification":
        raise ValueError(f'task: expected "classification" or "regression", got {task!r:.80}')
    labels = _list(document, "classes", "file")
    _labels(labels, "classes")
    return np.array(labels)


def _feature(entry: object, i: int) -> Feature:
    where = f"features[{i}]"
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise ValueError(f"{where}: expected an object with a name")
    if entry.get("categories") is None:
        return Feature(entry["name"])
    labels = _list(entry, "categories", where)
    if len(labels) > 255:
        raise ValueError(f"{where}.categories: expected at most 255 labels, got {len(labels)}")
    if labels:
        _labels(labels, f"{where}.categories")
    if any(not isinstance(label, str | float) for label in labels):
        labels = [_number(label, f"{where}.categories") for label in labels]
    return Feature(entry["name"], tuple(labels))
