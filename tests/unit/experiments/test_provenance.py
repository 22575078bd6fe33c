"""Where results come from, as told beside them."""

import re
import subprocess
from pathlib import Path

import pytest

from dilemma.experiments import provenance


def test_a_checkout_tells_its_commit_and_whether_it_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*args: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, "-C", str(tmp_path), *args], check=True, capture_output=True)

    package = tmp_path / "src" / "dilemma"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(provenance.dilemma, "__file__", str(package / "__init__.py"))
    find = provenance.commit.__wrapped__  # without the memory of this process
    assert find() is None  # not a checkout: installed
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    first = find()
    assert re.fullmatch(r"[0-9a-f]{12}", first)
    (tmp_path / "notes.txt").write_text("beside the code")
    assert find() == first
    (package / "__init__.py").write_text("x = 1\n")
    assert find() == f"{first}+changes"


def test_a_result_says_when_and_on_what_it_was_made() -> None:
    made = provenance.made()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", made["date"])
    assert made["commit"] == provenance.commit()
    assert provenance.machine()["cores"] >= 1
    assert provenance.machine()["python"].count(".") == 2


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*args: object, **options: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(provenance.subprocess, "run", missing)
    assert provenance.commit.__wrapped__() is None
