"""The README does what it says: its Python runs, in order, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def blocks(text):
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_python_blocks_run_and_print_what_they_claim(capsys):
    pytest.importorskip("sklearn")
    text = README.read_text(encoding="utf-8")
    space = {"__name__": "readme"}
    for block in blocks(text):
        exec(compile(block, "README.md", "exec"), space)
    printed = capsys.readouterr().out
    assert re.search(r"```text\n(.*?)\n```", text, flags=re.DOTALL).group(1).splitlines()[0] in printed
    assert "[1 2] 220 160 True" in printed
    greedy, now = map(int, re.search(r"greedy (\d+), now (\d+)", printed).groups())
    assert now < greedy
    ours, cart = map(float, re.search(r"accuracy: ([\d.]+), CART ([\d.]+)", printed).groups())
    assert ours > cart
