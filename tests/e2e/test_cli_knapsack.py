"""The knapsack from the shell."""

import json
import subprocess
import sys

import pytest

# These commands alone: the others import more than is tested here.
RUNNER = (
    "import sys; from dilemma.cli import main as m; m.COMMANDS = ('solve', 'generate'); sys.exit(m.main())"
)


@pytest.fixture
def shell():
    def call(*arguments, code=0):
        run = subprocess.run(
            [sys.executable, "-c", RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=120
        )
        assert run.returncode == code, run.stderr
        return run

    return call


def test_generate_then_solve_then_json(shell, tmp_path):
    file, out = tmp_path / "a b.kp", tmp_path / "r.json"
    made = shell("generate", "knapsack", "--class", "strong", "--n", 500, "--seed", 1, "--out", file)
    assert "500 items" in made.stdout
    solved = shell("solve", "knapsack", file, "--time-limit", 60, "--max-iter", 100000, "--json", out)
    assert "proved optimal" in solved.stdout
    data = json.loads(out.read_text())
    assert data["optimal"]
    assert data["value"] == data["bound"] > data["greedy_value"]
    rows = [line.split() for line in file.read_text().splitlines()]
    assert sum(int(rows[1 + i][0]) for i in data["items"]) == data["value"]


@pytest.mark.parametrize("format", ["kp", "pisinger", "csv", "json"])
def test_every_format_through_a_pipe_and_a_file(shell, tmp_path, format):
    text = shell(
        "generate", "knapsack", "--class", "pceil", "--n", 20, "--seed", 2, "--format", format
    ).stdout
    file = tmp_path / "instance"
    file.write_text(text)
    for chosen in ("auto", format):
        assert "proved optimal" in shell("solve", "knapsack", file, "--format", chosen).stdout


def test_a_budget_shows_the_gap(shell, tmp_path):
    file = tmp_path / "i.kp"
    shell(
        "generate", "knapsack", "--class", "circle", "--n", 400, "--seed", 1, "--range", 10**6, "--out", file
    )
    out = shell("solve", "knapsack", file, "--max-iter", 5).stdout
    assert "gap" in out
    assert "max_iter: " in out


def test_wrong_input_exits_with_2_and_a_sentence(shell, tmp_path):
    file = tmp_path / "bad.kp"
    file.write_text("2 10\n1 2\n")
    for arguments, message in (
        (["solve", "knapsack", file], "line 2: expected 2 items"),
        (["solve", "knapsack", tmp_path / "none"], "none: No such file or directory"),
        (["solve", "knapsack", file, "--max-iter", "x"], "invalid int"),
        (["solve", "knapsack", file, "--capacity", "much"], "expected a number"),
        (["solve", "knapsack", file, "--json", tmp_path / "none" / "out.json"], "a folder that exists"),
        (["solve", "unknown"], "invalid choice"),
        (["generate", "knapsack", "--class", "weak", "--n", -3, "--seed", 1], "n: expected"),
        (["generate", "knapsack", "--class", "weird", "--n", 3, "--seed", 1], "invalid choice"),
    ):
        run = shell(*arguments, code=2)
        assert message in run.stderr
        assert "Traceback" not in run.stderr
