"""A tree in other forms: text, pictures, rules, SQL, C, Python, scikit-learn and JSON."""

from dilemma.tree.export.graphviz import export_graphviz
from dilemma.tree.export.json import dumps, load, loads, save
from dilemma.tree.export.source import export_c, export_python
from dilemma.tree.export.sql import export_sql
from dilemma.tree.export.text import export_rules, export_text

__all__ = [
    "dumps",
    "export_c",
    "export_graphviz",
    "export_python",
    "export_rules",
    "export_sql",
    "export_text",
    "load",
    "loads",
    "save",
]
