"""The gallery's page names every class, and says rightly what each has."""

from __future__ import annotations

import re
from pathlib import Path

from dilemma import problems as gallery

PAGE = Path(__file__).resolve().parents[3] / "docs" / "gallery.md"


def test_the_table_names_every_class_and_whether_its_order_matters():
    rows = re.findall(r"^\| `(\w+)` \|.*\| (yes|no) \|.*\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    public = {name for name in gallery.__all__ if name != "Knapsack"}
    assert {name for name, _ in rows} == public
    for name, free in rows:
        assert (free == "yes") is bool(getattr(getattr(gallery, name), "commutative", False))


def test_the_page_says_rightly_who_has_a_key_and_who_is_related():
    keyed = {name for name in gallery.__all__ if hasattr(getattr(gallery, name), "key")} - {"Knapsack"}
    assert keyed == {"SetCover", "JobShop", "BinPacking", "Tardiness"}
    unrelated = {name for name in gallery.__all__ if not hasattr(getattr(gallery, name), "related")}
    assert unrelated - {"Knapsack"} == {"MultiKnapsack", "JobShop"}
