"""``dilemma info``: version, kernels in use, extras installed."""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import import_module, metadata
from typing import Any

import dilemma

# subject -> module with a function `kernel`
KERNELS = {"engine": "dilemma.ranking", "knapsack": "dilemma.knapsack", "tree": "dilemma.tree.engine"}
EXTRAS = {
    "sklearn": ("scikit-learn",),
    "plot": ("matplotlib",),
    "data": ("pooch",),
}


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("info", help="version, kernels in use, extras installed")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print what `collect` found."""
    facts = collect()
    if args.json:
        print(json.dumps(facts, indent=2))
        return 0
    print(f"dilemma {facts['version']}")
    print(f"python  {facts['python']} on {facts['platform']}, {facts['cores']} cores")
    print(f"numpy   {facts['numpy']}")
    print("kernels")
    for subject, kernel in facts["kernels"].items():
        print(f"  {subject:<10} {kernel}")
    print("extras")
    for extra, packages in facts["extras"].items():
        for package, version in packages.items():
            found = version or f"not installed (pip install 'dilemma[{extra}]')"
            print(f"  {extra:<10} {package} {found}")
    return 0


def collect() -> dict[str, Any]:
    """Return the facts as plain data."""
    return {
        "version": dilemma.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "numpy": _version("numpy"),
        "kernels": kernels(),
        "extras": {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()},
    }


def kernels() -> dict[str, str]:
    """Return the kernel in use for each subject."""
    return {subject: import_module(module).kernel() for subject, module in KERNELS.items()}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
