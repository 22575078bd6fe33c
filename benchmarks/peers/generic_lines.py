"""How many lines of code a user of each tool writes, counted without blank lines, comments and documentation."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from generic_families import FAMILIES, drawn

HERE = Path(__file__).resolve().parent


def code_lines() -> dict[str, dict[str, int]]:
    """Return how many lines of code a user writes: per tool and family, and in common for all families.

    Counted without blank lines, comments and documentation. For dilemma: the bodies of the four methods.
    """
    decoders = _definitions(HERE / "generic_decoders.py")
    camel = {family: "".join(word.title() for word in family.split("_")) for family in FAMILIES}
    alns = {**camel, "multi_knapsack": "Knapsack"}
    counts: dict[str, dict[str, int]] = {}
    for tool in ("simanneal", "deap", "pymoo"):
        own = sum(_definitions(HERE / f"generic_{tool}.py").values())
        counts[tool] = {f: decoders[camel[f]] for f in FAMILIES} | {"in common": own}
    for tool, names in (
        ("alns", alns),
        ("didppy", dict.fromkeys(FAMILIES)),
        ("cpsat", dict.fromkeys(FAMILIES)),
    ):
        found = _definitions(HERE / f"generic_{tool}.py")
        per = {f: found[name or f] for f, name in names.items()}
        counts[tool] = per | {
            "in common": sum(found.values()) - sum({names[f] or f: n for f, n in per.items()}.values())
        }
    for tool in ("mcts", "treesearch"):
        counts[tool] = {"in common": sum(_definitions(HERE / f"generic_{tool}.py").values())}
    counts["dilemma"] = {f: _four_methods(f) for f in FAMILIES}
    return counts


def _definitions(path: Path) -> dict[str, int]:
    source = path.read_text()
    tree = ast.parse(source)
    return {
        node.name: _size(node, source.splitlines())
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }


def _size(node: ast.stmt, lines: list[str]) -> int:
    """Lines with code: no blanks, no comments, no documentation."""
    silent: set[int] = set()
    for inner in ast.walk(node):
        if (
            isinstance(inner, ast.Expr)
            and isinstance(inner.value, ast.Constant)
            and isinstance(inner.value.value, str)
        ):
            silent.update(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
    span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return sum(
        n not in silent and not lines[n - 1].strip().startswith("#") and bool(lines[n - 1].strip())
        for n in span
    )


def _four_methods(family: str) -> int:
    cls = type(FAMILIES[family].problem(drawn(family, 6, 1)))
    source = Path(inspect.getsourcefile(cls) or "").read_text()
    body = next(
        n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ClassDef) and n.name == cls.__name__
    )
    return sum(
        _size(n, source.splitlines())
        for n in body.body
        if isinstance(n, ast.FunctionDef) and n.name in ("initial", "actions", "apply", "energy")
    )
