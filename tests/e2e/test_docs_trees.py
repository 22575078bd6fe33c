"""The trees page does what it says: its Python runs, in order, and prints sensible answers."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_examples_of_the_trees_page_run_in_order(capsys, monkeypatch, tmp_path):
    for needed in ("sklearn", "pandas", "matplotlib"):
        pytest.importorskip(needed)
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
    space = {"__name__": "trees"}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, "docs/trees.md", "exec"), space)
    printed = capsys.readouterr().out
    assert space["model"].score(space["X_new"], space["y_new"]) > 0.85
    assert "CASE" in printed
    assert "or missing" in printed
    assert (tmp_path / "tree.json").exists()
    before, after = map(float, re.search(r"([\d.]+) -> ([\d.]+)\n", printed).groups())
    assert after <= before
