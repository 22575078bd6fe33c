"""A tree as one SQL expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dilemma.tree.export import parts
from dilemma.tree.grown import EVERY_NUMBER
from dilemma.tree.model import LEAF

if TYPE_CHECKING:
    from dilemma.tree.model import Tree

EXACT_INTEGERS = 2.0**53  # smaller ones are doubles as they are


def export_sql(model: Any, *, feature_names: Any = None, table: str | None = None) -> str:
    """The tree as a standard SQL ``CASE`` expression, or a query over `table`.

    Names and strings are quoted as standard SQL asks (``"name"``, ``'text'``, quotes doubled): set
    ``ANSI_QUOTES`` and ``NO_BACKSLASH_ESCAPES`` on MySQL. NULL means missing. Numbers are written in full,
    so that a double-precision column is split exactly as in training. Boolean columns are compared as 0 and 1.

    Parameters
    ----------
    model : fitted estimator or Tree
    feature_names : sequence of str, default=None
        Names of the database columns, when they differ from those the tree knows.
    table : str, default=None
        Write ``SELECT *, CASE ... END AS prediction FROM table``.

    Returns
    -------
    str
    """
    tree = parts.tree_of(model)
    names = [_identifier(name) for name in parts.names_of(tree, feature_names)]
    expression = _node(tree, 0, names, "")
    if table is None:
        return expression + "\n"
    return f"SELECT *, {expression} AS prediction\nFROM {_identifier(table)}\n"


def _node(tree: Tree, node: int, names: list[str], indent: str) -> str:
    if tree.kind[node] == LEAF:
        if tree.classes is None:
            return _literal(float(tree.value[node, 0]))
        return _literal(parts.python_value(tree.classes[tree.label[node]]))
    name = names[tree.feature[node]]
    deeper = indent + "  "
    lines = ["CASE"]
    sides = parts.sides(tree, node)
    # The side that takes what is missing comes last, as ELSE: NULL fails every comparison, and no subtree
    # has to be written twice.
    for side in [side for side in sides if not side.missing]:
        if side.labels is None:
            if tree.threshold[node] == EVERY_NUMBER:
                test = f"{name} IS NOT NULL" if side.below else f"{name} IS NULL"
            else:
                threshold = float(tree.threshold[node])
                # Integers this large were rounded to doubles when the tree was grown.
                value = name if abs(threshold) < EXACT_INTEGERS else f"CAST({name} AS DOUBLE PRECISION)"
                test = f"{value} {'<=' if side.below else '>'} {_literal(threshold)}"
        elif side.labels:
            test = f"{name} IN ({', '.join(_literal(label) for label in side.labels)})"
        else:
            continue
        lines.append(f"{deeper}WHEN {test} THEN {_node(tree, side.child, names, deeper)}")
    lost = next(side for side in sides if side.missing)
    if len(lines) == 1:
        return _node(tree, lost.child, names, indent)
    lines.append(f"{deeper}ELSE {_node(tree, lost.child, names, deeper)}")
    return "\n".join([*lines, f"{indent}END"])


def _identifier(name: str) -> str:
    if "\0" in name:
        raise ValueError(f"column name {name!r} holds a NUL character, which SQL cannot quote")
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return parts.number(value) if abs(value) < 1e15 else repr(value)
    if "\0" in value:
        raise ValueError(f"label {value!r} holds a NUL character, which SQL cannot quote")
    return "'" + str(value).replace("'", "''") + "'"
