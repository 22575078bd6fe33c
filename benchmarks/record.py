"""What every recorded benchmark carries: the command, the commit, the machine, the date."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "benchmarks" / "recorded"


def provenance() -> dict[str, Any]:
    """Return where and from what the figures come."""
    return {
        "command": "python " + " ".join([_relative(sys.argv[0]), *sys.argv[1:]]),
        "commit": _git("rev-parse", "--short=12", "HEAD")
        + ("+changes" if _git("status", "--porcelain") else ""),
        "machine": {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def record(name: str, results: Any, *, path: Path | None = None, compact: bool = False) -> Path:
    """Write results with their provenance to ``benchmarks/recorded/NAME.json`` and return the path."""
    path = path or RECORDED / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {**provenance(), "results": results}
    path.write_text(json.dumps(facts, indent=None if compact else 1) + "\n", encoding="utf-8")
    return path


def cpu_model() -> str:
    """Return the processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _git(*args: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _relative(path: str) -> str:
    full = Path(path).resolve()
    return str(full.relative_to(ROOT)) if full.is_relative_to(ROOT) else full.name
