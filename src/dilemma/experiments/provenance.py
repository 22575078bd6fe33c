"""Where results come from: version, commit, machine, date."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import dilemma


@cache
def commit() -> str | None:
    """Return the commit of the checkout this package is run from, ``+changes`` if it was changed since, or None."""
    here = Path(dilemma.__file__).resolve().parent
    if not (here.parent.parent / ".git").exists():  # installed: the version says it
        return None
    found = _git(here, "rev-parse", "--short=12", "HEAD")
    changed = _git(here, "status", "--porcelain", "--", ".")
    return found + ("+changes" if changed else "") if found else None


def _git(folder: Path, *args: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *args], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def made() -> dict[str, Any]:
    """Return what to keep beside a result: the commit and the time."""
    now = datetime.datetime.now(datetime.UTC)
    return {"commit": commit(), "date": now.strftime("%Y-%m-%d %H:%M UTC")}


def machine() -> dict[str, Any]:
    """Return what the times were measured on."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
