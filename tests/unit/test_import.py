import subprocess
import sys


def test_import_is_silent():
    done = subprocess.run(
        [sys.executable, "-c", "import dilemma"], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert done.stderr == ""
