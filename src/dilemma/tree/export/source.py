"""A tree as a function in Python or C, with no dependency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dilemma.tree.export import parts
from dilemma.tree.grown import EVERY_NUMBER
from dilemma.tree.model import LEAF

if TYPE_CHECKING:
    from dilemma.tree.model import Tree


def export_python(model: Any, *, function: str = "predict", feature_names: Any = None) -> str:
    """The tree as a Python function of one row.

    The row is a sequence of values in column order; None and NaN are missing. The function answers the
    class label or the mean.

    Parameters
    ----------
    model : fitted estimator or Tree
    function : str, default="predict"
        Name of the function.
    feature_names : sequence of str, default=None
        Names for the comments.

    Returns
    -------
    str
        Python source.
    """
    if not function.isidentifier():
        raise ValueError(f"function: expected a name, got {function!r}")
    tree = parts.tree_of(model)
    names = [ascii(name) for name in parts.names_of(tree, feature_names)]
    lines = [
        f"def {function}(row):",
        '    """Predict one row: values in column order, None or NaN for missing."""',
        '    x = [float("nan") if v is None else v if isinstance(v, str) else float(v) for v in row]',
        f"    if len(x) != {len(names)}:",
        f'        raise ValueError(f"expected {len(names)} values, got {{len(x)}}")',
    ]
    _python(tree, 0, names, "    ", lines)
    return "\n".join(lines) + "\n"


def _python(tree: Tree, node: int, names: list[str], indent: str, lines: list[str]) -> None:
    if tree.kind[node] == LEAF:
        value = float(tree.value[node, 0]) if tree.classes is None else tree.classes[tree.label[node]]
        lines.append(f"{indent}return {parts.python_value(value)!r}")
        return
    feature = int(tree.feature[node])
    x = f"x[{feature}]"
    word = "if"
    sides = parts.sides(tree, node)
    for side in [side for side in sides if not side.missing]:
        if side.labels is None:
            # A comparison with NaN fails, so what is missing falls through to the last side.
            test = f"{x} {'<=' if side.below else '>'} {float(tree.threshold[node])!r}"
            if tree.threshold[node] == EVERY_NUMBER and not side.below:
                test = f"{x} != {x}"
        elif side.labels:
            test = f"{x} in {{{', '.join(repr(label) for label in side.labels)}}}"
        else:
            continue
        lines.append(f"{indent}{word} {test}:" + (f"  # {names[feature]}" if word == "if" else ""))
        _python(tree, side.child, names, indent + "    ", lines)
        word = "elif"
    lost = next(side for side in sides if side.missing)
    if word == "if":
        _python(tree, lost.child, names, indent, lines)
        return
    lines.append(f"{indent}else:")
    _python(tree, lost.child, names, indent + "    ", lines)


def export_c(model: Any, *, function: str = "predict", feature_names: Any = None) -> str:
    """The tree as a C99 function of one row of doubles.

    ``int predict(const double *x)`` answers the index of the class in ``predict_classes``, or
    ``double predict(const double *x)`` the mean. NAN means missing. A column of labels holds what
    ``predict_code_J`` answers for the label of column J (NAN for a label not seen in training).

    Parameters
    ----------
    model : fitted estimator or Tree
    function : str, default="predict"
        Name of the function, and the beginning of the other names.
    feature_names : sequence of str, default=None
        Names for the comments.

    Returns
    -------
    str
        C source, plain ASCII.
    """
    if not (function.isidentifier() and function.isascii()):
        raise ValueError(f"function: expected a C name, got {function!r}")
    tree = parts.tree_of(model)
    names = [_c_comment(name) for name in parts.names_of(tree, feature_names)]
    lines = ["#include <math.h>", "#include <string.h>", ""]
    if tree.classes is not None:
        texts = ", ".join(_c_string(str(label)) for label in tree.classes)
        lines += [f"const char *const {function}_classes[] = {{{texts}}};", ""]
    for j in tree.used:
        categories = tree.features[j].categories
        if categories is None:
            continue
        strings = not categories or isinstance(categories[0], str)
        kind = "const char *label" if strings else "double label"
        lines.append(f"/* {names[j]} */")
        lines.append(f"double {function}_code_{j}({kind}) {{")
        for code, label in enumerate(categories):
            test = (
                f"strcmp(label, {_c_string(label)}) == 0" if isinstance(label, str) else f"label == {label!r}"
            )
            lines.append(f"  if ({test}) return {code};")
        lines += ["  return NAN;", "}", ""]
    result = "double" if tree.classes is None else "int"
    lines.append(f"{result} {function}(const double *x) {{")
    _c(tree, 0, names, "  ", lines)
    lines += ["}"]
    return "\n".join(lines) + "\n"


def _c(tree: Tree, node: int, names: list[str], indent: str, lines: list[str]) -> None:
    if tree.kind[node] == LEAF:
        value = repr(float(tree.value[node, 0])) if tree.classes is None else str(int(tree.label[node]))
        lines.append(f"{indent}return {value};")
        return
    feature = int(tree.feature[node])
    x = f"x[{feature}]"
    sides = parts.sides(tree, node)
    lost = next(side for side in sides if side.missing)
    comment = f"  /* {names[feature]} */"
    index = {label: code for code, label in enumerate(tree.features[feature].categories or ())}
    lead = ""
    for side in [side for side in sides if not side.missing]:
        if side.labels is None:
            test = f"{x} {'<=' if side.below else '>'} {float(tree.threshold[node])!r}"
            if tree.threshold[node] == EVERY_NUMBER and not side.below:
                test = f"isnan({x})"
        elif side.labels:
            test = " || ".join(f"{x} == {index[label]}" for label in side.labels)
        else:
            continue
        lines.append(f"{indent}{lead}if ({test}) {{{comment}")
        _c(tree, side.child, names, indent + "  ", lines)
        lead, comment = "} else ", ""
    if not lead:
        _c(tree, lost.child, names, indent, lines)
        return
    lines.append(f"{indent}}} else {{")
    _c(tree, lost.child, names, indent + "  ", lines)
    lines.append(f"{indent}}}")


def _c_comment(text: str) -> str:
    # No trigraph, no end of comment, no line splice can come out of a name.
    return ascii(text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").replace("\\", "|")


def _c_string(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"label {text!r} holds a NUL character, which a C string cannot hold")
    out = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out.append(chr(byte) if plain else f"\\{byte:03o}")  # octal escapes end after three digits
    return '"' + "".join(out) + '"'
