"""Decision trees: the most accurate small tree for any budget of time or iterations.

`DilemmaTreeClassifier` and `DilemmaTreeRegressor` are scikit-learn estimators and need scikit-learn;
`load` reads a tree saved as JSON and predicts with NumPy alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dilemma.tree.classifier import DilemmaTreeClassifier
    from dilemma.tree.estimator import Progress
    from dilemma.tree.export.convert import to_sklearn
    from dilemma.tree.export.graphviz import export_graphviz
    from dilemma.tree.export.json import dumps, load, loads, save
    from dilemma.tree.export.plot import plot_tree
    from dilemma.tree.export.source import export_c, export_python
    from dilemma.tree.export.sql import export_sql
    from dilemma.tree.export.text import export_rules, export_text
    from dilemma.tree.model import Feature, Tree
    from dilemma.tree.pruning import prune
    from dilemma.tree.regressor import DilemmaTreeRegressor

# Imported when first used: scikit-learn takes a second, and may not be there at all.
_WHERE = {
    "DilemmaTreeClassifier": "classifier",
    "DilemmaTreeRegressor": "regressor",
    "Feature": "model",
    "Progress": "estimator",
    "Tree": "model",
    "dumps": "export.json",
    "export_c": "export.source",
    "export_graphviz": "export.graphviz",
    "export_python": "export.source",
    "export_rules": "export.text",
    "export_sql": "export.sql",
    "export_text": "export.text",
    "load": "export.json",
    "loads": "export.json",
    "plot_tree": "export.plot",
    "prune": "pruning",
    "save": "export.json",
    "to_sklearn": "export.convert",
}

_NEED_SKLEARN = {"classifier", "estimator", "regressor"}

__all__ = [
    "DilemmaTreeClassifier",
    "DilemmaTreeRegressor",
    "Feature",
    "Progress",
    "Tree",
    "dumps",
    "export_c",
    "export_graphviz",
    "export_python",
    "export_rules",
    "export_sql",
    "export_text",
    "load",
    "loads",
    "plot_tree",
    "prune",
    "save",
    "to_sklearn",
]


def __getattr__(name: str) -> object:
    if name in _WHERE:
        if _WHERE[name] in _NEED_SKLEARN:
            import_module("dilemma.tree.compat")  # says what to do where scikit-learn is missing
        return getattr(import_module(f"dilemma.tree.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
