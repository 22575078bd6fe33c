import subprocess
import sys


def test_import_is_silent():
    done = subprocess.run(
        [sys.executable, "-c", "import dilemma"], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert done.stderr == ""


def test_subpackages_come_with_their_first_use():
    """A plain import loads none of them, and using one needs no second import statement."""
    program = (
        "import sys, dilemma\n"
        "assert 'dilemma.knapsack' not in sys.modules and 'dilemma.tree' not in sys.modules\n"
        "print(dilemma.knapsack.solve([1, 2], [1, 1], 1).value, 'problems' in dir(dilemma))\n"
        "try: dilemma.knapsac\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["2 True", "module 'dilemma' has no attribute 'knapsac'"]


def test_import_loads_nothing_that_is_not_needed_yet():
    code = "import sys, dilemma; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "scipy", "matplotlib", "pandas", "polars", "pooch", "sqlite3", "multiprocessing.pool"}
    assert not heavy & set(done.stdout.split())
