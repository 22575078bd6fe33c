"""docs/paper.md and docs/theory.md say what the code, the tests and the committed run say."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RUN = DOCS / "reproduction"
PAPER = (DOCS / "paper.md").read_text(encoding="utf-8")
THEORY = (DOCS / "theory.md").read_text(encoding="utf-8").replace("−", "-")

pytestmark = pytest.mark.skipif(not RUN.is_dir(), reason="needs docs/reproduction")


def content(name: str) -> Any:
    return json.loads((RUN / name).read_text(encoding="utf-8"))


def test_every_verdict_is_told_as_it_was_found_and_none_is_left_out() -> None:
    found = {claim["key"]: claim["verdict"] for claim in content("claims.json")["claims"]}
    told = dict(
        (key, verdict)
        for verdict, key in re.findall(r"\[([\w ]+)\]\(reproduction/index\.html#([\w-]+)\)", PAPER)
    )
    assert told == found


@pytest.mark.parametrize("key", [
    "anytime", "first-iteration", "table-1", "figure-3", "knapsack-improves", "knapsack-mean", "knapsack-best",
    "tree-mean", "tree-all", "tree-fraction", "reduction-mnist", "reduction-ecp2011", "constant", "100-ms", "queue",
])  # fmt: skip
def test_the_numbers_of_a_claim_are_told_as_they_were_measured(key: str) -> None:
    (claim,) = [claim for claim in content("claims.json")["claims"] if claim["key"] == key]
    assert claim["because"].split(" Cases in which")[0] in PAPER


def test_what_lies_beyond_the_paper_is_told_as_it_was_measured() -> None:
    beyond = content("claims.json")["beyond"]
    rows = {(r["data"], r["tree"]): r for r in beyond["Decision trees"]}
    for (data, tree), own in rows.items():
        if data == "mnist.validation":
            other = rows["ecp2011.channels-validation", tree]
            shares = f"{own['test_error_%']:.2f} % | {other['test_error_%']:.2f} %"
            assert f"| {tree} | {own['after']} | {shares} |" in PAPER
    found: dict[str, list[bool]] = {}
    for r in beyond["Knapsacks"]:
        search = re.sub(
            r"the best of \d+$", "the best of its runs", r["search"].removesuffix(", proved optimal")
        )
        found.setdefault(search, []).append(r["below_the_optimum_%"] == 0)
    for search, hits in found.items():
        assert f"| {search} | {sum(hits)} of {len(hits)} |" in PAPER


def test_the_committed_run_is_a_full_one_on_real_data() -> None:
    claims = content("claims.json")
    assert claims["quick"] is False
    assert all(row["real"] for row in claims["data"])
    assert "cannot be tested" not in {claim["verdict"] for claim in claims["claims"]}
    made = claims["provenance"]
    assert made["command"].startswith("dilemma reproduce all --data")
    assert made["commit"]
    assert not any("changes" in commit for commit in made["commit"])


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(dilemma(?:\.\w+)+)`", PAPER))))
def test_code_that_is_named_is_there(name: str) -> None:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return
    pytest.fail(name)


@pytest.mark.parametrize("test", sorted(set(re.findall(r"`([\w/]+\.py::\w+)`", PAPER))))
def test_tests_that_are_named_are_there(test: str) -> None:
    path, name = test.split("::")
    path = path if path.startswith("tests/") else f"tests/paper/{path}"
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["paper.md", "theory.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    html = (RUN / "index.html").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#([\w-]+))?\)", text)
    assert links
    for path, anchor in links:
        assert (DOCS / path).is_file(), path
        if anchor and path.endswith(".html"):
            assert f'id="{anchor}"' in html or f"id='{anchor}'" in html, anchor


def row(start: str) -> list[str]:
    """Return the cells of the one table row of docs/theory.md that begins so."""
    (line,) = [line for line in THEORY.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def test_theory_tells_the_orders_as_computed() -> None:
    blocks = content("theory.json")["content"]["orders"]
    for number, entry in enumerate(blocks[0]["rows"]):
        rows = [block["rows"][number] for block in blocks]
        told = [f"{r['ratio']:.2f} ± {r['error']:.2f}" for r in rows]
        assert row(entry["name"].replace("−", "-")) == told
    for block in blocks:
        assert f"Dirichlet {block['concentration']} (omniscient: {block['omniscient']:.1f})" in THEORY


def test_theory_tells_the_theorems_as_computed() -> None:
    theory = content("theory.json")["content"]
    case = theory["base_case"]
    told = row("share of 400 trees in which the greedy leaf is the likeliest")
    assert told == [f"{r['likeliest']:.2f}" for r in case["known"]]
    assert {r["trees"] for r in case["known"]} == {400}
    assert f"in {case['expected_kept']:,} of these {case['expected_tried']:,} trees" in " ".join(
        THEORY.split()
    )
    for policy in theory["policies"]:
        cells = f"| {policy['depth']} | {policy['states']} | {policy['best']:.4f} | {policy['greedy']:.4f} |"
        assert cells in THEORY
    steps = theory["induction"]
    assert f"it holds at {steps['kept']} of {steps['steps']}" in THEORY
    assert f"somewhere in {steps['trees_where_found_values_rise']} of the {steps['trees']} trees" in THEORY
    lemma = theory["lemma"]
    assert f"In {lemma['states']:,} states" in THEORY
    assert f"m is {lemma['least']:.3f} at least" in THEORY
    exact = theory["exact"]
    assert exact["in_order"] == exact["trees"] == 10
    assert f"it explored {exact['states_before_the_first']:.1f} states" in THEORY


def test_theory_tells_the_levels_and_the_printed_algorithm_as_computed() -> None:
    theory = content("theory.json")["content"]
    lines = [re.split(r" *\| *", line.strip("| ")) for line in THEORY.splitlines() if line.startswith("|")]
    for block in theory["levels"]:
        named = "u = -log b" if block["assumed"] == "uniform" else "u = log E[m]"
        at = [cells[0] for cells in lines].index(f"{named}, c = {block['constant']:.3f}: measured")
        assert lines[at][1:] == [f"{value:.3f}" for value in block["mean"]]
        assert lines[at + 1][1:] == [f"{abs(v):.3f}" if v == 0 else f"{v:.3f}" for v in block["predicted"]]
        for mean, error, predicted in zip(block["mean"], block["error"], block["predicted"], strict=True):
            assert abs(mean - predicted) <= 2 * error + 1e-12
    printed = theory["printed"]
    for reach in printed["reach"]:
        assert row(f"b = {reach['branching']}, d = {reach['depth']}") == [
            str(reach["leaves"]), str(reach["reached"]), str(reach["candidates"]),
        ]  # fmt: skip
    flat = " ".join(THEORY.split())
    assert (
        f"on {printed['trees']} trees with b = 3 and d = 4 it missed the optimum for ever in {printed['missed']}"
        in flat
    )
