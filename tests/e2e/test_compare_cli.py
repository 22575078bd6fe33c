"""`dilemma compare` as a user runs it."""

import argparse
import json

import pytest

import dilemma
from dilemma.cli import compare as command

SHOP = "job_shop:random(n=5, seed=1)"
COVER = "set_cover:random(n=20, seed=2)"


def run(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["compare", *arguments])
    return args.func(args)


def test_a_comparison_prints_both_tables_and_writes_what_was_asked_for(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    code = run(
        "--problem", SHOP, "--problem", COVER, "--strategy", "greedy", "--strategy", "random_state",
        "--max-nodes", "200", "--seeds", "2", "--baseline", "greedy", "--best-known", f"{SHOP}=300",
        "--json", str(tmp_path / "c.json"), "--plot", str(tmp_path / "c.png"), "--report", str(tmp_path / "c.html"),
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert "against greedy" in out
    assert out.count("random_state") == 2  # one table by strategy, one by problem
    assert SHOP in out
    made = dilemma.Comparison.from_json(tmp_path / "c.json")
    assert made.best_known == {SHOP: 300.0}
    assert len(made) == 2 * 2 * 2
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "c.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "wrote" in err
    assert "6/6" in err  # the greedy draws nothing: once a problem


def test_quiet_and_markdown(capsys):
    assert (
        run(
            "--problem",
            COVER,
            "--strategy",
            "greedy",
            "--max-iter",
            "1",
            "--seeds",
            "1",
            "--quiet",
            "--markdown",
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("|---|") == 1


def test_list_names_what_there_is(capsys):
    assert run("--list") == 0
    out = capsys.readouterr().out
    assert "set_cover" in out
    assert "dilemma_first" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-iter", "5"], "--problem"),
        (["--problem", SHOP], "budget"),
        (["--problem", SHOP, "--problem", SHOP, "--max-iter", "5"], "more than once"),
        (["--problem", SHOP, "--max-iter", "5", "--strategy", "nope"], "nope"),
        (["--problem", SHOP, "--max-iter", "5", "--best-known", "x=1"], "--best-known"),
        (["--problem", SHOP, "--max-iter", "5", "--best-known", SHOP], "--best-known"),
        (["--problem", SHOP, "--max-iter", "5", "--json", "/no/such/folder/x.json"], "existing folder"),
    ],
)
def test_mistakes_are_errors_before_anything_runs(arguments, message, capsys):
    with pytest.raises(ValueError, match=message):
        run(*arguments)
    assert capsys.readouterr() == ("", "")


def test_the_json_is_plain(tmp_path):
    run("--problem", COVER, "--strategy", "greedy", "--max-iter", "1", "--seeds", "1", "--quiet", "--json",
        str(tmp_path / "c.json"))  # fmt: skip
    data = json.loads((tmp_path / "c.json").read_text())
    assert (data["schema"], data["version"]) == ("dilemma.comparison", 1)
