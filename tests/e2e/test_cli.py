"""The command line: exit codes, help, info, demo."""

import json
import re
import subprocess
import sys

import pytest

import dilemma
from dilemma.cli import main as cli


def test_info_names_version_kernels_and_extras(capsys):
    assert cli.main(["info"]) == 0
    printed = capsys.readouterr().out
    assert dilemma.__version__ in printed
    assert "knapsack" in printed
    assert cli.main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts["kernels"]) == {"engine", "knapsack", "tree"}
    assert "sklearn" in facts["extras"]


def test_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "dilemma", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"dilemma {dilemma.__version__}"


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["info", "--nonsense"]])
def test_bad_arguments_exit_with_2(argv):
    with pytest.raises(SystemExit) as stopped:
        cli.main(argv)
    assert stopped.value.code == 2


@pytest.mark.parametrize(
    ("error", "code"),
    [(ValueError("v"), 2), (OSError("o"), 2), (ImportError("i"), 2), (dilemma.WorkerError("w"), 1),
     (KeyboardInterrupt(), 130), (BrokenPipeError(), 0)],
)  # fmt: skip
def test_errors_become_exit_codes_and_one_line(error, code, monkeypatch, capfd):
    def fail(args):
        raise error

    monkeypatch.setattr("dilemma.cli.info.run", fail)
    assert cli.main(["info"]) == code
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "--help"])
    assert stopped.value.code == 0
    assert "usage: dilemma" in capsys.readouterr().out


def test_demo_improves_every_greedy_and_leaves_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "a folder with spaces"
    assert cli.main(["demo", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("optimal") >= 4
    picture = out / "convergence.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in printed
    assert re.search(r"kernels: engine \w+, knapsack \w+", printed)


def test_demo_without_matplotlib_leaves_the_numbers(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert cli.main(["demo", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "convergence.csv").read_text().startswith("problem,candidate,gap_percent")
    assert "dilemma[plot]" in capsys.readouterr().out
